"""An item of an array is set."""

import numpy as np

ARGS = (np.array([1.0, 2.0, 3.0]),)


def f(x):
    y = np.zeros(3)
    y[1] = x[0] * x[2]
    return np.sum(y)
