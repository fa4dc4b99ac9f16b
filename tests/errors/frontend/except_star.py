"""`except*` in a function."""

import math


def f(x):
    y = 2.0 * x
    try:  # may fail
        y = math.log(y)
    except* ValueError:
        y = 0.0
    return y
