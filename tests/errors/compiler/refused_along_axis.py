"""A function applied along an axis, with an argument by name."""

import numpy as np

ARGS = (np.array([[1.0, 2.0], [3.0, 4.0]]),)


def f(x):
    return np.sum(np.apply_along_axis(lambda row, a: np.sum(row * a), 1, x, a=2.0) * np.arange(2))
