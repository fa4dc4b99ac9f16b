"""Layers and networks, their parameters in arrays, dicts, lists and dataclasses."""

from dataclasses import dataclass

import numpy as np

from .case import Case

RNG = np.random.default_rng(18)


def layer_norm(x, gain, bias):
    centred = x - np.mean(x, axis=-1, keepdims=True)
    var = np.mean(centred**2, axis=-1, keepdims=True)
    y = gain * centred / np.sqrt(var + 1e-5) + bias
    return np.sum(np.tanh(y))


def layer_norm_hand(x, gain, bias):
    centred = x - np.mean(x, axis=-1, keepdims=True)
    std = np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + 1e-5)
    z = centred / std
    tanh_y = np.tanh(gain * z + bias)
    value = np.sum(tanh_y)
    # back
    y_bar = 1.0 - tanh_y**2
    z_bar = y_bar * gain
    x_bar = (
        z_bar - np.mean(z_bar, axis=-1, keepdims=True) - z * np.mean(z_bar * z, axis=-1, keepdims=True)
    ) / std
    return value, (x_bar, np.sum(y_bar * z, axis=0), np.sum(y_bar, axis=0))


def rms_norm(x, gain):
    scale = np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + 1e-6)
    y = gain * x / scale
    return np.mean(y**3)


def rms_norm_hand(x, gain):
    scale = np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + 1e-6)
    z = x / scale
    y = gain * z
    value = np.mean(y**3)
    # back
    y_bar = 3.0 / y.size * y**2
    z_bar = y_bar * gain
    x_bar = (z_bar - z * np.mean(z_bar * z, axis=-1, keepdims=True)) / scale
    return value, (x_bar, np.sum(y_bar * z, axis=0))


def two_layers(params, x, y):
    hidden = np.tanh(x @ params["w1"] + params["b1"])
    out = hidden @ params["w2"] + params["b2"]
    return np.mean((out - y) ** 2)


def two_layers_hand(params, x, y):
    hidden = np.tanh(x @ params["w1"] + params["b1"])
    error = hidden @ params["w2"] + params["b2"] - y
    value = np.mean(error**2)
    # back
    out_bar = 2.0 / error.size * error
    hidden_bar = (out_bar @ params["w2"].T) * (1.0 - hidden**2)
    return value, ({
        "w1": x.T @ hidden_bar, "b1": np.sum(hidden_bar, axis=0),
        "w2": hidden.T @ out_bar, "b2": np.sum(out_bar, axis=0),
    },)  # fmt: skip


def deep(layers, x):
    for w, b in layers:
        x = np.tanh(x @ w + b)
    return np.sum(x**2)


def deep_hand(layers, x):
    tape = []
    for w, b in layers:
        tape.append(x)
        x = np.tanh(x @ w + b)
    value = np.sum(x**2)
    # back
    layers_bar = [None] * len(layers)
    x_bar = 2.0 * x
    for k in reversed(range(len(layers))):
        w, _ = layers[k]
        z_bar = x_bar * (1.0 - x**2)
        x = tape[k]
        layers_bar[k] = (x.T @ z_bar, np.sum(z_bar, axis=0))
        x_bar = z_bar @ w.T
    return value, (layers_bar,)


def residual_relu(weights, x, target):
    for w in weights:
        x = x + np.maximum(x @ w, 0.0)
    return np.mean((x - target) ** 2)


def residual_relu_hand(weights, x, target):
    tape = []
    for w in weights:
        z = x @ w
        tape.append((x, z))
        x = x + np.maximum(z, 0.0)
    error = x - target
    value = np.mean(error**2)
    # back
    weights_bar = [None] * len(weights)
    x_bar = 2.0 / error.size * error
    for k in reversed(range(len(weights))):
        x, z = tape[k]
        z_bar = x_bar * (z > 0.0)
        weights_bar[k] = x.T @ z_bar
        x_bar = x_bar + z_bar @ weights[k].T
    return value, (weights_bar,)


