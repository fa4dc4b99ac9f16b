# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Copies of objects."""

import copy
import dataclasses
from dataclasses import dataclass, field

import numpy as np

from ..corpus import program, sample


class _State:
    def __init__(self, p, v):
        self.p = p
        self.v = v

    def moved(self, dt):
        new = copy.copy(self)
        new.p = self.p + dt * self.v
        new.v = self.v * (1.0 - dt)
        return new


@program(0.3, 1.5)
def copy_with_numbers_changed(p, v):
    first = _State(p, v)
    second = copy.copy(first)
    second.v = second.v * p
    return first.v * second.v + first.p


@program(sample(3), sample(3))
def copies_share_their_arrays(p, v):
    first = _State(p * 1.0, v * 1.0)
    second = copy.copy(first)
    second.p *= 2.0
    second.v = second.v + 1.0
    return np.sum(first.p * first.v) + np.sum(second.p * second.v)


@program(0.3, 1.5)
def deep_copy_of_numbers(p, v):
    first = _State(p, v)
    second = copy.deepcopy(first)
    second.p *= first.v
    first.v = p * p
    return first.v * second.p + second.v


@program(0.3, 1.5, 4, static="n")
def steps_make_new_states(p, v, n):
    s = _State(p, v)
    for _ in range(n):
        s = s.moved(0.1)
    return s.p * s.v


@dataclass
class _Options:
    rate: float
    steps: int = 3


@program(0.3, 1.5)
def copy_of_a_dataclass(x, rate):
    options = _Options(rate)
    other = copy.copy(options)
    other.rate *= x
    return other.rate * options.rate * other.steps


@dataclasses.dataclass
class Cell:
    level: float
    gain: float = 1.0
    history: list = dataclasses.field(default_factory=list)

    def moved(self, by):
        self.history.append(self.level)
        self.level += by * self.gain

    @property
    def energy(self):
        return 0.5 * self.level**2 + sum(h * self.gain for h in self.history)

    @classmethod
    def of(cls, x):
        return cls(x[0], gain=x[1])


@program(sample(6))
def object_of_a_class_method_with_a_list_that_grows(x):
    cell = Cell.of(x)
    for by in x[2:]:
        cell.moved(by)
    return cell.energy * cell.level


@program(sample(6))
def object_with_a_list_that_methods_grow(x):
    cell = Cell(x[0], gain=x[1])
    for by in x[2:]:
        cell.moved(by)
    return cell.energy


@program(sample(6))
def deep_copy_of_an_object_with_a_list(x):
    one = Cell(x[0], gain=x[1])
    one.history.append(x[2])
    other = copy.deepcopy(one)
    other.history.append(other.level * other.gain)
    other.level *= 2
    return other.level * one.level + sum(other.history) * len(one.history)


@program(sample(6))
def deep_copy_of_an_object_after_a_loop(x):
    one = Cell(x[0], gain=x[1])
    for v in x:
        one.history.append(v * v)
    other = copy.deepcopy(one)
    other.history[0] = other.level * other.gain
    return other.energy * one.history[0]


@program(sample(3))
def deep_copy_of_a_table(x):
    grid = [[x[i] * x[j] for i in range(3)] for j in range(3)]
    for _ in range(2):
        new = copy.deepcopy(grid)
        for i in range(1, 3):
            for j in range(1, 3):
                new[i][j] = 0.5 * grid[i - 1][j] + grid[i][j - 1] * grid[i][j]
        grid = new
    return sum(map(sum, grid))


@program(sample(4))
def deep_copy_of_two_arrays(x):
    first = _State(2.0 * x, x**2)
    second = copy.deepcopy(first)
    second.p[0] = first.v[1]
    second.v *= 2.0
    first.v[2] = 0.5
    return np.sum(first.p * first.v) + np.sum(second.p**2 * second.v)


class _Body:
    def __init__(self, state, mass):
        self.state = state
        self.mass = mass


@program(sample(4), 0.7)
def deep_copy_of_an_object_with_an_object(x, m):
    body = _Body(_State(2.0 * x, x**2), m)
    other = copy.deepcopy(body)
    other.state.p[0] = other.mass * body.state.v[1]
    other.state.v *= other.mass
    other.mass = x[0]
    return np.sum(body.state.p**2) * body.mass + np.sum(other.state.p**2 * other.state.v) * other.mass


