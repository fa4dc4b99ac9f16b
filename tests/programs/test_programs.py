"""Every program of the corpus through the compiler.

One program alone: `pytest tests/programs/test_programs.py -k "for_loops.running_product"`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest

from adcompile import ADError

from .checks import check_forward_against_reverse, check_reverse
from .corpus import Program, load
from .kept import differentiated, grad, jvp, vjp
from .refused import NOT_COMPARED, REFUSED, REFUSED_FORWARD

every_program = pytest.mark.parametrize("program", load(), ids=lambda program: program.name)


def refusal(check: Callable[[], None], program: Program, expected: str) -> None:
    """A program that is refused: with that message, and not with a number that may be wrong."""
    with pytest.raises((ADError, AssertionError)) as caught:
        check()
    # The harness compares exceptions: for a program that raises, the refusal is the cause of its complaint.
    error = caught.value if isinstance(caught.value, ADError) else caught.value.__cause__
    assert isinstance(error, ADError), f"{program.name} is not refused any more: take it off the list"
    assert error.message == expected


def is_compared(program: Program) -> bool:
    """Whether the first use of what was compiled for a program compares it with the program."""
    bound = inspect.signature(program.fn).bind(*program.args, **program.kwargs)
    bound.apply_defaults()
    repeatable: bool = differentiated(program).entry_for(tuple(bound.arguments.values())).compiled.repeatable
    return repeatable


@every_program
def test_value_and_partials(program: Program) -> None:
    expected = REFUSED.get(program.name)
    if expected is None:
        check_reverse(program, grad, vjp)
        if program.raises is None:
            assert is_compared(program) is (program.name not in NOT_COMPARED)
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
    assert {*REFUSED, *REFUSED_FORWARD, *NOT_COMPARED} <= {program.name for program in load()}
