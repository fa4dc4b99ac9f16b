"""What `import numpy` takes on this machine, to see the next line against."""

from __future__ import annotations

from collections.abc import Sequence

from ..cost import seconds_in_new_process

TITLE = "import numpy (for comparison)"
POSITION = 10

PROGRAM = """
from time import perf_counter
start = perf_counter()
import numpy
print(perf_counter() - start)
"""


def measure(rounds: int) -> Sequence[float]:
    """Seconds in a fresh process, each round."""
    seconds_in_new_process(PROGRAM)  # not counted: it may write the byte code and fill the file cache
    return [seconds_in_new_process(PROGRAM) for _ in range(rounds)]
