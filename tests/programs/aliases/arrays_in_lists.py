# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Arrays that lists and dicts of unknown length hold, changed in place under one name and read under another."""

import numpy as np

from ..corpus import program, sample

@program(sample(2, 2))
def changed_through_the_list(a):
    xs = []
    xs.append(a)
    xs[0] += 1.0
    return np.sum(a**2)

@program(sample(3), sample(3))
def taken_off_the_front(a, b):
    xs = [b, a]
    u = xs.pop(0)
    a[0] = u[1] ** 2
    u *= 3.0
    return np.sum(xs[0] * u)

@program(sample(3), 0.7)
def numbers_and_arrays_in_turn(a, x):
    xs = [x, a]
    xs.append(a[1:])
    a[0] = x * xs[0]
    xs[0] = xs[0] * a[1]
    return np.sum(xs[1] * xs[0]) + np.sum(xs[2])

@program(sample(4))
def views_put_in_at_the_front(a):
    xs = [a]
    for k in range(3):
        xs.insert(0, a[k:])
    xs[2] *= a[3]
    xs[0][0] = xs[1][0] * xs[3][1]
    return np.sum(xs[0] * xs[0][0]) + np.sum(a)

@program(sample(3), sample(3))
def ring_of_buffers(a, b):
    ring = [a * 1.0, b * 1.0]
    for k in range(5):
        old = ring.pop(0)
        old += ring[0] * 0.3
        old[k % 3] *= ring[-1][0]
        ring.append(old)
    return np.sum(ring[0] * ring[1])

@program(sample(3))
def two_names_of_the_list(a):
    xs = [a]
    ys = xs
    for k in range(2):
        ys.append(a[k : k + 1])
    xs[1] *= 2.0
    xs[0] *= a[2]
    return np.sum(ys[0] ** 2) + ys[2][0]

@program(sample(3), sample(3))
def list_copied_then_changed(a, b):
    xs = [a, b]
    xs.append(a)
    ys = list(xs)
    xs[0] = b
    xs[0] *= a
    ys[0] += b
    return np.sum(ys[2] * xs[1]) + np.sum(xs[0] * ys[0])

@program(sample(3), sample(3))
def sliced_and_joined(a, b):
    xs = [a]
    for _ in range(2):
        xs.append(b)
    ys = xs[1:] + xs[:1] + [b[1:]]
    ys[0][0] = a[1]
    ys[-1] *= a[0]
    ys[2] /= 2.0 + b[1] ** 2
    return np.sum(xs[0] * xs[1]) + np.sum(ys[3])

@program(sample(3), sample(3))
def slice_exchanged(a, b):
    xs = [a, b, a]
    xs.append(b)
    xs[1:3] = [a, b, b]
    xs[1] *= b
    xs.reverse()
    xs[0] += xs[-1]
    return np.sum(a * b) + np.sum(xs[2])

@program(sample(3), sample(3))
def loop_over_the_list(a, b):
    xs = [a]
    xs.append(b)
    xs.append(a[:2])
    for k, x in enumerate(xs):
        x *= a[k] + 1.0
        x[0] += b[1]
    return np.sum(a * b)

@program(sample(3))
def lists_in_a_list(a):
    rows = []
    for k in range(3):
        rows.append([a, a[k:]])
    rows[0][1] *= 2.0
    rows[2][1][0] = rows[1][0][0] * a[1]
    return np.sum(rows[1][0] ** 2) + rows[1][1][0]

@program(sample(3), 0.4)
def pairs_in_a_list(a, x):
    pairs = []
    for k in range(3):
        pairs.append((a, x * k))
    p, s = pairs[1]
    p *= s + 1.0
    pairs[2][0][0] = pairs[2][1] ** 2
    return np.sum(a * pairs[0][0]) * s

@program(sample(3), sample(3))
def tables_of_arrays(a, b):
    table = {}
    for k in range(3):
        table[k] = a if k % 2 else b
    table[1] *= b
    table[0] += a
    table[2] = table[1]
    table[2][0] = b[0] ** 2
    return np.sum(a * b) + np.sum(table[0])

@program(sample(3), True, static="flag")
@program(sample(3), False, static="flag")
def exchanged_on_one_path(a, flag):
    b = a * 2.0
    xs = [a, b]
    xs.append(b)
    if flag:
        xs[2] = a
        a[1] = b[0] ** 2
    else:
        xs.pop()
    xs[-1] *= a[2]
    return np.sum(a * b)

@program(sample(3), sample(3))
def passed_to_a_helper(a, b):
    def scaled(items, by):
        total = 0.0
        for item in items:
            total = total + np.sum(item * item) * by
        return total

    xs = [a]
    xs.append(b)
    first = scaled(xs, 0.5)
    xs[0] *= b
    return first * scaled(xs, 2.0) + np.sum(a)

@program(sample(3), sample(3))
def joined_in_the_end(a, b):
    xs = [a]
    for _ in range(2):
        xs.append(b)
    b *= a
    xs[0] += 1.0
    stacked = np.concatenate(xs)
    xs.pop()
    return np.sum(stacked**2) + np.sum(np.stack(xs) ** 3)

@program([sample(3), sample(3)])
def list_given_and_changed(xs):
    first = xs[0]
    xs.append(first)
    xs[2] *= xs[1]
    xs.pop(0)
    xs[0] = xs[0] * 2.0
    return np.sum(xs[0] * xs[1]) + np.sum(first)

