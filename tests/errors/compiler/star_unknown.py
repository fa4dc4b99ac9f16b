"""`*` of unknown length in a call, and more behind it."""

ARGS = ([float(k) for k in range(40)],)


def add(*values):
    return sum(values)


def f(xs):
    return add(*xs[1:], xs[0])
