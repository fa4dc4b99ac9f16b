"""What the import of adcompile takes in a process that has imported NumPy."""

from __future__ import annotations

from collections.abc import Sequence

from ..cost import seconds_in_new_process

TITLE = "from adcompile import grad, beyond NumPy"
POSITION = 20

# The clock runs inside the process: NumPy's own import varies by more than the whole import measured here. And it
# is `grad` that is imported, so that a package that puts its imports off until a name is asked for gains nothing.
PROGRAM = """
import numpy
from time import perf_counter
start = perf_counter()
from adcompile import grad
print(perf_counter() - start)
"""


def measure(rounds: int) -> Sequence[float]:
    """Seconds in a fresh process, each round."""
    seconds_in_new_process(PROGRAM)  # not counted: it may write the byte code and fill the file cache
    return [seconds_in_new_process(PROGRAM) for _ in range(rounds)]
