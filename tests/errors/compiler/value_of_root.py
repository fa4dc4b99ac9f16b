"""The root of a real matrix is complex where an eigenvalue is below 0, so by its kind it may be that."""

import numpy as np
from scipy import linalg

ARGS = (np.diag([1.0, 4.0]), np.diag([9.0, 2.0]))


def f(x, y):
    return np.trace(linalg.sqrtm(x @ y))
