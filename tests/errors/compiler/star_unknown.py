"""`*` of unknown length in a call of a library's function."""

import math

ARGS = ([float(k) for k in range(2)],)


def f(xs):
    return math.atan2(*xs)
