"""One neuron on three floats: nothing to compute, so all that an executor adds is seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TITLE = "neuron, 3 floats"
POSITION = 10


def relu(z: float) -> float:
    return max(z, 0.0)


def primal(x: float, w: float, b: float) -> float:
    u = x * w
    v = u + b
    a = relu(v)
    return a


def hand(x: float, w: float, b: float) -> tuple[float, tuple[float, float, float]]:
    u = x * w
    v = u + b
    a = max(v, 0.0)
    v_bar = 1.0 if v > 0.0 else 0.0
    x_bar = v_bar * w
    w_bar = v_bar * x
    return a, (x_bar, w_bar, v_bar)


def arguments() -> tuple[float, float, float]:
    return 3.0, 2.0, 1.0


def autograd_primal() -> Callable[..., Any]:
    import autograd  # noqa: F401  (only whether it is there: `max` takes its boxes as they are)

    return primal


def torch_primal() -> Callable[..., Any]:
    import torch

    return lambda x, w, b: torch.relu(x * w + b)


def casadi_primal() -> Callable[..., Any]:
    import casadi

    return lambda x, w, b: casadi.fmax(x * w + b, 0.0)


def jax_primal() -> Callable[..., Any]:
    import jax

    return lambda x, w, b: jax.nn.relu(x * w + b)
