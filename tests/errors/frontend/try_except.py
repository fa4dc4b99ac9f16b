"""`try` in a function."""

import math


def f(x):
    y = 2.0 * x
    try:  # may fail
        return math.log(y)
    except ValueError:
        return 0.0
