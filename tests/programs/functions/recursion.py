# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Functions that call themselves: over nested containers, halves, trees, and each other."""

import math

import numpy as np

from ..corpus import program, sample
from ..for_loops import Moving


def nested_sum(tree):
    if isinstance(tree, (tuple, list)):
        return sum(nested_sum(part) for part in tree)
    return tree * tree


def nested_map(f, tree):
    if isinstance(tree, tuple):
        return tuple(nested_map(f, part) for part in tree)
    return f(tree)


def depth_weighted(tree, depth=1):
    if not isinstance(tree, list):
        return depth * tree
    total = 0.0
    for part in tree:
        total += depth_weighted(part, depth + 1) * total + depth_weighted(part, depth)
    return total


def evaluate(tree, x):
    match tree:
        case "x":
            return x
        case ("add", a, b):
            return evaluate(a, x) + evaluate(b, x)
        case ("mul", a, b):
            return evaluate(a, x) * evaluate(b, x)
        case ("sin", a):
            return math.sin(evaluate(a, x))
        case _:
            return tree


def pairwise_sum(a):
    n = len(a)
    if n == 1:
        return a[0] ** 2
    return pairwise_sum(a[: n // 2]) + pairwise_sum(a[n // 2 :]) * a[0]


def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    return half * half * x if n % 2 else half * half


def even_steps(x, n):
    return x if n == 0 else odd_steps(x * x, n - 1)


def odd_steps(x, n):
    return 2 * x if n == 0 else even_steps(x + 0.5, n - 1)


def ackermann_like(x, n):
    if n <= 0:
        return x
    return ackermann_like(ackermann_like(x * 0.9, n - 1) + 0.1, n - 2)


def newton(f, slope, x, steps):
    if steps == 0 or abs(f(x)) < 1e-14:
        return x
    return newton(f, slope, x - f(x) / slope(x), steps - 1)


def merge_sorted(a):
    if len(a) < 2:
        return a
    left, right = merge_sorted(a[: len(a) // 2]), merge_sorted(a[len(a) // 2 :])
    merged = []
    while left and right:
        merged.append(left.pop(0) if left[0] < right[0] else right.pop(0))
    return merged + left + right


def adaptive(f, a, b, depth):
    m = 0.5 * (a + b)
    coarse = (b - a) * f(m)
    fine = 0.5 * (b - a) * (f(0.5 * (a + m)) + f(0.5 * (m + b)))
    if depth == 0 or abs(fine - coarse) < 1e-2:
        return fine
    return adaptive(f, a, m, depth - 1) + adaptive(f, m, b, depth - 1)


def scale_leaves(tree, s):
    for key, value in tree.items():
        if isinstance(value, dict):
            scale_leaves(value, s * s)
        else:
            tree[key] = value * s


def determinant(a):
    if len(a) == 1:
        return a[0][0]
    total = 0.0
    for j in range(len(a)):
        minor = [row[:j] + row[j + 1 :] for row in a[1:]]
        total += (-1) ** j * a[0][j] * determinant(minor)
    return total


def fourier(x):
    n = len(x)
    if n == 1:
        return x
    even, odd = fourier(x[::2]), fourier(x[1::2])
    turn = np.exp(-2j * np.pi * np.arange(n // 2) / n)
    return np.concatenate([even + turn * odd, even - turn * odd])


def hanoi(x, n, trace):
    if n == 0:
        return
    hanoi(x * 0.9, n - 1, trace)
    trace.append(x * n)
    hanoi(x + 0.1, n - 1, trace)


@program((1.2, (0.7, [0.4, (0.9,)]), 0.3))
def sum_over_nested_containers(tree):
    return nested_sum(tree) * tree[1][1][0]


@program((1.2, (0.7, (0.4, 0.9))), 1.5)
def map_over_nested_tuples(tree, s):
    mapped = nested_map(lambda v: math.sin(v * s), tree)
    return mapped[0] * mapped[1][1][0] + nested_sum(mapped)


@program([1.2, [0.7, [0.4]], 0.3])
def depth_counts(tree):
    return depth_weighted(tree)


@program(1.3, ("add", ("mul", "x", ("sin", "x")), ("mul", "x", 2.0)))
def syntax_tree(x, tree):
    return evaluate(tree, x) * x


@program(sample(5))
def sum_by_halves(a):
    return pairwise_sum(a)


@program(1.2, 13, static="n")
def power_by_squaring(x, n):
    return power(x, n) + power(x, 0) * x


@program(1.2, 5, static="n")
@program(1.2, 4, static="n")
def two_functions_in_turn(x, n):
    return even_steps(x, n)


@program(1.2)
def call_inside_the_argument_of_the_call(x):
    return ackermann_like(x, 4)


@program(2.0)
def newton_by_recursion(a):
    return newton(lambda y: y * y - a, lambda y: 2 * y, 1.0, 20) * a


@program([0.9, 1.6, 0.3, 1.2])
def merge_sort(v):
    s = merge_sorted(v)
    return s[0] + 10 * s[1] ** 2 + 100 * s[2] * s[3]


@program(0.4, 1.7)
def adaptive_quadrature(a, b):
    return adaptive(lambda t: math.exp(t * a) * t, a, b, 5)


@program({"a": 1.2, "in": {"b": 0.7, "deep": {"c": 0.4}}}, 1.3)
def nested_dict_changed(tree, s):
    scale_leaves(tree, s)
    return tree["a"] * tree["in"]["b"] * tree["in"]["deep"]["c"]


@program(sample(3, 3))
def expansion_by_minors(a):
    return determinant(a.tolist()) ** 2


@program(sample(4))
def fast_fourier_transform(x):
    z = fourier(x + 0j)
    return np.sum(z.real * np.arange(1.0, 5.0)) + np.sum(z.imag**2)


@program(1.2)
def list_filled_by_recursion(x):
    trace = []
    hanoi(x, 3, trace)
    return sum(v * (i + 1) for i, v in enumerate(trace))


@program(sample(3))
def cumulative_arguments(x):
    def go(k, s, p):
        return s * p if k == len(x) else go(k + 1, s + x[k], p * x[k])

    return go(0, 0.0, 1.0)


@program(1.2, 3, static="n")
def recursion_with_a_loop_inside(x, n):
    def tree(y, depth):
        if depth == 0:
            return y * y
        total = 0.0
        for child in range(depth):
            total += tree(y * 0.5 + child * x, depth - 1)
        return total * y

    return tree(x, n)


@program({"value": 1.2, "left": {"value": 0.7}, "right": {"value": 0.4, "left": {"value": 0.9}}})
def binary_tree_in_dicts(node):
    def fold(n):
        if n is None:
            return 1.0
        return n["value"] + fold(n.get("left")) * fold(n.get("right"))

    return fold(node)


def squared_again(values, n):
    if n == 0:
        return values
    return squared_again([v * v for v in values], n - 1)


@program([1.2, 0.5], 2, static="n")
def lists_made_for_the_next_call(values, n):
    return sum(squared_again(values, n))


def led(values):
    if len(values) == 1:
        return values
    first = values[0]
    return [first] + led([v * first for v in values[1:]])


@program([1.2, 0.5, 2.0])
def list_in_front_of_the_rest(values):
    return sum(k * v for k, v in enumerate(led(values)))


def eliminated(rows):
    if len(rows) == 1:
        return rows
    first = rows[0]
    rest = []
    for row in rows[1:]:
        rest.append([row[i] - first[i] * row[0] / first[0] for i in range(1, len(row))])
    return [first] + eliminated(rest)


@program([[2.0, 1.0, 3.0], [1.0, 4.0, 2.0], [0.5, 1.0, 2.0]])
def determinant_by_elimination(rows):
    total = 1.0
    for row in eliminated(rows):
        total *= row[0]
    return total


def quicksorted(values):
    if len(values) <= 1:
        return values
    first = values[0]
    low = [v for v in values[1:] if v < first]
    return quicksorted(low) + [first] + quicksorted([v for v in values[1:] if v >= first])


@program([3.0, 1.0, 2.0, 1.5])
def quicksort(values):
    return sum(k * v * v for k, v in enumerate(quicksorted(values), 1))


def changed_behind(values, n):
    if n == 0:
        return values
    out = changed_behind([v * 1.5 for v in values], n - 1)
    return [v + 0.1 for v in out]


@program([3.0, 1.0], 2, static="n")
def result_changed_by_the_caller(values, n):
    out = changed_behind(values, n)
    out[0] = out[0] * out[1]
    return out[0] + 2.0 * out[1] + values[0]


def moved_behind(depth, x, v):
    if depth > 0:
        return moved_behind(depth - 1, x, v)
    p = Moving(x.copy(), v)
    for body, force in ((p, x * 2.0),):
        body.step(force)
    return np.sum(p.place**2)


@program(sample(2), 1, static="n")
def object_moved_behind_a_recursion(x, n):
    return moved_behind(n, x, x * 0.5)


def _first_or_squared(depth, x):
    if depth > 0:
        return 0.5 * _first_or_squared(depth - 1, x)
    d = {"a": x}
    y = x * x
    try:
        y = y * d["a"]
        y = y * d["b"]
    except KeyError:
        pass
    return y


@program(1.2)
def ends_by_an_exception(x):
    return _first_or_squared(2, x)


def _cheapest(depth, a, n):
    if depth > 0:
        return a * _cheapest(depth - 1, a, n)
    best = {}
    for k in range(n):
        best[k % 2] = (a * (k + 1.0), k)
    cost, where = min(best.values())
    return cost + where


@program(1.2, 3, static="n")
def ends_by_the_smallest_of_a_dict(a, n):
    return _cheapest(2, a, n)
