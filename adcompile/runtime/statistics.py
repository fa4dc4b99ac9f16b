"""Statistics, interpolation and signals: functions that generated code may call. NumPy only.

The same promises as in `helpers.py`, which hands these on: each stands by itself or calls others of this file, and
keeps to the language that the compiler accepts. `g` is an incoming derivative; a name in `_vjp` gives the adjoint of an
argument, one in `_jvp` the tangent of a result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# --------------------------------------------------------------------------------------------------- covariances


def variables(x: Any, y: Any = None, rowvar: bool = True) -> Any:
    """The rows that `np.cov` and `np.corrcoef` compare: those of `x`, then those of `y`.

    >>> variables(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    array([[1., 2.],
           [3., 4.]])
    """
    rows = np.reshape(x, (1, -1)) if np.ndim(x) < 2 else x if rowvar else x.T
    return rows if y is None else np.concatenate((rows, variables(y, None, rowvar)))


def cut_variables(g: Any, x: Any, y: Any = None, rowvar: bool = True) -> Any:
    """The adjoints of `x` and `y`, given that of their rows.

    >>> cut_variables(np.array([[1.0, 2.0], [3.0, 4.0]]), np.zeros(2), np.zeros(2))
    [array([1., 2.]), array([3., 4.])]
    """
    adjoints, start = [], 0
    for part in (x,) if y is None else (x, y):
        count = 1 if np.ndim(part) < 2 else np.shape(part)[0 if rowvar else 1]
        rows = g[start : start + count]
        adjoints.append(
            rows
            if np.ndim(part) == 2 and rowvar
            else np.reshape(rows.T, np.shape(part))
        )
        start += count
    return adjoints


def cov_vjp(
    g: Any, x: Any, y: Any = None, rowvar: bool = True, divisor: Any = 1
) -> Any:
    """The adjoints of `x` and `y` in `np.cov(x, y, rowvar)`; the divisor is the number of observations less `ddof`.

    >>> cov_vjp(1.0, np.array([1.0, 3.0]))
    [array([-2.,  2.])]
    """
    rows = variables(x, y, rowvar)
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    g = np.reshape(g, (len(rows), len(rows)))
    return cut_variables((g + g.T) @ centred / divisor, x, y, rowvar)


def cov_weights(count: int, bias: bool, ddof: Any, fweights: Any, aweights: Any) -> Any:
    """What `np.cov` multiplies observations by, and what it divides by.

    >>> cov_weights(2, False, None, [1, 2], None)
    (array([1., 2.]), np.float64(2.0))
    """
    free = ddof if ddof is not None else 0 if bias else 1
    often = np.ones(count) if fweights is None else np.asarray(fweights) * 1.0
    if aweights is None:
        return often, np.sum(often) - free
    weights = often * aweights
    return weights, np.sum(weights) - free * np.sum(weights * aweights) / np.sum(
        weights
    )


def weighted_cov_vjp(
    g: Any, x: Any, y: Any, rowvar: bool, weights: Any, divisor: Any
) -> Any:
    """The adjoints of `x` and `y` in a covariance of weighted or complex observations.

    >>> weighted_cov_vjp(1.0, np.array([1.0, 3.0]), None, True, np.ones(2), 1.0)
    [array([-2.,  2.])]
    """
    rows = variables(x, y, rowvar)
    centred = rows - (rows @ weights / np.sum(weights))[:, None]
    g = np.reshape(g, (len(rows), len(rows)))
    adjoint = (g + np.conj(g.T)) @ (centred * weights) / divisor
    return cut_variables(adjoint, x, y, rowvar)


def aweights_vjp(
    g: Any, rows: Any, bias: bool, ddof: Any, fweights: Any, aweights: Any
) -> Any:
    """The adjoint of the weights `aweights` of `np.cov`.

    >>> aweights_vjp(1.0, np.array([[1.0, 3.0]]), False, None, None, np.array([1.0, 1.0]))
    array([0., 0.])
    """
    weights, divisor = cov_weights(np.shape(rows)[1], bias, ddof, fweights, aweights)
    often = cov_weights(np.shape(rows)[1], bias, ddof, fweights, None)[0]
    free = ddof if ddof is not None else 0 if bias else 1
    total = np.sum(weights)
    centred = rows - (rows @ weights / total)[:, None]
    g = np.reshape(g, (len(rows), len(rows)))
    own = np.sum(np.real(np.conj(centred) * (np.conj(g.T) @ centred)), axis=0)
    rest = 2 * aweights - np.sum(weights * aweights) / total
    return often * (own - own @ weights / divisor * (1 - free * rest / total)) / divisor


def weighted_cov_jvp(
    rows_dot: Any,
    aweights_dot: Any,
    rows: Any,
    bias: bool,
    ddof: Any,
    fweights: Any,
    aweights: Any,
) -> Any:
    """The tangent of the covariances of weighted or complex rows.

    >>> weighted_cov_jvp(np.array([[0.0, 1.0]]), 0.0, np.array([[1.0, 3.0]]), False, None, None, None)
    array(2.)
    """
    weights, divisor = cov_weights(np.shape(rows)[1], bias, ddof, fweights, aweights)
    total = np.sum(weights)
    centred = rows - (rows @ weights / total)[:, None]
    half = centred * weights @ np.conj(rows_dot.T)
    moved = half + np.conj(half.T)
    if aweights is not None:
        often = cov_weights(np.shape(rows)[1], bias, ddof, fweights, None)[0]
        free = ddof if ddof is not None else 0 if bias else 1
        rest = 2 * aweights - np.sum(weights * aweights) / total
        fall = np.sum(often * aweights_dot * (1 - free * rest / total)) / divisor
        moved = moved + centred * (often * aweights_dot - fall * weights) @ np.conj(
            centred.T
        )
    return np.squeeze(moved / divisor)


def cov_jvp(rows: Any, rows_dot: Any, divisor: Any) -> Any:
    """The tangent of the covariances of rows.

    >>> cov_jvp(np.array([[1.0, 3.0]]), np.array([[0.0, 1.0]]), 1)
    array(2.)
    """
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    half = centred @ rows_dot.T / divisor
    return np.squeeze(half + half.T)


def observations(
    x: Any, rowvar: bool = True, bias: bool = False, ddof: Any = None
) -> Any:
    """What `np.cov` divides by.

    >>> observations(np.zeros(5)), observations(np.zeros((5, 2)), rowvar=False, ddof=2)
    (4, 3)
    """
    count = np.size(x) if np.ndim(x) < 2 else np.shape(x)[-1 if rowvar else 0]
    return count - (ddof if ddof is not None else 0 if bias else 1)


def corrcoef_vjp(g: Any, x: Any, y: Any = None, rowvar: bool = True) -> Any:
    """The adjoints of `x` and `y` in `np.corrcoef(x, y, rowvar)`.

    >>> corrcoef_vjp(np.ones((2, 2)), np.array([0.0, 1.0, 5.0]), np.array([0.0, 1.0, 5.0]))[0].round(12) + 0
    array([0., 0., 0.])
    """
    rows = variables(x, y, rowvar)
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    length = np.sqrt(np.sum(np.real(centred * np.conj(centred)), axis=1, keepdims=True))
    unit = centred / length
    g = np.reshape(g, (len(rows), len(rows)))
    adjoint = (g + np.conj(g.T)) @ unit
    along = np.sum(np.real(adjoint * np.conj(unit)), axis=1, keepdims=True)
    return cut_variables((adjoint - unit * along) / length, x, y, rowvar)


def corrcoef_jvp(rows: Any, rows_dot: Any) -> Any:
    """The tangent of the correlation coefficients of rows.

    >>> abs(corrcoef_jvp(np.array([[0.0, 1.0, 5.0]]), np.array([[0.0, 1.0, 0.0]]))) < 1e-15
    np.True_
    """
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    length = np.sqrt(np.sum(np.real(centred * np.conj(centred)), axis=1, keepdims=True))
    unit = centred / length
    moved = (rows_dot - np.mean(rows_dot, axis=1, keepdims=True)) / length
    along = np.sum(np.real(moved * np.conj(unit)), axis=1, keepdims=True)
    half = (moved - unit * along) @ np.conj(unit.T)
    return np.squeeze(half + np.conj(half.T))


# ---------------------------------------------------------------------------------------------------- histograms


def edges_vjp(g: Any, x: Any) -> Any:
    """The adjoint of data that evenly spaced bin edges reach over: the least and largest items move them.

    >>> edges_vjp(np.array([1.0, 1.0, 1.0]), np.array([2.0, 1.0, 3.0]))
    array([0. , 1.5, 1.5])
    """
    if np.size(x) == 0:
        return np.zeros_like(x)
    lowest = np.asarray(x == np.min(x)).astype(g.dtype)
    highest = np.asarray(x == np.max(x)).astype(g.dtype)
    down = np.linspace(1, 0, len(g), dtype=g.dtype)
    return lowest * (g @ down / np.sum(lowest)) + highest * (
        g @ (1 - down) / np.sum(highest)
    )


def edges_jvp(x_dot: Any, x: Any, count: int) -> Any:
    """The tangents of evenly spaced bin edges that reach over data.

    >>> edges_jvp(np.array([0.0, 1.0, 2.0]), np.array([2.0, 1.0, 3.0]), 3)
    array([1. , 1.5, 2. ])
    """
    if np.size(x) == 0:
        return np.zeros(count)
    x, x_dot = np.asarray(x), np.asarray(x_dot)
    return np.linspace(
        np.mean(x_dot[x == np.min(x)]), np.mean(x_dot[x == np.max(x)]), count
    )


def bins_of(x: Any, edges: Any) -> Any:
    """The bin of each item, with one more bin for what lies outside; the last bin has its right edge.

    >>> bins_of(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0]))
    array([0, 1, 1, 2])
    """
    last = len(edges) - 2
    place = np.where(x == edges[-1], last, np.searchsorted(edges, x, "right") - 1)
    return np.where((place < 0) | (place > last), last + 1, place)


def histogram_vjp(g: Any, x: Any, edges: Any) -> Any:
    """The adjoint of the weights in `np.histogram`: each reads the adjoint of its bin.

    >>> histogram_vjp(np.array([5.0, 7.0]), np.array([0.5, 1.5, 9.0]), np.array([0.0, 1.0, 2.0]))
    array([5., 7., 0.])
    """
    return np.pad(g, (0, 1))[bins_of(x, edges)]


def histogram2d_vjp(g: Any, x: Any, y: Any, xedges: Any, yedges: Any) -> Any:
    """The adjoint of the weights in `np.histogram2d`.

    >>> histogram2d_vjp(np.array([[5.0], [7.0]]), np.array([0.5, 1.5]), np.array([0.5, 9.0]),
    ...                 np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0]))
    array([5., 0.])
    """
    return np.pad(g, ((0, 1), (0, 1)))[bins_of(x, xedges), bins_of(y, yedges)]


# ---------------------------------------------------------------------------------- polynomials and interpolation


def polyfit_parts(x: Any, deg: int, w: Any = None) -> Any:
    """The weighted Vandermonde matrix of a fit, its pseudo-inverse, and its derivative by each of `x`.

    >>> polyfit_parts(np.array([0.0, 2.0]), 1)[1].round(12) + 0
    array([[-0.5,  0.5],
           [ 1. ,  0. ]])
    """
    powers = np.vander(x, deg + 1)
    slopes = np.concatenate(
        (powers[:, 1:] * np.arange(deg, 0, -1), np.zeros_like(powers[:, :1])), axis=1
    )
    if w is not None:
        powers, slopes = powers * np.expand_dims(w, 1), slopes * np.expand_dims(w, 1)
    scale = np.sqrt(np.sum(powers * powers, axis=0))
    return powers, np.linalg.pinv(powers / scale) / np.expand_dims(scale, 1), slopes


def polyfit_vjp_x(g: Any, x: Any, y: Any, deg: int, w: Any, ans: Any) -> Any:
    """The adjoint of `x` in `np.polyfit(x, y, deg, w=w)`, for a fit that the points determine.

    >>> polyfit_vjp_x(np.array([1.0, 0.0]), np.array([0.0, 2.0]), np.array([0.0, 2.0]), 1, None, np.array([1.0, 0.0]))
    array([ 0.5, -0.5])
    """
    powers, pinv, slopes = polyfit_parts(x, deg, w)
    g, ans = np.reshape(g, (deg + 1, -1)), np.reshape(ans, (deg + 1, -1))
    target = (
        np.reshape(y, (len(x), -1))
        if w is None
        else np.reshape(y, (len(x), -1)) * np.expand_dims(w, 1)
    )
    misfit = target - powers @ ans
    return np.sum(
        (misfit @ (pinv @ (pinv.T @ g)).T - pinv.T @ g @ ans.T) * slopes, axis=1
    )


def polyfit_vjp_y(g: Any, x: Any, deg: int, w: Any = None) -> Any:
    """The adjoint of `y` in `np.polyfit(x, y, deg, w=w)`.

    >>> polyfit_vjp_y(np.array([1.0, 0.0]), np.array([0.0, 2.0]), 1)
    array([-0.5,  0.5])
    """
    adjoint = polyfit_parts(x, deg, w)[1].T @ g
    return (
        adjoint
        if w is None
        else np.reshape(w, (-1,) + (1,) * (np.ndim(g) - 1)) * adjoint
    )


def polyfit_jvp(
    x_dot: Any,
    y_dot: Any,
    x: Any,
    y: Any,
    deg: int,
    w: Any,
    ans: Any,
) -> Any:
    """The tangent of `np.polyfit(x, y, deg, w=w)`, for a fit that the points determine.

    >>> x, still = np.array([0.0, 2.0]), np.zeros(2)
    >>> polyfit_jvp(still, np.array([0.0, 1.0]), x, x, 1, None, np.array([1.0, 0.0])).round(12) + 0
    array([0.5, 0. ])
    """
    powers, pinv, slopes = polyfit_parts(x, deg, w)
    rows = np.reshape(y, (len(x), -1))
    rows_dot = np.reshape(y_dot, (len(x), -1))
    if w is not None:
        rows, rows_dot = rows * np.expand_dims(w, 1), rows_dot * np.expand_dims(w, 1)
    columns = np.reshape(ans, (deg + 1, -1))
    powers_dot = slopes * np.expand_dims(x_dot, 1)
    misfit = rows - powers @ columns
    return np.reshape(
        pinv @ (rows_dot - powers_dot @ columns + pinv.T @ (powers_dot.T @ misfit)),
        np.shape(ans),
    )


def polyval_slope(p: Any, x: Any) -> Any:
    """The derivative of `np.polyval(p, x)` by `x`, by Horner's scheme.

    >>> float(polyval_slope([1.0, 0.0, 5.0], 3.0))
    6.0
    """
    slope = value = np.multiply(0, x)  # NumPy's, as that of `np.polyval` is
    for coefficient in p:
        slope = slope * x + value
        value = value * x + coefficient
    return slope


def polyval_vjp_p(g: Any, p: Any, x: Any) -> Any:
    """The adjoint of `p` in `np.polyval(p, x)`: sums with the powers of `x`.

    >>> polyval_vjp_p(1.0, [1.0, 0.0, 5.0], 3.0)
    array([9., 3., 1.])
    """
    sums = np.zeros(len(p), np.result_type(g, x))
    for k in range(len(p)):
        sums[k] = np.sum(g * x ** (len(p) - 1 - k))
    return sums


def vander_slope(x: Any, count: int, increasing: bool = False) -> Any:
    """The derivative of `np.vander(x, count, increasing)` by each of `x`.

    >>> vander_slope(np.array([3.0]), 3)
    array([[6., 1., 0.]])
    """
    x = np.asarray(x)  # it may be a list
    slope = np.zeros((len(x), count), x.dtype)
    for k in range(count):
        power = k if increasing else count - 1 - k
        if power:
            slope[:, k] = power * x ** (power - 1)
    return slope


def interp_parts(x: Any, xp: Any) -> Any:
    """For each `x` the interval of `xp` that it is in, and how far along, from 0 to 1.

    >>> interp_parts(np.array([0.5, 9.0]), np.array([0.0, 1.0, 2.0]))
    (array([0, 1]), array([0.5, 1. ]))
    """
    xp = np.asarray(xp)  # it may be a list
    place = interp_places(x, xp)
    start = xp[place]
    return place, np.clip((x - start) / (xp[place + 1] - start), 0, 1)


def interp_places(x: Any, xp: Any) -> Any:
    """For each `x` the interval of `xp` that it is in, the first or the last one if it is in none.

    >>> interp_places(np.array([0.5, 9.0]), np.array([0.0, 1.0, 2.0]))
    array([0, 1])
    """
    return np.searchsorted(xp[1:-1], x, "right")


def interp_slope(x: Any, xp: Any, fp: Any) -> Any:
    """The derivative of `np.interp(x, xp, fp)` by `x`: 0 outside, and at a knot that of the interval to its right.

    >>> interp_slope(np.array([0.5, 9.0]), np.array([0.0, 1.0]), np.array([0.0, 3.0]))
    array([3., 0.])
    """
    if len(xp) == 1:
        return np.zeros(np.shape(x))
    xp, fp = np.asarray(xp), np.asarray(fp)
    slopes = np.diff(fp) / np.diff(xp)
    return np.where((x >= xp[0]) & (x <= xp[-1]), slopes[interp_places(x, xp)], 0)


def interp_vjp_fp(g: Any, x: Any, xp: Any) -> Any:
    """The adjoint of `fp` in `np.interp(x, xp, fp)`: each value shared between the two knots around it.

    >>> interp_vjp_fp(np.array([1.0, 2.0]), np.array([0.25, 9.0]), np.array([0.0, 1.0]))
    array([0.75, 2.25])
    """
    if len(xp) == 1:
        return np.full(1, np.sum(g))
    place, part = interp_parts(x, xp)
    return add_up(place, g * (1 - part), len(xp)) + add_up(place + 1, g * part, len(xp))


def add_up(places: Any, weights: Any, count: int) -> Any:
    """The sums of the weights at each of so many places; complex ones in two parts.

    >>> add_up(np.array([2, 0, 2]), np.array([1.0, 2.0, 4.0]), 3)
    array([2., 0., 5.])
    """
    if np.iscomplexobj(weights):
        real = add_up(places, np.real(weights), count)
        return (real + 1j * add_up(places, np.imag(weights), count)).astype(
            weights.dtype
        )
    sums = np.bincount(np.ravel(places), np.ravel(weights), count)
    return sums.astype(np.result_type(weights))


def interp_vjp_jvp(
    g: Any,
    x: Any,
    xp: Any,
    g_dot: Any,
    x_dot: Any,
    xp_dot: Any,
) -> Any:
    """The tangent of `interp_vjp_fp(g, x, xp)`: the share of each knot moves with how far along an `x` is.

    >>> interp_vjp_jvp(np.ones(1), np.full(1, 0.25), np.array([0.0, 1.0]), np.zeros(1), np.ones(1), np.zeros(2))
    array([-1.,  1.])
    """
    place, part = interp_parts(x, xp)
    inside = (x >= xp[0]) & (x <= xp[-1])
    moved = (x_dot - xp_dot[place] - part * (xp_dot[place + 1] - xp_dot[place])) / (
        xp[place + 1] - xp[place]
    )
    moved = np.where(inside, g * moved, 0)
    out = add_up(place + 1, moved, len(xp)) - add_up(place, moved, len(xp))
    return out + interp_vjp_fp(g_dot, x, xp)


# ------------------------------------------------------------------------------------------- sums and convolutions


def along(x: Any, rank: int, axis: int) -> Any:
    """A vector, turned to lie along an axis of an array of this rank; an array stays as it is.

    >>> along(np.array([1.0, 2.0]), 2, 0)
    array([[1.],
           [2.]])
    """
    if np.ndim(x) != 1 or rank == 1:
        return x
    return np.moveaxis(np.reshape(x, (-1,) + (1,) * (rank - 1)), 0, axis)


def trapezoid_vjp_y(g: Any, widths: Any, shape: tuple[int, ...], axis: int = -1) -> Any:
    """The adjoint of `y` of a shape in `np.trapezoid`, given the widths of the intervals, an array of that rank.

    >>> trapezoid_vjp_y(2.0, np.array([1.0, 3.0]), (3,))
    array([1., 4., 3.])
    >>> trapezoid_vjp_y(2.0, np.array([]), (1,)), trapezoid_vjp_y(2.0, np.array([]), (0,))
    (array([0.]), array([], dtype=float64))
    """
    half = np.moveaxis(np.expand_dims(0.5 * g, axis) * widths, axis, 0)
    end = np.zeros((min(shape[axis], 1), *half.shape[1:]), half.dtype)
    return np.moveaxis(
        np.concatenate((half, end)) + np.concatenate((end, half)), 0, axis
    )


def trapezoid_vjp_x(g: Any, y: Any, x: Any, axis: int = -1) -> Any:
    """The adjoint of `x` in `np.trapezoid(y, x, axis=axis)`.

    >>> trapezoid_vjp_x(1.0, np.array([1.0, 3.0]), np.array([0.0, 1.0]))
    array([-2.,  2.])
    """
    y = np.moveaxis(y, axis, 0)
    half = np.moveaxis(np.expand_dims(0.5 * g, axis), axis, 0) * (y[1:] + y[:-1])
    end = np.zeros((min(len(y), 1), *half.shape[1:]), half.dtype)
    adjoint = np.concatenate((end, half)) - np.concatenate((half, end))
    if np.ndim(x) == 1:
        return np.sum(
            np.reshape(
                adjoint, (len(adjoint), np.size(adjoint) // max(len(adjoint), 1))
            ),
            axis=1,
        )
    return np.moveaxis(adjoint, 0, axis)


def uncut(g: Any, x: Any, y: Any, mode: str, reverse: bool = False) -> Any:
    """The adjoint of the full convolution of `x` and `y`, of which `mode` kept the middle; `reverse` for a correlation.

    >>> uncut(np.array([1.0, 2.0]), np.zeros(3), np.zeros(2), "valid")
    array([0., 1., 2., 0.])
    """
    longer, shorter = max(len(x), len(y)), min(len(x), len(y))
    before = {"full": 0, "same": (shorter - 1) // 2, "valid": shorter - 1}[mode]
    after = longer + shorter - 1 - before - len(g)
    return np.pad(
        g, (after, before) if reverse and len(x) < len(y) else (before, after)
    )


def pairs_apart(x: Any) -> Any:
    """The differences of every two rows, in the order of `scipy.spatial.distance.pdist`.

    >>> pairs_apart(np.array([[1.0], [3.0], [7.0]]))
    array([[-2.],
           [-6.],
           [-4.]])
    """
    first, second = np.triu_indices(len(x), 1)
    return x[first] - x[second]


def pairs_apart_vjp(v: Any, count: int) -> Any:
    """The adjoint of the `count` rows of `pairs_apart`.

    >>> pairs_apart_vjp(np.array([[1.0]]), 2)
    array([[ 1.],
           [-1.]])
    """
    first, second = np.triu_indices(count, 1)
    out = np.zeros((count, *np.shape(v)[1:]), np.result_type(v))
    np.add.at(out, first, v)
    np.subtract.at(out, second, v)
    return out
