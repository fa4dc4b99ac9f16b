"""What the loops of a differentiated function keep for the backward sweep, and how that was decided."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

Choice = Literal["stored", "recomputed", "checkpointed"]


class LoopMemory(NamedTuple):
    """What one loop keeps. Bytes and counts are estimates from the arguments; None is not known before the run.

    `stored` is a tape of every step; `snapshots`, of `state` bytes each, are what is kept instead where the loop is
    checkpointed (None where it is not, 0 where steps depend on no other and are just computed again).
    """

    line: int
    header: str
    steps: int | None
    stored: int | None
    snapshots: int | None = None
    state: int | None = None

    @property
    def kept(self) -> int | None:
        """The bytes that are kept."""
        if self.snapshots is None:
            return self.stored
        return None if self.state is None else self.snapshots * self.state

    @property
    def again(self) -> float | None:
        """How many times a step is computed again, on average: Griewank and Walther (2000), proposition 1."""
        if self.snapshots is None:
            return 0.0
        if not self.steps:
            return None
        if self.snapshots == 0:  # it depends on no other
            return 1.0
        times = 0
        while math.comb(self.snapshots + times, times) < self.steps + 1:
            times += 1
        advanced = times * (self.steps + 1) - math.comb(self.snapshots + times, times - 1)
        return advanced / self.steps

    def __str__(self) -> str:
        """One line."""
        steps = "steps not known" if self.steps is None else f"{self.steps} steps"
        if self.snapshots is None:
            return f"line {self.line}, {self.header}: {steps}, a tape of {megabytes(self.stored)}"
        if self.snapshots == 0:
            text = f"line {self.line}, {self.header}: {steps}, each computed once more"
            return text if self.stored is None else f"{text} (a tape would take {megabytes(self.stored)})"
        again = self.again
        often = "" if again is None else f", each step computed {again:.1f} times again"
        text = f"line {self.line}, {self.header}: {steps}, {self.snapshots} snapshots of {megabytes(self.kept)}{often}"
        return text if self.stored is None else f"{text} (a tape would take {megabytes(self.stored)})"


class MemoryPlan(NamedTuple):
    """How the loops of one call are undone, and within how many bytes that has to be.

    From tapes ("stored"), each step by itself or from a snapshot of its own ("recomputed"), or from fewer snapshots
    ("checkpointed").
    """

    choice: Choice
    limit: int | None
    loops: tuple[LoopMemory, ...]

    def __str__(self) -> str:
        """A line for the whole and one for each loop."""
        within = "" if self.limit is None else f", within {megabytes(self.limit)}"
        return "\n".join([f"{self.choice}{within}", *(f"    {loop}" for loop in self.loops)])


def megabytes(count: int | None) -> str:
    """A number of bytes, to be read.

    >>> megabytes(200), megabytes(1_600_000), megabytes(None)
    ('200 B', '1.6 MB', 'a size not known before the run')
    """
    if count is None:
        return "a size not known before the run"
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} B"
