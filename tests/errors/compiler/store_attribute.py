"""An attribute is set."""

from dataclasses import dataclass


@dataclass
class State:
    q: float
    p: float


ARGS = (State(1.0, 2.0), 0.1)


def f(s, h):
    s.q = s.q + h * s.p
    return s.q**2
