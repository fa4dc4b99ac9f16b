# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Lists that grow, shrink and change: methods, item and slice assignment, operators, sorting, comprehensions."""

import math
from collections import defaultdict

import numpy as np

from ..corpus import program, sample


@program(1.2)
def appended_in_a_loop(x):
    v = []
    y = x
    for i in range(4):
        y = y * x + i
        v.append(y)
    return v[0] * v[3] + v[-2]


@program(sample(4))
def appended_under_a_condition(x):
    large = []
    for v in x:
        if v > 0.5:
            large.append(v * v)
    return large[0] * large[-1] * len(large)


@program(1.2, 0.7)
def extended(x, y):
    v = [x]
    v.extend([y, x * y])
    v.extend((v[0] * 2, 3.0))
    v += [x * x]
    v += (y,)
    return v[1] * v[2] + v[3] * v[5] + v[-1] * len(v)


@program(1.2, 0.7)
def inserted(x, y):
    v = [x, y]
    v.insert(0, x * y)
    v.insert(2, v[0] + 1)
    v.insert(-1, 2.0)
    return v[0] + 10 * v[1] * v[2] + 100 * v[3] * v[4]


@program(1.2, 0.7)
def popped(x, y):
    v = [x, y, x * y, 3.0 * x]
    a = v.pop()
    b = v.pop(0)
    v.append(a * b)
    c = v.pop(-2)
    return a * c + sum(v)


@program(1.2, 0.7)
def item_assigned(x, y):
    v = [0.0] * 3
    v[0] = x * y
    v[2] = v[0] + x
    v[0] = v[2] * v[0]
    v[-2] = y
    return v[0] * v[1] + v[2]


@program(1.2, 0.7)
def item_augmented(x, y):
    v = [x, y, 1.0]
    for i in range(6):
        v[i % 3] *= v[(i + 1) % 3]
        v[(i + 2) % 3] += x
    return v[0] + v[1] * v[2]


@program([1.2, 0.7, 0.4])
def items_of_the_argument_assigned(v):
    v[0] = v[1] * v[2]
    v[1] += v[0]
    return v[0] * v[1] * v[2]


@program([1.2, 0.7, 0.4])
def argument_grown(v):
    v.append(v[0] * v[1])
    v[0] = v.pop() * v[2]
    v.insert(1, v[0] ** 2)
    return v[0] + v[1] * v[3]


@program([1.2, 0.7, 0.4, 0.9])
def items_swapped(v):
    v = list(v)
    v[0], v[3] = v[3], v[0]
    v[1], v[2] = v[2] * 2, v[1]
    return v[0] + 2 * v[1] + 4 * v[2] ** 2 + 8 * v[3] ** 3


@program([1.2, 0.7, 0.4, 0.9])
def slice_assigned(v):
    w = v[:]
    w[1:3] = [v[0] * v[3], v[1]]
    w[:1] = []
    w[1:1] = [v[2] * 2, v[2] * 3]
    w[::2] = [a * a for a in w[::2]]
    return sum(a * (i + 1) for i, a in enumerate(w))


@program([1.2, 0.7, 0.4, 0.9])
def items_deleted(v):
    w = list(v)
    del w[1]
    del w[-1:]
    w.append(v[1] * w[0])
    return w[0] * w[1] + w[2]


@program(1.2, 0.7)
def concatenated_and_multiplied(x, y):
    v = [x] + [y, x * y]
    w = v * 2 + [1.0] * 2
    v[0] = 10.0
    return w[0] * w[4] + w[5] * w[-1] + v[0] * w[3]


@program([0.9, 1.6, 0.3, 1.2])
def sorted_in_place(v):
    w = [a * a for a in v]
    w.sort()
    w[0] *= 3.0
    w.sort(reverse=True)
    return sum(a * (i + 1) for i, a in enumerate(w))


@program([0.9, -1.6, 0.3, 1.2])
def sorted_by_a_key(v):
    w = sorted(v, key=lambda a: (a - 1) ** 2)
    v.sort(key=abs)
    return sum(a * b * (i + 1) for i, (a, b) in enumerate(zip(v, w)))


@program([(0.9, 2.0), (1.6, 0.5), (0.3, 1.1)])
def pairs_sorted(pairs):
    pairs = sorted(pairs)
    by_second = sorted(pairs, key=lambda p: p[1])
    return pairs[0][1] * by_second[0][0] + pairs[2][0] * by_second[2][1] ** 2


@program([0.9, 1.6, 0.3])
def reversed_in_place(v):
    w = v.copy()
    w.reverse()
    v.reverse()
    v[0] *= 2.0
    return w[0] * v[1] + v[0] * w[2] ** 2


