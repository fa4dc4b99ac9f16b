"""Shapes and places: functions that generated code may call. NumPy only.

The same promises as in `helpers.py`, which hands these on: each stands by itself or calls others of these files, and
keeps to the language that the compiler accepts. `g` is an incoming derivative.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# --------------------------------------------------------------------------------------------------- shapes


def unbroadcast(g: Any, shape: tuple[int, ...]) -> Any:
    """Sum an adjoint down to the shape of an argument that broadcasting stretched.

    >>> unbroadcast(np.ones((2, 3)), (3,))
    array([2., 2., 2.])
    >>> unbroadcast(np.ones((2, 3)), (2, 1))
    array([[3.],
           [3.]])
    >>> unbroadcast(np.ones(3), (1, 1))  # it was stored where there are fewer axes
    array([[3.]])
    """
    have = np.shape(g)
    if have == shape:
        return g
    new = len(have) - len(shape)
    if have and new < 0:
        have, new = (1,) * -new + have, 0
        g = np.reshape(g, have)
    if new >= 0:
        stretched = [
            axis
            for axis in range(new, len(have))
            if shape[axis - new] == 1 and have[axis] != 1
        ]
        if new or stretched:
            g = np.sum(g, axis=(*range(new), *stretched), keepdims=True)
            g = np.reshape(g, np.shape(g)[new:])
    return g[()] if np.shape(g) == shape else np.broadcast_to(g, shape)


def real_like(g: Any, value: Any) -> Any:
    """The real part of an adjoint where the value that it belongs to is real, in as many digits as the value has.

    >>> real_like(1.0 + 2.0j, 3.0), real_like(1.0 + 2.0j, 3j)
    (1.0, (1+2j))
    >>> real_like(np.ones(1, np.float32), np.zeros(1)).dtype
    dtype('float64')
    """
    real = g if np.iscomplexobj(value) or not np.iscomplexobj(g) else g.real
    if not isinstance(real, np.ndarray | np.generic):
        return real
    return real.astype(np.result_type(real, value), copy=False)


def unless_whole(g: Any, into: Any) -> Any:
    """What goes into an array, or into items of it: nothing into one of whole numbers, which leaves the fraction out.

    >>> unless_whole(2.0, np.zeros(3)), unless_whole(2.0, np.arange(3).flat)
    (2.0, 0.0)
    """
    array = into.base if isinstance(into, np.flatiter) else into
    if not isinstance(array, np.ndarray | np.generic) or array.dtype.kind not in "iub":
        return g
    return np.zeros_like(g) if isinstance(g, np.ndarray) else 0.0


def flat_places(index: Any, like: Any) -> Any:
    """The places in an array that an index means in `like.flat`.

    >>> flat_places([0, -1], np.zeros((2, 2)))
    (array([0, 1]), array([0, 1]))
    """
    return np.unravel_index(np.arange(np.size(like))[index], np.shape(like))


def along_axis(indices: Any, axis: int, like: Any) -> Any:
    """The places in an array that `np.put_along_axis(like, indices, values, axis)` writes to.

    >>> along_axis(np.array([[1], [0]]), 1, np.zeros((2, 2)))
    (array([[0],
           [1]]), array([[1],
           [0]]))
    """
    shape = list(np.shape(like))
    shape[axis] = 1
    grid = list(np.indices(shape, sparse=True))
    grid[axis] = indices
    return tuple(grid)


def unsum(g: Any, xs: Any) -> Any:
    """The adjoints of the items of `sum(xs)`, which may be arrays that broadcast against each other.

    >>> unsum(np.ones(2), [np.zeros(1), np.zeros(2)])
    [array([2.]), array([1., 1.])]
    """
    each = [
        unbroadcast(g if np.iscomplexobj(x) else np.real(g), np.shape(x)) for x in xs
    ]
    return np.reshape(each, np.shape(xs)) if isinstance(xs, np.ndarray) else each


def sum_to_length(g: Any, size: int) -> Any:
    """Sum the adjoint of a vector down to its length, if broadcasting stretched it.

    >>> sum_to_length(np.array([1.0, 2.0]), 1), sum_to_length(np.array([1.0, 2.0]), 2)
    (array([3.]), array([1., 2.]))
    """
    if len(g) == size:
        return g
    return np.full(size, np.sum(g))


def unbroadcast_each(g: Any, xs: Any) -> list[Any]:
    """The adjoints of several arrays that were broadcast against each other, given one each.

    >>> unbroadcast_each([np.ones(2), np.ones(2)], [np.zeros(1), np.zeros(2)])
    [array([2.]), array([1., 1.])]
    """
    return [unbroadcast(part, np.shape(x)) for part, x in zip(g, xs, strict=True)]


def reshape_each(g: Any, xs: Any) -> list[Any]:
    """The adjoints of several arrays that got axes of length 1.

    >>> reshape_each([np.ones((1, 2)), np.ones((1, 1))], [np.zeros(2), 0.5])
    [array([1., 1.]), np.float64(1.0)]
    """
    parts = [np.reshape(part, np.shape(x)) for part, x in zip(g, xs, strict=True)]
    return [
        p if isinstance(x, np.ndarray) else p[()]
        for p, x in zip(parts, xs, strict=True)
    ]


def layout_of(x: Any, order: Any) -> Any:
    """The places of an array's items, in the order of `np.ravel(x, order)`, which follows the memory.

    >>> layout_of(np.zeros((2, 3)).T, "K"), layout_of(np.zeros((2, 2)), "K")
    (array([0, 2, 4, 1, 3, 5]), array([0, 1, 2, 3]))
    """
    places = np.empty_like(x, int)
    places[...] = np.reshape(np.arange(np.size(x)), np.shape(x))
    return np.ravel(places, order)


def unreduce(
    g: Any, shape: tuple[int, ...], axis: Any = None, keepdims: Any = False
) -> Any:
    """Stretch the adjoint of a reduction's result to the shape of what was reduced.

    >>> unreduce(np.array([1.0, 2.0]), (2, 3), axis=1)
    array([[1., 1., 1.],
           [2., 2., 2.]])
    """
    # a number may be reduced along axis 0, too
    if axis is not None and not keepdims and shape:
        g = np.expand_dims(g, axis)
    return np.broadcast_to(g, shape)


def scatter(g: Any, index: Any, like: Any) -> Any:
    """The adjoint of `like` after reading `like[index]`: zeros with `g` at the index, repeated places added up.

    >>> scatter(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 0]), np.zeros(4))
    array([5., 0., 2., 0.])
    """
    out = np.zeros(np.shape(like), np.result_type(np.asarray(like), g))
    parts = index if isinstance(index, tuple) else (index,)
    if any(
        isinstance(part, list | np.ndarray) and np.asarray(part).dtype.kind != "b"
        for part in parts
    ):
        np.add.at(out, index, g)
    else:
        out[index] = g
    return out


# ----------------------------------------------------------------------------------------- rearranged arrays


def undiagonal(
    g: Any, shape: tuple[int, ...], offset: int = 0, axis1: int = 0, axis2: int = 1
) -> Any:
    """Zeros of this shape with `g` on a diagonal: the transpose of `np.diagonal`.

    >>> undiagonal(np.array([1.0, 2.0]), (2, 3), 1)
    array([[0., 1., 0.],
           [0., 0., 2.]])
    """
    out = np.zeros(shape, np.result_type(g))
    moved = np.moveaxis(out, (axis1, axis2), (-2, -1))
    row, column = max(-offset, 0), max(offset, 0)
    places = np.arange(max(0, min(moved.shape[-2] - row, moved.shape[-1] - column)))
    moved[..., places + row, places + column] = g
    return out


def unwindow(g: Any, shape: tuple[int, ...], window: Any, axis: Any = None) -> Any:
    """The adjoint of `x` of this shape after `np.lib.stride_tricks.sliding_window_view(x, window, axis)`.

    >>> unwindow(np.array([[1.0, 2.0], [3.0, 4.0]]), (3,), 2)
    array([1., 5., 4.])
    """
    lengths = (window,) if isinstance(window, int) else tuple(window)
    axes = (axis,) if isinstance(axis, int) else axis or range(len(shape))
    out = np.zeros(shape, np.result_type(g))
    for offsets in np.ndindex(lengths):  # of one item of each window
        first = [0] * len(shape)
        for k in range(len(lengths)):
            first[axes[k]] += offsets[k]
        place = tuple(slice(a, a + n) for a, n in zip(first, np.shape(g), strict=False))
        out[place] += g[(..., *offsets)]
    return out


def unrepeat(g: Any, shape: tuple[int, ...], repeats: Any, axis: Any = None) -> Any:
    """The adjoint of `x` of this shape after `np.repeat(x, repeats, axis)`.

    >>> unrepeat(np.array([1.0, 2.0, 4.0]), (2,), [1, 2])
    array([1., 6.])
    """
    g = g if axis is None else np.moveaxis(g, axis, 0)
    length = shape[axis] if axis is not None and shape else math.prod(shape)
    out = np.zeros((length, *np.shape(g)[1:]), np.result_type(g))
    np.add.at(out, np.repeat(np.arange(length), repeats), g)
    return (
        np.reshape(out, shape)
        if axis is None or not shape
        else np.moveaxis(out, 0, axis)
    )


def untile(g: Any, shape: tuple[int, ...], reps: Any) -> Any:
    """The adjoint of `x` of this shape after `np.tile(x, reps)`.

    >>> untile(np.arange(4.0), (2,), 2)
    array([2., 4.])
    """
    # of nothing, -1 times is nothing
    counts = tuple(max(n, 0) for n in np.ravel(reps).tolist())
    rank = max(len(shape), len(counts))
    counts = (1,) * (rank - len(counts)) + counts
    lengths = (1,) * (rank - len(shape)) + shape
    split = np.reshape(
        g, tuple(n for pair in zip(counts, lengths, strict=True) for n in pair)
    )
    return np.reshape(np.sum(split, axis=tuple(range(0, 2 * rank, 2))), shape)


def unresize(g: Any, shape: tuple[int, ...]) -> Any:
    """The adjoint of `x` of this shape after `np.resize(x, ...)`, which has its items in turn.

    >>> unresize(np.arange(5.0), (3,))
    array([3., 5., 2.])
    """
    size = math.prod(shape)
    out = np.zeros(size, np.result_type(g))
    if size:
        np.add.at(out, np.arange(np.size(g)) % size, np.ravel(g))
    return np.reshape(out, shape)


def untake(g: Any, indices: Any, like: Any, axis: Any = None) -> Any:
    """The adjoint of `like` after `np.take(like, indices, axis)`; repeated places add up.

    >>> untake(np.array([1.0, 2.0]), [1, 1], np.zeros(3))
    array([0., 3., 0.])
    """
    if axis is None:
        return np.reshape(
            scatter(g, np.asarray(indices), np.ravel(like)), np.shape(like)
        )
    # of nothing no items are taken, even at places that are not there
    if np.size(like) == 0:
        return np.zeros(np.shape(like), np.result_type(np.asarray(like), g))
    if np.ndim(like) == 0:  # a number counts as an array of one
        return np.reshape(untake(g, indices, np.ravel(like), axis), ())
    axis = axis % np.ndim(like)
    rank = np.ndim(indices)
    moved = np.moveaxis(g, range(axis, axis + rank), range(rank))
    out = scatter(moved, np.asarray(indices), np.moveaxis(like, axis, 0))
    return np.moveaxis(out, 0, axis)


def untake_along(g: Any, indices: Any, like: Any, axis: int) -> Any:
    """The adjoint of `like` after `np.take_along_axis(like, indices, axis)`.

    >>> untake_along(np.array([1.0, 2.0]), np.array([2, 2]), np.zeros(3), 0)
    array([0., 0., 3.])
    """
    grid: list[Any] = list(
        np.indices(np.shape(like), sparse=True)
    )  # an index may be stretched along these
    grid[axis] = indices
    return scatter(g, tuple(grid), like)


def ungrid(
    g: Any, xs: tuple[Any, ...], indexing: str = "xy", sparse: Any = False
) -> list[Any]:
    """The adjoints of `xs` after `np.meshgrid(*xs, indexing=indexing, sparse=sparse)`.

    >>> ungrid([np.ones((2, 3)), np.ones((2, 3))], (np.zeros(3), np.zeros(2)))
    [array([2., 2., 2.]), array([3., 3.])]
    """
    if sparse:
        return reshape_each(g, xs)
    places = list(range(len(xs)))
    if indexing == "xy" and len(xs) > 1:
        places[:2] = [1, 0]
    sums: list[Any] = [
        np.sum(g[k], axis=tuple(a for a in range(len(xs)) if a != places[k]))
        for k in range(len(xs))
    ]
    return reshape_each(sums, xs)


def rolled_to(rank: int, axis: int, start: int) -> int:
    """Where `np.rollaxis` puts an axis of an array of this rank.

    >>> rolled_to(3, -1, -2), rolled_to(3, 0, 3)
    (1, 2)
    """
    axis, start = axis % rank, start + rank if start < 0 else start
    return start - (start > axis)


def unselect(g: Any, conditions: Any, choices: Any) -> list[Any]:
    """The adjoints of the arrays from which `np.select` chooses: each gets what it was chosen for.

    >>> unselect(np.array([1.0, 2.0]), [np.array([True, False]), True], [np.zeros(2), 0.5])
    [array([1., 0.]), np.float64(2.0)]
    """
    adjoints, left = [], np.ones(np.shape(g), bool)
    for condition, choice in zip(conditions, choices, strict=True):
        adjoint = unbroadcast(np.where(left & condition, g, 0), np.shape(choice))
        adjoints.append(adjoint if np.iscomplexobj(choice) else np.real(adjoint))
        left = left & np.logical_not(condition)
    return adjoints
