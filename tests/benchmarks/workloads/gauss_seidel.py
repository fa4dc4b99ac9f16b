"""Gauss-Seidel sweeps over a grid, element by element and in place: the loops that vectorised tools cannot write."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

TITLE = "Gauss-Seidel, N=64, T=20, element loops"
POSITION = 70

Array = NDArray[np.float64]


def primal(u: Array, sweeps: int) -> float:
    n = u.shape[0]
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return float(np.sum(u * u))


def hand(u: Array, sweeps: int) -> tuple[float, tuple[Array]]:
    u = u.copy()
    n = u.shape[0]
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])

    u_bar = 2.0 * u
    for _ in range(sweeps):
        for i in range(n - 2, 0, -1):
            for j in range(n - 2, 0, -1):
                quarter = 0.25 * u_bar[i, j]
                u_bar[i, j] = 0.0
                u_bar[i - 1, j] += quarter
                u_bar[i + 1, j] += quarter
                u_bar[i, j - 1] += quarter
                u_bar[i, j + 1] += quarter
    return float(np.sum(u * u)), (u_bar,)


def arguments() -> tuple[Array, int]:
    return np.random.default_rng(5).standard_normal((64, 64)), 20


WRT = ("u",)
