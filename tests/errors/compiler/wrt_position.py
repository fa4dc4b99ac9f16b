"""`wrt` gives a position that is not there."""

ARGS = (1.5, 2.0)
OPTIONS = {"wrt": 2}


def f(x, y):
    return x * y
