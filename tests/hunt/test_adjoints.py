"""A few programs of each family that the backward sweep easily gets wrong, at several shapes, with lengths 0 and 1."""

from __future__ import annotations

import pytest

from .adjoints import FAMILIES
from .check import Checker
from .trying import programs

PROGRAMS = 20


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_a_few_programs(family: str) -> None:
    checker = Checker()
    checked = [(program, checker.check(program)) for program in programs(1, 0, PROGRAMS, (family,))]
    wrong = [f"{outcome}\n{program}" for program, outcome in checked if outcome.verdict == "WRONG"]
    assert not wrong, f"{len(wrong)} of {len(checked)}\n" + "\n\n".join(wrong[:3])
    agreed = sum(outcome.verdict == "agreed" for _, outcome in checked)
    assert agreed >= len(checked) // 2, f"only {agreed} of {len(checked)} could be compared"
