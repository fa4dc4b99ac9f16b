"""A guard on a pattern that binds names and may fail."""


def f(x, y):
    match x:
        case (1.0, y) if y > 0.0:
            return x[0]
        case _:
            return x[0] * y
