"""ADBench's LSTM that predicts the next character (Srajer, Kukelova, Fitzgibbon 2018): two layers, 1024 characters.

A layer here has diagonal weights: each of its four gates multiplies element by element.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

TITLE = "ADBench LSTM, l2 c1024"
POSITION = 160
WRT = ("weights", "biases", "extra")

Array = NDArray[np.float64]


def sigmoid(x: Array) -> Array:
    return 1.0 / (1.0 + np.exp(-x))


def primal(weights: Array, biases: Array, extra: Array, hidden: Array, cell: Array, sequence: Array) -> float:
    # For each layer, `weights` and `biases` have a row for each gate: forget, input, output, change.
    total = 0.0
    for t in range(len(sequence) - 1):
        x = sequence[t] * extra[0]
        for layer in range(len(weights)):
            w, b = weights[layer], biases[layer]
            forget = sigmoid(x * w[0] + b[0])
            ingate = sigmoid(hidden[layer] * w[1] + b[1])
            outgate = sigmoid(x * w[2] + b[2])
            change = np.tanh(hidden[layer] * w[3] + b[3])
            cell[layer] = cell[layer] * forget + ingate * change
            hidden[layer] = outgate * np.tanh(cell[layer])
            x = hidden[layer]
        scores = x * extra[1] + extra[2]
        log_p = scores - np.log(np.sum(np.exp(scores)) + 2.0)
        total += np.sum(sequence[t + 1] * log_p)
    return -total / (sequence.shape[1] * (len(sequence) - 1))


def hand(  # noqa: PLR0915 - an adjoint is one piece
    weights: Array, biases: Array, extra: Array, hidden: Array, cell: Array, sequence: Array
) -> tuple[float, tuple[Array, Array, Array]]:
    hidden = hidden.copy()
    cell = cell.copy()
    total = 0.0
    tape = []
    powers_tape = []
    for t in range(len(sequence) - 1):
        x = sequence[t] * extra[0]
        for layer in range(len(weights)):
            w, b = weights[layer], biases[layer]
            forget = sigmoid(x * w[0] + b[0])
            ingate = sigmoid(hidden[layer] * w[1] + b[1])
            outgate = sigmoid(x * w[2] + b[2])
            change = np.tanh(hidden[layer] * w[3] + b[3])
            cell_before = cell[layer].copy()
            cell[layer] = cell_before * forget + ingate * change
            squashed = np.tanh(cell[layer])
            tape.append((x, hidden[layer].copy(), cell_before, forget, ingate, outgate, change, squashed))
            x = outgate * squashed
            hidden[layer] = x
        scores = x * extra[1] + extra[2]
        powers = np.exp(scores)
        below = np.sum(powers) + 2.0
        powers_tape.append((x, powers, below))
        total += np.sum(sequence[t + 1] * (scores - np.log(below)))
    count = sequence.shape[1] * (len(sequence) - 1)

    total_bar = -1.0 / count
    weights_bar = np.zeros_like(weights)
    biases_bar = np.zeros_like(biases)
    extra_bar = np.zeros_like(extra)
    hidden_bar = np.zeros_like(hidden)
    cell_bar = np.zeros_like(cell)
    for t in range(len(sequence) - 2, -1, -1):
        x, powers, below = powers_tape.pop()
        log_p_bar = total_bar * sequence[t + 1]
        scores_bar = log_p_bar - np.sum(log_p_bar) / below * powers
        extra_bar[1] += scores_bar * x
        extra_bar[2] += scores_bar
        x_bar = scores_bar * extra[1]
        for layer in range(len(weights) - 1, -1, -1):
            x, hidden_before, cell_before, forget, ingate, outgate, change, squashed = tape.pop()
            w = weights[layer]
            w_bar, b_bar = weights_bar[layer], biases_bar[layer]
            out_bar = x_bar + hidden_bar[layer]
            state_bar = cell_bar[layer] + out_bar * outgate * (1.0 - squashed**2)
            forget_bar = state_bar * cell_before * forget * (1.0 - forget)
            ingate_bar = state_bar * change * ingate * (1.0 - ingate)
            outgate_bar = out_bar * squashed * outgate * (1.0 - outgate)
            change_bar = state_bar * ingate * (1.0 - change**2)
            w_bar[0] += forget_bar * x
            w_bar[1] += ingate_bar * hidden_before
            w_bar[2] += outgate_bar * x
            w_bar[3] += change_bar * hidden_before
            b_bar[0] += forget_bar
            b_bar[1] += ingate_bar
            b_bar[2] += outgate_bar
            b_bar[3] += change_bar
            cell_bar[layer] = state_bar * forget
            hidden_bar[layer] = ingate_bar * w[1] + change_bar * w[3]
            x_bar = forget_bar * w[0] + outgate_bar * w[2]
        extra_bar[0] += x_bar * sequence[t]
    return -total / count, (weights_bar, biases_bar, extra_bar)


def hand_numba(  # noqa: PLR0915 - as above
    weights: Array, biases: Array, extra: Array, hidden: Array, cell: Array, sequence: Array
) -> tuple[float, tuple[Array, Array, Array]]:
    # The same with slices written out as loops, and one array per layer and step as its tape.
    layers, _, width = weights.shape
    steps = len(sequence) - 1
    hidden = hidden.copy()
    cell = cell.copy()
    total = 0.0
    tape = np.empty((steps, layers, 8, width))
    powers_tape = np.empty((steps, width))
    below_tape = np.empty(steps)
    for t in range(steps):
        for layer in range(layers):
            w, b, kept = weights[layer], biases[layer], tape[t, layer]
            for i in range(width):
                x = sequence[t, i] * extra[0, i] if layer == 0 else hidden[layer - 1, i]
                kept[0, i] = x
                kept[1, i] = hidden[layer, i]
                kept[2, i] = cell[layer, i]
                kept[3, i] = 1.0 / (1.0 + np.exp(-(x * w[0, i] + b[0, i])))
                kept[4, i] = 1.0 / (1.0 + np.exp(-(hidden[layer, i] * w[1, i] + b[1, i])))
                kept[5, i] = 1.0 / (1.0 + np.exp(-(x * w[2, i] + b[2, i])))
                kept[6, i] = np.tanh(hidden[layer, i] * w[3, i] + b[3, i])
                cell[layer, i] = cell[layer, i] * kept[3, i] + kept[4, i] * kept[6, i]
                kept[7, i] = np.tanh(cell[layer, i])
                hidden[layer, i] = kept[5, i] * kept[7, i]
        below = 2.0
        dot = 0.0
        whole = 0.0
        for i in range(width):
            score = hidden[layers - 1, i] * extra[1, i] + extra[2, i]
            power = np.exp(score)
            powers_tape[t, i] = power
            below += power
            dot += sequence[t + 1, i] * score
            whole += sequence[t + 1, i]
        below_tape[t] = below
        total += dot - whole * np.log(below)
    count = width * steps

    total_bar = -1.0 / count
    weights_bar = np.zeros_like(weights)
    biases_bar = np.zeros_like(biases)
    extra_bar = np.zeros_like(extra)
    hidden_bar = np.zeros_like(hidden)
    cell_bar = np.zeros_like(cell)
    x_bar = np.empty(width)
    for t in range(steps - 1, -1, -1):
        whole = 0.0
        for i in range(width):
            whole += sequence[t + 1, i]
        share = whole / below_tape[t]
        for i in range(width):
            score_bar = total_bar * (sequence[t + 1, i] - share * powers_tape[t, i])
            kept = tape[t, layers - 1]
            extra_bar[1, i] += score_bar * kept[5, i] * kept[7, i]
            extra_bar[2, i] += score_bar
            x_bar[i] = score_bar * extra[1, i]
        for layer in range(layers - 1, -1, -1):
            w, w_bar, b_bar, kept = weights[layer], weights_bar[layer], biases_bar[layer], tape[t, layer]
            for i in range(width):
                x, before = kept[0, i], kept[1, i]
                forget, ingate, outgate, change, squashed = kept[3, i], kept[4, i], kept[5, i], kept[6, i], kept[7, i]
                out_bar = x_bar[i] + hidden_bar[layer, i]
                state_bar = cell_bar[layer, i] + out_bar * outgate * (1.0 - squashed * squashed)
                forget_bar = state_bar * kept[2, i] * forget * (1.0 - forget)
                ingate_bar = state_bar * change * ingate * (1.0 - ingate)
                outgate_bar = out_bar * squashed * outgate * (1.0 - outgate)
                change_bar = state_bar * ingate * (1.0 - change * change)
                w_bar[0, i] += forget_bar * x
                w_bar[1, i] += ingate_bar * before
                w_bar[2, i] += outgate_bar * x
                w_bar[3, i] += change_bar * before
                b_bar[0, i] += forget_bar
                b_bar[1, i] += ingate_bar
                b_bar[2, i] += outgate_bar
                b_bar[3, i] += change_bar
                cell_bar[layer, i] = state_bar * forget
                hidden_bar[layer, i] = ingate_bar * w[1, i] + change_bar * w[3, i]
                x_bar[i] = forget_bar * w[0, i] + outgate_bar * w[2, i]
        for i in range(width):
            extra_bar[0, i] += x_bar[i] * sequence[t, i]
    return -total / count, (weights_bar, biases_bar, extra_bar)


def arguments() -> tuple[Array, Array, Array, Array, Array, Array]:
    return sized(2, 1024, 14)


def small_arguments() -> tuple[Array, Array, Array, Array, Array, Array]:
    return sized(2, 6, 3)


def sized(layers: int, characters: int, width: int) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Uniform parameters and states, and characters as vectors of bits, one of them set."""
    rng = np.random.default_rng(11)
    weights, biases = rng.random((layers, 4, width)), rng.random((layers, 4, width))
    hidden, cell = rng.random((layers, width)), rng.random((layers, width))
    sequence = np.eye(width)[rng.integers(width, size=characters)]
    return weights, biases, rng.random((3, width)), hidden, cell, sequence