@dataclass
class Gru:
    wz: np.ndarray
    wr: np.ndarray
    wh: np.ndarray


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def gru_loss(cell, xs, h):
    for x in xs:
        xh = np.concatenate((x, h))
        z = sigmoid(cell.wz @ xh)
        r = sigmoid(cell.wr @ xh)
        candidate = np.tanh(cell.wh @ np.concatenate((x, r * h)))
        h = (1.0 - z) * h + z * candidate
    return np.sum(h**2)


def gru_loss_hand(cell, xs, h):
    tape = []
    for x in xs:
        xh = np.concatenate((x, h))
        z = sigmoid(cell.wz @ xh)
        r = sigmoid(cell.wr @ xh)
        x_rh = np.concatenate((x, r * h))
        candidate = np.tanh(cell.wh @ x_rh)
        tape.append((h, xh, z, r, x_rh, candidate))
        h = (1.0 - z) * h + z * candidate
    value = np.sum(h**2)
    # back
    n = xs.shape[1]
    wz_bar, wr_bar, wh_bar = np.zeros_like(cell.wz), np.zeros_like(cell.wr), np.zeros_like(cell.wh)
    h_bar = 2.0 * h
    for h, xh, z, r, x_rh, candidate in reversed(tape):
        inner_bar = h_bar * z * (1.0 - candidate**2)
        wh_bar += np.outer(inner_bar, x_rh)
        rh_bar = (cell.wh.T @ inner_bar)[n:]
        z_bar = h_bar * (candidate - h) * z * (1.0 - z)
        r_bar = rh_bar * h * r * (1.0 - r)
        wz_bar += np.outer(z_bar, xh)
        wr_bar += np.outer(r_bar, xh)
        xh_bar = cell.wz.T @ z_bar + cell.wr.T @ r_bar
        h_bar = h_bar * (1.0 - z) + rh_bar * r + xh_bar[n:]
    return value, (Gru(wz_bar, wr_bar, wh_bar),)


def autoencoder(params, x):
    code = np.tanh(x @ params["w"] + params["b"])
    back = code @ params["w"].T + params["c"]
    return 0.5 * np.mean(np.sum((back - x) ** 2, axis=1)) + 1e-3 * np.sum(params["w"] ** 2)


def autoencoder_hand(params, x):
    w = params["w"]
    code = np.tanh(x @ w + params["b"])
    error = code @ w.T + params["c"] - x
    value = 0.5 * np.mean(np.sum(error**2, axis=1)) + 1e-3 * np.sum(w**2)
    # back
    back_bar = error / len(x)
    code_bar = (back_bar @ w) * (1.0 - code**2)
    w_bar = back_bar.T @ code + x.T @ code_bar + 2e-3 * w
    return value, ({"w": w_bar, "b": np.sum(code_bar, axis=0), "c": np.sum(back_bar, axis=0)},)


