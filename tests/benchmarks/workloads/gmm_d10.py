"""ADBench's Gaussian mixture with full covariances and a Wishart prior (Srajer, Kukelova, Fitzgibbon 2018), d=10.

A row of `icf` describes one component's inverse covariance by its factor Q: d logarithms of the diagonal, then the
elements below it, column by column.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

TITLE = "ADBench GMM, d=10 K=25 n=1000"
POSITION = 130
WRT = ("alphas", "means", "icf")

Array = NDArray[np.float64]


def factor(row: Array, d: int) -> Array:
    """Q from its row of `icf`."""
    q = np.diag(np.exp(row[:d]))
    start = d
    for j in range(d - 1):
        stop = start + d - 1 - j
        q[j + 1 :, j] = row[start:stop]
        start = stop
    return q


def primal(alphas: Array, means: Array, icf: Array, x: Array, gamma: float, m: int) -> float:
    n, d = x.shape
    log_p = np.empty((n, len(alphas)))
    prior = 0.0
    for k in range(len(alphas)):
        q = factor(icf[k], d)
        log_det = np.sum(icf[k, :d])
        scaled = (x - means[k]) @ q.T
        log_p[:, k] = alphas[k] + log_det - 0.5 * np.sum(scaled**2, axis=1)
        prior += 0.5 * gamma**2 * np.sum(q**2) - m * log_det
    top = np.max(log_p, axis=1)
    likelihood = np.sum(top + np.log(np.sum(np.exp(log_p - top[:, None]), axis=1)))
    largest = np.max(alphas)
    weight = largest + np.log(np.sum(np.exp(alphas - largest)))
    return likelihood - n * weight + prior + constant(n, d, len(alphas), gamma, m)


def hand(
    alphas: Array, means: Array, icf: Array, x: Array, gamma: float, m: int
) -> tuple[float, tuple[Array, Array, Array]]:
    n, d = x.shape
    log_p = np.empty((n, len(alphas)))
    prior = 0.0
    q_tape = []
    scaled_tape = []
    for k in range(len(alphas)):
        q = factor(icf[k], d)
        q_tape.append(q)
        log_det = np.sum(icf[k, :d])
        scaled = (x - means[k]) @ q.T
        scaled_tape.append(scaled)
        log_p[:, k] = alphas[k] + log_det - 0.5 * np.sum(scaled**2, axis=1)
        prior += 0.5 * gamma**2 * np.sum(q**2) - m * log_det
    top = np.max(log_p, axis=1)
    powers = np.exp(log_p - top[:, None])
    total = np.sum(powers, axis=1)
    likelihood = np.sum(top + np.log(total))
    largest = np.max(alphas)
    weight_powers = np.exp(alphas - largest)
    weight_total = np.sum(weight_powers)
    weight = largest + np.log(weight_total)
    value = likelihood - n * weight + prior + constant(n, d, len(alphas), gamma, m)

    # The maxima that are subtracted cancel: what remains of log-sum-exp is the share of each component.
    log_p_bar = powers / total[:, None]
    share = np.sum(log_p_bar, axis=0)
    alphas_bar = share - n / weight_total * weight_powers
    means_bar = np.empty_like(means)
    icf_bar = np.empty_like(icf)
    for k in range(len(alphas) - 1, -1, -1):
        q = q_tape.pop()
        scaled_bar = scaled_tape.pop()
        scaled_bar *= -log_p_bar[:, k, None]
        means_bar[k] = -(np.sum(scaled_bar, axis=0) @ q)
        q_bar = scaled_bar.T @ (x - means[k]) + gamma**2 * q
        icf_bar[k, :d] = np.diag(q_bar) * np.diag(q) + share[k] - m
        start = d
        for j in range(d - 1):
            stop = start + d - 1 - j
            icf_bar[k, start:stop] = q_bar[j + 1 :, j]
            start = stop
    return value, (alphas_bar, means_bar, icf_bar)


def hand_numba(
    alphas: Array, means: Array, icf: Array, x: Array, gamma: float, m: int
) -> tuple[float, tuple[Array, Array, Array]]:
    # One point after the other, forward and backward: a point's share of the value depends on no other point.
    n, d = x.shape
    count = len(alphas)
    q = np.zeros((count, d, d))
    log_det = np.zeros(count)
    prior = 0.0
    for k in range(count):
        q[k] = factor(icf[k], d)
        for a in range(d):
            log_det[k] += icf[k, a]
        prior += 0.5 * gamma**2 * np.sum(q[k] ** 2) - m * log_det[k]
    largest = np.max(alphas)
    weight_powers = np.exp(alphas - largest)
    weight_total = np.sum(weight_powers)

    alphas_bar = -n / weight_total * weight_powers
    share = np.zeros(count)
    means_bar = np.zeros((count, d))
    q_bar = gamma**2 * q
    scaled = np.empty((count, d))
    log_p = np.empty(count)
    diff = np.empty(d)
    likelihood = 0.0
    for i in range(n):
        for k in range(count):
            for a in range(d):
                diff[a] = x[i, a] - means[k, a]
            square = 0.0
            for a in range(d):
                s = 0.0
                for b in range(a + 1):
                    s += q[k, a, b] * diff[b]
                scaled[k, a] = s
                square += s * s
            log_p[k] = alphas[k] + log_det[k] - 0.5 * square
        top = np.max(log_p)
        total = 0.0
        for k in range(count):
            log_p[k] = math.exp(log_p[k] - top)
            total += log_p[k]
        likelihood += top + math.log(total)

        for k in range(count):
            log_p_bar = log_p[k] / total
            share[k] += log_p_bar
            for a in range(d):
                diff[a] = x[i, a] - means[k, a]
            for a in range(d):
                s_bar = -log_p_bar * scaled[k, a]
                for b in range(a + 1):
                    q_bar[k, a, b] += s_bar * diff[b]
                    means_bar[k, b] -= s_bar * q[k, a, b]
    icf_bar = np.empty_like(icf)
    for k in range(count):
        alphas_bar[k] += share[k]
        for a in range(d):
            icf_bar[k, a] = q_bar[k, a, a] * q[k, a, a] + share[k] - m
        start = d
        for j in range(d - 1):
            for a in range(j + 1, d):
                icf_bar[k, start] = q_bar[k, a, j]
                start += 1
    value = likelihood - n * (largest + np.log(weight_total)) + prior + constant(n, d, count, gamma, m)
    return value, (alphas_bar, means_bar, icf_bar)


def constant(n: int, d: int, count: int, gamma: float, m: int) -> float:
    """What the parameters do not change: the Gaussians' normalisation, and that of the Wishart distribution."""
    freedom = d + m + 1
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(d):
        log_gamma += math.lgamma(0.5 * (freedom - j))
    wishart = freedom * d * (math.log(gamma) - 0.5 * math.log(2.0)) - log_gamma
    return -0.5 * n * d * math.log(2.0 * math.pi) - count * wishart


