"""Log-likelihood of a Kalman filter: small matrices in a long loop, with an inverse and a determinant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..rebind import in_library

TITLE = "Kalman filter, 4 states, T=200"
POSITION = 200
WRT = ("f", "h", "q", "r")

Array = NDArray[np.float64]


def primal(f: Array, h: Array, q: Array, r: Array, observed: Array) -> float:
    x = np.zeros(len(f))
    p = np.eye(len(f))
    total = 0.0
    for t in range(len(observed)):
        x = f @ x
        p = f @ p @ f.T + q
        v = observed[t] - h @ x
        s = h @ p @ h.T + r
        s_inverse = np.linalg.inv(s)
        gain = p @ h.T @ s_inverse
        total = total - 0.5 * (np.log(np.linalg.det(s)) + v @ s_inverse @ v)
        x = x + gain @ v
        p = p - gain @ h @ p
    return total


def hand(f: Array, h: Array, q: Array, r: Array, observed: Array) -> tuple[float, tuple[Array, Array, Array, Array]]:
    x = np.zeros(len(f))
    p = np.eye(len(f))
    total = 0.0
    tape = []
    for t in range(len(observed)):
        x_before, p_before = x, p
        x = f @ x_before
        p = f @ p_before @ f.T + q
        v = observed[t] - h @ x
        cross = p @ h.T
        s = h @ cross + r
        s_inverse = np.linalg.inv(s)
        gain = cross @ s_inverse
        tape.append((x_before, p_before, x, p, v, cross, s_inverse, gain))
        total = total - 0.5 * (np.log(np.linalg.det(s)) + v @ s_inverse @ v)
        x = x + gain @ v
        p = p - gain @ (h @ p)

    f_bar, h_bar = np.zeros_like(f), np.zeros_like(h)
    q_bar, r_bar = np.zeros_like(q), np.zeros_like(r)
    x_bar, p_bar = np.zeros_like(x), np.zeros_like(p)
    for _ in range(len(observed)):
        x_before, p_before, x, p, v, cross, s_inverse, gain = tape.pop()
        # Both corrections by the gain.
        product_bar = -(gain.T @ p_bar)
        gain_bar = np.outer(x_bar, v) - p_bar @ (h @ p).T
        h_bar += product_bar @ p.T
        p_bar = p_bar + h.T @ product_bar
        # The likelihood of v; the adjoint of log det is the inverse, transposed.
        v_bar = gain.T @ x_bar - 0.5 * (s_inverse @ v + v @ s_inverse)
        s_inverse_bar = cross.T @ gain_bar - 0.5 * np.outer(v, v)
        s_bar = -0.5 * s_inverse.T - s_inverse.T @ s_inverse_bar @ s_inverse.T
        # The covariance of what is seen.
        r_bar += s_bar
        cross_bar = gain_bar @ s_inverse.T + h.T @ s_bar
        h_bar += s_bar @ cross.T + cross_bar.T @ p - np.outer(v_bar, x)
        p_bar = p_bar + cross_bar @ h
        x_bar = x_bar - v_bar @ h
        # The prediction.
        q_bar += p_bar
        f_bar += p_bar @ f @ p_before.T + p_bar.T @ f @ p_before + np.outer(x_bar, x_before)
        p_bar = f.T @ p_bar @ f
        x_bar = x_bar @ f
    return total, (f_bar, h_bar, q_bar, r_bar)


def arguments() -> tuple[Array, Array, Array, Array, Array]:
    return sized(200)


def small_arguments() -> tuple[Array, Array, Array, Array, Array]:
    return sized(8)


def sized(steps: int) -> tuple[Array, Array, Array, Array, Array]:
    """A point that moves in the plane, of which noisy positions are seen."""
    rng = np.random.default_rng(13)
    f = np.eye(4) + 0.1 * np.eye(4, k=2) + 0.01 * rng.standard_normal((4, 4))
    h = np.eye(2, 4) + 0.01 * rng.standard_normal((2, 4))
    return f, h, 0.1 * np.eye(4), 0.5 * np.eye(2), rng.standard_normal((steps, 2))


def autograd_primal() -> Callable[..., Any]:
    import autograd.numpy

    return in_library(primal, autograd.numpy)


def torch_primal() -> Callable[..., Any]:
    import torch

    def objective(f: Any, h: Any, q: Any, r: Any, observed: Any) -> Any:
        x = torch.zeros(len(f), dtype=f.dtype)
        p = torch.eye(len(f), dtype=f.dtype)
        total = torch.zeros((), dtype=f.dtype)
        for t in range(len(observed)):
            x, p, total = step(torch, f, h, q, r, observed[t], x, p, total)
        return total

    return objective


def jax_primal() -> Callable[..., Any]:
    import jax
    import jax.numpy as jnp

    def objective(f: Any, h: Any, q: Any, r: Any, observed: Any) -> Any:
        def filtered(state: Any, seen: Any) -> Any:
            return step(jnp, f, h, q, r, seen, *state), None

        start = (jnp.zeros(len(f)), jnp.eye(len(f)), jnp.zeros(()))
        (_, _, total), _ = jax.lax.scan(filtered, start, observed)
        return total

    return objective


def step(library: Any, f: Any, h: Any, q: Any, r: Any, seen: Any, x: Any, p: Any, total: Any) -> Any:
    """One turn of the loop, for peers."""
    x = f @ x
    p = f @ p @ f.T + q
    v = seen - h @ x
    s = h @ p @ h.T + r
    s_inverse = library.linalg.inv(s)
    gain = p @ h.T @ s_inverse
    total = total - 0.5 * (library.log(library.linalg.det(s)) + v @ s_inverse @ v)
    return x + gain @ v, p - gain @ h @ p, total