def attention(x, wq, wk, wv):
    q, k, v = x @ wq, x @ wk, x @ wv
    scores = q @ k.T / np.sqrt(q.shape[-1])
    scores = scores - np.max(scores, axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights = weights / np.sum(weights, axis=-1, keepdims=True)
    return np.sum((weights @ v) ** 2)


def attention_hand(x, wq, wk, wv):
    q, k, v = x @ wq, x @ wk, x @ wv
    root = np.sqrt(q.shape[-1])
    scores = q @ k.T / root
    exps = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = exps / np.sum(exps, axis=-1, keepdims=True)
    out = weights @ v
    value = np.sum(out**2)
    # back
    out_bar = 2.0 * out
    v_bar = weights.T @ out_bar
    weights_bar = out_bar @ v.T
    scores_bar = weights * (weights_bar - np.sum(weights_bar * weights, axis=-1, keepdims=True)) / root
    q_bar = scores_bar @ k
    k_bar = scores_bar.T @ q
    x_bar = q_bar @ wq.T + k_bar @ wk.T + v_bar @ wv.T
    return value, (x_bar, x.T @ q_bar, x.T @ k_bar, x.T @ v_bar)


def causal_heads(x, wq, wk, wv, mask):
    q = np.einsum("td,hde->hte", x, wq)
    k = np.einsum("td,hde->hte", x, wk)
    v = np.einsum("td,hde->hte", x, wv)
    scores = np.einsum("hte,hse->hts", q, k) / np.sqrt(wq.shape[2]) + mask
    exps = np.exp(scores)
    weights = exps / np.sum(exps, axis=-1, keepdims=True)
    return np.sum(np.einsum("hts,hse->hte", weights, v) ** 2)


def causal_heads_hand(x, wq, wk, wv, mask):
    q = np.einsum("td,hde->hte", x, wq)
    k = np.einsum("td,hde->hte", x, wk)
    v = np.einsum("td,hde->hte", x, wv)
    root = np.sqrt(wq.shape[2])
    exps = np.exp(np.einsum("hte,hse->hts", q, k) / root + mask)
    weights = exps / np.sum(exps, axis=-1, keepdims=True)
    out = np.einsum("hts,hse->hte", weights, v)
    value = np.sum(out**2)
    # back
    out_bar = 2.0 * out
    v_bar = np.einsum("hts,hte->hse", weights, out_bar)
    weights_bar = np.einsum("hte,hse->hts", out_bar, v)
    scores_bar = weights * (weights_bar - np.sum(weights_bar * weights, axis=-1, keepdims=True)) / root
    q_bar = np.einsum("hts,hse->hte", scores_bar, k)
    k_bar = np.einsum("hts,hte->hse", scores_bar, q)
    x_bar = (
        np.einsum("hte,hde->td", q_bar, wq) + np.einsum("hte,hde->td", k_bar, wk) + np.einsum("hte,hde->td", v_bar, wv)
    )
    wq_bar = np.einsum("td,hte->hde", x, q_bar)
    wk_bar = np.einsum("td,hte->hde", x, k_bar)
    wv_bar = np.einsum("td,hte->hde", x, v_bar)
    return value, (x_bar, wq_bar, wk_bar, wv_bar)


X, NET = RNG.normal(size=(20, 5)), RNG.normal(size=(20, 8))
CASES = [
    Case(layer_norm, layer_norm_hand, (NET, RNG.normal(size=8), RNG.normal(size=8))),
    Case(rms_norm, rms_norm_hand, (NET, RNG.normal(size=8))),
    Case(two_layers, two_layers_hand, (
        {"w1": RNG.normal(size=(5, 7)), "b1": RNG.normal(size=7), "w2": RNG.normal(size=(7, 3)),
         "b2": RNG.normal(size=3)}, X, RNG.normal(size=(20, 3)),
    ), wrt="params"),
    Case(deep, deep_hand, ([(RNG.normal(size=(a, b)), RNG.normal(size=b)) for a, b in ((5, 7), (7, 6), (6, 2))], X),
         wrt="layers"),
    Case(residual_relu, residual_relu_hand, ([RNG.normal(size=(5, 5)) for _ in range(4)], X, RNG.normal(size=(20, 5))),
         wrt="weights"),
    Case(gru_loss, gru_loss_hand, (
        Gru(*(RNG.normal(size=(4, 7)) for _ in range(3))), RNG.normal(size=(10, 3)), RNG.normal(size=4),
    ), wrt="cell"),
    Case(autoencoder, autoencoder_hand, (
        {"w": RNG.normal(size=(5, 3)), "b": RNG.normal(size=3), "c": RNG.normal(size=5)}, X,
    ), wrt="params"),
    Case(attention, attention_hand, (X, *(0.5 * RNG.normal(size=(5, 4)) for _ in range(3)))),
    Case(causal_heads, causal_heads_hand, (
        X, *(0.5 * RNG.normal(size=(2, 5, 4)) for _ in range(3)), np.triu(np.full((20, 20), -1e9), 1),
    ), wrt="x wq wk wv"),
]  # fmt: skip
