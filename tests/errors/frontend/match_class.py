"""A pattern that takes an object apart."""


def f(x):
    match x:
        case complex(real=a):
            return a
    return x
