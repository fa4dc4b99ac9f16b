# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Elements that nothing overwrites after they are read, and others that look as if nothing did."""

import math

import numpy as np

from ..corpus import program, sample

POSITIVE = 1.0 + np.abs(sample(6))
SPD = sample(4, 4) @ sample(4, 4).T + 2.0 * np.eye(4)


@program(sample(6))
def before_the_first_is_the_last(a):
    for i in range(len(a)):
        a[i] = a[i] * a[i - 1]
    return np.sum(a * a)


@program(sample(6))
def guarded_against_the_first(a):
    for i in range(len(a)):
        if i > 0:
            a[i] = math.sin(a[i] * a[i - 1])
    return np.sum(a * a)


@program(sample(6), 2, static="sweeps")
def each_sweep_overwrites(a, sweeps):
    for t in range(sweeps):
        for i in range(1, len(a)):
            a[i] = a[i] * a[i - 1]
    return np.sum(a)


@program(sample(6))
def only_the_last_item_is_read(a):
    for i in range(len(a) - 1):
        a[i] = a[i] * a[-1]
    return np.sum(a * a)


@program(sample(6))
def the_last_item_changes_last(a):
    for i in range(len(a)):
        a[i] = a[i] * a[-1]
    return np.sum(a * a)


@program(sample(7))
def backwards(a):
    for i in range(len(a) - 2, -1, -1):
        a[i] = a[i] + a[i + 1] * a[i + 1]
    return np.sum(a * a)


@program(sample(7))
def backwards_into_what_comes(a):
    for i in reversed(range(1, len(a))):
        a[i] = a[i] * a[i - 1]
    return np.sum(a * a)


@program(sample(8))
def red_then_black(a):
    n = len(a)
    for i in range(1, n - 1, 2):
        a[i] = a[i - 1] * a[i + 1]
    for i in range(2, n - 1, 2):
        a[i] = a[i - 1] * a[i + 1]
    return np.sum(a * a)


@program(sample(8))
def evens_from_odds(a):
    for i in range(1, len(a), 2):
        a[i - 1] = a[i] * a[i] * a[i - 1]
    return np.sum(a * a)


@program(sample(6), sample(6))
def a_slice_afterwards(a, b):
    c = np.zeros(6)
    for i in range(1, 6):
        c[i] = c[i - 1] * a[i] + b[i]
    c[2:4] = c[2:4] * b[:2]
    return np.sum(c * c)


@program(sample(6), sample(6))
def a_slice_of_others_afterwards(a, b):
    c = np.ones(6)
    for i in range(1, 3):
        c[i] = c[i - 1] * a[i] + b[i]
    c[3:] = c[:3] * b[:3]
    return np.sum(c * c)


@program(sample(6), sample(6))
def scaled_as_a_whole_afterwards(a, b):
    c = np.ones(6)
    for i in range(1, 6):
        c[i] = c[i - 1] * a[i] + b[i]
    c *= 2.0
    return np.sum(c * c)


@program(sample(6))
def under_another_name(a):
    c = np.ones(7)
    tail = c[1:]
    for i in range(6):
        tail[i] = c[i] * a[i]
    return np.sum(c * c)


@program(sample(6))
def under_another_name_ahead(a):
    c = np.ones(7) + 0.5
    head = c[:-1]
    for i in range(6):
        x = c[i + 1] * a[i]
        head[i] = x * x
    return np.sum(c * c)


def halve(c, k):
    c[k] = 0.5 * c[k]


@program(sample(6))
def a_helper_overwrites(a):
    c = np.ones(6)
    for i in range(1, 6):
        c[i] = c[i - 1] * a[i]
        halve(c, i - 1)
    return np.sum(c * c)


def running(a):
    c = np.ones(len(a))
    for i in range(1, len(a)):
        c[i] = c[i - 1] * math.sin(a[i])
    return c


@program(sample(6))
def in_a_helper(a):
    c = running(a)
    c[0] = c[5] * c[1]
    d = running(c)
    return np.sum(d * c)


@program(sample(6))
def with_a_while_loop(a):
    i = 1
    while i < len(a):
        a[i] = a[i] * a[i - 1]
        i += 1
    return np.sum(a * a)


@program(sample(6), 2.0)
def until_it_is_large(a, most):
    for i in range(1, len(a)):
        a[i] = a[i] * a[i - 1] + 1.0
        if a[i] > most:
            break
    return np.sum(a * a)


@program(sample(4, 5))
def made_anew_for_each_row(a):
    s = 0.0
    for k in range(4):
        c = np.ones(5)
        for i in range(1, 5):
            c[i] = c[i - 1] * a[k, i]
        s += np.sum(c * c)
    return s


@program(sample(6))
def in_a_list(a):
    c = [1.0] * 6
    for i in range(1, 6):
        c[i] = c[i - 1] * a[i]
    return c[5] * c[2]


@program(sample(6))
def in_a_list_that_grows(a):
    c = [1.0]
    for i in range(1, 6):
        c.append(c[i - 1] * a[i])
    return c[5] * c[2]


