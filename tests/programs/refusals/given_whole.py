# ruff: noqa
# The functions are what people write, lint included: to tidy them up would take cases away.
"""Functions that put reals into arrays of whole numbers, which are such since `3` was given for `3.0`.

NumPy cuts off what is put there: the value is not that for `3.0`, and its derivative is not what was asked for.
"""

import numpy as np


class Box:
    def __init__(self, k):
        self.x = np.array([k, k])

    def set(self, a):
        self.x[0] = a


def put_in(x, a):
    x[0] = a


def cumulated(a, k):
    x = np.full(4, k)
    for i in range(3):
        x[i + 1] = x[i] * a
    return np.sum(x)


def filled(a, k):
    x = np.array([k, k])
    x.fill(a)
    return np.sum(x) * 2


def put_by_places(a, k):
    x = np.array([k, k])
    x.put([0], [a])
    return np.sum(x) * 2


def into_the_flat_items(a, k):
    x = np.array([[k, k]])
    x.flat[1] = a
    return np.sum(x) * 2


def all_flat_items(a, k):
    x = np.array([k, k])
    x.flat = a
    return np.sum(x) * 2


def by_a_helper(a, k):
    x = np.array([k, k])
    put_in(x, a)
    return np.sum(x) * 2


def into_a_view(a, k):
    x = np.array([k, k])
    y = x[1:]
    y[0] = a
    return np.sum(x) * 2


def into_the_rows(a, k):
    x = np.array([[k, k], [k, k]])
    for row in x:
        row[0] = a
    return np.sum(x) * 2


def taken_apart(a, k):
    x = np.array([k, k])
    x[0], x[1] = a, 2 * a
    return np.sum(x) * 2


def by_a_loop(a, k):
    x = np.array([k, k])
    for x[0] in (a, 2 * a):
        pass
    return np.sum(x) * 2


def added(a, k):
    x = np.array([k, k])
    x[0] += a / 2
    return np.sum(x) * 2


def inserted(a, k):
    return np.sum(np.insert(np.array([k, k]), 1, a)) * 2


def padded(a, k):
    return np.sum(np.pad(np.array([k, k]), 1, constant_values=a)) * 2


def made_like_one(a, k):
    return np.sum(np.full_like(np.array([k, k]), a)) * 2


def zeros_like_one(a, k):
    x = np.zeros_like(np.array([k, k]))
    x[0] = a
    return np.sum(x) * 2


def made_of_a_product(a, k):
    x = np.arange(3) * k
    x[0] = a
    return np.sum(x) * 2


def in_pieces(a, k):
    return np.sum(np.piecewise(np.array([k, k]), [np.array([True, False])], [lambda v: v * a, lambda v: v]))


def in_an_object(a, k):
    b = Box(k)
    b.set(a)
    return np.sum(b.x) * 2


def in_a_list(a, k):
    xs = [np.array([k, k]) for _ in range(2)]
    xs[1][0] = a
    return np.sum(xs[1]) * 2


def in_a_dict(a, k):
    d = {"x": np.full(2, k)}
    d["x"][0] = a
    return np.sum(d["x"]) * 2


def into_out(a, k):
    x = np.array([k, k])
    np.clip(np.ones(2) * a, 0, 5, out=x, casting="unsafe")
    return np.sum(x) * 2


def into_one_of_two_kinds(a, k):
    return summed_with(np.full(3, k), a) + summed_with(np.full(3, a), 2 * a)


def summed_with(x, a):
    x[0] = a
    return np.sum(x)


def chosen_by_a_flag(a, k, flag=True):
    x = np.full(3, k) if flag else np.ones(3)
    x[0] = a
    return np.sum(x)


def made_on_a_branch(a, k):
    if a > 1:
        x = np.full(3, k)
    else:
        x = np.ones(3)
    x[0] = a * 2
    return np.sum(x) * a


CASES = [
    (function, (1.7, 3), "array of whole numbers")
    for function in (
        cumulated,
        filled,
        put_by_places,
        into_the_flat_items,
        all_flat_items,
        by_a_helper,
        into_a_view,
        into_the_rows,
        taken_apart,
        by_a_loop,
        added,
        inserted,
        padded,
        made_like_one,
        zeros_like_one,
        made_of_a_product,
        in_pieces,
        in_an_object,
        in_a_list,
        in_a_dict,
        into_out,
        into_one_of_two_kinds,
        chosen_by_a_flag,
        made_on_a_branch,
    )
]
