# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""for over ranges and sequences: accumulation, carried values, nesting."""

import itertools
import math
import operator

import numpy as np

from .corpus import program, sample


@program(1.1, 5, static="n")
@program(1.1, 1, static="n")
@program(1.1, 0, static="n")
def power_by_loop(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y + x


@program(0.7)
def constant_bounds(x):
    s = 0.0
    for i in range(4):
        s += x**i / (i + 1)
    return s


@program(1.3, 6, static="n")
def harmonic_like_sum(x, n):
    s = 0
    for i in range(1, n):
        s += 1 / (x + i)
    return s


@program(0.7, 0.2)
def loop_counter_as_a_number(x, h):
    s = 0.0
    for i in range(5):
        t = x + i * h
        s += math.sin(t) * i
    return s


@program(1.1)
def range_with_step(x):
    s = x
    for i in range(1, 10, 3):
        s = s * x + i
    return s


@program(1.1)
def range_downwards(x):
    s = x
    for i in range(5, 0, -2):
        s = s * x + i
    return s


@program(1.1)
def range_downwards_past_zero(x):
    s = x
    for i in range(3, -4, -1):
        s = s * x + i * x
    return s


@program(1.1)
def empty_ranges(x):
    s = x
    for i in range(3, 3):
        s = s * i
    for i in range(5, 2):
        s = s * i
    for i in range(2, 5, -1):
        s = s * i
    return s * s


@program(1.1, 2, 9, 3, static="start stop step")
@program(1.1, 9, 2, -3, static="start stop step")
@program(1.1, 9, 2, 3, static="start stop step")
def range_of_unknown_direction(x, start, stop, step):
    s = x
    for i in range(start, stop, step):
        s = s * x + i
    return s


@program(0.9, 1.1)
def fibonacci_like(a, b):
    for _ in range(6):
        a, b = b, a * b + 0.1
    return a + b


@program(0.4)
def logistic_map(x):
    for _ in range(7):
        x = 3.1 * x * (1 - x)
    return x


@program(2.0)
def newton_square_root(a):
    x = a
    for _ in range(6):
        x = 0.5 * (x + a / x)
    return x


@program(0.5, 0.1)
def explicit_euler(y, k):
    h = 0.1
    for step in range(10):
        t = step * h
        y = y + h * (math.sin(t) - k * y * y)
    return y


@program(1.0, 0.0, 4.0, 0.3)
def damped_oscillator(q, v, k, c):
    loss = 0.0
    for step in range(20):
        a = -k * q - c * v
        v = v + 0.05 * a
        q = q + 0.05 * v
        if step % 5 == 0:
            loss += (q - 0.5) ** 2
    return loss


@program(sample(4))
def over_an_array(x):
    s = 0.0
    for v in x:
        s = s * v + v * v
    return s


@program(sample(3, 2))
def over_rows(x):
    s = 1.0
    for row in x:
        s = s * np.sum(row * row) + row[0]
    return s


@program((1.1, 0.7, 1.9))
def over_a_tuple(xs):
    p = 1.0
    for x in xs:
        p = p * x + x
    return p


@program([1.1, 0.7, 1.9])
def over_a_list(xs):
    p = 1.0
    for x in xs:
        p = p * x + x
    return p


@program(1.1, 0.7)
def over_a_literal(x, y):
    p = 1.0
    for t in (x, y, x * y, 2.0):
        p = p * t + t * x
    return p


@program([(1.1, 0.7), (0.3, 1.9)])
def over_pairs(pairs):
    s = 0.0
    for a, b in pairs:
        s = s * a + b * a
    return s


@program(1.2, sample(4))
def with_enumerate(x, w):
    s = 0.0
    for i, wi in enumerate(w):
        s += wi * x**i
    return s


@program(1.2, [0.3, 0.8, 1.4])
def with_enumerate_from_one(x, w):
    s = 0.0
    for i, wi in enumerate(w, 1):
        s += wi * x**i / i
    return s


@program(sample(4), sample(4, seed=1))
def with_zip(a, b):
    s = 1.0
    for p, q in zip(a, b):
        s = s * p + q * s * s * 0.1
    return s


@program([0.3, 0.8, 1.4], (1.2, 0.5), sample(4))
def with_zip_of_unequal_lengths(a, b, c):
    s = 1.0
    for p, q, r in zip(a, b, c):
        s = s * p + q * r
    return s


@program([0.3, 0.8, 1.4], [1.2, 0.5, 0.9])
def with_enumerate_of_zip(a, b):
    s = 1.0
    for i, (p, q) in enumerate(zip(a, b)):
        s = s * p + i * q
    return s


@program([0.3, 0.8, 1.4])
def with_reversed_sequence(a):
    s = 1.0
    for p in reversed(a):
        s = s * p + p
    return s


@program(1.3, 5, static="n")
def with_reversed_range(x, n):
    s = 1.0
    for i in reversed(range(1, n)):
        s = s * x / i + i
    return s


@program(sample(4))
def by_index(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i - 1]
    return s


@program(sample(5))
def neighbours_by_index(x):
    s = 1.0
    for i in range(1, len(x) - 1):
        s *= x[i - 1] - 2 * x[i] + x[i + 1] + 3
    return s


@program(sample(3, 4))
def double_loop_over_a_matrix(a):
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s += a[i, j] ** (i + 1) * (j + 1)
    return s


@program(sample(4), 0.3)
def triangular_double_loop(x, w):
    s = 0.0
    for i in range(len(x)):
        for j in range(i):
            s += x[i] * x[j] * w + math.exp(-x[j])
    return s


@program(1.2, 0.8)
def inner_loop_accumulates_into_outer(x, y):
    s = 0.0
    for i in range(3):
        p = 1.0
        for _ in range(i + 1):
            p = p * x + y
        s += p * p
    return s


@program(0.4)
def triple_nesting(x):
    s = x
    for i in range(2):
        for j in range(2):
            for k in range(2):
                s = s + math.sin(s * x) * (i + j + k + 1)
    return s


@program(0.6)
def consecutive_loops_share_names(x):
    s = 0.0
    for i in range(3):
        t = x * i
        s += t * t
    for i in range(2):
        t = s * x + i
        s = t * t
    return s


@program(sample(3))
def array_carried_through_loop(x):
    y = x
    for _ in range(4):
        y = np.sin(y) * x + y
    return np.sum(y)


@program(sample(3, 3), sample(3, seed=1))
def matrix_powers(a, v):
    for _ in range(3):
        v = a @ v / 2
    return np.sum(v * v)


@program(sample(3, 3), sample(3, seed=1))
def power_iteration(a, v):
    for _ in range(4):
        v = a @ v
        v = v / np.sqrt(np.sum(v * v))
    return np.dot(v, a @ v)


@program(sample(3), 3, static="steps")
def gradient_descent_unrolled(x, steps):
    for _ in range(steps):
        slope = 2 * x * np.cos(x * x)
        x = x - 0.05 * slope
    return np.sum(np.sin(x * x))


@program(sample(5), 0.25)
def smoothing_by_time_steps(u, c):
    for _ in range(3):
        left = np.roll(u, 1)
        right = np.roll(u, -1)
        u = u + c * (left - 2 * u + right)
    return np.sum(u**3)


@program([0.5, -0.3, 1.2], 0.8)
@program([0.5], 0.8)
def horner(coefficients, x):
    p = 0.0
    for c in coefficients:
        p = p * x + c
    return p


@program(0.8)
def sum_over_squares_of_literals(x):
    s = 0.0
    for c in [0.5, -0.3, 1.2]:
        s += (c * x - 1) ** 2
    return s


@program(1.5)
def loop_is_linear_in_the_input(x):
    s = 0.0
    for i in range(5):
        s += 2 * x - i
    return s


@program(1.5)
def loop_without_influence(x):
    s = 0.0
    for i in range(5):
        s += i * 0.5
    return s * x


@program(1.1, 2.0)
def running_product_of_loop_variable(x, y):
    p = y
    for i in range(1, 5):
        p *= x * i
    return p


@program("abcab", 1.2, 0.7)
def over_a_string(text, x, y):
    s = 1.0
    for letter in text:
        if letter == "a":
            s = s * x
        elif letter == "b":
            s = s + y * s
        else:
            s = s * s
    return s


@program(sample(3, 2))
def over_rows_of_a_transpose(x):
    s = 1.0
    for column in x.T:
        s = s * np.sum(column * column) + column[-1]
    return s


@program(sample(4))
def inner_loop_with_the_variable_of_the_outer(x):
    z = x.copy()
    s = 0.0
    for i in range(1, 3):
        z[i] = z[i] * x[0]
        for i in range(1, 4):
            s += z[i - 1] * z[i]
    return s


@program(sample(4), 0.3)
def three_loops_with_one_variable(x, a):
    s = 0.0
    for k in range(3):
        t = x[k] * a
        for k in range(2):
            t = t * x[k + 1]
            for k in range(k + 1):
                t = t + x[k] * t
            t = t * x[k]
        s += t * x[k] * k
    return s


# What is the larger of two may be on either side of a test whose other side has just been cleared.


@program(np.array([0.4, -1.7, 1.2]))
@program(np.array([-0.4]))
@program(np.array([]), value=0.0, wrt="x")
def largest_size(x):
    e = 0.0
    for i in range(len(x)):
        e = max(e, abs(x[i]))
    return e


@program(np.array([0.4, -1.7, 1.2]), 0.7)
def smallest_sine(x, s):
    e = 9.0
    for v in x:
        e = min(math.sin(v) * s, e)
    return e * e


@program(np.array([[0.4, -1.7], [1.2, 0.9], [-2.3, 0.1]]), 0.7)
def extremes_of_both_kinds(a, s):
    low, high = s, s
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            low = min(low, math.cosh(a[i, j]) - a[i, j] ** 2)
            high = max(high, abs(a[i, j]) * s + math.exp(-a[i, j]))
    return high - 2.0 * low


@program(np.array([0.4, -1.7, 1.2, -0.8]), 0.9)
def extreme_that_decays(x, s):
    e = 0.1
    i = 0
    while i < len(x):
        e = max(e, math.sqrt(abs(x[i]) + 1.0)) * s
        i += 1
    return e


@program(np.array([0.4, -1.7, 1.2, -0.8]), 0.9)
def extreme_of_what_it_was(x, s):
    e = s
    for i in range(len(x)):
        e = max(e, abs(math.sin(x[i]) - e))
    return e * s


@program(np.array([0.4, -1.7, 1.2, -0.8]), 0.9)
def extreme_and_the_one_before(x, s):
    first, second = 0.0, 0.0
    for i in range(len(x)):
        t = abs(x[i] * s)
        second = max(second, min(first, t))
        first = max(first, t)
    return first * first + 3.0 * second


# Of what a loop picks out the backward sweep may need the size alone.


@program(sample(5, low=-1.0), np.array([-0.7, 0.1, 0.4]))
def means_above_thresholds(x, limits):
    y = np.zeros(len(limits))
    for i in range(len(limits)):
        v = x[x > limits[i]]
        y[i] = v.mean()
    return np.sum(y * y)


@program(sample(6, 2, low=-1.0), np.array([0, 1, 0, 2, 1, 0]), static="label")
def means_of_clusters(x, label):
    spread = 0.0
    for k in range(3):
        rows = x[label == k]
        spread += np.average(rows) * np.mean(rows**2) + np.sum(rows) / len(rows)
    return spread


@program(sample(5, low=-1.0), 0.6)
def best_mean_so_far(x, s):
    best = -9.0
    i = 0
    while i < 5:
        v = x[i:]
        t = np.mean(v)
        if t * s > best:
            best = t * s
        i += 1
    return best * best


@program(sample(4, 3, low=-1.0))
def mean_of_what_a_branch_picks(a):
    r = 0.0
    for i in range(4):
        if i % 2 == 0:
            v = a[: i + 1]
        else:
            v = a[i:, :2]
        r = r * 0.5 + v.mean() * v.size
    return r


@program(sample(4, 2))
@program(sample(1, 3))
def array_that_gets_smaller_in_the_loop(A):
    e = A
    for i in range(3):
        e = e.sum(axis=0, keepdims=True)
    return np.sum(e)


@program(sample(4, 2))
def input_that_gets_smaller_in_the_loop(A):
    n = 0
    while n < 2:
        A = np.sum(A**2, axis=n, keepdims=True)
        n += 1
    return np.sum(A * A)


@program(sample(5), 3, static="n")
def tail_of_the_tail(x, n):
    for i in range(n):
        x = x[1:] * x[:-1]
    return np.sum(x)


@program(sample(3), 3, static="n")
def array_set_by_an_inner_loop_alone(x, n):
    t = x
    for j in range(n):
        for i in range(j):
            u = x * (i + 1.0)
        for i in range(j):
            t = t * u
    return np.sum(t * u)


@program(sample(3), 2, static="n")
def array_named_by_a_loop_alone(x, n):
    ws = [x, x * 2.0, np.ones(4)]
    for i in range(n):
        t = ws[i]
    for j in range(n):
        for i in range(j):
            v = x
    return np.sum(t * t) + np.sum(v)


@program(sample(4, 3), 3)
def first_set_in_an_inner_loop_and_a_whole_number_for_a_real(x, n):
    r = 0.5 * n
    for j in range(2):
        for i in range(j):
            t = x[: i + 1]
            r += np.mean(t)
    return np.mean(t) + r


@program(sample(3))
def pairs_computed_before_the_loop(x):
    d = x * 1.0
    s = 0.0
    for a, k in ((1, d * 2), (x[0], -d)):
        s = s + a * np.sum(k)
        d *= 0.5
    return s


@program(sample(3))
def pairs_of_items_that_the_loop_scales(x):
    d = x * 1.0
    s = 0.0
    for a, (k, j) in ((1, (d[0], 2)), (x[0], (d[1], d * 2))):
        s = s + a * k * np.sum(j)
        d *= 3.0
    return s + d[0]


@program(sample(3))
def pairs_of_items_that_the_loop_sets(x):
    held = [x[0], x[1]]
    s = 0.0
    for a, k in ((1, held[0]), (x, held[1])):
        s = s + np.sum(a * k)
        held[1] = s
    return s


@program(sample(3))
def pairs_by_a_function_that_changes_what_it_reads(x):
    d = x * 1.0

    def moved(v):
        d[0] += 1.0
        return v * d[0]

    s = 0.0
    for a, k in ((1, moved(x[0])), (x[0], moved(x[1]))):
        s = s + a * k
        d *= 3.0
    return s * d[0]


@program(sample(3))
def side_by_side_computed_before_the_loop(x):
    d = x * 1.0
    s = 0.0
    for a, k in zip((1, x[0] * 2), (d[0], d[1] * d[0])):
        s = s + a * k
        np.multiply(d, 3.0, out=d)
    for i, k in enumerate((1, x[0] * 2, d)):
        s = s + i * np.sum(k)
        d *= 0.3
    return s


class Moving:
    def __init__(self, place, speed):
        self.place = place
        self.speed = speed

    def step(self, force):
        self.speed = self.speed + 0.1 * force
        self.place = self.place + 0.1 * self.speed


@program(sample(2), sample(2, seed=1), 2, static="n")
def objects_with_a_sign(x, v, n):
    p, q = Moving(x.copy(), v), Moving(-x, 0.5 * v)
    for _ in range(n):
        d = p.place - q.place
        for body, sign in ((p, 1), (q, -1)):
            body.step(-2.0 * sign * d)
    return np.sum((p.place - q.place) ** 2) + np.sum(p.speed * q.speed)


@program(sample(2), sample(2, seed=1))
def objects_with_a_force(x, v):
    p, q = Moving(x.copy(), v), Moving(-x, 0.5 * v)
    d = p.place - q.place
    for body, force in ((p, d * 2), (q, -d)):
        body.step(force)
        d *= 0.5
    for body, force in ((p, d[0]), (q, d[1])):
        body.step(force)
        d *= 0.5
    return np.sum((p.place - q.place) ** 2) + np.sum(p.speed * q.speed)


@program(sample(3))
@program(np.zeros(0))
def what_a_loop_over_nothing_leaves(x):
    last = 1.5
    row = np.ones(2)
    s = 0.0
    for last in x:
        s += last**2
    for row in np.outer(x, [1.0, 2.0]):
        s += row[1] * last
    return s * last + np.sum(row**2) * last + np.sum(x)


@program([1.0, 2.5], [3.0, 0.5])
def pairs_with_one_name(xs, ys):
    s = 0.0
    for pair in zip(xs, ys, strict=True):
        s += pair[0] ** 2 * pair[1]
    return s * pair[1]


@program([1.0, 2.5], [3.0, 0.5])
def numbered_pairs_with_one_name(xs, ys):
    s = 0.0
    for k, pair in enumerate(zip(xs, ys, strict=False)):
        a, b = pair
        s += a**2 * b * (k + 1)
    return s


@program([1.0, 2.5], [3.0, 0.5])
def pairs_of_pairs(xs, ys):
    s = 0.0
    for pair, x in zip(zip(xs, ys, strict=True), xs, strict=True):
        s += pair[0] * pair[1] * x
    return s


@program([1.0, 2.5, 0.5], [3.0])
def pairs_that_are_kept(xs, ys):
    kept = []
    for pair in zip(xs, range(1, 4), strict=True):
        kept.append(pair)
    return kept[0][0] * kept[1][0] ** 2 * kept[1][1] + ys[0] * len(kept)


@program(sample(2, 3), sample(2, 3, seed=1))
def pairs_of_rows(X, Y):
    s = 0.0
    for pair in zip(X, Y, strict=True):
        s += np.sum(pair[0] * pair[1]) * sum(map(np.sum, pair))
    return s


@program([1.0, 2.5], [3.0, 0.5])
def pairs_taken_apart_by_a_function(xs, ys):
    return sum(itertools.starmap(operator.mul, itertools.pairwise(xs))) * sum(operator.mul(*p) for p in zip(xs, ys, strict=True))


TABLE = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])


