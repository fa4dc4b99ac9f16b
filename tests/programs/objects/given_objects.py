# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Dataclasses given as arguments and changed, copies, and attributes reached by other ways than a dot."""

import enum
import math
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..corpus import program, sample


class Counter:
    step = 1.0

    def __init__(self, start=0.0):
        self.total = start
        self.calls = 0

    def add(self, v):
        self.total += v * self.step
        self.calls += 1
        return self

    def reset(self):
        old, self.total = self.total, 0.0
        return old


@dataclass
class Oscillator:
    k: float
    x: float
    v: float = 0.0

    def step(self, h):
        self.v -= h * self.k * self.x
        self.x += h * self.v


@dataclass
class Grid:
    u: Any
    dx: float = 0.5
    time: float = 0.0

    def advance(self, h):
        self.u[1:-1] += h / self.dx**2 * np.diff(self.u, 2)
        self.time += h


@dataclass
class Pair:
    left: Any
    right: Any


@dataclass
class Log:
    scale: float
    entries: list = field(default_factory=list)

    def __post_init__(self):
        self.double = 2 * self.scale

    def note(self, v):
        self.entries.append(v * self.double)


@dataclass
class Slots:
    __slots__ = ("a", "b")
    a: float
    b: float


@program(Oscillator(2.0, 1.2, 0.3), 0.1)
def dataclass_given_and_changed(o, h):
    for _ in range(4):
        o.step(h)
    return o.x * o.x + o.v


@program(Oscillator(2.0, 1.2, 0.3))
def fields_of_the_argument_assigned(o):
    o.x = o.v * o.k
    o.k += o.x**2
    return o.k * o.x * o.v


@program(Grid(sample(5)), 0.05)
def array_in_a_dataclass_changed(grid, h):
    for _ in range(3):
        grid.advance(h)
    return np.sum(grid.u**2) * grid.time


@program(Pair(Pair(1.2, 0.7), Oscillator(2.0, 0.4)))
def nested_dataclass_changed(p):
    p.right.x = p.left.left * p.left.right
    p.left = Pair(p.right.x, p.right.k)
    p.left.right *= p.right.x
    return p.left.left * p.left.right + p.right.x


@program(Pair(sample(2), sample(2, seed=1)))
def fields_swapped(p):
    p.left, p.right = p.right, p.left
    p.left[0] *= p.right[1]
    return np.sum(p.left**2) + np.sum(p.right)


@program(1.2, 0.7)
def same_object_in_two_fields(x, y):
    c = Counter(x)
    p = Pair(c, c)
    p.left.add(y)
    p.right.add(p.left.total)
    return p.left.total * y


@program(Oscillator(2.0, 1.2, 0.3))
def dataclass_replaced(o):
    q = replace(o, x=o.x * o.v)
    q.v = q.x + 1
    return q.x * q.v + o.x * o.v * q.k


@program(1.2)
def dataclass_with_post_init(x):
    log = Log(x)
    log.note(x * x)
    log.scale = 5.0
    log.note(log.entries[0])
    return sum(log.entries) * log.double


@program(Slots(1.2, 0.7))
def dataclass_with_slots(s):
    s.a = s.a * s.b
    t = Slots(s.a, s.b**2)
    t.b += s.a
    return t.a * t.b


@program(1.2, 0.7)
def namespace_object(x, y):
    s = SimpleNamespace(a=x, b=y)
    s.a = s.a * s.b
    s.c = s.a + 1
    return s.a * s.c


@program(1.2, "total")
def attributes_by_name(x, name):
    c = Counter(x)
    setattr(c, name, getattr(c, name) * x)
    setattr(c, "other", 2.0)
    return getattr(c, "total") * getattr(c, "missing", x) + c.other * hasattr(c, "other")


@program(1.2)
def attribute_deleted(x):
    c = Counter(x)
    c.step = x * 2
    c.add(x)
    del c.step
    c.add(x)
    return c.total


@program(1.2, 0.7)
def dict_of_the_object(x, y):
    c = Counter(x)
    c.__dict__["total"] = y * c.total
    vars(c)["w"] = c.total**2
    return c.w + sum(v for v in vars(c).values())


@program(1.2)
def object_captured_by_a_function(x):
    c = Counter(x)

    def feed(v):
        c.add(v * c.total)
        return c.total

    a = feed(x)
    return feed(a) * c.total


@program(1.2, 0.7)
def linked_list(x, y):
    head = None
    for v in (x, y, x * y):
        node = Counter(v)
        node.next = head
        head = node
    s, node, k = 0.0, head, 1
    while node is not None:
        s += k * node.total
        node.total = s
        node, k = node.next, k + 1
    return s * head.total * head.next.total


@program(1.2, 0.7)
def attribute_changed_under_a_condition(x, y):
    o = Oscillator(x, y)
    for i in range(6):
        if o.x > 0:
            o.v -= 0.4 * o.k
        else:
            o.x *= -0.5
            continue
        o.x += 0.3 * o.v
    return o.x * o.v + i


@program(1.2, vector=True)
def dataclass_made_changed_and_returned(x):
    o = Oscillator(x, x * x)
    o.step(0.1)
    o.step(0.1)
    return o


@program(Oscillator(2.0, 1.2, 0.3), vector=True)
def argument_changed_and_returned(o):
    o.step(0.2)
    return o


@program(1.2)
def method_kept_as_a_value(x):
    c = Counter(x)
    add = c.add
    for v in (x, 2.0, x * x):
        add(v)
    reset = Counter.reset
    return reset(c) * x + c.total


@dataclass
class Scaled:
    values: Any
    rate: float


@program([Scaled(sample(3), 0.5), Scaled(sample(3, seed=1), 1.5)], 1.2)
@program([Scaled(sample(3), 0.5), Scaled(sample(3, seed=1), 1.5)], 1.2, wrt="x")
def arrays_of_objects_in_a_list_updated(items, x):
    for k in range(2):
        for item in items:
            item.values[k] *= x
            item.values += item.rate
    return sum(np.sum(item.values**2) for item in items)


class Order(enum.IntEnum):
    FIRST = 1
    SECOND = 2


class Unit(enum.Enum):
    METRE = 1.0
    INCH = 0.0254


class Settings:
    rate = 3.0


SETTINGS = Settings()


@program(1.3, sample(3))
def members_of_enums(x, a):
    length = x * Unit.INCH.value + x**Order.SECOND
    return length * a[Order.FIRST] + Order.SECOND * x if Unit.METRE.name == "METRE" else x


@program(1.3)
def attribute_by_its_name(x):
    return x * getattr(SETTINGS, "rate") + getattr(math, "sin")(x)


@dataclass
class Disc:
    radius: float


@dataclass
class Frame:
    width: float
    height: float
    hole: Disc


def _area(shape):
    match shape:
        case Disc(radius=r):
            return math.pi * r**2
        case Frame(w, height=h, hole=Disc(r)):
            return w * h - math.pi * r**2
        case Pair(middle=t):  # it has none
            return 7.0 * t
        case Pair(left=a, right=b):
            return a * b
        case float(side):
            return side * side
        case _:
            raise TypeError


@program([Disc(0.7), Frame(3.0, 2.0, Disc(0.4)), Pair(1.2, 0.6), 1.5], 0.8)
def areas_by_the_class_of_shapes(shapes, power):
    return sum(_area(shape) ** power for shape in shapes)
