"""A function that a function returns."""

import math

ARGS = (1.2,)


def compose(f, g):
    def composed(x):
        return f(g(x))

    return composed


def f(x):
    g = compose(math.exp, math.sin)
    return g(x) * x
