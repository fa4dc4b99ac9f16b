"""Whole numbers given for real ones: by whatever way they go into the result, they have partials like reals."""

import functools
import heapq
import itertools
import math
import operator
from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..corpus import program, sample


class Pair(NamedTuple):
    a: float
    b: float


@dataclass
class Range:
    low: float
    high: float


class Kept:
    def __init__(self, v):
        self.held = [v]


def _square(v):
    return v * v


@program(3, 2)
def appended(v, w):
    items = []
    items.append(v)
    items.append(w)
    return sum(items) * items[0] / 2


@program(3, 2)
def inserted(v, w):
    items = [w]
    items.insert(0, v)
    return items[0] * items[0] / items[1]


@program(3, 2)
def extended(v, w):
    items = [w]
    items.extend([v, v])
    return items[1] * items[2] / items[0]


@program(3, 2)
def set_as_default(v, w):
    table = {}
    table.setdefault("v", v)
    return table["v"] ** 2 / w


@program(3, 2)
def put_into_a_dict(v, w):
    table = {"w": w}
    table["v"] = v
    return sum(table.values()) / w


@program(3, 2)
def put_at_the_left(v, w):
    waiting = deque([w])
    waiting.appendleft(v)
    return waiting[0] * waiting[1] / 4


@program(3, 2)
def pushed_on_a_heap(v, w):
    heap = []
    heapq.heappush(heap, v)
    heapq.heappush(heap, w)
    return heapq.heappop(heap) ** 2 / heap[0]


@program(3, 2)
def popped(v, w):
    items = [v, w]
    last = items.pop()
    return last * last / items.pop()


@program(3, 2)
def repeated(v, w):
    return sum([v] * 3) * sum([v / w] * 2)


@program(3, 2)
def starred(v, w):
    first, *rest = [v, w, v]
    return first * sum(rest) / w


@program(3, 2)
def summed_by_generator(v, w):
    return sum(item * item / w for item in (v, w))


@program(3, 2)
def listed(v, w):
    squares = [item * item for item in [v, w]]
    return squares[0] / squares[1]


@program(3, 2)
def reduced(v, w):
    return functools.reduce(operator.mul, [v, w, v], 0.5)


@program(3, 2)
def paired(v, w):
    return sum((b - a) ** 2 for a, b in itertools.pairwise([v, w, 0.5]))


@program(3, 2)
def replaced(v, w):
    pair = Pair(v, w)._replace(b=v / w)
    return pair.a * pair.b


@program(3, 2)
def held(v, w):
    kept = Kept(v)
    kept.held.append(w)
    return kept.held[0] ** 2 / kept.held[1]


@program(3, 2)
def larger(v, w):
    return v * v / 4 if v > w else w * v / 2


@program(3, 2)
def compared_under_other_names(v, w):
    first, second = [v, w]
    if first > second:
        first, second = second, first
    return first * first / second


@program(3, 2)
def largest_by_hand(v, w):
    best, place = v, 0
    for k, item in enumerate([w, v, w]):
        if item > best:
            best, place = item, k
    return best * best / 3 + place


@program(3, 2)
def sorted_by_hand(v, w):
    items = [v, w, v / 2]
    for i in range(2):
        for j in range(2 - i):
            if items[j] > items[j + 1]:
                items[j], items[j + 1] = items[j + 1], items[j]
    return items[0] + items[1] ** 2 + items[2] ** 3


@program(3, 2)
def sorted_by_python(v, w):
    low, high = sorted([v, w])
    return low * low / high


@program(3, 2)
def of_an_array(v, w):
    return np.sum(np.array([v, w, v]) ** 2) / w


@program(3, 2)
def filled(v, w):
    return np.sum(np.full(3, v) * w) / 3


@program(3, 2)
def through_a_helper(v, w):
    def add(items, item):
        items.append(item)

    items = []
    add(items, v)
    add(items, w)
    return items[0] * items[0] / items[1]


@program([Pair(3, 2.0)])
@program([Pair(3, 2.0), Pair(1.0, 0.5)])
def replaced_in_a_list(pairs):
    total = functools.reduce(lambda s, p: Pair(s.a + p.a, s.b + p.b), pairs, Pair(0.0, 0.0))
    mean = total._replace(a=total.a / len(pairs))
    return mean.a**2 * mean.b + sum(p[0] for p in pairs)


