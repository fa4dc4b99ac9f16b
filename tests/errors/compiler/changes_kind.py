"""A number on one path, a list on the other."""

ARGS = (1.5,)


def f(x):
    if x > 1:
        y = x
    else:
        y = [x, x]
    return y * x
