"""A list that is repeated."""

ARGS = (1.5,)


def f(x):
    xs = [x] * 3
    return xs[0] * xs[2]
