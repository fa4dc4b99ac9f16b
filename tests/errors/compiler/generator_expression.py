"""A generator expression over a list that varies."""

ARGS = ([1.0, 2.0, 3.0],)


def f(xs):
    return sum(x * x for x in xs)
