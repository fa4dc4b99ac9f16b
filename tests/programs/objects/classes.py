# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Properties, class and static methods, inheritance, calls, and classes made inside the function."""

import abc
import enum
import functools
import itertools
import math
from dataclasses import dataclass

import numpy as np

from ..corpus import program, sample


class Circle:
    def __init__(self, r):
        self._r = r
        self.reads = 0

    @property
    def r(self):
        self.reads += 1
        return self._r

    @r.setter
    def r(self, value):
        self._r = 0.4 * value * value

    @property
    def area(self):
        return math.pi * self._r**2

    @functools.cached_property
    def length(self):
        return 2 * math.pi * self._r

    @classmethod
    def of_area(cls, a):
        return cls(math.sqrt(a / math.pi))

    @staticmethod
    def ratio(a, b):
        return a.area / b.area


class Shape(abc.ABC):
    def __init__(self, size):
        self.size = size

    @abc.abstractmethod
    def area(self): ...

    def scaled(self, s):
        return type(self)(self.size * s)

    def cost(self):
        return self.area() * 2.0 + self.extra()

    def extra(self):
        return 0.0


class Square(Shape):
    def area(self):
        return self.size**2


class Disc(Shape):
    factor = 3.0

    def area(self):
        return self.factor * self.size**2

    def extra(self):
        return super().extra() + self.size


class Ring(Disc):
    def __init__(self, size, hole=0.3):
        super().__init__(size)
        self.hole = hole * size

    def area(self):
        return super().area() - self.factor * self.hole**2


class Left:
    def go(self, x):
        return [x]


class A(Left):
    def go(self, x):
        return super().go(x * 2) + [x]


class B(Left):
    def go(self, x):
        return super().go(x + 1) + [x * x]


class C(A, B):
    def go(self, x):
        return super().go(x * x)


class Kind(enum.Enum):
    LINEAR = 1
    CUBIC = 3

    def apply(self, x):
        return x**self.value


@dataclass
class Layer:
    w: np.ndarray
    b: float

    def __call__(self, x):
        return np.tanh(self.w @ x + self.b)


@dataclass
class Network:
    layers: list

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def __iter__(self):
        return iter(self.layers)

    def __len__(self):
        return len(self.layers)

    def loss(self, x, y):
        return np.sum((self(x) - y) ** 2) + 0.01 * sum(layer.b**2 for layer in self)


class Squash:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return np.tanh(self.w @ x)


SQUASH = Squash(np.array([[0.5, -0.3], [0.2, 0.4]]))


@program(np.array([0.3, -0.7]))
def object_from_outside_that_is_called(x):
    return np.sum(SQUASH(SQUASH(x)) ** 2)


@program(1.2)
def property_read_and_set(x):
    c = Circle(x)
    a = c.area
    c.r = c.r * 1.5
    c.r += 0.1
    return a * c.area * c.reads


@program(1.2)
def cached_property_keeps_its_first_value(x):
    c = Circle(x)
    a = c.length
    c.r = 2.0
    return a * c.length * c.area


@program(1.2)
def class_and_static_methods(x):
    c = Circle.of_area(x * 3)
    d = Circle(x)
    return Circle.ratio(c, d) * d.area + c.ratio(d, c) * c.r


@program(1.2)
def inherited_methods(x):
    return Square(x).cost() + Disc(x).cost() * Ring(x).cost() + Ring(x, 0.5).extra()


@program(1.2)
def shapes_in_a_list(x):
    shapes = [Square(x), Disc(x * x), Ring(x, hole=0.2)]
    total = 0.0
    for s in shapes:
        if isinstance(s, Disc):
            s.factor = 3.1
        total += s.scaled(x).area()
    return total


@program(1.2)
def diamond_of_classes(x):
    v = C().go(x)
    return v[0] * v[1] + v[2]


@program(1.2, Kind.CUBIC)
@program(1.2, Kind.LINEAR)
def method_of_an_enum(x, kind):
    return kind.apply(x) * x + Kind["CUBIC"].apply(2 * x) * (kind is Kind.LINEAR)


@program(Network([Layer(sample(3, 2), 0.1), Layer(sample(1, 3, seed=1), -0.2)]), sample(2, seed=2), 0.3)
def network_of_callable_objects(network, x, y):
    return network.loss(x, y) * len(network)


