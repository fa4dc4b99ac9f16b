"""An epidemic (susceptible, infected, removed) by Runge-Kutta steps of fourth order: a helper called four times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TITLE = "SIR model, 1000 RK4 steps"
POSITION = 230
WRT = ("s", "i", "beta", "gamma")


def rates(s: float, i: float, beta: float, gamma: float) -> tuple[float, float]:
    infected = beta * s * i
    return -infected, infected - gamma * i


def primal(s: float, i: float, beta: float, gamma: float, steps: int) -> float:
    dt = 20.0 / steps
    burden = 0.0
    for _ in range(steps):
        s1, i1 = rates(s, i, beta, gamma)
        s2, i2 = rates(s + 0.5 * dt * s1, i + 0.5 * dt * i1, beta, gamma)
        s3, i3 = rates(s + 0.5 * dt * s2, i + 0.5 * dt * i2, beta, gamma)
        s4, i4 = rates(s + dt * s3, i + dt * i3, beta, gamma)
        s = s + dt / 6.0 * (s1 + 2.0 * s2 + 2.0 * s3 + s4)
        i = i + dt / 6.0 * (i1 + 2.0 * i2 + 2.0 * i3 + i4)
        burden = burden + dt * i * i
    return burden


def hand(  # noqa: PLR0915 - an adjoint is one piece
    s: float, i: float, beta: float, gamma: float, steps: int
) -> tuple[float, tuple[float, float, float, float]]:
    dt = 20.0 / steps
    half, sixth = 0.5 * dt, dt / 6.0
    burden = 0.0
    s_tape = []
    i_tape = []
    for _ in range(steps):
        s_tape.append(s)
        i_tape.append(i)
        new = beta * s * i
        s1, i1 = -new, new - gamma * i
        sa, ia = s + half * s1, i + half * i1
        new = beta * sa * ia
        s2, i2 = -new, new - gamma * ia
        sa, ia = s + half * s2, i + half * i2
        new = beta * sa * ia
        s3, i3 = -new, new - gamma * ia
        sa, ia = s + dt * s3, i + dt * i3
        new = beta * sa * ia
        s4, i4 = -new, new - gamma * ia
        s = s + sixth * (s1 + 2.0 * s2 + 2.0 * s3 + s4)
        i = i + sixth * (i1 + 2.0 * i2 + 2.0 * i3 + i4)
        burden = burden + dt * i * i

    s_bar = i_bar = beta_bar = gamma_bar = 0.0
    for _ in range(steps):
        i_bar += 2.0 * dt * i
        s = s_tape.pop()
        i = i_tape.pop()
        # The stages again: cheaper than a tape for each.
        new = beta * s * i
        sa, ia = s - half * new, i + half * (new - gamma * i)
        new = beta * sa * ia
        sb, ib = s - half * new, i + half * (new - gamma * ia)
        new = beta * sb * ib
        sc, ic = s - dt * new, i + dt * (new - gamma * ib)

        s4_bar, i4_bar = sixth * s_bar, sixth * i_bar
        new_bar = i4_bar - s4_bar
        beta_bar += new_bar * sc * ic
        gamma_bar -= i4_bar * ic
        sc_bar = new_bar * beta * ic
        ic_bar = new_bar * beta * sc - gamma * i4_bar
        s3_bar, i3_bar = 2.0 * s4_bar + dt * sc_bar, 2.0 * i4_bar + dt * ic_bar
        new_bar = i3_bar - s3_bar
        beta_bar += new_bar * sb * ib
        gamma_bar -= i3_bar * ib
        sb_bar = new_bar * beta * ib
        ib_bar = new_bar * beta * sb - gamma * i3_bar
        s2_bar, i2_bar = 2.0 * s4_bar + half * sb_bar, 2.0 * i4_bar + half * ib_bar
        new_bar = i2_bar - s2_bar
        beta_bar += new_bar * sa * ia
        gamma_bar -= i2_bar * ia
        sa_bar = new_bar * beta * ia
        ia_bar = new_bar * beta * sa - gamma * i2_bar
        s1_bar, i1_bar = s4_bar + half * sa_bar, i4_bar + half * ia_bar
        new_bar = i1_bar - s1_bar
        beta_bar += new_bar * s * i
        gamma_bar -= i1_bar * i
        s_bar += sc_bar + sb_bar + sa_bar + new_bar * beta * i
        i_bar += ic_bar + ib_bar + ia_bar + new_bar * beta * s - gamma * i1_bar
    return burden, (s_bar, i_bar, beta_bar, gamma_bar)


def arguments() -> tuple[float, float, float, float, int]:
    return 0.8, 0.2, 0.5, 0.1, 1000


def small_arguments() -> tuple[float, float, float, float, int]:
    return 0.8, 0.2, 0.5, 0.1, 60


def autograd_primal() -> Callable[..., Any]:
    import autograd  # noqa: F401  (only whether it is there: the function calls no library)

    return primal


def torch_primal() -> Callable[..., Any]:
    import torch  # noqa: F401  (only whether it is there: the function calls no library)

    return primal


def casadi_primal() -> Callable[..., Any]:
    import casadi  # noqa: F401  (only whether it is there: the function calls no library)

    return primal


def jax_primal() -> Callable[..., Any]:
    # Rewritten as a scan: traced as it stands, the loop would be unrolled a thousand times.
    import jax
    import jax.numpy as jnp

    def objective(s: Any, i: Any, beta: Any, gamma: Any, steps: Any) -> Any:
        dt = 20.0 / steps

        def step(state: Any, _: None) -> Any:
            s, i, burden = state
            s1, i1 = rates(s, i, beta, gamma)
            s2, i2 = rates(s + 0.5 * dt * s1, i + 0.5 * dt * i1, beta, gamma)
            s3, i3 = rates(s + 0.5 * dt * s2, i + 0.5 * dt * i2, beta, gamma)
            s4, i4 = rates(s + dt * s3, i + dt * i3, beta, gamma)
            s = s + dt / 6.0 * (s1 + 2.0 * s2 + 2.0 * s3 + s4)
            i = i + dt / 6.0 * (i1 + 2.0 * i2 + 2.0 * i3 + i4)
            return (s, i, burden + dt * i * i), None

        (_, _, burden), _ = jax.lax.scan(step, (s, i, jnp.zeros(())), None, length=steps)
        return burden

    return objective
