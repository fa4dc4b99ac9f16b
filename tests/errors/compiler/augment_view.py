"""`+=` on a view of another array."""

import numpy as np

ARGS = (np.array([1.0, 2.0, 3.0]),)


def f(x):
    y = x * 2
    head = y[:2]
    head += 1.0
    return np.sum(y**2)
