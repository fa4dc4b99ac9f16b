"""`wrt` names a flag."""

ARGS = (1.5, True)
OPTIONS = {"wrt": ("x", "double")}


def f(x, double):
    return 2 * x if double else x
