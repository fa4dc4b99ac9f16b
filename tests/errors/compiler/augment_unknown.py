"""`+=` on a name that holds a number or an array."""

import numpy as np

ARGS = (np.array([1.0, 2.0]),)


def f(x):
    total = 0.0
    for k in range(3):
        total += x * k
    return np.sum(total)
