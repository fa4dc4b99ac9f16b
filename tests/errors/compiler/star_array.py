"""`*` of an array in a call."""

import numpy as np

ARGS = (np.array([1.0, 2.0]),)


def product(a, b):
    return a * b


def f(x):
    return product(*x)
