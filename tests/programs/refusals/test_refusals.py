"""Functions that must be refused are, in both modes, with a message that names what is in the way."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, GradientMismatchError, grad, jvp

from .cases import CASES
from .given_whole import CASES as GIVEN_WHOLE

IN_REVERSE_ALONE = {"imaginary_part_of_the_value"}  # a complex value has a tangent


def each(cases: list[Any]) -> Any:
    return pytest.mark.parametrize(("fn", "arguments", "said"), cases, ids=[fn.__qualname__ for fn, _, _ in cases])


@each([*CASES, *GIVEN_WHOLE])
def test_reverse_mode_refuses(fn: Any, arguments: tuple[Any, ...], said: str) -> None:
    with pytest.raises(ADError) as refusal:
        grad(fn)(*copy.deepcopy(arguments))
    assert not isinstance(refusal.value, GradientMismatchError)
    assert said in str(refusal.value)


@each([case for case in (*CASES, *GIVEN_WHOLE) if case[0].__name__ not in IN_REVERSE_ALONE])
def test_forward_mode_refuses(fn: Any, arguments: tuple[Any, ...], said: str) -> None:
    with pytest.raises(ADError) as refusal:
        jvp(fn)(tuple(np.ones_like(a) for a in arguments), *copy.deepcopy(arguments))
    assert not isinstance(refusal.value, GradientMismatchError)
    assert said in str(refusal.value)
