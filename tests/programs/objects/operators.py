# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Classes with operators of their own: arithmetic, comparison, iteration, item access."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..corpus import program, sample


class Vec:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Vec(self.x - other.x, self.y - other.y)

    def __mul__(self, s):
        if isinstance(s, Vec):
            return self.x * s.x + self.y * s.y
        return Vec(self.x * s, self.y * s)

    def __rmul__(self, s):
        return self * s

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def __iadd__(self, other):
        self.x += other.x
        self.y += other.y
        return self

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __iter__(self):
        yield self.x
        yield self.y

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __len__(self):
        return 2

    def __lt__(self, other):
        return abs(self) < abs(other)

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __matmul__(self, other):
        return self.x * other.y - self.y * other.x


@dataclass(frozen=True)
class Dual:
    value: float
    slope: float = 0.0

    def __add__(self, other):
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other):
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)

    def sin(self):
        return Dual(math.sin(self.value), math.cos(self.value) * self.slope)


class Interval:
    def __init__(self, lo, hi):
        self.lo, self.hi = lo, hi

    def __contains__(self, v):
        return self.lo <= v <= self.hi

    def __bool__(self):
        return self.lo < self.hi

    def __call__(self, t):
        return self.lo + t * (self.hi - self.lo)

    def __truediv__(self, s):
        return Interval(self.lo / s, self.hi / s)

    def __or__(self, other):
        return Interval(min(self.lo, other.lo), max(self.hi, other.hi))


class Table:
    def __init__(self):
        self.data = {}

    def __setitem__(self, key, value):
        self.data[key] = value * 2

    def __getitem__(self, key):
        return self.data[key]

    def __contains__(self, key):
        return key in self.data

    def __missing__(self, key):
        return 0.0

    def __delitem__(self, key):
        self.data.pop(key)


@program(1.2, 0.7)
def arithmetic_of_vectors(x, y):
    a = Vec(x, y)
    b = 2.0 * a - Vec(y, 1.0) + a * x
    return b * a + abs(-b) + a @ b


@program(1.2, 0.7)
def vector_augmented_in_place(x, y):
    """`+=` changes the object that both names hold."""
    a = Vec(x, y)
    b = a
    a += Vec(y, x * x)
    c = a
    a = a + b
    return a * b + c.x


@program(1.2, 0.7)
def vector_unpacked_and_indexed(x, y):
    a = Vec(x, y)
    p, q = a
    return p * a[1] + q * a[-2] + sum(v * v for v in a) * len(a)


@program(1.2, 0.7)
def vectors_compared_and_sorted(x, y):
    vs = [Vec(x, y), Vec(y, y), Vec(x * 2, 0.1)]
    vs.sort()
    s = max(vs).x * min(vs).y
    return s * vs[1].y if vs[0] == min(vs) else s


@program(1.2)
def sum_of_vectors(x):
    vs = [Vec(x * k, k - x) for k in range(3)]
    s = sum(vs, Vec(0.0, 1.0))
    return s.x * s.y


@program(1.2)
def dual_numbers_inside(x):
    """A differentiator inside the program: its operators are ordinary code."""
    d = Dual(x, 1.0)
    y = d * d + (d * Dual(2.0)).sin()
    return y.slope * y.value


@program(1.2, 0.4)
def interval_operators(a, b):
    i = Interval(b, a) | Interval(b * b, a / 2)
    j = i / 2.0
    s = i(0.3) if 1.0 in i else 0.0
    return s * j.hi if j else -s


@program(1.2)
def item_access_of_a_table(x):
    t = Table()
    t["a"] = x
    t["b"] = t["a"] * x
    t["a"] = t["b"] + t["a"]
    s = t["a"]
    del t["a"]
    return s * t["b"] if "a" not in t else 0.0


@program(1.2)
def item_augmented_through_methods(x):
    """`t["a"] += 1` reads, adds and writes through the class's own methods, which double."""
    t = Table()
    t["a"] = x
    t["a"] += 1.0
    t["a"] *= x
    return t["a"]


class Track:
    def __init__(self, points):
        self.points = points

    def __getitem__(self, key):
        part = self.points[key]
        return part * np.cos(part)

    def __setitem__(self, key, value):
        self.points[key] = value * 2.0


