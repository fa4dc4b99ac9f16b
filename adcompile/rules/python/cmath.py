"""The rows of the `cmath` module, for real and complex numbers. No text raises where the function itself does not.

The adjoint of a complex number is `g` times the conjugate of the slope; for a real number the engine takes the real
part of it. Where the slope has no value (`cmath.sqrt` at 0) the adjoint is NaN.
"""

from __future__ import annotations

from adcompile.rules.forms import constant, rule

_ANY = "x.dtype.kind in 'fciub'"
_Z = "0.8 - 0.6j"

# Each row: the function, its slope, what the slope divides by where that may be 0.
_SLOPES = (
    ("cmath.exp", "ans", ""),
    ("cmath.log", "1", "x"),
    ("cmath.log10", "1", "x * math.log(10)"),
    ("cmath.sqrt", "0.5", "ans"),
    ("cmath.sin", "cmath.cos(x)", ""),
    ("cmath.cos", "-cmath.sin(x)", ""),
    ("cmath.tan", "(1 + ans * ans)", ""),
    ("cmath.asin", "1", "cmath.sqrt(1 - x) * cmath.sqrt(1 + x)"),
    ("cmath.acos", "-1", "cmath.sqrt(1 - x) * cmath.sqrt(1 + x)"),
    ("cmath.atan", "1", "1 + x * x"),
    ("cmath.sinh", "cmath.cosh(x)", ""),
    ("cmath.cosh", "cmath.sinh(x)", ""),
    ("cmath.tanh", "(1 - ans * ans)", ""),
    ("cmath.asinh", "1", "cmath.sqrt(1 + 1j * x) * cmath.sqrt(1 - 1j * x)"),
    ("cmath.acosh", "1", "cmath.sqrt(x - 1) * cmath.sqrt(x + 1)"),
    ("cmath.atanh", "1", "1 - x * x"),
)
for _name, _slope, _below in _SLOPES:
    if _below:
        _sign = _slope.startswith("-")
        _size = _slope.removeprefix("-")
        _by = "" if _size == "1" else f"{_size} * "
        _guarded = f"({_below} or math.nan)"
        rule(f"{_name}(x)", x=f"{'-' if _sign else ''}{_by}g / {_guarded}.conjugate()",
             jvp=f"{'-' if _sign else ''}{_by}x_dot / {_guarded}", when=_ANY, sample=(_Z,))
    else:
        _negative, _size = ("-", _slope[1:]) if _slope.startswith("-") else ("", _slope)
        rule(f"{_name}(x)", x=f"{_negative}g * {_size}.conjugate()", jvp=f"{_negative}x_dot * {_size}", when=_ANY,
             sample=(_Z,))

rule("cmath.log(x, base)", x="g / (x * cmath.log(base)).conjugate()",
     base="-g * (ans / (base * cmath.log(base))).conjugate()",
     jvp="(x_dot / x - ans * base_dot / base) / cmath.log(base)", when=f"{_ANY} and base.dtype.kind in 'fciub'",
     sample=(_Z, "2.0 + 0.5j"))

# ------------------------------------------------------------------------------------------------ lengths, angles

rule("cmath.phase(x)", x="1j * g * x / (abs(x) ** 2 or math.nan)",
     jvp="(x.conjugate() * x_dot).imag / (abs(x) ** 2 or math.nan)", when=_ANY, sample=(_Z,))
rule("cmath.polar(x)", x=("g * x / (ans[0] or math.inf)", "1j * g * x / (ans[0] * ans[0] or math.nan)"),
     jvp=("(x.conjugate() * x_dot).real / (ans[0] or math.inf)",
          "(x.conjugate() * x_dot).imag / (ans[0] * ans[0] or math.nan)"), when=_ANY, sample=(_Z,))
rule("cmath.rect(r, phi)", r="(g * cmath.rect(1.0, -phi)).real", phi="(g * ans.conjugate()).imag",
     jvp="r_dot * cmath.rect(1.0, phi) + 1j * ans * phi_dot", sample=("1.5", "0.4"))
constant("cmath.isnan", "cmath.isinf", "cmath.isfinite", "cmath.isclose", view="")