def jax_primal() -> Callable[..., Any]:
    # A scan over the characters, layers unrolled.
    import jax
    import jax.numpy as jnp

    def objective(weights: Any, biases: Any, extra: Any, hidden: Any, cell: Any, sequence: Any) -> Any:
        def step(state: Any, pair: Any) -> Any:
            total, hidden, cell = state
            current, following = pair
            score, hidden, cell = predicted(jax.nn.sigmoid, jnp.tanh, weights, biases, extra, hidden, cell, current)
            log_p = score - jnp.log(jnp.sum(jnp.exp(score)) + 2.0)
            return (total + jnp.sum(following * log_p), tuple(hidden), tuple(cell)), None

        start = (jnp.zeros(()), tuple(hidden), tuple(cell))
        (total, _, _), _ = jax.lax.scan(step, start, (sequence[:-1], sequence[1:]))
        return -total / (sequence.shape[1] * (len(sequence) - 1))

    return objective


def torch_primal() -> Callable[..., Any]:
    import torch

    def objective(weights: Any, biases: Any, extra: Any, hidden: Any, cell: Any, sequence: Any) -> Any:
        total = 0.0
        for t in range(len(sequence) - 1):
            score, hidden, cell = predicted(
                torch.sigmoid, torch.tanh, weights, biases, extra, hidden, cell, sequence[t]
            )
            log_p = score - torch.log(torch.sum(torch.exp(score)) + 2.0)
            total = total + torch.sum(sequence[t + 1] * log_p)
        return -total / (sequence.shape[1] * (len(sequence) - 1))

    return objective