@program([0.9, 1.6, 0.3])
def cleared_and_filled_again(v):
    w = [a * 2 for a in v]
    s = w[0] * w[1]
    w.clear()
    w.append(s)
    w.append(v[2])
    return w[0] * w[1] + len(w)


@program([0.9, 1.6, 0.3])
def two_names_for_one_list(v):
    w = v
    w.append(v[0] * v[1])
    u = v[:]
    u[0] = 5.0
    v[1] = w[3] + 1
    return w[1] * w[3] + u[0] * v[0]


@program([0.9, 1.6, 0.3])
def augmented_or_added(v):
    """`+=` changes the list for both names, `+` makes another."""
    a = v
    a += [v[0] ** 2]
    b = v
    b = b + [10.0 * v[1]]
    return len(v) * v[-1] + a[3] * b[4]


@program([0.9, 1.6, 0.3, 1.2])
def comprehension_with_conditions(v):
    squares = [a * a for a in v if a > 0.5 if a < 1.5]
    signs = [a if i % 2 else -a for i, a in enumerate(v)]
    return sum(squares) * signs[1] + signs[2]


@program([0.9, 1.6], [0.3, 1.2, 0.5])
def comprehension_with_nesting(v, w):
    products = [a * b for a in v for b in w if b < a]
    table = [[a + b for b in w] for a in v]
    flat = [e for row in table for e in row]
    return sum(products) * flat[2] + table[1][0] ** 2


@program(1.2, 0.7)
def comprehension_captures_and_shadows(x, y):
    i = 5.0
    v = [x * i + y for i in range(3)]
    w = [x for x in v]
    return sum(w) * i * x


@program(1.2)
def walrus_in_a_comprehension(x):
    y = x
    v = [y := y * x + 0.1 for _ in range(4)]
    return v[1] * y + sum(v)


@program(sample(4))
def stacked_in_a_loop(x):
    rows = []
    row = x
    for i in range(3):
        row = row * x + i
        rows.append(row)
    m = np.stack(rows)
    return np.sum(m[0] * m[2]) + np.sum(np.array(rows)[:, 1])


@program(sample(4))
def array_of_a_list_of_numbers(x):
    v = []
    for a in x:
        v.append(math.sin(a) * len(v))
    v[0] = x[1] * x[2]
    w = np.array(v)
    v[1] = 100.0
    return np.sum(w * w)


@program(sample(3), 1.2)
def stacked_rows_and_columns(x, s):
    m = np.array([x, x * s, [s, s * s, 1.0]])
    n = np.column_stack([x, np.array([s, 1.0, x[0]])])
    return np.sum(m @ n) + np.sum(np.vstack((m[0], n[:, 1])) ** 2)


@program(1.2, 0.7)
def nested_list_changed(x, y):
    m = [[x, y], [0.0, 1.0]]
    m[1][0] = m[0][1] * m[0][0]
    m[0].append(m[1][0] + x)
    m.append([y])
    m[2][0] *= m[0][2]
    return m[2][0] * m[1][0] + len(m)


@program(sample(3, 3))
def list_of_lists_from_a_matrix(a):
    m = a.tolist()
    for i in range(3):
        for j in range(i):
            m[i][j] -= m[j][i] * m[j][j]
    return m[2][0] * m[1][1] + m[2][1]


@program(sample(3), 3, static="n")
def table_of_zeros_filled(x, n):
    t = [[0.0] * n for _ in range(n)]
    t[0] = [v for v in x]
    for i in range(1, n):
        for j in range(n):
            t[i][j] = t[i - 1][j] * t[i - 1][j - 1] + x[i]
    return t[2][2] * t[1][0]


@program([0.9, 1.6, 0.3])
def loop_over_a_list_that_grows(v):
    s = 0.0
    for a in v:
        s += a * a
        if len(v) < 5:
            v.append(a * s)
    return s * v[-1]


@program([0.9, 1.6, 0.3])
def consumed_from_the_front(v):
    s = 1.0
    while v:
        a = v.pop(0)
        s = s * a + a
        if len(v) == 2 and s < 3:
            v.append(s * 0.5)
    return s


@program([0.9, 1.6, 0.3, 1.2])
def found_by_index(v):
    largest = max(v)
    k = v.index(largest)
    v[k] = v[k - 1] * 0.5
    return sum(a * a for a in v) * k + largest


@program([1.2, 0.7], vector=True)
def list_changed_and_returned(v):
    v.append(v[0] * v[1])
    v[0] = v[2] ** 2
    return v


