"""Memory and time of a long loop, undone from tapes and from snapshots.

    python -m tests.benchmarks.checkpoints             10^3 to 10^6 steps: some minutes
    python -m tests.benchmarks.checkpoints 10000       up to so many

Memory is what the process grows by in a call, time that of one call. A tape of more than a gigabyte is not tried.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

# So that `python tests/benchmarks/checkpoints.py` works as well.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from rich.console import Console
from rich.table import Table

from adcompile import grad
from tests.benchmarks.executor import Call
from tests.benchmarks.memory import resident_peak

LARGEST_TAPE = 1_000_000  # steps of which a tape is not tried any more
WAYS: dict[str, dict[str, Any]] = {
    "tape": {},
    "snapshots": {"checkpoint": "steps"},
    "tape, jit": {"jit": True},
    "snapshots, jit": {"checkpoint": "steps", "jit": True},
    "30 snapshots, jit": {"checkpoint": "steps", "snapshots": 30, "jit": True},
}


def heat(u: Any, alpha: float, steps: int) -> Any:
    for _ in range(steps):
        u[1:-1] += alpha * u[1:-1] * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def seconds_and_bytes(gradient: Any, u: Any, steps: int) -> tuple[float, int]:
    """What one call takes, behind a short one that compiles."""
    taken: list[float] = []

    def short_then_long() -> None:
        start = time.perf_counter()
        gradient(u, 0.1, steps if taken else 2)
        taken.append(time.perf_counter() - start)

    peak = resident_peak(Call(short_then_long, ()))
    assert peak is not None, "memory is read from /proc"
    return taken[-1], peak


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 10**6
    u = np.linspace(0.0, 1.0, 100) ** 2
    table = Table("steps", *WAYS)
    steps = 1000
    while steps <= most:
        cells = []
        for way, options in WAYS.items():
            if "tape" in way and steps >= LARGEST_TAPE:
                cells.append("not run")
                continue
            taken, peak = seconds_and_bytes(grad(heat, **options), u, steps)
            cells.append(f"{taken:.3g} s, {peak / 1e6:.1f} MB")
        table.add_row(f"{steps:,}", *cells)
        steps *= 10
    Console().print(table)


if __name__ == "__main__":
    main()
