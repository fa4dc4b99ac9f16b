"""A `:=` that may not be evaluated."""

ARGS = (1.5, 2.0)


def f(x, y):
    if y < x < (z := x * y):
        return z
    return x
