"""The value is a tuple."""

ARGS = (1.0, 2.0)


def f(x, y):
    return x * y, x + y
