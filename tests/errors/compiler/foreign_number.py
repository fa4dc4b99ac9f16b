"""A number of a class that adcompile does not know."""

from fractions import Fraction

ARGS = (1.5, Fraction(1, 2))


def f(x, r):
    return x * r
