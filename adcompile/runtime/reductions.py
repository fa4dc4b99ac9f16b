"""Reductions, running products and steps: functions that generated code may call. NumPy only.

The same promises as in `helpers.py`, which hands these on: each stands by itself or calls others of these files, and
keeps to the language that the compiler accepts. `g` is an incoming derivative.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adcompile.runtime.shapes import unreduce, untake_along

# ------------------------------------------------------------------------------------------------- reductions
# Of each pair the second is the transpose of the first: one serves the backward sweep, the other the forward one.


def share_ties(
    g: Any,
    x: Any,
    ans: Any,
    axis: Any = None,
    keepdims: Any = False,
    start: Any = None,
) -> Any:
    """Spread the adjoint of a maximum or minimum evenly over the items that attain it.

    The number that it starts from takes a share, too, which goes nowhere.

    >>> share_ties(1.0, np.array([2.0, 5.0, 5.0]), 5.0)
    array([0. , 0.5, 0.5])
    """
    ties = np.equal(x, unreduce(ans, np.shape(x), axis, keepdims))
    count = np.sum(ties, axis, keepdims=True, dtype=np.result_type(ans))
    if start is not None:
        count = count + np.equal(unreduce(ans, np.shape(count), axis, keepdims), start)
    return np.where(ties, unreduce(g, np.shape(x), axis, keepdims), 0) / count


def mean_of_ties(
    v: Any,
    x: Any,
    ans: Any,
    axis: Any = None,
    keepdims: Any = False,
    start: Any = None,
) -> Any:
    """Average `v` over the items of `x` that attain its maximum or minimum `ans`; `start` is one more, where `v` is 0.

    >>> float(mean_of_ties(np.array([1.0, 2.0, 4.0]), np.array([2.0, 5.0, 5.0]), 5.0))
    3.0
    """
    ties = np.equal(x, unreduce(ans, np.shape(x), axis, keepdims))
    count = np.sum(ties, axis, keepdims=keepdims, dtype=np.result_type(ans))
    if start is not None:
        count = count + np.equal(ans, start)
    return np.sum(np.where(ties, v, 0), axis, keepdims=keepdims) / count


def share_of_start(
    x: Any, ans: Any, axis: Any = None, keepdims: Any = False, start: Any = None
) -> Any:
    """The share in a maximum or minimum `ans` of the number that it starts from; none where an item exceeds it.

    >>> float(share_of_start(np.array([2.0, 1.0]), 2.0, start=2.0))
    0.5
    """
    ties = np.equal(x, unreduce(ans, np.shape(x), axis, keepdims))
    count = np.sum(ties, axis, keepdims=keepdims, dtype=np.result_type(ans))
    return np.where(np.equal(ans, start), 1 / (count + 1), 0)


def last_places(x: Any, ans: Any, axis: int) -> Any:
    """Where a running maximum or minimum `ans` of `x` was attained last.

    >>> last_places(np.array([3.0, 1.0, 4.0]), np.array([3.0, 3.0, 4.0]), 0)
    array([0, 0, 2])
    """
    places = align(np.arange(np.shape(x)[axis]), x, axis)
    return np.maximum.accumulate(np.where(np.equal(x, ans), places, 0), axis)


def deviations(x: Any, axis: Any = None, ddof: Any = 0) -> Any:
    """The deviations from the mean over the number of items less `ddof`; its own transpose.

    >>> deviations(np.array([1.0, 3.0]))
    array([-0.5,  0.5])
    """
    mean = np.mean(x, axis, keepdims=True)
    apart = x - mean
    apart = apart - np.mean(apart, axis, keepdims=True)  # the mean is rounded
    return apart / (np.size(x) // max(1, np.size(mean)) - ddof)


def nan_deviations(x: Any, axis: Any = None, ddof: Any = 0) -> Any:
    """As `deviations`, of the items that are numbers; 0 for the others.

    >>> nan_deviations(np.array([1.0, np.nan, 3.0]), None, 1)
    array([-1.,  0.,  1.])
    """
    count = np.sum(~np.isnan(x), axis=axis, keepdims=True, dtype=np.result_type(x))
    return np.where(np.isnan(x), 0, x - np.nanmean(x, axis, keepdims=True)) / (
        count - ddof
    )


def share_each(g: Any, x: Any, picked: Any, axis: Any, keepdims: Any) -> Any:
    """`share_ties` for several picks of `x`, one behind the other.

    >>> share_each(np.array([2.0, 3.0]), np.array([1.0, 4.0, 5.0]), np.array([4.0, 1.0]), None, False)
    array([3., 2., 0.])
    """
    total = share_ties(g[0], x, picked[0], axis, keepdims)
    for k in range(1, len(g)):
        total = total + share_ties(g[k], x, picked[k], axis, keepdims)
    return total


def mean_of_each(x_dot: Any, x: Any, picked: Any, axis: Any, keepdims: Any) -> Any:
    """`mean_of_ties` for several picks of `x`, one behind the other.

    >>> mean_of_each(np.array([2.0, 3.0]), np.array([1.0, 4.0]), np.array([4.0, 1.0]), None, False)
    array([3., 2.])
    """
    return np.stack([mean_of_ties(x_dot, x, item, axis, keepdims) for item in picked])


def align(weights: Any, x: Any, axis: Any) -> Any:
    """Weights along axes of `x`, shaped to broadcast with it; weights of the shape of `x` as they are.

    >>> align(np.ones(2), np.zeros((2, 3)), 0).shape, align(np.ones((4, 2)), np.zeros((2, 3, 4)), (2, 0)).shape
    ((2, 1), (2, 1, 4))
    """
    if np.ndim(weights) == np.ndim(x):
        return weights
    if isinstance(axis, tuple):
        axes = [k % np.ndim(x) for k in axis]
        lengths = [n if k in axes else 1 for k, n in enumerate(np.shape(x))]
        return np.reshape(np.transpose(weights, np.argsort(axes)), lengths)
    shape = [1] * np.ndim(x)
    shape[axis] = -1
    return np.reshape(weights, shape)


def align_vjp(g: Any, shape: Any, x: Any, axis: Any) -> Any:
    """The adjoint of weights of a shape after `align(weights, x, axis)` along several axes.

    >>> align_vjp(np.ones((2, 1, 4)), (4, 2), np.zeros((2, 3, 4)), (2, 0)).shape
    (4, 2)
    """
    order = np.argsort([k % np.ndim(x) for k in axis])
    return np.transpose(np.reshape(g, [shape[k] for k in order]), np.argsort(order))


def unquantile(
    g: Any,
    x: Any,
    q: Any,
    axis: Any = None,
    keepdims: Any = False,
    method: Any = "linear",
    numbers: Any = False,
) -> Any:
    """The adjoint of `x` after `np.quantile(x, q, axis, keepdims=keepdims, method=method)`.

    With `numbers` it is that of `np.nanquantile`.

    >>> unquantile(1.0, np.array([4.0, 1.0, 2.0, 3.0]), 0.5)
    array([0. , 0. , 0.5, 0.5])
    """
    if np.size(x) == 0:
        return np.zeros_like(x)
    axes = ranked_axes(x, axis)
    moved = np.moveaxis(x, axes, range(len(axes)))
    flat = np.reshape(moved, (-1, *moved.shape[len(axes) :]))
    low, high, part = quantile_items(flat, q, method, numbers)
    weights = np.reshape(g, np.shape(low))
    weights = np.concatenate(((1 - part) * weights, part * weights))
    out = untake_along(weights, np.concatenate((low, high)), flat, 0)
    return np.moveaxis(np.reshape(out, moved.shape), range(len(axes)), axes)


def quantile_tangent(
    v: Any,
    x: Any,
    q: Any,
    axis: Any = None,
    keepdims: Any = False,
    method: Any = "linear",
    numbers: Any = False,
) -> Any:
    """The tangent of the quantile that `unquantile` is about, for the tangent `v` of `x`.

    >>> float(quantile_tangent(np.array([1.0, 0.0, 4.0]), np.array([4.0, 1.0, 2.0]), 0.5))
    4.0
    """
    axes = ranked_axes(x, axis)
    if np.size(x) == 0:
        return np.zeros(
            np.shape(q) + np.shape(np.sum(x, axis=axes, keepdims=keepdims)), x.dtype
        )
    moved = np.moveaxis(x, axes, range(len(axes)))
    flat = np.reshape(moved, (-1, *moved.shape[len(axes) :]))
    low, high, part = quantile_items(flat, q, method, numbers)
    moved = np.reshape(np.moveaxis(v, axes, range(len(axes))), flat.shape)
    result = (1 - part) * np.take_along_axis(moved, low, 0)
    result = result + part * np.take_along_axis(moved, high, 0)
    result = np.reshape(result, np.shape(q) + flat.shape[1:])
    return (
        np.expand_dims(result, tuple(np.ndim(q) + a % np.ndim(x) for a in axes))
        if keepdims
        else result
    )


def ranked_axes(x: Any, axis: Any) -> tuple[int, ...]:
    """The axes along which a quantile ranks items: all by default; several may be a list, which reductions do not take.

    >>> ranked_axes(np.zeros((2, 3)), None), ranked_axes(np.zeros((2, 3)), [1]), ranked_axes(np.zeros((2, 3)), -1)
    ((0, 1), (1,), (-1,))
    """
    if axis is None:
        return tuple(range(np.ndim(x)))
    return tuple(axis) if isinstance(axis, tuple | list) else (axis,)


def quantile_items(
    flat: Any, q: Any, method: Any, numbers: Any
) -> tuple[Any, Any, Any]:
    """Of each column the two items that a quantile lies between, and how far from the lower one.

    >>> low, high, part = quantile_items(np.array([[5.0], [1.0], [4.0], [2.0]]), 0.5, "linear", False)
    >>> low, high, part
    (array([[3]]), array([[2]]), array([[0.5]]))
    """
    low, part = quantile_places(flat, q, method, numbers)
    high = np.minimum(low + 1, len(flat) - 1)
    order = np.argpartition(flat, np.unique(np.concatenate((low, high))), 0)
    lower, higher = (
        np.take_along_axis(order, low, 0),
        np.take_along_axis(order, high, 0),
    )
    return lower, higher, part


def quantile_places(flat: Any, q: Any, method: Any, numbers: Any) -> tuple[Any, Any]:
    """Between which items of each ordered column a quantile lies: the place of the lower one, and how far from it.

    A quantile of 0, 1, 2 ... is its own place.

    >>> low, part = quantile_places(np.zeros((4, 1)), 0.5, "linear", False)
    >>> low, part
    (array([[1]]), array([[0.5]]))
    """
    levels = np.ravel(np.asarray(q, float))
    aside = (-1,) + (1,) * (flat.ndim - 1)
    if numbers:
        count = np.maximum(np.sum(~np.isnan(flat), 0) - 1, 0)
        if method == "linear":
            places = np.reshape(levels, aside) * count
        else:  # of so many numbers as there are
            table = [
                np.quantile(np.arange(k + 1.0), levels, method=method)
                for k in range(len(flat))
            ]
            places = np.moveaxis(np.array(table)[count], -1, 0)
    else:
        line = np.arange(float(len(flat)))
        places = np.reshape(np.quantile(line, levels, method=method), aside)
    places = np.broadcast_to(places, (len(levels), *flat.shape[1:]))
    low = np.floor(places).astype(int)
    return low, (places - low).astype(flat.dtype)


def rank_slope(
    x: Any,
    q: Any,
    axis: Any = None,
    keepdims: Any = False,
    method: Any = "linear",
    numbers: Any = False,
) -> Any:
    """The derivative of `np.quantile(x, q, axis, keepdims=keepdims, method=method)` by `q`: 0 where it is clipped.

    >>> float(rank_slope(np.array([4.0, 1.0, 2.0]), 0.3))
    2.0
    """
    return rank_tangent(x, x, q, axis, keepdims, method, numbers)


def rank_tangent(
    v: Any,
    x: Any,
    q: Any,
    axis: Any = None,
    keepdims: Any = False,
    method: Any = "linear",
    numbers: Any = False,
) -> Any:
    """The tangent of what `rank_slope` is about, for the tangent `v` of `x`.

    >>> float(rank_tangent(np.array([1.0, 0.0, 4.0]), np.array([4.0, 1.0, 2.0]), 0.3))
    8.0
    """
    axes = ranked_axes(x, axis)
    shape = np.shape(q) + np.shape(np.sum(x, axis=axes, keepdims=keepdims))
    flat, low, high, scale = rank_items(x, q, axes, method, numbers)
    moved = np.reshape(np.moveaxis(v, axes, range(len(axes))), flat.shape)
    gap = np.take_along_axis(moved, high, 0) - np.take_along_axis(moved, low, 0)
    slope = np.where(scale != 0, scale * gap, 0)
    return np.reshape(slope, shape).astype(flat.dtype)


def unrank(
    g: Any,
    x: Any,
    q: Any,
    axis: Any = None,
    keepdims: Any = False,
    method: Any = "linear",
    numbers: Any = False,
) -> Any:
    """The adjoint of `x` from that of `rank_slope`.

    >>> unrank(1.0, np.array([4.0, 1.0, 2.0]), 0.3)
    array([ 0., -2.,  2.])
    """
    axes = ranked_axes(x, axis)
    flat, low, high, scale = rank_items(x, q, axes, method, numbers)
    weights = np.where(scale != 0, scale * np.reshape(g, np.shape(low)), 0)
    weights = np.concatenate((-weights, weights)).astype(flat.dtype)
    out = untake_along(weights, np.concatenate((low, high)), flat, 0)
    moved = np.moveaxis(x, axes, range(len(axes)))
    return np.moveaxis(np.reshape(out, moved.shape), range(len(axes)), axes)


def rank_items(
    x: Any, q: Any, axes: tuple[int, ...], method: Any, numbers: Any
) -> tuple[Any, Any, Any, Any]:
    """The columns that a quantile ranks, of each the two items that it moves between, and how fast it does by `q`.

    >>> low, high, speed = rank_items(np.array([4.0, 1.0, 2.0]), 0.3, (0,), "linear", False)[1:]
    >>> low, high, speed
    (array([1]), array([2]), array([2.]))
    """
    moved = np.moveaxis(x, axes, range(len(axes)))
    many = int(np.prod(moved.shape[: len(axes)]))
    flat = np.reshape(moved, (many, *moved.shape[len(axes) :]))
    order = np.argsort(flat, 0)
    low, part = quantile_places(flat, q, method, numbers)
    count = np.sum(~np.isnan(flat), 0) if numbers else len(flat)
    more = {
        "linear": -1.0,
        "hazen": 0.0,
        "interpolated_inverted_cdf": 0.0,
        "weibull": 1.0,
        "median_unbiased": 1 / 3,
        "normal_unbiased": 0.25,
    }
    scale = count + more.get(method, 0.0) if method in more else 0.0 * count
    at = low + part
    inside = (at < count - 1) & ((at > 0) | (method == "linear"))
    low = np.where(inside, low, np.maximum(low - 1, 0))
    high = np.minimum(low + 1, len(flat) - 1)
    low, high = np.take_along_axis(order, low, 0), np.take_along_axis(order, high, 0)
    gap = np.take_along_axis(flat, high, 0) - np.take_along_axis(flat, low, 0)
    known = (inside | (method == "linear")) & ~np.isnan(gap)
    return flat, low, high, np.where(known, scale, 0.0)


# -------------------------------------------------------------------------------------- running products, steps


def uncumprod(g: Any, x: Any, axis: int) -> Any:
    """The adjoint of `x` after `np.cumprod(x, axis)`: divided, unless a product is 0 or has lost digits.

    >>> uncumprod(np.ones(3), np.array([2.0, 0.0, 3.0]), 0)
    array([1., 8., 0.])
    """
    if np.ndim(x) == 0:  # NumPy takes it for one item
        return np.reshape(g, ())
    x, g = np.moveaxis(x, axis, 0), np.moveaxis(g, axis, 0)
    products = np.cumprod(x, 0)
    if np.all(np.abs(products) > np.finfo(products.dtype).tiny):
        later = np.flip(np.cumsum(np.flip(g * products, 0), 0), 0)
        return np.moveaxis(later / x, 0, axis)
    before = np.concatenate((np.ones_like(x[:1]), products[:-1]))
    return np.moveaxis(before * running_back(g, x), 0, axis)


def running_back(g: Any, x: Any) -> Any:
    """What `after[k] = g[k] + x[k + 1] * after[k + 1]` gives along the first axis.

    In steps that double; in single ones where products of neighbours overflow.

    >>> running_back(np.array([1.0, 1.0, 1.0]), np.array([5.0, 2.0, 3.0]))
    array([9., 4., 1.])
    """
    after, factor = g, np.concatenate((x[1:], np.zeros_like(x[:1])))
    step = 1
    while step < len(x) and np.all(np.isfinite(factor)):
        rest = np.zeros_like(factor[:step])
        after = after + factor * np.concatenate((after[step:], rest))
        factor = factor * np.concatenate((factor[step:], rest))
        step *= 2
    if step >= len(x):
        return after
    lines = [g[-1]]
    for k in reversed(range(len(x) - 1)):
        lines.append(g[k] + x[k + 1] * lines[-1])
    return np.stack(lines[::-1])


def cumprod_tangent(v: Any, x: Any, ans: Any, axis: int) -> Any:
    """The tangent of `ans = np.cumprod(x, axis)` for the tangent `v` of `x`.

    >>> cumprod_tangent(np.array([1.0, 0.0]), np.array([2.0, 3.0]), np.array([2.0, 6.0]), 0)
    array([1., 3.])
    """
    if np.ndim(x) == 0:  # NumPy takes it for one item
        return np.reshape(v, np.shape(ans))
    v, x, ans = (
        np.moveaxis(v, axis, 0),
        np.moveaxis(x, axis, 0),
        np.moveaxis(ans, axis, 0),
    )
    out = np.array(v)
    for k in range(1, len(x)):
        out[k] = out[k - 1] * x[k] + ans[k - 1] * v[k]
    return np.moveaxis(out, 0, axis)


def undiff(g: Any, shape: tuple[int, ...], n: int, axis: int) -> Any:
    """The adjoint of `x` of this shape after `np.diff(x, n, axis)`.

    >>> undiff(np.array([1.0, 5.0]), (3,), 1, 0)
    array([-1., -4.,  5.])
    """
    if shape[axis] <= n:  # there are no differences
        return np.zeros(shape, np.result_type(g))
    ends = list(shape)
    ends[axis] = 1
    zero = np.zeros(ends, np.result_type(g))
    for _ in range(n):
        g = -np.diff(np.concatenate((zero, g, zero), axis), 1, axis)
    return g


def undiff_part(
    g: Any, parts: tuple[Any, ...], at: int, shape: tuple[int, ...], n: int, axis: int
) -> Any:
    """The adjoint of `parts[at]` after `np.diff` of what the parts make along an axis; `shape` is that of an array.

    >>> undiff_part(np.array([1.0, 5.0]), (0.5, np.zeros(2)), 1, (2,), 1, 0)
    array([-4.,  5.])
    """
    lengths = [np.shape(part)[axis] if np.ndim(part) else 1 for part in parts]
    whole = list(shape)
    whole[axis] = sum(lengths)
    first = sum(lengths[:at])
    joined = undiff(g, tuple(whole), n, axis)
    piece = np.take(joined, np.arange(first, first + lengths[at]), axis)
    return piece if np.ndim(parts[at]) else np.sum(piece)


def distinct_places(ans: Any, x: Any) -> Any:
    """For each of some numbers the first place in the array at which it stands, and whether it stands there at all.

    >>> distinct_places(np.array([2.0, 3.0, 5.0]), np.array([3.0, 2.0, 2.0]))
    (array([1, 0, 0]), array([ True,  True, False]))
    """
    flat = np.ravel(x)
    if len(flat) == 0:
        return np.zeros(len(ans), int), np.zeros(len(ans), bool)
    order = np.argsort(flat, kind="stable")
    found = np.searchsorted(flat[order], ans)
    places = order[np.minimum(found, len(flat) - 1)]
    return places, flat[places] == ans


def undistinct(g: Any, ans: Any, x: Any, before: Any = ()) -> Any:
    """The adjoint of `x`, of which `ans` has items, each once: that of the first one, unless it stands in `before`.

    >>> undistinct(np.array([1.0, 5.0]), np.array([2.0, 3.0]), np.array([3.0, 2.0, 2.0]))
    array([5., 1., 0.])
    """
    places, there = distinct_places(ans, x)
    there = there & np.logical_not(distinct_places(ans, np.asarray(before))[1])
    out = np.zeros(np.size(x), g.dtype)
    out[places[there]] = g[there]
    return np.reshape(out, np.shape(x))


def distinct_tangent(x_dot: Any, ans: Any, x: Any, before: Any = ()) -> Any:
    """The transpose of `undistinct`.

    >>> distinct_tangent(np.array([7.0, 8.0]), np.array([2.0, 3.0]), np.array([3.0, 2.0]))
    array([8., 7.])
    """
    places, there = distinct_places(ans, x)
    there = there & np.logical_not(distinct_places(ans, np.asarray(before))[1])
    if np.size(x) == 0:
        return np.zeros(len(ans), x_dot.dtype)
    return np.where(there, np.ravel(x_dot)[places], 0)


def match_order(v: Any, source: Any, target: Any, axis: int) -> Any:
    """Rearrange what belongs to the items of `source` to where the same items stand in `target`.

    >>> match_order(np.array([10, 20, 30]), np.array([1, 2, 3]), np.array([3, 1, 2]), 0)
    array([30, 10, 20])
    """
    ordered = np.take_along_axis(v, np.argsort(source, axis, kind="stable"), axis)
    out = np.empty_like(ordered)
    np.put_along_axis(out, np.argsort(target, axis, kind="stable"), ordered, axis)
    return out


def product_of_others(x: Any, axis: Any = None) -> Any:
    """For each item, the product of all others along the axes (of all items by default).

    It is divided where that loses nothing. Where a product is 0 or infinite, or has lost digits, there is no division.

    >>> product_of_others(np.array([2.0, 3.0, 0.0]))
    array([0., 0., 6.])
    """
    axes = (
        range(np.ndim(x))
        if axis is None or not np.ndim(x)
        else axis
        if isinstance(axis, tuple)
        else (axis,)
    )
    moved = np.moveaxis(1.0 * np.asarray(x), axes, range(len(axes)))
    length = math.prod(moved.shape[: len(axes)])
    flat = np.reshape(moved, (length, *moved.shape[len(axes) :]))
    whole = np.prod(flat, axis=0)
    size = np.abs(whole)
    if np.all((size > np.finfo(size.dtype).tiny) & (size < np.inf)):
        return np.moveaxis(
            np.reshape(whole / flat, moved.shape), range(len(axes)), axes
        )
    one = np.ones_like(flat[:1])
    before = np.cumprod(np.concatenate((one, flat[:-1])), axis=0)
    after = np.flip(np.cumprod(np.concatenate((one, np.flip(flat[1:], 0))), axis=0), 0)
    return np.moveaxis(
        np.reshape((before * after)[:length], moved.shape), range(len(axes)), axes
    )
