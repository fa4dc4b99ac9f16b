"""A function looked up by a computed key."""

import math

ARGS = (1.2, 3)


def f(x, n):
    table = {"0": math.sin, "1": math.cos}
    return table[str(n % 2)](x) * x
