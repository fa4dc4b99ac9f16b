"""A real matrix times a complex vector."""

import numpy as np

ARGS = (np.array([1.0, 2.0, 3.0]), np.array([[1.0, 2.0, 0.5], [0.5, 1.0, 3.0]]))


def f(x, a):
    z = a @ (x * (1 + 2j))
    return np.sum(z.real**2 + z.imag)
