"""The rows of `scipy.signal`: convolutions and correlations of any number of axes, and what is linear in a signal.

A convolution is linear in each signal. Its adjoint by one is the correlation of the full adjoint with the other; what a
mode cuts off has the adjoint 0.
"""

from __future__ import annotations

from adcompile.rules.forms import bilinear, linear

_S = "scipy.signal."
_LONG, _SHORT = "rng.normal(size=(4, 5))", "rng.normal(size=(2, 3))"
_REAL = "x.ndim >= 1"
_FULL = "refill(g, np.shape(x), np.shape(y), mode)"

for _name, _given in (("convolve", "mode='full', method='auto'"), ("fftconvolve", "mode='full'"),
                      ("oaconvolve", "mode='full'"), ("convolve2d", "mode='full'")):
    for _mode in ("full", "same", "valid"):
        _whole = "g" if _mode == "full" else _FULL
        _correlate = f"{_S}correlate2d" if _name == "convolve2d" else f"{_S}correlate"
        bilinear(f"{_S}{_name}(x, y, {_given})", x=f"{_correlate}({_whole}, y, 'valid')",
                 y=f"{_correlate}({_whole}, x, 'valid')", when=f"mode == '{_mode}' and {_REAL}",
                 sample=(_LONG, _SHORT, f"'{_mode}'"))
for _name, _given in (("correlate", "mode='full', method='auto'"), ("correlate2d", "mode='full'")):
    for _mode in ("full", "same", "valid"):
        _whole = "g" if _mode == "full" else _FULL
        if "2d" in _name and _mode == "same":  # of an even difference it keeps the later middle
            _whole = _FULL.replace("mode)", "mode, True)")
        _convolve, _correlate = (f"{_S}convolve2d", f"{_S}correlate2d") if "2d" in _name else (
            f"{_S}convolve", f"{_S}correlate")
        bilinear(f"{_S}{_name}(x, y, {_given})", x=f"{_convolve}({_whole}, y, 'valid')",
                 y=f"np.flip({_correlate}({_whole}, x, 'valid'))", when=f"mode == '{_mode}' and {_REAL}",
                 sample=(_LONG, _SHORT, f"'{_mode}'"))
# What is taken away is a projection, which is its own transpose.
linear(f"{_S}detrend(x, axis=-1, type='linear', bp=0)", x=f"{_S}detrend(g, axis, type, bp)", when=_REAL,
       sample=(_LONG, "0"))
