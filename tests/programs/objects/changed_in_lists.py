# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Objects in lists, dicts and other objects that are changed in loops, under the names that loops give them."""

from dataclasses import dataclass, field

import numpy as np

from ..corpus import program, sample


@dataclass
class Body:
    pos: np.ndarray
    vel: np.ndarray
    mass: float

    def drift(self, dt):
        self.pos = self.pos + dt * self.vel

    def push(self, force, dt):
        self.vel += dt * force / self.mass


@dataclass
class System:
    bodies: list
    time: float = 0.0


class Cell:
    def __init__(self, level, rate):
        self.level = level
        self.rate = rate
        self.flow = 0.0 * level

    def fill(self, amount):
        self.flow = amount * self.rate
        self.level = self.level + self.flow


def bodies(n=3):
    rng = np.random.default_rng(n)
    return [Body(rng.normal(size=2), rng.normal(size=2), rng.uniform(0.5, 2.0)) for _ in range(n)]


@program(bodies())
def n_bodies(bodies):
    for _ in range(3):
        for i, b in enumerate(bodies):
            force = np.zeros(2)
            for j, o in enumerate(bodies):
                if i != j:
                    d = o.pos - b.pos
                    force += o.mass * d / (d @ d + 0.1)
            b.push(force, 0.1)
        for b in bodies:
            b.drift(0.1)
    return sum(0.5 * b.mass * (b.vel @ b.vel) for b in bodies)


@program(bodies())
def pairs_pushed_apart(bodies):
    for _ in range(2):
        for i in range(len(bodies)):
            for j in range(i + 1, len(bodies)):
                a, b = bodies[i], bodies[j]
                f = a.mass * b.mass * (a.pos - b.pos)
                a.vel = a.vel + f
                b.vel = b.vel - f
    return np.sum(bodies[0].vel * bodies[-1].vel)


@program(bodies())
def fields_set_by_index(bodies):
    for i in range(len(bodies)):
        bodies[i].pos = bodies[i].pos * bodies[i - 1].mass
        bodies[i].mass *= 2.0
    return np.sum(bodies[0].pos * bodies[1].pos) * bodies[2].mass


@program(bodies())
def arrays_updated_in_objects(bodies):
    for b in bodies:
        b.pos += b.vel
        b.vel *= b.pos
        b.pos[0] = b.mass * b.vel[1]
    return sum(b.pos @ b.vel for b in bodies)


@program(bodies())
def each_with_each(bodies):
    for b in bodies:
        for c in bodies:
            if b is not c:
                b.vel = b.vel + c.pos * c.mass
                c.mass = c.mass * 0.9
    return sum(b.vel @ b.vel * b.mass for b in bodies)


@program(bodies())
def two_items_by_name(bodies):
    first, last = bodies[0], bodies[-1]
    first.pos = first.pos + last.vel
    last.pos = last.pos * first.pos
    bodies[1].vel = first.pos
    return bodies[2].pos @ bodies[0].pos + np.sum(bodies[1].vel**2)


@program({"sun": bodies()[0], "moon": bodies()[1]})
def objects_in_a_dict(system):
    for name in ("sun", "moon"):
        b = system[name]
        b.pos = b.pos + 0.5 * b.vel
    return system["sun"].pos @ system["moon"].pos


@program(System(bodies()))
def object_of_objects(system):
    for _ in range(2):
        for b in system.bodies:
            b.drift(0.1)
        system.time += 0.1 * system.bodies[0].mass
    return system.bodies[0].pos @ system.bodies[1].pos * system.time


@program(sample(3), 0.7)
def cells_that_overflow(levels, rate):
    cells = [Cell(v, rate * k) for k, v in enumerate(levels)]
    for _ in range(2):
        for a, b in zip(cells, cells[1:]):
            a.fill(b.level)
            b.fill(a.flow)
    return sum(c.level * c.flow for c in cells)


@program(sample(4))
def one_of_two_is_chosen(x):
    a, b = Cell(x[0], x[1]), Cell(x[2], x[3])
    for k in range(4):
        c = a if x[k] > 0.5 else b
        c.fill(x[k] ** 2)
    return a.level * b.level + a.flow


@program(sample(3))
def object_in_two_lists(x):
    cells = [Cell(v, v * v) for v in x]
    full = [c for c in cells if c.level > 0.0]
    for c in full:
        c.fill(2.0)
    return sum(c.level for c in cells) * full[0].flow


