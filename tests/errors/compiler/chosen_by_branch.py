"""A function chosen in a branch."""

import math

ARGS = (1.2,)


def f(x):
    if x > 1:
        g = math.sin
    else:
        g = math.cos
    return g(x) * x
