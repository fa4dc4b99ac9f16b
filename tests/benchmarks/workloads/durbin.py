"""Durbin's recursion for a Toeplitz system: a loop over slices that grow, with one of them reversed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

TITLE = "Durbin, N=1000"
POSITION = 100

Array = NDArray[np.float64]


def primal(r: Array) -> float:
    n = len(r)
    y = np.zeros(n)
    y[0] = -r[0]
    beta = 1.0
    alpha = -r[0]
    for k in range(1, n):
        beta = (1.0 - alpha * alpha) * beta
        alpha = -(r[k] + np.dot(r[:k][::-1], y[:k])) / beta
        y[:k] = y[:k] + alpha * y[:k][::-1]
        y[k] = alpha
    return np.sum(y * y)


def hand(r: Array) -> tuple[float, tuple[Array]]:
    n = len(r)
    y = np.zeros(n)
    y[0] = -r[0]
    beta = 1.0
    alpha = -r[0]
    beta_tape = []
    y_tape = []
    for k in range(1, n):
        beta_tape.append(beta)
        beta = (1.0 - alpha * alpha) * beta
        y_tape.append(y[:k].copy())
        alpha = -(r[k] + np.dot(r[:k][::-1], y[:k])) / beta
        y[:k] = y[:k] + alpha * y[:k][::-1]
        y[k] = alpha

    value = np.sum(y * y)
    y_bar = 2.0 * y
    r_bar = np.zeros(n)
    alpha_bar = 0.0
    beta_bar = 0.0
    for k in range(n - 1, 0, -1):
        before = y_tape.pop()
        alpha_bar += y_bar[k] + np.dot(y_bar[:k], before[::-1])
        y_bar[:k] += alpha * y_bar[:k][::-1]
        # alpha is a quotient: its own value stands in for the numerator, which need not be kept.
        top_bar = -alpha_bar / beta
        beta_bar += top_bar * alpha
        r_bar[k] += top_bar
        r_bar[:k] += top_bar * before[::-1]
        y_bar[:k] += top_bar * r[:k][::-1]
        # The last element of y before this step is alpha before it.
        alpha = before[k - 1]
        beta = beta_tape.pop()
        alpha_bar = -2.0 * alpha * beta * beta_bar
        beta_bar = (1.0 - alpha * alpha) * beta_bar
    r_bar[0] -= alpha_bar + y_bar[0]
    return value, (r_bar,)


def hand_numba(r: Array) -> tuple[float, tuple[Array]]:
    # Slices written out as loops: a reversed one has no fast product, and its copies cost more than the arithmetic.
    n = len(r)
    tape = np.empty((n, n))
    beta = np.empty(n)
    y = np.empty(n)
    y[0] = alpha = -r[0]
    beta[0] = 1.0
    for k in range(1, n):
        before = tape[k]
        dot = 0.0
        for i in range(k):
            before[i] = y[i]
            dot += r[k - 1 - i] * y[i]
        beta[k] = (1.0 - alpha * alpha) * beta[k - 1]
        alpha = -(r[k] + dot) / beta[k]
        for i in range(k):
            y[i] = before[i] + alpha * before[k - 1 - i]
        y[k] = alpha

    value = np.sum(y * y)
    y_bar = 2.0 * y
    r_bar = np.zeros(n)
    alpha_bar = 0.0
    beta_bar = 0.0
    for k in range(n - 1, 0, -1):
        before = tape[k]
        for i in range(k):
            y[i] = y_bar[i]
            alpha_bar += y_bar[i] * before[k - 1 - i]
        alpha_bar += y_bar[k]
        top_bar = -alpha_bar / beta[k]
        beta_bar += top_bar * alpha
        r_bar[k] += top_bar
        for i in range(k):
            y_bar[i] += alpha * y[k - 1 - i] + top_bar * r[k - 1 - i]
            r_bar[i] += top_bar * before[k - 1 - i]
        alpha = before[k - 1]
        alpha_bar = -2.0 * alpha * beta[k - 1] * beta_bar
        beta_bar = (1.0 - alpha * alpha) * beta_bar
    r_bar[0] -= alpha_bar + y_bar[0]
    return value, (r_bar,)


def arguments() -> tuple[Array]:
    return (autocorrelation(1000),)


def small_arguments() -> tuple[Array]:
    return (autocorrelation(40),)


def autocorrelation(n: int) -> Array:
    """Lags 1 to n of a damped oscillation under white noise: a Toeplitz matrix that is positive definite."""
    lag = np.arange(1, n + 1)
    return 0.5 * np.exp(-lag / 50.0) * np.cos(lag / 7.0)


def jax_primal() -> Callable[..., Any]:
    # Slices whose length varies cannot be traced: rolled vectors and masks of full length instead.
    import jax
    import jax.numpy as jnp

    def objective(r: Any) -> Any:
        n = r.shape[0]
        places = jnp.arange(n)

        def step(state: Any, k: Any) -> Any:
            y, alpha, beta = state
            beta = (1.0 - alpha * alpha) * beta
            # Element i becomes element k - 1 - i; what wraps around is masked, y being zero from k on.
            backward = (k - 1 - places) % n
            alpha = -(r[k] + jnp.dot(r[backward], y)) / beta
            y = y + alpha * jnp.where(places < k, y[backward], 0.0)
            return (y.at[k].set(alpha), alpha, beta), None

        start = (jnp.zeros(n).at[0].set(-r[0]), -r[0], jnp.ones(()))
        (y, _, _), _ = jax.lax.scan(step, start, jnp.arange(1, n))
        return jnp.sum(y * y)

    return objective


def torch_primal() -> Callable[..., Any]:
    # PyTorch refuses to go back through y, which is changed after it was read: a new vector at each step.
    import torch

    def objective(r: Any) -> Any:
        y = -r[:1]
        beta = torch.ones((), dtype=r.dtype)
        alpha = -r[0]
        for k in range(1, len(r)):
            beta = (1.0 - alpha * alpha) * beta
            alpha = -(r[k] + torch.dot(torch.flip(r[:k], (0,)), y)) / beta
            y = torch.cat((y + alpha * torch.flip(y, (0,)), alpha[None]))
        return torch.sum(y * y)

    return objective


def autograd_primal() -> Callable[..., Any]:
    # It has no assignment to elements: a new vector at each step.
    import autograd.numpy as anp

    def objective(r: Any) -> Any:
        y = -r[:1]
        beta = 1.0
        alpha = -r[0]
        for k in range(1, len(r)):
            beta = (1.0 - alpha * alpha) * beta
            alpha = -(r[k] + anp.dot(r[:k][::-1], y)) / beta
            y = anp.concatenate((y + alpha * y[::-1], anp.reshape(alpha, (1,))))
        return anp.sum(y * y)

    return objective
