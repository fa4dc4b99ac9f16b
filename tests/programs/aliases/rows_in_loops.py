# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Loops over an array hand out views of its rows; loops over a vector hand out numbers."""

import numpy as np

from ..corpus import program, sample


@program(sample(3, 2))
def rows_scaled(a):
    for row in a:
        row *= 2.0
        row[0] = row[1] ** 2
    return np.sum(a * a)


@program(sample(4))
def numbers_are_not_written_back(a):
    s = 0.0
    for v in a:
        v *= v
        s += v
    return s + np.sum(a)


@program(sample(3, 2))
def rebound_row_is_not_written_back(a):
    s = 0.0
    for row in a:
        row = row * 3.0
        row[0] = 1.0
        s += np.sum(row * row)
    return s * np.sum(a)


@program(sample(3, 2))
def rows_with_their_number(a):
    for i, row in enumerate(a):
        row += a[i - 1] * i
    return np.sum(a * a)


@program(sample(3, 2), sample(3, 2, seed=1))
def rows_of_two_matrices(a, b):
    for r, s in zip(a, b):
        r *= s
        s[:] = r + 1.0
    return np.sum(a * b)


@program(sample(3, 2))
def rows_of_the_same_matrix_twice(a):
    for r, s in zip(a, a[::-1]):
        r += 0.5 * s
    return np.sum(a * a)


@program(sample(2, 3))
def columns_scaled(a):
    for column in a.T:
        column /= np.sum(column)
    return np.sum(a**3)


@program(sample(3, 2))
def row_kept_after_the_loop(a):
    for row in a:
        row *= row[1]
    row[0] = a[0, 0] ** 2
    return np.sum(a * a) + np.sum(row)


@program(sample(3, 2))
def largest_row_kept(a):
    best = a[0]
    for row in a[1:]:
        if np.sum(row) > np.sum(best):
            best = row
    best *= best
    return np.sum(a * a)


@program(sample(4, 2))
def neighbouring_rows(a):
    for i in range(1, 4):
        above, here = a[i - 1], a[i]
        here += above * here
        above[0] = here[1]
    return np.sum(a * a)


@program(sample(3, 2))
def rows_collected_then_changed(a):
    rows = [row for row in a]
    rows[0] *= rows[1]
    rows[2][1] = rows[0][0]
    return np.sum(a * a)


@program(sample(3, 2))
def rows_collected_as_copies(a):
    rows = [row.copy() for row in a]
    rows[0] *= rows[1]
    rows[2][1] = rows[0][0]
    return np.sum(a * a) + np.sum(rows[0] * rows[2])


@program(sample(2, 2, 2))
def nested_loops_over_views(a):
    for plane in a:
        for row in plane:
            row *= plane[0, 0]
        plane += 0.1
    return np.sum(a**2)


@program(sample(3, 2))
def rows_sorted_by_reference(a):
    order = sorted(a, key=lambda row: row[0])
    order[0] *= 3.0
    order[-1][1] = order[0][0]
    return np.sum(a * a)


@program(sample(6))
def windows(x):
    for i in range(len(x) - 2):
        w = x[i : i + 3]
        w[1] = np.sum(w * w) * 0.3
    return np.sum(x * x)


@program(sample(6))
def blocks(x):
    for start in range(0, 6, 2):
        block = x[start : start + 2]
        block /= block[0] + block[1]
        block *= start + 1.0
    return np.sum(x * x)


@program(sample(4))
def shrinking_view(x):
    v = x
    while len(v) > 1:
        v[1:] *= v[0]
        v = v[1:]
    v[0] += 1.0
    return np.sum(x * x)


@program(sample(8))
def folding_view(x):
    v = x
    while len(v) > 1:
        n = len(v) // 2
        v[:n] += v[n:] * v[:n]
        v = v[:n]
    return v[0] * x[7] + x[1]


@program(sample(3, 3))
def view_moved_along_the_diagonal(a):
    v = a
    s = 0.0
    while v.size:
        v[0] *= v[0, 0]
        s += np.sum(v[:, 0])
        v = v[1:, 1:]
    return s * np.sum(a)


@program(sample(3, 2))
def pointer_to_a_row_moves(a):
    row = a[0]
    for i in range(1, 3):
        row *= a[i]
        row = a[i]
        row += a[i - 1]
    return np.sum(a * row)


@program(sample(4))
def previous_element_as_a_view(x):
    previous = x[0:1]
    for i in range(1, 4):
        current = x[i : i + 1]
        current *= previous
        previous += current
        previous = current
    return np.sum(x * x)
