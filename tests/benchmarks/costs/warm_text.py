"""The gradient of the 30-line function in a process that finds its text on disk."""

from __future__ import annotations

from collections.abc import Sequence

from .. import warm

TITLE = "warm start: import and first gradient, text from disk"
POSITION = 80

STATEMENTS = """
from adcompile import grad
from warm_flight import flight
grad(flight)(*ARGUMENTS)
"""


def measure(rounds: int) -> Sequence[float]:
    """Seconds in a fresh process, each round."""
    return warm.seconds(rounds, STATEMENTS)
