"""`locals` in a function."""


def f(x):
    y = x * x
    return locals()["y"]
