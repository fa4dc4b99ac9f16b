# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Names that are deleted once they are not read any more, but in a backward sweep."""

import itertools

import numpy as np

from ..corpus import program, sample

V = np.array([1.3, -0.7, 2.1, 0.4])


@program(V)
def array_whose_shape_is_read(x):
    y = x * 2
    y[0] = 3.0
    z = np.sum(y)
    del y
    return z


@program(sample(2, 2))
def view_that_is_deleted(m):
    m = m * 1.0
    t = m.T
    m[0] = t[1].copy()
    del t
    return np.sum(m * m)


@program(V)
def parts_deleted_in_a_loop(x):
    y = x * 2
    for k in range(3):
        w = y[k : k + 1] * x[k]
        w[0] *= 2.0
        y[k] = w[0]
        del w
    return np.sum(y)


@program(V)
def masked_items_squared(x):
    x[x < 0] = x[x < 0] ** 2
    return np.sum(x)


@program(V)
def leak_of_what_is_negative(x):
    out = x * 1.5
    out[x < 0] = 0.1 * out[x < 0]
    return out.sum()


@program(V)
def filled_up_with_what_varies(x):
    s = 0.0
    for u, v in itertools.zip_longest(x, x[:2], fillvalue=x[3]):
        s += u * v
    return s


@program(V)
def nothing_to_fill_up(x):
    s, a = 0.0, x[0] * x[1]
    for u, v in itertools.zip_longest(x, x * 2, fillvalue=a):
        s += u * v
    return s