@program(sample(3))
def beside_a_row_that_does_not_vary(x):
    s = 0.0
    for p, b in zip(x, TABLE[0]):
        s += p * p * b
    return s + sum(p * b for p, b in zip(x, TABLE.T[:, 1]))


@program(sample(3))
def beside_what_is_computed_of_a_table(x):
    s = 0.0
    for k, (p, b) in enumerate(zip(x, TABLE[1] * 2)):
        s += p**k * b
    for p, (b, c) in zip(reversed(x), zip(TABLE.ravel(), [v * v for v in TABLE[0]])):
        s += p * b + p * p * c
    return s


@program(sample(3))
def beside_a_row_that_the_loop_changes(x):
    table, s = TABLE.copy(), 0.0
    for p, b in zip(x, table[1]):
        s += p * b
        table[1] *= 2.0
    return s


@program(sample(3))
def beside_rows_and_sorted_items(x):
    s = 0.0
    for p, row, b in zip(x, TABLE.T, sorted(TABLE[1])):
        s += p * row[0] * row[1] + b * p**2
    return s


@program(sample(2, 3))
def local_of_an_inner_loop_that_is_read_behind_it(x):
    s = 0.0
    for t in range(2):
        for f in range(3):
            r = np.sin(x[:, f])
        s += np.sum(r * r) * (t + 1.0)
    return s


