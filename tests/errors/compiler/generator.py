"""A generator."""

ARGS = (2.0,)


def f(x):
    for i in range(3):
        yield i * x
