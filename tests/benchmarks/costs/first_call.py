"""The first call of a 30-line function that the compiler has never seen: from parsing to the compiled adjoint, run."""

from __future__ import annotations

import importlib.util
import math
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any

from ..executor import LeftOut

TITLE = "first call of a 30-line function"
POSITION = 30

# Thirty lines from `def` to `return`, with what ordinary functions hold: calls, a loop, branches, a helper.
SOURCE = '''\
"""A ball with drag that bounces: written for the benchmark of the first call, variant {variant}."""

import math


def drag(speed, k):
    return k * speed * abs(speed)


def flight(vx, vy, k, wind, bounce):
    """Cost of missing a target, after a flight of fifty steps."""
    g = 9.81
    dt = 0.01 + {variant}e-9
    x = 0.0
    y = 1.0
    cost = 0.0
    spin = math.sin(wind) / (1.0 + vx * vx)
    for step in range(50):
        relative = vx - wind
        ax = -drag(relative, k)
        ay = -g - drag(vy, k)
        if y > 2.0:
            ax = ax + 0.1 * spin
        elif y > 1.0:
            ax = ax - 0.05 * spin * math.cos(y)
        vx = vx + dt * ax
        vy = vy + dt * ay
        x = x + dt * vx
        y = y + dt * vy
        if y < 0.0:
            y = -y * bounce
            vy = -vy * bounce
        height = y - 1.0
        cost = cost + dt * height * height
    reach = x - 3.0
    energy = 0.5 * (vx * vx + vy * vy)
    miss = math.sqrt(reach * reach + 0.01)
    penalty = math.exp(-k) + math.log(1.0 + energy)
    return miss + 0.1 * cost + 0.01 * penalty
'''

ARGUMENTS = (4.0, 3.0, 0.1, 0.5, 0.7)


def measure(rounds: int) -> tuple[Sequence[float], Sequence[float]]:
    """Seconds of `grad(flight)(...)`, each round for a function never seen before; then without the comparison."""
    try:
        import libcst  # noqa: F401  (the bar is for a process that has it already)

        from adcompile import grad
    except ImportError as error:
        raise LeftOut("adcompile is not importable") from error

    with tempfile.TemporaryDirectory() as folder:
        # The first variant is not counted: it pays for the compiler's own imports, as the next cost shows.
        functions = [fresh_function(Path(folder), variant) for variant in range(2 * rounds + 2)]
        return in_turns(grad, functions)


def in_turns(
    grad: Callable[..., Any], functions: Sequence[Callable[..., float]]
) -> tuple[Sequence[float], Sequence[float]]:
    """Seconds of first calls with the comparison, and without: functions take turns, and the first two do not count."""
    found = [seconds_of_first_call(partial(grad, check=k % 2 == 0), function) for k, function in enumerate(functions)]
    return found[2::2], found[3::2]


def seconds_of_first_call(grad: Callable[..., Any], function: Callable[..., float]) -> float:
    """Differentiate and call `function` once; what it gives must be a number."""
    start = perf_counter()
    gradient = grad(function)
    value, _ = gradient(*ARGUMENTS)
    taken = perf_counter() - start
    assert math.isclose(value, function(*ARGUMENTS))
    return taken


def fresh_function(folder: Path, variant: int) -> Callable[..., float]:
    """`flight` with a constant of its own, in a file of its own: no cache, in memory or on disk, can know it."""
    path = folder / f"flight_{variant}.py"
    path.write_text(SOURCE.format(variant=variant))
    module = load(path)
    return module.flight  # type: ignore[no-any-return]


def load(path: Path) -> ModuleType:
    """Import the file at `path` without leaving it among the imported modules."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
