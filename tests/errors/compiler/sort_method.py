"""An array is sorted in place."""

import numpy as np

ARGS = (np.array([3.0, 1.0, 2.0]),)


def f(x):
    y = x * 2
    y.sort()
    return y[0] * y[1]
