"""Price of an American put on a binomial tree (Cox, Ross, Rubinstein 1979), backward through the tree in place."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

TITLE = "American put, binomial tree, 200 steps"
POSITION = 240
WRT = ("spot", "strike", "rate", "volatility")


def primal(spot: float, strike: float, rate: float, volatility: float, years: float, steps: int) -> float:
    dt = years / steps
    up = math.exp(volatility * math.sqrt(dt))
    growth = math.exp(rate * dt)
    p = (growth - 1.0 / up) / (up - 1.0 / up)
    values = np.empty(steps + 1)
    for j in range(steps + 1):
        values[j] = max(strike - spot * up ** (2 * j - steps), 0.0)
    for level in range(steps - 1, -1, -1):
        for j in range(level + 1):
            held = (p * values[j + 1] + (1.0 - p) * values[j]) / growth
            values[j] = max(held, strike - spot * up ** (2 * j - level))
    return values[0]


def hand(
    spot: float, strike: float, rate: float, volatility: float, years: float, steps: int
) -> tuple[float, tuple[float, float, float, float]]:
    dt = years / steps
    root = math.sqrt(dt)
    up = math.exp(volatility * root)
    growth = math.exp(rate * dt)
    width = up - 1.0 / up
    p = (growth - 1.0 / up) / width
    values = np.empty(steps + 1)
    for j in range(steps + 1):
        values[j] = max(strike - spot * up ** (2 * j - steps), 0.0)
    tape = []
    for level in range(steps - 1, -1, -1):
        tape.append(values[: level + 2].copy())
        for j in range(level + 1):
            held = (p * values[j + 1] + (1.0 - p) * values[j]) / growth
            values[j] = max(held, strike - spot * up ** (2 * j - level))

    values_bar = np.zeros(steps + 1)
    values_bar[0] = 1.0
    spot_bar = strike_bar = up_bar = growth_bar = p_bar = 0.0
    for level in range(steps):
        old = tape.pop()
        for j in range(level, -1, -1):
            bar = values_bar[j]
            held = (p * old[j + 1] + (1.0 - p) * old[j]) / growth
            power = up ** (2 * j - level)
            if held >= strike - spot * power:
                held_bar = bar / growth
                growth_bar -= held_bar * held
                p_bar += held_bar * (old[j + 1] - old[j])
                values_bar[j + 1] += held_bar * p
                values_bar[j] = held_bar * (1.0 - p)
            else:
                strike_bar += bar
                spot_bar -= bar * power
                up_bar -= bar * spot * (2 * j - level) * power / up
                values_bar[j] = 0.0
    for j in range(steps + 1):
        power = up ** (2 * j - steps)
        if strike - spot * power > 0.0:
            strike_bar += values_bar[j]
            spot_bar -= values_bar[j] * power
            up_bar -= values_bar[j] * spot * (2 * j - steps) * power / up
    # The probability is a quotient of differences.
    top_bar = p_bar / width
    growth_bar += top_bar
    up_bar += top_bar * ((1.0 - p) / (up * up) - p)
    return values[0], (spot_bar, strike_bar, growth_bar * growth * dt, up_bar * up * root)


def arguments() -> tuple[float, float, float, float, float, int]:
    return 100.0, 103.0, 0.05, 0.25, 1.0, 200


def small_arguments() -> tuple[float, float, float, float, float, int]:
    return 100.0, 103.0, 0.05, 0.25, 1.0, 7


def torch_expert_primal() -> Callable[..., Any]:
    import torch

    def objective(spot: Any, strike: Any, rate: Any, volatility: Any, years: Any, steps: Any) -> Any:
        dt = years / steps
        up = torch.exp(volatility * torch.sqrt(dt))
        growth = torch.exp(rate * dt)
        p = (growth - 1.0 / up) / (up - 1.0 / up)
        nodes = torch.arange(steps + 1, dtype=torch.float64)
        values = torch.relu(strike - spot * up ** (2 * nodes - steps))
        for level in range(steps - 1, -1, -1):
            held = (p * values[1:] + (1.0 - p) * values[:-1]) / growth
            values = torch.maximum(held, strike - spot * up ** (2 * nodes[: level + 1] - level))
        return values[0]

    return objective


def jax_primal() -> Callable[..., Any]:
    # Whole levels at full length, as what a scan carries must not shrink: nodes beyond the level are never read.
    import jax
    import jax.numpy as jnp

    def objective(spot: Any, strike: Any, rate: Any, volatility: Any, years: Any, steps: Any) -> Any:
        dt = years / steps
        up = jnp.exp(volatility * jnp.sqrt(dt))
        growth = jnp.exp(rate * dt)
        p = (growth - 1.0 / up) / (up - 1.0 / up)
        nodes = jnp.arange(steps + 1)

        def level_before(values: Any, level: Any) -> Any:
            held = (p * jnp.roll(values, -1) + (1.0 - p) * values) / growth
            return jnp.maximum(held, strike - spot * up ** (2.0 * nodes - level)), None

        values = jnp.maximum(strike - spot * up ** (2.0 * nodes - steps), 0.0)
        values, _ = jax.lax.scan(level_before, values, jnp.arange(steps - 1, -1, -1))
        return values[0]

    return objective