@program(sample(6))
def in_a_list_that_shifts(a):
    c = [1.0] * 6
    for i in range(1, 6):
        c[i] = c[i - 1] * a[i]
        c.insert(0, a[i])
    return c[5] * c[2]


@program(sample(6).astype(np.float32), tol=5e-2)
def stored_with_fewer_digits(a):
    c = np.zeros(6, dtype=np.float32)
    for i in range(1, 6):
        c[i] = math.sin(a[i] - c[i - 1])
    return np.sum(c * c)


@program(sample(6))
def the_whole_is_read_as_well(a):
    s = 0.0
    for i in range(1, 6):
        s += np.sum(a * a)
        a[i] = a[i] * a[i - 1]
    return s + np.sum(a)


@program(sample(6))
def the_whole_is_updated_in_the_loop(a):
    for i in range(1, 6):
        a[i] = a[i] * a[i - 1]
        a[...] = np.sin(a)
    return np.sum(a)


@program(sample(6))
def at_places_read_off_a_list(a):
    order = [3, 1, 4, 0, 2, 5]
    for i in range(1, 6):
        a[order[i]] = a[order[i]] * a[order[i - 1]]
    return np.sum(a * a)


@program(sample(6))
def named_places(a):
    n = len(a)
    for i in range(1, n):
        k = n - 1 - i
        a[k] = a[k] * a[k + 1]
    return np.sum(a * a)


@program(sample(6))
def a_place_that_moves(a):
    k = 0
    for i in range(1, 6):
        a[i] = a[i] * a[k]
        k = i
    return np.sum(a * a)


@program(SPD)
def unit_lower_by_rows(a):
    n = len(a)
    for i in range(n):
        for j in range(n):
            m = min(i, j)
            for k in range(m):
                a[i, j] -= a[i, k] * a[k, j]
            if i > j:
                a[i, j] /= a[j, j]
    return np.sum(a * a)


@program(SPD)
def rows_of_a_factor(a):
    n = len(a)
    l = np.zeros((n, n))
    for j in range(n):
        l[j, j] = np.sqrt(a[j, j] - l[j, :j] @ l[j, :j])
        for i in range(j + 1, n):
            l[i, j] = (a[i, j] - l[i, :j] @ l[j, :j]) / l[j, j]
    return np.sum(l * l * l)


@program(np.triu(SPD), sample(4))
def solved_from_below(u, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s -= u[i, j] * x[j]
        x[i] = s / u[i, i]
    return np.sum(x * x)


@program(sample(3, 4), 0.5)
def soft_alignment(cost, gamma):
    n, m = cost.shape
    d = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        d[i, 0] = d[i - 1, 0] + 1.0
    for j in range(1, m + 1):
        d[0, j] = d[0, j - 1] + 1.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            x = math.exp(-(d[i - 1, j - 1] + cost[i - 1, j - 1]) / gamma)
            y = math.exp(-(d[i - 1, j] + 1.0) / gamma)
            z = math.exp(-(d[i, j - 1] + 1.0) / gamma)
            d[i, j] = -gamma * math.log(x + y + z)
    return d[n, m]


@program(sample(3, 4))
def rows_of_a_table(a):
    table = np.ones((4, 4))
    for t in range(1, 4):
        table[t] = np.sin(table[t - 1] * a[t - 1])
    return np.sum(table[3] * table[1])


@program(sample(3, 4))
def rows_of_a_table_over_again(a):
    table = np.ones((2, 4))
    for t in range(3):
        table[(t + 1) % 2] = np.sin(table[t % 2] * a[t])
    return np.sum(table[0] * table[1])


@program(sample(6))
def overwritten_if_something_is_raised(a):
    for i in range(1, 6):
        try:
            a[i] = a[i] * a[i - 1]
            if i == 3:
                raise ValueError
        except ValueError:
            a[i - 1] = a[i] * a[i]
    return np.sum(a * a)


@program(sample(6), True, static="forwards")
def one_of_two_orders(a, forwards):
    if forwards:
        for i in range(1, 6):
            a[i] = a[i] * a[i - 1]
    else:
        for i in range(1, 6):
            a[i - 1] = a[i] * a[i - 1]
    return np.sum(a * a)


@program(sample(6), False, static="forwards")
def one_of_two_orders_backwards(a, forwards):
    if forwards:
        for i in range(1, 6):
            a[i] = a[i] * a[i - 1]
    else:
        for i in range(1, 6):
            a[i - 1] = a[i] * a[i - 1]
    return np.sum(a * a)


@program(sample(5))
def exchanged(a):
    b = np.zeros(5)
    for i in range(1, 5):
        b[i] = b[i - 1] + a[i] * a[i - 1]
        a, b = b, a
    return np.sum(a * b)


@program(sample(4, 4))
def swept_by_columns(a):
    for j in range(1, 4):
        for i in range(4):
            a[i, j] = a[i, j] * a[i, j - 1] * a[3 - i, j - 1]
    return np.sum(a * a)


@program(sample(4, 4))
def all_pairs(d):
    for k in range(4):
        for i in range(4):
            for j in range(4):
                d[i, j] = math.sin(d[i, j] + d[i, k] * d[k, j])
    return np.sum(d)
