"""A rule that has no derivative with respect to one argument."""

from scipy import special

ARGS = (1.5, 2.0)


def f(order, x):
    return special.jv(order, x)
