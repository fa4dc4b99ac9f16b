"""An import in a branch of a function."""

import math


def f(x):
    if x > 0.0:
        from math import sqrt as root
    else:
        root = math.sin
    return root(x)
