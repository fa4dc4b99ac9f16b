"""The rows of `scipy.fft`: those of `np.fft`, and cosine and sine transforms.

See G. Strang, "The discrete cosine transform".
With norm="ortho" a transform is orthogonal, so that its transpose is its inverse. Without, the cosine transform of the
second kind is the transpose of the third but for its first item, which counts twice.
"""

from __future__ import annotations

from typing import Any, cast

from adcompile.rules.forms import TABLE, linear

_S, _SAMPLE = "scipy.fft.", "rng.normal(size=(3, 4))"

for _name, _inverse in (("dct", "idct"), ("idct", "dct"), ("dst", "idst"), ("idst", "dst")):
    linear(f"{_S}{_name}(x, type=2, n=None, axis=-1, norm=None)", x=f"{_S}{_inverse}(g, type, None, axis, norm)",
           when="n is None and norm == 'ortho'", sample=(_SAMPLE, "2", "None", "0", "'ortho'"))
    linear(f"{_S}{_name}n(x, type=2, s=None, axes=None, norm=None)", x=f"{_S}{_inverse}n(g, type, None, axes, norm)",
           when="s is None and norm == 'ortho'", sample=(_SAMPLE, "2", "None", "(0, 1)", "'ortho'"))
linear(f"{_S}dct(x, type=2, n=None, axis=-1, norm=None)", x=f"{_S}dct(with_first(g, 2, axis), 3, None, axis)",
       when="type == 2 and n is None and norm is None", sample=(_SAMPLE, "2", "None", "0"))
linear(f"{_S}idct(x, type=2, n=None, axis=-1, norm=None)",
       x=f"with_first({_S}dct(g, 2, None, axis), 0.5, axis) / (2 * np.shape(x)[axis])",
       when="type == 2 and n is None and norm is None", sample=(_SAMPLE, "2", "None", "0"))
linear("with_first(v, factor, axis)", v="with_first(g, factor, axis)", sample=(_SAMPLE, "2", "1"))

for _draft in [draft for draft in TABLE if draft.name.startswith("np.fft.") and draft.form == "linear"]:
    linear(_draft.call.replace("np.fft.", _S), **cast("Any", _draft.texts), **_draft.options)
