"""Indices that may be outside of their axis: `IndexError`, and no test where it is certain that they are not."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import grad, value_and_grad

from .run_by_python import texts_of

pytest.importorskip("numba")
RNG = np.random.default_rng(8)


def asked_in(text: str) -> list[str]:
    """The lines of a text that ask for an index."""
    lines = text.split("\n")
    found = [lines[k - 1].strip() for k, line in enumerate(lines) if "out of bounds for axis" in line]
    return found + [line.strip() for line in lines if "inside(" in line and not line.startswith("def ")]


# ---------------------------------------------------------------------------------------- what is certain costs nothing


def over_its_length(x, w):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * w[0] + x[-1]
    return total


def neighbours(u, sweeps):
    n, m = u.shape
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(m - 2, 0, -1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return np.sum(u * u)


def made_as_long(x, n):
    y, z = np.zeros(n), np.empty((n, len(x)))
    for i in range(n):
        y[i] = math.sin(i)
        for j in range(len(x)):
            z[i, j] = y[i] * x[j]
    return np.sum(z)


def triangle(a):
    n = a.shape[0]
    s = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            for k in range(j, i):
                s[i, 0] += a[k, 0] * a[i - k, 0] * a[n - 1 - i, 0]
    return np.sum(s)


def by_parts(x):
    middle = x[1:-1]
    total = 0.0
    for i in range(len(middle)):
        total += middle[i] * x[i] * x[i + 2]
    return total


def as_far_as_it_goes(x, limit):
    i = 0
    total = 0.0
    while i < len(x) and total < limit:
        total += x[i] ** 2
        i += 1
    return total


def under_a_test(x, k):
    if 0 <= k < len(x):
        return x[k] ** 2
    return x[0] * 2.0


def in_turn(x, n):
    total = 0.0
    for i in range(n):
        total += x[i % len(x)] * x[i // 2 % len(x)] * x[max(0, min(i, len(x) - 1))]
    return total


def refused_before(x, y):
    if len(x) != len(y):
        raise ValueError("as long as each other")
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


def with_its_items(x, y):
    total = 0.0
    for i, v in enumerate(x):
        y[0] = x[i] * v  # noqa: PLR1736 - what is tried
        total += y[0]
    return total


def differences(x):
    return np.sum((x[1:] - x[:-1]) ** 2) + np.sum((x[2:] - 2.0 * x[1:-1] + x[:-2]) ** 2)


V, W, U = RNG.normal(size=6), RNG.normal(size=6), RNG.normal(size=(5, 4))


@pytest.mark.parametrize(
    ("f", "arguments"),
    [
        (over_its_length, (V, W)),
        (neighbours, (U, 3)),
        (made_as_long, (V, 4)),
        (triangle, (U,)),
        (by_parts, (V,)),
        (as_far_as_it_goes, (V, 3.0)),
        (under_a_test, (V, 7)),
        (in_turn, (V, 9)),
        (refused_before, (V, W)),
        (with_its_items, (V, W)),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_what_is_certain_is_not_tested(
    f: Callable[..., Any], arguments: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = texts_of(monkeypatch)
    value, partials = grad(f, jit=True)(*arguments)
    assert asked_in(texts[-1]) == []
    expected, by_python = grad(f)(*arguments)
    assert value == pytest.approx(expected, rel=1e-13)
    for one, other in zip(partials, by_python, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)


# --------------------------------------------------------------------------------------------- what is not, where it is


def test_what_hangs_on_many_cases_is_asked_in_front_of_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = texts_of(monkeypatch)
    grad(differences, jit=True)(V)
    assert all(line.startswith("if 0 < len(") for line in asked_in(texts[-1]))


def up_to_a_number(x, w, n):
    total = 0.0
    for i in range(n):
        total += x[i] * w[i + 1] * x[i]
    return total


def test_a_loop_is_asked_once_and_its_adjoint_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = texts_of(monkeypatch)
    grad(up_to_a_number, jit=True)(V, W, 4)
    assert asked_in(texts[-1]) == ["if 0 < n and n - 1 >= len(x):", "if 0 < n and n - 1 + 1 >= len(w):"]


def test_a_table_of_rows_is_asked_where_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def picked(x, rows):
        total = 0.0
        for row in rows:
            total += x[row, 0] * x[row, 1] ** 2
        return total

    texts = texts_of(monkeypatch)
    grad(picked, jit=True)(U, np.array([0, 4]))
    assert asked_in(texts[-1]) == ["if row < -len(x) or row >= len(x):"]


def test_a_loop_that_may_end_or_raise_is_asked_as_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """In front of it, the index would be outside before the loop is left."""

    def left(x, n):
        total = 0.0
        for i in range(n):
            if total > 1.0:
                raise ValueError("too much")
            total += x[i]
        return total

    texts = texts_of(monkeypatch)
    native = grad(left, jit=True)
    native(np.full(3, 0.25), 2)
    assert asked_in(texts[-1])[0] == "if i >= len(x):"
    for call in (grad(left), native):
        with pytest.raises(ValueError, match="too much"):
            call(np.ones(3), 9)
        with pytest.raises(IndexError):
            call(np.zeros(3), 9)


def test_boundscheck_false_is_the_users_word(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = texts_of(monkeypatch)
    grad(up_to_a_number, jit=True, boundscheck=False)(V, W, 4)
    assert asked_in(texts[-1]) == []


# -------------------------------------------------------------------------------------------------- machine code raises


def read(x, k):
    return x[k] * 2.0


def read_of_two(a, k):
    return a[0, k] + a[k, 0]


def written(x, k):
    y = np.zeros(3)
    y[k] = x[0]
    return np.sum(y * y)


def added(x, k):
    x[k] += x[0] ** 2
    return np.sum(x)


def row(a, k):
    return np.sum(a[k] ** 2)


def by_helper(x, k):
    return item(x, k) + item(x, 0)


def item(x, k):
    y = x * x
    z = y[k]
    return z * z


def chosen(x, k):
    return (x[k] if k != 1 else 0.0) + x[0] ** 2


def as_long_as_positive(x, k):
    while x[k] > 0.0:
        k += 1
    return x[k] * x[0]


def listed(x, k):
    scale = np.array([1.0, 2.0, 3.0])
    factors = [scale[i] for i in range(k)]
    return x[0] * sum(factors)


def places(x, k):
    return np.sum(x[np.array([0, k])] ** 2)


def places_added(x, k):
    y = np.zeros(3)
    np.add.at(y, np.array([0, k]), x[:2])
    return np.sum(y * y)


def places_written(x, k):
    y = np.ones(3)
    y[np.array([k])] = 2.0
    return np.sum(y * y * x)


def column(a, k):
    return np.sum(a[:, k] ** 2)


def masked(x, k):
    return np.sum(x[np.ones(k) > 0.0] ** 2)


def flat(a, k):
    return a.flat[k] ** 2


def swapped(x, k):
    x[0], x[k] = x[k], x[0]
    return x[0] * 3.0


X, A = np.array([1.0, 2.0, -3.0]), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])


@pytest.mark.parametrize("f", [read, written, added, by_helper, chosen, as_long_as_positive, places, swapped])
def test_vectors(f: Callable[..., Any]) -> None:
    compare(f, X, (0, 2, -3, 3, -4, 10**9))


@pytest.mark.parametrize("f", [read_of_two, row, column])
def test_matrices(f: Callable[..., Any]) -> None:
    compare(f, A, (0, 2, -3, 3, -4, 10**9))


@pytest.mark.parametrize("f", [places_added, places_written])
def test_lists_of_places(f: Callable[..., Any]) -> None:
    compare(f, X, (1, -3, 3, -4))


def test_lists() -> None:
    compare(listed, X, (0, 3, 4))


def test_masks() -> None:
    compare(masked, X, (3, 2, 4))


def compare(f: Callable[..., Any], x: Any, cases: tuple[int, ...]) -> None:
    """Numbers or `IndexError`, as Python says."""
    plain, native = (
        value_and_grad(f, wrt="x" if x is X else "a"),
        value_and_grad(f, wrt="x" if x is X else "a", jit=True),
    )
    for k in cases:
        try:
            value, partial = plain(x, k)
        except IndexError:
            with pytest.raises(IndexError):
                native(x, k)
        else:
            found, by_numba = native(x, k)
            assert found == pytest.approx(value, rel=1e-14)
            np.testing.assert_allclose(by_numba, partial, rtol=1e-14)
