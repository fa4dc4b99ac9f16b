# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Objects of ordinary classes and dataclasses in lists, and dataclasses whose constructors do more than set fields."""

import abc
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ..corpus import program, sample


class Layer:
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def __call__(self, t):
        return np.sum(self.w) * t + self.b


class Term(abc.ABC):
    def __init__(self, k):
        self.k = k

    @abc.abstractmethod
    def __call__(self, t): ...


class Line(Term):
    def __call__(self, t):
        return self.k * t


@dataclass(frozen=True)
class Checked:
    k: float
    m: float

    def __post_init__(self):
        if self.k < -10.0 or not self.m > 0:
            raise ValueError("out of range")

    @property
    def ratio(self):
        return self.k / self.m


@dataclass
class Derived:
    a: float
    c: float = field(init=False)
    b: float = 2.0

    def __post_init__(self):
        self.c = self.a * self.b


@dataclass
class Own:
    a: float
    b: float

    def __init__(self, a, b):
        self.a = a * 2
        self.b = b + 1


@dataclass
class Pair:
    w: np.ndarray
    b: float


@program(sample(2), 0.8)
def called_one_after_the_other(x, s):
    q = s
    layers = [Layer(x * k, s) for k in range(1, 4)]
    for layer in layers:
        q = layer(q) * 0.3
    return q


@program(sample(3), 0.8)
def terms_kept_in_a_list(x, s):
    terms = [Line(k) for k in x]
    q = s
    for g in terms:
        q = g(q) + 0.1 * g.k
    for g in reversed(terms):
        q = q * 0.5 + g(s)
    return q


@program(sample(2), 0.8)
def appended_in_a_loop(x, s):
    layers = []
    for k in range(3):
        layers.append(Layer(x * k, s))
    return layers[0](s) * layers[-1](s)


@program(sample(2), 0.8)
def some_at_first_and_more_later(x, s):
    layers = [Layer(x, s), Layer(x * x, s * s)]
    for i in range(3):
        layers.append(Layer(layers[i].w * 2.0, s))
    q = 0.0
    for p in layers:
        q = q + np.sum(p.w) * p.b * s
    return q


@program(sample(2), 0.8)
def beside_indices_and_others(x, s):
    pairs = [Pair(x * k, s * k) for k in range(1, 4)]
    q = 0.0
    for i, p in enumerate(pairs):
        q += np.sum(p.w**2) * p.b * i
    for p, k in zip(pairs, (1.0, s, 2.0)):
        q += p.b * k
    return q


@program([Pair(np.array([0.3, 0.5]), 1.0), Pair(np.array([0.7, -0.2]), 2.0)], 0.8)
def pairs_given(pairs, s):
    q = 0.0
    for p in pairs:
        q += np.sum(np.tanh(p.w)) * p.b * s
    return q


@program([{"w": 1.0, "b": 2.0}, {"w": 0.3, "b": 0.2}], 0.8)
def dicts_given(settings, s):
    return sum(d["w"] * d["b"] ** 2 * s for d in settings)


@program(Checked(1.0, 2.0), 0.8)
def checked_by_its_constructor(p, s):
    return -p.k * p.ratio * s - p.m


@program([Checked(1.0, 2.0), Checked(0.5, 0.7)], 0.8)
def several_checked(ps, s):
    return -sum(p.ratio * p.m * s for p in ps)


@program(sample(3), 0.8)
def checked_and_made_in_a_loop(x, s):
    made = [Checked(k * s, s * s + 1.0) for k in x]
    return sum(p.ratio * p.k for p in made)


@program(Derived(1.2, 0.7), 0.8)
def field_in_the_middle_is_derived(p, s):
    return p.a * p.b**2 * p.c**3 * s


@program([Derived(1.2, 0.7), Derived(0.4, 0.9)], 0.8)
def derived_fields_in_a_list(ps, s):
    return sum(p.a * p.b**2 * p.c**3 for p in ps) * s


@program(0.8)
def derived_fields_made_in_a_loop(s):
    made = [Derived(s * k, s * 2) for k in range(1, 4)]
    t = 0.0
    for p in made:
        t = t + p.a * p.b**2 * p.c**3
    return t


@program(sample(3), 0.8)
def constructor_of_its_own(x, s):
    made = [Own(k * s, s) for k in x]
    return sum(p.a * p.b for p in made)


@program(Checked(1.0, 2.0), 0.8)
def one_field_replaced(p, s):
    q = replace(p, k=p.k * s)
    return q.k * q.m * q.ratio


@program(sample(3))
def one_put_in_place_of_another(x):
    ps = [Checked(v, v * v + 1.0) for v in x]
    ps[1] = replace(ps[0], k=ps[2].k * 2)
    return sum(p.k * p.m for p in ps)


@program(sample(3))
def each_put_in_its_own_place(x):
    ps = [Checked(v, v * v + 1.0) for v in x]
    for i in range(len(ps)):
        ps[i] = replace(ps[i], k=ps[i].k * ps[i].m)
    return sum(p.k * p.m * i for i, p in enumerate(ps))


