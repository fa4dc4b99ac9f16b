"""The rows of NumPy's elementwise functions.

Conventions at points without a derivative: abs'(0) = 0; `maximum` and `minimum` share ties evenly; `clip` lets the
derivative through at its bounds; `hypot` has 0 at the origin; a slope without bound is `inf`.

The functions accept Python numbers, for which `/` raises where NumPy gives `inf`; hence the rows with `np.divide`.
What a text chooses with `np.where` becomes an array without axes where all is numbers; hence rows for numbers.
"""

from __future__ import annotations

from typing import Any

from adcompile.rules.forms import REFUSE, constant, elementwise, linear, rule

_COMPLEX = "x.dtype.kind == 'c'"
_REAL = "x.dtype.kind != 'c'"
_EITHER = "x.dtype.kind == 'c' or y.dtype.kind == 'c'"
_TWO_NUMBERS = "x.ndim == 0 and y.ndim == 0"

# ---------------------------------------------------------------------------------------------------- arithmetic

elementwise("np.add(x, y)", "g", "g")
elementwise("np.add(x, y)", "g", "g", when=_EITHER)
elementwise("np.subtract(x, y)", "g", "-g")
elementwise("np.subtract(x, y)", "g", "-g", when=_EITHER)
elementwise("np.multiply(x, y)", "g * y", "g * x")
rule("np.multiply(x, y)", x="unbroadcast(g * np.conj(y), np.shape(x))", y="unbroadcast(g * np.conj(x), np.shape(y))",
     jvp="x_dot * y + x * y_dot", when=_EITHER)
elementwise("np.divide(x, y)", "np.divide(g, y)", "-np.divide(g, y) * ans", when="y.python")
elementwise("np.divide(x, y)", "g / y", "-(g / y) * ans")
rule("np.divide(x, y)", x="unbroadcast(g / np.conj(y), np.shape(x))",
     y="unbroadcast(-g * np.conj(ans / y), np.shape(y))", jvp="(x_dot - ans * y_dot) / y", when=_EITHER,
     singular="y ans")
linear("np.negative(x)", x="-g", view="")
linear("np.positive(x)", x="g", view="")
elementwise("np.reciprocal(x)", "-g * ans * ans")
elementwise("np.square(x)", "2 * g * x")
rule("np.square(x)", x="2 * g * np.conj(x)", jvp="2 * x_dot * x", when=_COMPLEX)

for _call in ("np.power(x, y)", "np.float_power(x, y)"):
    elementwise(_call, "g * y * np.power(x, y - 1)", when="y >= 1 and y % 1 == 0",
                sample=("rng.uniform(0.5, 1.5, 3)", "3"), singular=False)
    elementwise(_call, "g * y * np.power(x, y - 1)", when="y < 0 or y > 0", sample=("rng.uniform(0.5, 1.5, 3)", "0.5"),
                singular="x")
    elementwise(_call, "0.0 * g", when="y == 0", sample=("np.array([0.5, 1.5, -2.0])", "0"))
    elementwise(_call, None, "g * ans * math.log(x)", when="x > 0 and y.dtype.kind == 'f'",
                sample=("2", "rng.uniform(0.5, 1.5, 3)"))
    elementwise(_call, "g * y * np.power(x, y - 1 if y else 1)",
                when="y.dtype.kind in 'biu' and x.dtype.kind != 'c' and y.ndim == 0",
                sample=("rng.uniform(0.5, 1.5, 3)", "np.int64(3)"), singular="x")
    elementwise(_call, "g * y * np.power(x, np.where(y, y - 1, 1))",
                when="y.dtype.kind in 'biu' and x.dtype.kind != 'c'",
                sample=("rng.uniform(0.5, 1.5, 3)", "np.array([0, 1, 3])"), singular="x")
    elementwise(_call, "g * y * np.power(x, y - 1 if y else 1)", "g * ans * log_base(x)", when=_TWO_NUMBERS)
    elementwise(_call, "g * y * np.power(x, np.where(y, y - 1, 1))", "g * ans * log_base(x)", when="x.ndim == 0")
    elementwise(_call, "g * y * np.power(x, y - 1 if y else 1)", "g * ans * np.log(np.where(x, x, 1))",
                when="y.ndim == 0", singular="x ans")
    elementwise(_call, "g * y * np.power(x, np.where(y, y - 1, 1))", "g * ans * np.log(np.where(x, x, 1))",
                singular="x ans")

    rule(_call, x="unbroadcast(g * np.conj(y * np.power(x, y - 1)), np.shape(x))", jvp="x_dot * y * np.power(x, y - 1)",
         when="x.dtype.kind == 'c' and y >= 1", sample=("np.array([0.5 + 1j, 0.0])", "2.0"))
    rule(_call, x="0.0 * g", jvp="0.0 * x_dot", when="x.dtype.kind == 'c' and y == 0",
         sample=("np.array([0.5 + 1j, 0.0])", "0"))
    rule(_call, x="unbroadcast(g * np.conj(y * np.power(x, y - 1)), np.shape(x))", jvp="x_dot * y * np.power(x, y - 1)",
         when="x.dtype.kind == 'c' and y.dtype.kind in 'biu'",
         sample=("np.array([0.5 + 1j, -1 + 0.2j])", "np.int64(3)"))
    rule(_call, x="unbroadcast(g * np.conj(y * ans / x), np.shape(x))",
         y="unbroadcast(g * np.conj(ans * np.log(x + 0j)), np.shape(y))",
         jvp="ans * (x_dot * y / x + y_dot * np.log(x + 0j))", when=_EITHER)

