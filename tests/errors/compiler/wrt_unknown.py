"""`wrt` names something that is no input."""

ARGS = (1.0, 2.0)
OPTIONS = {"wrt": "x weigth"}


def f(x, weight):
    return x * weight
