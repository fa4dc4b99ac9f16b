"""A context manager of the library that is given what varies, its header over two lines."""

import contextlib

import numpy as np


def f(x):
    with contextlib.closing(
        x,
    ):
        return 2.0 * x


ARGS = (np.float64(1.0),)