for _call in ("np.remainder(x, y)", "np.mod(x, y)"):
    elementwise(_call, "g", "-g * np.floor_divide(x, y)", domain={"x": (2.1, 2.9), "y": (0.6, 0.65)})
elementwise("np.fmod(x, y)", "g", "-g * np.trunc(np.divide(x, y))", domain={"x": (2.1, 2.9), "y": (-0.65, -0.6)})
rule("np.divmod(x, y)", x=(None, "g"), y=(None, "unbroadcast(-g * np.floor_divide(x, y), np.shape(y))"),
     jvp=(None, "x_dot - y_dot * np.floor_divide(x, y)"), when=_TWO_NUMBERS, domain={"x": (2.1, 2.9), "y": (0.6, 0.65)})
rule("np.divmod(x, y)", x=(None, "unbroadcast(g, np.shape(x))"),
     y=(None, "unbroadcast(-g * np.floor_divide(x, y), np.shape(y))"),
     jvp=(None, "x_dot - y_dot * np.floor_divide(x, y)"), domain={"x": (2.1, 2.9), "y": (0.6, 0.65)})
rule("np.modf(x)", x=("g", None), jvp=("x_dot", None), domain=(1.1, 1.9))
rule("np.frexp(x)", x=("g * np.ldexp(np.ones_like(x), -ans[1])", None),
     jvp=("x_dot * np.ldexp(np.ones_like(x), -ans[1])", None), domain=(1.1, 1.9))
elementwise("np.ldexp(x, i)", "np.ldexp(g, i)", sample=("rng.uniform(1, 2, 3)", "np.array([1, 0, -2])"))

# ------------------------------------------------------------------------------------------ powers and logarithms

