"""The value is a string."""

ARGS = (1.0,)


def f(x):
    return f"{x * x:.2f}"
