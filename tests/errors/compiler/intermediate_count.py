"""A count named as an intermediate."""

import numpy as np

ARGS = (np.array([1.0, 2.0]),)
OPTIONS = {"intermediates": "n"}


def f(x):
    n = len(x)
    return np.sum(x) / n
