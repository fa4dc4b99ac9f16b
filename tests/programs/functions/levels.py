# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Functions that change what they are given through functions that do so, down to the third level."""

from dataclasses import dataclass

import numpy as np

from ..corpus import program, sample


def put(xs, k, v):
    xs[k] = v


def put_two(xs, k, v):
    put(xs, k, v)
    put(xs, k + 1, 2 * v)


def read_around(xs, ys, v):
    w = ys[0]
    put_two(xs, 0, v)
    return w + ys[0]


@program(sample(3))
@program(np.array([2.0, 1.0, 3.0]))
def one_list_given_twice(x):
    a = [x[0], x[1], x[2]]
    return read_around(a, a, x[0] * x[1]) + a[1]


@program(sample(3))
@program(np.array([2.0, 1.0, 3.0]))
def two_lists(x):
    a, b = [x[0], x[1], x[2]], [x[2], x[1]]
    return read_around(a, b, x[0] * x[1]) + a[1]


def in_a_pair(pair, v):
    p, q = pair
    put(p, 0, v)
    z = q[0]
    put_two(q, 0, z * v)
    return p[0] + q[1]


def around_a_pair(pair, v):
    return in_a_pair(pair, v) + pair[0][0]


@program(sample(3))
def one_list_twice_in_a_pair(x):
    a = [x[0], x[1]]
    return around_a_pair((a, a), x[2]) + a[1]


@program(sample(3))
def two_lists_in_a_pair(x):
    a, b = [x[0], x[1]], [x[2], x[0]]
    return around_a_pair((a, b), x[2]) + a[1] * b[0]


def grow(xs, v):
    xs.append(v)


def grow_twice(xs, v):
    grow(xs, v)
    grow(xs, v * v)
    return len(xs)


@program(sample(3))
def an_empty_list_that_grows_below(x):
    xs = []
    n = grow_twice(xs, x[0])
    m = grow_twice(xs, x[1])
    total = 0.0
    for v in xs:
        total += v * v
    return total * n + m * x[2]


@program(sample(3))
def a_list_that_grows_below_in_a_loop(x):
    xs = []
    for i in range(3):
        n = grow_twice(xs, x[i])
    return sum(xs) * n


@dataclass
class Body:
    speed: float
    parts: list


def push(body, d):
    body.speed = body.speed * d
    body.parts[0] += d


def push_both(p, q, d):
    push(p, d)
    push(q, 2 * d)
    return p.speed + q.speed


@program(sample(3))
def one_object_given_twice(x):
    p = Body(x[0], [x[1]])
    return push_both(p, p, x[2]) + p.parts[0] ** 2


@program(sample(3))
def a_total_that_two_levels_of_functions_set(x):
    total = 0.0
    squares = [0.0]

    def add(v):
        nonlocal total
        total += v
        put(squares, 0, squares[0] + v * v)

    def add_twice(v):
        add(v)
        add(2 * v)
        return total

    a = add_twice(x[0])
    b = add_twice(x[1] * x[2])
    return a * b + squares[0] + total


def scale(u, s):
    u *= s


def scale_parts(u, v, s):
    scale(u, s)
    scale(v[1:], s)
    return u[0] + v[-1]


def scale_twice(u, v, s):
    return scale_parts(u, v, s) + scale_parts(v, u, s * s)


@program(sample(3))
def one_array_given_twice(x):
    u = x * 1.0
    return scale_twice(u, u, x[0]) + np.sum(u)


@program(sample(3))
def overlapping_parts_of_an_array(x):
    u = x * 1.0
    return scale_twice(u[:2], u[1:], x[0]) + np.sum(u)


@program(sample(3))
def two_arrays(x):
    u, v = x * 1.0, x**2
    return scale_twice(u, v, x[0]) + np.sum(u * v)


def put_last(xs, v):
    try:
        put_two(xs, len(xs) - 1, v)
    except IndexError:
        xs[0] = v * v
    return xs[-1]


def last_times_first(xs, v):
    return put_last(xs, v) * xs[0]


@program(sample(3))
def an_exception_two_levels_below(x):
    a = [x[0], x[1]]
    return last_times_first(a, x[2]) + a[0]
