"""The value is complex."""

ARGS = (1.0, 2.0)


def f(x, y):
    return (x + 1j * y) ** 2
