# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Python's own reductions over active numbers, generator expressions, and the usual parts of `itertools`."""

import functools
import itertools
import math
import operator

import numpy as np

from ..corpus import program, sample


@program([1.2, 0.7, 0.4])
def sum_of_a_list(v):
    return sum(v) * sum(v[1:]) + sum([a * a for a in v], 2.0)


@program([1.2, 0.7, 0.4])
def sum_of_a_generator(v):
    return sum(a * a for a in v) * sum(a * b for a, b in zip(v, v[1:]))


@program(sample(4))
def sum_of_an_array(x):
    return sum(x) ** 2 + sum(x * x)


@program(sample(2, 3))
def sum_of_rows(x):
    return np.sum(sum(x) ** 2) + sum(row[0] * row[1] for row in x)


@program([1.2, 0.7, 0.4])
def min_and_max(v):
    return max(v) * min(v) + max(v[0], v[1] * 3) - min(a * a for a in v)


@program([1.2, -0.7, 0.4])
def min_and_max_by_key(v):
    return max(v, key=abs) * min(v, key=lambda a: a * a) + min(v, key=lambda a: (a - 0.5) ** 2)


@program([(0.9, 2.0), (1.6, 0.5)])
def largest_pair_by_key(pairs):
    a, b = max(pairs, key=lambda p: p[1])
    return a * b + min(pairs)[1]


@program([1.2, 0.7])
def max_with_a_default(v):
    return max(v, default=1.0) * max([], default=v[1])


@program(-1.2, 0.7)
def abs_pow_and_round(x, y):
    return abs(x) * pow(y, 3) + pow(abs(x), y) + round(x * 10) * y + abs(y)


@program(7.3, 2.1)
def divmod_of_floats(x, y):
    q, r = divmod(x, y)
    return q * x + r * y


@program([0.9, 1.6, 0.3])
def sorted_and_reversed(v):
    s = sorted(v)
    d = sorted(v, reverse=True)
    return s[0] * d[0] + sum(a * i for i, a in enumerate(reversed(v))) + s[1] ** 2 + d[2]


@program(np.array([0.9, 1.6, 0.3]))
def sorted_of_an_array(x):
    s = sorted(x)
    return s[0] + 2 * s[1] ** 2 + 3 * s[2] ** 3


@program([1.2, 0.7, 0.4], [0.5, 0.6, 0.9])
def zipped(v, w):
    s = 0.0
    for i, (a, b) in enumerate(zip(v, w)):
        s += a * b * (i + 1)
    pairs = list(zip(v, w))
    first, second = zip(*pairs)
    return s * first[0] + pairs[1][0] * second[2]


@program([1.2, 0.7, 0.4], [0.5, 0.6])
def zipped_of_unequal_length(v, w):
    short = sum(a * b for a, b in zip(v, w))
    long = sum(a * b for a, b in itertools.zip_longest(v, w, fillvalue=2.0))
    return short * long


@program([1.2, 0.7, 0.4])
def mapped(v):
    a = list(map(math.sin, v))
    b = sum(map(lambda p, q: p * q, v, v[1:]))
    return a[0] * b + sum(map(float, v))


@program([1.2, -0.7, 0.4])
def filtered(v):
    positive = list(filter(lambda a: a > 0, v))
    nonzero = [*filter(None, v)]
    return positive[0] * positive[1] + sum(nonzero) ** 2


@program([1.2, 0.7, 0.4])
def any_and_all(v):
    s = v[0] * v[1]
    if any(a > 1 for a in v):
        s *= v[2]
    if all(a > 0.5 for a in v):
        s += 100.0
    return s * (all([]) + any([s > 0]))


@program([1.2, 0.7, 0.4])
def enumerated_from_one(v):
    return sum(k * a**k for k, a in enumerate(v, start=1))


@program([1.2, 0.7, 0.4])
def reduced(v):
    p = functools.reduce(lambda a, b: a * b + 1, v)
    q = functools.reduce(operator.mul, v, 2.0)
    return p * q + math.prod(v)


@program(sample(2, 2), sample(2, 2, seed=1))
def reduced_over_matrices(a, b):
    return np.sum(functools.reduce(np.matmul, [a, b, a.T])) + np.sum(functools.reduce(np.add, [a, b]))


@program([1.2, 0.7, 0.4, 0.9])
def accumulated(v):
    running = list(itertools.accumulate(v))
    product = list(itertools.accumulate(v, operator.mul, initial=2.0))
    smooth = list(itertools.accumulate(v, lambda s, a: 0.5 * s + a * s))
    return running[2] * product[-1] + smooth[-1] * running[0]


@program([1.2, 0.7], [0.4, 0.9, 0.5])
def cartesian_product(v, w):
    return sum(a * b * b for a, b in itertools.product(v, w)) * sum(a * b for a, b in itertools.product(v, repeat=2))


@program([1.2, 0.7], (0.4, 0.9))
def chained(v, w):
    s = 1.0
    for a in itertools.chain(v, w, [2.0]):
        s = s * a + a
    return s + sum(itertools.chain.from_iterable([v, w, v]))


