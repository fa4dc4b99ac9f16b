# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Writes through masks and index arrays, and the functions that do the same: `put`, `copyto`, `add.at`."""

import numpy as np

from ..corpus import program, sample


WEIGHTS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])


@program(np.array([0.5, -0.7, 1.2, -0.4]))
def negative_ones_by_mask(x):
    a = x.copy()
    a[a < 0] = 0.1 * x[0]
    return np.sum(a * a)


@program(np.array([0.5, -0.7, 1.2, -0.4]))
def mask_with_values(x):
    a = x.copy()
    mask = x < 0
    a[mask] = x[mask] ** 2
    a[~mask] *= x[0]
    return np.sum(a * a)


@program(np.array([0.5, -0.7, 1.2, -0.4]))
def mask_from_the_array_it_changes(x):
    a = x.copy()
    for _ in range(3):
        a[a < 0.6] += 0.4 * x[2]
    return np.sum(a * a)


@program(sample(2, 3))
def mask_of_a_matrix(x):
    a = x * 1.0
    a[x > 1.0] = x[0, 2] ** 2
    a[np.array([True, False]), 1] = x[0, 0] * x[1, 1]
    return np.sum(a * a)


@program(sample(3), np.array([True, False, True]))
def mask_given(x, keep):
    x[keep] = x[keep] * x[1]
    return np.sum(x**2)


@program(sample(5))
def index_list(x):
    a = x.copy()
    a[[0, 3]] = x[[1, 2]] * x[4]
    return np.sum(a * a)


@program(sample(5))
def repeated_indices_last_write_wins(x):
    a = x.copy()
    a[[1, 1, 3, 1]] = x[:4] * x[4]
    return np.sum(a * a)


@program(sample(5))
def repeated_indices_augmented_once(x):
    """`a[i] += v` reads all, then writes all: of several the last remains."""
    a = x.copy()
    a[[1, 1, 3, 1]] += x[:4] * x[4]
    return np.sum(a * a)


@program(sample(5))
def repeated_indices_multiplied_once(x):
    a = x.copy()
    a[np.array([2, 0, 2])] *= x[:3]
    return np.sum(a * a)


@program(sample(5))
def add_at_accumulates(x):
    a = x.copy()
    np.add.at(a, [1, 1, 3, 1], x[:4] * x[4])
    return np.sum(a * a)


@program(sample(5))
def subtract_at_accumulates(x):
    a = np.zeros(3)
    np.subtract.at(a, np.array([0, 2, 0, 0, 2]), x * x)
    return np.sum(a**2)


@program(sample(4))
def multiply_at_accumulates(x):
    a = x[:2].copy()
    np.multiply.at(a, [0, 1, 0, 0], x)
    return np.sum(a * a)


@program(sample(4))
def add_at_in_a_matrix(x):
    a = np.zeros((2, 2))
    np.add.at(a, ([0, 1, 0, 0], [1, 1, 1, 0]), x * x[::-1])
    return np.sum(a**2)


@program(sample(3, 3))
def index_arrays_pairwise(x):
    a = x.copy()
    i = np.arange(3)
    a[i, i] = x[0] * x[1]
    a[i[:2], i[1:]] += x[2, :2]
    return np.sum(a * a)


@program(sample(3, 3))
def index_arrays_crossed(x):
    a = x.copy()
    a[np.ix_([0, 2], [1, 2])] = x[:2, :2] * x[2, 2]
    return np.sum(a * a)


@program(sample(3, 4))
def index_array_with_a_slice(x):
    a = x.copy()
    a[[2, 0], 1:3] = x[1, :2]
    a[:, [0, -1]] *= x[0, :2]
    return np.sum(a * a)


@program(sample(3, 3))
def triangle_by_indices(x):
    a = np.zeros((3, 3))
    a[np.tril_indices(3)] = x.ravel()[:6] ** 2
    a[np.triu_indices(3, 1)] = a.T[np.triu_indices(3, 1)]
    return np.sum(a @ a)


@program(sample(5))
def sorting_permutation(x):
    a = np.empty(5)
    a[np.argsort(x)] = x * np.arange(5.0)
    return np.sum(a * a * WEIGHTS[:5])


@program(sample(4))
def np_put(x):
    a = x.copy()
    np.put(a, [0, 2], x[1:3] * x[3])
    return np.sum(a * a)


