# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Copies of objects."""

import copy
from dataclasses import dataclass

import numpy as np

from ..corpus import program, sample


class _State:
    def __init__(self, p, v):
        self.p = p
        self.v = v

    def moved(self, dt):
        new = copy.copy(self)
        new.p = self.p + dt * self.v
        new.v = self.v * (1.0 - dt)
        return new


@program(0.3, 1.5)
def copy_with_numbers_changed(p, v):
    first = _State(p, v)
    second = copy.copy(first)
    second.v = second.v * p
    return first.v * second.v + first.p


@program(sample(3), sample(3))
def copies_share_their_arrays(p, v):
    first = _State(p * 1.0, v * 1.0)
    second = copy.copy(first)
    second.p *= 2.0
    second.v = second.v + 1.0
    return np.sum(first.p * first.v) + np.sum(second.p * second.v)


@program(0.3, 1.5)
def deep_copy_of_numbers(p, v):
    first = _State(p, v)
    second = copy.deepcopy(first)
    second.p *= first.v
    first.v = p * p
    return first.v * second.p + second.v


@program(0.3, 1.5, 4, static="n")
def steps_make_new_states(p, v, n):
    s = _State(p, v)
    for _ in range(n):
        s = s.moved(0.1)
    return s.p * s.v


@dataclass
class _Options:
    rate: float
    steps: int = 3


@program(0.3, 1.5)
def copy_of_a_dataclass(x, rate):
    options = _Options(rate)
    other = copy.copy(options)
    other.rate *= x
    return other.rate * options.rate * other.steps
