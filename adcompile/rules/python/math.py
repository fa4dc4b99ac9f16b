"""The rows of the `math` module. No text raises where the function itself does not: a slope without bound is `inf`."""

from __future__ import annotations

from adcompile.rules.forms import constant, elementwise, linear, rule

# ------------------------------------------------------------------------------------------ powers and logarithms

elementwise("math.sqrt(x)", "g * (0.5 / ans if ans else math.inf)")
elementwise("math.cbrt(x)", "g * (1 / (3 * ans * ans) if ans * ans else math.inf)")
elementwise("math.exp(x)", "g * ans")
elementwise("math.exp2(x)", "g * ans * math.log(2)")
elementwise("math.expm1(x)", "g * (ans + 1)")
elementwise("math.log(x)", "g / x")
elementwise("math.log(x, base)", "g / (x * math.log(base))", "-g * ans / (base * math.log(base))",
            domain={"x": (0.5, 1.5), "base": (2, 3)})
elementwise("math.log2(x)", "g / (x * math.log(2))")
elementwise("math.log10(x)", "g / (x * math.log(10))")
elementwise("math.log1p(x)", "g / (1 + x)")
elementwise("math.pow(x, y)", "g * power_slope(x, y, ans)", when="y.dtype.kind in 'biu'", sample=("1.5", "3"))
elementwise("math.pow(x, y)", "g * power_slope(x, y, ans)", "g * ans * log_base(x)")

# --------------------------------------------------------------------------------- trigonometric and hyperbolic

elementwise("math.sin(x)", "g * math.cos(x)")
elementwise("math.cos(x)", "-g * math.sin(x)")
elementwise("math.tan(x)", "g * (1 + ans * ans)")
elementwise("math.asin(x)", "g * (1 / math.sqrt((1 - x) * (1 + x)) if abs(x) < 1 else math.inf)", domain=(-0.8, 0.8))
elementwise("math.acos(x)", "-g * (1 / math.sqrt((1 - x) * (1 + x)) if abs(x) < 1 else math.inf)", domain=(-0.8, 0.8))
elementwise("math.atan(x)", "g / (1 + x * x)")
# Without a derivative at the origin, as in PyTorch and JAX.
elementwise("math.atan2(y, x)", "g * x / (x * x + y * y or math.nan)", "-g * y / (x * x + y * y or math.nan)")
elementwise("math.sinh(x)", "g * math.cosh(x)")
elementwise("math.cosh(x)", "g * math.sinh(x)")
elementwise("math.tanh(x)", "g * (1 - ans * ans)")
elementwise("math.asinh(x)", "g / math.hypot(1, x)")
elementwise("math.acosh(x)", "g * (1 / (math.sqrt(x - 1) * math.sqrt(x + 1)) if x > 1 else math.inf)", domain=(1.5, 3))
elementwise("math.atanh(x)", "g / ((1 - x) * (1 + x))", domain=(-0.8, 0.8))
elementwise("math.degrees(x)", "g * (180 / math.pi)")
elementwise("math.radians(x)", "g * (math.pi / 180)")

# ------------------------------------------------------------------------------------------------------- lengths
# At zero length the derivative is 0, as PyTorch has it for a norm.

elementwise("math.hypot(x, y)", "g * (x / ans if ans else 0.0)", "g * (y / ans if ans else 0.0)")
rule("math.hypot(*xs)", xs="np.multiply(g / (ans or math.inf), xs)",
     jvp="float(np.dot(xs, xs_dot)) / (ans or math.inf)", sample=("1.0", "-2.0", "0.5"))
rule("math.dist(p, q)", p="g / (ans or math.inf) * np.subtract(p, q)", q="g / (ans or math.inf) * np.subtract(q, p)",
     jvp="float(np.dot(np.subtract(p, q), np.subtract(p_dot, q_dot))) / (ans or math.inf)",
     sample=("[1.0, 2.0]", "[0.5, -1.0]"))

# ------------------------------------------------------------------------------------------- sums and products

linear("math.fsum(x)", x="np.broadcast_to(g, np.shape(x))", when="x.ndim == 1", sample=("rng.normal(size=3)",), view="")
linear("math.fsum(x)", x="[g] * len(x)", when="x.item.ndim == 0", sample=("[1.0, 2.0, 3.0]",), view="")
linear("math.fsum(x)", x="np.broadcast_to(g, np.shape(x))", sample=("rng.normal(size=3)",), view="")
rule("math.prod(x, start=1)", x="np.multiply(g * start, product_of_others(np.asarray(x)))",
     start="g * float(np.prod(x))", jvp="start * float(np.dot(product_of_others(np.asarray(x)), x_dot))"
     " + start_dot * float(np.prod(x))", sample=("[1.5, -2.0, 3.0]", "2.0"))
rule("math.sumprod(p, q)", p="np.multiply(g, q)", q="np.multiply(g, p)",
     jvp="float(np.dot(p_dot, q) + np.dot(p, q_dot))", sample=("[1.0, 2.0]", "[0.5, -1.0]"))
elementwise("math.fma(x, y, z)", "g * y", "g * x", "g")

# ----------------------------------------------------------------------------------------------- piecewise linear

elementwise("math.fabs(x)", "g * (1.0 if x > 0 else -1.0 if x < 0 else 0.0)", domain=(-1.5, -0.5))
elementwise("math.copysign(x, y)", "g * (math.copysign(1.0, x) * math.copysign(1.0, y) if x else 0.0)",
            domain={"x": (0.5, 1.5), "y": (-1.5, -0.5)})
elementwise("math.fmod(x, y)", "g", "-g * ((x - ans) / y if y else math.nan)",
            domain={"x": (2.1, 2.9), "y": (-0.65, -0.6)})
elementwise("math.remainder(x, y)", "g", "-g * ((x - ans) / y if y else math.nan)",
            domain={"x": (2.1, 2.3), "y": (0.6, 0.65)})
elementwise("math.ldexp(x, i)", "g * (ans / x if x else 2.0 ** min(i, 1023))", sample=("1.5", "3"))
rule("math.modf(x)", x=("g", None), jvp=("x_dot", None), domain=(1.1, 1.9))
rule("math.frexp(x)", x=("g * (ans[0] / x if x else 1.0)", None), jvp=("x_dot * (ans[0] / x if x else 1.0)", None),
     domain=(1.1, 1.9))
elementwise("math.nextafter(x, y)", "g", sample=("1.5", "2.0"))
constant("math.floor", "math.ceil", "math.trunc", "math.isnan", "math.isinf", "math.isfinite", "math.isclose",
         "math.comb", "math.perm", "math.factorial", "math.gcd", "math.lcm", "math.isqrt", "math.ulp", view="")

# --------------------------------------------------------------------------------------------- special functions
# NIST Digital Library of Mathematical Functions, 5.2.2 (psi) and 7.2.1 (error function).

elementwise("math.gamma(x)", "g * ans * digamma(x)", domain=(1.2, 3), singular=False)
elementwise("math.lgamma(x)", "g * digamma(x)", domain=(1.2, 3), singular=False)
elementwise("math.erf(x)", "g * (2 / math.sqrt(math.pi)) * math.exp(-x * x)")
elementwise("math.erfc(x)", "-g * (2 / math.sqrt(math.pi)) * math.exp(-x * x)")
