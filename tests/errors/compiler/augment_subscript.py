"""An augmented assignment to an item."""

import numpy as np

ARGS = (np.array([1.0, 2.0, 3.0]),)


def f(x):
    y = x * 2
    y[0] += x[1]
    return np.sum(y**2)
