"""A formula in two floats: a handful of `math` calls, whose results the adjoint should use again."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..rebind import in_library

TITLE = "f(x1, x2), 2 floats"
POSITION = 20


def primal(x1: float, x2: float) -> float:
    return (1 + math.sin(x2)) / (x2 + math.exp(x1)) + x1 * x2


def hand(x1: float, x2: float) -> tuple[float, tuple[float, float]]:
    e = math.exp(x1)
    bottom = x2 + e
    quotient = (1 + math.sin(x2)) / bottom
    value = quotient + x1 * x2
    bottom_bar = -quotient / bottom
    x1_bar = x2 + bottom_bar * e
    x2_bar = x1 + bottom_bar + math.cos(x2) / bottom
    return value, (x1_bar, x2_bar)


def arguments() -> tuple[float, float]:
    return 1.5, 0.5


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
    import jax.numpy

    return in_library(primal, jax.numpy)
