"""The first call of the 30-line function with `jit=True`: Numba compiles an adjoint of some 80 lines."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ..executor import LeftOut
from .first_call import fresh_function, in_turns

TITLE = "first call of the 30-line function, jit"
POSITION = 50


def measure(rounds: int) -> tuple[Sequence[float], Sequence[float]]:
    """Seconds in a process in which Numba has compiled before, each round for a function never seen before."""
    try:
        import numba  # noqa: F401  (without it there is nothing to measure)

        from adcompile import grad
    except ImportError as error:
        raise LeftOut("not installed") from error

    with tempfile.TemporaryDirectory() as folder:
        # What was compiled in an earlier run is on disk, by its text.
        variants = range(os.getpid() * 100, os.getpid() * 100 + 2 * min(rounds, 5) + 2)
        return in_turns(partial(grad, jit=True), [fresh_function(Path(folder), variant) for variant in variants])
