"""A user's module, with all that a function may reach for."""

import collections
import dataclasses
import functools
import math
import xml.etree.ElementTree
from math import pi

import numpy as np
from numpy import exp as e

from adcompile.emit import emit_module  # stands for a decorator of adcompile's below

RATE = 0.25
SIZES = {"hidden": [3, 4], "name": 'it\'s "x"', "flags": (True, None)}
WEIGHTS = np.array([[0.1, -0.0], [1e300, np.inf]])
SHORT = np.array([0.1, 2.0], dtype=np.float32)
COLUMNS = np.asfortranarray(np.arange(6.0).reshape(2, 3))
HALF = np.float32(0.5)
LIMIT = float("-inf")
BIG = np.arange(1000.0)
LOCK = object()
square = lambda z: z * z  # noqa: E731


def not_ours(fn):
    return fn


@dataclasses.dataclass
class Point:
    x: float
    y: float = RATE

    def norm(self):
        return math.hypot(self.x, self.y)


@not_ours
def relu(z, floor=RATE):
    # clip from below
    return max(z, floor * pi)


def even(n):
    return n == 0 or odd(n - 1)


def odd(n):
    return n != 0 and even(n - 1)


@functools.lru_cache
def cached(n):
    """Calls others, and reaches into a package."""
    return relu(n) + e(0.0) + len(xml.etree.ElementTree.__name__)


def scaled_by(factor):
    def scale(z):
        return factor * z

    return scale


twice = scaled_by(2.0)
not_emitted = emit_module

halved = functools.partial(scaled_by, 0.5)
Pair = collections.namedtuple("Pair", "left right", defaults=(2.0,))  # noqa: PYI024 - the other way to make one
