"""Functions that call one another are looked at a few times each, not once for each way from one to another."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from adcompile import ADError, grad
from adcompile.analyses.typing import program
from tests.programs.corpus import load
from tests.programs.kept import answer


def test_what_a_recursion_of_many_signatures_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    analyse = program.analyse_sharing

    def counted(*args: Any, **options: Any) -> Any:
        looked.append(1)
        return analyse(*args, **options)

    monkeypatch.setattr(program, "analyse_sharing", counted)
    (tree,) = (p for p in load() if p.name == "recursion.syntax_tree")
    answer(tree)
    assert len(looked) < 1000  # ten times as many where each way is followed


def without_an_end(x: float) -> float:
    r = 1.0
    for a in itertools.repeat(x):
        r += a
        if r > 20.0:
            break
    return r


def beside_each_other_without_an_end(x: float) -> float:
    r = 1.0
    for k, a in zip(itertools.count(), itertools.repeat(x), strict=False):
        r += k * a
        if k > 11:
            break
    return r


@pytest.mark.parametrize("fn", [without_an_end, beside_each_other_without_an_end])
def test_an_iterator_without_an_end_is_not_opened_for_ever(fn: Any) -> None:
    with pytest.raises(ADError):
        grad(fn)(1.1)
