"""`has_aux` without anything beside the value."""

ARGS = (1.0, 2.0)
OPTIONS = {"has_aux": True}


def f(x, y):
    return x * y
