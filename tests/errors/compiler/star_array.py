"""`*` of an array in a call that may have fewer arguments."""

import numpy as np

ARGS = (np.array([1.0, 2.0]),)


def product(a, b=1.0):
    return a * b


def f(x):
    return product(*x)
