"""What a run measured, and whether the bars hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import geometric_mean, median
from typing import Any

from .bar import Bar, CostBar, MeanBar, MemoryBar
from .timing import ratio


@dataclass(frozen=True)
class Row:
    """One workload: by executor, seconds for a call in each round, bytes at its height, or why there are none."""

    name: str
    title: str
    seconds: Mapping[str, Sequence[float]]
    left_out: Mapping[str, str] = field(default_factory=dict)
    peaks: Mapping[str, int] = field(default_factory=dict)

    def ratio(self, executor: str, against: str) -> float | None:
        """How many times as long as `against` the executor takes; None where one of them has no time."""
        if executor not in self.seconds or against not in self.seconds:
            return None
        return ratio(self.seconds[executor], self.seconds[against])


@dataclass(frozen=True)
class CostRow:
    """One one-off cost: seconds by round, or why there are none."""

    name: str
    title: str
    seconds: Sequence[float] = ()
    left_out: str = ""
    unchecked: Sequence[float] = ()  # of a first call, without the comparison of its text with the function


@dataclass(frozen=True)
class Verdict:
    """A bar and what was measured against it; `measured` is None where nothing was."""

    bar: Bar
    measured: float | None

    @property
    def missed(self) -> bool:
        """Measured, and above the bar."""
        return self.measured is not None and self.measured > self.bar.limit


def verdict_on(bar: Bar, rows: Sequence[Row], costs: Sequence[CostRow]) -> Verdict | None:
    """Hold `bar` against what was measured; None where its row is not part of the run."""
    if isinstance(bar, MeanBar):
        ratios = [found for row in rows if (found := row.ratio(bar.executor, bar.against)) is not None]
        return Verdict(bar, geometric_mean(ratios) if ratios else None)
    if isinstance(bar, CostBar):
        for cost in costs:
            if cost.name == bar.cost:
                return Verdict(bar, median(cost.seconds) if cost.seconds else None)
        return None
    for row in rows:
        if row.name == bar.workload:
            return Verdict(
                bar, memory_ratio(row, bar) if isinstance(bar, MemoryBar) else row.ratio(bar.executor, bar.against)
            )
    return None


def memory_ratio(row: Row, bar: MemoryBar) -> float | None:
    """How many times the memory of `bar.against` the executor needs, beyond the allowance."""
    if bar.executor not in row.peaks or bar.against not in row.peaks:
        return None
    return max(0, row.peaks[bar.executor] - bar.allowance) / max(1, row.peaks[bar.against])


def as_json(rows: Sequence[Row], costs: Sequence[CostRow], verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Everything measured, round by round, with the medians and ratios that the tables show."""
    return {
        "workloads": [
            {
                "name": row.name,
                "seconds": {name: list(seconds) for name, seconds in row.seconds.items()},
                "median_seconds": {name: median(seconds) for name, seconds in row.seconds.items()},
                "times_hand": {name: row.ratio(name, "hand") for name in row.seconds},
                "times_primal": {name: row.ratio(name, "primal") for name in row.seconds},
                "peak_bytes": dict(row.peaks),
                "left_out": dict(row.left_out),
            }
            for row in rows
        ],
        "costs": [
            {
                "name": cost.name,
                "seconds": list(cost.seconds),
                "median_seconds": median(cost.seconds) if cost.seconds else None,
                "unchecked_seconds": list(cost.unchecked),
                "left_out": cost.left_out,
            }
            for cost in costs
        ],
        "bars": [
            {
                "kind": type(verdict.bar).__name__,
                **vars(verdict.bar),
                "measured": verdict.measured,
                "missed": verdict.missed,
            }
            for verdict in verdicts
        ],
    }
