"""The items of an array are set in a loop."""

import numpy as np

ARGS = (np.array([1.0, 2.0, 3.0]), 0.5)


def f(u, k):
    new = np.zeros_like(u)
    for i in range(1, len(u) - 1):
        new[i] = u[i] + k * (u[i - 1] - 2 * u[i] + u[i + 1])
    return np.sum(new**2)
