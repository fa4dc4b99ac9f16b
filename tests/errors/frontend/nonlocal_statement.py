"""An assignment to a variable of the enclosing function, from a function defined inside."""


def f(x):
    total = 0.0

    def add(y):
        nonlocal total
        total += y

    add(x)
    return total
