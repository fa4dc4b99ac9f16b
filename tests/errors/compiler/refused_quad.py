"""A quadrature that calls back."""

import math

from scipy.integrate import tplquad

ARGS = (1.0,)


def f(a):
    value, error = tplquad(lambda t, u, v: math.exp(-a * t * u * v), 0.0, 1.0, 0.0, 1.0, 0.0, 1.0)
    return value
