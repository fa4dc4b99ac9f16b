"""Warm starts: what the first gradient takes in a process that finds on disk what another one has compiled.

From NumPy's import on: the import of the library, that of the function, and the first call.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from .cost import seconds_in_new_process
from .costs.first_call import ARGUMENTS, SOURCE

_PROGRAM = """
import os, sys
sys.path.insert(0, {folder!r})
os.environ["ADCOMPILE_CACHE_DIR"] = os.environ["JAX_COMPILATION_CACHE_DIR"] = {folder!r}
import numpy
from time import perf_counter
start = perf_counter()
{statements}
print(perf_counter() - start)
"""


def seconds(rounds: int, statements: str, source: str = SOURCE.format(variant=1)) -> Sequence[float]:
    """Seconds for statements that call `flight` of a module `warm_flight`, which another process has run before."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "warm_flight.py").write_text(source, encoding="utf-8")
        Path(folder).chmod(0o700)
        program = _PROGRAM.format(folder=folder, statements=statements.replace("ARGUMENTS", repr(ARGUMENTS)))
        for _ in range(2):  # not counted: they compile, and write byte code
            seconds_in_new_process(program)
        return [seconds_in_new_process(program) for _ in range(rounds)]
