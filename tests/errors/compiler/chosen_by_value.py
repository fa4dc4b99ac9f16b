"""A function chosen by a value."""

import math

ARGS = (1.2,)


def f(x):
    g = math.sin if x > 0 else math.cos
    return g(x) + g(2 * x)
