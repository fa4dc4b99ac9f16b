# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Objects made in the function, whose attributes are read and written."""

import copy
from dataclasses import dataclass

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


class Particle:
    def __init__(self, x, v, mass=1.0):
        self.x = x
        self.v = v
        self.mass = mass

    def kick(self, force, h):
        self.v = self.v + h * force / self.mass

    def drift(self, h):
        self.x = self.x + h * self.v

    def energy(self):
        return 0.5 * self.mass * np.sum(self.v * self.v)


class Optimizer:
    def __init__(self, rate, n):
        self.rate = rate
        self.memory = np.zeros(n)
        self.history = []

    def update(self, w, g):
        self.memory *= 0.9
        self.memory += g
        self.history.append(np.sum(g * g))
        w -= self.rate * self.memory


@program(1.2, 0.7)
def attributes_set_from_outside(x, y):
    c = Counter()
    c.total = x * y
    c.extra = c.total + x
    c.total = c.extra**2
    return c.total * c.extra


@program(1.2, 0.7)
def attributes_augmented(x, y):
    p = Particle(x, y)
    p.x *= p.v
    p.v += p.x
    p.x /= p.v
    p.mass -= 0.1 * x
    return p.x * p.v * p.mass


@program(sample(4))
def state_changed_by_a_method(x):
    c = Counter(1.0)
    for v in x:
        c.add(v * c.total)
    return c.total * c.calls


@program(sample(4))
def methods_chained(x):
    c = Counter(x[0])
    c.add(x[1]).add(x[2] * c.total)
    s = c.reset()
    c.add(x[3] * s)
    return c.total * s


@program(1.2, 0.7)
def two_objects_of_one_class(x, y):
    a, b = Counter(x), Counter(y)
    a.add(b.total)
    b.add(a.total)
    a.step = 3.0
    a.add(b.total)
    return a.total * b.total


@program(1.2)
def two_names_for_one_object(x):
    a = Counter(x)
    b = a
    b.total = a.total**2
    a.add(x)
    return a.total * b.total


@program(1.2)
def copied_object(x):
    a = Counter(x)
    b = copy.copy(a)
    b.total = a.total**2
    a.add(x)
    return a.total * b.total


@program(sample(3))
def shallow_and_deep_copies(x):
    """A shallow copy shares the array, a deep one does not."""
    p = Particle(x * 1.0, x * x)
    q = copy.copy(p)
    r = copy.deepcopy(p)
    q.x[0] = 3.0 * x[1]
    q.v = q.v + 1.0
    p.x *= 2.0
    return np.sum(p.x * r.x) + np.sum(p.v * q.v)


@program(1.2)
def attribute_on_the_class(x):
    """Written through the object, the class keeps its own."""
    a, b = Counter(x), Counter(x)
    a.step = x
    a.add(2.0)
    b.add(2.0)
    return a.total * b.total * Counter.step


@program(sample(2), sample(2, seed=1), 0.1)
def particle_moved(x, v, h):
    p = Particle(x, v, 1.5)
    for _ in range(3):
        p.kick(-p.x, h)
        p.drift(h)
    return p.energy() + np.sum(p.x**2)


@program(sample(3), sample(3, seed=1))
def particles_in_a_list(x, v):
    particles = [Particle(a, b) for a, b in zip(x, v)]
    for _ in range(2):
        for i, p in enumerate(particles):
            for q in particles[:i]:
                pull = p.x - q.x
                p.kick(-pull, 0.1)
                q.kick(pull, 0.1)
        for p in particles:
            p.drift(0.1)
    return sum(p.energy() for p in particles) + particles[0].x ** 2


@program(sample(3), sample(3, seed=1), 0.1)
def optimizer_with_state(w, target, rate):
    w = w.copy()
    optimizer = Optimizer(rate, 3)
    for _ in range(3):
        optimizer.update(w, 2 * (w - target * w**2))
    return np.sum(w * w) + optimizer.history[0] * optimizer.history[-1]


class _Parts:
    def __init__(self, parts):
        self.parts = parts


@program(sample(3))
def parts_replaced_while_a_loop_runs_over_them(x):
    """The loop goes on with what it began with."""
    held = _Parts((x[0], np.ones(2) * x[1], 2.0))
    by_name = {"parts": (x[2], np.ones(2) * x[1], 3.0)}
    total = 0.0
    for v in held.parts:
        total += np.sum(v * v)
        held.parts = (1.0, 2.0, 3.0)
    for k, v in enumerate(by_name["parts"]):
        total += np.sum(v * v) * k
        by_name["parts"] = (1.0, 2.0, 3.0)
    for name, v in zip(("a", "b"), held.parts):
        total += v * x[0] if name == "a" else v * x[1]
    return total


class Noted:
    def __init__(self, rate, note):
        self.rate = rate
        self.note = note


def _grown(noted, x):
    total = 0.0
    for k in range(3):
        if x > k:
            total = total + noted.rate * x
    return total


def _grown_often(noted, x):
    total = _grown(noted, x)
    for k in range(2):
        total = total + _grown(noted, x + k)
    return total


@program(1.7, 0.4)
def attributes_that_are_no_numbers_given_to_functions(x, rate):
    text, names = Noted(rate, str(round(2.5)) + "b"), Noted(rate * x, {"a", "b"})
    return sum([_grown_often(noted, x) + _grown(noted, x) for noted in (text, names)])


EDGES, MIDDLES = [0.0, 1.0, 2.0], [0.5, 1.5]


class Ruler:
    def __init__(self, marks, unit):
        self.marks = marks
        self.unit = unit

    def long(self, x):
        return self.marks[0][1] * x + self.marks[1][1] * self.unit


@program(1.3, 0.7)
def fields_beside_lists_from_outside(x, u):
    return Ruler((EDGES, MIDDLES), u).long(x) * Ruler([EDGES, MIDDLES], x).unit


class Layer:
    def __init__(self, weight):
        self.weight = weight

    def __call__(self, x):
        return np.tanh(self.weight * x)


@dataclass(frozen=True)
class Net:
    first: object
    second: object


@program(1.3, 0.7)
def fields_that_are_called(x, w):
    net = Net(Layer(w), Layer(x))
    return net.first(x) * net.second(w)


class Stepped:
    def __init__(self, v):
        self.v = v

    def step(self, k):
        self.v = self.v * k
        return self.v


@program(1.3)
def attribute_that_what_is_added_sets(x):
    """The old number is read before the call."""
    a = Stepped(x)
    a.v += a.step(2.0)
    return a.v


@program(sample(2))
def array_of_an_attribute_that_what_is_added_sets(x):
    """The old array is changed, and takes its place again."""
    a = Stepped(x * x)
    a.v += a.step(2.0)
    return np.sum(a.v)


@program(sample(2), 0.7)
def array_of_a_key_that_what_is_added_sets(x, s):
    r = {"v": x * x}

    def change():
        r["v"] = r["v"] * 3.0
        return s

    r["v"] += change()
    return np.sum(r["v"] * r["v"])


def _bumped(a):
    a[0] = 2.0 * a[1]
    return a[1]


@program(sample(2))
def item_of_an_attribute_that_what_is_added_sets(x):
    r = Stepped(x * x)
    r.v[0] += _bumped(r.v)
    return r.v[0] * r.v[1]
