"""Fourier transforms: functions that generated code may call. NumPy only.

The same promises as in `runtime.py`, which hands these on. `g` is an incoming derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def refit(g: Any, shape: tuple[int, ...], axis: int) -> Any:
    """Cut an array along an axis, or fill it up with zeros, so that it has this shape.

    >>> refit(np.array([1.0, 2.0, 3.0]), (2,), 0), refit(np.array([1.0]), (2,), 0)
    (array([1., 2.]), array([1., 0.]))
    """
    out = np.zeros(shape, np.result_type(g))
    inside = np.moveaxis(out, axis, -1)
    given = np.moveaxis(g, axis, -1)
    count = min(np.shape(given)[-1], np.shape(inside)[-1])
    inside[..., :count] = given[..., :count]
    return out


def unirfft(g: Any, shape: tuple[int, ...], axis: int, norm: Any = None) -> Any:
    """The adjoint of `x` of this shape after `np.fft.irfft(x, axis=axis)`; `norm` is the other one.

    >>> unirfft(np.array([1.0, 0.0]), (2,), 0).real
    array([1., 1.])
    """
    out = np.fft.rfft(g, None, axis, norm)
    inside = np.moveaxis(out, axis, -1)
    inside[..., 1 : (np.shape(g)[axis] + 1) // 2] *= 2.0
    return refit(out, shape, axis)
