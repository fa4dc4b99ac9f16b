"""PolyBench's syrk: the lower triangle of beta C + alpha A A', by loops with the innermost one a slice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

TITLE = "syrk, M=150, N=200, loops"
POSITION = 120

Array = NDArray[np.float64]


def primal(alpha: float, beta: float, c: Array, a: Array) -> float:
    n, m = a.shape
    for i in range(n):
        c[i, : i + 1] *= beta
        for k in range(m):
            c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]
    return np.sum(c * c)


def hand(alpha: float, beta: float, c: Array, a: Array) -> tuple[float, tuple[float, float, Array, Array]]:
    given, c = c, c.copy()
    n, m = a.shape
    for i in range(n):
        c[i, : i + 1] *= beta
        for k in range(m):
            c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]

    value = np.sum(c * c)
    c_bar = 2.0 * c
    a_bar = np.zeros_like(a)
    alpha_bar = 0.0
    beta_bar = 0.0
    for i in range(n - 1, -1, -1):
        row_bar = c_bar[i, : i + 1]
        for k in range(m - 1, -1, -1):
            column = a[: i + 1, k]
            # One product serves both factors in front of the column.
            factor_bar = np.dot(row_bar, column)
            alpha_bar += factor_bar * a[i, k]
            a_bar[: i + 1, k] += alpha * a[i, k] * row_bar
            a_bar[i, k] += alpha * factor_bar
        beta_bar += np.dot(row_bar, given[i, : i + 1])
        row_bar *= beta
    return value, (alpha_bar, beta_bar, c_bar, a_bar)


def arguments() -> tuple[float, float, Array, Array]:
    return sized(150, 200)


def small_arguments() -> tuple[float, float, Array, Array]:
    return sized(6, 9)


def sized(m: int, n: int) -> tuple[float, float, Array, Array]:
    """Scalars, a square C and a rectangular A."""
    rng = np.random.default_rng(9)
    return 0.3, 0.9, rng.standard_normal((n, n)), rng.standard_normal((n, m))


def jax_primal() -> Callable[..., Any]:
    # As written: a slice whose length varies becomes a masked row.
    import jax
    import jax.numpy as jnp

    def objective(alpha: Any, beta: Any, c: Any, a: Any) -> Any:
        n, m = a.shape
        places = jnp.arange(n)

        def row(i: Any, c: Any) -> Any:
            c = c.at[i].set(jnp.where(places <= i, beta * c[i], c[i]))

            def term(k: Any, c: Any) -> Any:
                return c.at[i].add(jnp.where(places <= i, alpha * a[i, k] * a[:, k], 0.0))

            return jax.lax.fori_loop(0, m, term, c)

        return jnp.sum(jax.lax.fori_loop(0, n, row, c) ** 2)

    return objective


def jax_expert_primal() -> Callable[..., Any]:
    import jax.numpy as jnp

    def objective(alpha: Any, beta: Any, c: Any, a: Any) -> Any:
        lower = jnp.tril(jnp.ones(c.shape, dtype=bool))
        return jnp.sum(jnp.where(lower, beta * c + alpha * (a @ a.T), c) ** 2)

    return objective


def torch_expert_primal() -> Callable[..., Any]:
    import torch

    def objective(alpha: Any, beta: Any, c: Any, a: Any) -> Any:
        lower = torch.tril(torch.ones(c.shape, dtype=torch.bool))
        return torch.sum(torch.where(lower, beta * c + alpha * (a @ a.T), c) ** 2)

    return objective
