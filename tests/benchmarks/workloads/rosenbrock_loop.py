"""Rosenbrock's function element by element, as it stands in textbooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

TITLE = "Rosenbrock, n=1000, element loop"
POSITION = 50

Array = NDArray[np.float64]


def primal(x: Array) -> float:
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def hand(x: Array) -> tuple[float, tuple[Array]]:
    # Two sweeps, as a compiler writes them. (Both in one loop, which only works because the sum is linear in what
    # each iteration adds, would take 0.8 of this time.)
    total = 0.0
    valley_tape = []
    for i in range(len(x) - 1):
        valley = x[i + 1] - x[i] ** 2
        valley_tape.append(valley)
        total += 100.0 * valley**2 + (1.0 - x[i]) ** 2

    x_bar = np.zeros_like(x)
    for i in reversed(range(len(x) - 1)):
        valley_bar = 200.0 * valley_tape.pop()
        here = x[i]
        x_bar[i + 1] += valley_bar
        x_bar[i] -= 2.0 * (valley_bar * here + 1.0 - here)
    return total, (x_bar,)


def hand_numba(x: Array) -> tuple[float, tuple[Array]]:
    # Nothing is kept: the valley is cheaper to compute again. Gathered, so that nothing is written twice.
    total = 0.0
    n = len(x)
    x_bar = np.empty_like(x)
    for i in range(n - 1):
        here = x[i]
        valley = x[i + 1] - here * here
        total += 100.0 * valley * valley + (1.0 - here) * (1.0 - here)
        x_bar[i] = -2.0 * (200.0 * valley * here + 1.0 - here)
    x_bar[n - 1] = 0.0
    for i in range(1, n):
        x_bar[i] += 200.0 * (x[i] - x[i - 1] * x[i - 1])
    return total, (x_bar,)


def arguments() -> tuple[Array]:
    return (np.random.default_rng(1).standard_normal(1000),)


def autograd_primal() -> Callable[..., Any]:
    import autograd  # noqa: F401  (only whether it is there: the function calls no library)

    return primal


def torch_primal() -> Callable[..., Any]:
    import torch  # noqa: F401  (only whether it is there: the function calls no library)

    return primal


def casadi_primal() -> Callable[..., Any]:
    import casadi  # noqa: F401  (only whether it is there: the function calls no library)

    def objective(x: Any) -> Any:
        total = 0.0
        for i in range(x.shape[0] - 1):
            total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
        return total

    return objective


def jax_primal() -> Callable[..., Any]:
    # Rewritten as a scan: traced as it stands, the loop would be unrolled a thousand times.
    import jax
    import jax.numpy as jnp

    def objective(x: Any) -> Any:
        def step(total: Any, pair: Any) -> Any:
            here, following = pair
            return total + 100.0 * (following - here**2) ** 2 + (1.0 - here) ** 2, None

        total, _ = jax.lax.scan(step, jnp.zeros(()), (x[:-1], x[1:]))
        return total

    return objective
