"""The rows of Python's operators, and of `pow`, which is one.

A power's exponent is treated by what is known of it: a literal gives the short text of the schoolbook, an integer
variable is a count and has no partial. Conventions: d(x**0)/dx = 0 everywhere, d(0**y)/dy = 0 for y >= 0.
"""

from __future__ import annotations

from itertools import product

from adcompile.rules.forms import bilinear, constant, elementwise, linear, rule

_COMPLEX = "x.dtype.kind == 'c' or y.dtype.kind == 'c'"  # the engine takes the real part for an argument that is real
_CONTAINER = "isinstance(x, (tuple, list))"

# ------------------------------------------------------------------------------------------------ sum and product

linear("x + y", x="g[:len(x)]", y="g[len(x):]", when=_CONTAINER, sample=("[1.0, 2.0]", "[3.0]"),  # joins two lists
       view="*x *y")
elementwise("x + y", "g", "g")
elementwise("x + y", "g", "g", when=_COMPLEX)

elementwise("x - y", "g", "-g")
elementwise("x - y", "g", "-g", when=_COMPLEX)

linear("x * y", x="unrepeat_list(g, len(x))", when=_CONTAINER, sample=("[1.0, 2.0]", "3"),  # a list several times
       view="*x *y")
linear("x * y", y="unrepeat_list(g, len(y))", when="isinstance(y, (tuple, list))", sample=("3", "[1.0, 2.0]"),
       view="*x *y")
elementwise("x * y", "g * y", "g * x")
rule("x * y", x="unbroadcast(g * np.conj(y), np.shape(x))", y="unbroadcast(g * np.conj(x), np.shape(y))",
     jvp="x_dot * y + x * y_dot", when=_COMPLEX)

elementwise("x / y", "g / y", "-(g / y) * ans")
rule("x / y", x="unbroadcast(g / np.conj(y), np.shape(x))", y="unbroadcast(-g * np.conj(ans / y), np.shape(y))",
     jvp="(x_dot - ans * y_dot) / y", when=_COMPLEX, singular="y ans")

constant("x // y", view="")
elementwise("x % y", "g", "-g * (x // y)", domain={"x": (2.1, 2.9), "y": (0.6, 0.65)})

linear("-x", x="-g", view="")
linear("+x", x="g", view="")
constant("~x", "x << y", "x >> y", "x & y", "x | y", "x ^ y", view="")

# -------------------------------------------------------------------------------------------------------- powers

_NUMBERS = "x.ndim == 0 and y.ndim == 0"

for _call in ("x ** y", "pow(x, y)"):
    # A literal exponent. Of numbers, a power of 0 or a large one may raise where the function's own power does not.
    elementwise(_call, "g * y * x ** (y - 1)", when="y >= 1 and y % 1 == 0", sample=("np.array([0.0, 1.5, -2.0])", "3"),
                singular=False)
    elementwise(_call, "g * y * x ** (y - 1)", when="y >= 1", sample=("np.array([0.5, 1.5])", "2.5"), singular="x")
    elementwise(_call, "0.0 * g", when="y == 0", sample=("np.array([0.5, 1.5, -2.0])", "0"))
    elementwise(_call, "g * y * ans / x", when="y < 0 and x.ndim == 0", sample=("1.5", "-2"))
    elementwise(_call, "g * (y * ans / x if x else math.inf)", when="y > 0 and x.ndim == 0", sample=("1.5", "0.5"))
    elementwise(_call, "g * y * x ** (y - 1)", when="y == y", sample=("np.array([0.5, 1.5])", "0.5"), singular="x")

    # A literal base.
    elementwise(_call, None, "g * ans * math.log(x)", when="x > 0 and y.dtype.kind == 'f'",
                sample=("2", "rng.uniform(0.5, 1.5, 3)"))

    # An integer exponent that is not written out.
    elementwise(_call, "g * power_slope(x, y, ans)",
                when=f"y.dtype.kind in 'biu' and x.dtype.kind != 'c' and {_NUMBERS}", sample=("1.5", "np.int64(3)"))
    elementwise(_call, "g * y * x ** (y - 1 if y else 1)",
                when="y.dtype.kind in 'biu' and x.dtype.kind != 'c' and y.ndim == 0",
                sample=("rng.uniform(0.5, 1.5, 3)", "np.int64(3)"), singular="x")
    elementwise(_call, "g * y * x ** np.where(y, y - 1, 1)", when="y.dtype.kind in 'biu' and x.dtype.kind != 'c'",
                sample=("rng.uniform(0.5, 1.5, 3)", "np.array([0, 1, 3])"), singular="x")

    # A real exponent. The logarithm of a Python number stays one, so that float32 stays float32.
    elementwise(_call, "g * power_slope(x, y, ans)", "g * ans * log_base(x)", when=_NUMBERS)
    elementwise(_call, "g * y * x ** np.where(y, y - 1, 1)", "g * ans * log_base(x)", when="x.ndim == 0")
    elementwise(_call, "g * y * x ** (y - 1 if y else 1)", "g * ans * np.log(np.where(x, x, 1))", when="y.ndim == 0",
                singular="x ans")
    elementwise(_call, "g * y * x ** np.where(y, y - 1, 1)", "g * ans * np.log(np.where(x, x, 1))", singular="x ans")

    # Complex numbers. An integer exponent is a count here too.
    rule(_call, x="unbroadcast(g * np.conj(y * x ** (y - 1)), np.shape(x))", jvp="x_dot * y * x ** (y - 1)",
         when="x.dtype.kind == 'c' and y >= 1", sample=("np.array([0.5 + 1j, 0.0])", "2.0"))
    rule(_call, x="0.0 * g", jvp="0.0 * x_dot", when="x.dtype.kind == 'c' and y == 0",
         sample=("np.array([0.5 + 1j, 0.0])", "0"))
    rule(_call, x="unbroadcast(g * np.conj(y * x ** (y - 1)), np.shape(x))", jvp="x_dot * y * x ** (y - 1)",
         when="x.dtype.kind == 'c' and y.dtype.kind in 'biu'",
         sample=("np.array([0.5 + 1j, -1 + 0.2j])", "np.int64(3)"))
    rule(_call, x="unbroadcast(g * np.conj(y * ans / x), np.shape(x))",
         y="unbroadcast(g * np.conj(ans * np.log(x)), np.shape(y))",
         jvp="ans * (x_dot * y / x + y_dot * np.log(x))", when="x.dtype.kind == 'c'")
    rule(_call, x="unbroadcast(g * np.conj(y * ans / x), np.shape(x))",
         y="unbroadcast(g * np.conj(ans * np.log(x + 0j)), np.shape(y))",
         jvp="ans * (x_dot * y / x + y_dot * np.log(x + 0j))", when="y.dtype.kind == 'c'")

