"""Other numbers would be drawn the second time: here in a function that a step calls."""

import numpy as np

OPTIONS = {"checkpoint": "steps"}
ARGS = (1.0, 3)


def noise():
    return 0.1 * np.random.standard_normal()


def f(x, steps):
    for _ in range(steps):
        x = x * x + noise()
    return x
