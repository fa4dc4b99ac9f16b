# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Names for one of several lists, dicts or objects, by which these are changed."""

import math
from dataclasses import dataclass, field

import numpy as np

from ..corpus import program, sample

MIXED = np.array([1.2, -0.8, 0.6, 2.1, -1.5])


@program(list(MIXED))
@program([0.5, 4.0])
def list_by_the_sign(a):
    pos, neg = [], []
    for v in a:
        dest = pos if v > 0 else neg
        dest.append(v * v)
    return sum(pos) - 2 * sum(neg) ** 2


@program(MIXED)
@program(np.array([0.5, 4.0]))
def list_by_the_sign_without_a_name(a):
    pos, neg = [], []
    for v in a:
        (pos if v > 0 else neg).append(v * v)
    return sum(pos) - 2 * sum(neg) ** 2


@program(list(MIXED))
@program([0.5, 4.0])
def item_of_one_of_two_lists(a):
    pos, neg = [0.0, 1.0], [0.0, 2.0]
    for v in a:
        (pos if v > 0 else neg)[1] += v * v
    return pos[1] ** 2 - 2 * neg[1] * pos[1]


@program([1.2, -2.0, 0.8, 3.0, 0.2])
@program([0.5, 4.0])
def one_of_three_lists(a):
    lo, mid, hi = [], [], []
    for v in a:
        if v < 0:
            box = lo
        elif v < 1:
            box = mid
        else:
            box = hi
        box.append(v * v)
    return sum(lo) + 2 * sum(mid) ** 2 + 3 * sum(hi) ** 3


@program([1.0, -2.0, 3.0], True, static="up")
@program([0.5, 4.0], False, static="up")
def list_by_a_flag_read_and_changed(a, up):
    lo, hi = [0.5], [1.0]
    acc = hi if up else lo
    for v in a:
        acc.append(acc[-1] * v + v * v)
    return sum(lo) + 3 * sum(hi)


class Total:
    def __init__(self):
        self.total = 0.0
        self.count = 0

    def add(self, v):
        self.total += v
        self.count += 1


@program(list(MIXED))
@program([0.5, 4.0])
def one_of_two_objects(a):
    p, q = Total(), Total()
    for v in a:
        acc = p if v > 0 else q
        acc.add(v * v)
        acc.total *= 1.1
    return p.total * 2 + q.total * p.count


@dataclass
class Box:
    lo: list = field(default_factory=list)
    hi: list = field(default_factory=list)

    def put(self, v):
        side = self.lo if v < 1.0 else self.hi
        side.append(v)


@program(MIXED)
@program(np.array([0.5, 4.0]))
def one_of_two_lists_of_an_object(a):
    b = Box()
    for v in a:
        b.put(v * abs(v))
    return sum(b.lo) + 3 * sum(b.hi) ** 2


@program(np.array([1.5, -2.0, 3.0]))
@program(np.array([0.5, 4.0]))
def changed_in_many_ways(a):
    pos, neg = [a[0]], [a[1]]
    best = pos if a[0] > 1 else neg
    best.append(a[0] * a[1])
    best.append(2.0)
    best += [a[0]]
    for v in best:
        best[0] = best[0] * v
    return math.fsum(best) + sum(pos) * sum(neg)


@program(MIXED)
@program(np.array([0.5, 4.0]))
def taken_in_turns(a):
    """What is known of `dest` holds for both lists: `odd` is no empty list at the end."""
    even, odd = [], []
    dest = even
    for v in a:
        dest.append(v**2)
        dest = odd if dest is even else even
    return sum(even) + 3 * sum(odd) ** 2


@program(MIXED)
@program(np.array([0.5, 4.0]))
def taken_in_turns_by_a_count(a):
    even, odd = [], []
    dest = even
    for k, v in enumerate(a):
        dest.append(v**2)
        if k % 2:
            dest = even
        else:
            dest = odd
    return sum(even) + 3 * sum(odd) ** 2


@program(MIXED)
@program(np.array([0.5, 4.0]))
def first_one_then_the_other(a):
    first, others = [], []
    dest = first
    for v in a:
        dest.append(v**2)
        dest = others
    return sum(first) + 3 * sum(v * u for u, v in zip(others, a))


@program(MIXED)
@program(np.array([0.5, 4.0]))
def taken_in_turns_with_something_in_them(a):
    even, odd = [a[0]], [a[1]]
    dest = even
    for v in a:
        dest.append(v**2)
        dest = odd if dest is even else even
    return len(odd) * sum(even) + 3 * sum(v * v for v in odd)


@program(MIXED, 0.3)
@program(np.array([0.5, 4.0]), 1.3)
def dict_by_the_sign(a, x):
    pos, neg = {}, {"start": x}
    for k, v in enumerate(a):
        d = pos if v > 0 else neg
        d[k] = v * x
    return sum(pos.values()) + 3 * sum(v * v for v in neg.values())


@program(1.3, 0, static="i")
@program(1.3, 1, static="i")
def one_of_those_that_a_comprehension_leaves(x, i):
    a, b = [x], [x * 2]
    c = [v for v in (a, b) if len(v) == 1][i]
    c.append(x * x)
    return sum(a) + 3 * sum(b)
