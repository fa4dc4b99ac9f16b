"""The marker away from its loop."""

from adcompile import checkpointed

ARGS = (0.1, 3)


def f(x, steps):
    times = checkpointed(range(steps))
    for _ in times:
        x = x * x
    return x
