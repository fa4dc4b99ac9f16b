"""A quadrature that calls back."""

import math

from scipy.integrate import quad

ARGS = (1.0,)


def f(a):
    value, error = quad(lambda t: math.exp(-a * t), 0.0, 1.0)
    return value
