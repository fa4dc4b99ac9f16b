# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Iterators and views of dicts under names of their own, given to functions, and advanced by `next`."""

import enum
import itertools
import math

import numpy as np

from .corpus import program, sample


@program([1.0, 2.0, 3.0], [2.0, 3.0, 4.0])
@program([0.5, 4.0], [1.0, 1.5])
def zip_run_over_later(a, b):
    pairs = zip(a, b)
    total = 0.0
    for u, v in pairs:
        total += u * v**2
    return total


@program(sample(4))
@program(np.array([0.5, 4.0]))
def zip_used_in_one_branch_or_the_other(a):
    pairs = zip(a[:-1], a[1:])
    if a[0] > 0.7:
        return sum(u * v for u, v in pairs)
    return sum(u - v * v for u, v in pairs)


@program([1.0, 2.0, 3.0])
@program([0.5, 4.0])
def reversed_enumerated_and_mapped(a):
    coefficients = reversed(a)
    squares = map(lambda t: t * t, a)
    positive = filter(lambda t: t > 0.7, a)
    numbered = enumerate(a, 1)
    r = 0.0
    for c in coefficients:
        r = r * 1.5 + c * c
    for k, v in numbered:
        r += v**k
    for s in positive:
        r *= s
    return r + sum(squares)


@program([1.5, -2.0, 3.0, 4.0])
@program([0.5, 4.0])
def one_name_for_three_things(a):
    vals = map(math.exp, a)
    vals = list(vals)
    vals = reversed(vals)
    s = 0.0
    for v in vals:
        s = s * 0.5 + v
    return s


@program([1.5, -2.0, 3.0, 4.0])
@program([0.5, 4.0])
def nothing_left_the_second_time(a):
    squares = (v * v for v in a)
    first = sum(squares)
    second = sum(squares)
    return first * 2 + second + 1.0


@program([1.5, -2.0, 3.0, 4.0])
@program([0.5, 4.0])
def list_changed_before_it_is_run_over(a):
    b = list(a)
    squares = (v * v for v in b)
    b[0] = b[1] * 3.0
    b.append(1.0)
    return sum(squares) * a[0]


@program([1.5, -2.0, 3.0, 4.0])
@program([0.5, 4.0])
def names_set_anew_before_it_is_run_over(a):
    k = 2.0
    b = a
    scaled = map(lambda t: t * k, b)
    b = [1.0]
    k = a[0]
    return sum(scaled) * b[0]


def mean(values):
    total = 0.0
    n = 0
    for v in values:
        total += v
        n += 1
    return total / n


def rms(values):
    values = list(values)
    return math.sqrt(sum(v * v for v in values) / len(values))


def first_above(values, level):
    for v in values:
        if v > level:
            return v
    return level


@program([1.0, 2.0, 3.0])
@program([0.5, 4.0])
def generators_given_to_functions(a):
    return mean(v * v for v in a) + rms(v * v for v in a) * rms(a)


@program([1.5, -2.0, 3.0, 4.0])
@program([0.5, 4.0])
def iterators_given_to_functions(a):
    return first_above((v * v for v in a), 5.0) + first_above(map(math.exp, a), 1.0) * mean(reversed(a))


def positive(values):
    return (v for v in values if v > 0)


def squares_of(values):
    return (v * v for v in values)


@program([1.5, -2.0, 3.0, 4.0])
@program([0.5, 4.0])
def functions_that_return_generators(a):
    return sum(squares_of(positive(a))) * mean(squares_of(a))


@program([1.0, 2.0, 3.0])
@program([0.5, 4.0])
def next_of_a_new_iterator(xs):
    first = next(iter(xs))
    return sum(v * first for v in xs) + next(reversed(xs)) ** 2 + next(zip(xs, xs[1:]))[1]


@program({"a": 1.0, "b": 2.0})
@program({"u": 3.0})
def first_of_a_dict(d):
    k = next(iter(d))
    return sum(v * next(iter(d.values())) for v in d.values()) + d[k] ** 2


@program(sample(3))
@program(np.array([0.5, 4.0]))
def first_of_a_dict_that_was_filled(xs):
    d = {}
    for k in range(len(xs)):
        d[k * 2 + 1] = xs[k] ** 2
    key, value = next(iter(d.items()))
    return value * d[next(iter(d))] * key


@program([1.5, -2.0, 3.0, 4.0])
@program([0.5, -4.0])
@program([0.5, 4.0])
def left_and_gone_on_with(a):
    it = iter(a)
    s = 0.0
    for v in it:
        s += v
        if v < 0:
            break
    for v in it:
        s += v**2
    return s


@program([1.5, -2.0, 3.0, 4.0])
@program([0.5, -4.0])
@program([0.5, 4.0, 1.0])
def two_at_a_time_with_a_default(a):
    it = iter(a)
    s = 0.0
    while True:
        v = next(it, None)
        if v is None:
            break
        w = next(it, 1.0)
        s += v * w**2
    return s


