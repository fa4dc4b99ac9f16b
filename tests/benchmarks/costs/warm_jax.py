"""The same gradient by JAX, for which branches and the loop are written otherwise, from its cache on disk."""

from __future__ import annotations

from collections.abc import Sequence

from .. import warm

TITLE = "the gradient by JAX, from its cache"
POSITION = 83

SOURCE = """
import jax.numpy as jnp
from jax import lax


def drag(speed, k):
    return k * speed * abs(speed)


def flight(vx, vy, k, wind, bounce):
    g, dt = 9.81, 0.01
    spin = jnp.sin(wind) / (1.0 + vx * vx)

    def step(_, state):
        x, y, vx, vy, cost = state
        ax = -drag(vx - wind, k)
        ay = -g - drag(vy, k)
        ax = jnp.where(y > 2.0, ax + 0.1 * spin, jnp.where(y > 1.0, ax - 0.05 * spin * jnp.cos(y), ax))
        vx, vy = vx + dt * ax, vy + dt * ay
        x, y = x + dt * vx, y + dt * vy
        below = y < 0.0
        y, vy = jnp.where(below, -y * bounce, y), jnp.where(below, -vy * bounce, vy)
        return x, y, vx, vy, cost + dt * (y - 1.0) ** 2

    x, _, vx, vy, cost = lax.fori_loop(0, 50, step, (0.0, 1.0, vx, vy, 0.0))
    reach, energy = x - 3.0, 0.5 * (vx * vx + vy * vy)
    return jnp.sqrt(reach * reach + 0.01) + 0.1 * cost + 0.01 * (jnp.exp(-k) + jnp.log(1.0 + energy))
"""
STATEMENTS = """
import jax
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
from warm_flight import flight
jax.block_until_ready(jax.jit(jax.value_and_grad(flight, argnums=(0, 1, 2, 3, 4)))(*ARGUMENTS))
"""


def measure(rounds: int) -> Sequence[float]:
    """Seconds in a fresh process, each round."""
    return warm.seconds(rounds, STATEMENTS, SOURCE)
