"""Arrays read between their items: functions that generated code may call. NumPy only, and SciPy's own as given.

The same promises as in `helpers.py`, which hands these on. `scipy.ndimage.map_coordinates` reads the items around a
place with weights: those of B-splines, of coefficients that a filter has made of the items before. That filter turns
into its own transpose where the ends count half, since beyond them the array is mirrored.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np


def spline_taps(order: int, t: Any) -> list[tuple[int, Any, Any]]:
    """How far off the items are that are read at a place `t` behind one, with their weights and the slopes of these.

    >>> [(k, float(w), float(slope)) for k, w, slope in spline_taps(1, np.array(0.25))]
    [(0, 0.75, -1.0), (1, 0.25, 1.0)]
    """
    one, r = np.ones_like(t), 1.0 - t
    if order == 0:
        return [(0, one, 0.0 * t)]
    if order == 1:
        return [(0, r, -one), (1, t, one)]
    return [
        (-1, r**3 / 6.0, -0.5 * r**2),
        (0, 2.0 / 3.0 - t**2 + 0.5 * t**3, 1.5 * t**2 - 2.0 * t),
        (1, 2.0 / 3.0 - r**2 + 0.5 * r**3, 2.0 * r - 1.5 * r**2),
        (2, t**3 / 6.0, 0.5 * t**2),
    ]


def sampled_items(
    shape: Any, coordinates: Any, order: int, mode: str
) -> tuple[Any, list[Any]]:
    """Which places are inside, and for each axis the items that are read: their indices, weights and slopes."""
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
        for k, weight, slope in spline_taps(order, place - first):
            index = np.abs(first.astype(int) + k)
            index = (
                np.where(index > n - 1, 2 * (n - 1) - index, index)
                if n > 1
                else 0 * index
            )
            taps.append((index, weight, np.where(within, slope, 0.0)))
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
        weight = kept
        for _, w, _ in taps:
            weight = weight * w
        np.add.at(out, tuple([index for index, _, _ in taps]), weight)
    if order < 2:
        return out
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
    if order > 1:
        for axis in range(np.ndim(x)):
            x = filtered(x, order, axis, mode="mirror")
    slopes = np.zeros((len(axes), *np.shape(inside)))
    for taps in itertools.product(*axes):
        items = np.where(inside, x[tuple([index for index, _, _ in taps])], 0.0)
        for k in range(len(axes)):
            part = items
            for axis, (_, weight, slope) in enumerate(taps):
                part = part * (slope if axis == k else weight)
            slopes[k] += part
    return slopes


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