@program([1.5, -2.0, 3.0, 4.0])
@program([0.5, -4.0])
def two_at_a_time_in_the_loop(a):
    it = iter(a)
    s = 0.0
    for v in it:
        s += v * next(it)
    return s


@program([1.5, -2.0, 3.0], raises=StopIteration)
def an_item_is_missing(a):
    it = iter(a)
    s = 0.0
    for v in it:
        s += v * next(it)
    return s


@program([1.5, -2.0, 3.0, 4.0])
@program([0.5, -4.0])
def end_caught(a):
    it = iter(a)
    s = 0.0
    while True:
        try:
            v = next(it)
        except StopIteration:
            break
        s += v**2
    return s


@program([1.5, -2.0, 3.0, 4.0])
@program([0.5, -4.0])
def named_in_the_test(a):
    it = iter(a)
    s = 0.0
    while (v := next(it, None)) is not None:
        s += v**3
    return s


@program(sample(3), sample(3, seed=1))
@program(np.array([0.5, -4.0]), np.array([1.0, 2.0]))
def first_pair_and_the_others(a, b):
    pairs = zip(a, b)
    u0, v0 = next(pairs)
    s = u0 * v0
    for u, v in pairs:
        s += (u - u0) * (v - v0) ** 2
        u0, v0 = u, v
    return s


@program(sample(3))
@program(np.array([0.5, -4.0]))
def first_of_a_generator_and_the_others(a):
    squares = (v * v for v in a)
    grown = map(math.exp, a)
    first = next(squares)
    s = first * next(grown)
    for v in squares:
        s = s * 0.5 + v * first
    return s + sum(grown)


def product_of_two(it):
    return next(it) * next(it)


