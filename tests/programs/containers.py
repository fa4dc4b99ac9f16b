# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Tuples, named tuples, lists, dicts and dataclasses as inputs, in between and as results: read, never changed."""

import math
from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .corpus import program, sample

Point = namedtuple("Point", "x y")


class Layer(NamedTuple):
    weights: Any
    bias: Any
    name: str = "layer"


@dataclass
class Spring:
    stiffness: float
    damping: float = 0.1


@dataclass(frozen=True)
class Model:
    layers: tuple[Layer, ...]
    spring: Spring
    scale: float
    label: str = "model"
    steps: int = 3


@dataclass
class Table:
    rows: list[Any] = field(default_factory=list)
    index: dict[str, Any] = field(default_factory=dict)


@program((1.2, 0.7))
def tuple_input(p):
    return p[0] * p[1] + p[0]


@program((1.2, (0.7, sample(2)), 0.4))
def nested_tuple_input(p):
    a, (b, c), d = p
    return a * b * np.sum(c * c) + d * d


@program([1.2, 0.7, 0.4])
def list_input(v):
    return v[0] * v[1] + math.sin(v[2])


@program([[1.2, 0.7], [0.4, 0.9]])
def nested_list_input(a):
    return a[0][0] * a[1][1] - a[0][1] * a[1][0]


@program([1.2, 3, 0.5])
def list_of_mixed_numbers(v):
    return v[0] * v[1] * v[2]


@program({"w": sample(3), "b": 0.4})
def dict_input(p):
    return np.sum(np.tanh(p["w"] * 2 + p["b"]))


@program({"inner": {"w": sample(3), "b": 0.4}, "scale": (1.5, 2.5)})
def nested_dict_input(p):
    inner = p["inner"]
    return np.sum(inner["w"] * inner["b"]) * p["scale"][1] + p["scale"][0]


@program({1: 1.2, 2: 0.7, (0, 1): 0.4})
def dict_with_other_keys(p):
    return p[1] * p[2] + p[(0, 1)] ** 2


@program({"rate": 0.1, "steps": 3, "kind": "plain"}, 1.2, static="config.steps config.kind")
def configuration_dict(config, x):
    for _ in range(config["steps"]):
        x = x - config["rate"] * x * x
    return x if config["kind"] == "plain" else -x


@program(Point(1.2, 0.7))
def named_tuple_input(p):
    return p.x * p.y + p[0] + math.hypot(*p)


@program(Layer(sample(2, 3), sample(2, seed=1)), sample(3, seed=2))
def named_tuple_of_arrays(layer, x):
    return np.sum((layer.weights @ x + layer.bias) ** 2)


@program(Spring(4.0), 1.2)
def dataclass_input(spring, q):
    return spring.stiffness * q * q / 2 + spring.damping * q


@program(
    Model((Layer(sample(2, 3), sample(2, seed=1)), Layer(sample(1, 2, seed=2), 0.3)), Spring(4.0), 0.5),
    sample(3, seed=3),
    static="model.steps",
)
def nested_dataclass_input(model, x):
    for layer in model.layers:
        x = np.tanh(layer.weights @ x * model.scale + layer.bias)
    y = x[0]
    for _ in range(model.steps):
        y = y + model.spring.stiffness * y * 0.1
    return y * model.spring.damping


@program(Table([1.2, sample(2)], {"a": 0.4}))
def dataclass_of_containers(t):
    return t.rows[0] * np.sum(t.rows[1] ** 2) + t.index["a"] * t.rows[0]


@program([Point(1.2, 0.7), Point(0.4, 0.9), Point(0.1, 0.2)])
def list_of_named_tuples(points):
    area = 0.0
    for i in range(len(points)):
        p = points[i]
        q = points[i - 1]
        area += q.x * p.y - p.x * q.y
    return area * area


@program([(sample(2, 3), sample(2, seed=1)), (sample(1, 2, seed=2), sample(1, seed=3))], sample(3, seed=4))
def list_of_pairs_of_arrays(parameters, x):
    for w, b in parameters:
        x = np.tanh(w @ x + b)
    return x[0]


@program((1.2, "text", True, None, 0.7))
def tuple_with_other_things(p):
    if p[2] and p[3] is None and p[1] == "text":
        return p[0] * p[4]
    return p[0]


@program(([1.2, 0.7], 2.0))
def unused_parts_have_zero_partials(p):
    return p[0][1] * 3.0


