"""Every adjoint by hand agrees with the generated one, value and every partial: two ways to the same numbers."""

import pytest

from .case import Case, largest_error
from .comparing import CASES, Generated


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_agrees_with_the_adjoint_by_hand(case: Case) -> None:
    assert largest_error(Generated(case).call(), case.call_by_hand()) < 1e-7


def test_there_are_at_least_forty() -> None:
    assert len({case.name for case in CASES}) >= 40
