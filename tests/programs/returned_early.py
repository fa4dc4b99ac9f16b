# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""What is returned from inside a loop, or set right before it is left: arrays, lists, tuples and objects."""

import math
from dataclasses import dataclass

import numpy as np

from .corpus import program, sample


def conjugate_gradients(A, b, tolerance, most):
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    rs = r @ r
    for i in range(most):
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x = x + alpha * p
        r = r - alpha * Ap
        new = r @ r
        if np.sqrt(new) < tolerance:
            return x, i
        p = r + (new / rs) * p
        rs = new
    return x, -1


@program(np.array([[4.0, 1.0, 0.3], [1.0, 3.0, 0.2], [0.3, 0.2, 2.0]]), sample(3), 1e-9, 5, wrt="A b", static="tolerance most")
@program(np.array([[4.0, 1.0, 0.3], [1.0, 3.0, 0.2], [0.3, 0.2, 2.0]]), sample(3), 1e-9, 2, wrt="A b", static="tolerance most")
def solver_that_converges_or_not(A, b, tolerance, most):
    x, steps = conjugate_gradients(0.5 * (A + A.T), b, tolerance, most)
    return np.sum(x**2) * (2.0 if steps < 0 else 1.0)


def newton(a, x):
    for i in range(50):
        step = (x * x * x - a) / (3 * x * x)
        x = x - step
        if abs(step) < 1e-12:
            return x, i, abs(step)
    raise RuntimeError("no convergence")


@program(2.0)
def root_with_its_steps(a):
    x, n, last = newton(a, 1.0)
    return x * x + last


def first_row_above(A, limit):
    for k in range(A.shape[0]):
        if A[k].sum() > limit:
            return A[k], {"first": A[k, 0], "double": 2.0 * A[k]}
    return A[0] * 0.5, {"first": A[0, 0], "double": A[-1]}


@program(np.array([[0.1, 0.2], [1.0, 2.0], [3.0, 1.0]]), 2.5)
@program(np.array([[0.1, 0.2], [1.0, 2.0], [3.0, 1.0]]), 9.0)
def tuple_of_array_and_dict(A, limit):
    row, parts = first_row_above(A, limit)
    return row @ parts["double"] + parts["first"]


def first_multiples(xs, n, limit):
    for x in xs:
        if x > limit:
            return [x * k for k in range(n)]
    return [xs[0]]


@program([1.0, 2.0, 3.0], 3, 1.5, static="n")
@program([1.0, 2.0, 3.0], 3, 9.0, static="n")
def list_of_a_computed_length(xs, n, limit):
    return sum(k * v for k, v in enumerate(first_multiples(xs, n, limit), 1))


def first_nested(xs, n, limit):
    for x in xs:
        if x > limit:
            return [[x * k, x] for k in range(n)], x
    return [[xs[0], 1.0]], 0.5


@program([1.0, 2.0, 3.0], 3, 1.5, static="n")
@program([1.0, 2.0, 3.0], 3, 9.0, static="n")
def lists_in_a_tuple(xs, n, limit):
    rows, factor = first_nested(xs, n, limit)
    return sum(a * b for a, b in rows) * factor


@dataclass
class Found:
    at: float
    values: list


def find(xs, n, limit):
    for x in xs:
        if x > limit:
            return Found(x, [x * k for k in range(n)])
    return Found(xs[0], [1.0])


@program([1.0, 2.0, 3.0], 3, 1.5, static="n")
@program([1.0, 2.0, 3.0], 3, 9.0, static="n")
def object_from_a_loop(xs, n, limit):
    found = find(xs, n, limit)
    return found.at * sum(found.values)


def first_scaled(x, limit):
    for k in range(5):
        if np.sum(x) > limit:
            return x * k
        x = x * 1.5
    return x


@program(sample(3), np.array([0.5, 2.0, 40.0, 3.0]))
def search_called_in_a_loop(x, limits):
    total = np.zeros(3)
    for limit in limits:
        total = total + first_scaled(x, limit) * limit
        x = x + 0.1
    return np.sum(total**2)


@program(sample(3), np.array([0.5, 2.0, 40.0, 3.0]))
def search_called_in_a_loop_on_what_it_found(x, limits):
    for limit in limits:
        x = first_scaled(x * 0.7 + 0.1, limit)
    return np.sum(x**2)


def in_two_loops(A, limit):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            if A[i, j] > limit:
                return A[i] * A[i, j]
    return A[:, 0]


@program(np.array([[0.1, 0.2], [1.0, 2.0]]), 0.5)
@program(np.array([[0.1, 0.2], [1.0, 2.0]]), 5.0)
def from_the_inner_of_two_loops(A, limit):
    return np.sum(in_two_loops(A, limit) ** 2)


def in_while(x, limit):
    n = 0
    while True:
        n += 1
        x = x * 1.3
        if np.max(x) > limit:
            return x, n
        if n > 6:
            return x * x, n


@program(sample(3), 3.0)
@program(sample(3), 1e9)
def two_returns_from_while_true(x, limit):
    y, n = in_while(x, limit)
    return np.sum(y) * n


