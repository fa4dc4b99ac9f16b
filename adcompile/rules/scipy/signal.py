"""The rows of `scipy.signal`: convolutions and correlations of any number of axes, and what is linear in a signal.

A convolution is linear in each signal. Its adjoint by one is the correlation of the full adjoint with the other; what a
mode cuts off has the adjoint 0.
"""

from __future__ import annotations

from adcompile.rules.forms import REFUSE, bilinear, constant, linear, opaque, rule

_S = "scipy.signal."
_LONG, _SHORT = "rng.normal(size=(4, 5))", "rng.normal(size=(2, 3))"
_REAL = "x.ndim >= 1 and x.dtype.kind in 'fc' and y.dtype.kind in 'fc'"
_FULL = "refill(g, np.shape(x), np.shape(y), mode)"

for _name, _given in (("convolve", "mode='full', method='auto'"), ("fftconvolve", "mode='full'"),
                      ("oaconvolve", "mode='full'"), ("convolve2d", "mode='full'")):
    for _mode in ("full", "same", "valid"):
        _whole = "g" if _mode == "full" else _FULL
        _correlate = f"{_S}correlate2d" if _name == "convolve2d" else f"{_S}correlate"
        bilinear(f"{_S}{_name}(x, y, {_given})", x=f"{_correlate}({_whole}, y, 'valid')",
                 y=f"{_correlate}({_whole}, x, 'valid')", when=f"mode == '{_mode}' and {_REAL}",
                 sample=(_LONG, _SHORT, f"'{_mode}'"))
for _name in ("fftconvolve", "oaconvolve"):
    for _mode in ("full", "same", "valid"):
        _whole = "g" if _mode == "full" else "refill(g, np.shape(x), np.shape(y), mode, False, axes)"
        _back = f"unbroadcast({_S}fftconvolve({_whole}, np.flip({{0}}, axes), 'valid', axes), np.shape({{1}}))"
        for _kinds, _plus, _of in (("", "", "{}"), (" and (x.dtype.kind == 'c' or y.dtype.kind == 'c')", " + 1j",
                                                    "np.conj({})")):
            bilinear(f"{_S}{_name}(x, y, mode='full', axes=None)", x=_back.format(_of.format("y"), "x"),
                     y=_back.format(_of.format("x"), "y"),
                     when=f"mode == '{_mode}' and axes is not None and {_REAL}{_kinds}",
                     sample=(f"rng.normal(size=(3, 5)){_plus}", f"rng.normal(size=(1, 3)){_plus}", f"'{_mode}'", "1"))
for _name, _given in (("correlate", "mode='full', method='auto'"), ("correlate2d", "mode='full'")):
    for _mode in ("full", "same", "valid"):
        _whole = "g" if _mode == "full" else _FULL
        if "2d" in _name and _mode == "same":  # of an even difference it keeps the later middle
            _whole = _FULL.replace("mode)", "mode, True)")
        _convolve, _correlate = (f"{_S}convolve2d", f"{_S}correlate2d") if "2d" in _name else (
            f"{_S}convolve", f"{_S}correlate")
        bilinear(f"{_S}{_name}(x, y, {_given})", x=f"{_convolve}({_whole}, y, 'valid')",
                 y=f"np.flip(np.conj({_correlate}({_whole}, x, 'valid')))", when=f"mode == '{_mode}' and {_REAL}",
                 sample=(_LONG, _SHORT, f"'{_mode}'"))
# What is taken away is a projection, which is its own transpose.
linear(f"{_S}detrend(x, axis=-1, type='linear', bp=0)", x=f"{_S}detrend(g, axis, type, bp)", when="x.ndim >= 1",
       sample=(_LONG, "0"))
# The analytic signal of a real one: the imaginary part is the Hilbert transform, which is its own transpose but for the
# sign.
linear(f"{_S}hilbert(x, N=None, axis=-1)", x=f"np.real(g) - np.imag({_S}hilbert(np.imag(g), axis=axis))",
       when="N is None and x.ndim >= 1", sample=(_LONG, "None", "0"), view="")

# ------------------------------------------------------------------ filters that run along an axis: with A y = B x, the
# transpose runs back from the end

_COEFFICIENTS = REFUSE("no rule for the coefficients of this filter; `scipy.signal.lfilter` has one")
_BACK = f"np.flip({_S}lfilter({{}}, a, np.flip(g, axis), axis), axis)"
_ONE = _BACK.format("np.ones(1, np.result_type(g))")
rule(f"{_S}lfilter(b, a, x, axis=-1)", when="x.ndim >= 1", x=_BACK.format("b"),
     b=f"np.reshape(lagged_sums({_ONE}, x, np.size(b), axis), np.shape(b))",
     a=f"-np.reshape(lagged_sums({_ONE}, ans, np.size(a), axis), np.shape(a))",
     jvp=f"{_S}lfilter(b, a, x_dot, axis) + {_S}lfilter(b_dot, a, x, axis) - {_S}lfilter(a_dot, a, ans, axis)",
     sample=("rng.normal(size=3)", "np.array([1.5, -0.4, 0.2])", "rng.normal(size=(3, 7))", "1"))
linear(f"{_S}sosfilt(sos, x, axis=-1)", x=f"np.flip({_S}sosfilt(sos, np.flip(g, axis), axis), axis)", sos=_COEFFICIENTS,
       when="x.ndim >= 1", sample=(f"{_S}butter(4, 0.3, output='sos')", "rng.normal(size=(2, 9))", "1"), view="")
