"""One of two modules with a helper of the same name: a helper is found as an object, not by its spelling."""

FACTOR = 2.0


def scale(x):
    return FACTOR * x * x


def outer(x):
    return scale(x) + 1
