"""Log-likelihood of a mixture of Gaussians with diagonal covariances: broadcasting and log-sum-exp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..rebind import in_library

TITLE = "Gaussian mixture, n=500 K=10 d=4"
POSITION = 80
WRT = ("weights", "means", "log_scales")

Array = NDArray[np.float64]


def primal(weights: Array, means: Array, log_scales: Array, points: Array) -> float:
    # `weights` are logarithms up to a constant; a row of `log_scales` is minus the log of one component's deviations.
    scaled = (points[:, None, :] - means) * np.exp(log_scales)
    log_p = weights + np.sum(log_scales, axis=1) - 0.5 * np.sum(scaled**2, axis=2)
    top = np.max(log_p, axis=1, keepdims=True)
    each = top[:, 0] + np.log(np.sum(np.exp(log_p - top), axis=1))
    return np.sum(each) - len(points) * np.log(np.sum(np.exp(weights)))


def hand(weights: Array, means: Array, log_scales: Array, points: Array) -> tuple[float, tuple[Array, Array, Array]]:
    scales = np.exp(log_scales)
    scaled = (points[:, None, :] - means) * scales
    log_p = weights + np.sum(log_scales, axis=1) - 0.5 * np.sum(scaled**2, axis=2)
    top = np.max(log_p, axis=1, keepdims=True)
    powers = np.exp(log_p - top)
    total = np.sum(powers, axis=1)
    each = top[:, 0] + np.log(total)
    weight_powers = np.exp(weights)
    weight_total = np.sum(weight_powers)
    value = np.sum(each) - len(points) * np.log(weight_total)

    # The maximum that is subtracted cancels: what remains of log-sum-exp is the share of each component.
    log_p_bar = powers / total[:, None]
    component_bar = np.sum(log_p_bar, axis=0)
    weights_bar = component_bar - len(points) / weight_total * weight_powers
    scaled_bar = -log_p_bar[:, :, None] * scaled
    # (points - means) * scales is `scaled`, so the partial of log(scales) needs no division.
    log_scales_bar = component_bar[:, None] + np.sum(scaled_bar * scaled, axis=0)
    means_bar = -scales * np.sum(scaled_bar, axis=0)
    return value, (weights_bar, means_bar, log_scales_bar)


def arguments() -> tuple[Array, Array, Array, Array]:
    rng = np.random.default_rng(4)
    points = rng.standard_normal((500, 4))
    return rng.standard_normal(10), rng.standard_normal((10, 4)), 0.3 * rng.standard_normal((10, 4)), points


def autograd_primal() -> Callable[..., Any]:
    import autograd.numpy

    return in_library(primal, autograd.numpy)


def torch_primal() -> Callable[..., Any]:
    import torch

    def objective(weights: Any, means: Any, log_scales: Any, points: Any) -> Any:
        scaled = (points[:, None, :] - means) * torch.exp(log_scales)
        log_p = weights + torch.sum(log_scales, dim=1) - 0.5 * torch.sum(scaled**2, dim=2)
        return torch.sum(torch.logsumexp(log_p, dim=1)) - len(points) * torch.logsumexp(weights, dim=0)

    return objective


def jax_primal() -> Callable[..., Any]:
    import jax.numpy

    return in_library(primal, jax.numpy)