elementwise("np.sqrt(x)", "0.5 * g / ans", singular="ans")
rule("np.sqrt(x)", x="0.5 * g / np.conj(ans)", jvp="0.5 * x_dot / ans", when=_COMPLEX, singular="ans")
_Z = "np.array([0.8 - 0.6j, -0.3 + 1.1j])"
for _name, _slope, _below in (
    ("np.reciprocal", "-(ans * ans)", ""),
    ("np.tan", "(1 + ans * ans)", ""),
    ("np.sinh", "np.cosh(x)", ""),
    ("np.cosh", "np.sinh(x)", ""),
    ("np.tanh", "(1 - ans * ans)", ""),
    ("np.exp2", "(ans * math.log(2))", ""),
    ("np.expm1", "(ans + 1)", ""),
    ("np.log2", "1", "(x * math.log(2))"),
    ("np.log10", "1", "(x * math.log(10))"),
    ("np.log1p", "1", "(1 + x)"),
    ("np.arcsin", "1", "(np.sqrt(1 - x) * np.sqrt(1 + x))"),
    ("np.arccos", "-1", "(np.sqrt(1 - x) * np.sqrt(1 + x))"),
    ("np.arctan", "1", "(1 + x * x)"),
    ("np.arcsinh", "1", "(np.sqrt(1 + 1j * x) * np.sqrt(1 - 1j * x))"),
    ("np.arccosh", "1", "(np.sqrt(x - 1) * np.sqrt(x + 1))"),
    ("np.arctanh", "1", "(1 - x * x)"),
):
    _sign = "-" if _slope.startswith("-") else ""
    _size = _slope.removeprefix("-")
    rule(f"{_name}(x)", when=_COMPLEX, sample=(_Z,),
         x=f"{_sign}g / np.conj({_below})" if _below else f"{_sign}g * np.conj({_size})",
         jvp=f"{_sign}x_dot / {_below}" if _below else f"{_sign}x_dot * {_size}", singular="x" if _below else "ans")
elementwise("np.cbrt(x)", "g / (3 * ans * ans)", singular="ans")
elementwise("np.exp(x)", "g * ans")
rule("np.exp(x)", x="g * np.conj(ans)", jvp="x_dot * ans", when=_COMPLEX)
elementwise("np.exp2(x)", "g * ans * math.log(2)")
elementwise("np.expm1(x)", "g * (ans + 1)")
elementwise("np.log(x)", "np.divide(g, x)", when="x.python")
elementwise("np.log(x)", "g / x")
rule("np.log(x)", x="g / np.conj(x)", jvp="x_dot / x", when=_COMPLEX, singular="x")
elementwise("np.log2(x)", "np.divide(g, x * math.log(2))", when="x.python")
elementwise("np.log2(x)", "g / (x * math.log(2))")
elementwise("np.log10(x)", "np.divide(g, x * math.log(10))", when="x.python")
elementwise("np.log10(x)", "g / (x * math.log(10))")
elementwise("np.log1p(x)", "np.divide(g, 1 + x)", when="x.python")
elementwise("np.log1p(x)", "g / (1 + x)")
# The weights are softmax and stay finite where exp(x) alone would overflow; both arguments -inf give nan, as in JAX.
elementwise("np.logaddexp(x, y)", "g * np.exp(x - ans)", "g * np.exp(y - ans)", singular=False)
elementwise("np.logaddexp2(x, y)", "g * np.exp2(x - ans)", "g * np.exp2(y - ans)", singular=False)

# --------------------------------------------------------------------------------- trigonometric and hyperbolic

elementwise("np.sin(x)", "g * np.cos(x)")
rule("np.sin(x)", x="g * np.conj(np.cos(x))", jvp="x_dot * np.cos(x)", when=_COMPLEX)
elementwise("np.cos(x)", "-g * np.sin(x)")
rule("np.cos(x)", x="-g * np.conj(np.sin(x))", jvp="-x_dot * np.sin(x)", when=_COMPLEX)
elementwise("np.tan(x)", "g * (1 + ans * ans)", singular=False)
elementwise("np.arcsin(x)", "g / np.sqrt((1 - x) * (1 + x))", domain=(-0.8, 0.8), singular="x")
elementwise("np.arccos(x)", "-g / np.sqrt((1 - x) * (1 + x))", domain=(-0.8, 0.8), singular="x")
elementwise("np.arctan(x)", "g / (1 + x * x)", singular=False)
# Without a derivative at the origin, as in PyTorch and JAX.
elementwise("np.arctan2(y, x)", "np.divide(g * x, x * x + y * y)", "-np.divide(g * y, x * x + y * y)",
            when="x.python and y.python", singular="x")