def several_in_one_loop(xs, a, b):
    for k, x in enumerate(xs):
        if x > a:
            return x * np.arange(1.0, 3.0)
        elif x < b:
            return np.array([x, x * x])
        if k == 3:
            return np.array([x, 1.0])
    return np.zeros(2)


@program([1.0, 2.0, 3.0], 2.5, 0.0)
@program([1.0, 2.0, -3.0], 2.5, 0.0)
@program([1.0, 2.0, 2.0, 1.5, 7.0], 2.5, 0.0)
@program([1.0, 2.0], 2.5, 0.0)
def four_ways_out(xs, a, b):
    return np.sum(several_in_one_loop(xs, a, b) ** 2)


@program([1.0, 2.0, 3.0], 1.5)
@program([1.0, 2.0, 3.0], 9.0)
def set_before_break_and_else(xs, limit):
    for x in xs:
        if x > limit:
            found = [x, x * x]
            break
    else:
        found = [xs[0], 2.0]
    return found[0] * found[1]


@program(sample(4), 0.2)
@program(sample(4), 9.0)
def best_so_far_replaced_before_break(x, limit):
    best = x * 0.5
    for k in range(3):
        x = x * x + 0.1
        if np.sum(x) > limit:
            best = x * best
            break
    return np.sum(best * x)


@program(sample(4), 0.2)
@program(sample(4), 9.0)
def replaced_before_break_and_read_in_the_loop(x, limit):
    best = x * 0.5
    total = 0.0
    for k in range(3):
        total = total + np.sum(best) * k
        x = x * x + 0.1
        if np.sum(x) > limit + k:
            best = x * best
            total = total * 2.0
            break
        total = total + np.sum(x * best)
    return total + np.sum(best * x)


@program([1.0, 2.0, 3.0, 0.5], 1.5)
def set_before_break_in_a_loop_within(xs, limit):
    total = 0.0
    last = 1.0
    for k in range(3):
        for x in xs:
            if x * last > limit:
                last = x * 0.9
                break
        total = total + last * (k + 1)
    return total


@program([1.0, 2.0, 3.0, 0.5], 1.5)
@program([1.0, 2.0, 3.0, 0.5], 100.0)
def array_before_break_in_a_loop_within(xs, limit):
    total = 0.0
    last = np.array([1.0, 0.5])
    for k in range(3):
        for x in xs:
            if x * last[0] > limit:
                last = last * x * 0.9
                break
            last = last + 0.1 * x
        total = total + last[0] * (k + 1) + last[1]
    return total


def guarded(xs, limit):
    try:
        for x in xs:
            if x > limit:
                return np.array([x, math.sqrt(limit - x)])
        return np.array([1.0, xs[0]])
    except ValueError:
        return np.array([xs[0], xs[1]]) * limit


@program([1.0, 2.0, 3.0], 1.5)
@program([1.0, 2.0, 3.0], 9.0)
def a_return_that_raises(xs, limit):
    return np.sum(guarded(xs, limit) ** 2)


def with_cleanup(xs, limit):
    seen = []
    try:
        for x in xs:
            seen.append(x)
            if x > limit:
                return x * np.ones(2), len(seen)
        return np.array([xs[0], 1.0]), 0
    finally:
        seen.clear()


@program([1.0, 2.0, 3.0], 1.5)
@program([1.0, 2.0, 3.0], 9.0)
def returned_through_finally(xs, limit):
    y, n = with_cleanup(xs, limit)
    return np.sum(y**2) * (n + 1)


def bisected(f, low, high, n):
    for _ in range(n):
        middle = 0.5 * (low + high)
        if abs(f(middle)) < 1e-3:
            return middle, f(middle)
        if f(low) * f(middle) < 0:
            high = middle
        else:
            low = middle
    return low, f(low)


@program(2.0, 30, static="n")
@program(2.0, 2, static="n")
def bisection_of_a_closure(a, n):
    x, y = bisected(lambda t: t * t - a, 0.0, a, n)
    return x * a + y


def permuted_until(values, limit):
    from itertools import permutations

    for one in permutations(values, 2):
        if one[0] - one[1] > limit:
            return tuple(sorted(one))
    return 0.0, 0.0


@program([1.0, 2.5, 4.0], 1.0)
@program([1.0, 2.5, 4.0], 9.0)
def first_permutation(values, limit):
    a, b = permuted_until(values, limit)
    return a * b * b


def named_result(a, b):
    if b == 0:
        return "none", a * 2.0
    if a > 1:
        return "large", a * b
    return "small", a - b


@program(2.0, 3.0)
@program(0.5, 3.0)
def texts_beside_numbers(a, b):
    name, value = named_result(a, b)
    return value * value if name == "large" else value * b


def divided(a, b):
    if b == 0:
        return a, 0
    return b, a * b


@program(2.0, 3.0)
@program(2.0, 0.0, partials={"a": 3.0, "b": 0.0}, nonsmooth=True)
def a_count_on_one_way_and_a_number_on_another(a, b):
    x, y = divided(a, b)
    return 3.0 * x + y


@program(2.0, 3.0)
@program(2.0, 0.3)
def dict_with_a_text(a, b):
    found = {"name": "first", "at": a, "steps": 0}
    if b > 1:
        found = {"name": "second", "at": b * a, "steps": b}
    return found["at"] ** 2 + found["steps"]
