"""Rosenbrock's function over slices of a vector: a few NumPy calls on small arrays, so each call counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..rebind import in_library

TITLE = "Rosenbrock, n=1000, vectorised"
POSITION = 40

Array = NDArray[np.float64]


def primal(x: Array) -> float:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def hand(x: Array) -> tuple[float, tuple[Array]]:
    left = x[:-1]
    valley = x[1:] - left**2
    slope = 1.0 - left
    value = np.sum(100.0 * valley**2 + slope**2)

    valley_bar = 200.0 * valley
    x_bar = np.empty_like(x)
    x_bar[-1] = 0.0
    x_bar[:-1] = -2.0 * (slope + valley_bar * left)
    x_bar[1:] += valley_bar
    return value, (x_bar,)


def arguments() -> tuple[Array]:
    return (np.random.default_rng(1).standard_normal(1000),)


def autograd_primal() -> Callable[..., Any]:
    import autograd.numpy

    return in_library(primal, autograd.numpy)


def torch_primal() -> Callable[..., Any]:
    import torch

    return in_library(primal, torch)


def jax_primal() -> Callable[..., Any]:
    import jax.numpy

    return in_library(primal, jax.numpy)