@program([1.5, 2.0, 3.0, 1.0])
@program([0.5, 4.0])
def advanced_by_a_function(a):
    it = iter(a)
    s = 0.0
    for k in range(len(a) // 2):
        s += product_of_two(it) * (k + 1)
    return s


@program([1.5, 2.0, 3.0, 1.0])
@program([0.5, 4.0])
def some_and_the_rest(a):
    it = iter(a)
    head = [next(it) for _ in range(2)]
    tail = list(it)
    return head[0] * head[1] + sum(tail) ** 2


@program(sample(3))
@program(np.array([0.5, 4.0]))
def values_that_follow_a_dict(a):
    """A view shows what the dict holds by the time it is run over."""
    d = {}
    for k in range(len(a)):
        d[k] = a[k] ** 2
    values, items = d.values(), d.items()
    d[0] = d[0] * 3.0
    d[17] = a[0]
    s = 0.0
    for k, v in items:
        s += v * (k + 1)
    return s * sum(values)


@program(sample(2))
@program(np.array([0.5, 4.0]))
def view_of_a_dict_with_known_keys(a):
    d = {"x": a[0], "y": a[1]}
    items = d.items()
    names = d.keys()
    d["x"] = d["x"] * 3.0
    s = 0.0
    for k, v in items:
        s += v * v
    for k in names:
        s += d[k] ** 3
    return s * len(names)


@program({"x": 1.0, "y": 3.0})
@program({"z": 2.0})
def values_of_a_given_dict(d):
    total = 0.0
    values = d.values()
    average = sum(values) / len(values)
    for v in values:
        total += (v - average) ** 2
    return total + average


@program([1.5, -2.0], ["u", "v"])
@program([0.5, 4.0], ["k", "l"])
def dict_of_names_and_values(a, names):
    d = dict(zip(names, a))
    e = {}
    for name, v in zip(names, a):
        e[name] = v * v
    return sum(d[k] ** 2 * e[k] for k in names)


@program(sample(2))
@program(np.array([0.5, 4.0]))
def dict_of_pairs(x):
    p = dict((k, v * v) for k, v in enumerate(x))
    return p[0] * p[1] + p[0]


class Weight(enum.Enum):
    LIGHT = 1.0
    HEAVY = 2.5

    def of(self, x):
        return self.value * x


class Axis(enum.IntEnum):
    X = 0
    Y = 1


@program(1.2)
@program(0.7)
def members_of_an_enumeration(x):
    s = 1.0
    for w in Weight:
        s *= w.of(x)
    by_member = {w: w.value * x for w in Weight}
    return s + sum(w.value * x**2 for w in Weight) + by_member[Weight.HEAVY] ** 2


@program(sample(2))
@program(np.array([0.5, 4.0]))
def members_as_indices(x):
    s = 0.0
    for axis in Axis:
        s += x[axis] * (axis + 1)
    return s + x[Axis.Y] ** 2


@program(sample(3))
@program(np.array([0.5, 4.0]))
def values_given_to_a_function_that_changes_the_dict(x):
    d = {}
    for i in range(len(x)):
        d[i] = x[i] * x[i]

    def average(values):
        d[0] = 7.0 * x[0]
        return sum(values) / len(values)

    return average(d.values()) + mean(d.values()) * mean(v * k for k, v in d.items())


def iterates(x, a):
    while True:
        yield x
        x = 0.5 * (x + a / x)


def halvings(x, n):
    for _ in range(n):
        x = x / 2 + 1
        yield x


def powers_down(x, k):
    while k != 0:
        yield x**k
        k -= 1


def squares_in_turn(ws):
    for w in ws:
        yield w * w


@program(2.0, 3.0)
@program(5.0, 1.0)
def generator_advanced_three_times(x, a):
    it = iterates(x, a)
    next(it)
    first = next(it)
    second = next(it)
    return second * first


@program(2.0, 3.0)
@program(5.0, 1.0)
def generator_advanced_until_close(x, a):
    it = iterates(x, a)
    old = next(it)
    new = next(it)
    while abs(new - old) > 1e-3:
        old, new = new, next(it)
    return new * old


@program(1.2, 5, static="n")
@program(0.7, 0, static="n")
def generator_advanced_in_a_loop(x, n):
    def steps():
        y = x
        while True:
            y = math.cos(y) * x
            yield y

    g = steps()
    total = 0.0
    for _ in range(n):
        total += next(g)
    return total + x


@program(2.0, 3.0)
@program(1.0, 2.0)
def two_generators_one_in_the_other_s_loop(a, b):
    g, h = halvings(a, 4), iterates(a, b)
    s = 0.0
    for v in g:
        s += v * next(h)
    return s


@program(2.0)
@program(1.5)
def generator_stays_at_its_end(x):
    g, h = powers_down(x, 2), powers_down(x, 3)
    s = next(h)
    for i in range(5):
        s += next(g, x) * (i + 1)
    for v in h:
        s += v * x
    return s + next(h, 1.0) + next(h, x)


@program([1.0, 2.0, 3.0])
@program([0.5, 0.1, 1.0, 2.0])
def generator_over_a_list_advanced_and_used_up(ws):
    g = squares_in_turn(ws)
    a = next(g)
    return a * next(g) + sum(g)


@program(2.0, 4, static="n")
@program(0.5, 2, static="n")
def some_of_an_endless_generator(x, n):
    def fibonacci():
        a, b = x, 1.0
        while True:
            yield a
            a, b = b, a + b * x

    g = fibonacci()
    return sum(v**2 for v in itertools.islice(iterates(x, 3.0), n)) + sum(next(g) * k for k in range(n))


@program([1.0, 2.0, 3.0, 0.5, 1.5])
@program([0.5, 4.0])
def enumerated_what_is_left_and_left_early(a):
    it = iter(a)
    s = next(it)
    for k, v in enumerate(it, 1):
        if k == 1:
            s += next(it, 2.0) * v
            continue
        s += k * v**2
        if k == 3:
            break
    return s + sum(it)


@program([1.0, 2.0, 3.0, 0.5, 1.5], 2.0)
@program([0.5, 4.0], 1.5)
def taken_until_it_fails_and_the_rest(a, w):
    it = iter(a)
    low = [v for v in itertools.takewhile(lambda v: v < 2.5, it)]
    return sum(low) * w + sum(v**2 for v in it)


@program([1.0, 2.0, 3.0])
@program([0.5, 4.0])
def asked_for_more_than_there_is_in_a_try(a):
    try:
        it = iter(a[:3])
        s = next(it) * next(it)
        s *= next(it)
    except StopIteration:
        s = a[0] ** 2
    return s


@program([1.0, 2.0, 3.0], 0.7)
@program([0.5, 4.0, 1.0], 1.7)
def added_to_while_an_iterator_is_under_way(a, w):
    xs = [v * w for v in a]
    it = iter(xs)
    s = next(it)
    xs.append(w * 7.0)
    done = [v for v in a]
    backwards = reversed(done)
    s += sum(k * v for k, v in enumerate(backwards, 1))
    done.append(w)
    return s**2 + sum(it) + sum(done)


@program([1.0, 2.0, 3.0], -1, raises=ValueError, static="k")
@program([1.0, 2.0, 3.0], 2, static="k")
@program([1.0, 2.0, 3.0], 0, static="k")
def first_items_as_many_as_the_run_says(xs, k):
    return sum(v * v for v in itertools.islice(xs, k)) * xs[0]


@program([1.0, 2.0, 3.0], 1, None, 1, static="k stop step")
@program([1.0, 2.0, 3.0], 0, 3, 2, static="k stop step")
@program([1.0, 2.0, 3.0], 1, -1, 1, raises=ValueError, static="k stop step")
@program([1.0, 2.0, 3.0], 1, 2, -1, raises=ValueError, static="k stop step")
def items_between_what_the_run_says(xs, k, stop, step):
    return sum(v * v for v in itertools.islice(xs, k, stop, step)) * xs[0]
