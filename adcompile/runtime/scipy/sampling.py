"""Arrays read between their items: functions that generated code may call. NumPy only, and SciPy's own as given.

The same promises as in `helpers.py`, which hands these on. `scipy.ndimage.map_coordinates` reads the items around a
place with weights: those of B-splines, of coefficients that a filter has made of the items before. That filter turns
into its own transpose where the ends count half, since beyond them the array is mirrored.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np


def spline_taps(order: int, t: Any) -> list[tuple[int, Any, Any, Any]]:
    """How far off the items are that are read at a place `t` behind one: their weights, and two derivatives of these.

    >>> [(k, *map(float, weights)) for k, *weights in spline_taps(1, np.array(0.25))]
    [(0, 0.75, -1.0, 0.0), (1, 0.25, 1.0, 0.0)]
    """
    one, r, zero = np.ones_like(t), 1.0 - t, 0.0 * t
    if order == 0:
        return [(0, one, zero, zero)]
    if order == 1:
        return [(0, r, -one, zero), (1, t, one, zero)]
    return [
        (-1, r**3 / 6.0, -0.5 * r**2, r),
        (0, 2.0 / 3.0 - t**2 + 0.5 * t**3, 1.5 * t**2 - 2.0 * t, 3.0 * t - 2.0),
        (1, 2.0 / 3.0 - r**2 + 0.5 * r**3, 2.0 * r - 1.5 * r**2, 3.0 * r - 2.0),
        (2, t**3 / 6.0, 0.5 * t**2, t),
    ]


def sampled_items(
    shape: Any, coordinates: Any, order: int, mode: str
) -> tuple[Any, list[Any]]:
    """Which places are inside, and for each axis the items that are read: indices, weights and derivatives of these."""
    inside = np.ones(np.shape(coordinates[0]), bool)
    axes = []
    for n, c in zip(shape, coordinates, strict=True):
        within = (c >= 0) & (c <= n - 1)
        if mode == "constant":
            inside = inside & within
        place = np.clip(c, 0, n - 1)
        first = (
            np.floor(place + 0.5)
            if order == 0
            else np.clip(np.floor(place), 0, max(n - 2, 0))
        )
        taps = []
        for k, weight, *slopes in spline_taps(order, place - first):
            index = np.abs(first.astype(int) + k)
            index = (
                np.where(index > n - 1, 2 * (n - 1) - index, index)
                if n > 1
                else 0 * index
            )
            inner = [np.where(within, slope, 0.0) for slope in slopes]
            taps.append((index, weight, *inner))
        axes.append(taps)
    return inside, axes


def sampled_transpose(
    v: Any, filtered: Any, shape: Any, coordinates: Any, order: int, mode: str
) -> Any:
    """The transpose of `scipy.ndimage.map_coordinates(x, coordinates, order=order, mode=mode)` by `x`.

    >>> sampled_transpose(np.array([2.0]), None, (3,), [np.array([0.25])], 1, "constant")
    array([1.5, 0.5, 0. ])
    """
    inside, axes = sampled_items(shape, coordinates, order, mode)
    out = np.zeros(shape, v.dtype)
    kept = np.where(inside, v, 0.0)
    for taps in itertools.product(*axes):
        index = tuple([tap[0] for tap in taps])
        np.add.at(out, index, kept * tap_weight(taps, ()))
    return unfiltered(out, filtered, shape, order)


def tap_weight(taps: Any, by: Any) -> Any:
    """The weight with which an item is read, or its derivative by some of the coordinates."""
    weight = 1.0
    for axis, tap in enumerate(taps):
        weight = weight * tap[1 + by.count(axis)]
    return weight


def unfiltered(v: Any, filtered: Any, shape: Any, order: int) -> Any:
    """The transpose of the filter that makes coefficients of items."""
    if order < 2:
        return v
    out = v
    for axis, n in enumerate(shape):
        half = np.ones([n if k == axis else 1 for k in range(len(shape))])
        if n > 1:
            half.flat[0] = half.flat[n - 1] = 0.5
        out = half * filtered(out / half, order, axis, mode="mirror")
    return np.asarray(out, v.dtype)


def sampled_slopes(
    filtered: Any, x: Any, coordinates: Any, order: int, mode: str
) -> Any:
    """The derivatives of `scipy.ndimage.map_coordinates(x, coordinates, order=order, mode=mode)` by the coordinates.

    >>> sampled_slopes(None, np.array([1.0, 3.0, 7.0]), [np.array([0.25, 1.5])], 1, "nearest")
    array([[2., 4.]])
    """
    inside, axes = sampled_items(np.shape(x), coordinates, order, mode)
    dtype = np.result_type(x, *coordinates)
    if order > 1:
        for axis in range(np.ndim(x)):
            x = filtered(x, order, axis, mode="mirror")
    slopes = np.zeros((len(axes), *np.shape(inside)), dtype)
    for taps in itertools.product(*axes):
        items = np.where(inside, x[tuple([tap[0] for tap in taps])], 0.0)
        for k in range(len(axes)):
            slopes[k] += items * tap_weight(taps, (k,))
    return slopes


def sampled_slopes_vjp(
    v: Any, filtered: Any, shape: Any, coordinates: Any, order: int, mode: str
) -> Any:
    """The adjoint of `x` from that of `sampled_slopes`.

    >>> sampled_slopes_vjp(np.array([[2.0]]), None, (3,), [np.array([0.25])], 1, "constant")
    array([-2.,  2.,  0.])
    """
    inside, axes = sampled_items(shape, coordinates, order, mode)
    out = np.zeros(shape, v.dtype)
    kept = np.where(inside, v, 0.0)
    for taps in itertools.product(*axes):
        index = tuple([tap[0] for tap in taps])
        for k in range(len(axes)):
            np.add.at(out, index, kept[k] * tap_weight(taps, (k,)))
    return unfiltered(out, filtered, shape, order)


def sampled_bends(
    filtered: Any, x: Any, coordinates: Any, order: int, mode: str
) -> Any:
    """The second derivatives of `scipy.ndimage.map_coordinates` by the coordinates, along the first two axes.

    >>> sampled_bends(None, np.array([[0.0, 0.0], [0.0, 3.0]]), np.array([[0.5], [0.5]]), 1, "nearest")[:, :, 0]
    array([[0., 3.],
           [3., 0.]])
    """
    inside, axes = sampled_items(np.shape(x), coordinates, order, mode)
    dtype = np.result_type(x, *coordinates)
    if order > 1:
        for axis in range(np.ndim(x)):
            x = filtered(x, order, axis, mode="mirror")
    bends = np.zeros((len(axes), len(axes), *np.shape(inside)), dtype)
    for taps in itertools.product(*axes):
        items = np.where(inside, x[tuple([tap[0] for tap in taps])], 0.0)
        for k, m in np.ndindex(len(axes), len(axes)):
            bends[k, m] += items * tap_weight(taps, (k, m))
    return bends


def shifted_places(shape: Any, shift: Any) -> Any:
    """The places at which `scipy.ndimage.shift` reads.

    >>> shifted_places((3,), 0.5)
    array([[-0.5,  0.5,  1.5]])
    """
    steps = np.broadcast_to(shift, len(shape))
    return np.indices(shape, np.float64) - np.reshape(steps, (-1,) + (1,) * len(shape))


def zoomed_places(shape: Any, size: Any) -> Any:
    """The places at which `scipy.ndimage.zoom` reads to make an image of the shape `size`.

    >>> zoomed_places((3,), (5,))
    array([[0. , 0.5, 1. , 1.5, 2. ]])
    """
    scales = [
        (n - 1) / (m - 1) if m > 1 else 1.0 for n, m in zip(shape, size, strict=True)
    ]
    return np.indices(size, np.float64) * np.reshape(scales, (-1,) + (1,) * len(size))


def mapped_places(matrix: Any, offset: Any, size: Any) -> Any:
    """The places at which `scipy.ndimage.affine_transform` reads.

    >>> mapped_places(np.array([2.0]), 0.5, (2,))
    array([[0.5, 2.5]])
    """
    places = np.indices(size, np.float64)
    square = np.diag(matrix) if np.ndim(matrix) == 1 else matrix
    start = np.reshape(np.broadcast_to(offset, len(size)), (-1,) + (1,) * len(size))
    return np.tensordot(square, places, 1) + start


def turned_places(shape: Any, angle: Any, axes: Any, size: Any) -> Any:
    """The places at which `scipy.ndimage.rotate` reads to make an image of the shape `size`.

    >>> turned_places((2, 2), 90.0, (1, 0), (2, 2))[0]
    array([[0., 1.],
           [0., 1.]])
    """
    first, second = sorted(axis % len(shape) for axis in axes)
    quarter = angle % 360 / 90
    cos, sin = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
    if quarter == int(quarter):
        cos, sin = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)][int(quarter)]
    turn = np.array([[cos, sin], [-sin, cos]])
    middle = [(np.array([s[first], s[second]]) - 1) / 2 for s in (shape, size)]
    start = middle[0] - turn @ middle[1]
    places = np.indices(size, np.float64)
    turned = np.tensordot(turn, places[[first, second]], 1)
    places[[first, second]] = turned + np.reshape(start, (-1,) + (1,) * len(size))
    return places
