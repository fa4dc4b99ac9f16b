"""PolyBench's seidel-2d: nine points averaged element by element and in place, sweep after sweep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

TITLE = "seidel2d, T=15, N=100"
POSITION = 110

Array = NDArray[np.float64]


def primal(a: Array, sweeps: int) -> float:
    n = a.shape[0]
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = (
                    a[i - 1, j - 1]
                    + a[i - 1, j]
                    + a[i - 1, j + 1]
                    + a[i, j - 1]
                    + a[i, j]
                    + a[i, j + 1]
                    + a[i + 1, j - 1]
                    + a[i + 1, j]
                    + a[i + 1, j + 1]
                ) / 9.0
    return np.sum(a * a)


def hand(a: Array, sweeps: int) -> tuple[float, tuple[Array]]:
    a = a.copy()
    n = a.shape[0]
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = (
                    a[i - 1, j - 1]
                    + a[i - 1, j]
                    + a[i - 1, j + 1]
                    + a[i, j - 1]
                    + a[i, j]
                    + a[i, j + 1]
                    + a[i + 1, j - 1]
                    + a[i + 1, j]
                    + a[i + 1, j + 1]
                ) / 9.0

    a_bar = 2.0 * a
    for _ in range(sweeps):
        for i in range(n - 2, 0, -1):
            for j in range(n - 2, 0, -1):
                ninth = a_bar[i, j] / 9.0
                a_bar[i, j] = ninth
                a_bar[i - 1, j - 1] += ninth
                a_bar[i - 1, j] += ninth
                a_bar[i - 1, j + 1] += ninth
                a_bar[i, j - 1] += ninth
                a_bar[i, j + 1] += ninth
                a_bar[i + 1, j - 1] += ninth
                a_bar[i + 1, j] += ninth
                a_bar[i + 1, j + 1] += ninth
    return np.sum(a * a), (a_bar,)


def arguments() -> tuple[Array, int]:
    return np.random.default_rng(8).standard_normal((100, 100)), 15


def small_arguments() -> tuple[Array, int]:
    return np.random.default_rng(8).standard_normal((12, 12)), 3


WRT = ("a",)


def jax_primal() -> Callable[..., Any]:
    # As written, with loops that can be traced and `at[].set` for the assignment.
    import jax
    import jax.numpy as jnp

    def objective(a: Any, sweeps: Any) -> Any:
        n = a.shape[0]

        def point(j: Any, state: Any) -> Any:
            a, i = state
            nine = jax.lax.dynamic_slice(a, (i - 1, j - 1), (3, 3))
            return a.at[i, j].set(jnp.sum(nine) / 9.0), i

        def row(i: Any, a: Any) -> Any:
            return jax.lax.fori_loop(1, n - 1, point, (a, i))[0]

        def sweep(_: Any, a: Any) -> Any:
            return jax.lax.fori_loop(1, n - 1, row, a)

        return jnp.sum(jax.lax.fori_loop(0, sweeps, sweep, a) ** 2)

    return objective


def jax_expert_primal() -> Callable[..., Any]:
    # Row by row: what comes from the rows above, below and from the right is one vector, and what is left is the
    # recurrence x[j] = (x[j - 1] + b[j]) / 9 along the row.
    import jax
    import jax.numpy as jnp

    def objective(a: Any, sweeps: Any) -> Any:
        def row(above: Any, pair: Any) -> Any:
            here, below = pair
            three = above[:-2] + above[1:-1] + above[2:] + below[:-2] + below[1:-1] + below[2:]
            known = three + here[1:-1] + here[2:]

            def along(left: Any, b: Any) -> Any:
                entry = (left + b) / 9.0
                return entry, entry

            _, inner = jax.lax.scan(along, here[0], known, unroll=14)
            new = jnp.concatenate((here[:1], inner, here[-1:]))
            return new, new

        def sweep(a: Any, _: Any) -> Any:
            _, rows = jax.lax.scan(row, a[0], (a[1:-1], a[2:]))
            return jnp.concatenate((a[:1], rows, a[-1:])), None

        a, _ = jax.lax.scan(sweep, a, None, length=sweeps)
        return jnp.sum(a**2)

    return objective
