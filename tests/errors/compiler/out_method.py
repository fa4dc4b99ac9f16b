"""`out=` of a method."""

import numpy as np

ARGS = (np.array([[1.0, 2.0], [3.0, 4.0]]),)


def f(x):
    y = np.empty(2)
    x.sum(axis=0, out=y)
    return y[0] * y[1]
