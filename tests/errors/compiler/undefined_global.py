"""A name that nothing has."""

ARGS = (1.5,)
RATE = 2.0


def f(x):
    y = x * x
    return y * RATES + x
