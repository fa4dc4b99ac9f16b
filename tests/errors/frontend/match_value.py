"""`match` in a function."""


def f(x):
    match x:
        case 0.0:
            return 1.0
    return x
