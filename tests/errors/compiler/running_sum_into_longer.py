"""A running sum of perhaps one number, written into an array of another length."""

import numpy as np

ARGS = (np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]), 1)


def f(x, y, k):
    np.cumsum(x[k:], out=y)
    return np.sum(y * y)
