"""Items of which a list would be made first, while the loop changes what they are made of."""

import itertools

import numpy as np

ARGS = (np.array([0.5, 1.0, 2.0]),)


def f(x):
    a = x * 1.0
    for k, v in enumerate(itertools.accumulate(a)):
        a[(k + 1) % 3] = v
    return a[0] * a[1] + a[2]
