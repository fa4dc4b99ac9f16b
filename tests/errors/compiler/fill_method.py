"""An array is filled."""

import numpy as np

ARGS = (np.array([3.0, 1.0, 2.0]), 2.0)


def f(x, c):
    y = np.empty(3)
    y.fill(c)
    return np.sum(x * y)
