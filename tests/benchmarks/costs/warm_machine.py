"""The same as machine code."""

from __future__ import annotations

from collections.abc import Sequence

from .. import warm

TITLE = "the same, machine code from disk"
POSITION = 81

STATEMENTS = """
from adcompile import grad
from warm_flight import flight
grad(flight, jit=True)(*ARGUMENTS)
"""


def measure(rounds: int) -> Sequence[float]:
    """Seconds in a fresh process, each round."""
    return warm.seconds(rounds, STATEMENTS)
