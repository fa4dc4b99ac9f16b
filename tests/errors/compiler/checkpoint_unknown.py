"""A loop that is not there."""

OPTIONS = {"checkpoint": "stpes"}
ARGS = (0.1, 3)


def f(x, steps):
    for _ in range(steps):
        x = x * x
    return x
