"""The rows of `scipy.fft`: those of `np.fft`, and cosine and sine transforms of the four types.

See G. Strang, "The discrete cosine transform". With norm="ortho" a transform is orthogonal, so that its transpose is
its inverse. Without, the second type is the transpose of the third but for an end, which counts twice: the first item
of cosines, the last one of sines. The first and the fourth are symmetric, the first one of cosines but for both ends.
An inverse is the transform of the inverse type with the other norm.
"""

from __future__ import annotations

from typing import Any, cast

from adcompile.rules.forms import TABLE, linear

_S, _SAMPLE = "scipy.fft.", "rng.normal(size=(3, 4))"
_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _transposed(kind: str, number: int, rank: str, axes: str, norm: str) -> str:
    """The transpose of a transform of a type, applied to `g`."""
    end = "0" if kind == "dct" else "-1"
    g, result = "g", "{}"
    if norm != "'ortho'" and (kind, number) == ("dct", 1):
        g = f"with_end(with_end(g, 0, 2, {axes}), -1, 2, {axes})"
        result = f"with_end(with_end({{}}, 0, 0.5, {axes}), -1, 0.5, {axes})"
    elif norm != "'ortho'" and number == 2:
        g = f"with_end(g, {end}, 2, {axes})"
    elif norm != "'ortho'" and number == 3:
        result = f"with_end({{}}, {end}, 0.5, {axes})"
    return result.format(f"{_S}{kind}{rank}({g}, {_INVERSE[number]}, None, {axes}, {norm})")


for _kind in ("dct", "dst"):
    for _number, _inverse in _INVERSE.items():
        for _when, _norm, _opposite, _sampled in (
                ("norm == 'ortho'", "'ortho'", "'ortho'", "'ortho'"),
                ("norm is None or norm == 'backward'", "'backward'", "'forward'", "None"),
                ("norm == 'forward'", "'forward'", "'backward'", "'forward'")):
            for _name, _type, _with in ((_kind, _number, _norm), (f"i{_kind}", _inverse, _opposite)):
                for _rank, _given, _length, _axes, _along in (
                        ("", "n=None, axis=-1, norm=None, workers=None", "n", "axis", ("0", "1", "5")),
                        ("n", "s=None, axes=None, norm=None, workers=None", "s", "axes",
                         ("(0, 1)", "(1, 0)", "(5, 2)"))):
                    _call = f"{_S}{_name}{_rank}(x, type=2, {_given})"
                    _text = _transposed(_kind, _type, _rank, _axes, _with)
                    _fits = f"type == {_number} and ({_when})"
                    _view = "x if not axes" if _rank else ""  # SciPy returns `x` itself
                    linear(_call, x=_text, when=f"{_length} is None and {_fits}", view=_view,
                           sample=(_SAMPLE, str(_number), "None", _along[0], _sampled))
                    _fitted = f"refit({_text}, np.shape(x), axis)"
                    if _length == "s":
                        _text = _transposed(_kind, _type, _rank, "transformed(s, axes)", _with)
                        _fitted = f"refit_all({_text}, np.shape(x), transformed(s, axes))"
                    linear(_call, x=_fitted, when=_fits, view=_view,
                           sample=(_SAMPLE, str(_number), _along[2], _along[1], _sampled))
linear("with_end(v, k, factor, axes)", v="with_end(g, k, factor, axes)", sample=(_SAMPLE, "-1", "2", "None"), view="")

for _draft in [draft for draft in TABLE if draft.name.startswith("np.fft.") and draft.form == "linear"]:
    _call = _draft.call.replace("np.fft.", _S)
    if "norm=None" in _call:
        _call = _call.replace("norm=None", "norm=None, workers=None")
    linear(_call, **cast("Any", _draft.texts), **_draft.options)
for _norm, _other in (("norm is None or norm == 'backward'", "'forward'"), ("norm == 'ortho'", "'ortho'"),
                      ("norm == 'forward'", "'backward'")):
    _given = _norm.partition("norm == ")[2]
    for _rank, _axes in (("2", "axes=(-2, -1)"), ("n", "axes=None")):
        linear(f"{_S}hfft{_rank}(x, s=None, {_axes}, norm=None, workers=None)", when=f"s is None and ({_norm})",
               x="np.conj(unirfftn(g, np.shape(x), axes, norm))",
               sample=(f"{_SAMPLE} + 1j * {_SAMPLE}", "None", "(1, 0)", _given), view="")
        linear(f"{_S}ihfft{_rank}(x, s=None, {_axes}, norm=None, workers=None)", when=f"s is None and ({_norm})",
               x="unrfftn(np.conj(g), np.shape(x), axes, norm)", sample=(_SAMPLE, "None", "(0, 1)", _given), view="")
