"""The forward algorithm of a hidden Markov model, scaled at each step: vectors in a long loop, indexed by data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

TITLE = "HMM forward, 16 states, T=1000"
POSITION = 210
WRT = ("initial", "transition", "emission")

Array = NDArray[np.float64]
Symbols = NDArray[np.int64]


def primal(initial: Array, transition: Array, emission: Array, symbols: Symbols) -> float:
    alpha = initial * emission[:, symbols[0]]
    scale = np.sum(alpha)
    alpha = alpha / scale
    total = np.log(scale)
    for t in range(1, len(symbols)):
        alpha = (alpha @ transition) * emission[:, symbols[t]]
        scale = np.sum(alpha)
        alpha = alpha / scale
        total += np.log(scale)
    return total


def hand(
    initial: Array, transition: Array, emission: Array, symbols: Symbols
) -> tuple[float, tuple[Array, Array, Array]]:
    alpha = initial * emission[:, symbols[0]]
    scale = np.sum(alpha)
    alpha = alpha / scale
    total = np.log(scale)
    tape = [(initial, alpha, scale)]
    for t in range(1, len(symbols)):
        predicted = alpha @ transition
        alpha = predicted * emission[:, symbols[t]]
        scale = np.sum(alpha)
        alpha = alpha / scale
        tape.append((predicted, alpha, scale))
        total += np.log(scale)

    emission_bar = np.zeros_like(emission)
    transition_bar = np.zeros_like(transition)
    predicted, alpha, scale = tape.pop()
    alpha_bar = np.zeros_like(alpha)
    for t in range(len(symbols) - 1, 0, -1):
        # alpha / scale, where scale is the sum of alpha and adds its logarithm
        raw_bar = (alpha_bar + (1.0 - alpha_bar @ alpha)) / scale
        symbol = symbols[t]
        emission_bar[:, symbol] += raw_bar * predicted
        predicted_bar = raw_bar * emission[:, symbol]
        predicted, alpha, scale = tape.pop()
        transition_bar += np.outer(alpha, predicted_bar)
        alpha_bar = transition @ predicted_bar
    raw_bar = (alpha_bar + (1.0 - alpha_bar @ alpha)) / scale
    emission_bar[:, symbols[0]] += raw_bar * initial
    return total, (raw_bar * emission[:, symbols[0]], transition_bar, emission_bar)


def hand_numba(
    initial: Array, transition: Array, emission: Array, symbols: Symbols
) -> tuple[float, tuple[Array, Array, Array]]:
    # Slices written out as loops, and the tape three arrays.
    states, steps = len(initial), len(symbols)
    predicted = np.empty((steps, states))
    alpha = np.empty((steps, states))
    scales = np.empty(steps)
    total = 0.0
    for t in range(steps):
        for j in range(states):
            predicted[t, j] = initial[j] if t == 0 else 0.0
        if t > 0:
            for i in range(states):
                for j in range(states):
                    predicted[t, j] += alpha[t - 1, i] * transition[i, j]
        scale = 0.0
        for j in range(states):
            alpha[t, j] = predicted[t, j] * emission[j, symbols[t]]
            scale += alpha[t, j]
        for j in range(states):
            alpha[t, j] /= scale
        scales[t] = scale
        total += np.log(scale)

    initial_bar = np.empty_like(initial)
    transition_bar = np.zeros_like(transition)
    emission_bar = np.zeros_like(emission)
    alpha_bar = np.zeros(states)
    predicted_bar = np.empty(states)
    for t in range(steps - 1, -1, -1):
        rest = 1.0
        for j in range(states):
            rest -= alpha_bar[j] * alpha[t, j]
        for j in range(states):
            raw_bar = (alpha_bar[j] + rest) / scales[t]
            emission_bar[j, symbols[t]] += raw_bar * predicted[t, j]
            predicted_bar[j] = raw_bar * emission[j, symbols[t]]
        if t > 0:
            for i in range(states):
                gathered = 0.0
                for j in range(states):
                    transition_bar[i, j] += alpha[t - 1, i] * predicted_bar[j]
                    gathered += transition[i, j] * predicted_bar[j]
                alpha_bar[i] = gathered
    for j in range(states):
        initial_bar[j] = predicted_bar[j]
    return total, (initial_bar, transition_bar, emission_bar)


def arguments() -> tuple[Array, Array, Array, Symbols]:
    return sized(16, 8, 1000)


def small_arguments() -> tuple[Array, Array, Array, Symbols]:
    return sized(3, 4, 9)


def sized(states: int, letters: int, steps: int) -> tuple[Array, Array, Array, Symbols]:
    """Random distributions, and a random sequence of symbols."""
    rng = np.random.default_rng(14)
    initial, transition = 0.1 + rng.random(states), 0.1 + rng.random((states, states))
    emission = 0.1 + rng.random((states, letters))
    transition /= np.sum(transition, axis=1, keepdims=True)
    emission /= np.sum(emission, axis=1, keepdims=True)
    return initial / np.sum(initial), transition, emission, rng.integers(letters, size=steps)


def autograd_primal() -> Callable[..., Any]:
    import autograd.numpy as anp

    def objective(initial: Any, transition: Any, emission: Any, symbols: Any) -> Any:
        return stepwise(anp, initial, transition, emission, symbols)

    return objective


def torch_primal() -> Callable[..., Any]:
    import torch

    def objective(initial: Any, transition: Any, emission: Any, symbols: Any) -> Any:
        return stepwise(torch, initial, transition, emission, symbols)

    return objective


def stepwise(library: Any, initial: Any, transition: Any, emission: Any, symbols: Any) -> Any:
    """The function for peers that know no `+=` on their own numbers."""
    alpha = initial
    total = 0.0
    for t in range(len(symbols)):
        alpha = (alpha @ transition if t else initial) * emission[:, symbols[t]]
        scale = library.sum(alpha)
        alpha = alpha / scale
        total = total + library.log(scale)
    return total


def jax_primal() -> Callable[..., Any]:
    import jax
    import jax.numpy as jnp

    def objective(initial: Any, transition: Any, emission: Any, symbols: Any) -> Any:
        def step(predicted: Any, symbol: Any) -> Any:
            alpha = predicted * emission[:, symbol]
            scale = jnp.sum(alpha)
            return (alpha / scale) @ transition, jnp.log(scale)

        _, logarithms = jax.lax.scan(step, initial, symbols)
        return jnp.sum(logarithms)

    return objective
