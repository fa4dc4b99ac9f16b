"""A list of varying numbers grows."""

ARGS = (1.5, 3)


def f(x, n):
    values = []
    for i in range(n):
        values.append(x**i)
    return sum(values)
