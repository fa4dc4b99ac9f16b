"""Functions that call one another are looked at a few times each, not once for each way from one to another."""

from __future__ import annotations

from typing import Any

import pytest

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