_ENDS = "axis, padtype, edge_length({}, padtype, padlen)"
linear(f"{_S}filtfilt(b, a, x, axis=-1, padtype='odd', padlen=None)", b=_COEFFICIENTS, a=_COEFFICIENTS,
       x=f"two_way_transpose(g, {_S}lfilter, (b, a), {_S}lfilter_zi(b, a), "
         f"{_ENDS.format('3 * max(np.size(a), np.size(b))')})",
       when="x.ndim >= 1", sample=("np.array([0.2, 0.3])", "np.array([1.0, -0.5])", "rng.normal(size=(2, 9))"), view="")
linear(f"{_S}sosfiltfilt(sos, x, axis=-1, padtype='odd', padlen=None)", sos=_COEFFICIENTS,
       x=f"two_way_transpose(g, {_S}sosfilt, (sos,), {_S}sosfilt_zi(sos), "
         f"{_ENDS.format('3 * (2 * len(sos) + 1 - min(np.sum(sos[:, 2] == 0), np.sum(sos[:, 5] == 0)))')})",
       when="x.ndim >= 1", sample=(f"{_S}butter(2, 0.3, output='sos')", "rng.normal(size=(2, 15))"), view="")
_FIT = "window_length, polyorder, deriv, delta"
_SAVGOL = f"{_S}savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode='interp', cval=0.0)"
rule(_SAVGOL, when="mode == 'interp' and x.ndim >= 1",
     x=f"savgol_transpose(g, {_S}savgol_coeffs({_FIT}), {_S}savgol_filter(np.eye(window_length), {_FIT}, 0), axis)",
     jvp=f"{_S}savgol_filter(x_dot, {_FIT}, axis)", sample=("rng.normal(size=(2, 9))", "5", "2"))
rule(_SAVGOL, when="mode != 'interp' and x.ndim >= 1",
     x=f"filter_transpose(g, [at_axis({_S}savgol_coeffs({_FIT})[::-1], None, np.ndim(x), axis)], mode,"
       " mirrored(0, (window_length,))[0])",
     jvp=f"{_S}savgol_filter(x_dot, {_FIT}, axis, mode)",
     sample=("rng.normal(size=(2, 9))", "5", "2", "0", "1.0", "-1", "'wrap'"))

# The transpose of resampling by a ratio is resampling by its reciprocal, with the same filter, which is symmetric.
linear(f"{_S}resample_poly(x, up, down, axis=0, window=('kaiser', 5.0))",
       x=f"np.take({_S}resample_poly(g, down, up, axis, window), np.arange(np.shape(x)[axis]), axis) * (up / down)",
       when="x.ndim >= 1 and isinstance(window, (tuple, str))", sample=("rng.normal(size=(2, 9))", "3", "2", "1"))

# --------------------------------------------------------------------------------------------- what the texts call

linear("refill(v, x_shape, y_shape, mode, later=False, axes=None)",
       v="refill_vjp(g, np.shape(v), x_shape, y_shape, mode, later, axes)", view="",
       sample=("rng.normal(size=(3, 4))", "(3, 4)", "(2, 3)", "'same'"))
linear("refill_vjp(v, shape, x_shape, y_shape, mode, later, axes=None)", view="",
       v="refill(g, x_shape, y_shape, mode, later, axes)",
       sample=("rng.normal(size=(4, 6))", "(3, 4)", "(3, 4)", "(2, 3)", "'same'", "False"))
linear("two_way_transpose(v, run, coefficients, start, axis, padtype, edge)", when="len(coefficients) == 2",
       v=f"{_S}filtfilt(*coefficients, g, axis, padtype, edge)", view="",
       sample=("rng.normal(size=(2, 9))", f"{_S}lfilter", "([0.2, 0.3], [1.0, -0.5])",
               f"{_S}lfilter_zi([0.2, 0.3], [1.0, -0.5])", "-1", "'odd'", "3"))
linear("two_way_transpose(v, run, coefficients, start, axis, padtype, edge)", when="len(coefficients) == 1",
       v=f"{_S}sosfiltfilt(*coefficients, g, axis, padtype, edge)", view="",
       sample=("rng.normal(size=(2, 15))", f"{_S}sosfilt", f"({_S}butter(2, 0.3, output='sos'),)",
               f"{_S}sosfilt_zi({_S}butter(2, 0.3, output='sos'))", "-1", "'odd'", "3"))
rule("lagged_sums(v, x, count, axis)", v=f"{_S}lfilter(g, np.ones(1, np.result_type(g)), x, axis)",
     x=f"np.flip({_S}lfilter(g, np.ones(1, np.result_type(g)), np.flip(v, axis), axis), axis)",
     jvp="lagged_sums(v_dot, x, count, axis) + lagged_sums(v, x_dot, count, axis)",
     sample=("rng.normal(size=(2, 5))", "rng.normal(size=(2, 5))", "3", "1"))
linear("savgol_transpose(v, weights, fit, axis)", v="savgol_filtered(g, weights, fit, axis)",
       sample=("rng.normal(size=(2, 9))", f"{_S}savgol_coeffs(5, 2)", f"{_S}savgol_filter(np.eye(5), 5, 2, 0, 1.0, 0)",
               "1"), view="")
linear("savgol_filtered(v, weights, fit, axis)", v="savgol_transpose(g, weights, fit, axis)",
       sample=("rng.normal(size=(2, 9))", f"{_S}savgol_coeffs(5, 2)", f"{_S}savgol_filter(np.eye(5), 5, 2, 0, 1.0, 0)",
               "1"), view="")
constant("edge_length", "first_of", "second_of", "third_of", view="")
opaque("it belongs to coefficients that are held fixed", f"{_S}lfilter_zi", f"{_S}sosfilt_zi",
       "states_of", f"{_S}savgol_coeffs")