@program(sample(3))
def taken_off_and_put_back(x):
    cells = [Cell(v, v * v) for v in x]
    for _ in range(4):
        c = cells.pop(0)
        c.fill(c.rate)
        cells.append(c)
    return cells[0].level * cells[1].level - cells[2].flow


@program(sample(3))
def exchanged_in_the_list(x):
    cells = [Cell(v, v * v) for v in x]
    cells[0], cells[2] = cells[2], cells[0]
    first = cells[0]
    for c in cells:
        c.fill(first.level)
    return first.level * cells[1].level + cells[2].flow


@program(bodies())
def left_at_the_first(bodies):
    for b in bodies:
        if b.mass > 10.0:
            continue
        b.pos = b.pos * b.mass
        if b.pos[0] > 0.0:
            break
    return sum(b.pos @ b.pos for b in bodies)


def kick(b, by):
    before = b.vel
    b.vel = b.vel * by
    return before


@program(bodies(), 1.3)
def changed_by_a_helper(bodies, by):
    total = 0.0
    for b in bodies:
        total += kick(b, by) @ b.vel
    return total


@program(sample(3))
def field_that_comes_later(x):
    cells = [Cell(v, v * v) for v in x]
    for c in cells:
        c.peak = c.level * c.rate
    for c in cells:
        c.fill(c.peak)
    return sum(c.level * c.peak for c in cells)


@program(bodies())
def raised_in_between(bodies):
    for b in bodies:
        try:
            b.pos = b.pos * 2.0
            if b.mass < 1.0:
                raise ValueError
            b.vel = b.pos * b.mass
        except ValueError:
            b.vel = b.vel + b.pos
    return sum(b.vel @ b.pos for b in bodies)


@program(1.2, 0.7)
def exchanged_while_one_has_a_name(s, t):
    lists = [[s], [2.0], [t]]
    named = lists[1]
    lists[0], lists[1] = lists[1], lists[0]
    named[0] = t * s
    return lists[0][0] * 2.0 + lists[1][0] * named[0]


@program(0.8)
def exchanged_in_each_iteration(s):
    cells = [Cell(s, 1.0), Cell(2.0, s), Cell(s * s, 0.5)]
    a, b = cells[0], cells[1]
    for i, a in enumerate(cells):
        cells[0], cells[1] = cells[1], cells[0]
    b.fill(a.level)
    return sum(c.level * (k + 1) for k, c in enumerate(cells))


class _Replaced:
    def __init__(self, p):
        self.p = p
        self.v = 1.0


@program(0.83)
def object_replaced_in_the_list_that_a_loop_goes_through(s):
    cells = [_Replaced(s), _Replaced(1.0)]
    for cell in cells:
        cells[1] = _Replaced(0.5 * s)
        cell.v = cell.p * 3.0  # of the object that was there, when it is the second one's turn
    return cells[1].v * cells[1].p + cells[0].v


@dataclass
class _Weighed:
    p: np.ndarray
    m: float


def _weighed(x, s):
    return [_Weighed(x.copy(), s), _Weighed(x * s, 2.0), _Weighed(x + s, s * s)]


@program(np.array([0.3, 0.5]), 0.7)
@program(np.array([0.3, 0.5]), 0.9)
@program(np.array([3.0, 5.0]), 1.7)
def loop_over_objects_left_early(x, s):
    bodies = _weighed(x, s)
    q = s
    for i, b in enumerate(bodies):
        q += b.m * np.sum(b.p)
        if q > 2.0:
            break
    return q + bodies[1].m * np.sum(bodies[1].p)


@program(np.array([0.3, 0.5]), 0.7)
@program(np.array([0.3, 0.5]), 1.7)
@program(np.array([0.3, 0.5]), -0.7)
def object_found_and_returned(x, s):
    for b in _weighed(x, s):
        if b.m > 1.0:
            return b.m * np.sum(b.p)
        b.m += s
    return s


@program(np.array([0.3, 0.5]), 0.7)
@program(np.array([3.0, 5.0]), 1.7)
def pairs_of_different_kinds_left_early(x, s):
    t = s
    for a, b in [(x, s), (s, x), (s, s)]:
        if np.sum(t) > 10.0:
            break
        t = t + np.sum(a * b)
    else:
        t = t * 2.0
    return t


@program(np.array([0.3, 0.5]), 0.7)
@program(np.array([0.3, 0.5]), 1.7)
def object_found_in_a_list_and_changed_behind_the_loop(x, s):
    bodies = _weighed(x, s)
    for b in bodies:
        if b.m > 1.0:
            break
    b.p = b.p * s
    return sum(np.sum(c.p) * c.m for c in bodies)
