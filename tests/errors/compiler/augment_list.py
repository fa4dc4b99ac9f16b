"""`+=` on a list."""

ARGS = (1.5,)


def f(x):
    values = [x]
    values += [x * x]
    return sum(values)
