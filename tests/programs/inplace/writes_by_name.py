# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Functions that write into an argument, in every way of giving them their arguments: by place, by name, with options."""

import numpy as np

from ..corpus import program, sample

MASK = np.array([[True, False, True], [False, True, True]])
PLACES = np.array([[0, 2], [2, 1]])


@program(sample(2, 3), sample(2, 3, seed=1))
def copyto_by_names(x, y):
    a = x * x
    np.copyto(dst=a, src=y)
    np.copyto(a[0], src=y[1] * x[0], casting="same_kind")
    return np.sum(a * a * x)


@program(sample(2, 3), sample(2, 3, seed=1))
def copyto_with_options_by_place(x, y):
    a = x * x
    np.copyto(a, y * y, "same_kind", MASK)
    np.copyto(a[1], x[0], "unsafe", True)
    return np.sum(a * a * x)


@program(sample(2, 3), sample(2, 3, seed=1))
def copyto_where_and_casting(x, y):
    a = x * x
    np.copyto(a, y * y, where=MASK, casting="same_kind")
    return np.sum(a * a * x)


@program(sample(2, 3), sample(2, seed=1))
def put_by_names(x, v):
    a = x * x
    np.put(a=a, ind=[0, 4], v=v)
    np.put(a, [1, 2], v=v * v)
    return np.sum(a * a * x)


@program(sample(2, 3), sample(2, seed=1))
def put_beyond_the_end(x, v):
    a = x * x
    np.put(a, [1, 8], v, "wrap")
    np.put(a, [0, 9], v * v, mode="clip")
    a.put([10, 3], values=v * 2.0, mode="wrap")
    return np.sum(a * a * x)


@program(sample(2, 3), sample(2, seed=1))
def the_method_put_by_names(x, v):
    a = x * x
    a.put(indices=[0, 4], values=v)
    a.put([1, 2], values=v * v)
    return np.sum(a * a * x)


@program(sample(2, 3), sample(4, seed=1), sample(2, 3, seed=2))
def place_and_putmask_by_names(x, v, w):
    a = x * x
    np.place(arr=a, mask=MASK, vals=v)
    b = x * w
    np.place(b, MASK, vals=v)
    np.putmask(b, mask=~MASK, values=w)
    return np.sum(a * b * x)


@program(sample(2, 3), sample(2, 2, seed=1))
def put_along_axis_by_names(x, v):
    a = x * x
    np.put_along_axis(arr=a, indices=PLACES, values=v, axis=1)
    b = x * x
    np.put_along_axis(b, values=v * v, indices=PLACES, axis=-1)
    return np.sum(a * b * x)


@program(sample(2, 3), 0.7)
def fill_diagonal_by_names(x, s):
    a = x * x
    np.fill_diagonal(a=a, val=s)
    b = x * x
    np.fill_diagonal(b, val=s * s)
    c = np.zeros((2, 2, 2)) + x[0, 0]
    np.fill_diagonal(c, s)
    return np.sum(a * b * x) * np.sum(c * c)


@program(sample(2, 3), 0.7)
def nan_to_num_in_place(x, s):
    a = np.where(MASK, x * 2.0, np.nan)
    np.nan_to_num(a, False, s)
    b = np.where(MASK, x * 3.0, np.nan)
    np.nan_to_num(x=b, copy=False, nan=s * s)
    return np.sum(a * b) + np.sum(np.nan_to_num(np.where(MASK, x, np.nan), nan=s) ** 2)


@program(sample(2, 3), sample(2, 3, seed=1))
def choices_one_by_one(x, y):
    return np.sum((PLACES.repeat([1, 2], axis=1) % 2).choose(x, y * y) * x)


@program(np.arange(1.0, 6.0))
def fewer_values_than_places(x):
    a = x * 1.0
    np.put(a, [0, 1, 2, 3], [x[0] * x[1], x[2] ** 2])
    b = x * 2.0
    b.flat[[4, 1, 2]] = [x[3] * x[1], x[2] ** 3]
    return np.sum(a * a * x) + np.sum(b * b * x)
