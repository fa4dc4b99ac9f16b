"""A cache that lives outside."""

cache = {}
ARGS = (1.5,)


def f(x):
    cache["square"] = x * x
    return cache["square"]
