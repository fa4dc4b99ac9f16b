"""An assignment to a global variable."""

total = 0.0


def f(x):
    global total
    total += x
    return total
