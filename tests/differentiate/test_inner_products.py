"""Hessians of layers: a tangent that is a product, and is read by products alone, is not made for all directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import derivative, hessian, jacobian

RNG = np.random.default_rng(3)
DATA, LABELS = RNG.normal(size=(90, 4)), RNG.normal(size=90)
X = RNG.normal(size=30)


def layer(x: Any) -> Any:
    hidden = np.tanh(DATA @ x[:20].reshape(4, 5))
    return np.sum((hidden @ x[20:25] - LABELS) ** 2) + np.sum(x[25:] ** 3)


def without_a_factor(x: Any) -> Any:
    hidden = DATA @ x[:20].reshape(4, 5)
    return np.sum((hidden @ x[20:25] - LABELS) ** 3)


def by_rows(x: Any) -> Any:
    hidden = np.sin(DATA @ x[:20].reshape(4, 5))
    return np.sum(np.exp(0.1 * (LABELS @ hidden) * x[20:25]))


def changed_after(x: Any) -> Any:
    data = DATA.copy()
    hidden = np.tanh(data @ x[:20].reshape(4, 5))
    data[:] = 1.0
    return np.sum((hidden @ x[20:25] - LABELS) ** 2) + np.sum(data) * x[0]


def with_a_bias(x: Any) -> Any:
    hidden = np.tanh(DATA @ x[:20].reshape(4, 5) + x[20:25])
    return np.sum((hidden @ x[25:30] - LABELS) ** 2)


def read_by_items(x: Any) -> Any:
    hidden = np.tanh(DATA @ x[:20].reshape(4, 5))
    return np.sum((hidden @ x[20:25] - LABELS) ** 2) + hidden[3, 1] ** 2 * x[25]


def two_layers(x: Any) -> Any:
    hidden = np.tanh(DATA @ x[:12].reshape(4, 3))
    second = np.tanh(hidden @ x[12:18].reshape(3, 2))
    return np.sum((second @ x[18:20] - LABELS) ** 2)


PUT_IN = (layer, without_a_factor, by_rows)
KEPT = (changed_after, with_a_bias, read_by_items, two_layers)


@pytest.mark.parametrize("f", [*PUT_IN, *KEPT], ids=lambda f: f.__name__)
def test_hessians(f: Callable[..., Any]) -> None:
    found, gradient = hessian(f)(X), derivative(f)
    step = 1e-5
    differences = np.array([(gradient(X + e) - gradient(X - e)) / (2 * step) for e in step * np.eye(len(X))])
    np.testing.assert_allclose(found, differences, rtol=1e-6, atol=1e-7 * np.abs(found).max())
    by_columns = hessian(f, chunk=7)(X)
    np.testing.assert_allclose(found, by_columns, rtol=1e-12, atol=1e-12 * np.abs(found).max())
    assert (f in PUT_IN) == ("inner_dot" in hessian(f).source_for(X))


def test_a_jacobian_by_columns() -> None:
    def means(x: Any) -> Any:
        hidden = np.tanh(DATA @ x.reshape(4, 5))
        return np.concatenate([LABELS @ hidden, hidden.T @ np.cos(LABELS), hidden @ np.arange(5.0)])

    columns, rows = jacobian(means, mode="forward"), jacobian(means, mode="reverse")
    np.testing.assert_allclose(columns(X[:20]), rows(X[:20]), rtol=1e-12, atol=1e-13)
