# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Objects with arrays, in a list that a loop goes through by name: their arrays are updated in place."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..corpus import program, sample


@dataclass
class Body:
    m: float
    pos: np.ndarray
    vel: np.ndarray


@dataclass
class Framed:
    body: Body
    w: float = 1.0
    f: np.ndarray = field(default_factory=lambda: np.zeros(2))


class Pair(NamedTuple):
    pos: np.ndarray
    vel: np.ndarray


@dataclass
class Gain:
    a: float = 2.0
    b: float = 3.0


@dataclass
class Gained:
    x: np.ndarray
    gain: Gain = field(default_factory=lambda: Gain(1.5))
    seen: list = field(default_factory=lambda: [1.0, 2.0])


@dataclass
class Scaled:
    x: np.ndarray
    gain: Gain = field(default_factory=Gain)
    s: float = field(default_factory=float)

    def __post_init__(self):
        self.gain.a = self.gain.a * self.x[0]


@program(sample(3, 2), sample(3, 2), 2, static="n")
def attraction_of_bodies(p, v, n):
    bodies = [Body(1.0 + k, p[k].copy(), v[k].copy()) for k in range(len(p))]
    for _ in range(n):
        for a in bodies:
            acc = np.zeros(2)
            for b in bodies:
                if b is not a:
                    d = b.pos - a.pos
                    acc += b.m * d / (d @ d + 0.1) ** 1.5
            a.vel += 0.1 * acc
        for a in bodies:
            a.pos += 0.1 * a.vel
    return sum(0.5 * b.m * (b.vel @ b.vel) for b in bodies)


@program(sample(2, 2), sample(2, 2), 2, static="n")
def bodies_written_out(p, v, n):
    bodies = [Body(1.0, p[0].copy(), v[0].copy()), Body(2.0, p[1].copy(), v[1].copy())]
    for _ in range(n):
        for a in bodies:
            a.vel += 0.1 * a.pos
    return sum(b.vel @ b.vel for b in bodies)


@program(sample(3, 2), sample(3, 2), 2, static="n")
def bodies_on_rows_of_the_arguments(p, v, n):
    bodies = [Body(1.0 + k, p[k], v[k]) for k in range(len(p))]
    for _ in range(n):
        for a in bodies:
            a.vel += 0.1 * a.pos
    return sum(b.vel @ b.vel for b in bodies) + np.sum(v * p)


@program(sample(2, 2), sample(2, 2), 2, static="n")
def bodies_with_one_array_in_common(p, v, n):
    q = p[0] * 2
    bodies = [Body(1.0, q, v[0].copy()), Body(2.0, q, v[1].copy())]
    for _ in range(n):
        for a in bodies:
            a.pos += 0.1 * a.vel
            a.vel += 0.1 * a.pos
    return sum(b.vel @ b.pos for b in bodies)


@program(sample(2, 2), sample(2, 2), 2, static="n")
def one_array_in_two_fields(p, v, n):
    q = p[0] * 2
    bodies = [Body(1.0, q, q), Body(2.0, p[1] * 1.0, v[1].copy())]
    for _ in range(n):
        for a in bodies:
            a.pos += 0.1 * a.vel
    return sum(b.vel @ b.pos for b in bodies)


@program(sample(3, 2), sample(3, 2), 2, static="n")
def bodies_within_objects(p, v, n):
    bodies = [Framed(Body(1.0 + k, p[k].copy(), v[k].copy())) for k in range(len(p))]
    for _ in range(n):
        for a in bodies:
            a.body.vel += 0.1 * a.body.pos * a.w
            a.f += a.body.vel
    return sum(b.f @ b.body.vel for b in bodies)


@program(sample(3, 2), sample(3, 2), 2, static="n")
def named_tuples_of_arrays(p, v, n):
    bodies = [Pair(p[k].copy(), v[k].copy()) for k in range(len(p))]
    for _ in range(n):
        for a in bodies:
            a.vel[:] += 0.1 * a.pos
            np.multiply(a.pos, a.vel, out=a.pos)
    return sum(b.vel @ b.pos for b in bodies)


@program(sample(3, 2), sample(3, 2), 2, static="n")
def bodies_bound_anew_and_updated(p, v, n):
    bodies = [Body(1.0 + k, p[k].copy(), v[k].copy()) for k in range(len(p))]
    for _ in range(n):
        for a in bodies:
            a.vel += 0.1 * a.pos
            a.pos = a.pos + a.vel
            if a.pos[0] > 1.0:
                a.vel *= -0.5
                a.vel = -a.vel
    return sum(b.vel @ b.pos for b in bodies)


@program(sample(3, 2), sample(3, 2), 2, static="n")
def bodies_that_join_later(p, v, n):
    bodies = [Body(1.0 + k, p[k].copy(), v[k].copy()) for k in range(len(p))]
    for t in range(n):
        bodies.append(Body(0.5, bodies[t].pos, bodies[t].vel.copy()))
        for a in bodies:
            a.pos += 0.1 * a.vel
    return sum(b.vel @ b.pos for b in bodies)


@program(sample(2, 2))
def fields_that_a_lambda_fills(p):
    a = Framed(Body(1.0, p[0], p[1]))
    b = Framed(Body(2.0, p[1], p[0]), w=p[0, 0])
    a.f += b.body.pos * b.w
    b.f += a.f
    return a.f @ b.f


@program(sample(2, 2))
def fields_with_objects_of_their_own(p):
    q, r = Gained(p[0]), Gained(p[1])
    q.gain.a *= r.x[0]
    r.seen.append(q.gain.a)
    q.seen[0] = r.x[1]
    return q.gain.a * r.gain.a * q.gain.b + sum(r.seen) * sum(q.seen)


@program(sample(2, 2))
def fields_that_a_class_fills(p):
    q, r = Scaled(p[0]), Scaled(p[1])
    return q.gain.a * r.gain.a * q.gain.b + q.s


class Parted:
    def __init__(self, x):
        self.x = x
        self.named = {"a": Held(1.0), "b": Held(3.0)}
        self.named["a"].v = x * 2
        self.listed = [Held(1.0), Held(2.0)]
        self.listed[1].a = x[0]
        self.listed[0].v *= x


@dataclass
class Held:
    a: float = 2.0
    v: np.ndarray = field(default_factory=lambda: np.ones(2))


@program(sample(2, 2))
def objects_made_of_what_does_not_vary_yet(p):
    q, r = Parted(p[0]), Parted(p[1])
    return q.listed[0].v @ r.named["a"].v + q.listed[1].a * r.listed[1].a + q.named["b"].a


@program(sample(2, 2))
def objects_of_their_own_in_a_list(p):
    xs = [Parted(p[k]) for k in range(2)]
    for c in xs:
        c.listed[0].v += c.named["a"].v * c.listed[1].a
    return sum(c.listed[0].v @ c.x for c in xs)
