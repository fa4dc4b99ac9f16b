# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Functions of the standard library that are given what varies, and calls with `*` of lists of any length."""

import functools
import heapq
import itertools
import math
import statistics

import numpy as np

from .corpus import program, sample

XS = [1.3, 2.5, 3.5, 0.4]
YS = [0.5, 1.5, 2.0, 4.0]


def rest(a, *bs):
    return a * sum(bs)


def polynomial(x, a, b, c):
    return a * x * x + b * x + c


class Sum:
    def of(self, first, *others):
        return first + sum(b * b for b in others)


@program(XS)
def means(xs):
    plain = statistics.mean(xs) * xs[0] + statistics.fmean(x * x for x in xs)
    return plain + statistics.fmean(xs, weights=[x * x for x in xs]) + statistics.fmean(xs, YS) * xs[1]


@program(sample(5) + 3.0)
def means_of_an_array(v):
    return statistics.mean(v) * v[0] + statistics.geometric_mean(v) * statistics.harmonic_mean(v)


@program(tuple(XS))
def means_of_rates(xs):
    return statistics.geometric_mean(xs) + statistics.harmonic_mean(xs, weights=YS) + statistics.harmonic_mean(YS, xs)


@program(XS)
def spreads(xs):
    z = (xs[0] - statistics.mean(xs)) / statistics.stdev(xs)
    return z + statistics.pstdev(xs) * statistics.variance(xs) - statistics.pvariance(xs, mu=xs[1] * 0.5)


@program(XS)
def a_spread_about_a_mean(xs):
    center = statistics.mean(xs)
    return statistics.variance(xs, center) * xs[0] + statistics.stdev(xs, xbar=center)


@program(XS)
def ranks(xs):
    return statistics.median(xs) * statistics.median_low(xs) + statistics.median_high([x * x for x in xs[:3]]) ** 2


@program(XS)
def cuts(xs):
    q = statistics.quantiles(xs, n=5)
    return q[0] * q[3] + sum(statistics.quantiles([x * x for x in xs], n=3, method="inclusive"))


@program(XS, YS)
def lines_through_points(xs, ys):
    slope, intercept = statistics.linear_regression(xs, ys)
    through = statistics.linear_regression(xs, ys, proportional=True)
    return slope * intercept + through.slope + statistics.covariance(xs, ys) * statistics.correlation(xs, ys)


@program(XS)
def the_largest(xs):
    low = heapq.nsmallest(3, xs, key=lambda x: (x - 2.0) ** 2)
    return sum(heapq.nlargest(2, xs)) * low[0] + low[2] ** 2 + len(heapq.nlargest(9, xs)) * xs[0]


@program(XS)
def the_largest_pairs(xs):
    pairs = heapq.nlargest(2, [(x * x, k) for k, x in enumerate(xs)])
    return pairs[0][0] * pairs[1][0] + pairs[1][1]


@program(XS, 0.7)
def lengths_of_lists(xs, y):
    return math.hypot(*xs) * math.hypot(y, *xs) + math.hypot(*[x * x for x in xs], y)


@program(sample(4), 0.7)
def lengths_of_arrays(v, y):
    return math.hypot(*v) * math.hypot(*v, y)


@program(XS, YS)
def extremes_one_by_one(xs, ys):
    return max(*xs) * min(*xs, *ys) + max(*[x * y for x, y in zip(xs, ys)], 2.0) + min(*ys, key=lambda y: -y)


@program([1.3], raises=TypeError)
def an_extreme_of_one_item(xs):
    return max(*xs) * 2.0


@program(XS, 0.7)
def items_for_a_star(xs, y):
    return rest(*xs) + rest(y, *xs) + rest(y, y, *xs) + rest(*xs, y) + rest(y, *xs, y, *xs[1:])


@program(sample(4), 0.7)
def items_of_an_array_for_a_star(v, y):
    return rest(*v) + rest(y, *v * v, y)


@program(XS[:3], 0.7)
def as_many_items_as_it_takes(xs, y):
    return polynomial(y, *xs) * polynomial(*xs, y) + polynomial(*[x * x for x in xs], y)


@program(XS, 0.7)
def items_for_a_method(xs, y):
    return Sum().of(*xs) * Sum().of(y, *xs, y)


@program(XS)
def from_the_last_to_the_first(xs):
    folded = functools.reduce(lambda total, x: total * 0.5 + x, reversed(xs))
    return sum(reversed(xs)) * max(reversed(xs)) + math.fsum(reversed(xs[1:])) * math.prod(reversed(xs)) + folded


@program(XS)
def all_orders(xs):
    total = 0.0
    for a, b in itertools.permutations(xs, 2):
        total += a / b
    return total + sum(a * b * b * c for a, b, c in itertools.permutations([x * x for x in xs], 3))


@program(tuple(XS))
def choices_from_a_tuple(xs):
    return sum(a * b for a, b in itertools.combinations(xs, 2)) + sum(
        a / b for a, b in itertools.combinations_with_replacement(xs, 2)
    )


first_above = program(XS, 2.0)(lambda xs, level: next((x for x in xs if x > level), 0.0) * next(x for x in xs))


