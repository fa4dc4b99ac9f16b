"""A list given as argument is extended."""

ARGS = ([1.0, 2.0], 3.0)


def f(xs, y):
    xs.extend([y, y * y])
    return sum(xs)