@program({"used": 1.2, "unused": sample(2), "also": [0.5, (0.1,)]})
def unused_entries_have_zero_partials(p):
    return p["used"] ** 2


SHARED = sample(2)


@program([SHARED, SHARED, 1.5])
def same_array_twice_in_a_list(v):
    return np.sum(v[0] * v[1] ** 2) * v[2]


@program(1.2, 0.7)
def tuple_made_and_read(x, y):
    p = (x, y, x * y)
    q = (p, p[1:], 3.0)
    return q[0][2] * q[1][0] + q[2] * p[0]


@program(1.2, 0.7)
def list_made_and_read(x, y):
    v = [x, y, x * y]
    w = [v, [x]]
    return w[0][2] * v[1] + w[1][0] * len(v)


@program(1.2, 0.7)
def dict_made_and_read(x, y):
    d = {"a": x * y, "b": {"c": y}, "n": 3}
    return d["a"] * d["b"]["c"] * d["n"] + d["a"]


@program(1.2, 0.7)
def named_tuple_made_and_read(x, y):
    p = Point(x * y, y=x)
    q = Layer(p.x, p)
    return q.weights * q.bias.y + p.x


@program(1.2, 0.7)
def dataclass_made_and_read(x, y):
    s = Spring(x * y)
    t = Spring(damping=s.stiffness, stiffness=y)
    return s.stiffness * s.damping + t.damping * t.stiffness


@program(1.2, 0.7)
def containers_rebuilt_in_a_loop(x, y):
    state = (x, [y, 0.5])
    for i in range(3):
        q, rest = state
        state = (q + 0.1 * rest[0], [rest[0] - q * rest[1], rest[1] * 0.9])
    return state[0] * state[1][0] + state[1][1]


@program(1.2, 0.7)
def dataclass_rebuilt_in_a_loop(x, y):
    s = Spring(x, y)
    for i in range(3):
        s = Spring(s.stiffness * s.damping + i, s.damping * 0.9)
    return s.stiffness


def advance(state, h):
    return Point(state.x + h * state.y, state.y - h * math.sin(state.x))


@program(Point(1.2, 0.7), 0.1)
def named_tuple_through_helpers(state, h):
    for _ in range(4):
        state = advance(state, h)
    return state.x**2 + state.y


@program(1.2, 0.7)
@program(0.7, 1.2)
def container_by_branch(x, y):
    if x > y:
        p = (x * y, y)
    else:
        p = (y, x)
    return p[0] * p[1]


@program(1.2, 0.7)
def container_overwritten_while_read(x, y):
    p = (x, y)
    a = p[0]
    p = (p[1] * a, a)
    p = (p[1], p[0] * p[1])
    return p[0] * p[1] + a


@program((1.2, 0.7), (0.4, 0.9))
def unpacked_in_a_zip(a, b):
    s = 0.0
    for u, v in zip(a, b):
        s = s + u * v * v
    return s


@program({"a": 1.2, "b": 0.7})
def dict_iterated(p):
    s = 1.0
    for key in p:
        s = s * p[key] + 0.5
    for key, value in p.items():
        s = s + value * s if key == "a" else s * value
    for value in p.values():
        s = s + value * value
    return s


@program({"a": 1.2})
def dict_get_and_membership(p):
    s = p.get("a", 0.0) + p.get("missing", 3.0)
    if "missing" in p:
        s = s * 2
    return s * p["a"]


@program((1.2, 0.7, 0.4))
def sequence_minimum_and_maximum(v):
    return max(v) * min(v) + sum(v) * v[1]


@program(1.2, 0.7, vector=True)
def tuple_result(x, y):
    return x * y, x / y


@program(1.2, sample(2), vector=True)
def nested_result(x, v):
    return {"loss": x * np.sum(v), "parts": [v * x, (x, v * v)]}


@program(1.2, 0.7, vector=True)
def named_tuple_result(x, y):
    return Point(x * y, x - y)


@program(1.2, 0.7, vector=True)
def dataclass_result(x, y):
    return Spring(x * y, math.sin(x))


@program((1.2, 0.7), vector=True)
def container_returned_as_it_is(p):
    return p


@program([1.2, 0.7], vector=True)
def list_returned_with_its_parts(v):
    return v[0] * v[1], [v[1], v[0]]


@program(1.2, 0.7, vector=True)
def result_with_a_constant_part(x, y):
    return x * y, 3.0, np.ones(2)


@program(1.2, 0.7, vector=True)
def same_number_in_two_places(x, y):
    t = x * y
    return t, t, t * x


