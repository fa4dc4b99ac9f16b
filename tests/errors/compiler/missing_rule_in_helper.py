"""The function without a rule is in a helper: the place is there."""

import numpy as np

ARGS = (np.array([0.5, 4.0, 9.0]),)


def smooth(phase):
    return np.emath.log(phase) / 2


def f(x):
    return np.sum(smooth(x * x))
