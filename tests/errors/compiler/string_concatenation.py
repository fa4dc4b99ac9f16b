"""An argument of a kind that no rule covers."""

from fractions import Fraction

ARGS = (1.5, Fraction(1, 2))


def f(x, r):
    return x * r
