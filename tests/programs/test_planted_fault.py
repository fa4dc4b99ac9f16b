"""A fault planted in a generated adjoint is caught by the checks of the corpus.

One line of the generated text is corrupted at a time, as a compiler's mistake would: another operand, a lost factor, a
sign, an assignment in place of an addition.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from adcompile import grad, vjp
from tests.programs.checks import check_reverse
from tests.programs.corpus import Program


def loop(x: float, n: int) -> float:
    """A recurrence whose adjoint has a tape."""
    s = 0.0
    for _ in range(n):
        x = x + 0.3 * math.sin(x)
        s += x * x
    return s


def stencil(u: Any, c: float) -> Any:
    """Slices of one array."""
    lap = u[2:] - 2 * u[1:-1] + u[:-2]
    return np.sum(lap**2) * c


PLANTED = [
    (loop, (0.7, 4), "x_bar += 2 * x\n", "x_bar += x\n"),
    (loop, (0.7, 4), "math.cos(x_kept)", "math.cos(x)"),
    (loop, (0.7, 4), "math.cos(x_kept)", "math.sin(x_kept)"),
    (loop, (0.7, 4), "        x = x_kept\n", ""),
    (stencil, (np.array([0.3, 1.1, -0.4, 0.8]), 1.3), "u_bar[:-2] += lap_bar", "u_bar[:-2] -= lap_bar"),
    (stencil, (np.array([0.3, 1.1, -0.4, 0.8]), 1.3), "u_bar[:-2] += lap_bar", "u_bar[:-2] = lap_bar"),
]


def faulty(fn: Any, args: tuple[Any, ...], old: str, new: str) -> Any:
    """`grad`, but with one line of the generated text replaced."""
    right = grad(fn)
    text = right.source_for(*args)
    assert old in text, text
    namespace: dict[str, Any] = {}
    exec(text.replace(old, new), namespace)
    generated = namespace[f"{fn.__name__}_grad"]
    record = type(right(*args)[1])

    def planted(_: Any, **__: Any) -> Any:
        def call(*given: Any) -> Any:
            value, partials = generated(*given)
            return value, tuple.__new__(record, partials)

        return call

    return planted


@pytest.mark.parametrize(("fn", "args", "old", "new"), PLANTED)
def test_planted_fault_is_caught(fn: Any, args: tuple[Any, ...], old: str, new: str) -> None:
    program = Program(name=fn.__name__, fn=fn, args=args, static=frozenset({"n"} if fn is loop else ()))
    check_reverse(program, grad, vjp)
    with pytest.raises(AssertionError):
        check_reverse(program, faulty(fn, args, old, new), vjp)