@program([1.2, 0.7, 0.4, 0.9])
def pairwise(v):
    return sum((b - a) ** 2 for a, b in itertools.pairwise(v)) * v[0]


@program(sample(4))
def combinations_of_places(x):
    s = 0.0
    for i, j in itertools.combinations(range(4), 2):
        s += x[i] * x[j] ** 2
    return s


@program([1.2, 0.7, 0.4])
def combinations_of_values(v):
    e2 = sum(a * b for a, b in itertools.combinations(v, 2))
    h2 = sum(a * b for a, b in itertools.combinations_with_replacement(v, 2))
    return e2 * h2


@program(sample(3, 3))
def permutations_of_places(a):
    total = 0.0
    for p in itertools.permutations(range(3)):
        sign = 1
        for i, j in itertools.combinations(p, 2):
            sign *= 1 if i < j else -1
        total += sign * math.prod(a[i, p[i]] for i in range(3))
    return total * a[0, 0]


@program([1.2, 0.7, 0.4, 0.9])
def sliced_and_repeated(v):
    s = sum(itertools.islice(v, 1, 4, 2))
    t = sum(a * b for a, b in zip(v, itertools.cycle([1.0, -2.0])))
    u = math.prod(itertools.repeat(v[0], 3))
    return s * t + u + sum(itertools.takewhile(lambda a: a > 0.5, v))


@program([1.2, 0.7, 0.4])
def counted(v):
    return sum(k * a for k, a in zip(itertools.count(2), v)) * v[1]


@program([("a", 1.2), ("a", 0.7), ("b", 0.4)])
def grouped(pairs):
    s = 1.0
    for key, group in itertools.groupby(pairs, key=lambda p: p[0]):
        s = s * sum(value for _, value in group) + (2 if key == "a" else 1)
    return s


@program([1.2, 0.7, 0.4])
def weighted_by_compress_and_starmap(v):
    kept = list(itertools.compress(v, [True, False, True]))
    powers = list(itertools.starmap(pow, zip(v, (2, 3, 0.5))))
    return kept[0] * kept[1] + sum(powers)


@program([1.2, 0.7, 0.4])
def list_of_a_generator(v):
    g = (a * a for a in v)
    w = list(g)
    empty = sum(g)
    return w[0] * w[2] + empty + sum(tuple(a for a in w))


@program([1.2, 0.7, 0.4])
def iterator_advanced_by_hand(v):
    it = iter(v)
    a = next(it)
    s = sum(b * a for b in it)
    return s * a + next(it, v[1])


@program([1.2, 0.7, 0.4])
def late_evaluation_of_a_generator(v):
    """The generator reads `s` when it is consumed, not when it is made."""
    s = 1.0
    g = (a * s for a in v)
    s = v[0] * v[1]
    return sum(g)


@program([1.2, 0.7, 0.4])
def dot_products_by_sumprod(v):
    return math.fsum(a * a for a in v) + sum(map(operator.mul, v, reversed(v))) * math.dist(v, [0.0, 0.1, 0.2])


@program(1.2, 0.7)
def array_of_active_numbers(x, y):
    a = np.array([x, y, x * y])
    b = np.array([[math.sin(x), 0], [1, y]])
    c = np.array([a[0], *b[1]])
    return np.sum(a * c) + np.linalg.det(b)


@program(1.2, 0.7)
def array_from_comprehensions(x, y):
    v = np.array([[x**i * y**j for j in range(3)] for i in range(2)])
    w = np.fromiter((x * k for k in range(3)), dtype=float)
    return np.sum(v @ w)


@program([1.2, 0.7, 0.4])
def operators_as_functions(v):
    pick = operator.itemgetter(2, 0)
    c, a = pick(v)
    return operator.add(operator.truediv(a, c), operator.neg(v[1])) * operator.pow(a, 2)


@program([1.2, 0.7, 0.4])
def for_else_over_a_generator(v):
    for a in (b * 2 for b in v):
        if a < 1.0:
            s = a * v[0]
            break
    else:
        s = 0.0
    return s * a


@program([0.1, 0.2, 0.7, -0.3, 1.3, 0.4], 0.4)
def sum_of_a_generator_with_a_condition(xs, w):
    return sum(x * x + w for x in xs if x > 0) + sum(x * y for x in xs for y in xs if x < y)


@program([1.5, -0.5, 2.0])
def best_by_a_key_of_none(v):
    none = max((x for x in v if x > 100), key=abs, default=v[0] * v[1])
    some = min((x for x in v if x > 0), key=lambda t: (t - 1.8) ** 2, default=v[1])
    return none + some**2


@program([[1.0, 2.0], [3.0, 0.5]], [[0.5, 1.5], [-1.0, 2.0]])
@program([[1.0, 2.0, -1.0]], [[0.5], [-1.0], [2.0]])
def matrices_of_lists_multiplied(a, b):
    product = [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]
    turned = [list(column) for column in zip(*product)]
    return sum(entry**2 for row in product for entry in row) + turned[-1][0]