@program(0.526)
def largest_of_a_list_in_a_list_with_integers(y):
    xs = [np.sin(y), y]
    largest = [max(xs), 1.0, 2]
    return sum(largest) * min(xs)


@program(0.4, sample(3, 2))
def rows_against_rows(x, A):
    s = x
    for first in A:
        for second in A:
            t = second.sum()
            s = s + t * first[0]
    return s


_NAMES = ("a", "b", "c")


@program(sample(3))
@program(sample(5))
def parameters_by_name(theta):
    p = dict(zip(_NAMES, theta))
    return p["a"] * p["b"] + np.sin(p["c"])


@program(sample(3))
@program(sample(2))
def named_axes_as_far_as_there_are_some(position):
    total = 0.0
    for name, v in zip(("x", "y", "z"), position):
        total += v**2 * (2.0 if name == "y" else 1.0)
    return total


@program(sample(2))
@program(sample(4))
def values_of_parameters_by_name(theta):
    p = {name: v for name, v in zip("abc", theta)}
    q = {**p, "d": p["a"] * 2.0}
    return sum(v * v for v in q.values())


@program(0.4, 0.7)
def dict_of_pairs(x, y):
    p = dict([("x", x), ("y", x * y)])
    return p["x"] * p["y"]


@program(sample(2))
def values_changed_while_a_loop_runs_over_them(x):
    """A view of a dict shows what it holds by then; a list of it does not."""
    d = {"a": x[0], "b": x[1]}
    total = 0.0
    for name, v in d.items():
        total += v * v
        d["b"] = v * 5.0
    for k, v in enumerate(d.values()):
        total += v * v * k
        d["b"] = v * x[1]
    for letter, v in zip("xy", d.values()):
        total += v * (2.0 if letter == "y" else 1.0)
        d["b"] = v * x[0]
    for v in list(d.values()):
        total += v * v
        d["b"] = v * 5.0
    for v in (d["a"], 2, d["b"]):
        total += v * v
        d["b"] = v * x[0]
    return total + d["b"]


@program(sample(3))
def key_given_twice(x):
    """It stays where it comes first, with the value that comes last."""
    d = {"a": x[0], "b": x[2], "a": x[1]}
    e = dict([("a", x[0]), ("a", x[1])])
    return sum(v * (k + 1) for k, v in enumerate(d.values())) * e["a"]


@program(sample(4))
def defaults_that_take_items(x):
    """A default is evaluated whether it is needed or not."""
    items = list(x)
    d = {"a": x[0], "b": x[1]}
    v = d.get("a", items.pop())
    w = d.get("z", items.pop())
    p = d.pop("b", items.pop())
    return v * w * p + sum(items) + len(items)


@program(sample(4))
def defaults_that_take_items_from_a_table(x):
    items = [*x, *x]
    table = {}
    for k, v in enumerate(x):
        table[k % 2] = v
    a = items[-1] * table.get(0, items.pop()) + items[-1]
    b = table.get(7, items.pop())
    c = max([v for v in x if v > 0.1], default=items.pop())
    return a * b * c + sum(items) * len(items)


@program(sample(4))
def default_that_counts(x):
    calls = [0]

    def counted(v):
        calls[0] += 1
        return v * calls[0]

    d = {"a": x[0]}
    return d.get("a", counted(x[1])) + d.get("b", counted(x[2])) * calls[0]


Fields = namedtuple("Fields", "a b")


@program(sample(4))
def fields_in_the_order_of_the_call(x):
    items = list(x)
    p = Fields(x[0], x[1])._replace(b=items.pop(), a=items.pop())
    q = Fields(b=items.pop(), a=items.pop())
    return p.a - 2.0 * p.b + q.a**2 - 3.0 * q.b


@program(sample(4))
@program(np.array([0.4, 2.0, 0.3, 0.8]))
def comparison_that_ends_early(x):
    """What is compared last is not evaluated where the first comparison fails."""
    items = list(x)
    a = x[0] if -1.0 < x[1] < items.pop() else x[2]
    if 0.5 < x[0] < items.pop():
        a = a * x[1]
    while x[0] < a < items.pop():
        a = a + 1.0
    return a + sum(items) * len(items)


@program(sample(4))
def comparisons_in_a_comprehension(x):
    items = list(x)
    kept = [v for v in (0.1, 0.2, 3.0) if 0.1 < v < items.pop()]
    return sum(kept) * x[0] + sum(items) * len(items)