@program([[3, 2.0]])
@program([(3, 2.0), (1, 0.5)])
def appended_out_of_a_list(pairs):
    firsts = []
    for first, second in pairs:
        firsts.append(first * second)
        firsts.append(first)
    return sum(firsts) * firsts[1]


@program([2, 3, 1])
def starred_of_a_list(xs):
    first, *rest = xs
    *most, last = xs
    return first * sum(rest) + last * len(most) + sum(v * v for v in most) / 2


@program(1.5, 2)
def legendre(x, y):
    p, q = 1.0, x * y
    for k in (2, 3):
        p, q = q, ((2 * k - 1) * x * y * q - (k - 1) * p) / k
    return q


@program([2, 3, 1])
def mapped(xs):
    return sum(map(_square, xs)) / 3


@program([2, 3, 1])
def mapped_by_a_root(xs):
    return sum(map(math.sqrt, xs)) * math.fsum(map(float, xs))


@program([2, 3, 1])
def mapped_with_itself(xs):
    return sum(map(operator.mul, xs, xs)) * max(map(abs, xs))


@program([2, 3, 1])
def run_over_a_map(xs):
    total = 0.0
    for v in map(_square, xs):
        total += v / 2
    return total


@program([2, 3, 1])
def listed_from_a_map(xs):
    return sum(list(map(_square, xs))) / 4


@program([2, 3, 1])
def filtered(xs):
    return sum(v * v for v in filter(lambda v: v > 1.5, xs)) / 3


@program([2, 3, 1])
def of_products(xs):
    return sum(x * y * y for x, y in itertools.product(xs, xs)) / 4


@program([2, 3, 1])
def of_pairs(xs):
    return sum(x / y for x, y in itertools.pairwise(xs)) + sum(x * y for x, y in itertools.combinations(xs, 2))


@program([2, 3, 1])
def accumulated(xs):
    return sum(v * v for v in itertools.accumulate(xs)) / 3


@program([2, 3, 1])
def chained_twice(xs):
    return sum(list(itertools.chain.from_iterable([xs, xs]))) * sum(itertools.chain(xs, xs))


@program([2, 3, 1])
def reduced_to_a_product(xs):
    return functools.reduce(operator.mul, xs) / 2


@program([2, 3, 1])
def first_ones(xs):
    return sum(itertools.islice(xs, 2)) * sum(itertools.takewhile(lambda v: v > 1.5, xs))


@program([2, 3, 1])
def product_of_a_list(xs):
    return math.prod([v + 1 for v in xs]) / 2


@program({"a": 2, "b": 3})
@program({"a": 2, "b": 3.0})
def by_key(table):
    return table["a"] * table["b"] ** 2 / 3


@program({"a": 2, "bb": 3})
@program({5: 2, 6: 3})
def values_of_a_dict(table):
    return sum(v * v for v in table.values()) * max(table.values()) / 3


@program(1.5, {5: 2, 6: 3})
def coefficients_by_power(x, table):
    return sum(c * x**k for k, c in table.items()) / 2


@program({"a": [2, 1], "b": [3]})
@program({"a": (2, 1), "b": (3, 4)})
def lists_in_a_dict(table):
    total = 0.0
    for items in table.values():
        for v in items:
            total += v * v / 2
    return total


@program({"p": {"a": 2, "b": 3}})
def dicts_in_a_dict(table):
    return table["p"]["a"] * table["p"].get("b", 1) / 2


@program(Range(2, 3))
@program(Range(2, 3.0))
def fields(limits):
    return (limits.high - limits.low) ** 3 / limits.low


@program([Range(2, 3), Range(1, 4)])
@program([Range(2, 3), Range(1.0, 4)])
def fields_in_a_list(limits):
    return sum(limit.low * limit.high**2 for limit in limits) / 3


@program((1.5, Range(2, 3)))
def fields_beside_a_real(pair):
    return pair[0] * pair[1].low / pair[1].high


@program([{"a": 2, "b": 3}, {"a": 1, "b": 4}])
def dicts_in_a_list(tables):
    return sum(table["a"] / table["b"] for table in tables)


@program([[2, 1], [3, 4]])
@program([[2, 1, 5], [3, 4, 1]])
@program(((2, 1), (3, 4)))
def rows(matrix):
    return sum(v * v / row[0] for row in matrix for v in row) + np.sum(np.array(matrix) ** 2) / 3


