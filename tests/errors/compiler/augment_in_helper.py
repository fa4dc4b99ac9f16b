"""A helper changes its caller's array."""

import numpy as np

ARGS = (np.array([1.0, 2.0]),)


def double(a):
    a *= 2
    return a


def f(x):
    y = x + 1
    return np.sum(double(y) * y)
