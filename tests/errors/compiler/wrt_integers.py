"""`wrt` names an array of integers."""

import numpy as np

ARGS = (np.array([1.0, 2.0, 3.0]), np.array([2, 0]))
OPTIONS = {"wrt": "index"}


def f(x, index):
    return np.sum(x[index] ** 2)
