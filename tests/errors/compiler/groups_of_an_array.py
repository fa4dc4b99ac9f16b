import itertools

import numpy as np


def f(x):
    total = 0.0
    for positive, group in itertools.groupby(x, key=lambda v: v > 0):
        total += sum(group) ** 2 * (1 + positive)
    return total


ARGS = (np.array([1.0, 2.0, -1.0]),)
