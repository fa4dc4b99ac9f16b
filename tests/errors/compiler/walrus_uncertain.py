"""A `:=` that may not be evaluated."""

ARGS = (1.5, 2.0)


def f(x, y):
    if x > 2 and (z := x * y) > 1:
        return z
    return x
