"""Rotations by their quaternions: functions that generated code may call. NumPy only, and SciPy's class as given.

The same promises as in `helpers.py`, which hands these on.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def of_rotation(make: Any, q: Any, name: str, *args: Any) -> Any:
    """What a method of the rotation with this quaternion gives: `make(q).as_matrix()`, say."""
    return getattr(make(q, normalize=False), name)(*args)


def turned_from(make: Any, q: Any, vectors: Any, inverse: bool) -> Any:
    """Vectors turned by the rotation with this quaternion, or back."""
    return make(q, normalize=False).apply(vectors, inverse)


def quaternion_made(function: Any, *args: Any) -> Any:
    """The quaternion of the rotation that a function makes."""
    return function(*args).as_quat()


def quaternions_met(make: Any, p: Any, q: Any) -> Any:
    """The quaternion of two rotations, of which the second one turns first."""
    return (make(p, normalize=False) * make(q, normalize=False)).as_quat()


def quaternion_held(rotation: Any) -> Any:
    """The quaternion of a rotation that is held fixed."""
    return rotation.as_quat()


def axes_in_order(seq: str) -> Any:
    """The axes around which a rotation by angles turns, from the last one to the first, as their numbers.

    >>> axes_in_order("ZX"), axes_in_order("zx")
    (array([2, 0]), array([0, 2]))
    """
    axes = ["xyz".index(letter) for letter in seq.lower()]
    return np.array(axes if seq.isupper() else axes[::-1])


def places_in_order(seq: str) -> Any:
    """Which of the angles belongs to each of these axes.

    >>> places_in_order("ZX"), places_in_order("zx")
    (array([0, 1]), array([1, 0]))
    """
    places = np.arange(len(seq))
    return places if seq.isupper() else places[::-1]
