"""What is read the other way round has the other way round of its adjoint, and no buffer of zeros to put it in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import grad, jvp

X = np.array([0.4, -1.25, 0.75])
M = np.arange(1.0, 7.0).reshape(2, 3) / 4.0


def once(x: Any, m: Any) -> Any:
    return np.sum(x[::-1] * m[0])


def twice(x: Any, m: Any) -> Any:
    u = x[::-1]
    return np.sum(u * u[::-1] * x) + np.sum(m[::-1])


def both_axes(x: Any, m: Any) -> Any:
    w = (m * x)[::-1, ::-1]
    return np.sum(w * m[:, ::-1] * w)


def changed_afterwards(x: Any, m: Any) -> Any:
    u = x * x
    w = u[::-1]
    w = w * m[1]
    u = w[::-1]
    u[0] = 2.0
    return np.sum(u * w)


def view_that_is_changed(x: Any, m: Any) -> Any:
    u = x * m[0]
    w = u[::-1]
    w[0] *= 3.0
    return np.sum(u * u * x)


def in_a_loop(x: Any, m: Any) -> Any:
    u = 1.0 * x
    for k in range(2):
        u = u[::-1] * m[k] + u
    return np.sum(u * u)


@pytest.mark.parametrize("jit", [False, True], ids=["python", "numba"])
@pytest.mark.parametrize(
    "function", [once, twice, both_axes, changed_afterwards, view_that_is_changed, in_a_loop], ids=lambda f: f.__name__
)
def test_as_differences_and_forward_mode(function: Callable[..., Any], jit: bool) -> None:
    if jit:
        pytest.importorskip("numba")
    value, partials = grad(function, jit=jit)(X, M)
    assert value == pytest.approx(function(X.copy(), M.copy()), rel=1e-14)
    push = jvp(function)
    for place, given in enumerate((X, M)):
        for index in np.ndindex(given.shape):
            step = np.zeros_like(given)
            step[index] = 1.0
            tangents = [np.zeros_like(X), np.zeros_like(M)]
            tangents[place] = step
            ahead, back = ([a + s * 1e-6 * t for a, t in zip((X, M), tangents, strict=True)] for s in (1, -1))
            difference = (function(*ahead) - function(*back)) / 2e-6
            assert partials[place][index] == pytest.approx(difference, rel=1e-6, abs=1e-8)
            assert partials[place][index] == pytest.approx(push(tuple(tangents), X, M)[1], rel=1e-12, abs=1e-14)


def test_the_text() -> None:
    def weighted(x: Any, m: Any) -> Any:
        return np.sum(x[::-1] ** 2 * m[0])

    text = grad(weighted, wrt="x").source_for(X, M)
    (line,) = [line for line in text.splitlines() if line.startswith("    x_bar = ")]
    assert line.endswith("[::-1]")
    assert "np.zeros_like(x)" not in text
