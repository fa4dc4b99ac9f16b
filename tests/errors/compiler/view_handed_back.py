"""A view of a dict that a function hands back shows what the dict holds later on."""

ARGS = (1.3,)


def values(d):
    return d.values()


def f(x):
    d = {"a": x}
    shown = values(d)
    d["a"] = x * 3.0
    return sum(shown)
