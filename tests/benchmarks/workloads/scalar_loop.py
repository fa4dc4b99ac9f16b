"""A thousand steps of a scalar recurrence: what a loop and its tape cost in pure Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..rebind import in_library

TITLE = "scalar loop, 1000 steps"
POSITION = 30


def primal(x: float, a: float, b: float) -> float:
    dt = 0.01
    cost = 0.0
    for _ in range(1000):
        x = x + dt * (a * math.sin(x) - b * x)
        cost = cost + x * x
    return cost


def hand(x: float, a: float, b: float) -> tuple[float, tuple[float, float, float]]:
    # Measured against its rivals: popping the tape beats `reversed(tape)`, which would copy `x` once more each time
    # round, and beats an index; a second tape for sin(x) costs what it saves.
    dt = 0.01
    cost = 0.0
    x_tape = []
    for _ in range(1000):
        x_tape.append(x)
        x = x + dt * (a * math.sin(x) - b * x)
        cost = cost + x * x

    x_bar = a_bar = b_bar = 0.0
    for _ in range(1000):
        x_bar += 2.0 * x
        x = x_tape.pop()
        rate_bar = dt * x_bar
        a_bar += rate_bar * math.sin(x)
        b_bar -= rate_bar * x
        x_bar += rate_bar * (a * math.cos(x) - b)
    return cost, (x_bar, a_bar, b_bar)


def arguments() -> tuple[float, float, float]:
    return 1.0, 2.0, 0.5


def autograd_primal() -> Callable[..., Any]:
    import autograd.numpy

    return in_library(primal, autograd.numpy)


def torch_primal() -> Callable[..., Any]:
    import torch

    return in_library(primal, torch)


def casadi_primal() -> Callable[..., Any]:
    import casadi

    return in_library(primal, casadi)


def jax_primal() -> Callable[..., Any]:
    # Rewritten as a scan: traced as it stands, the loop would be unrolled a thousand times.
    import jax
    import jax.numpy as jnp

    def objective(x: Any, a: Any, b: Any) -> Any:
        def step(state: Any, _: None) -> Any:
            x, cost = state
            x = x + 0.01 * (a * jnp.sin(x) - b * x)
            return (x, cost + x * x), None

        (_, cost), _ = jax.lax.scan(step, (x, jnp.zeros(())), None, length=1000)
        return cost

    return objective
