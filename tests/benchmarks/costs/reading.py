"""Reading the source of a function of 30 lines: a small part of its first call."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from ..executor import LeftOut
from .first_call import fresh_function

TITLE = "of that, reading the source"
POSITION = 35


def measure(rounds: int) -> Sequence[float]:
    """Seconds of parsing and lowering, each round for a function never seen before."""
    try:
        from adcompile.frontend import read
    except ImportError as error:
        raise LeftOut("adcompile is not importable") from error

    found = []
    with tempfile.TemporaryDirectory() as folder:
        for variant in range(rounds + 1):
            function = fresh_function(Path(folder), variant)
            start = perf_counter()
            read(function)
            found.append(perf_counter() - start)
    return found[1:]
