"""A one-off cost: something paid once in a process or once for a function, not at each call."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import costs
from .discovery import modules_of, short_name
from .executor import LeftOut

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Cost:
    """A row of the second table, read from a module of `costs/`.

    The module declares `TITLE`, `POSITION` and `measure(rounds)`, which returns seconds, one for each round, or raises
    `LeftOut` with a word on why it cannot be measured. Of first calls it returns two series, measured in turns: the
    second one without the comparison of a new text with its function.
    """

    name: str
    title: str
    measure: Callable[[int], Sequence[float] | tuple[Sequence[float], Sequence[float]]]


def load_costs() -> list[Cost]:
    """All one-off costs, in the order of the table."""
    return [Cost(short_name(module), module.TITLE, module.measure) for module in modules_of(costs)]


def seconds_in_new_process(program: str) -> float:
    """What `program`, run by a fresh interpreter from the root of the repository, prints as its last line."""
    outcome = subprocess.run(
        [sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    if outcome.returncode:
        raise LeftOut(outcome.stderr.strip().splitlines()[-1])
    return float(outcome.stdout.split()[-1])
