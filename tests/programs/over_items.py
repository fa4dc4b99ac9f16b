# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Functions of numbers over the items of arrays, and items by `x.flat` and `ufunc.at`."""

import numpy as np

from .corpus import program, sample

SQUARES = np.vectorize(lambda v: np.sum(v * v), signature="(n)->()")
GATED = np.vectorize(lambda a, b: a * b if a > 0.9 else b, otypes=[float])
LINES = np.vectorize(lambda a, p: a * p[0] + p[1], excluded={1})
NAMED_LINES = np.vectorize(lambda a, p: a * p[0] + p[1], excluded=["p"])


@np.vectorize(otypes=[float])
def scaled(t, u=2.0):
    return t * t * u


@program(sample(2, 3))
def rows_by_a_signature(x):
    return np.sum(SQUARES(x) ** 2) + SQUARES(x[0])


@program(sample(2, 3))
def rows_against_a_row(x):
    return np.sum(np.vectorize(lambda v, w: v @ w, signature="(n),(n)->()")(x, x[0]) ** 2)


@program(sample(2, 3))
def rows_of_rows(x):
    return np.sum(np.vectorize(lambda v: v * np.sum(v), signature="(n)->(n)")(x) ** 2)


@program(sample(2, 3))
def with_the_type_of_results(x):
    return np.sum(GATED(x, x[0]))


@program(sample(2, 3))
def with_an_argument_left_out(x):
    return np.sum(LINES(x, x[0])) + np.sum(NAMED_LINES(x, p=x[1]) ** 2)


@program(sample(2, 3))
def with_defaults_and_by_name(x):
    return np.sum(scaled(x)) + np.sum(scaled(x, u=x))


@program(sample(2, 3))
def three_and_four_arguments(x):
    three = np.vectorize(lambda a, b, c: a * b + c)(x, x[0], 1.0)
    return np.sum(three * np.vectorize(lambda a, b, c, d: a * b + c * d)(x, x[0], 2.0, x))


@program(sample(2, 3))
def two_results(x):
    a, b = np.vectorize(lambda t: (t * t, t + 1.0))(x)
    return np.sum(a * b)


@program(sample(2, 3))
def bound_to_a_name(x):
    grown = np.vectorize(lambda t, k: t * t * k)
    return np.sum(grown(x, x[1]) * grown(2.0, x))


@program(sample(2, 3))
def whole_numbers_beside_real_ones(x):
    return np.sum(np.vectorize(lambda n, t: t**n)(np.arange(3), x))


@program(sample(2, 3))
def a_mask_of_truths(x):
    return np.sum(np.vectorize(lambda t: t > 1.0)(x) * x)


@program(sample(2, 3))
def objects_made_numbers_of(x):
    product = np.frompyfunc(lambda a, b: a * b, 2, 1)
    return np.sum(product(x, x[0]).astype(float) ** 2)


@program(sample(2, 3))
def items_one_by_one(x):
    total = 0.0
    for k, v in enumerate(x.flat):
        total += k * v * v
    return total + sum(v**3 for v in x.T.flat)


@program(sample(2, 3))
def items_that_change_meanwhile(x):
    y = x.copy().T
    for v in y.flat:
        y[0, 1] += 0.1 * v * v
    return np.sum(y**2)


@program(sample(2, 3))
def items_by_a_name_that_change_before(x):
    y = x.copy().T
    items = y.flat
    y[0] *= 2.0
    return sum(v * v for v in items)


@program(sample(2, 3))
def items_given_to_functions(x):
    return np.sum(x.flat) * np.dot(x.flat, np.arange(6.0)) + max(x.flat) + np.sum(x.flat.copy() ** 2)


@program(sample(2, 3))
def products_at_places_named_twice(x):
    y = x.copy()
    np.multiply.at(y, (0, [1, 1, 2]), x[1])
    return np.sum(y**2)


@program(sample(2, 3))
def largest_at_places_named_twice(x):
    y = x.copy()
    np.maximum.at(y, (0, [1, 1, 2]), 1.1 * x[1])
    return np.sum(y**2)


@program(sample(2, 3))
def quotients_and_signs_at_places(x):
    y = x.copy()
    np.divide.at(y[:, 1:], ([0, 0, 1], [0, 0, 1]), x[1])
    np.negative.at(y, (0, [1, 2, 2]))
    return np.sum(y**3)


@program(sample(2, 3))
def more_values_than_places(x):
    y = x.copy()
    np.put(y[0], [0, 1], x[1])
    np.put(y[:, 1:], [3, 1], x[1] ** 2)
    return np.sum(y**2)


@program(sample(2, 3))
def items_of_a_view_squared(x):
    y = x.copy()
    v = y[:, 1:]
    v.flat[[0, 3]] = x[1, :2] ** 2
    v.flat[[0, 3]] *= x[1, :2]
    return np.sum(y**3)


def _picked(items, k):
    t = items[k]
    return np.exp(t) * items[k]


@program(sample(2, 3))
def items_that_a_helper_picks(x):
    y = x.copy()
    v = y.T
    v[0] *= 2
    t = _picked(v.flat, [0, 3]) * _picked(v.flat, slice(1, 3))
    u = _picked(y.flat, 2)
    v[1] *= 3
    return np.sum(t) * u + np.sum(y**3)


def _set(items, s):
    if s > 0:
        items[1] = s * s
        items[2] *= items[3]
    items[[0, 3]] = s * s
    return items[1]


@program(sample(2, 3))
def items_that_a_helper_sets(x):
    y = x.copy()
    r = _set(y[:, 1:].flat, x[0, 0]) * _set(y.flat, x[1, 0])
    return np.sum(y**3) * r


@program(sample(2, 3))
def items_under_a_name_of_an_array_that_is_changed(x):
    y = x.copy()
    items = y.flat
    y[0] *= x[1]
    return np.sum(items[[0, 3]]) * items[2]
