"""An import in a function."""


def f(x):
    from math import sin

    return sin(x)
