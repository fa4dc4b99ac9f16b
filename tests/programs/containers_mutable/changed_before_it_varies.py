# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Lists that hold nothing that varies when they are made longer or shorter, and something that does afterwards."""

from ..corpus import program


@program(0.7)
def item_taken_off_before(y):
    xs = [1.0 for j in range(3)]
    u = xs.pop()
    xs[1] = y
    return sum(xs) * u


@program(0.7, 2, static="n")
def item_taken_out_of_the_middle_before(y, n):
    xs = [j * 1.0 for j in range(n + 2)]
    u = xs.pop(n % 2) if n > 1 else 3.0
    xs[-1] = y * u
    return sum(xs) + xs[0] * xs[0]


@program(0.7, 2, static="n")
def slice_made_shorter_before(y, n):
    xs = [j * 1.0 for j in range(n + 2)]
    for i in range(2):
        xs.append(2.0)
        xs[1:] = [1.0]
    xs[:1] = [y]
    return sum(xs) * xs[0]


@program(0.7, 2, static="n")
def slice_made_shorter_in_a_branch_before(y, n):
    xs = [j * 1.0 for j in range(n + 2)]
    if n > 1:
        xs[1:] = [1.0]
    xs.insert(0, y)
    return sum(xs) * xs[0]


@program(0.7)
def item_deleted_in_a_try_before(y):
    xs = list(range(3))
    try:
        del xs[0]
        xs.pop()
    except IndexError:
        pass
    xs[0] = y
    return sum(xs) * xs[0]
