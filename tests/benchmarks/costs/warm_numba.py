"""What Numba alone takes for the function itself, without a derivative, from its own cache."""

from __future__ import annotations

from collections.abc import Sequence

from .. import warm

TITLE = "the function itself under Numba, from its cache"
POSITION = 82

STATEMENTS = """
from numba import njit
import warm_flight
warm_flight.drag = njit(cache=True)(warm_flight.drag)
njit(cache=True)(warm_flight.flight)(*ARGUMENTS)
"""


def measure(rounds: int) -> Sequence[float]:
    """Seconds in a fresh process, each round."""
    return warm.seconds(rounds, STATEMENTS)