@program(sample(2, 3))
def local_of_an_inner_loop_that_is_left(x):
    s = 0.0
    for t in range(4):
        f = 0
        while f < 3:
            r = {"row": x[:, f], "first": x[0, f]}
            f += 1
            if f == 2:
                break
        s += np.sum(r["row"] ** 2) * r["first"]
        if s > 3.0:
            break
    return s


@program(sample(2, 3))
def local_of_an_inner_loop_that_is_deleted(x):
    s = 0.0
    for _ in range(2):
        for f in range(3):
            r = x[:, f]
            q = r * 2.0
        s += np.sum(r * q)
        del r
    return s


@program(sample(3, 3))
def local_of_an_inner_loop_of_changing_length(x):
    s = 0.0
    for t in range(1, 3):
        for f in range(1, 3):
            r = x[:t, :f]
            w = r[0] * f
        s += np.sum(r * r) + np.sum(w)
    return s


@program([1.0, 2.5], [3.0, 0.5])
def pairs_of_pairs_that_have_one_name(xs, ys):
    s = 0.0
    for both in zip(zip(xs, ys, strict=True), xs, strict=True):
        pair, x = both
        s += pair[0] * pair[1] * x
    return s


@program(sample(3))
def pairs_beside_a_count(x):
    s = 0.0
    for (v, w), k in zip(zip(x, x[1:]), itertools.count(1)):
        s += v * w * k
    for (i, v), k in zip(enumerate(x), itertools.count(2)):
        s += v * i * k
    return s
