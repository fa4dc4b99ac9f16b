# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Generators beside other things: counted, zipped, under a name, asked for their first item, run over by an object."""

import math

import numpy as np

from .corpus import program, sample

MIXED = np.array([0.7, -0.4, 1.3, 0.2, -1.1])


def doubled_where_positive(v):
    for a in v:
        if a > 0:
            yield a * 2


@program(MIXED)
@program(MIXED[1:2])
def enumerated(x):
    s = 0.0
    for i, v in enumerate(doubled_where_positive(x)):
        s += i * v + v**2
    return s


@program(MIXED)
def enumerated_from_one_with_an_early_end(x):
    s = 0.0
    for i, v in enumerate(doubled_where_positive(x), start=1):
        if i == 2:
            continue
        s += i * v**2
        if s > 5.0:
            break
    return s * i


@program(MIXED)
def pairs_with_their_number(x):
    s = 0.0
    for pair in enumerate(doubled_where_positive(x)):
        s += pair[0] * pair[1] ** 2
    return s


@program(MIXED, 2, static="n")
@program(MIXED, 0, static="n")
@program(MIXED, 9, static="n")
def zipped_behind_a_list(x, n):
    weights = [0.5 * k for k in range(n)]
    s = 0.0
    for w, v in zip(weights, doubled_where_positive(x)):
        if v > 2.0:
            continue
        s += w * v**2
    return s + x[0]


@program(MIXED, 2, static="n")
@program(MIXED, 0, static="n")
@program(MIXED, 9, static="n")
def zipped_before_a_list(x, n):
    def running():
        total = 0.0
        for v in x:
            total = total + v * v
            yield total

    s = 0.0
    for v, k, w in zip(running(), range(n), x):
        s += w * v * k
    return s + x[0]


@program(MIXED, 3, static="n")
def generator_without_an_end(x, n):
    def halved():
        v = x[0]
        while True:
            yield v
            v = math.sin(v) * 0.5

    s = 0.0
    for k, v in zip(range(n), halved()):
        s += (k + 1) * v
    return s


@program(MIXED)
def under_a_name(x):
    found = doubled_where_positive(x * x[0])
    s = 1.0
    for v in found:
        s *= v
    return s + sum(found)


@program(MIXED)
def all_of_it(x):
    return math.fsum(doubled_where_positive(x)) * math.prod(doubled_where_positive(x))


@program(MIXED, 0.5)
@program(MIXED, 5.0)
def first_or_a_default(x, level):
    first = next((v * v for v in x if v > level), -1.0)
    return first * 3.0 + x[1] * level


@program(MIXED, 0.5)
@program(MIXED, 5.0)
def first_or_none(x, level):
    first = next((v for v in x if v > level), None)
    if first is None:
        return x[1] ** 2
    return first**3


@program(MIXED, 0.5)
@program(MIXED, 5.0)
def first_or_another(x, level):
    top = level * x[0]
    top = next((v * top for v in x if v > top), top)
    return top**2


@program(MIXED)
def first_place(x):
    i = next(k for k, v in enumerate(x) if v > 1.0)
    return x[i] ** 2 + i * x[0]


@program(MIXED, 0.9)
@program(MIXED, 3.0)
def first_of_two_loops(x, level):
    return 2.0 * next((a * b for a in x for b in x if a * b > level), level) + x[2]


@program(MIXED, 0.9)
@program(MIXED, 3.0)
def first_of_a_generator_function(x, level):
    s = 0.0
    for k in range(3):
        s += k * next(doubled_where_positive(x - 0.5 * k), level)
    return s


@program(MIXED, 0.9)
@program(MIXED, 3.0)
def first_row(x, level):
    rows = np.outer(x, x)
    row = next((r for r in rows if r[0] > level), rows[0])
    return np.sum(row**2)


@program(MIXED, 0.9)
@program(MIXED, 3.0)
def nothing_found(x, level):
    try:
        v = next(a for a in x if a > level)
    except StopIteration:
        v = x[0] * 2.0
    return v**2


@program(MIXED, 3.0, raises=StopIteration)
def nothing_found_and_not_handled(x, level):
    return next(a * a for a in x if a > level)


class Scaled:
    def __init__(self, values, factor):
        self.values = values
        self.factor = factor

    def __iter__(self):
        for v in self.values:
            yield v * self.factor

    def numbered(self):
        for k, v in enumerate(self):
            yield k, v


@program(MIXED, 1.5)
def object_that_is_run_over(x, a):
    scaled = Scaled(x, a)
    s = 0.0
    for v in scaled:
        s += v * v
    for k, v in enumerate(scaled):
        s += k * v
    for k, v in scaled.numbered():
        s += k * v**2
    return s + sum(scaled) + sum(v**3 for v in scaled) + max(scaled)


@program(MIXED)
def object_that_lends_its_list(x):
    class_of = Listed(x)
    s = 0.0
    for v in class_of:
        s += v * v
    return s


class Listed:
    def __init__(self, values):
        self.values = list(values)

    def __iter__(self):
        return iter(self.values)


@program(1.3, MIXED)
def sum_of_numbers_from_an_array_on(s, x):
    return np.sum(sum((v * s for v in x), x) ** 2) + np.sum(sum(map(lambda v: v * s, x), start=x) * x)


@program(1.3, MIXED)
def sum_of_lists_from_a_list_on(s, x):
    first = [s]
    second = sum(map(lambda v: [v * v], x), first)
    return sum(second) * len(second) + len(first) * s


@program(1.3, MIXED)
def sums_of_numbers_and_arrays(s, x):
    parts = [x]
    for k in range(2):
        parts.append(x * s)
    parts.append(s)
    return np.sum(sum(parts) ** 2) + np.sum(sum([s * s, x, 2.0]) ** 3)


@program(1.3, MIXED)
def sums_of_nothing(s, x):
    return s * sum([v for v in x if v > 10]) + s * sum(x) + sum(x[x > 10]) * s
