"""The same first call in a process that has done nothing else: with the compiler's own lazy imports and tables."""

from __future__ import annotations

from collections.abc import Sequence

from ..cost import seconds_in_new_process

TITLE = "the same, first in its process, libcst imported"
POSITION = 40

PROGRAM = """
import os, pathlib, tempfile
from functools import partial
import libcst, numpy
from adcompile import grad
from tests.benchmarks.costs.first_call import fresh_function, seconds_of_first_call
with tempfile.TemporaryDirectory() as folder:
    # The process number makes a function that no cache on disk has met.
    print(seconds_of_first_call(grad, fresh_function(pathlib.Path(folder), os.getpid())))
"""


def measure(rounds: int) -> tuple[Sequence[float], Sequence[float]]:
    """Seconds in a fresh process, each round; then without the comparison."""
    unchecked = PROGRAM.replace("(grad,", "(partial(grad, check=False),")
    seconds_in_new_process(PROGRAM)  # not counted: it may write the byte code and fill the file cache
    found = [(seconds_in_new_process(PROGRAM), seconds_in_new_process(unchecked)) for _ in range(rounds)]
    return [a for a, _ in found], [b for _, b in found]
