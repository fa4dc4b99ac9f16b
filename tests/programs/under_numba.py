"""The corpus under Numba itself: value and partials of each program are those of Python, or it is refused.

`python -m tests.programs.under_numba` takes all programs, an hour; with `10 3` behind it, every tenth from the third.
"""

from __future__ import annotations

import sys
import warnings

from .corpus import Program, load
from .kept import answer, assert_same
from .refused import REFUSED

PROGRAMS = [p for p in load() if p.name not in REFUSED and not p.vector and p.raises is None]


def compare(program: Program) -> bool:
    """Compare a program's machine code with Python; False where it is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Numba's own, about contiguity
        found, partials = answer(program, jit=True)
        if partials is not None:
            assert_same(program, (found, partials), answer(program), 1e-8, "under Numba")
    return partials is not None


def main(every: int = 1, first: int = 0) -> int:
    """Compare programs one after the other; how many are wrong."""
    wrong = refused = 0
    chosen = PROGRAMS[first::every]
    for program in chosen:
        try:
            refused += not compare(program)
        except Exception as error:  # noqa: BLE001 - told, and on to the next
            wrong += 1
            print(f"{program.name}: {type(error).__name__}: {error}", flush=True)  # noqa: T201 - a command
    print(f"{len(chosen)} programs, {refused} refused, {wrong} wrong")  # noqa: T201 - as above
    return wrong


if __name__ == "__main__":
    raise SystemExit(bool(main(*map(int, sys.argv[1:]))))