def _of_keywords(**options):
    return options["k"] ** 2 / options["j"]


@program({"k": 3, "j": 2})
def passed_by_keyword(options):
    return _of_keywords(**options)


@program([3, 1, 4, 2])
@program((3, 1, 4, 2))
def quantiles(xs):
    return np.quantile(xs, 0.3) ** 2 + np.median(np.array(xs)) * xs[0] + np.percentile(np.asarray(xs), 40)


@program([3, 1, 4, 2])
def running_products(xs):
    return np.cumprod(xs).sum() / 3 + np.array(xs).cumprod()[2] * 1.5


@program([3, 1, 4, 2])
def of_a_matrix(xs):
    matrix = np.array(xs).reshape(2, 2)
    return np.trace(matrix) * 1.5 + np.einsum("ii", matrix) ** 2 / 3 + np.linalg.det(matrix) + np.sum(np.i0(xs))


@program([3, 1, 4])
@program([3.0, 1.0, 4.0])
def weighted_by_a_list(xs):
    return np.average(xs, weights=[1, 2, 3]) * 1.5


@program([3, 1, 4])
def where_the_largest_is(xs):
    first = xs[int(np.argmax(xs))] ** 2
    return first * xs[xs.index(min(xs))] + np.array(xs)[np.argsort(xs)][1] / 2 + np.array(xs)[np.array(xs) > 1.5].sum()


@program([3, 1, 4])
def asked_about(xs):
    total = sum(xs) ** 2 if np.ndim(xs) == 1 and np.all(np.isfinite(xs)) else 0.0
    return total + np.inner(xs, xs) / 2 + np.convolve(xs, xs).sum() / 3


@program(3)
def with_a_message(x):
    if x < 0:
        raise ValueError(f"not negative, please: {x}")
    return x * x / 2


@program(3)
def asked_whether(x):
    if np.isscalar(x) and np.shape(x) == () and type(x) in (int, float) and not math.isclose(x, 5):
        return x * x * math.copysign(1.0, x) / 2 + np.where(x > 1, x * x, x)
    return x


@program(3)
@program((3, 1, 4))
def rounded_or_unpacked(x):
    if isinstance(x, tuple):
        first, *rest = x
        return first * sum(rest)
    return round(x, 2) * x


WEIGHTS = [1, 2, 3]


@program(sample(3))
def lists_of_whole_numbers_beside_arrays(x):
    y = x * [1, 2, 3] + (1, 0, 2) - [[1], [2]] / x
    return np.sum(y * WEIGHTS) + np.sum(x ** [1, 2, 2])


@program(sample(3))
def matrix_of_whole_numbers_times_a_vector(x):
    return np.sum(([[1, 2, 0], [0, 1, 1]] @ x) ** 2)


@program(sample(4))
def lists_of_whole_numbers_given_to_functions(x):
    y = np.convolve(x, [1, 2, 1]) * np.correlate([1, 0, 2, 1, 1, 1], [1])
    return np.inner(x, [1, 2, 3, 1]) * np.trapezoid(x, [0, 1, 3, 4]) + np.sum(y * np.outer(x, (1, 2))[0, 0])


@program(sample(3))
def a_list_of_counts_grown_in_a_loop(x):
    counts = []
    for i in range(3):
        counts.append(i + 1)  # noqa: PERF401 - as people write it
    return np.sum(x * counts)


@program(3, 1.7, nonsmooth=True, partials={"k": 8 * 1.7, "a": 8 * 3 + 11})
@program(3.0, 1.7)
def dtypes_that_are_asked_for(k, a):
    x = np.array([k, k])
    slope = a * 2 if x.dtype == np.float64 else a * 3
    slope += a * 5 if np.asarray(k).dtype.kind == "i" else a * 7
    return slope * k + a * (11 if x.dtype.name == "int64" else 13)


@program(sample(4, 5), 2)
def one_spacing_beside_coordinates(x, h):
    rows, columns = np.gradient(x, h, np.cumsum(x[0]))
    return np.sum(rows**2 * columns)


@program(2, sample(3))
def name_that_may_never_be_set(x, a):
    for k, _ in enumerate(a):
        if k:
            for _ in range(2):
                v = a
                break
            else:
                x += v[0]
    return x * a[1]
