"""A two-layer network, 784-128-10 on a batch of 64: matrix products decide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..rebind import in_library

TITLE = "MLP 784-128-10, batch 64"
POSITION = 60
WRT = ("w1", "b1", "w2", "b2")

Array = NDArray[np.float64]


def primal(w1: Array, b1: Array, w2: Array, b2: Array, images: Array, targets: Array) -> float:
    hidden = np.tanh(images @ w1 + b1)
    scores = hidden @ w2 + b2
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.sum(targets * log_p) / len(images)


def hand(
    w1: Array, b1: Array, w2: Array, b2: Array, images: Array, targets: Array
) -> tuple[float, tuple[Array, Array, Array, Array]]:
    hidden = np.tanh(images @ w1 + b1)
    scores = hidden @ w2 + b2
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    powers = np.exp(shifted)
    total = np.sum(powers, axis=1, keepdims=True)
    log_p = shifted - np.log(total)
    value = -np.sum(targets * log_p) / len(images)

    # The maximum that is subtracted cancels, and each row of `targets` need not sum to one.
    log_p_bar = targets * (-1.0 / len(images))
    scores_bar = log_p_bar - powers / total * np.sum(log_p_bar, axis=1, keepdims=True)
    w2_bar = hidden.T @ scores_bar
    b2_bar = np.sum(scores_bar, axis=0)
    inner_bar = scores_bar @ w2.T * (1.0 - hidden**2)
    w1_bar = images.T @ inner_bar
    b1_bar = np.sum(inner_bar, axis=0)
    return value, (w1_bar, b1_bar, w2_bar, b2_bar)


def arguments() -> tuple[Array, Array, Array, Array, Array, Array]:
    rng = np.random.default_rng(2)
    w1 = rng.standard_normal((784, 128)) / 28.0
    w2 = rng.standard_normal((128, 10)) / 11.0
    images = rng.random((64, 784))
    targets = np.eye(10)[rng.integers(10, size=64)]
    return w1, np.zeros(128), w2, np.zeros(10), images, targets


def autograd_primal() -> Callable[..., Any]:
    import autograd.numpy

    return in_library(primal, autograd.numpy)


def torch_primal() -> Callable[..., Any]:
    import torch

    def objective(w1: Any, b1: Any, w2: Any, b2: Any, images: Any, targets: Any) -> Any:
        hidden = torch.tanh(images @ w1 + b1)
        return torch.nn.functional.cross_entropy(hidden @ w2 + b2, targets)

    return objective


def jax_primal() -> Callable[..., Any]:
    import jax.numpy

    return in_library(primal, jax.numpy)