@program(sample(3))
def turned_round_and_one_more(x):
    ps = [Layer(v * x, v * v) for v in x]
    ps = ps[::-1] + [ps[0]]
    return sum(np.sum(p.w) * p.b * i for i, p in enumerate(ps))


@program(sample(3))
def objects_within_objects(x):
    pairs = [Pair(Checked(v, v * v + 1.0), v) for v in x]
    pairs[0] = Pair(pairs[1].w, pairs[2].b * 2)
    return sum(p.w.k * p.w.m * p.b for p in pairs)


@program(sample(3))
def inserted_and_taken_off(x):
    ps = [Checked(v, v * v + 1.0) for v in x]
    ps.insert(1, Checked(ps[0].k, ps[2].k ** 2 + 1.0))
    q = ps.pop(0)
    ps.append(q)
    return sum(p.ratio * i for i, p in enumerate(ps))


class Couple(NamedTuple):
    a: float
    b: float

    def __lt__(self, other):
        return self.b < other.b


class Weighted(NamedTuple):
    pair: Couple
    w: float


class Lump(NamedTuple):
    mass: np.ndarray
    scale: float


@program([Couple(1.0, 3.0), Couple(2.0, 1.0)], 1, static="k")
def fields_of_named_tuples(ps, k):
    s = ps[0].a * 3
    for p in ps:
        s += p.b * p[0]
    return s + ps[k].b


@program(0.3, 3, static="n")
def named_tuples_made_in_a_loop(x, n):
    ps = []
    for i in range(n):
        ps.append(Couple(x * i, x * x))
    return max(ps, key=lambda p: p.a).b * ps[n - 1].a + sum(p.a for p in ps)


@program([Lump(np.array([1.0, 3.0]), 0.3), Lump(np.array([1.5, 2.0]), 0.5)], 1, static="k")
def arrays_of_named_tuples_changed(ps, k):
    s = 0.0
    for p in ps:
        p.mass[0] *= p.scale
        s += np.sum(p.mass) * ps[k].scale
    return s + np.sum(ps[k].mass ** 2)


@program([Weighted(Couple(0.3, 0.4), 0.5)], 0.7)
def named_tuples_in_named_tuples(qs, x):
    qs.append(Weighted(Couple(x, x * x), qs[0].w))
    return sum(q.pair.a * q.w + q.pair.b ** 2 for q in qs) + qs[-1].pair.b + qs[0].pair[0]


@program(Couple(1.0, 3.0), Couple(2.0, 1.0))
def named_tuples_sorted(p, q):
    s = sorted([p, q])
    return s[0].a * 3 + (p.a if p < q else q.a * 2)


class Linear:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def __call__(self, x):
        return x @ self.w + self.b


class Net:
    def __init__(self, *layers):
        self.layers = list(layers)

    def __call__(self, x):
        for k, layer in enumerate(self.layers):
            x = layer(x) if k == 0 else layer(np.tanh(x))
        return x


@program([sample(2, 3), sample(3, 2)], [sample(3), sample(2)], sample(2))
@program([sample(2, 2)], [sample(2)], sample(3, 2))
def net_of_as_many_layers_as_given(weights, biases, x):
    net = Net(*(Linear(w, b) for w, b in zip(weights, biases)))
    return np.mean(net(x) ** 2) + 0.1 * sum(np.sum(layer.w**2) for layer in net.layers)


class Tagged(NamedTuple):
    c: float
    tag: str = "C"

    def hotter(self, d):
        return self._replace(c=self.c + d)


@program([Tagged(1.0), Tagged(2.0, "F")], 0.5)
@program([Tagged(3)], 0.5)
def named_tuples_with_a_text_replaced(temperatures, d):
    hotter = [t.hotter(d * k) for k, t in enumerate(temperatures, 1)]
    return sum(t.c * t.c * (2 if t.tag == "F" else 1) for t in hotter) * d


@dataclass
class Edge:
    length: float
    label: str = "edge"
    beside: object = None


@dataclass
class Outline:
    edges: list = field(default_factory=list)


@program([1.5, 2.0, 0.5], vector=True)
def objects_in_a_list_returned(xs):
    return [Edge(x * x) for x in xs]


@program(Edge(1.5), 3, static="n", vector=True)
def objects_of_a_loop_returned_in_an_object(edge, n):
    outline = Outline()
    for i in range(n):
        outline.edges.append(Edge(edge.length * (i + 1), beside=None))
    return outline


@program([Edge(1.5), Edge(0.5)], Edge(0.7, label="new"), vector=True)
def objects_of_a_list_handed_on(edges, edge):
    return {"new": [edge, *edges], "last": edges[-1].length * edge.length}


@program(Outline(), Edge(1.5), wrt="edge", vector=True)
def an_object_appended_to_an_empty_list_of_another_object(outline, edge):
    outline.edges.append(edge)
    return outline


@program(Outline(), Edge(1.5), 3, wrt="edge", static="n")
def objects_read_from_a_list_that_was_empty_in_an_object(outline, edge, n):
    for i in range(n):
        outline.edges.append(Edge(edge.length * (i + 1)))
    return sum(e.length**2 for e in outline.edges)
