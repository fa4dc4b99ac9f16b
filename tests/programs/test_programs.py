"""Every program of the corpus through the compiler.

One program alone: `pytest tests/programs/test_programs.py -k "for_loops.running_product"`.
"""

from __future__ import annotations

import pytest

from adcompile import grad, jvp, vjp

from .checks import check_forward_against_reverse, check_reverse
from .corpus import Program, load

every_program = pytest.mark.parametrize("program", load(), ids=lambda program: program.name)


@every_program
def test_value_and_partials(program: Program) -> None:
    check_reverse(program, grad, vjp)


@every_program
def test_forward_against_reverse(program: Program) -> None:
    check_forward_against_reverse(program, grad, vjp, jvp)