elementwise("np.arctan2(y, x)", "g * x / (x * x + y * y)", "-g * y / (x * x + y * y)", singular="x")
elementwise("np.sinh(x)", "g * np.cosh(x)")
elementwise("np.cosh(x)", "g * np.sinh(x)")
elementwise("np.tanh(x)", "g * (1 - ans * ans)", singular=False)
elementwise("np.arcsinh(x)", "g / np.sqrt(x * x + 1)", singular=False)
elementwise("np.arccosh(x)", "g / (np.sqrt(x - 1) * np.sqrt(x + 1))", domain=(1.5, 3), singular="x")
elementwise("np.arctanh(x)", "np.divide(g, (1 - x) * (1 + x))", when="x.python", domain=(-0.8, 0.8))
elementwise("np.arctanh(x)", "g / ((1 - x) * (1 + x))", domain=(-0.8, 0.8))
for _call in ("np.rad2deg(x)", "np.degrees(x)"):
    elementwise(_call, "g * (180 / math.pi)")
for _call in ("np.deg2rad(x)", "np.radians(x)"):
    elementwise(_call, "g * (math.pi / 180)")
elementwise("np.hypot(x, y)", "g * (x / ans if ans else 0.0)", "g * (y / ans if ans else 0.0)", when=_TWO_NUMBERS)
elementwise("np.hypot(x, y)", "g * x / np.where(ans, ans, np.inf)", "g * y / np.where(ans, ans, np.inf)",
            singular=False)
elementwise("np.sinc(x)", "g * sinc_slope(x)", domain=(-1.5, -0.5), singular=False)
rule("np.sinc(x)", x="g * np.conj((np.cos(math.pi * x) - ans) / x)", jvp="x_dot * (np.cos(math.pi * x) - ans) / x",
     when=_COMPLEX, singular="x")
elementwise("np.nextafter(x, y)", "g", "0.0 * g")
elementwise("np.i0(x)", "g * bessel_i1(x)")
rule("np.kaiser(M, beta)", beta="np.sum(g * kaiser_slope(M, beta, ans))", jvp="beta_dot * kaiser_slope(M, beta, ans)",
     sample=("5", "1.5"))

# ------------------------------------------------------------------------------------- sign, choice and bounds

elementwise("np.abs(x)", "g * np.sign(x)", domain=(-1.5, -0.5))
rule("np.abs(x)", x="g * np.sign(x)", jvp="np.real(np.conj(np.sign(x)) * x_dot)", when=_COMPLEX)
elementwise("np.fabs(x)", "g * np.sign(x)", domain=(-1.5, -0.5))
elementwise("np.copysign(x, y)", "g * np.sign(x) * np.copysign(np.sign(x), y)",
            domain={"x": (0.5, 1.5), "y": (-1.5, -0.5)})

for _call, _wins, _test in (
    ("np.maximum(x, y)", ">", "np.greater"),
    ("np.fmax(x, y)", ">", "np.greater"),
    ("np.minimum(x, y)", "<", "np.less"),
    ("np.fmin(x, y)", "<", "np.less"),
):
    elementwise(_call, f"g if x {_wins} y else 0.5 * g if x == y else 0.0",
                f"g if y {_wins} x else 0.5 * g if x == y else 0.0", when=_TWO_NUMBERS)
    elementwise(_call, f"np.where(x {_wins} y, g, np.where(x == y, 0.5 * g, 0))",
                f"np.where(y {_wins} x, g, np.where(x == y, 0.5 * g, 0))")
    elementwise(  # NumPy compares the real parts, then the imaginary ones
        _call,
        f"np.where({_test}(x, y), g, np.where(x == y, 0.5 * g, 0))",
        f"np.where({_test}(y, x), g, np.where(x == y, 0.5 * g, 0))",
        when=_EITHER,
        sample=(_Z, "np.array([0.5, 0.2 + 1.3j])"),
    )

elementwise("np.where(c, x, y)", None, "g if c else 0.0", "0.0 if c else g", when=f"c.ndim == 0 and {_TWO_NUMBERS}",
            sample=("True", "1.0", "2.0"))
linear("np.where(c, x, y)", x="unbroadcast(np.where(c, g, 0), np.shape(x))",
       y="unbroadcast(np.where(c, 0, g), np.shape(y))", when=_EITHER,
       sample=("np.array([True, False])", "np.array([1.0 + 1j, 2.0])", "np.array([3.0, 1j])"), view="")
