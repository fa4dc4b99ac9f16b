"""`+=` on an array that another argument may share its memory with."""

import numpy as np

ARGS = (np.array([1.0, 2.0]), np.array([3.0, 4.0]))


def f(a, b):
    a += b
    return np.sum(a * b)
