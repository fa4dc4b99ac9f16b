"""`wrt` names a count."""

ARGS = (1.5, 3)
OPTIONS = {"wrt": "x n"}


def f(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y