elementwise("np.where(c, x, y)", None, "np.where(c, g, 0)", "np.where(c, 0, g)",
            sample=("np.array([True, False, True])", "rng.normal(size=(2, 3))", "rng.normal(size=3)"))
constant("np.where(c)", view="")

# `np.clip` has two pairs of names for its bounds; one of them is None.
elementwise("np.clip(x, a_min=None, a_max=None, min=None, max=None)", "g",
            when="a_min is None and a_max is None and min is None and max is None")
_CLIP = "np.clip(x, a_min=None, a_max=None, min=None, max=None)"
for _lo, _hi, _others in (
    ("a_min", "a_max", "min is None and max is None"),
    ("min", "max", "a_min is None and a_max is None"),
):
    _lower: dict[str, Any] = {_lo: f"np.where(x < {_lo}, g, 0)"}
    _lower_number: dict[str, Any] = {_lo: f"g if x < {_lo} else 0.0"}
    _upper: dict[str, Any] = {_hi: f"np.where(x > {_hi}, g, 0)"}
    _upper_number: dict[str, Any] = {_hi: f"g if x > {_hi} else 0.0"}
    _both: dict[str, Any] = {
        _lo: f"np.where((x < {_lo}) & ({_lo} <= {_hi}), g, 0)",
        _hi: f"np.where((x > {_hi}) | ({_lo} > {_hi}), g, 0)",
    }
    _both_numbers: dict[str, Any] = {
        _lo: f"g if x < {_lo} <= {_hi} else 0.0",
        _hi: f"g if x > {_hi} or {_lo} > {_hi} else 0.0",
    }
    elementwise(_CLIP, f"g if x >= {_lo} else 0.0", **_lower_number,
                when=f"{_others} and {_hi} is None and x.ndim == 0 and {_lo}.ndim == 0")
    elementwise(_CLIP, f"np.where(x >= {_lo}, g, 0)", **_lower, when=f"{_others} and {_hi} is None")
    elementwise(_CLIP, f"g if x <= {_hi} else 0.0", **_upper_number,
                when=f"{_others} and {_lo} is None and x.ndim == 0 and {_hi}.ndim == 0")
    elementwise(_CLIP, f"np.where(x <= {_hi}, g, 0)", **_upper, when=f"{_others} and {_lo} is None")
    elementwise(_CLIP, f"g if {_lo} <= x <= {_hi} else 0.0", **_both_numbers,
                when=f"{_others} and x.ndim == 0 and {_lo}.ndim == 0 and {_hi}.ndim == 0")
    elementwise(_CLIP, f"np.where((x >= {_lo}) & (x <= {_hi}), g, 0)", **_both,
                when=f"{_others} and {_lo} is not None and {_hi} is not None")
    elementwise(  # as `np.maximum` and `np.minimum` compare
        _CLIP,
        f"np.where(np.greater_equal(x, {_lo}), g, 0)",
        **{_lo: f"np.where(np.less(x, {_lo}), g, 0)"},
        when=f"{_COMPLEX} and {_others} and {_lo} is not None and {_hi} is None",
        sample=(_Z, *(("0.1",) if _lo == "a_min" else ("None", "None", "0.1"))),
    )
    elementwise(_CLIP, f"np.where(np.less_equal(x, {_hi}), g, 0)", **{_hi: f"np.where(np.greater(x, {_hi}), g, 0)"},
                when=f"{_COMPLEX} and {_others} and {_lo} is None and {_hi} is not None",
                sample=(_Z, *(("None", "0.5") if _lo == "a_min" else ("None", "None", "None", "0.5"))))
    elementwise(_CLIP, f"np.where(np.greater_equal(x, {_lo}) & np.less_equal(x, {_hi}), g, 0)",
                **{_lo: f"np.where(np.less(x, {_lo}), g, 0)", _hi: f"np.where(np.greater(x, {_hi}), g, 0)"},
                when=f"{_COMPLEX} and {_others} and {_lo} is not None and {_hi} is not None",
                sample=(_Z, *(("0.1", "0.5") if _lo == "a_min" else ("None", "None", "0.1", "0.5"))))

