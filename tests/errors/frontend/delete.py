"""`del` of an item."""


def f(xs):
    del xs[0]
    return sum(xs)