@program(sample(5))
def best_state_kept(x):
    body = _Body(1.0 * x, _State(x[0], x[1]))
    best = copy.deepcopy(body)
    for i in range(4):
        body.state[i] = body.state[i + 1] * body.mass.p
        body.mass.p = body.mass.p * 0.9
        if np.sum(body.state) > np.sum(best.state):
            best = copy.deepcopy(body)
    return np.sum(best.state**2) * best.mass.p


@dataclass
class _Pair:
    a: np.ndarray
    b: np.ndarray


@program(sample(6))
def arrays_of_a_new_object_changed_in_place(x):
    a, b = 2.0 * x, x**2
    pair = _Pair(a, b)
    for i in range(3):
        pair.a[i] = pair.b[i] * a[i + 1]
        b[i + 1] += a[i]
    swapped = _Pair(pair.b, pair.a[2:])
    swapped.a[0] *= 2.0
    swapped.b[1] = swapped.a[3]
    return np.sum(pair.a**2 * pair.b) + np.sum(a * b) + np.sum(swapped.b)


@dataclass
class Weight:
    v: float


@program(1.1)
def constants_in_a_list_that_are_set(x):
    weights = [Weight(1.0), Weight(2.0)]
    for weight in weights:
        weight.v = x * weight.v
    return weights[0].v * weights[1].v


@dataclass
class Tank:
    x: np.ndarray
    s: float


@program(sample(2), 0.5)
def number_of_a_copy_that_is_added_to(x, s):
    tank = Tank(x * 2.0, s)
    other = copy.copy(tank)
    other.s += x[0]
    return tank.s + 3.0 * other.s * tank.x[1]


@program(sample(2), 0.5)
def number_of_what_it_was_replaced_from(x, s):
    tank = Tank(x * 2.0, s)
    other = dataclasses.replace(tank)
    other.s += x[0]
    tank.s *= x[1]
    return tank.s * other.s


@program(sample(2), 0.5)
def history_of_copies(x, s):
    tank, history = Tank(x * 2.0, s), []
    for k in range(3):
        history.append(copy.copy(tank))
        tank.s += x[0] * k
    return sum(h.s * (i + 1) for i, h in enumerate(history))


@program(Tank(sample(2), 0.4), 0.5)
def old_and_new_state(tank, k):
    old = copy.copy(tank)
    tank.s += k
    tank.x = tank.x * k
    return (tank.s - old.s) ** 2 + tank.x @ old.x


@program(sample(2), 0.5, 1.2)
def name_added_to_a_field_of_objects_in_a_list(x, s, t):
    tanks, u = [Tank(x * 2.0, t), Tank(x * 1.0, s)], 0.0
    for tank in tanks:
        u += tank.s * tank.s
        tank.s += s
    return u + sum(tank.s * tank.x[0] for tank in tanks)


@program(sample(2), 0.5, 1.2)
def name_added_to_a_field(x, s, t):
    tank = Tank(x * 2.0, t)
    other = Tank(tank.x, tank.s)
    tank.s += s
    return other.s + tank.s * 2.0


@program(sample(2), 0.5, 1.2)
def names_added_between_copies(x, s, t):
    state = _State(x * 2.0, t)
    states = [_State(state.p, state.v)]
    state.v += s
    states.append(_State(state.p, state.v))
    state.v += t
    return states[0].v + 2.0 * states[1].v + 3.0 * state.v


@dataclass
class Journal:
    s: float
    entries: list = field(default_factory=list)


@program(0.7, 0.3)
def entries_of_a_copy(s, u):
    journal = Journal(s)
    other = copy.copy(journal)
    other.entries.append(u)
    return sum(journal.entries) * s


@program(0.7, 0.3)
def entries_of_two_journals(s, u):
    journal = Journal(s)
    other = Journal(s * s, journal.entries)
    other.s += s
    other.entries.append(u * other.s)
    return sum(journal.entries) * s + other.s