@program(sample(2, 3))
def np_put_counts_flat(x):
    a = x.copy()
    np.put(a, [1, 5, -2], [x[0, 0] ** 2, x[0, 2], 3.0])
    return np.sum(a * a)


@program(sample(2, 3))
def np_put_along_axis(x):
    a = x.copy()
    np.put_along_axis(a, np.array([[1], [2]]), x[:, :1] ** 2, axis=1)
    return np.sum(a * a)


@program(np.array([0.5, -0.7, 1.2, -0.4]))
def np_putmask(x):
    a = x.copy()
    np.putmask(a, x < 0, x * x[0])
    return np.sum(a * a)


@program(np.array([0.5, -0.7, 1.2, -0.4]))
def np_place(x):
    a = x.copy()
    np.place(a, x < 0, x[:2] ** 2)
    return np.sum(a * a)


@program(sample(4))
def np_copyto(x):
    a = np.zeros((2, 4))
    np.copyto(a, x * x)
    np.copyto(a[0], x[::-1], where=np.array([True, False, False, True]))
    return np.sum(a[0] * a[1] * WEIGHTS[:4])


@program(sample(4))
def flat_elements(x):
    a = x.reshape(2, 2).copy()
    a.flat[1] = x[0] * x[3]
    a.flat[2:] *= x[1]
    return np.sum(a * a)


@program(sample(3, 3))
def fill_diagonal(x):
    a = x.copy()
    np.fill_diagonal(a, x[0] * x[1, 1])
    return np.sum(a @ a)


@program(sample(3))
def filled(x):
    a = x * x
    a.fill(x[0] * x[2])
    a[1] += x[1]
    return np.sum(a * a)


@program(sample(5))
def sorted_in_place(x):
    a = x * np.array([1.0, 3.0, 2.0, 5.0, 1.5])
    a.sort()
    return np.sum(a * WEIGHTS[:5])


@program(sample(2, 4))
def sorted_in_place_along_an_axis(x):
    a = x * x
    b = a * x
    a.sort(axis=0)
    a[1].sort()
    return np.sum(a * b)


@program(sample(4))
def partially_sorted_argument(x):
    x[1:].sort()
    return np.sum(x * x * WEIGHTS[:4])


@program(sample(4))
def resize_by_padding(x):
    padded = np.zeros(len(x) + 2)
    padded[1:-1] = x
    padded[0] = padded[1]
    padded[-1] = padded[-2]
    return np.sum(np.diff(padded, 2) ** 2)


@program(sample(4), 0.1)
def periodic_ghost_cells(u, h):
    g = np.empty(len(u) + 2)
    for _ in range(3):
        g[1:-1] = u
        g[0], g[-1] = u[-1], u[0]
        u = u + h * (g[2:] - 2 * g[1:-1] + g[:-2]) * u
    return np.sum(u**2)


@program(sample(2, 3), sample(2, seed=1))
def put_by_masks_of_another_shape(a, w):
    b = a * 1.0
    np.putmask(b, a.reshape(-1) > 0.2, w * 2)
    np.place(b, a.reshape(3, 2) > 0.9, w)
    return np.sum(b * b * a)


@program(sample(3), sample(3))
def last_item_by_dots_of_what_a_call_made(x, w):
    w[..., 0] = 1.0
    return np.sum(np.kron(w, x) * np.arange(9.0))


@program(sample(3, 4), 0.7)
def rows_by_places_after_one_was_set(a, s):
    b = a
    b[0] = s
    v = b[np.arange(len(b))]
    return np.sum(v * a[1])


@program(sample(4), 0.7)
def items_by_a_mask_after_some_were_set(x, s):
    y = x * 1.0
    y[1:] = s
    v = y[x > 0.5]
    return np.sum(v * v)


@program(sample(4), 0.7)
def stored_at_a_mask_of_no_items(x, s):
    y = x * 1.0
    y[y[1:1] > 0.5] = s
    return np.sum(y * y) * s


@program(sample(2, 3), sample(3))
def rows_that_a_list_picks_after_an_item_was_read(a, w):
    e = 0.0
    for r in w:
        e += r * a[0, 0]  # its index is no list of rows, though both are 0 and a whole number
    a[[0, 1]] = 1.0
    return np.sin(e)
