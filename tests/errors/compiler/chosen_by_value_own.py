"""A function of the user's, chosen by a value."""

import math

ARGS = (1.2,)


def square(x):
    return x * x


def shrink(x):
    return math.sin(x) / 2


def f(x):
    g = square if x > 0 else shrink
    return g(x) + g(2 * x)
