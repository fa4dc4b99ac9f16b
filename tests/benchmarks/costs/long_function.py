"""The first call of a function so long that its adjoint has 2,000 lines: compile time is to be linear in length."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from ..executor import LeftOut
from .first_call import load, seconds_of_first_call

TITLE = "first call, adjoint of 2,000 lines"
POSITION = 45
STATEMENTS = 305
ADJOINT = 2000
STEPS = (
    "vx = vx * 0.9 + math.sin(vy)",
    "vy = vy - 0.1 * vx * k",
    "vx = vx / (1.0 + vy * vy)",
    "vy = math.exp(-vx * vx) + wind * bounce",
)


def measure(rounds: int) -> Sequence[float]:
    """Seconds of `grad(f)(...)`, each round for a function never seen before."""
    try:
        from adcompile import grad
    except ImportError as error:
        raise LeftOut("adcompile is not importable") from error

    with tempfile.TemporaryDirectory() as folder:
        functions = [long_function(Path(folder), variant) for variant in range(rounds + 1)]
        found = [seconds_of_first_call(grad, function) for function in functions][1:]
        lines = len(grad(functions[0]).source.splitlines())
        assert abs(lines - ADJOINT) < 0.02 * ADJOINT, lines
        return found


def long_function(folder: Path, variant: int) -> Callable[..., float]:
    """Straight code of many statements, with a constant of its own."""
    lines = ["import math", "", "", "def f(vx, vy, k, wind, bounce):", f"    vx = vx + {variant}e-9"]
    lines += [f"    {STEPS[i % len(STEPS)]}" for i in range(STATEMENTS)]
    path = folder / f"long_{variant}.py"
    path.write_text("\n".join([*lines, "    return vx * vy", ""]))
    return load(path).f  # type: ignore[no-any-return]
