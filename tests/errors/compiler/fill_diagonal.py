"""A diagonal is overwritten."""

import numpy as np

ARGS = (np.array([[1.0, 2.0], [3.0, 4.0]]),)


def f(a):
    b = a * 2
    np.fill_diagonal(b, 0.0)
    return np.sum(b)
