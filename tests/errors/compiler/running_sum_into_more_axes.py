"""A running sum written into a matrix: into a complex one NumPy writes a column alone."""

import numpy as np

ARGS = (np.array([1.0, 2.0]),)


def f(w):
    out = (w * 0.5j)[..., None] * w
    np.cumsum(w, axis=0, out=out)
    return np.sum(np.abs(out))
