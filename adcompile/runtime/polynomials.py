"""Polynomials, highest power first: functions that generated code may call. NumPy only.

The same promises as in `helpers.py`, which hands these on. `g` is an incoming derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def refront(p: Any, count: int) -> Any:
    """The same polynomial with `count` coefficients: zeros in front, or coefficients less.

    >>> refront(np.array([1.0, 2.0]), 3), refront(np.array([0.0, 1.0]), 1)
    (array([0., 1., 2.]), array([1.]))
    """
    return (
        p[len(p) - count :]
        if len(p) >= count
        else np.concatenate((np.zeros(count - len(p), p.dtype), p))
    )


def powers_down(power: int, count: int, times: int) -> Any:
    """What the coefficients of x**power, x**(power - 1) ... are multiplied by when derived so many times.

    >>> powers_down(3, 2, 2)
    array([6., 2.])
    """
    factors = np.ones(count)
    for k in range(times):
        factors = factors * (power - k - np.arange(count))
    return factors


def polyder_vjp(g: Any, count: int, times: int) -> Any:
    """The adjoint of the `count` coefficients of a polynomial that was derived so many times.

    >>> polyder_vjp(np.array([1.0, 1.0]), 3, 1)
    array([2., 1., 0.])
    """
    kept = g[len(g) - max(count - times, 0) :]
    return np.concatenate(
        (
            kept * powers_down(count - 1, len(kept), times),
            np.zeros(count - len(kept), g.dtype),
        )
    )


def poly_slope(x: Any) -> Any:
    """The derivatives of the coefficients of (t - x[0]) (t - x[1]) ... by the roots, a column a root.

    >>> poly_slope(np.array([1.0, 2.0]))
    array([[ 0.,  0.],
           [-1., -1.],
           [ 2.,  1.]])
    """
    slope = np.zeros((len(x) + 1, len(x)), x.dtype)
    for k in range(len(x)):
        others = np.ones(1, x.dtype)
        for j in range(len(x)):
            if j != k:
                others = np.convolve(others, np.array([1.0, -x[j]], x.dtype))
        slope[1:, k] = -others
    return slope