@program(XS)
def a_lambda_that_needs_lines(xs):
    best = lambda d: d[max(d, key=d.get)]
    return best({k: x * x for k, x in enumerate(xs)})


def exchange(xs):
    xs[1] = xs[0] * 5.0
    return xs[2] * 2.0


@program(XS)
def a_list_behind_a_star_that_a_later_argument_changes(xs):
    ys = [xs[0], xs[1], xs[2]]
    return polynomial(*ys, exchange(ys)) * ys[1] + rest(*ys, exchange(ys))


@program(XS)
def any_list_behind_a_star_that_a_later_argument_changes(xs):
    ys = list(xs)
    zs = [*ys, exchange(ys)]
    return sum(zs) * zs[1] + rest(*ys, exchange(ys)) + max(*ys, exchange(ys)) * math.hypot(*ys, exchange(ys))


@program(XS[:3])
def as_many_as_it_takes_of_which_a_later_argument_changes_one(xs):
    ys = list(xs)
    return polynomial(*ys, exchange(ys)) * ys[1]


@program(sample(3))
def an_array_behind_a_star_that_a_later_argument_changes(v):
    w = v * 2.0
    return polynomial(*w, exchange(w)) * w[1]


@program(XS)
def a_dict_behind_two_stars_that_a_later_argument_changes(xs):
    d = {"x": xs[0], "a": xs[1], "b": xs[2]}

    def change():
        d["a"] = xs[3] * d["a"]
        return d["x"]

    return polynomial(**d, c=change()) * d["a"]


@program(XS)
def items_one_by_one_of_a_list_that_changes(xs):
    ys = list(xs)
    for k in range(3):
        ys[0] = 0.1 * math.hypot(*ys) + ys[1]
        ys[2] *= rest(*ys) * 0.1
        ys[1] = max(*ys) * 0.5 + polynomial(*ys) * 0.01
    return ys[0] * ys[1] * ys[2]


@program(XS)
def statistics_of_a_list_that_changes(xs):
    ys = list(xs)
    for k in range(3):
        top = heapq.nlargest(2, ys)
        ys[0] = 0.1 * top[0] * top[1] + ys[1]
        top[1] = 7.0
        ys[2] *= statistics.mean(ys) * 0.1
        ys[1] = statistics.stdev(ys) + sum(reversed(ys)) * 0.1
    return ys[0] * ys[1] * ys[2]


@program([sample(2), sample(2, seed=1), sample(2, seed=2)])
def arrays_one_by_one_that_are_changed(rows):
    def into(a, *others):
        a *= others[1]
        others[0][:] += others[1] * a
        return np.sum(others[0])

    copies = [row * 2.0 for row in rows]
    total = 0.0
    for k in range(2):
        total += into(*copies)
    largest = heapq.nlargest(2, copies, key=lambda row: row[0])
    largest[0][:] = largest[1] * largest[0]
    return total + np.sum(copies[0] * copies[1] * copies[2])


@program(sample(3), 2.0)
@program(2.0, sample(3))
def unpacked_from_a_map(a, b):
    a, b = map(np.asarray, (a, b))
    return np.sum(a * b) + a.ndim


@program(sample(3), 2.0, 1)
def unpacked_from_a_map_of_a_list(a, b, n):
    (a, b, n) = map(np.array, [a, b, n])
    return np.sum(a * b * (n + 1))


@program(sample(3), 2.0)
def unpacked_from_a_generator(a, b):
    a, b = (np.asarray(v) for v in (a, b))
    return np.sum(a * b * b)


@program("3.5", 2.0)
def unpacked_from_a_map_of_floats(a, b):
    a, b = map(float, (a, b))
    return a * b


def as_floats(a, dtype=None):
    dtype = dtype if dtype is not None else np.float64
    if isinstance(a, (list, tuple)):
        a = list(a)
    return np.asarray(a, dtype)


@program([[1.0, 2.0], [3.0, 4.0]], np.array([0.5, 2.0]))
def lists_and_arrays_by_one_helper(m, v):
    return np.sum(np.matmul(as_floats(m), as_floats(v)[..., None]).squeeze(-1) ** 2)


@program(0.004, 12.0, -100.0, -500.0)
@program(np.array([0.004, 0.01]), 12.0, -100.0, -500.0)
def future_value(rate, periods, payment, present):
    rate, periods, payment, present = map(np.asarray, [rate, periods, payment, present])
    growth = (1 + rate) ** periods
    still = rate == 0
    divisor = np.where(still, 1, rate)
    factor = np.where(still, periods, (growth - 1) / divisor)
    return np.sum(-(present * growth + payment * factor))


@program(1.2, 0.7)
def unpacked_from_what_sets_names(x, y):
    def doubled(v):
        nonlocal y
        y = y * 2.0
        return v * y

    a, b = map(doubled, (x, y))
    c, d = (doubled(v) for v in (x, y))
    return a * b + y * c - d


@program(1.2, 0.7)
def unpacked_in_another_order(x, y):
    x, y, z = (np.sin(v) * x for v in (y, x, 2.0))
    x, y = map(np.cos, [y, x])
    return x * y * y * z
