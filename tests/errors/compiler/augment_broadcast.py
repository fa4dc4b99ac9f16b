"""`+=` with a matrix on the right of a vector of unknown shape."""

import numpy as np

ARGS = (np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 2.0]))


def f(a, b):
    y = a @ b
    z = np.where(b > 0, a, b)
    y += z[0]
    return np.sum(y)
