"""Cholesky's factor element by element, as it stands in textbooks: three nested loops and a scalar that accumulates."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

TITLE = "Cholesky, N=100, loops"
POSITION = 90

Array = NDArray[np.float64]


def primal(a: Array) -> float:
    n = a.shape[0]
    factor = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= factor[i, k] * factor[j, k]
            if i == j:
                factor[i, i] = math.sqrt(s)
            else:
                factor[i, j] = s / factor[j, j]
    return np.sum(factor)


def hand(a: Array) -> tuple[float, tuple[Array]]:
    n = a.shape[0]
    factor = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= factor[i, k] * factor[j, k]
            if i == j:
                factor[i, i] = math.sqrt(s)
            else:
                factor[i, j] = s / factor[j, j]

    # Nothing is kept: each element of the factor is written once, and gives back what its adjoint needs.
    a_bar = np.zeros_like(a)
    factor_bar = np.ones((n, n))
    for i in range(n - 1, -1, -1):
        for j in range(i, -1, -1):
            if i == j:
                s_bar = 0.5 * factor_bar[i, i] / factor[i, i]
            else:
                s_bar = factor_bar[i, j] / factor[j, j]
                factor_bar[j, j] -= s_bar * factor[i, j]
            for k in range(j):
                factor_bar[i, k] -= s_bar * factor[j, k]
                factor_bar[j, k] -= s_bar * factor[i, k]
            a_bar[i, j] = s_bar
    return np.sum(factor), (a_bar,)


def arguments() -> tuple[Array]:
    return (definite(100),)


def small_arguments() -> tuple[Array]:
    return (definite(12),)


def definite(n: int) -> Array:
    """A well-conditioned symmetric positive definite matrix."""
    square = np.random.default_rng(6).standard_normal((n, n))
    return square @ square.T / n + np.eye(n)


def jax_primal() -> Callable[..., Any]:
    # The innermost loop has to become a masked product, since its length varies; the other two are loops as written.
    import jax
    import jax.numpy as jnp

    def objective(a: Any) -> Any:
        n = a.shape[0]

        def column(j: Any, state: Any) -> Any:
            factor, i = state
            s = a[i, j] - jnp.sum(jnp.where(jnp.arange(n) < j, factor[i] * factor[j], 0.0))
            on_diagonal = i == j
            # Both branches are computed: each needs an argument at which its derivative exists.
            root = jnp.sqrt(jnp.where(on_diagonal, s, 1.0))
            quotient = s / jnp.where(on_diagonal, 1.0, factor[j, j])
            entry = jnp.where(j <= i, jnp.where(on_diagonal, root, quotient), 0.0)
            safe = jnp.where(j <= i, entry, factor[i, j])
            return factor.at[i, j].set(safe), i

        def row(i: Any, factor: Any) -> Any:
            return jax.lax.fori_loop(0, n, column, (factor, i))[0]

        # Ones on the diagonal, overwritten in turn, so that no row divides by zero before it is reached.
        return jnp.sum(jax.lax.fori_loop(0, n, row, jnp.eye(n)))

    return objective


def jax_expert_primal() -> Callable[..., Any]:
    import jax.numpy as jnp

    def objective(a: Any) -> Any:
        # Only the lower triangle is read, as in the loops.
        lower = jnp.tril(a)
        return jnp.sum(jnp.linalg.cholesky(lower + jnp.tril(a, -1).T, symmetrize_input=False))

    return objective


def torch_expert_primal() -> Callable[..., Any]:
    import torch

    def objective(a: Any) -> Any:
        return torch.sum(torch.linalg.cholesky(torch.tril(a) + torch.tril(a, -1).T))

    return objective
