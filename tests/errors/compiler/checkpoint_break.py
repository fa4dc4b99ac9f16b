"""A loop that may end early."""

OPTIONS = {"checkpoint": "steps"}
ARGS = (1.0, 3)


def f(x, steps):
    for _ in range(steps):
        x = x * x
        if x > 100.0:
            break
    return x
