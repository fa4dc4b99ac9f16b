"""A generator."""


def f(x):
    for i in range(3):
        yield i * x