# ------------------------------------------------------------------------------------------------ matrix product

_PAIRS = (("", "x.dtype.kind != 'c' and y.dtype.kind != 'c'", "{}"), (" + 1j", f"({_COMPLEX})", "np.conj({})"))
for _call, (_plus, _kinds, _conj) in product(("x @ y", "np.matmul(x, y)"), _PAIRS):
    _x, _y, _xt, _yt = (_conj.format(text) for text in ("x", "y", "x.T", "y.T"))
    _vector, _matrix, _wide = (f"rng.normal(size={size}){_plus}" for size in ("3", "(2, 3)", "(3, 4)"))
    _stack, _tall, _far = (f"rng.normal(size={size}){_plus}" for size in ("(2, 3, 4)", "(2, 4, 3)", "(5, 1, 2, 3)"))
    bilinear(_call, x=f"g @ {_yt}", y=f"{_xt} @ g", when=f"x.ndim == 2 and y.ndim == 2 and {_kinds}",
             sample=(_matrix, _wide))
    bilinear(_call, x=f"np.outer(g, {_y})", y=f"{_xt} @ g", when=f"x.ndim == 2 and y.ndim == 1 and {_kinds}",
             sample=(_matrix, _vector))
    bilinear(_call, x=f"{_y} @ g", y=f"np.outer({_x}, g)", when=f"x.ndim == 1 and y.ndim == 2 and {_kinds}",
             sample=(_vector, _wide))
    bilinear(_call, x=f"g * {_y}", y=f"g * {_x}", when=f"x.ndim == 1 and y.ndim == 1 and {_kinds}",
             sample=(_vector, _vector))
    bilinear(_call, x=f"unbroadcast(({_y} @ np.expand_dims(g, -1))[..., 0], np.shape(x))",
             y=f"np.expand_dims({_x}, -1) * np.expand_dims(g, -2)", when=f"x.ndim == 1 and y.ndim >= 3 and {_kinds}",
             sample=(_vector, _stack))
    bilinear(_call, x=f"np.expand_dims(g, -1) * {_y}",
             y=f"unbroadcast((np.swapaxes({_x}, -1, -2) @ np.expand_dims(g, -1))[..., 0], np.shape(y))",
             when=f"x.ndim >= 3 and y.ndim == 1 and {_kinds}", sample=(_tall, _vector))
    bilinear(_call, x=f"unbroadcast(g @ np.swapaxes({_y}, -1, -2), np.shape(x))",
             y=f"unbroadcast(np.swapaxes({_x}, -1, -2) @ g, np.shape(y))",
             when=f"x.ndim >= 2 and y.ndim >= 2 and {_kinds}", sample=(_far, _stack))
    bilinear(_call, x=f"matmul_vjp_x(g, x, {_y})", y=f"matmul_vjp_y(g, {_x}, y)", when=_kinds, sample=(_matrix, _stack))

# ------------------------------------------------------------------------------------------------------- reading

rule("x[i]", x="np.sum(g)", jvp="np.asarray(x_dot)[i]", when="x.ndim == 0 and x.dtype.kind in 'fc'",
     sample=("np.array(1.5)", "()"), view="x *x")  # a mask takes it or not
linear("x[i]", x="scatter(g, i, x)", sample=("rng.normal(size=(3, 4))", "np.array([0, 2, 0])"), view="x *x")
