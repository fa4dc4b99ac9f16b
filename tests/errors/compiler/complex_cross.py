"""A cross product of a real vector and a complex one."""

import numpy as np

ARGS = (np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 0.5]))


def f(x, a):
    z = np.cross(a, x * (1 + 2j))
    return np.sum(z.real**2 + z.imag)
