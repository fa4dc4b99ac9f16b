"""A pattern that takes a dict apart."""


def f(x):
    match x:
        case {"real": a}:
            return a
    return x
