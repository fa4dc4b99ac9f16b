"""Spectra of signals, and what else of `scipy.signal` others are put together to: see `prelude.py`.

SciPy's own value is kept to the last bit; its derivative is that of the functions here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import expm, hankel
from scipy.ndimage import median_filter
from scipy.signal import cheby1, convolve2d, correlate2d, get_window, lfilter, sosfilt, sosfiltfilt
from scipy.signal import detrend as without_trend

from adcompile.analyses.readings.prelude import exactly
from adcompile.ir.indices import literal_key
from adcompile.ir.kinds import Array, Struct
from adcompile.runtime.cuts import as_like, unread
from adcompile.runtime.scipy.filters import first_of, second_of, states_of, third_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcompile.analyses.readings.prelude import Keywords
    from adcompile.ir.nodes import Expr

_LEAST = 1e-10  # a weight by which SciPy divides


def windowed_spectra(x: Any, window: Any, step: Any, nfft: Any, detrend: Any) -> Any:
    """The transforms of the windowed pieces of a signal, which begin `step` apart."""
    count = len(window)
    places = np.arange(0, np.shape(x)[-1] - count + 1, step)[:, None] + np.arange(count)
    parts = x[..., places]
    if detrend == "constant":
        return np.fft.rfft((parts - np.mean(parts, axis=-1, keepdims=True)) * window, nfft)
    if detrend == "linear":
        return np.fft.rfft(without_trend(parts, -1, "linear") * window, nfft)
    return np.fft.rfft(parts * window, nfft)


def mean_product(x: Any, y: Any, fs: Any, window: Any, step: Any, nfft: Any, detrend: Any, scaling: Any) -> Any:
    """The mean over the pieces of the product of two signals' spectra, where both signs of a frequency count as one."""
    first, second = windowed_spectra(x, window, step, nfft, detrend), windowed_spectra(y, window, step, nfft, detrend)
    total = np.sum(window) ** 2 if scaling == "spectrum" else fs * np.sum(window * window)
    return np.mean(np.conj(first) * second, axis=-2) * times_counted(nfft) / total


