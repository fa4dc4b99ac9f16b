"""`del` of several items."""


def f(xs):
    del xs[1:]
    return sum(xs)
