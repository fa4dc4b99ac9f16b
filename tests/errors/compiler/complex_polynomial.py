"""A polynomial with real coefficients at complex points."""

import numpy as np

ARGS = (np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 0.5]))


def f(x, a):
    z = np.polynomial.polynomial.polyval(x * (1 + 2j), a)
    return np.sum(z.real**2 + z.imag)
