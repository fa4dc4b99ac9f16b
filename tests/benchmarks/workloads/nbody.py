"""Energy of bodies under gravity after leapfrog steps: loops over pairs, state updated in place."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

TITLE = "N-body, 8 bodies, 100 leapfrog steps"
POSITION = 220
WRT = ("position", "velocity", "mass")

Array = NDArray[np.float64]
DT = 0.01
SOFTENING = 0.01


def primal(position: Array, velocity: Array, mass: Array, steps: int) -> float:
    n = len(mass)
    for _ in range(steps):
        position += 0.5 * DT * velocity
        for i in range(n):
            for j in range(i):
                dx = position[j, 0] - position[i, 0]
                dy = position[j, 1] - position[i, 1]
                dz = position[j, 2] - position[i, 2]
                square = dx * dx + dy * dy + dz * dz + SOFTENING
                pull = DT / (square * math.sqrt(square))
                velocity[i, 0] += pull * mass[j] * dx
                velocity[i, 1] += pull * mass[j] * dy
                velocity[i, 2] += pull * mass[j] * dz
                velocity[j, 0] -= pull * mass[i] * dx
                velocity[j, 1] -= pull * mass[i] * dy
                velocity[j, 2] -= pull * mass[i] * dz
        position += 0.5 * DT * velocity
    energy = 0.5 * np.sum(mass * np.sum(velocity * velocity, axis=1))
    for i in range(n):
        for j in range(i):
            dx = position[j, 0] - position[i, 0]
            dy = position[j, 1] - position[i, 1]
            dz = position[j, 2] - position[i, 2]
            energy -= mass[i] * mass[j] / math.sqrt(dx * dx + dy * dy + dz * dz + SOFTENING)
    return energy


def hand(  # noqa: PLR0915 - an adjoint is one piece
    position: Array, velocity: Array, mass: Array, steps: int
) -> tuple[float, tuple[Array, Array, Array]]:
    position = position.copy()
    velocity = velocity.copy()
    n = len(mass)
    tape = []
    for _ in range(steps):
        position += 0.5 * DT * velocity
        tape.append(position.copy())
        for i in range(n):
            for j in range(i):
                dx = position[j, 0] - position[i, 0]
                dy = position[j, 1] - position[i, 1]
                dz = position[j, 2] - position[i, 2]
                square = dx * dx + dy * dy + dz * dz + SOFTENING
                pull = DT / (square * math.sqrt(square))
                velocity[i, 0] += pull * mass[j] * dx
                velocity[i, 1] += pull * mass[j] * dy
                velocity[i, 2] += pull * mass[j] * dz
                velocity[j, 0] -= pull * mass[i] * dx
                velocity[j, 1] -= pull * mass[i] * dy
                velocity[j, 2] -= pull * mass[i] * dz
        position += 0.5 * DT * velocity
    speeds = np.sum(velocity * velocity, axis=1)
    energy = 0.5 * np.sum(mass * speeds)

    mass_bar = 0.5 * speeds
    velocity_bar = mass.reshape(n, 1) * velocity
    position_bar = np.zeros_like(position)
    for i in range(n):
        for j in range(i):
            dx = position[j, 0] - position[i, 0]
            dy = position[j, 1] - position[i, 1]
            dz = position[j, 2] - position[i, 2]
            square = dx * dx + dy * dy + dz * dz + SOFTENING
            inverse = 1.0 / math.sqrt(square)
            bound = mass[i] * mass[j] * inverse
            energy -= bound
            mass_bar[i] -= mass[j] * inverse
            mass_bar[j] -= mass[i] * inverse
            slope = bound / square
            position_bar[i, 0] -= slope * dx
            position_bar[i, 1] -= slope * dy
            position_bar[i, 2] -= slope * dz
            position_bar[j, 0] += slope * dx
            position_bar[j, 1] += slope * dy
            position_bar[j, 2] += slope * dz
    for _ in range(steps):
        velocity_bar += 0.5 * DT * position_bar
        position = tape.pop()
        for i in range(n - 1, -1, -1):
            for j in range(i - 1, -1, -1):
                dx = position[j, 0] - position[i, 0]
                dy = position[j, 1] - position[i, 1]
                dz = position[j, 2] - position[i, 2]
                square = dx * dx + dy * dy + dz * dz + SOFTENING
                pull = DT / (square * math.sqrt(square))
                on_i = velocity_bar[i, 0] * dx + velocity_bar[i, 1] * dy + velocity_bar[i, 2] * dz
                on_j = velocity_bar[j, 0] * dx + velocity_bar[j, 1] * dy + velocity_bar[j, 2] * dz
                mass_bar[j] += pull * on_i
                mass_bar[i] -= pull * on_j
                # The pull falls with the distance: that part lies along the line between the two.
                fall = 3.0 * pull * (mass[j] * on_i - mass[i] * on_j) / square
                dx_bar = pull * (mass[j] * velocity_bar[i, 0] - mass[i] * velocity_bar[j, 0]) - fall * dx
                dy_bar = pull * (mass[j] * velocity_bar[i, 1] - mass[i] * velocity_bar[j, 1]) - fall * dy
                dz_bar = pull * (mass[j] * velocity_bar[i, 2] - mass[i] * velocity_bar[j, 2]) - fall * dz
                position_bar[j, 0] += dx_bar
                position_bar[j, 1] += dy_bar
                position_bar[j, 2] += dz_bar
                position_bar[i, 0] -= dx_bar
                position_bar[i, 1] -= dy_bar
                position_bar[i, 2] -= dz_bar
        velocity_bar += 0.5 * DT * position_bar
    return energy, (position_bar, velocity_bar, mass_bar)


def arguments() -> tuple[Array, Array, Array, int]:
    return sized(8, 100)


def small_arguments() -> tuple[Array, Array, Array, int]:
    return sized(3, 4)


def sized(bodies: int, steps: int) -> tuple[Array, Array, Array, int]:
    """Bodies of similar mass in a cube, almost at rest."""
    rng = np.random.default_rng(15)
    position, velocity = rng.standard_normal((bodies, 3)), 0.3 * rng.standard_normal((bodies, 3))
    return position, velocity, 0.5 + rng.random(bodies), steps


def jax_primal() -> Callable[..., Any]:
    # All pairs at once: the loops over pairs would be unrolled, or become scatters.
    import jax
    import jax.numpy as jnp

    def objective(position: Any, velocity: Any, mass: Any, steps: Any) -> Any:
        def step(_: Any, state: Any) -> Any:
            return moved(jnp, *state, mass)

        position, velocity = jax.lax.fori_loop(0, steps, step, (position, velocity))
        return energy_of(jnp, position, velocity, mass)

    return objective


def torch_primal() -> Callable[..., Any]:
    import torch

    def objective(position: Any, velocity: Any, mass: Any, steps: Any) -> Any:
        for _ in range(steps):
            position, velocity = moved(torch, position, velocity, mass)
        return energy_of(torch, position, velocity, mass)

    return objective


def moved(library: Any, position: Any, velocity: Any, mass: Any) -> Any:
    """One leapfrog step over all pairs, each counted from both ends."""
    position = position + 0.5 * DT * velocity
    apart = position[None, :, :] - position[:, None, :]
    square = (apart * apart).sum(2) + SOFTENING
    pull = DT * mass[None, :] / (square * library.sqrt(square))
    velocity = velocity + (pull[:, :, None] * apart).sum(1)
    return position + 0.5 * DT * velocity, velocity


def energy_of(library: Any, position: Any, velocity: Any, mass: Any) -> Any:
    """Kinetic energy, and that of all pairs, from which each body's pair with itself is taken out."""
    apart = position[None, :, :] - position[:, None, :]
    bound = mass[None, :] * mass[:, None] / library.sqrt((apart * apart).sum(2) + SOFTENING)
    own = (mass * mass).sum() / SOFTENING**0.5
    return 0.5 * (mass * (velocity * velocity).sum(1)).sum() - 0.5 * (bound.sum() - own)