@program(1.2, 0.7, vector=True)
def lists_built_and_returned(x, y):
    trace = []
    for k in range(3):
        x, y = x * y, x - y
        trace.append((x, [y, float(k)]))
    return trace


@program(sample(4))
def running_products_by_the_last_one(xs):
    out = []
    for x in xs:
        out.append((out[-1] if out else 1.0) * x)
    return sum(out)


def _sum_by_name(groups):
    return sum(sum(values) * (name + 1) for name, values in groups.items())


@program(sample(3), 0.7)
def sums_of_a_list_with_nothing_in_it(x, s):
    """What is written to an item of the list is never reached; its sum is 0, and the line with it counts."""
    groups = {0: [s], 1: []}
    total = 0.0
    for i in range(len(x)):
        if 1 in groups and groups[1]:
            groups[1][-1] *= 2.0
        groups[0] = [s * x[i]]
        total += _sum_by_name(groups)
    for values in groups.values():
        total += sum(values) * s
    return total


@program(0.5, 2, static="n")
def list_that_the_next_step_replaces(x, n):
    sums = [0.0]
    for _ in range(n):
        longer = []
        for s in sums:
            longer.append(s + x * x)
        sums = longer[:2]
    return sums[0] * 2


@program(sample(5), 0.7)
def values_gathered_by_key(x, s):
    groups = {}
    for i, v in enumerate(x):
        groups.setdefault(i % 2, []).append(v * s)
    total = 0.0
    for key, values in groups.items():
        total += np.mean(values) ** 2 * (key + 1)
    return total


@program(sample(5), 0.7)
def values_gathered_by_name(x, s):
    groups = defaultdict(list)
    for i, v in enumerate(x):
        groups["even" if i % 2 == 0 else "odd"].append(v)
    means = {name: np.mean(values) for name, values in groups.items()}
    return means["even"] * means["odd"] + s * sum(groups["odd"])


@program(sample(5))
def values_gathered_where_the_key_is_new(x):
    groups = {}
    for i in range(len(x)):
        key = i % 3
        if key in groups:
            groups[key].append(x[i] ** 2)
        else:
            groups[key] = [x[i]]
    return sum(max(groups[key]) * sum(groups[key]) for key in sorted(groups))


def _weighted(groups):
    return sum(value * (key + 1) for key, value in groups.items())


@program(sample(4), 0.7)
def dict_that_grows_given_to_a_helper(x, s):
    """Its adjoint then has no item for a key that comes later."""
    groups = {}
    total = 0.0
    for i in range(len(x)):
        groups[i] = x[i] * s
        total += _weighted(groups)
    return total


@program(sample(4), 0.7)
def list_chosen_by_the_run_scaled(x, s):
    """In forward mode, its tangents would stay as they are."""
    groups = [[s], [s]]
    for i in range(len(x)):
        groups[0] = [x[i] ** 2]
        groups[i % 2][-1] *= 2.0
    return sum(groups[0]) + 3 * sum(groups[1])


@program([1.0, -2.0, 3.0], 1, static="k")
@program([0.5, 4.0, 1.5, 2.0], 0, static="k")
def items_of_slices(xs, k):
    """A slice of a list is a new list: what is added to its adjoint would be lost in a slice of another adjoint."""
    ys = [v * v for v in xs]
    ys[1:][k] += xs[0]
    ys[1:][0] = xs[1]
    return xs[1:][0] * xs[0] + ys[1:][k] * ys[:-1][k] + sum(ys) + (xs[0], xs[k:][1])[1] ** 2


@program([[1.0, -2.0], [3.0, 4.0], [2.0, 1.0]], sample(3, 2), 1, static="k")
@program([[1.5, 0.5], [3.0, 2.0], [0.7, 1.0]], sample(3, 2), 0, static="k")
def items_of_slices_of_rows(xs, x, k):
    rows = [r * 2 for r in x]
    rows[1:][k][0] *= 3.0
    return xs[1:][k][0] * xs[k][1:][0] + rows[1:][k][0] * rows[k + 1][1] + rows[k + 1][0]


@program((1.0, -2.0, 3.0))
def items_of_slices_of_a_tuple(xs):
    return xs[1:][0] * xs[::-1][0] * xs[:2][1]


@program(sample(4))
def longer_in_a_branch_then_an_array(x):
    kept = []
    for v in x:
        kept.append(v)
    if x[0] > -10.0:
        kept.append(x[1])
    return np.max(np.array(kept))


@program(sample(4))
def written_out_and_longer_in_a_branch(x):
    kept = [x[0], x[2]]
    if x[0] > -10.0:
        kept.append(x[1])
    return np.sum(np.array(kept) ** 2)
