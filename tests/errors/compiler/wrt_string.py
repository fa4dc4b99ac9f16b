"""`wrt` names a string."""

ARGS = (1.5, "exp")
OPTIONS = {"wrt": "name"}


def f(x, name):
    return x * x if name == "square" else x