def times_counted(nfft: Any) -> Any:
    """How often each frequency counts where both signs of one count as one."""
    twice = np.full(nfft // 2 + 1, 2.0)
    twice[0] = 1.0
    if nfft % 2 == 0:
        twice[-1] = 1.0
    return twice


def with_both_signs(density: Any, size: Any) -> Any:
    """A density over positive frequencies as one over those of both signs."""
    half = density / times_counted(size)
    return np.concatenate((half, np.conj(half[..., 1 : (size + 1) // 2])[..., ::-1]), axis=-1)


def sizes(length: Any, nperseg: Any, noverlap: Any, nfft: Any) -> Any:
    """The length of a piece, how far the next one begins, and the length of its transform."""
    count = min(256 if nperseg is None else nperseg, length)
    return count, count - (count // 2 if noverlap is None else noverlap), count if nfft is None else nfft


def power_density(
    function: Any, x: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
    nfft: Any = None, detrend: Any = "constant", return_onesided: Any = True, scaling: Any = "density", axis: Any = -1,
    average: Any = "mean",
) -> Any:
    """`scipy.signal.welch` of a real signal."""
    if average != "mean":
        return unread("`welch` with the median of the pieces", "Take the mean, or write it with `np.fft.rfft`.")
    moved = np.moveaxis(x, axis, -1)
    count, step, size = sizes(np.shape(moved)[-1], nperseg, noverlap, nfft)
    win = get_window(window, count)
    power = np.real(mean_product(moved, moved, fs, win, step, size, detrend, scaling))
    given = x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis
    if not return_onesided:
        power = np.moveaxis(with_both_signs(power, size), -1, axis)
        return np.fft.fftfreq(size, 1 / fs), exactly(power, second_of, function, *given)
    return np.fft.rfftfreq(size, 1 / fs), exactly(np.moveaxis(power, -1, axis), second_of, function, *given)


def cross_density(
    function: Any, x: Any, y: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
    nfft: Any = None, detrend: Any = "constant", return_onesided: Any = True, scaling: Any = "density", axis: Any = -1,
    average: Any = "mean",
) -> Any:
    """`scipy.signal.csd` of real signals."""
    if average != "mean":
        return unread("`csd` with the median of the pieces", "Take the mean, or write it with `np.fft.rfft`.")
    first, second = np.moveaxis(x, axis, -1), np.moveaxis(y, axis, -1)
    count, step, size = sizes(np.shape(first)[-1], nperseg, noverlap, nfft)
    win = get_window(window, count)
    density = mean_product(first, second, fs, win, step, size, detrend, scaling)
    given = x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis
    if not return_onesided:
        density = np.moveaxis(with_both_signs(density, size), -1, axis)
        return np.fft.fftfreq(size, 1 / fs), exactly(density, second_of, function, *given)
    return np.fft.rfftfreq(size, 1 / fs), exactly(np.moveaxis(density, -1, axis), second_of, function, *given)


def coherence_of(
    function: Any, x: Any, y: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
    nfft: Any = None, detrend: Any = "constant", axis: Any = -1,
) -> Any:
    """`scipy.signal.coherence` of real signals."""
    first, second = np.moveaxis(x, axis, -1), np.moveaxis(y, axis, -1)
    count, step, size = sizes(np.shape(first)[-1], nperseg, noverlap, nfft)
    win = get_window(window, count)
    both = mean_product(first, second, fs, win, step, size, detrend, "density")
    one = np.real(mean_product(first, first, fs, win, step, size, detrend, "density"))
    other = np.real(mean_product(second, second, fs, win, step, size, detrend, "density"))
    found = np.moveaxis(np.abs(both) ** 2 / one / other, -1, axis)
    given = x, y, fs, window, nperseg, noverlap, nfft, detrend, axis
    return np.fft.rfftfreq(size, 1 / fs), exactly(found, second_of, function, *given)


def whole_density(
    function: Any, x: Any, fs: Any = 1.0, window: Any = "boxcar", nfft: Any = None, detrend: Any = "constant",
    return_onesided: Any = True, scaling: Any = "density", axis: Any = -1,
) -> Any:
    """`scipy.signal.periodogram` of a real signal."""
    moved = np.moveaxis(x, axis, -1)
    count = np.shape(moved)[-1]
    size = count if nfft is None else nfft
    win = get_window(window, count)
    power = np.real(mean_product(moved, moved, fs, win, count, size, detrend, scaling))
    given = x, fs, window, nfft, detrend, return_onesided, scaling, axis
    if not return_onesided:
        power = np.moveaxis(with_both_signs(power, size), -1, axis)
        return np.fft.fftfreq(size, 1 / fs), exactly(power, second_of, function, *given)
    return np.fft.rfftfreq(size, 1 / fs), exactly(np.moveaxis(power, -1, axis), second_of, function, *given)


def density_in_time(
    function: Any, x: Any, fs: Any = 1.0, window: Any = ("tukey", 0.25), nperseg: Any = None, noverlap: Any = None,
    nfft: Any = None, detrend: Any = "constant", return_onesided: Any = True, scaling: Any = "density",
) -> Any:
    """`scipy.signal.spectrogram` of a real signal of one axis: its density in each piece."""
    count = min(256 if nperseg is None else nperseg, len(x))
    overlap = count // 8 if noverlap is None else noverlap
    size = count if nfft is None else nfft
    win = get_window(window, count)
    spectra = windowed_spectra(x, win, count - overlap, size, detrend)
    total = np.sum(win) ** 2 if scaling == "spectrum" else fs * np.sum(win * win)
    power = np.real(np.conj(spectra) * spectra) * times_counted(size) / total
    times = np.arange(count / 2, len(x) - count / 2 + 1, count - overlap) / fs
    given = x, fs, window, count, overlap, nfft, detrend, return_onesided, scaling
    if not return_onesided:
        power = with_both_signs(power, size)
        return np.fft.fftfreq(size, 1 / fs), times, exactly(power.T, third_of, function, *given)
    return np.fft.rfftfreq(size, 1 / fs), times, exactly(power.T, third_of, function, *given)


def short_spectra(
    function: Any, x: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = 256, noverlap: Any = None,
    nfft: Any = None,
) -> Any:
    """`scipy.signal.stft` of a real signal of one axis."""
    count, step, size = sizes(len(x), nperseg, noverlap, nfft)
    win = get_window(window, count)
    margin = np.zeros(count // 2)
    wide = np.concatenate((margin, x, margin))
    wide = np.concatenate((wide, np.zeros((-(len(wide) - count) % step) % count)))
    found = windowed_spectra(wide, win, step, size, "none") / np.sum(win)
    times = np.arange(count / 2, len(wide) - count / 2 + 1, step) / fs - count / 2 / fs
    given = x, fs, window, nperseg, noverlap, nfft
    return np.fft.rfftfreq(size, 1 / fs), times, exactly(found.T, third_of, function, *given)


def from_short_spectra(
    function: Any, Zxx: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,  # noqa: N803
    nfft: Any = None,
) -> Any:
    """`scipy.signal.istft` to a real signal of one axis."""
    usual = 2 * (np.shape(Zxx)[0] - 1)
    count = usual if nperseg is None else nperseg
    size = (count if count == usual + 1 else usual) if nfft is None else nfft
    step = count - (count // 2 if noverlap is None else noverlap)
    win = get_window(window, count)
    parts = np.fft.irfft(Zxx, size, axis=0)[:count] * np.sum(win)
    x = np.zeros(count + (np.shape(Zxx)[1] - 1) * step)
    norm = np.zeros(len(x))
    for k in range(np.shape(Zxx)[1]):
        x[k * step : k * step + count] += parts[:, k] * win
        norm[k * step : k * step + count] += win**2
    half = count // 2
    inner, weight = x[half : len(x) - half], norm[half : len(x) - half]
    signal = inner / np.where(weight > _LEAST, weight, 1.0)
    given = Zxx, fs, window, nperseg, noverlap, nfft
    return np.arange(len(signal)) / fs, exactly(signal, second_of, function, *given)


def resampled(function: Any, x: Any, num: Any, t: Any = None, axis: Any = 0, window: Any = None) -> Any:
    """`scipy.signal.resample` of a real signal."""
    if t is not None or window is not None:
        return unread("`resample` with times or a window", "Leave these out, or write it with `np.fft.rfft`.")
    moved = np.moveaxis(x, axis, -1)
    length = np.shape(moved)[-1]
    spectrum = np.fft.rfft(moved)
    kept = min(length, num)
    half = kept // 2 + 1
    weights = np.ones(half)
    if kept % 2 == 0 and num != length:
        weights[-1] = 2.0 if num < length else 0.5
    part = spectrum[..., :half] * weights
    rest = np.zeros((*np.shape(part)[:-1], num // 2 + 1 - half))
    made = np.fft.irfft(np.concatenate((part, rest), axis=-1), num) * (num / length)
    return exactly(np.moveaxis(made, -1, axis), function, x, num, None, axis)


def run_from(b: Any, a: Any, signal: Any, first: Any) -> Any:
    """A filter along the last axis from a state, which runs through the poles alone, and the state that it ends in."""
    order, length = np.shape(first)[-1], np.shape(signal)[-1]
    rest = np.zeros(order + 1)
    above = np.concatenate((np.atleast_1d(b), rest))[: order + 1] / np.atleast_1d(a)[0]
    below = np.concatenate((np.atleast_1d(a), rest))[: order + 1] / np.atleast_1d(a)[0]
    later = np.concatenate((first, np.zeros_like(signal)), axis=-1)
    y = lfilter(above, below, signal) + lfilter([1.0], below, later[..., :length])
    lasts = np.concatenate((signal[..., ::-1], np.zeros_like(first)), axis=-1)[..., :order]
    answers = np.concatenate((y[..., ::-1], np.zeros_like(first)), axis=-1)[..., :order]
    return y, lasts @ hankel(above[1:]) - answers @ hankel(below[1:]) + later[..., length:]


def filtered_from(function: Any, b: Any, a: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    """`scipy.signal.lfilter` from a state."""
    y, state = run_from(b, a, np.moveaxis(np.asarray(x), axis, -1), np.moveaxis(np.asarray(zi), axis, -1))
    made, last = np.moveaxis(y, -1, axis), np.moveaxis(state, -1, axis)
    given = b, a, x, axis, zi
    return exactly(made, first_of, function, *given), exactly(last, second_of, function, *given)


def sections_from(function: Any, sos: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    """`scipy.signal.sosfilt` from a state: one filter behind the other."""
    sections, firsts = np.asarray(sos), np.asarray(zi)
    y = np.moveaxis(np.asarray(x), axis, -1)
    states = []
    for k in range(len(sections)):
        y, state = run_from(sections[k, :3], sections[k, 3:], y, np.moveaxis(firsts[k], axis, -1))
        states.append(np.moveaxis(state, -1, axis))
    given = sos, x, axis, zi
    made = exactly(np.moveaxis(y, -1, axis), first_of, function, *given)
    return made, exactly(np.stack(states), second_of, function, *given)


def first_states(function: Any, sos: Any) -> Any:
    """`scipy.signal.sosfilt_zi`, of coefficients that are held fixed."""
    return as_like(states_of(function, sos), np.zeros((1, 2)))


def spread_filtered(function: Any, h: Any, x: Any, up: Any = 1, down: Any = 1, axis: Any = -1) -> Any:
    """`scipy.signal.upfirdn`: zeros between, a filter, and every so many of what that gives."""
    signal, weights = np.moveaxis(np.asarray(x), axis, -1), np.asarray(h)
    count = (np.shape(signal)[-1] - 1) * up + 1
    spread = np.zeros((*np.shape(signal)[:-1], count + np.size(h) - 1), dtype=signal.dtype)
    spread[..., :count:up] = signal
    made = lfilter(weights, [1.0], spread)[..., ::down]
    return exactly(np.moveaxis(made, -1, axis), function, h, x, up, down, axis)


def every_so_many(function: Any, x: Any, q: Any, n: Any = None, ftype: Any = "iir", axis: Any = -1,
                  zero_phase: Any = True) -> Any:
    """`scipy.signal.decimate`."""
    if ftype != "iir":
        return unread("`decimate` by a filter that is not 'iir'", "Write `resample_poly(x, 1, q)`.")
    sos = cheby1(8 if n is None else n, 0.05, 0.8 / q, output="sos")
    smooth = sosfiltfilt(sos, x, axis) if zero_phase else sosfilt(sos, x, axis)
    made = np.moveaxis(np.moveaxis(smooth, axis, 0)[::q], 0, axis)
    return exactly(made, function, x, q, n, ftype, axis, zero_phase)


def medians_around(function: Any, volume: Any, kernel_size: Any = 3) -> Any:
    """`scipy.signal.medfilt`: beyond the ends there are zeros."""
    made = median_filter(np.asarray(volume), kernel_size, mode="constant", cval=0.0)
    return exactly(made, function, volume, kernel_size)


def system_answered(function: Any, system: Any, U: Any, T: Any, X0: Any = None, interp: Any = True) -> Any:  # noqa: N803
    """`scipy.signal.lsim` of a system by its four matrices: a step is linear in the state and in the input."""
    a, b, c, d = system
    size, count, step = len(a), np.shape(b)[1], T[1] - T[0]
    given = np.reshape(U, (len(T), -1))
    whole = np.zeros((size + 2 * count, size + 2 * count))
    whole[:size, :size] = a * step
    whole[:size, size : size + count] = b * step
    whole[size : size + count, size + count :] = np.identity(count)
    moved = expm(whole.T)
    by_state, by_end = moved[:size, :size], moved[size + count :, :size]
    by_start = moved[size : size + count, :size]
    if interp:
        by_start = by_start - by_end
    state = (np.zeros(size) if X0 is None else np.asarray(X0)) @ expm(a.T * T[0])
    path = [state]
    for k in range(1, len(T)):
        state = state @ by_state + given[k - 1] @ by_start
        if interp:
            state = state + given[k] @ by_end
        path.append(state)
    states = np.stack(path)
    y = np.squeeze(states @ c.T + given @ d.T)
    rest = system, U, T, X0, interp
    return T, exactly(y, second_of, function, *rest), exactly(np.squeeze(states), third_of, function, *rest)


def response(function: Any, b: Any, a: Any = 1, worN: Any = 512, whole: Any = False, fs: Any = 2 * np.pi) -> Any:  # noqa: N803
    """`scipy.signal.freqz`: two polynomials in what turns with the frequency."""
    w = 2.0 * np.pi * np.asarray(worN) / fs if np.ndim(worN) else np.arange(worN) * ((2 if whole else 1) * np.pi / worN)
    above, below = np.atleast_1d(b), np.atleast_1d(a)
    turns = np.exp(-1j * np.multiply.outer(w, np.arange(max(len(above), len(below)))))
    made = (turns[:, : len(above)] @ above) / (turns[:, : len(below)] @ below)
    return w * (fs / (2.0 * np.pi)), exactly(made, second_of, function, b, a, worN, whole, None, fs)


def going_on(x: Any, rows: Any, columns: Any, boundary: Any, fillvalue: Any) -> Any:
    """An image with so many rows and columns more at each end."""
    widths = ((rows, rows), (columns, columns))
    if boundary == "wrap":
        return np.pad(x, widths, mode="wrap")
    if boundary == "symm":
        return np.pad(x, widths, mode="symmetric")
    return np.pad(x, widths, constant_values=fillvalue)


def convolved_beyond(
    function: Any, in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0
) -> Any:
    """`scipy.signal.convolve2d` of an image that goes on in some way beyond its borders."""
    if mode == "valid":
        return convolve2d(in1, in2, "valid")
    rows, columns = np.shape(in2)[0] - 1, np.shape(in2)[1] - 1
    made = convolve2d(going_on(np.asarray(in1), rows, columns, boundary, fillvalue), in2, "valid")
    if mode == "same":
        made = made[rows // 2 : rows // 2 + np.shape(in1)[0], columns // 2 : columns // 2 + np.shape(in1)[1]]
    return exactly(made, function, in1, in2, mode, boundary, fillvalue)


def correlated_beyond(
    function: Any, in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0
) -> Any:
    """`scipy.signal.correlate2d` of the same."""
    if mode == "valid":
        return correlate2d(in1, in2, "valid")
    rows, columns = np.shape(in2)[0] - 1, np.shape(in2)[1] - 1
    made = correlate2d(going_on(np.asarray(in1), rows, columns, boundary, fillvalue), in2, "valid")
    if mode == "same":
        top, left = (rows + 1) // 2, (columns + 1) // 2
        made = made[top : top + np.shape(in1)[0], left : left + np.shape(in1)[1]]
    return exactly(made, function, in1, in2, mode, boundary, fillvalue)


READ_FOR: dict[str, Any] = {
    "convolve2d": convolved_beyond, "correlate2d": correlated_beyond,
    "welch": power_density, "csd": cross_density, "coherence": coherence_of, "periodogram": whole_density,
    "stft": short_spectra, "istft": from_short_spectra, "resample": resampled,
    "spectrogram": density_in_time, "lfilter": filtered_from, "sosfilt": sections_from, "upfirdn": spread_filtered,
    "sosfilt_zi": first_states,
    "decimate": every_so_many, "lsim": system_answered, "freqz": response,
    "medfilt": medians_around, "medfilt2d": medians_around,
}
ONLY_WITH: dict[str, tuple[int, str]] = {"lfilter": (4, "zi"), "sosfilt": (3, "zi")}


def _has_matrices(args: Sequence[Expr], *_: Any) -> bool:
    """Whether a system is given by its four matrices."""
    kind = args[0].kind
    return isinstance(kind, Struct) and [isinstance(k, Array) and k.rank == 2 for k in kind.items] == [True] * 4


def _goes_on(args: Sequence[Expr], keywords: Keywords) -> bool:
    """Whether an image goes on in some way beyond its borders, other than by zeros."""
    words = dict(zip(("boundary", "fillvalue"), args[3:], strict=False)) | dict(keywords)
    return "fillvalue" in words or ("boundary" in words and literal_key(words["boundary"]) != (True, "fill"))


FITS: dict[str, Any] = {"lsim": _has_matrices, "convolve2d": _goes_on, "correlate2d": _goes_on}
METHODS_OF: dict[str, type] = {}
