"""A loop over items."""

import numpy as np

from adcompile import checkpointed

ARGS = (np.array([0.1, 0.2, 0.3]),)


def f(u):
    s = 1.0
    for item in checkpointed(u):
        s = s * s + item
    return s
