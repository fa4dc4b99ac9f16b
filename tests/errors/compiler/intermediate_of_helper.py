"""A local of a helper that is not there."""

ARGS = (1.0,)
OPTIONS = {"intermediates": "square.z"}


def square(x):
    y = x * x
    return y


def f(x):
    return square(x) + 1
