# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Values that are computed to see whether that raises, and what was done before it did."""

import math

import numpy as np

from ..corpus import program, sample

V = np.array([1.3, -0.7, 2.1, 0.4])


@program(1.1)
def logarithm_that_nobody_reads(x):
    s = x
    try:
        y = math.log(-x)
    except ValueError:
        s = x * x
    return s


@program(V)
def counted_by_exceptions(x):
    n = 0
    for v in x:
        try:
            w = math.log(v)
        except ValueError:
            n += 1
    return np.sum(x**2) * n


@program(V)
def length_found_by_an_index(x):
    i = 0
    try:
        while True:
            w = x[i]
            i += 1
    except IndexError:
        pass
    return np.sum(x**2) * i


@program(V)
def shape_found_out(x):
    s = x[0]
    try:
        z = x + np.ones(3)
    except ValueError:
        s = s * s
    return s


@program(V)
def singular_matrix_found_out(x):
    s = x[0]
    try:
        z = np.linalg.inv(np.outer(x, x) * 0)
    except np.linalg.LinAlgError:
        s = s * s
    return s


def positive(v):
    if v > 0:
        raise ValueError
    return v


def logarithm_of(v):
    y = math.log(-v)
    return v


@program(1.1)
def helper_that_raises(x):
    s = x
    try:
        w = positive(x)
    except ValueError:
        s = s * s
    return s


@program(1.1)
def helper_with_a_line_that_raises(x):
    s = x
    try:
        w = logarithm_of(x)
    except ValueError:
        s = s * s
    return s


@program(1.1)
def divisions_that_raise(s):
    for k in range(3):
        try:
            t = 1.0 / (k - 1)
        except ZeroDivisionError:
            s = s * s
    return s


@program(1.1)
def scaled_before_it_raises(x):
    s = x
    try:
        s = s * 1.5
        s = s + math.log(-x)
    except ValueError:
        pass
    return s * s


@program(1.1)
def scaled_until_it_raises(x):
    s = x
    while True:
        try:
            s = s * 1.5
            u = s * s
            s = s + math.log(2.0 - s) * u
        except ValueError:
            break
    return s * u


@program(-2.7)
@program(0.7)
def root_or_square(s):
    s = sum([s, 2.0])
    try:
        s = math.sqrt(s) * 2
    except ValueError:
        s = s * s
    return s


@program(1.1)
def list_that_runs_out(x):
    items = [x, x * 2]
    try:
        items[0] = items[0] * x
        items.pop()
        items.pop()
        items.pop()
    except IndexError:
        pass
    return x


@program(1.1)
def list_that_runs_out_in_a_loop(x):
    items = [x, x * 2]
    try:
        while True:
            items[0] = items[0] * x
            items.pop()
    except IndexError:
        pass
    return x * x


@program(1.1)
def list_that_is_summed_up_until_it_runs_out(x):
    items = [x, x * 2, x * x]
    s = 0.0
    try:
        while True:
            s = s * x + items.pop()
    except IndexError:
        pass
    return s


@program(1.2)
def handler_with_nothing_left_to_do(x):
    factor = None
    try:
        x = x * 2.0
    except ValueError:
        if factor:
            x = x * 3.0
    return x * x


@program(1.2)
def body_with_nothing_left_to_do(x):
    factor = None
    try:
        if factor is not None:
            x = x * factor
    except ValueError:
        x = 2.0
    return x * x
