"""Helpers that are given axes and flags: what is written down at their calls is known in them."""
# ruff: noqa: ANN001, ANN201
# The functions are what people write, lint included.

import numpy as np

from .functions import case


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def attention(q, k, v):
    weights = softmax(q @ k.T)
    return np.sum(softmax(weights @ v) ** 2)


def normalised(x, axis, centered=True):
    if centered:
        x = x - np.mean(x, axis=axis, keepdims=True)
    return x / np.sqrt(np.sum(x**2, axis=axis, keepdims=True) + 1e-5)


def rows_and_columns(x):
    return np.sum(normalised(x, 0) ** 3) + np.sum(normalised(x, 1, centered=False) ** 3)


def divergence(x, y, axis):
    p = x / np.sum(x, axis=axis, keepdims=True)
    q = y / np.sum(y, axis=axis, keepdims=True)
    apart = np.sum(p * np.log(p / q), axis=axis)
    return np.sum(np.where(apart > 0.0, np.sqrt(apart), 0.0))


_X = np.arange(12.0).reshape(3, 4) / 7.0
case(attention, _X, _X + 1.0, _X - 1.0, name="attention_with_a_helper")
case(rows_and_columns, _X)
case(divergence, _X + 0.5, _X[::-1] + 0.3, 1)
