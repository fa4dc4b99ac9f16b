"""A loop of which it is not known how often it runs."""

OPTIONS = {"checkpoint": "x"}
ARGS = (0.1,)


def f(x):
    while x < 1.0:
        x = x + x * x
    return x
