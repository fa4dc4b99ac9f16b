"""Whole numbers that say which, where or how often have no partial; those that a float could stand for have one."""

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import grad

_A = np.array([[1.0, 2.0], [3.0, 4.0]])


def _largest(x: Any, k: int) -> Any:
    return np.sum(np.max(x, axis=k) ** 2)


def _smallest(x: Any, k: int) -> Any:
    return np.sum(x.min(k) ** 2)


def _rounded(x: Any, k: int) -> Any:
    return np.sum(np.round(x, k) * x) + round(x[0, 0], k) * x[0, 0]


def _numbered(x: Any, k: int) -> Any:
    total = 0.0
    for i, v in enumerate(x[0], k):
        total += v * i
    return total


def _powers(x: Any, k: list[int]) -> Any:
    return sum(map(lambda n: x[1, 1] ** n, k))  # noqa: C417 - it is about `map`


def _picked(x: Any, k: list[int]) -> Any:
    return sum(map(x[1].__getitem__, k)) + sum(x[0, i] for i in filter(None, k))


def _so_many(x: Any, k: int) -> Any:
    return sum(itertools.islice(x[1], k)) + sum(itertools.repeat(x[1, 1], k))


def _run_over(x: Any, k: list[int]) -> Any:
    return functools.reduce(lambda s, n: s * x[1, 1] if n % 2 else s + x[1, 1], k, 1.0)


def _largest_of(x: Any, k: int) -> Any:
    return max(x[0, 0], k) ** 2


def _largest_product(x: Any, k: list[int]) -> Any:
    return max(map(lambda v: v * x[1, 1], k))  # noqa: C417 - it is about `map`


def _started(x: Any, k: int) -> Any:
    return sum([x[0, 0], x[1, 1]], k)


@pytest.mark.parametrize("function", [_largest, _smallest, _rounded, _numbered, _powers, _picked, _so_many, _run_over])
def test_counts_have_no_partial(function: Callable[..., Any]) -> None:
    given = [1, 1] if function in (_powers, _picked, _run_over) else 1
    value, partials = grad(function)(_A, given)
    assert value == function(_A, given)
    assert list(partials._fields) == ["x"]
    for place in np.ndindex(*_A.shape):
        step = np.zeros_like(_A)
        step[place] = 1e-6
        slope = (function(_A + step, given) - function(_A - step, given)) / 2e-6
        assert partials.x[place] == pytest.approx(slope, abs=1e-6)


@pytest.mark.parametrize(
    ("function", "given", "partial"),
    [(_largest_of, 3, 6.0), (_largest_product, [1, 3, 2], [0.0, 4.0, 0.0]), (_started, 3, 1.0)],
)
def test_numbers_have_one(function: Callable[..., Any], given: Any, partial: Any) -> None:
    assert grad(function)(_A, given)[1].k == partial
