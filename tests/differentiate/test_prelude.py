"""The prelude, run by Python itself, beside the functions that it is read for."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile.differentiate.desugar.iteration import prelude

V, W = [3.0, -1.0, 2.0, 0.5], [0.25, 4.0]
ROWS = [(3.0, 0.25), (-1.0, 4)]

CASES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "ordered": (lambda p: p(V), lambda: sorted(V)),
    "ordered by a key": (lambda p: p(V, key=abs, reverse=True), lambda: sorted(V, key=abs, reverse=True)),
    "best_of": (lambda p: p(max, V), lambda: max(V)),
    "best_of by a key": (lambda p: p(min, V, key=abs), lambda: min(V, key=abs)),
    "best_if_any": (lambda p: p(max, V, default=7.0, key=abs), lambda: max(V, default=7.0, key=abs)),
    "best_if_any of none": (lambda p: p(max, [], default=7.0, key=abs), lambda: max([], default=7.0, key=abs)),
    "number_if_any": (lambda p: p(min, V, default=7.0), lambda: min(V, default=7.0)),
    "number_if_any of none": (lambda p: p(min, [], default=7.0), lambda: min([], default=7.0)),
    "reduced": (lambda p: p(operator.mul, V), lambda: functools.reduce(operator.mul, V)),
    "reduced_from": (lambda p: p(operator.sub, V, 1.5), lambda: functools.reduce(operator.sub, V, 1.5)),
    "accumulated": (lambda p: p(V), lambda: list(itertools.accumulate(V))),
    "accumulated from a start": (
        lambda p: p(V, operator.mul, initial=2.0),
        lambda: list(itertools.accumulate(V, operator.mul, initial=2.0)),
    ),
    "taken": (lambda p: p(lambda x: x < 3.5, W), lambda: list(itertools.takewhile(lambda x: x < 3.5, W))),
    "pairs": (lambda p: list(p(V)), lambda: list(itertools.pairwise(V))),
    "first_ones": (lambda p: p(V, 3), lambda: list(itertools.islice(V, 3))),
    "between": (lambda p: p(V, 1, None, 2), lambda: list(itertools.islice(V, 1, None, 2))),
    "keyed": (lambda p: [p("ab"), p(W, 1.5)], lambda: [dict.fromkeys("ab"), dict.fromkeys(W, 1.5)]),
    "repeated": (lambda p: p(2.0, 3), lambda: list(itertools.repeat(2.0, 3))),
    "cycled": (lambda p: p(W, 5), lambda: list(itertools.islice(itertools.cycle(W), 5))),
    "filled": (lambda p: p(V, np.float32).tolist(), lambda: np.fromiter(V, np.float32).tolist()),
    "mapped": (lambda p: list(p(operator.add, V, W)), lambda: list(map(operator.add, V, W))),
    "applied": (lambda p: list(p(abs, V)), lambda: list(map(abs, V))),
    "unpacked": (lambda p: list(p(pow, ROWS)), lambda: list(itertools.starmap(pow, ROWS))),
    "kept": (lambda p: list(p(lambda x: x > 1, V)), lambda: list(filter(lambda x: x > 1, V))),
    "kept without a test": (lambda p: list(p(None, [0.0, 1.0])), lambda: list(filter(None, [0.0, 1.0]))),
    "compressed": (lambda p: list(p(V, [1, 0, 1])), lambda: list(itertools.compress(V, [1, 0, 1]))),
    "chained": (lambda p: list(p([V, W])), lambda: list(itertools.chain.from_iterable([V, W]))),
    "entries": (lambda p: list(p({"a": 1.0, "b": 2.0})), lambda: list({"a": 1.0, "b": 2.0}.items())),
    "values": (lambda p: list(p({"a": 1.0, "b": 2.0})), lambda: list({"a": 1.0, "b": 2.0}.values())),
    "looked_up": (lambda p: [p({"a": 1.0}, "a"), p({}, "a"), p({}, "a", 2.0)], lambda: [1.0, None, 2.0]),
    "again": (lambda p: p({"a": 1.0, "b": 2.0}), lambda: {"a": 1.0, "b": 2.0}),
    "set_if_new": (
        lambda p: [p(d := {"a": 1.0}, "a", 7.0), p(d, "b", 2.0), d],
        lambda: [(d := {"a": 1.0}).setdefault("a", 7.0), d.setdefault("b", 2.0), d],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_same_as_the_original(case: str) -> None:
    plain, original = CASES[case]
    assert plain(getattr(prelude, case.partition(" ")[0])) == original()


def test_all_are_tried() -> None:
    own = {name for name, value in vars(prelude).items() if getattr(value, "__module__", "") == prelude.__name__}
    assert own == {case.partition(" ")[0] for case in CASES}
