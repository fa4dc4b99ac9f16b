# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Items that are made as they are asked for, while a loop, a list or another iterator changes what they are made of."""

import functools
import itertools

import numpy as np

from .corpus import program, sample

X = sample(3, low=-1.0)


class Moving:
    def __init__(self, v):
        self.v = v

    def step(self, t):
        self.v = self.v * t + 1
        return self.v

    def seen(self, t):
        return self.v * t


@program(X)
def a_list_extended_by_what_counts_it(x):
    xs = [x[0], x[1]]
    xs.extend(map(lambda v: v * len(xs), x))
    return xs[2] + xs[3] * xs[4]


@program(X)
def a_list_extended_by_what_reads_its_end(x):
    xs = [x[0], x[1]]
    xs.extend(xs[-1] * v for v in x)

    def step(v):
        return v * xs[-1]

    xs.extend(map(step, x))
    return xs[2] + xs[3] * xs[4] + xs[-1]


@program(X, 3, static="n")
def a_list_extended_in_a_loop_by_what_counts_it(x, n):
    xs = [x[0], x[1]]
    for _ in range(n):
        xs.extend(v * len(xs) for v in x)
    return xs[2] + xs[3] * xs[4] + xs[-1]


@program(X)
def a_list_that_grows_by_what_counts_it(x):
    xs = [x[0], x[1]]
    xs += map(lambda v: v * len(xs), x)
    xs += (v * xs[-2] for v in x)
    return xs[2] + xs[3] * xs[4] + xs[-1]


@program(X)
def a_list_extended_by_another_name_of_it(x):
    xs = [x[0], x[1], x[2]]
    ys = xs
    xs.extend(v * ys[-1] for v in x)
    held = [xs, 3]
    xs.extend(map(lambda v: v * held[0][-1], x))
    return xs[2] + xs[3] * xs[4] + xs[-1]


def of_the_last(xs, v):
    return v * xs[-1]


@program(X)
def a_list_extended_by_a_partial_of_it(x):
    xs = [x[0], x[1], x[2]]
    xs.extend(map(functools.partial(of_the_last, xs), x))
    xs.extend(map(of_the_last, [xs, xs, xs], x))
    return xs[2] + xs[3] * xs[4] + xs[-1]


@program(X)
def a_list_of_an_object_extended_by_its_method(x):
    m = Moving([x[0], x[1]])
    m.v.extend(map(lambda t: t * len(m.v), x))
    return m.v[2] + m.v[3] * m.v[4]


@program(X)
def a_list_extended_by_a_local_generator(x):
    xs = [x[0], x[1]]

    def made():
        for v in x:
            yield v * xs[-1]

    xs.extend(made())
    return xs[2] + xs[3] * xs[4]


@program(X)
def a_list_extended_by_what_passes_a_test_of_it(x):
    xs = [x[0], -2.0]
    xs.extend(filter(lambda v: v > xs[-1], x))
    return sum(v * v * (k + 1) for k, v in enumerate(xs))


@program(X)
def a_dict_updated_by_what_reads_it(x):
    d = {0: x[0], 1: x[1], 2: x[2]}
    d.update((k, d[(k + 1) % 3] * 2) for k in range(3))
    return d[0] * d[1] + d[2]


@program(X)
def an_array_set_by_numbered_items_of_it(x):
    a = x * 1.0
    for k, v in enumerate(a[k - 1] * 2 for k in range(3)):
        a[k] = v
    return a[0] * a[1] + a[2] ** 2


@program(X)
def an_array_set_by_items_of_it_beside_places(x):
    a = x * 1.0
    for k, v in zip(range(3), (2 * r for r in a)):
        a[k - 2] = v
    for k, v in zip(range(3), map(lambda k: a[k - 1] * x[0], range(3))):
        a[k] = v
    return a[0] * a[1] + a[2] ** 2


@program(X)
def a_sum_that_its_items_read(x):
    s = x[0]
    for k, r in enumerate(s * v for v in x):
        s = s + r * k + r
    for k, r in enumerate(map(lambda v: s * v, x), 2):
        s = s + r * k
    t = 0.0
    for k, r in zip((s * v for v in x), [1.0, 2.0, 3.0]):
        s = s + r * k
        t += s
    return t


@program(X)
def items_of_items_that_a_loop_changes(x):
    m = Moving(x[0])
    s = 0.0
    for i, (a, b) in enumerate(zip(x, (m.step(t) for t in x)), 1):
        s += a * b * m.v * i
    for i, a in enumerate(map(m.seen, (m.step(t) for t in x))):
        m.v = m.v * a
        s += a * i
    for i, a in enumerate(map(lambda p, q: p * q * m.v, x, x[::-1])):
        m.v = m.v * a
        s += a * m.v * i
    return s


@program(X)
def a_sum_of_numbered_steps(x):
    m = Moving(x[0])
    return sum(a * m.v * k for k, a in enumerate(map(m.step, x))) + m.v


