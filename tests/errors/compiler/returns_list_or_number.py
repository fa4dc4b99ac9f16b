"""A function that returns a number on one path and a tuple on the other."""

ARGS = (1.5,)


def f(x):
    if x > 1:
        return x
    return x, x
