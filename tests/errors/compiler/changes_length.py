"""Lists of two lengths, and one item read."""

ARGS = (1.5,)


def f(x):
    ys = [x]
    if x > 1:
        ys = [x, x * x]
    return ys[-1]
