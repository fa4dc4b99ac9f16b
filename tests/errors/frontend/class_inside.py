"""A class defined in a function."""


def f(x):
    class Point:
        pass

    p = Point()
    p.x = x
    return p.x
