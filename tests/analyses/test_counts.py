"""Whole numbers that say which, where or how often have no partial; those that a float could stand for have one."""

import enum
import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from adcompile import grad, hvp

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


def _if_any(x: Any, k: list[int]) -> Any:
    return sum(k) * x[0, 0] if any(v > 2 for v in k) else x[0, 0]


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
    [(_largest_of, 3, 6.0), (_largest_product, [1, 3, 2], [0.0, 4.0, 0.0]), (_started, 3, 1.0),
     (_if_any, [1, 3], [1.0, 1.0])],
)
def test_numbers_have_one(function: Callable[..., Any], given: Any, partial: Any) -> None:
    assert grad(function)(_A, given)[1].k == partial


class _Kind(enum.IntEnum):
    PLAIN = 1


@dataclass
class _Term:
    power: int
    factor: float


class _Step(NamedTuple):
    power: int
    factor: float


def _terms(x: Any, terms: Any) -> Any:
    return sum(c * x**k for k, c in terms)


def _terms_by_name(x: Any, terms: Any) -> Any:
    total = 0.0
    for term in terms:
        for _ in range(term.power):
            total += term.factor * x
    return total


def _nested(x: Any, terms: Any) -> Any:
    return sum(c * x**k for k, cs in terms for c, _ in cs)


def _chosen(x: Any, terms: Any) -> Any:
    return sum(c * x if flag else c * x * x for flag, c in terms)


def _by_name(x: Any, step: Any) -> Any:
    return step.factor * x**step.power


def _edges(x: Any, edges: Any) -> Any:
    return x * sum([1.5, 2.5][a] * [0.5, 3.5][b] for a, b in edges)


def _neighbours(x: Any, table: Any) -> Any:
    total = 0.0
    for k, near in table.items():
        for j in near:
            total += [1.5, 2.5][k] * [0.5, 3.5][j] * x
    return total


def _last(x: Any, pair: Any) -> Any:
    return pair[0] * x ** pair[-1]


def _behind_a_slice(x: Any, numbers: Any) -> Any:
    return numbers[0] * x ** numbers[1:][0]


def _one_of(x: Any, terms: Any) -> Any:
    total = 0.0
    for i in range(len(terms)):
        total += terms[i][1] * x ** terms[i][0]
    return total


def _if_plain(x: Any, kind: Any) -> Any:
    return x * x if kind == _Kind.PLAIN else x


def _scaled_by_all(x: Any, numbers: Any) -> Any:
    return x * np.sum(np.asarray(numbers) ** 2)


@pytest.mark.parametrize(
    ("function", "given", "partial"),
    [
        (_terms, [(1, 2), (2, 3)], [(1, 2.0), (2, 4.0)]),
        (_terms, [(1, 2.0), (2, 3.0)], [(1, 2.0), (2, 4.0)]),
        (_terms, ((1, 2), (2, 3)), ((1, 2.0), (2, 4.0))),
        (_terms_by_name, [_Term(1, 2.0), _Term(2, 3.0)], [_Term(1, 2.0), _Term(2, 4.0)]),
        (_terms_by_name, [_Step(1, 2), _Step(2, 3)], [_Step(1, 2.0), _Step(2, 4.0)]),
        (_nested, [(1, [(2.0, 1)]), (2, [(3.0, 1)])], [(1, [(2.0, 0.0)]), (2, [(4.0, 0.0)])]),
        (_chosen, [(True, 2), (False, 3)], [(True, 2.0), (False, 4.0)]),
        (_by_name, _Step(2, 3), _Step(2, 4.0)),
        (_by_name, _Term(2, 3), _Term(2, 4.0)),
        (_last, (3, 2), (4.0, 2)),
        (_behind_a_slice, (3, 2), (4.0, 2)),
        (_one_of, ((1, 2), (2, 3)), ((1, 2.0), (2, 4.0))),
        (_edges, [[0, 1], [1, 0]], None),
        (_edges, [(0, 1), (1, 0)], None),
        (_edges, ((0, 1), (1, 0)), None),
        (_neighbours, {0: [0, 1], 1: [0]}, None),
        (_neighbours, {0: (0, 1), 1: (0,)}, None),
        (_if_plain, 1, None),
        (_scaled_by_all, range(1, 4), None),
    ],
)
def test_counts_in_structures_stay_what_they_are(function: Callable[..., Any], given: Any, partial: Any) -> None:
    value, partials = grad(function)(2.0, given)
    assert value == function(2.0, given)
    assert repr(list(partials)[1:]) == repr([] if partial is None else [partial])
    for seed in (1.0, 0.0):
        _, product = hvp(function, wrt="x")(seed, 2.0, given)
        above, below = (grad(function, wrt="x")(2.0 + h, given)[1].x for h in (1e-6, -1e-6))
        assert product == pytest.approx(seed * (above - below) / 2e-6, abs=1e-6)
