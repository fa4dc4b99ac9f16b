"""Logistic regression with a ridge: one tall matrix, a few vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..rebind import in_library

TITLE = "logistic regression, 1000 x 20"
POSITION = 70
WRT = ("w", "b")

Array = NDArray[np.float64]


def primal(w: Array, b: float, features: Array, signs: Array) -> float:
    margins = signs * (features @ w + b)
    return np.mean(np.log(1.0 + np.exp(-margins))) + 0.01 * np.sum(w**2)


def hand(w: Array, b: float, features: Array, signs: Array) -> tuple[float, tuple[Array, float]]:
    margins = signs * (features @ w + b)
    powers = np.exp(-margins)
    raised = 1.0 + powers
    value = np.mean(np.log(raised)) + 0.01 * np.sum(w**2)

    scores_bar = signs * powers / raised * (-1.0 / len(margins))
    w_bar = scores_bar @ features + 0.02 * w
    b_bar = np.sum(scores_bar)
    return value, (w_bar, b_bar)


def arguments() -> tuple[Array, float, Array, Array]:
    rng = np.random.default_rng(3)
    features = rng.standard_normal((1000, 20))
    signs = np.where(rng.random(1000) < 0.4, 1.0, -1.0)
    return 0.3 * rng.standard_normal(20), 0.1, features, signs


def autograd_primal() -> Callable[..., Any]:
    import autograd.numpy

    return in_library(primal, autograd.numpy)


def torch_primal() -> Callable[..., Any]:
    import torch

    return in_library(primal, torch)


def jax_primal() -> Callable[..., Any]:
    import jax.numpy

    return in_library(primal, jax.numpy)
