"""A slice of an array is set."""

import numpy as np

ARGS = (np.array([1.0, 2.0, 3.0]),)


def f(x):
    y = x * 2
    y[1:] = x[:-1] ** 2
    return np.sum(y)
