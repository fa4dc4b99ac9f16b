"""An input named as an intermediate."""

ARGS = (1.0, 2.0)
OPTIONS = {"intermediates": "u x"}


def f(x, w):
    u = x * w
    return u * u
