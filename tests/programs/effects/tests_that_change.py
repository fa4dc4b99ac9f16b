# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Tests whose outcome is certain, and which do something: take an item off a list, advance an iterator, set a name."""

from ..corpus import program, sample


@program(sample(3))
def pops_and_is_never_none(x):
    xs = [x[0], x[1], x[2]]
    if xs.pop() is None:
        xs.append(1.0)
    return sum(xs)


@program(sample(3), True, static="n")
@program(sample(3), False, static="n")
def pops_before_another_test(x, n):
    xs = [x[0], x[1], x[2]]
    if xs.pop() is not None and n:
        xs.append(2.0 * x[0])
    return sum(xs) * x[1]


@program(sample(3), True, static="n")
@program(sample(3), False, static="n")
def pops_behind_another_test(x, n):
    xs = [x[0], x[1], x[2]]
    if n and xs.pop() is not None:
        xs.append(2.0 * x[0])
    return sum(xs) * x[1]


@program(sample(3), True, static="n")
@program(sample(3), False, static="n")
def class_of_what_was_popped(x, n):
    xs = [x[0], x[1], x[2]]
    if isinstance(xs.pop(), float) and n:
        xs.append(2.0 * x[0])
    return sum(xs)


@program(sample(3), True, static="n")
@program(sample(3), False, static="n")
def pops_in_a_conditional(x, n):
    xs = [x[0], x[1], x[2]]
    t = 3.0 * x[0] if xs.pop() is not None and n else x[1]
    return sum(xs) + t


@program(sample(3))
def helper_that_changes_in_a_test(x):
    xs = [x[0], x[1], x[2]]

    def halve():
        xs[0] *= 0.5
        return xs[0]

    if halve() is None:
        return x[0]
    return xs[0] * xs[1]
