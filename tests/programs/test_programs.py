"""Every program of the corpus through the compiler.

One program alone: `pytest tests/programs/test_programs.py -k "for_loops.running_product"`.
"""

from __future__ import annotations

import pytest

from adcompile import ADError, grad, jvp, vjp

from .checks import check_forward_against_reverse, check_reverse
from .corpus import Program, load
from .refused import REFUSED, REFUSED_FORWARD

every_program = pytest.mark.parametrize("program", load(), ids=lambda program: program.name)


def refusal(check: object, program: Program, expected: str) -> None:
    """A program that is refused: with that message, and not with a number that may be wrong."""
    assert callable(check)
    try:
        check()
    except ADError as error:
        assert error.message == expected
    except AssertionError as error:  # the harness compares exceptions
        assert isinstance(error.__cause__, ADError) and error.__cause__.message == expected
    else:
        pytest.fail(f"{program.name} is not refused any more: take it off the list")


@every_program
def test_value_and_partials(program: Program) -> None:
    expected = REFUSED.get(program.name)
    if expected is None:
        check_reverse(program, grad, vjp)
    else:
        refusal(lambda: check_reverse(program, grad, vjp), program, expected)


@every_program
def test_forward_against_reverse(program: Program) -> None:
    expected = REFUSED.get(program.name) or REFUSED_FORWARD.get(program.name)
    if expected is None:
        check_forward_against_reverse(program, grad, vjp, jvp)
    elif program.raises is None:
        with pytest.raises(ADError):
            check_forward_against_reverse(program, grad, vjp, jvp)


def test_refused_programs_are_programs() -> None:
    assert {*REFUSED, *REFUSED_FORWARD} <= {program.name for program in load()}