@program(sample(5))
def slices_of_an_object(x):
    track = Track(x * x)
    return np.sum(track[1:3] * x[0]) + np.sum(track[::2])


@program(sample(3, 4))
def slices_along_axes_of_an_object(x):
    track = Track(x * x)
    track[1:, 0] = np.sin(x[:2, 1])
    return np.sum(track[:2, 0] * x[0, :2]) + np.sum(track[..., 1])
class Arrow(NamedTuple):
    """A named tuple with operators of its own: `+` of two is another, where that of tuples is a longer one."""

    x: float
    y: float

    def __add__(self, other):
        return Arrow(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Arrow(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __neg__(self):
        return Arrow(-self.x, -self.y)

    def __abs__(self):
        return math.hypot(*self)

    def dot(self, other):
        return self.x * other.x + self.y * other.y

    @property
    def area(self):
        return self.x * self.y


@program(Arrow(0.3, 0.2), Arrow(0.5, 0.1), 2)
@program(Arrow(0.3, 0.2), Arrow(0.5, 0.1), 2.5)
def operators_of_a_named_tuple(p, q, k):
    return (p + q).x + (p * k)[1] * p.y


@program(0.3, 0.5)
def methods_of_a_named_tuple(a, b):
    c = Arrow(a, b) + Arrow(b, 1.0)
    d = c * 2.0
    e = 3.0 * d
    return c.x + d.dot(e) + abs(-e) + e.area


class Length:
    def __init__(self, m):
        self.m = m

    def __mul__(self, other):
        if isinstance(other, (int, float)):
            return Length(self.m * other)
        return NotImplemented

    def __rmul__(self, other):
        return Length(other * self.m)

    def __lt__(self, other):
        if isinstance(other, Length):
            return self.m < other.m
        return NotImplemented


class Width:
    def __init__(self, m):
        self.m = m

    def __rmul__(self, other):
        return self.m * other.m

    def __gt__(self, other):
        return self.m > other.m


@program(1.5, 2.0)
def left_method_that_hands_over(a, b):
    area = Length(a) * Width(b) + (Length(a) * 2.0).m + (3.0 * Length(b)).m
    return area * 2.0 if Length(a) < Width(b) else area


class Part:
    def __init__(self, a):
        self.a = a
        self.asked = 0

    def __mul__(self, other):
        return self.a * other.a

    def __rmul__(self, other):
        return 10.0 * self.a * other.a

    def __lt__(self, other):
        return self.a < other.a

    def __gt__(self, other):
        return self.a > other.a

    def __add__(self, other):
        return NotImplemented

    def __radd__(self, other):
        return 3.0 * self.a

    def __sub__(self, other):
        self.asked += 1
        return NotImplemented


class Heir(Part):
    def __rmul__(self, other):
        return 7.0 * self.a * other.a

    def __gt__(self, other):
        return False


class PlainHeir(Part):
    pass


class Counting:
    def __init__(self, a):
        self.a = a

    def __rsub__(self, other):
        return (other.a - self.a) * other.asked


@program(1.5)
def heir_on_the_right_is_asked_first(x):
    y = Part(x) * Heir(2 * x) + Part(x) * PlainHeir(2 * x) - Heir(x) * Part(2 * x)
    y = y * 2.0 if Part(x) < Heir(3 * x) else y * x
    return y * x if Part(x) < PlainHeir(3 * x) else y


@program(1.5, raises=TypeError)
def sum_that_neither_of_one_class_takes(x):
    return Part(x) + Part(x)


@program(1.5)
def method_that_counts_before_it_hands_over(x):
    return Part(x) - Counting(3 * x)


class _Pairlike:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __iter__(self):
        yield self.x
        yield self.y


class _Holding:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return iter(self.items)


@program(0.7, -1.2)
def objects_taken_apart(a, b):
    x, y = _Pairlike(a, b * a)
    first, *rest = _Holding([a, b, x * y])
    return x * y * first + rest[0] * rest[1]


@program(0.7, -1.2, raises=ValueError)
def an_object_with_too_few_items(a, b):
    x, y, z = _Pairlike(a, b)
    return x * y * z