@program(X)
def numbered_steps_that_are_left(x):
    m = Moving(x[0])
    s = t = 0.0
    for k, t in enumerate(map(m.step, x)):
        if k == 1:
            break
        s += t * m.v
    return m.v * s + t


@program(X)
def whether_any_step_is_large(x):
    m = Moving(x[0])
    large = any(t > 0.5 for t in map(m.step, x))
    return m.v * x[0] + large


@program(X)
def pairs_of_steps(x):
    m = Moving(x[0])
    return [a * b for a, b in zip((m.step(t) for t in x), map(m.step, x))][0]


@program(X)
def running_sums_of_what_is_set(x):
    a = x * 1.0
    for k, v in enumerate(itertools.accumulate(a)):
        a[(k + 1) % 3] = v
    return a[0] * a[1] + a[2] ** 2


@program(X)
def numbered_items_that_pass_a_changing_test(x):
    a = x * 1.0
    for k, v in enumerate(filter(lambda p: p > a[0] - 2.0, a)):
        a[0] += v
        a[k] *= v
    return a[0] * a[1] + a[2] ** 2


@program(X)
def steps_reduced_by_what_they_change(x):
    m = Moving(x[0])
    return functools.reduce(lambda a, b: a + b * m.v, map(m.step, x))


@program(X)
def the_largest_step_by_what_it_changes(x):
    m = Moving(x[0])
    return max(map(m.step, x), key=lambda t: t * m.v)


@program(X)
def the_first_steps(x):
    m = Moving(x[0])
    first = list(itertools.islice(map(m.step, x), 2))
    return first[0] * m.v


@program(X)
def steps_beside_fewer_numbers(x):
    m = Moving(x[0])
    r = list(zip(map(m.step, x), x[:2]))
    return r[0][0] * r[0][1] * m.v


@program(X)
def steps_in_rows(x):
    m = Moving(x[0])
    return sum(a * m.v for a in itertools.chain.from_iterable([map(m.step, x), x]))


@program(X)
def two_generators_side_by_side(x):
    m = Moving(x[0])

    def made():
        for t in x:
            yield m.step(t)

    return sum(a * b for a, b in zip(made(), made()))


@program(X)
def a_generator_in_a_dict(x):
    a = x * 1.0
    d = {"made": (v * a[0] for v in x), "by": 2.0}
    a[0] = 3.0
    return a[0] * sum(d["made"])


@program(X)
def numbered_items_in_a_dict(x):
    d = {"made": enumerate(x)}
    return sum(k * v for k, v in d["made"]) + sum(k * v for k, v in d["made"])


def each(items):
    for item in items:
        yield item


def set_all(items, a):
    for k, v in items:
        a[k] = v


@program(X)
def numbered_items_given_to_functions(x):
    a = x * 1.0
    for k, v in each(enumerate(a[k - 1] * 2 for k in range(3))):
        a[k] = v
    set_all(enumerate(a[k - 1] * 2 for k in range(3)), a)
    set_all(zip(range(3), (a[k - 1] * 2 for k in range(3))), a)
    return a[0] * a[1] + a[2] ** 2


@program(X)
def values_of_a_dict_that_a_loop_sets_given_to_a_generator(x):
    d = {"a": x[0], "b": x[1]}
    for v in each(d.values()):
        d["b"] = d["b"] + v * d["a"]
    return d["a"] * d["b"]


@program(X)
def products_with_values_of_a_dict_that_a_loop_sets(x):
    d = {"a": x[0], "b": x[1]}
    for v in (t * d["b"] for t in d.values()):
        d["b"] = d["b"] + v * d["a"]
    return d["a"] * d["b"]


@program(X)
def products_with_values_of_a_dict(x):
    d = {"a": x[0], "b": x[1]}
    s = 1.0
    for v in (t * d["b"] for t in d.values()):
        s = s * v + d["a"]
    for k, v in each(d.items()):
        s = s * v + len(k)
    for v in (t * x[0] for t in list(d.values())):
        d["b"] = d["b"] + v * d["a"]
    return s * d["b"]


@program(X)
def running_sums_of_an_array_that_grows(x):
    a = x * 1.0
    t = 0.0
    for k, v in enumerate(itertools.accumulate(a)):
        a += v
        t = t + a[0] * k
    return t


@program(X)
def running_sums_of_another_name_of_an_array(x):
    a = x * 1.0
    b = a
    t = 0.0
    for v in itertools.accumulate(b):
        a += v
        t = t + a[0]
    return t


@program(X)
def values_of_a_dict_that_a_loop_sets_beside_a_list(x):
    d = {"a": x[0], "b": x[1]}
    for p, v in zip(list(x), (t * d["b"] for t in d.values())):
        d["b"] = d["b"] + v * d["a"] * p
    return d["a"] * d["b"]


@program(sample(3))
def as_many_as_a_dict_asks_for(x):
    stepping = Moving(1.0)
    d = {0: x[0], 1: 1.0, 2: 1.0}
    q = stepping.step(0.3)
    d.update(zip(range(2), map(stepping.step, x)))
    return stepping.v + d[1] * q
