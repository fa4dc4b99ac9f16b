"""The value is an array."""

import numpy as np

ARGS = (np.array([1.0, 2.0]),)


def f(x):
    y = np.sin(x)
    return y * 2