_call = "np.nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None)"
_ENDS = {"nan": "np.isnan(x)", "posinf": "np.isposinf(x)", "neginf": "np.isneginf(x)"}
_numbers: dict[str, Any] = {name: f"g if {test} else 0.0" for name, test in _ENDS.items()}
_arrays: dict[str, Any] = {name: f"np.where({test}, g, 0)" for name, test in _ENDS.items()}
_fixed: dict[str, Any] = {name: REFUSE("it has a rule beside real numbers only") for name in _ENDS}
elementwise(_call, "g if np.isfinite(x) else 0.0", **_numbers, when="x.ndim == 0 and x.dtype.kind != 'c'",
            view="x if not copy")
elementwise(_call, "np.where(np.isfinite(x), g, 0)", **_arrays, when="x.dtype.kind != 'c'", view="x if not copy")
_parts = "np.where(np.isfinite(np.real(x)), np.real({0}), 0) + 1j * np.where(np.isfinite(np.imag(x)), np.imag({0}), 0)"
rule(_call, x=_parts.format("g"), **_fixed, jvp=_parts.format("x_dot"), when=_COMPLEX,
     sample=("np.array([0.8 - 0.6j, complex(np.inf, 1.1)])",), view="x if not copy")

elementwise("np.heaviside(x, y)", "0.0 * g", "np.where(x == 0, g, 0)")

# ------------------------------------------------------------------------------------------------ complex numbers

for _call in ("np.real(x)", "x.real"):
    linear(_call, x="g + 0j", when=_COMPLEX, view="x")
    linear(_call, x="g", when=_REAL, view="x")
for _call in ("np.imag(x)", "x.imag"):
    linear(_call, x="1j * g", when=_COMPLEX, view="x")
    linear(_call, x="0.0 * g", when=_REAL, view="")
for _call in ("np.conj(x)", "x.conj()", "x.conjugate()"):
    _view = "" if _call.startswith("np.") else "x"  # of a real array, the method returns the array itself
    linear(_call, x="np.conj(g)", when=_COMPLEX, view=_view)
    linear(_call, x="g", when=_REAL, view=_view)
for _call, _unit in (("np.angle(x)", ""), ("np.angle(x, deg=False)", " * (180 / math.pi if deg else 1)")):
    rule(_call, x=f"1j * g * x / (abs(x) ** 2 or math.nan){_unit}",
         jvp=f"np.imag(np.conj(x) * x_dot) / (abs(x) ** 2 or math.nan){_unit}", when=f"{_COMPLEX} and x.python",
         sample=("0.5 + 0.3j",))
rule("np.angle(x)", x="1j * g * x / (np.real(x) ** 2 + np.imag(x) ** 2)",
     jvp="np.imag(np.conj(x) * x_dot) / (np.real(x) ** 2 + np.imag(x) ** 2)", when=_COMPLEX)
elementwise("np.angle(x)", "0.0 * g")
rule("np.angle(x, deg=False)", x="1j * g * x / (np.real(x) ** 2 + np.imag(x) ** 2) * (180 / math.pi if deg else 1)",
     jvp="np.imag(np.conj(x) * x_dot) / (np.real(x) ** 2 + np.imag(x) ** 2) * (180 / math.pi if deg else 1)",
     when=_COMPLEX, sample=(_Z, "True"))
elementwise("np.angle(x, deg=False)", "0.0 * g")
# Of a complex number this is x / abs(x), and 0 at 0.
rule("np.sign(x)", x="1j * ans * np.imag(g * np.conj(ans)) / np.where(x == 0, 1.0, np.abs(x))",
     jvp="1j * ans * np.imag(np.conj(ans) * x_dot) / np.where(x == 0, 1.0, np.abs(x))", when=_COMPLEX)
constant("np.sign(x)", when="x.dtype.kind != 'c'", view="")  # of what may be complex, the row above
linear("np.real_if_close(x, tol=100)", x="g", when="x.dtype.kind != 'c'", view="x", sample=("rng.normal(size=3)",))
rule("np.real_if_close(x, tol=100)",
     x=REFUSE("whether its result is real depends on the numbers; take `np.real` of what is real"), when=_COMPLEX,
     view="x")
