"""Gauss-Seidel sweeps over a grid, element by element and in place: the loops that vectorised tools cannot write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


def casadi_primal() -> Callable[..., Any]:
    import casadi

    def objective(u: Any, sweeps: int) -> Any:
        # The matrix of symbols is the input: what is set goes into another.
        u = casadi.SX(u)
        n = u.shape[0]
        for _ in range(sweeps):
            for i in range(1, n - 1):
                for j in range(1, n - 1):
                    u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        return casadi.sumsqr(u)

    return objective


def jax_primal() -> Callable[..., Any]:
    # As written, with loops that can be traced and `at[].set` for the assignment.
    import jax
    import jax.numpy as jnp

    def objective(u: Any, sweeps: Any) -> Any:
        n = u.shape[0]

        def point(j: Any, state: Any) -> Any:
            u, i = state
            return u.at[i, j].set(0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])), i

        def row(i: Any, u: Any) -> Any:
            return jax.lax.fori_loop(1, n - 1, point, (u, i))[0]

        def sweep(_: Any, u: Any) -> Any:
            return jax.lax.fori_loop(1, n - 1, row, u)

        return jnp.sum(jax.lax.fori_loop(0, sweeps, sweep, u) ** 2)

    return objective


def jax_expert_primal() -> Callable[..., Any]:
    # Row by row, each a recurrence along it: u[j] = (u[j - 1] + b[j]) / 4.
    import jax
    import jax.numpy as jnp

    def objective(u: Any, sweeps: Any) -> Any:
        def row(above: Any, pair: Any) -> Any:
            here, below = pair
            known = above[1:-1] + below[1:-1] + here[2:]

            def along(left: Any, b: Any) -> Any:
                entry = 0.25 * (left + b)
                return entry, entry

            _, inner = jax.lax.scan(along, here[0], known, unroll=16)
            new = jnp.concatenate((here[:1], inner, here[-1:]))
            return new, new

        def sweep(u: Any, _: Any) -> Any:
            _, rows = jax.lax.scan(row, u[0], (u[1:-1], u[2:]))
            return jnp.concatenate((u[:1], rows, u[-1:])), None

        u, _ = jax.lax.scan(sweep, u, None, length=sweeps)
        return jnp.sum(u**2)

    return objective
