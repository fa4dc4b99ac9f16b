# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Lists of arrays of which one may be of length 1 and stretched by another; lists of items of different kinds."""

import functools

import numpy as np

from ..corpus import program, sample

X = np.linspace(0.5, 1.4, 4)
Y = np.linspace(-0.65, 0.95, 4)


@program(X, Y)
def appended(x, y):
    xs = []
    for k in range(1, 4):
        xs.append(x[:k])
    return np.sum((xs[0] * xs[2]) ** 2)


@program(X, Y)
def comprehension(x, y):
    xs = [x[:k] for k in range(1, 4)]
    return np.sum((xs[0] * xs[2]) ** 2)


@program(X, Y)
def popped(x, y):
    xs = [x[:k] for k in range(1, 4)]
    return np.sum((xs.pop() * xs.pop(0)) ** 2)


@program(X, Y)
def zipped_with_itself_backwards(x, y):
    xs = [x[:k] for k in (1, 3)]
    s = 0.0
    for a, b in zip(xs, xs[::-1]):
        s += np.sum((a * b) ** 2)
    return s


@program(X, Y)
def dict_comprehension(x, y):
    d = {k: x[:k] for k in range(1, 4)}
    return np.sum((d[1] * d[3]) ** 2)


@program(X, Y)
def dict_filled(x, y):
    d = {}
    for k in range(1, 4):
        d[k] = x[:k]
    s = 0.0
    for k in d:
        s += np.sum((d[k] * d[1]) ** 2)
    return s


@program(X, Y)
def pairs(x, y):
    xs = [(x[:k], y[:k]) for k in range(1, 4)]
    a, b = xs[0]
    c, d = xs[2]
    return np.sum((a * d) ** 2) + np.sum((a * b) ** 2)


@program(X, Y)
def in_a_generator(x, y):
    xs = [x[:k] for k in range(1, 4)]
    return np.sum(sum(xs[0] * v for v in xs[1:2]) ** 2)


@program(X, Y)
def taken_by_next(x, y):
    it = iter([x[:k] for k in (1, 3)])
    a = next(it)
    b = next(it)
    return np.sum((a * b) ** 2)


@program(X, Y)
def unpacked(x, y):
    xs = [x[:k] for k in (1, 3)]
    a, b = xs
    return np.sum((a * b) ** 2)


@program(X, Y)
def longest_and_shortest(x, y):
    xs = [x[:k] for k in (1, 3)]
    return np.sum((max(xs, key=len) * min(xs, key=len)) ** 2)


@program(X, Y)
def reduced(x, y):
    return np.sum(functools.reduce(lambda a, b: a * b, [x[:k] for k in (1, 3)]) ** 2)


@program(X, Y)
def unpacked_with_a_rest(x, y):
    xs = [x[:k] for k in (1, 3)]
    a, *b = xs
    return np.sum((a * b[0]) ** 2)


@program(X, Y)
def two_loops(x, y):
    s = 0.0
    for i, a in enumerate([x[:k] for k in (1, 3)]):
        for b in [y[:k] for k in (1, 3)]:
            s += np.sum((a * b) ** 2)
    return s


@program(sample(6), 1, static="n")
@program(sample(6), 0, static="n")
def split_into_as_many_parts_as_a_list_says(w, n):
    parts = np.split(w, [2, 3][n])
    return np.sum(parts[0] * parts[1] * parts[-1])


@program(sample(6), 1, static="n")
@program(sample(6), 0, static="n")
def split_of_a_vector_or_a_column(w, n):
    if n:
        w = np.c_[w * w[0]]
    first, *rest = np.array_split(w, 4)
    return np.sum(first) * np.sum(rest[0] * rest[0]) + np.sum(rest[-1])


@program([1.0, np.ones(2)])
def a_list_of_a_number_and_an_array_grows(xs):
    xs.append(2.0)
    return np.sum(xs[1]) * xs[0]


@program({"layers": [{"w": 2.0}, {"w": 1.0, "b": 0.7}]})
def a_list_of_unlike_dicts_grows(net):
    net["layers"].append({"w": net["layers"][0]["w"] * 2, "b": 1.0})
    return sum(layer["w"] ** 2 for layer in net["layers"])


@program([1.0, np.ones(2), 0.3], 1.0)
@program([1.0, np.ones(2), 0.3], -1.0)
def a_list_of_unlike_items_turned_around(xs, s):
    if s > 0:
        xs.reverse()
    return sum((i + 1) * np.sum(x) ** 2 for i, x in enumerate(xs)) * s


@program([(1.0,), (2.0, 3.0)])
def a_list_of_unlike_items_grows_elsewhere(xs):
    def put(value):
        xs.append((value, value))
        return xs[0][0] ** 2

    return put(xs[1][0] * 3) + sum(x[0] ** 2 for x in xs)


@program(1.3)
def longer_tuple_behind_a_shorter_one(x):
    rows = [(x, 1.0)]
    rows.append((x * x, x, x))
    s = 0.0
    for row in rows:
        s += sum(row)
    return s


@program(1.3)
def longer_row_behind_a_shorter_one(x):
    rows = [[x, 1.0]]
    rows.append([x * x, x, x])
    s = 0.0
    for row in rows:
        s += sum(row) * row[0]
    return s


@program(sample(3))
def lists_taken_off_in_a_branch(x):
    rows = [[x[0]], [x[1], x[2]], [x[0] * x[1]]]
    if x[0] > -10.0:
        rows.pop()
    rows.remove([x[0]])
    return rows[0][0] * rows[0][1]


@program(sample(3))
def arrays_taken_off_in_a_branch(x):
    rows = [x, x * x[0], x * 2]
    if x[0] > -10.0:
        rows.pop(1)
    i = 1 if x[1] > -10.0 else 0
    del rows[i]
    return np.sum(rows[0] * x)
