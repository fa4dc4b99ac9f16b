"""An iterator that two names advance."""

ARGS = ([1.0, 2.0, 3.0],)


def f(xs):
    it = iter(xs)
    other = it
    first = next(it)
    return first * next(other)
