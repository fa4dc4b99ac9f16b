"""The text of a computational graph of more than 10,000 nodes, which a layout program is given."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np

from ..executor import LeftOut

TITLE = "text of a graph of 10,000 nodes"
POSITION = 70
STEPS = 3000


def recurrent(xs: Any, w: float, n: int) -> float:
    """A loop of which each step has several nodes."""
    h = 0.0
    for t in range(n):
        h = np.tanh(w * h + xs[t])
    return h


def measure(rounds: int) -> Sequence[float]:
    """Seconds of `graph.dot`, each round for a graph that has no text yet."""
    try:
        from adcompile import grad
    except ImportError as error:
        raise LeftOut("adcompile is not importable") from error

    found = []
    for _ in range(min(rounds, 3)):
        graph = grad(recurrent).graph(np.ones(STEPS), 0.5, STEPS).folded()
        start = perf_counter()
        text = graph.dot
        found.append(perf_counter() - start)
        assert text.count("[label=<") > 10_000
    return found
