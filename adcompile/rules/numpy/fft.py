"""The rows of `np.fft`. A transform is linear; its transpose is the inverse with the other norm.

The adjoint of a complex number is dL/dRe + i dL/dIm, so transposes are conjugate ones: that of `fft` is `ifft` times
the number of points. A transform with `n` cuts what is longer and fills up what is shorter; its adjoint does the
opposite. Of a real transform, each number but the first (and the last of an even length) stands for two.
"""

from __future__ import annotations

from adcompile.rules.forms import linear, rule

_REAL, _COMPLEX = "rng.normal(size=(3, 4))", "rng.normal(size=(3, 5)) + 1j * rng.normal(size=(3, 5))"

for _norm, _other in (("norm is None or norm == 'backward'", "'forward'"), ("norm == 'ortho'", "'ortho'"),
                      ("norm == 'forward'", "'backward'")):
    _given = _norm.partition("norm == ")[2]  # a sample of the norm
    for _name, _inverse in (("fft", "ifft"), ("ifft", "fft")):
        _call = f"np.fft.{_name}(x, n=None, axis=-1, norm=None)"
        linear(_call, x=f"np.fft.{_inverse}(g, None, axis, {_other})", when=f"n is None and ({_norm})",
               sample=(_COMPLEX, "None", "0", _given), view="")
        linear(_call, x=f"refit(np.fft.{_inverse}(g, None, axis, {_other}), np.shape(x), axis)", when=_norm,
               sample=(_COMPLEX, "4", "1", _given), view="")
        for _rank, _axes in (("2", "axes=(-2, -1)"), ("n", "axes=None")):
            linear(f"np.fft.{_name}{_rank}(x, s=None, {_axes}, norm=None)",
                   x=f"np.fft.{_inverse}{_rank}(g, None, axes, {_other})", when=f"s is None and ({_norm})",
                   sample=(_COMPLEX, "None", "(0, 1)", _given), view="x if not axes")
            linear(f"np.fft.{_name}{_rank}(x, s=None, {_axes}, norm=None)", when=_norm,
                   x=f"refit_all(np.fft.{_inverse}{_rank}(g, None, transformed(s, axes), {_other}), np.shape(x), "
                     "transformed(s, axes))", sample=(_COMPLEX, "(4, 3)", "(0, 1)", _given), view="x if not axes")
    _call = "np.fft.rfft(x, n=None, axis=-1, norm=None)"
    linear(_call, x=f"np.real(np.fft.ifft(g, np.shape(x)[axis], axis, {_other}))", when=f"n is None and ({_norm})",
           sample=(_REAL, "None", "1", _given), view="")
    linear(_call, x=f"refit(np.real(np.fft.ifft(g, n, axis, {_other})), np.shape(x), axis)", when=_norm,
           sample=(_REAL, "5", "1", _given), view="")
    linear("np.fft.irfft(x, n=None, axis=-1, norm=None)", x=f"unirfft(g, np.shape(x), axis, {_other})", when=_norm,
           sample=(_COMPLEX, "7", "1", _given), view="")
    _call = "np.fft.hfft(x, n=None, axis=-1, norm=None)"  # irfft of the conjugate, with the other norm
    linear(_call, x="np.conj(unirfft(g, np.shape(x), axis, norm))", when=_norm, sample=(_COMPLEX, "7", "1", _given),
           view="")
    _call = "np.fft.ihfft(x, n=None, axis=-1, norm=None)"
    linear(_call, x="refit(np.real(np.fft.ifft(np.conj(g), n or np.shape(x)[axis], axis, norm)), np.shape(x), axis)",
           when=_norm, sample=(_REAL, "5", "1", _given), view="")
    for _rank, _axes in (("2", "axes=(-2, -1)"), ("n", "axes=None")):
        linear(f"np.fft.rfft{_rank}(x, s=None, {_axes}, norm=None)", when=f"s is None and ({_norm})",
               x=f"unrfftn(g, np.shape(x), axes, {_other})", sample=(_REAL, "None", "(0, 1)", _given), view="")
        linear(f"np.fft.irfft{_rank}(x, s=None, {_axes}, norm=None)", when=f"s is None and ({_norm})",
               x=f"unirfftn(g, np.shape(x), axes, {_other})", sample=(_COMPLEX, "None", "(1, 0)", _given), view="")
        for _name, _half, _given_one in (("rfft", "", _REAL), ("irfft", ", True", _COMPLEX)):
            _back = f"un{_name}n(g, lengthened(np.shape(x), s, axes{_half}), transformed(s, axes), {_other})"
            linear(f"np.fft.{_name}{_rank}(x, s=None, {_axes}, norm=None)", when=_norm,
                   x=f"refit_all({_back}, np.shape(x), transformed(s, axes))",
                   sample=(_given_one, "(4, 3)", "(1, 0)", _given), view="")
    linear("unirfft(v, shape, axis, norm=None)", v=f"np.fft.irfft(g, np.shape(v)[axis], axis, {_other})", when=_norm,
           sample=(_REAL, "(3, 3)", "1", _given), view="")

for _name, _back in (("fftshift", "ifftshift"), ("ifftshift", "fftshift")):
    linear(f"np.fft.{_name}(x, axes=None)", x=f"np.fft.{_back}(g, axes)", sample=(_COMPLEX, "1"), view="")

linear("refit(v, shape, axis)", v="refit(g, np.shape(v), axis)", sample=(_REAL, "(3, 6)", "1"), view="")
linear("refit_all(v, shape, axes)", v="refit_all(g, np.shape(v), axes)", sample=(_REAL, "(2, 6)", "(0, 1)"),
       view="v if not axes")

for _name in ("fftfreq", "rfftfreq"):  # the spacing may vary
    rule(f"np.fft.{_name}(n, d=1.0)", d="-np.sum(g * ans) / d", jvp="-ans * d_dot / d", sample=("5", "0.7"), view="")
