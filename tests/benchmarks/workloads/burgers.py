"""Burgers' equation by an explicit scheme, slices in place: time stepping as it is written in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

TITLE = "Burgers, nx=1000, nt=200, in place"
POSITION = 80

Array = NDArray[np.float64]
C, D = 0.02, 0.05  # dt / dx and nu * dt / dx**2


def primal(u: Array, steps: int) -> float:
    for _ in range(steps):
        old = u.copy()
        u[1:-1] = old[1:-1] - C * old[1:-1] * (old[1:-1] - old[:-2]) + D * (old[2:] - 2 * old[1:-1] + old[:-2])
    return float(np.sum(u**2))


def hand(u: Array, steps: int) -> tuple[float, tuple[Array]]:
    u = u.copy()
    tape = []
    for _ in range(steps):
        old = u.copy()
        tape.append(old)
        u[1:-1] = old[1:-1] - C * old[1:-1] * (old[1:-1] - old[:-2]) + D * (old[2:] - 2 * old[1:-1] + old[:-2])

    u_bar = 2.0 * u
    for _ in range(steps):
        old = tape.pop()
        g = u_bar[1:-1].copy()
        slope = C * g
        u_bar[1:-1] += slope * (old[:-2] - 2.0 * old[1:-1]) - 2.0 * D * g
        u_bar[:-2] += slope * old[1:-1] + D * g
        u_bar[2:] += D * g
    return float(np.sum(u**2)), (u_bar,)


def hand_numba(u: Array, steps: int) -> tuple[float, tuple[Array]]:
    # Slices written out, the tape one array, and the adjoint gathered: each element takes what its own step and its
    # neighbours' give back. The ends make no step.
    n = len(u)
    tape = np.empty((steps + 1, n))
    tape[0] = u
    for t in range(steps):
        old, new = tape[t], tape[t + 1]
        new[0] = old[0]
        new[n - 1] = old[n - 1]
        for i in range(1, n - 1):
            new[i] = old[i] - C * old[i] * (old[i] - old[i - 1]) + D * (old[i + 1] - 2.0 * old[i] + old[i - 1])

    last = tape[steps]
    value = 0.0
    u_bar = np.empty(n)
    for i in range(n):
        value += last[i] * last[i]
        u_bar[i] = 2.0 * last[i]
    gathered = np.empty(n)
    for t in range(steps - 1, -1, -1):
        old = tape[t]
        first, end = u_bar[0], u_bar[n - 1]
        u_bar[0] = 0.0
        u_bar[n - 1] = 0.0
        for i in range(1, n - 1):
            own = u_bar[i] * (1.0 - 2.0 * D + C * (old[i - 1] - 2.0 * old[i]))
            gathered[i] = own + u_bar[i + 1] * (C * old[i + 1] + D) + D * u_bar[i - 1]
        gathered[0] = first + u_bar[1] * (C * old[1] + D)
        gathered[n - 1] = end + D * u_bar[n - 2]
        u_bar, gathered = gathered, u_bar
    return value, (u_bar,)


def arguments() -> tuple[Array, int]:
    x = np.linspace(0.0, 1.0, 1000)
    return np.sin(2 * np.pi * x) + 0.5 * np.sin(6 * np.pi * x), 200


WRT = ("u",)


def jax_primal() -> Callable[..., Any]:
    import jax
    import jax.numpy as jnp

    def objective(u: Any, steps: Any) -> Any:
        def step(old: Any, _: None) -> Any:
            return old.at[1:-1].set(moved(old)), None

        u, _ = jax.lax.scan(step, u, None, length=steps)
        return jnp.sum(u**2)

    return objective


def torch_primal() -> Callable[..., Any]:
    import torch

    def objective(u: Any, steps: int) -> Any:
        for _ in range(steps):
            u = torch.cat((u[:1], moved(u), u[-1:]))
        return torch.sum(u**2)

    return objective


def autograd_primal() -> Callable[..., Any]:
    import autograd.numpy as anp

    def objective(u: Any, steps: int) -> Any:
        for _ in range(steps):
            u = anp.concatenate((u[:1], moved(u), u[-1:]))
        return anp.sum(u**2)

    return objective


def moved(old: Any) -> Any:
    """What a step makes of the inner points, for peers that cannot go back through an assignment to a slice."""
    return old[1:-1] - C * old[1:-1] * (old[1:-1] - old[:-2]) + D * (old[2:] - 2 * old[1:-1] + old[:-2])
