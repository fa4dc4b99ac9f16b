"""The same machine code in another process: read from Numba's cache on disk."""

from __future__ import annotations

from collections.abc import Sequence

from ..cost import seconds_in_new_process
from ..executor import LeftOut

TITLE = "its machine code from disk, in a warm process"
POSITION = 60

# Written out twice with the same constant: the first process compiles what the second one reads.
PROGRAM = """
import pathlib, tempfile, time
from adcompile import grad
from adcompile.load import jit
from tests.benchmarks.costs.first_call import ARGUMENTS, fresh_function
taken = []
compile_native = jit.compile_for
def timed(*arguments):
    start = time.perf_counter()
    compile_native(*arguments)
    taken.append(time.perf_counter() - start)
jit.compile_for = timed
with tempfile.TemporaryDirectory() as folder:
    for variant in (1, 2):
        grad(fresh_function(pathlib.Path(folder), variant), jit=True)(*ARGUMENTS)
print(taken[-1])
"""


def measure(rounds: int) -> Sequence[float]:
    """Seconds for the second of two functions in a fresh process, after another process has compiled both."""
    try:
        import numba  # noqa: F401  (without it there is nothing to measure)
    except ImportError as error:
        raise LeftOut("not installed") from error
    seconds_in_new_process(PROGRAM)
    return [seconds_in_new_process(PROGRAM) for _ in range(min(rounds, 5))]