@program(sample(4))
def grown_while_it_is_read(a):
    xs = [a]
    total = 0.0
    for k in range(3):
        total = total + np.sum(xs[-1] * xs[0])
        xs.append(xs[-1][1:])
        xs[-1] *= 1.5
        xs[0] = xs[-1]
    return total + np.sum(a)

@program(sample(3), sample(3))
def left_by_an_exception(a, b):
    xs = [a, b]
    xs.append(a)
    try:
        xs.append(b)
        xs[0] *= b
        xs[9] = a
        xs[1] *= 5.0
    except IndexError:
        xs[-1] += a
        xs.pop(0)
    return np.sum(xs[1] * xs[-1]) + np.sum(a)


@program(sample(3), 0.6)
def two_names_of_a_list_of_numbers(a, x):
    xs = [x, a[0], a[1] * x]
    ys = xs
    for k in range(2):
        ys[k] = xs[k + 1] * xs[0]
    xs[1] = ys[0] ** 2
    xs.append(ys[1] * a[2])
    return ys[0] * ys[1] + ys[3] * xs[2]


@program(sample(3), 0.6)
def held_by_a_list_and_changed(a, x):
    inner = [x, a[0]]
    outer = [inner, [a[1]]]
    for k in range(2):
        inner[k] = inner[1 - k] * a[k]
        outer[1].append(outer[0][k])
    outer[0][0] = outer[1][-1] ** 2
    return inner[0] * inner[1] + outer[1][1]


@program(sample(2), 0.6)
def rows_that_are_one_row(a, x):
    rows = [[x, a[0]]] * 2
    rows[0][0] = a[1] * x
    rows[1][1] = rows[1][0] * rows[0][1]
    return rows[0][1] * rows[1][0]


@program(sample(3), 0.7)
def two_names_of_a_dict(a, x):
    p = {"w": a, "b": x}
    q = p
    q["w"] = a * x
    p["b"] = q["w"][0] * p["b"]
    q["w"] *= p["b"]
    return np.sum(p["w"]) + q["b"] ** 2


@program(sample(3), 0.7, True, static="flag")
@program(sample(3), 0.7, False, static="flag")
def one_list_or_the_other(a, x, flag):
    xs = [x, a[0]]
    ys = [a[1], x * x]
    zs = xs if flag else ys
    zs[0] = xs[1] * ys[0]
    xs[1] = zs[0] + ys[1]
    return xs[0] * ys[0] + zs[1] ** 2


@program(sample(3), 0.7)
def made_by_a_helper(a, x):
    def both(u, v):
        return [u * 2.0, u * v]

    xs = both(a, x)
    ys = xs
    ys.append(a)
    xs[0] *= xs[1]
    ys[2][0] = x**2
    return np.sum(xs[0] * ys[1]) + np.sum(a)


@program(sample(3), 0.7)
def number_exchanged_in_a_shared_list(a, x):
    xs = [x, a]
    xs.append(x)
    ys = xs
    for k in range(2):
        ys[0] = ys[0] * a[k]
        xs[1][k] *= xs[0]
    xs[2] = a[1]
    return np.sum(ys[1]) * ys[0] * ys[2]


@program(sample(3), sample(3))
def places_counted_from_the_length(a, b):
    xs = [a, b]
    for _ in range(3):
        xs.append(a)
    u = xs.pop(len(xs) - 2)
    xs.insert(len(xs) - 1, b)
    xs[len(xs) - 2 : len(xs)] = [a, b, a]
    u *= b
    xs[len(xs) - 2] *= a[1]
    return np.sum(xs[1] * a) + np.sum(xs[3] ** 2)


@program(sample(3), 0.7)
def numbers_of_an_array_in_a_shared_list(a, x):
    xs = [a[0], x]
    xs.append(a)
    s = a[1]
    xs.append(s)
    a[1] = xs[0] * x
    xs[2][0] = xs[3] ** 2
    return np.sum(a) * xs[0] * xs[3] * s


@program(sample(3), 0.7)
def seed_of_a_helper(a, x):
    def spread(u, v):
        items = []
        for k in range(3):
            items.append(u[k] * v)
        return items

    xs = spread(a, x)
    ys = xs
    ys[0] = ys[1] * x
    ys.append(xs[2])
    xs[2] = xs[0] + 1.0
    return ys[0] * ys[2] + xs[3] * ys[1]


@program([0.5, 1.5, 0.8])
def numbers_given_under_two_names(xs):
    ys = xs
    for k in range(len(xs)):
        ys[k] = xs[k] * ys[0]
    xs.append(ys[2] * ys[1])
    return ys[3] + xs[0] ** 2 * ys.pop(1)


@program(sample(3))
def list_joined_by_plus_and_array_changed(a):
    xs = []
    xs += [a]
    y = np.sum(xs[0] * xs[0])
    a[0] = 5.0
    return y + np.sum(a)


@program(sample(3), sample(3, seed=1))
def list_joined_by_plus_and_item_changed(a, b):
    xs = [b * 1.0]
    u = a * b
    xs += [u, b * 2.0]
    y = np.sum(xs[1] ** 3) * np.sum(xs[2])
    u *= 0.5
    return y + np.sum(u * xs[0])


@program(sample(2, 3), 3, static="n")
def rows_joined_by_plus_in_a_loop(a, n):
    xs = []
    total = 0.0
    for k in range(n):
        u = a[:, k] * 2.0
        xs += [u]
        total += np.sum(xs[-1] ** 2 * xs[0])
        u[0] = 1.0
    return total + np.sum(xs[1] * xs[2])
