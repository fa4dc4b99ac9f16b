"""A marked loop in another loop."""

from adcompile import checkpointed

ARGS = (0.1,)


def f(x):
    for _ in range(3):
        for _ in checkpointed(range(100)):
            x = x - 0.1 * x * x
    return x
