# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Exceptions that carry values, leave loops, signal what is missing, or reach the caller."""

import math

import numpy as np

from ..corpus import program, sample


class NotConverged(Exception):
    def __init__(self, last):
        super().__init__("not converged")
        self.last = last


def careful_root(x):
    if x < 0:
        raise ValueError("negative")
    return math.sqrt(x)


def first_positive(values):
    for v in values:
        if v > 0:
            return v
    raise LookupError("none")


def solve(a, steps):
    y = 1.0
    for _ in range(steps):
        y = 0.5 * (y + a / y)
        if abs(y * y - a) < 1e-10:
            return y
    raise NotConverged(y)


@program(2.0, 30, static="steps")
@program(2.0, 2, static="steps")
def exception_that_carries_a_value(a, steps):
    """The exception holds the last iterate, which depends on the input."""
    try:
        return solve(a, steps)
    except NotConverged as error:
        return error.last * a


@program(sample(4))
def exception_leaves_a_nested_loop(x):
    class Found(Exception):
        pass

    s = 0.0
    try:
        for i in range(4):
            for j in range(i):
                s += x[i] * x[j]
                if s > 1.5:
                    raise Found
    except Found:
        s = s * x[i] + x[j]
    return s


@program([1.2, -0.7, 0.4])
def some_trips_fail(v):
    total, failures = 0.0, 0
    for a in v:
        try:
            total += careful_root(a) * v[1]
        except ValueError:
            failures += 1
            total -= a * a
            continue
        total *= 1.5
    return total * failures


@program(sample(4))
def retried_until_it_works(x):
    limit = 4.0
    while True:
        try:
            s = 1.0
            for v in x:
                s = s + v * v
                if s > limit:
                    raise OverflowError
            break
        except OverflowError:
            limit = limit * 1.3
            x = x * 0.9
    return s * limit


@program({"a": 1.2}, "a")
@program({"a": 1.2}, "b")
def missing_key(d, name):
    try:
        v = d[name]
    except KeyError:
        v = d["a"] ** 2
        d[name] = v
    return v * d[name] * d["a"]


@program([1.2, 0.7])
def popped_until_empty(v):
    s = 1.0
    try:
        while True:
            s = s * v.pop() + 1
    except IndexError:
        pass
    return s * len(v) + s * s


@program(1.2)
def iterated_by_hand(x):
    it = iter([x, x * x, 2.0])
    s = 1.0
    while True:
        try:
            v = next(it)
        except StopIteration:
            break
        s = s * v + 1
    return s


@program([-1.2, -0.5, 0.7, 0.9])
@program([-1.2, -0.5])
def raised_from_a_search(v):
    try:
        return first_positive(v) * v[0]
    except LookupError:
        return v[0] * v[1]


@program(np.array([[1.2, 0.4], [0.4, 0.9]]))
@program(np.array([[0.3, 0.9], [0.9, 0.2]]))
def factorization_that_may_fail(a):
    try:
        l = np.linalg.cholesky(a)
        return np.sum(np.log(np.diag(l)))
    except np.linalg.LinAlgError:
        return a[0, 0] * a[1, 1] - a[1, 0] ** 2


@program(1.2)
def error_state_raises(x):
    y = np.array([x, 0.0])
    with np.errstate(divide="raise"):
        try:
            z = x / y
        except FloatingPointError:
            y[1] = x * x
            z = x / y
    return np.sum(z)


@program(sample(3), 0, static="n", raises=UnboundLocalError)
def never_set(x, n):
    """`t = None` in front would have `np.sum(t)` give None, which cannot be added to."""
    if n > 0:
        t = x * n
    return np.sum(t) + np.sum(x * x)


@program(sample(3), 3, static="n")
def set_by_the_last_iteration(x, n):
    r = 0.0
    for i in range(n):
        t = x * i
        r += np.sum(t * t)
    return np.sum(t) * r


@program(-1.2, raises=ValueError)
def uncaught(x):
    y = x * x
    if y > 1:
        raise ValueError(f"too large: {y:.2f}")
    return y


@program(1.2, raises=RuntimeError)
def raised_after_finally(x):
    y = [x]
    try:
        raise RuntimeError("stopped")
    finally:
        y.append(x * x)
    return sum(y)


@program(1.2, raises=ZeroDivisionError)
def wrong_handler(x):
    try:
        y = x / (x - x)
    except ValueError:
        y = 0.0
    return y


@program(sample(3), raises=IndexError)
def index_out_of_range_in_a_store(x):
    a = x * 1.0
    for i in range(4):
        a[i] *= 2.0
    return np.sum(a)


@program(sample(3), raises=ValueError)
def shapes_that_do_not_fit_in_a_store(x):
    a = np.zeros((2, 2))
    a[0] = x
    return np.sum(a)


@program(sample(3), raises=ValueError)
def write_into_a_broadcast_view(x):
    b = np.broadcast_to(x, (2, 3))
    b[0, 0] = 1.0
    return np.sum(x)


@program(1.2, raises=UnboundLocalError)
def name_unbound_on_this_path(x):
    if x > 2:
        y = x
    return y * x


@program(1.2, raises=NameError)
def deleted_name_read(x):
    y = x * x
    del y
    return y


@program(sample(3), sample(3, seed=1), raises=TypeError)
def adding_complex_numbers_to_real_ones_in_place(x, a):
    z = a
    d = x * 1.0
    d += z.astype(complex)
    return np.sum(d)
