"""Elliptic integrals by their parameter: functions that generated code may call. NumPy only.

The same promises as in `helpers.py`, which hands these on.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def elliptic_moment(x: Any, m: Any, n: int, s: int) -> Any:
    """The integral of `sin(t)**(2*n) / (1 - m*sin(t)**2)**(s/2)` from 0 to `x`, for n of 1 or more and m up to 1.

    Each derivative by `m` of an elliptic integral is one of these (DLMF 19.4), also where m is 0. In the logarithm of
    `tan(t)` nothing that is integrated is steep, whatever m: Gauss's rule on pieces from where it rises from nothing.

    >>> np.round(8 / np.pi * elliptic_moment(0.5 * np.pi, 0.0, 1, 3), 12)
    np.float64(2.0)
    """
    x, m = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(m, np.float64))
    rest = 1.0 - np.where(m <= 1.0, m, np.nan)
    turns = np.round(x / np.pi)
    angles = np.stack((np.abs(x - turns * np.pi), np.full(np.shape(x), 0.5 * np.pi)))
    with np.errstate(divide="ignore", invalid="ignore"):
        end = np.clip(np.log(np.tan(np.abs(angles))), -200.0, 37.0)
        start = np.minimum(end, np.minimum(0.0, -0.5 * np.log(rest))) - 36.0 / (
            2 * n + 1
        )
    places, weights = np.polynomial.legendre.leggauss(20)
    pieces = np.arange(24.0)[:, None]
    shares = np.ravel((pieces + 0.5 + 0.5 * places) / 24.0)
    shape = (-1, *(1,) * np.ndim(end))
    t = np.exp(2.0 * (start + (end - start) * np.reshape(shares, shape)))
    heights = (
        (t / (1.0 + t)) ** (n + 0.5)
        * (1.0 + t) ** (0.5 * s - 0.5)
        / (1.0 + rest * t) ** (0.5 * s)
    )
    each = np.reshape(np.tile(weights, 24) / 48.0, shape)
    part, quarter = (end - start) * np.sum(each * heights, axis=0)
    quarter = np.where(m == 1.0, np.inf, quarter)
    whole = 2.0 * turns * np.where(turns == 0.0, 0.0, quarter)
    return np.where(
        (np.abs(x) == 0.5 * np.pi) | (part >= quarter),
        np.sign(x) * quarter,
        whole + np.sign(x - turns * np.pi) * part,
    )[()]