@program(Network([Layer(sample(2, 2), 0.1), Layer(sample(2, 2, seed=1), -0.2)]), sample(2, seed=2))
def network_trained_a_step(network, x):
    y = network(x)
    for layer in network:
        layer.w -= 0.1 * np.outer(y, x)
        layer.b += 0.1 * y[0]
    return network.loss(x, y)


@program(1.2)
def local_class_with_captures(x):
    scale = x * x

    class Scaled:
        offset = scale + 1

        def __init__(self, v):
            self.v = v * scale

        def value(self):
            return self.v + self.offset * x

    scale = 3.0
    return Scaled(x).value() * Scaled.offset


@program(1.2)
def call_of_an_object_with_memory(x):
    class Filter:
        def __init__(self, a):
            self.a, self.y = a, 0.0

        def __call__(self, v):
            self.y = self.a * v + (1 - self.a) * self.y
            return self.y

    f = Filter(0.3)
    return sum(f(x * k) * k for k in range(1, 5)) * f.y


@program(1.2, 0.7)
def fluent_interface(x, y):
    class Query:
        def __init__(self, values):
            self.values = values

        def map(self, f):
            return Query([f(v) for v in self.values])

        def keep(self, test):
            return Query([v for v in self.values if test(v)])

        def total(self):
            return sum(self.values)

    return Query([x, y, x * y]).map(lambda v: v * v).keep(lambda v: v < 1.0).map(math.exp).total()


@program(1.2)
def iterator_class(x):
    class Countdown:
        def __init__(self, n, value):
            self.n, self.value = n, value

        def __iter__(self):
            return self

        def __next__(self):
            if self.n == 0:
                raise StopIteration
            self.n -= 1
            self.value *= x
            return self.value

    c = Countdown(3, 1.0)
    return sum(c) * c.value


class Momentum:
    def __init__(self, rate):
        self.rate = rate
        self.state = {}

    def step(self, params, grads):
        for name, p in params.items():
            m, v, t = self.state.get(name, (0.0, 0.0, 0))
            t += 1
            m = 0.9 * m + 0.1 * grads[name]
            v = 0.99 * v + 0.01 * grads[name] ** 2
            self.state[name] = (m, v, t)
            params[name] = p - self.rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.99**t)) + 1e-3)


class Descent:
    def __init__(self, params):
        self.velocity = {k: 0.0 for k in params}
        self.params = params

    def step(self, grads):
        for k in self.params:
            self.velocity[k] = 0.9 * self.velocity[k] + grads[k]
            self.params[k] = self.params[k] - 0.1 * self.velocity[k]


@program(1.0, 2.0, 0.1)
@program(0.5, -1.0, 0.05)
def state_of_an_optimizer_by_name(a, b, rate):
    optimizer = Momentum(rate)
    params = {"a": a, "b": b}
    for _ in range(3):
        optimizer.step(params, {"a": 2 * params["a"], "b": 4 * params["b"] ** 3})
    return params["a"] ** 2 + params["b"] ** 2


@program(1.0, 2.0)
@program(0.5, -1.0)
def optimizer_that_holds_what_it_changes(a, b):
    params = {"a": a, "b": b}
    optimizer = Descent(params)
    for _ in range(3):
        optimizer.step({"a": 2 * params["a"], "b": params["a"] * params["b"]})
    return params["a"] ** 2 + params["b"] ** 2


@program(sample(2), sample(2, seed=1))
@program(np.array([0.5, -1.0, 0.2]), np.array([1.0, 0.3, 0.1]))
def pairs_of_numbered_rows(p, q):
    ps = [p * 1.0, q * 2.0, p + q]
    forces = [np.zeros(len(p)) for _ in ps]
    for (i, u), (j, v) in itertools.combinations(enumerate(ps), 2):
        d = (u - v) / (1.0 + np.sum((u - v) ** 2))
        forces[i] += d
        forces[j] -= d * 2
    return sum(np.sum(f * r) for f, r in zip(forces, ps))


class Plate:
    def __init__(self, width, height):
        self.width = width
        self.height = height

    @property
    def area(self):
        return self.width * self.height

    @property
    def count(self):
        return len(self.width)


@program(sample(3), 0.5)
def property_that_does_not_vary(x, b):
    plate = Plate(x, b)
    return np.sum(plate.area**2) * plate.count