def autograd_primal() -> Callable[..., Any]:
    import autograd.numpy as anp

    def logistic(x: Any) -> Any:
        return 1.0 / (1.0 + anp.exp(-x))

    def objective(weights: Any, biases: Any, extra: Any, hidden: Any, cell: Any, sequence: Any) -> Any:
        total = 0.0
        for t in range(len(sequence) - 1):
            score, hidden, cell = predicted(logistic, anp.tanh, weights, biases, extra, hidden, cell, sequence[t])
            log_p = score - anp.log(anp.sum(anp.exp(score)) + 2.0)
            total = total + anp.sum(sequence[t + 1] * log_p)
        return -total / (sequence.shape[1] * (len(sequence) - 1))

    return objective


def predicted(
    logistic: Any, tanh: Any, weights: Any, biases: Any, extra: Any, hidden: Any, cell: Any, current: Any
) -> Any:
    """Scores for the next character, and new states as lists: peers cannot go back through states set in place."""
    x = current * extra[0]
    new_hidden, new_cell = [], []
    for w, b, h, c in zip(weights, biases, hidden, cell, strict=True):
        forget = logistic(x * w[0] + b[0])
        ingate = logistic(h * w[1] + b[1])
        outgate = logistic(x * w[2] + b[2])
        change = tanh(h * w[3] + b[3])
        new_cell.append(c * forget + ingate * change)
        x = outgate * tanh(new_cell[-1])
        new_hidden.append(x)
    return x * extra[1] + extra[2], new_hidden, new_cell
