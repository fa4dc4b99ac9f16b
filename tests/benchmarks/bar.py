"""Bars: what must hold between the numbers of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import bars
from .discovery import modules_of


@dataclass(frozen=True)
class RatioBar:
    """On `workload`, `executor` takes at most `limit` times as long as `against`."""

    workload: str
    executor: str
    limit: float
    against: str = "hand"


@dataclass(frozen=True)
class MeanBar:
    """Over all workloads that both can do, `executor` takes at most `limit` times as long, in the geometric mean."""

    executor: str
    limit: float
    against: str = "hand"


@dataclass(frozen=True)
class MemoryBar:
    """On `workload`, `executor` needs at most `limit` times the memory of `against`, and `allowance` bytes."""

    workload: str
    executor: str
    limit: float
    against: str
    allowance: int


@dataclass(frozen=True)
class CostBar:
    """The one-off cost `cost` (a module of `costs/`) is at most `limit` seconds."""

    cost: str
    limit: float


Bar = RatioBar | MeanBar | MemoryBar | CostBar


def load_bars() -> Sequence[Bar]:
    """The bars of every module in `bars/`."""
    return [bar for module in modules_of(bars) for bar in module.BARS]
