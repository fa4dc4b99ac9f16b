"""`with` in a function, its header over two lines."""

import contextlib


def f(x):
    with contextlib.nullcontext(
        x,
    ) as y:
        return 2.0 * y
