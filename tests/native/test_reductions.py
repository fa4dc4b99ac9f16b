"""Sums, means and extremes along axes under Numba, with their adjoints, against the same text under Python."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import grad
from adcompile.runtime import helpers as runtime


def extremes(x: Any) -> Any:
    return np.max(x) * 2.0 + np.min(x)


def extremes_of_columns(x: Any) -> Any:
    return np.sum(np.max(x, axis=0) ** 2) + np.sum(x.min(axis=0) * x)


def extremes_of_rows_kept(x: Any) -> Any:
    return np.sum(np.max(x, axis=1, keepdims=True) * x) + np.sum(x - np.min(x, axis=-1, keepdims=True) * x)


def sums(x: Any) -> Any:
    return np.sum(np.sum(x, axis=1)) + np.sum(np.sum(x, axis=0, keepdims=True) ** 2 * x)


def means(x: Any) -> Any:
    return np.mean(np.mean(x, axis=0) ** 2) + np.sum(np.mean(x, axis=1, keepdims=True) * x) + x.mean() * np.sum(x)


def log_sum_exp(x: Any) -> Any:
    top = np.max(x, axis=1, keepdims=True)
    return np.sum(top[:, 0] + np.log(np.sum(np.exp(x - top), axis=1)))


def stretched_matrix(x: Any, y: Any) -> Any:
    scaled = x[:1] * y
    return np.sum((scaled * x[:, :1]) ** 2)


def determinants(x: Any) -> Any:
    return np.linalg.det(x) ** 2 + 3.0 * np.linalg.det(x)


def gathered(x: Any, places: Any) -> Any:
    return np.sum(x[places] ** 2)


def gathered_by_a_matrix(x: Any, places: Any) -> Any:
    corners = x[places]
    return np.sum(corners[:, 0] * corners[:, 1] ** 2)


def added_to_itself_by_a_matrix(x: Any, places: Any) -> Any:
    y = x * 1.0
    np.add.at(y, places, y.reshape(2, 2))
    return np.sum(y**3)


def added_to_itself(x: Any) -> Any:
    y = x * 1.0
    np.add.at(y, np.argsort(-x), y)
    return np.sum(y**3)


def added_to_itself_turned(x: Any) -> Any:
    y = x * 1.0
    np.add.at(y, (np.argsort(-x) + 1) % 3, y[::-1])
    return np.sum(y**3)


def packed_in_turns(x: Any, n: int, d: int) -> Any:
    start, total = 0, 0.0
    for i in range(n):
        for j in range(d):
            stop = start + d - j
            total += (i + 1.0) * np.sum(x[start:stop] ** 2)
            start = stop
    return total


def counted(steps: int) -> float:
    total = 0.0
    for k in range(steps):
        total += math.lgamma(k + 1.5)
    return total


def with_a_constant(x: Any, steps: int) -> Any:
    return np.sum(x) * counted(steps)


def triangle(x: Any, d: int) -> Any:
    start, total = 0, 0.0
    for j in range(d):
        stop = start + d - j
        total += (j + 1.0) * np.sum(x[start:stop] ** 2)
        start = stop
    return total


TIES = np.array([[1.0, 2.0, 2.0], [4.0, 1.0, 2.0]])
NOT_A_NUMBER = np.array([[1.0, math.nan, 2.0], [4.0, 1.0, 2.0]])
CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (extremes, (np.array([1.0, 3.0, 3.0]),)),
    (extremes, (np.array([1.0, math.nan]),)),
    (extremes, (TIES,)),
    (extremes_of_columns, (TIES,)),
    (extremes_of_columns, (NOT_A_NUMBER,)),
    (extremes_of_rows_kept, (TIES,)),
    (extremes_of_rows_kept, (NOT_A_NUMBER,)),
    (sums, (TIES,)),
    (means, (TIES,)),
    (means, (TIES.astype(np.float32),)),
    (log_sum_exp, (TIES,)),
    (log_sum_exp, (TIES.astype(np.float32),)),
    (stretched_matrix, (TIES, TIES + 1.0)),
    (determinants, (np.array([[2.0, 1.0, 0.5], [0.3, 1.5, 0.2], [0.1, 0.4, 1.0]]),)),
    (determinants, (np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.5, 0.25, 1.0]]),)),
    (determinants, (np.array([[3.0]]),)),
    (gathered, (TIES, np.array([1, 0, 1, -1]))),
    (gathered_by_a_matrix, (np.array([1.0, 3.0, 2.0]), np.array([[1, 0], [1, -1], [2, 2]]))),
    (gathered_by_a_matrix, (np.array([1.0, 3.0, 2.0]), np.array([[1, 0], [1, 2]]).T)),
    (added_to_itself_by_a_matrix, (np.array([1.0, 3.0, 2.0, 5.0]), np.array([[1, 2], [3, 1]]))),
    (added_to_itself, (np.array([1.0, 3.0, 2.0]),)),
    (added_to_itself_turned, (np.array([1.0, 3.0, 2.0]),)),
    (packed_in_turns, (np.arange(1.0, 13.0), 2, 3)),
    (with_a_constant, (TIES, 5)),
    (triangle, (np.arange(1.0, 7.0), 3)),
]


@functools.cache
def gradients(f: Callable[..., Any]) -> tuple[Any, Any]:
    """Under Python and under Numba, compiled once for all cases of the same types."""
    return grad(f, wrt="x"), grad(f, wrt="x", jit=True)


@pytest.mark.usefixtures("some_under_numba")
@pytest.mark.machine_code("added_to_itself")  # Numba reads what it has just written
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_as_under_python(case: tuple[Callable[..., Any], tuple[Any, ...]]) -> None:
    f, args = case
    plain, compiled = gradients(f)
    with np.errstate(invalid="ignore"):
        value, partials = plain(*args)
    native, native_partials = compiled(*args)
    single = args[0].dtype == np.float32
    np.testing.assert_allclose(native, value, rtol=1e-5 if single else 1e-14)
    np.testing.assert_allclose(native_partials.x, partials.x, rtol=1e-5 if single else 1e-12, atol=1e-14)
    assert native_partials.x.dtype == args[0].dtype


@pytest.mark.parametrize("given", [(1, 3), (2, 3), (2, 1), (1, 1)])
@pytest.mark.parametrize("wanted", [(1, 3), (2, 1), (2, 3), (1, 1)])
def test_stretched_or_summed(given: tuple[int, int], wanted: tuple[int, int]) -> None:
    g = np.arange(1.0, 1.0 + given[0] * given[1]).reshape(given)
    assert np.array_equal(runtime.sum_to_matrix(g, *wanted), runtime.unbroadcast(g, wanted))


def test_a_whole_number_that_would_outgrow_64_bits_raises() -> None:
    def doubled(x: Any, n: int, step: int) -> Any:
        start, total = 1, 0.0
        for _ in range(n):
            stop = start + step
            start = stop + start
            total += x[start % 3]
        return total

    x = np.array([1.0, 2.0, 3.0])
    assert np.array_equal(grad(doubled, jit=True)(x, 9, 5)[1].x, grad(doubled)(x, 9, 5)[1].x)
    with pytest.raises(OverflowError, match="a whole number beyond 64 bits"):
        grad(doubled, jit=True)(x, 100, 5)
