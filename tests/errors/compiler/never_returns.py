"""Every path raises."""

ARGS = (1.5,)


def f(x):
    raise ValueError(x)
