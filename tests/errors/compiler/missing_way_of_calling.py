"""A rule is there, but not for this way of calling."""

import numpy as np

ARGS = (np.array([0.5, 4.0, 9.0]),)


def f(x):
    return np.sum(np.pad(x, 2, mode="empty"))
