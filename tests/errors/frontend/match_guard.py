"""A guard on a pattern that binds names and may fail."""


def f(x):
    match x:
        case (1.0, y) if y > 0.0:
            return y
    return x[0]
