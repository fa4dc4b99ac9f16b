"""A loop over items of different kinds, left by `break`."""

import numpy as np

ARGS = (1.5, np.array([1.0, 2.0]))


def f(x, y):
    total = 0.0
    for part in (x, y):
        total = total + np.sum(part**2)
        if total > 10:
            break
    return total
