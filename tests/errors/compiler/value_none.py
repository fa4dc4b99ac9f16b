"""There is no value."""

ARGS = (1.0,)


def f(x):
    y = x * x
    print(y)
