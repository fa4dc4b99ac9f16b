"""Two names of an array that the loop changes."""

import numpy as np

OPTIONS = {"checkpoint": "steps"}
ARGS = (np.array([0.1, 0.2, 0.3]), 3)


def f(u, steps):
    for _ in range(steps):
        inner = u[1:-1]
        inner *= u[2:]
    return np.sum(u * u)
