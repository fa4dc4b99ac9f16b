"""An error of the user's function is shown at the user's line, whatever the line of the generated text holds."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import derivative, grad, jvp, value_and_grad, vjp


def logarithm_of_a_local(x: float) -> float:
    y = x * 2.0
    return math.log(y - 9.0)


def quotient(x: float) -> float:
    return 1.0 / (x - x)


def root_in_a_branch(x: float) -> float:
    y = x * 2.0
    if y > 0:
        return math.sqrt(-y)
    return y


def inverse_behind_a_loop(x: float) -> float:
    for _ in range(3):
        x = x * 2.0
    return float(np.linalg.inv(x * np.zeros((2, 2)))[0, 0])


def logarithms(x: float) -> float:
    for _ in range(2):
        x = math.log(x - 9.0)
    return x


def of_a_helper(x: float) -> float:
    z = x * x
    return logarithms(z) * logarithms(z + 1.0)


def of_a_helper_written_out(x: float) -> float:
    z = x * x
    return logarithm_of_a_local(z) * z


LINES: dict[Callable[[float], float], list[str]] = {
    logarithm_of_a_local: ["return math.log(y - 9.0)"],
    quotient: ["return 1.0 / (x - x)"],
    root_in_a_branch: ["return math.sqrt(-y)"],
    inverse_behind_a_loop: ["return float(np.linalg.inv(x * np.zeros((2, 2)))[0, 0])"],
    of_a_helper: ["return logarithms(z) * logarithms(z + 1.0)", "x = math.log(x - 9.0)"],
    of_a_helper_written_out: ["return logarithm_of_a_local(z) * z"],  # it has no frame of its own
}
CALLS: dict[str, Callable[[Any, float], Any]] = {
    "grad": lambda f, x: grad(f)(x),
    "value_and_grad": lambda f, x: value_and_grad(f)(x),
    "vjp": lambda f, x: vjp(f)(1.0, x),
    "jvp": lambda f, x: jvp(f)((1.0,), x),
    "derivative": lambda f, x: derivative(f)(x),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("f", LINES, ids=lambda f: f.__name__)
def test_the_lines_of_the_user_are_shown(f: Callable[[float], float], call: str) -> None:
    if call == "derivative" and f is logarithm_of_a_local:
        assert math.isfinite(CALLS[call](f, 0.7))  # the value, which cannot be had, is not asked for
        return
    with pytest.raises((ValueError, ArithmeticError, np.linalg.LinAlgError)) as expected:
        f(0.7)
    with pytest.raises(expected.type) as error:
        CALLS[call](f, 0.7)
    assert error.value.args == expected.value.args
    shown = [entry for entry in traceback.extract_tb(error.value.__traceback__) if entry.filename == __file__]
    assert [entry.line for entry in shown[2:]] == LINES[f]
    assert shown[2].name == f.__name__
