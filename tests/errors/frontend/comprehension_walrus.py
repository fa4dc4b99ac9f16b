"""An assignment from inside a comprehension."""


def f(xs):
    ys = [last := 2 * x for x in xs]
    return last + ys[0]
