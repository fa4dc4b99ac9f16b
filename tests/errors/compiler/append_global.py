"""The contract's example: a list that lives outside."""

import numpy as np

history = []
ARGS = (np.array([0.0, 1.0, 0.0]),)


def f(u):
    for _ in range(3):
        energy = np.sum(u**2)
        history.append(energy)
        u = 0.5 * (u + np.roll(u, 1))
    return np.sum(u**2)
