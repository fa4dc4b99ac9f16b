"""Two items are exchanged."""

import numpy as np

ARGS = (np.array([1.0, 2.0, 3.0]),)


def f(x):
    y = x * 2
    y[0], y[1] = y[1], y[0]
    return np.sum(y * np.arange(3.0))
