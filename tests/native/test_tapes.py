"""Tapes of arrays as one long array: the numbers of lists, whatever the shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adcompile import grad

from .run_by_python import texts_of


def equal_steps(x: Any, n: int) -> Any:
    u = x
    for _ in range(n):
        u = np.sin(u) * u + x
    return np.sum(u)


def growing_steps(x: Any, n: int) -> Any:
    total = 0.0
    for k in range(1, n):
        u = x[:k] * x[k]
        v = np.sin(u) * u
        total = total * 0.5 + np.sum(v * v * total)
    return total + x[0]


def only_sometimes(x: Any, n: int) -> Any:
    u = x
    for k in range(n):
        if k % 3 == 1:  # noqa: SIM108 - a branch is meant
            u = np.sin(u) * u
        else:
            u = u * 1.01
    return np.sum(u * u)


def until_large(x: Any, n: int) -> Any:
    u = x
    while np.sum(u) < n:
        u = u * u + 1.0
    return np.sum(u * u)


def in_place(x: Any, n: int) -> Any:
    u = x * 1.0
    for _ in range(n):
        u[1:-1] += 0.1 * u[1:-1] * (u[2:] - u[:-2])
    return np.sum(u * u)


def matrices(x: Any, n: int) -> Any:
    a = np.outer(x, x) * 0.1
    for _ in range(n):
        a = a @ a * 0.1 + np.sin(a)
    return np.sum(a * a)


def nested(x: Any, n: int) -> Any:
    total = 0.0
    u = x
    for k in range(n):
        for j in range(k):
            u = np.sin(u) * (1.0 + j)
        total += np.sum(u) * total + u[k % 3]
    return total


def strided(x: Any, n: int) -> Any:
    u = x
    total = 1.0
    for _ in range(n):
        v = u[::2]
        w = np.sin(v) * v
        total = total * np.sum(w)
        u = u * 0.9
    return total


@pytest.mark.parametrize(
    "f",
    [equal_steps, growing_steps, only_sometimes, until_large, in_place, matrices, nested, strided],
    ids=lambda f: f.__name__,
)
@pytest.mark.usefixtures("some_under_numba")
def test_numbers_of_the_text(f: Any) -> None:
    plain, native = grad(f, wrt="x"), grad(f, wrt="x", jit=True)
    for size in (3, 8):
        x = np.linspace(0.3, 1.1, size)
        steps = min(size, 5)
        value, partials = native(x, steps)
        expected, wanted = plain(x, steps)
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        np.testing.assert_allclose(partials.x, wanted.x, rtol=1e-10, atol=1e-13)


def test_no_steps_and_no_items(monkeypatch: pytest.MonkeyPatch) -> None:
    texts_of(monkeypatch)
    value, partials = grad(equal_steps, wrt="x", jit=True)(np.ones(3), 0)
    assert value == 3.0
    np.testing.assert_array_equal(partials.x, np.ones(3))
    value, partials = grad(equal_steps, wrt="x", jit=True)(np.ones(0), 3)
    assert value == 0.0
    assert partials.x.shape == (0,)


def test_called_again_with_other_sizes() -> None:
    """As machine code, which would write out of a tape that is too short."""
    g = grad(equal_steps, wrt="x", jit=True)
    for size in (2, 5, 3):
        x = np.linspace(0.1, 0.5, size)
        np.testing.assert_allclose(g(x, 4)[1].x, grad(equal_steps, wrt="x")(x, 4)[1].x, rtol=1e-12)
