"""`*=` on an array that a view looks at."""

import numpy as np

ARGS = (np.array([1.0, 2.0, 3.0]),)


def f(x):
    y = x * 2
    head = y[:2]
    y *= x
    return np.sum(head * 3) + np.sum(y)
