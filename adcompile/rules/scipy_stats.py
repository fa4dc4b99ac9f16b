"""The rows of the normal distribution in `scipy.stats`, for every way of giving `loc` and `scale`.

With z = (x - loc) / scale and p the density, all follow from dz/dx = 1 / scale and dp/dz = -z p.
"""

from __future__ import annotations

from adcompile.rules.forms import elementwise, opaque

for _given in ("x", "x, loc", "x, loc, scale", "x, scale"):
    _z = "(x - loc)" if "loc" in _given else "x"
    _call = f"scipy.stats.norm.{{}}({_given})"
    _density = f"scipy.stats.norm.pdf({_given.replace('x, scale', 'x, 0, scale')})"
    _log_density = _density.replace("pdf", "logpdf")
    # By x; the derivative by loc is its negative. By the scale: both for division by it, and the scale's own.
    _texts = {
        "logpdf": f"g * {_z}", "pdf": f"g * ans * {_z}", "cdf": f"g * {_density}", "sf": f"g * {_density}",
        "logcdf": f"g * np.exp({_log_density} - ans)", "logsf": f"g * np.exp({_log_density} - ans)",
    }
    for _name, _text in _texts.items():
        _falls = _name in ("logpdf", "pdf", "sf", "logsf")
        if "scale" not in _given:
            _by_x, _by_scale = _text, ""
        elif _name == "logpdf":
            _by_x = f"np.divide({_text}, scale * scale)"
            _by_scale = f"np.divide(g * (np.square(np.divide({_z}, scale)) - 1), scale)"
        elif _name == "pdf":
            _by_x = f"np.divide({_text}, scale * scale)"
            _by_scale = f"np.divide(g * ans * (np.square(np.divide({_z}, scale)) - 1), scale)"
        else:
            _by_x = _text
            _by_scale = f"{'' if _falls else '-'}{_text} * np.divide({_z}, scale)"
        _down, _up = (f"-{_by_x}", _by_x) if _falls else (_by_x, f"-{_by_x}")
        _named = {"x": _down, "loc": _up, "scale": _by_scale}
        elementwise(_call.format(_name), *(_named[name] for name in _given.split(", ")))
    # Quantiles, whose derivative is the reciprocal of the density there.
    _there = _density.replace("(x", "(ans")
    for _name, _sign in (("ppf", ""), ("isf", "-")):
        _named = {"x": f"{_sign}g / {_there}", "loc": "g",
                  "scale": f"g * np.divide({'(ans - loc)' if 'loc' in _given else 'ans'}, scale)"}
        elementwise(_call.format(_name), *(_named[name] for name in _given.split(", ")),
                    domain={"x": (0.1, 0.9), "loc": (-0.5, 0.5), "scale": (0.5, 1.5)})

opaque("the most frequent value jumps when items move; find its position on fixed values, and read the array there",
       "scipy.stats.mode")