def arguments() -> tuple[Array, Array, Array, Array, float, int]:
    return sized(10, 25, 1000)


def small_arguments() -> tuple[Array, Array, Array, Array, float, int]:
    return sized(4, 3, 12)


def sized(d: int, count: int, n: int) -> tuple[Array, Array, Array, Array, float, int]:
    """Random parameters, as ADBench draws them: normal weights, uniform means, normal factors."""
    rng = np.random.default_rng(10)
    icf = rng.standard_normal((count, d * (d + 1) // 2))
    return rng.standard_normal(count), rng.random((count, d)), icf, rng.standard_normal((n, d)), 1.0, 0


def autograd_primal() -> Callable[..., Any]:
    import autograd.numpy as anp
    from autograd.scipy.special import logsumexp

    def objective(alphas: Any, means: Any, icf: Any, x: Any, gamma: Any, m: Any) -> Any:
        return batched(anp, logsumexp, anp.transpose, lower_from(anp, icf, x.shape[1]), alphas, means, icf, x, gamma, m)

    return objective


def torch_primal() -> Callable[..., Any]:
    import torch

    def transpose(q: Any, axes: Any) -> Any:
        return torch.permute(q, axes)

    def objective(alphas: Any, means: Any, icf: Any, x: Any, gamma: Any, m: Any) -> Any:
        d = x.shape[1]
        places, _ = elements_below(d)
        q = torch.zeros((len(alphas), d * d), dtype=icf.dtype)
        q = torch.index_copy(q, 1, torch.as_tensor(places), icf[:, d:]).reshape(-1, d, d)
        q = q + torch.diag_embed(torch.exp(icf[:, :d]))
        return batched(torch, torch.logsumexp, transpose, q, alphas, means, icf, x, gamma, m)

    return objective


def jax_primal() -> Callable[..., Any]:
    import jax.numpy as jnp
    from jax.scipy.special import logsumexp

    def objective(alphas: Any, means: Any, icf: Any, x: Any, gamma: Any, m: Any) -> Any:
        return batched(jnp, logsumexp, jnp.transpose, lower_from(jnp, icf, x.shape[1]), alphas, means, icf, x, gamma, m)

    return objective


def batched(
    library: Any,
    logsumexp: Any,
    transpose: Any,
    q: Any,
    alphas: Any,
    means: Any,
    icf: Any,
    x: Any,
    gamma: Any,
    m: Any,
) -> Any:
    """All components at once, which suits the peers better than a loop: one batched matrix product."""
    n, d = x.shape
    log_det = icf[:, :d].sum(1)
    scaled = (x[None] - means[:, None]) @ transpose(q, (0, 2, 1))
    log_p = alphas[:, None] + log_det[:, None] - 0.5 * (scaled**2).sum(2)
    prior = 0.5 * gamma**2 * (q**2).sum() - m * log_det.sum()
    # The scale is 1 here, whose logarithm the constant takes: a traced number would have none.
    return logsumexp(log_p, 0).sum() - n * logsumexp(alphas, 0) + prior + constant(n, d, len(alphas), 1.0, m)


def lower_from(library: Any, icf: Any, d: int) -> Any:
    """All Q from `icf`, by picking each element's place, or the zero behind the last."""
    _, picked = elements_below(d)
    padded = library.concatenate((icf[:, d:], library.zeros((len(icf), 1))), axis=1)
    diagonal = library.exp(icf[:, :d])[:, :, None] * np.eye(d)
    return library.reshape(padded[:, picked], (len(icf), d, d)) + diagonal


def elements_below(d: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the elements of a row of `icf` lie in a flat Q; and for each element of a flat Q, which one it is."""
    places = np.array([a * d + j for j in range(d - 1) for a in range(j + 1, d)])
    picked = np.full(d * d, len(places))
    picked[places] = np.arange(len(places))
    return places, picked
