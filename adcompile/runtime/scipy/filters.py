"""Filters of images and signals: functions that generated code may call. NumPy only.

The same promises as in `helpers.py`, which hands these on. A filter here is a correlation with weights, of an array
that goes on beyond its borders by a mode of `scipy.ndimage`. Its transpose spreads each value over the places that it
was made of, and folds what lies beyond the borders back to where it came from.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def beyond(n: int, before: int, after: int, mode: str) -> Any:
    """Where the items of an axis of length `n` come from that goes on beyond its ends.

    >>> beyond(3, 1, 2, "reflect"), beyond(3, 1, 2, "wrap")
    (array([0, 0, 1, 2, 2, 1]), array([2, 0, 1, 2, 0, 1]))
    """
    names = {
        "nearest": "edge",
        "mirror": "reflect",
        "wrap": "wrap",
        "grid-wrap": "wrap",
    }
    kind: Any = names.get(mode, "symmetric")
    return np.pad(np.arange(n), (before, after), mode=kind)


def for_each_axis(value: Any, rank: int) -> list[Any]:
    """A mode or an origin for each axis, where one is given for all.

    >>> for_each_axis("wrap", 2), for_each_axis((1, 0), 2)
    (['wrap', 'wrap'], [1, 0])
    """
    return [value] * rank if np.ndim(value) == 0 else list(value)


def margins(sizes: Any, origin: Any) -> list[tuple[int, int]]:
    """How far weights reach before and behind an item, along each axis.

    >>> margins((3, 2), 0)
    [(1, 1), (1, 0)]
    """
    origins = for_each_axis(origin, len(sizes))
    return [
        (n // 2 + o, n - 1 - n // 2 - o) for n, o in zip(sizes, origins, strict=True)
    ]


def extended(x: Any, sizes: Any, mode: Any, cval: float, origin: Any) -> Any:
    """The array with as much beyond its borders as weights of these sizes read.

    >>> extended(np.array([1.0, 2.0]), (3,), "mirror", 0.0, 0)
    array([2., 1., 2., 1.])
    """
    modes = for_each_axis(mode, np.ndim(x))
    for axis, (before, after) in enumerate(margins(sizes, origin)):
        if modes[axis] in ("constant", "grid-constant"):
            widths = [
                (before, after) if k == axis else (0, 0) for k in range(np.ndim(x))
            ]
            x = np.pad(x, widths, constant_values=cval)
        else:
            x = np.take(x, beyond(np.shape(x)[axis], before, after, modes[axis]), axis)
    return x


def folded(v: Any, sizes: Any, mode: Any, origin: Any) -> Any:
    """The transpose of `extended`, for `cval` 0.

    >>> folded(np.array([1.0, 2.0, 3.0, 4.0]), (3,), "mirror", 0)
    array([6., 4.])
    """
    modes = for_each_axis(mode, np.ndim(v))
    for axis, (before, after) in enumerate(margins(sizes, origin)):
        n = np.shape(v)[axis] - before - after
        moved = np.moveaxis(v, axis, 0)
        out = moved[before : before + n].copy()
        if modes[axis] not in ("constant", "grid-constant"):
            places = beyond(n, before, after, modes[axis])
            np.add.at(out, places[:before], moved[:before])
            np.add.at(out, places[before + n :], moved[before + n :])
        v = np.moveaxis(out, 0, axis)
    return v


def picked_places(
    x: Any, ans: Any, size: Any, footprint: Any, mode: Any, cval: float, origin: Any
) -> Any:
    """Where in the flat array the items lie that a rank filter found; the array's size for what is beyond the borders.

    >>> x = np.array([3.0, 1.0, 2.0])
    >>> picked_places(x, np.array([3.0, 3.0, 2.0]), 3, None, "nearest", 0.0, 0)
    array([0, 0, 2])
    """
    if footprint is None:
        footprint = np.ones(tuple(for_each_axis(size, np.ndim(x))))
    sizes = np.shape(footprint)
    places = np.reshape(np.arange(np.size(x)), np.shape(x))
    around = extended(places, sizes, mode, np.size(x), origin)
    windows = np.lib.stride_tricks.sliding_window_view(around, sizes)
    rows = np.reshape(windows, (np.size(x), -1))[:, np.ravel(footprint) != 0]
    found = np.append(np.ravel(x), cval)[rows] == np.reshape(ans, (-1, 1))
    first = np.argmax(found, axis=1)
    return np.reshape(rows[np.arange(len(rows)), first], np.shape(x))


def raised_places(
    x: Any, ans: Any, heights: Any, mode: Any, cval: float, origin: Any
) -> tuple[Any, Any]:
    """Where the items lie that a filter with heights found, as in `picked_places`, and where the heights, flat as well.

    >>> x = np.array([3.0, 1.0, 2.0])
    >>> raised_places(x, np.array([3.0, 3.5, 2.0]), np.array([0.5, 0.0, 0.0]), "nearest", 0.0, 0)
    (array([0, 0, 2]), array([1, 0, 1]))
    """
    heights = np.asarray(heights)
    places = np.reshape(np.arange(np.size(x)), np.shape(x))
    around = extended(places, heights.shape, mode, np.size(x), origin)
    windows = np.lib.stride_tricks.sliding_window_view(around, heights.shape)
    rows = np.reshape(windows, (np.size(x), -1))
    raised = np.append(np.ravel(x), cval)[rows] + np.ravel(heights)
    first = np.argmin(np.abs(raised - np.reshape(ans, (-1, 1))), axis=1)
    return np.reshape(rows[np.arange(len(rows)), first], np.shape(x)), np.reshape(
        first, np.shape(x)
    )


def turned_around(x: Any, size: Any, footprint: Any) -> Any:
    """What a flat filter looks at around an item, by its size or as it stands, turned around.

    >>> turned_around(np.zeros(3), None, [1, 1, 0]), turned_around(np.zeros(3), 2, None)
    (array([0, 1, 1]), array([1., 1.]))
    """
    if footprint is None:
        return np.ones(tuple(for_each_axis(size, np.ndim(x))))
    return np.flip(footprint)


def picked(v: Any, places: Any) -> Any:
    """The items at places of the flat array, 0 for what is beyond the borders.

    >>> picked(np.array([3.0, 1.0, 2.0]), np.array([0, 3, 2]))
    array([3., 0., 2.])
    """
    return np.append(np.ravel(v), np.zeros(1, np.result_type(v)))[places]


def picked_transpose(v: Any, places: Any, shape: Any) -> Any:
    """The transpose of `picked`.

    >>> picked_transpose(np.array([1.0, 2.0, 4.0]), np.array([0, 3, 0]), (3,))
    array([5., 0., 0.])
    """
    out = np.zeros(math.prod(shape) + 1, np.result_type(v))
    np.add.at(out, places, v)
    return np.reshape(out[:-1], shape)


def correlate_transpose(v: Any, weights: Any, mode: Any, origin: Any = 0) -> Any:
    """The transpose of `scipy.ndimage.correlate(x, weights, mode=mode, origin=origin)` by `x`.

    >>> correlate_transpose(np.array([1.0, 0.0]), np.array([1.0, 2.0, 4.0]), "nearest")
    array([3., 4.])
    """
    weights = np.asarray(weights)
    sizes = np.shape(weights)
    wide = np.zeros(
        [n + k - 1 for n, k in zip(np.shape(v), sizes, strict=True)], v.dtype
    )
    for place in np.ndindex(sizes):
        wide[
            tuple([slice(k, k + n) for k, n in zip(place, np.shape(v), strict=True)])
        ] += weights[place] * v
    return folded(wide, sizes, mode, origin)


def correlate_weights(
    v: Any, x: Any, sizes: Any, mode: Any, cval: float = 0.0, origin: Any = 0
) -> Any:
    """The transpose of `scipy.ndimage.correlate(x, weights, mode=mode, cval=cval, origin=origin)` by weights.

    >>> correlate_weights(np.array([1.0, 0.0]), np.array([1.0, 2.0]), (3,), "nearest")
    array([1., 1., 2.])
    """
    wide = extended(x, sizes, mode, cval, origin)
    windows = np.lib.stride_tricks.sliding_window_view(wide, np.shape(v))
    return np.tensordot(windows, v, np.ndim(v))


def weights_along(weights: Any, rank: int, axis: int) -> Any:
    """Weights along one axis of an array of this rank.

    >>> weights_along([1.0, 2.0], 2, 0).shape
    (2, 1)
    """
    return np.reshape(weights, [-1 if k == axis % rank else 1 for k in range(rank)])


def at_axis(value: Any, other: Any, rank: int, axis: int) -> list[Any]:
    """A value for one axis, and another one for all others.

    >>> at_axis(3, 1, 2, -1)
    [1, 3]
    """
    return [value if k == axis % rank else other for k in range(rank)]


def mirrored(origin: Any, sizes: Any) -> list[int]:
    """The origin of a correlation with weights turned around, which is a convolution with them.

    >>> mirrored(0, (3, 2))
    [0, -1]
    """
    origins = for_each_axis(origin, len(sizes))
    return [-o if n % 2 else -o - 1 for o, n in zip(origins, sizes, strict=True)]


def filter_transpose(v: Any, kernels: Any, mode: Any, origin: Any = 0) -> Any:
    """The transpose of a sum of filters, each of which correlates along one axis after another.

    `kernels` has for each filter a list of the weights along each axis; None for an axis that is left alone.

    >>> filter_transpose(np.array([1.0, 0.0]), [[np.array([1.0, 2.0, 4.0])]], "nearest")
    array([3., 4.])
    """
    return sum_of_filters(transposed_along, v, kernels, mode, origin)


def filtered(v: Any, kernels: Any, mode: Any, origin: Any = 0) -> Any:
    """The transpose of `filter_transpose`: the sum of filters itself, with zeros for what is constant beyond.

    >>> filtered(np.array([3.0, 4.0]), [[np.array([1.0, 2.0, 4.0])]], "nearest")
    array([25., 27.])
    """
    return sum_of_filters(correlated_along, v, kernels, mode, origin)


def sum_of_filters(along: Any, v: Any, kernels: Any, mode: Any, origin: Any) -> Any:
    """The sum of what filters make of an array, each of which goes along one axis after another by `along`."""
    rank = np.ndim(v)
    modes, origins = for_each_axis(mode, rank), for_each_axis(origin, rank)
    total = np.zeros_like(v)
    for kernel in kernels:
        part = v
        for axis in range(rank):
            if kernel[axis] is not None:
                part = along(part, kernel[axis], axis, modes[axis], origins[axis])
        total = total + part
    return total


def transposed_along(v: Any, weights: Any, axis: int, mode: str, origin: int) -> Any:
    """The transpose of a correlation with weights along one axis."""
    rank = np.ndim(v)
    shift = at_axis(origin, 0, rank, axis)
    return correlate_transpose(v, weights_along(weights, rank, axis), mode, shift)


def correlated_along(v: Any, weights: Any, axis: int, mode: str, origin: int) -> Any:
    """A correlation with weights along one axis."""
    rank = np.ndim(v)
    sizes, shift = at_axis(len(weights), 1, rank, axis), at_axis(origin, 0, rank, axis)
    wide = extended(v, sizes, mode, 0.0, shift)
    windows = np.lib.stride_tricks.sliding_window_view(wide, len(weights), axis)
    return np.asarray(windows @ np.asarray(weights), v.dtype)


def gaussian_kernels(
    rank: int, sigma: Any, order: Any = 0, truncate: float = 4.0, radius: Any = None
) -> Any:
    """What `scipy.ndimage.gaussian_filter` correlates with along each axis: derivatives of the normal density.

    >>> gaussian_kernels(1, 1.0, 0, 1.0)[0][0].round(3)
    array([0.274, 0.452, 0.274])
    """
    kernels: list[Any] = []
    for s, n, reach in zip(
        np.broadcast_to(sigma, (rank,)),
        np.broadcast_to(order, (rank,)),
        [None] * rank if radius is None else np.broadcast_to(radius, (rank,)),
        strict=True,
    ):
        last = int(truncate * float(s) + 0.5) if reach is None else int(reach)
        steps = np.arange(-last, last + 1) / max(float(s), 1e-300)
        density = np.exp(-0.5 * steps**2)
        slopes = np.polynomial.hermite_e.hermeval(steps, [0.0] * int(n) + [1.0])
        kernels.append(
            slopes * density / density.sum() / float(s) ** int(n) if s > 0 else None
        )
    return [kernels]


def box_kernels(rank: int, size: Any) -> Any:
    """What `scipy.ndimage.uniform_filter` correlates with along each axis.

    >>> box_kernels(1, 2)
    [[array([0.5, 0.5])]]
    """
    return [
        [np.full(n, 1.0 / n) if n > 1 else None for n in np.broadcast_to(size, (rank,))]
    ]


def edge_kernels(rank: int, axis: int, middle: float) -> Any:
    """What `scipy.ndimage.sobel` (middle 2) and `prewitt` (1) correlate with along each axis.

    >>> edge_kernels(1, -1, 2.0)
    [[array([-1.,  0.,  1.])]]
    """
    across, along = np.array([1.0, middle, 1.0]), np.array([-1.0, 0.0, 1.0])
    return [at_axis(along, across, rank, axis)]


def bend_kernels(rank: int, sigma: Any = None, truncate: float = 4.0) -> Any:
    """What `scipy.ndimage.laplace` correlates with, or `gaussian_laplace` where there is a `sigma`.

    >>> bend_kernels(1)
    [[array([ 1., -2.,  1.])]]
    """
    if sigma is None:
        second = np.array([1.0, -2.0, 1.0])
        return [at_axis(second, None, rank, axis) for axis in range(rank)]
    orders = [at_axis(2, 0, rank, axis) for axis in range(rank)]
    return [gaussian_kernels(rank, sigma, order, truncate)[0] for order in orders]


def of_labels(v: Any, labels: Any, index: Any) -> Any:
    """The transpose of `scipy.ndimage.sum(x, labels, index)`.

    >>> of_labels(np.array([1.0, 2.0]), np.array([5, 0, 6, 5]), [5, 6])
    array([1., 0., 2., 1.])
    """
    out = np.zeros(np.shape(labels), np.result_type(v))
    for value, label in zip(np.ravel(v), np.ravel(index), strict=True):
        out[np.asarray(labels) == label] += value
    return out


# -------------------------------------------------------------------------------------------------- along one axis


def lagged_sums(v: Any, x: Any, count: int, axis: int) -> Any:
    """The sums of `v` times `x` as it was `k` steps before, for `k` below `count`.

    >>> lagged_sums(np.array([1.0, 10.0]), np.array([2.0, 3.0]), 2, -1)
    array([32., 20.])
    """
    v, x = np.moveaxis(v, axis, -1), np.moveaxis(x, axis, -1)
    n = np.shape(x)[-1]
    return np.array(
        [np.sum(v[..., k:] * x[..., : max(n - k, 0)]) for k in range(count)], v.dtype
    )


def two_way_transpose(
    v: Any,
    run: Any,
    coefficients: Any,
    start: Any,
    axis: int,
    padtype: str | None,
    edge: int,
) -> Any:
    """The transpose of `scipy.signal.filtfilt` and `sosfiltfilt`, which run a filter forth and back.

    `run` is the filter, `start` its state after a long time of ones, `edge` the number of items put at each end.
    """
    wide = np.moveaxis(v, axis, -1)
    wide = np.pad(wide, [(0, 0)] * (np.ndim(v) - 1) + [(edge, edge)])
    settled = run(*coefficients, np.zeros(np.shape(wide)[-1]), zi=start)[0]
    for _ in range(2):
        first = wide[..., ::-1] @ settled
        wide = run(*coefficients, wide)[..., ::-1].copy()
        wide[..., 0] += first
    if edge > 0 and padtype is not None:
        sign = -1.0 if padtype == "odd" else 1.0
        out = wide[..., edge:-edge].copy()
        left, right = wide[..., :edge], wide[..., -edge:]
        if padtype != "constant":
            out[..., 1 : edge + 1] += sign * left[..., ::-1]
            out[..., -edge - 1 : -1] += sign * right[..., ::-1]
        if padtype != "even":
            out[..., 0] += np.sum(left, -1) * (2.0 if padtype == "odd" else 1.0)
            out[..., -1] += np.sum(right, -1) * (2.0 if padtype == "odd" else 1.0)
        wide = out
    return np.asarray(np.moveaxis(wide, -1, axis), v.dtype)


def edge_length(usual: int, padtype: str | None, padlen: int | None) -> int:
    """How many items `scipy.signal.filtfilt` puts at each end.

    >>> edge_length(6, "odd", None), edge_length(6, None, None), edge_length(6, "odd", 2)
    (6, 0, 2)
    """
    if padtype is None:
        return 0
    return usual if padlen is None else padlen


def savgol_transpose(v: Any, weights: Any, fit: Any, axis: int) -> Any:
    """The transpose of `scipy.signal.savgol_filter` with polynomials at the ends, which `fit` gives for one window."""
    v = np.moveaxis(v, axis, 0)
    count = len(fit)
    half = count // 2
    middle = v.copy()
    middle[:half] = 0.0
    middle[len(v) - half :] = 0.0
    out = transposed_along(middle, weights[::-1], 0, "constant", 0)
    out[:count] += np.tensordot(fit[:half].T, v[:half], 1)
    out[len(v) - count :] += np.tensordot(fit[count - half :].T, v[len(v) - half :], 1)
    return np.moveaxis(out, 0, axis)


def savgol_filtered(v: Any, weights: Any, fit: Any, axis: int) -> Any:
    """The transpose of `savgol_transpose`: the filter itself."""
    v = np.moveaxis(v, axis, 0)
    count = len(fit)
    half = count // 2
    out = correlated_along(v, weights[::-1], 0, "constant", 0)
    out[:half] = np.tensordot(fit[:half], v[:count], 1)
    out[len(v) - half :] = np.tensordot(fit[count - half :], v[len(v) - count :], 1)
    return np.moveaxis(out, 0, axis)


def with_words(function: Any, words: Any, *args: Any) -> Any:
    """A function's value with arguments by name."""
    return function(*args, **words)


def numbers_of(function: Any, *args: Any) -> Any:
    """Several results that are numbers, as an array."""
    return np.array([*function(*args)])


def states_of(function: Any, sos: Any) -> Any:
    """The states in which the sections of a filter answer a steady signal."""
    return function(sos)


def first_of(function: Any, *args: Any) -> Any:
    """The first of several results."""
    return function(*args)[0]


def second_of(function: Any, *args: Any) -> Any:
    """The second of several results: the spectrum behind its frequencies."""
    return function(*args)[1]


def third_of(function: Any, *args: Any) -> Any:
    """The third of several results."""
    return function(*args)[2]
