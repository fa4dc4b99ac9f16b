"""A quadrature that calls back."""

import math

from scipy.integrate import dblquad

ARGS = (1.0,)


def f(a):
    value, error = dblquad(lambda t, u: math.exp(-a * t * u), 0.0, 1.0, 0.0, 1.0)
    return value
