# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Flags and options that decide what is computed: truth values, None, empty lists, functions that may be left out."""

import numpy as np

from .corpus import program, sample


def loss(d, wide=None, narrow=None):
    total = 0.0
    if wide:
        total += (d / wide) ** 2
    if narrow:
        total -= d / narrow
    return total


@program(1.0, 2.0, 3.0)
def options_left_out(d, wide, narrow):
    return loss(d, wide, narrow) + 2.0 * loss(d, wide) + 3.0 * loss(d) + loss(d, narrow=narrow)


@program(0.4)
@program(0.4, 0.15, 0.002, 0.0185, step=1e-5, tol=1e-4)
@program(0.4, 0.15, 0.2, 0.0185)
def several_options_at_once(a, length=None, across=None, factor=None):
    t = 2.0 * a
    if across and length and factor and length > 50.0 * across:
        return t + factor * length / (a * a * across)
    return t


@program(2.0)
@program(2.0, 3.0)
def default_by_or(x, k=None):
    k = k or 3.0
    return x * k


@program(2.0)
@program(2.0, [2.0, 3.0])
@program(2.0, [])
def list_by_or(x, w=None):
    w = w or [1.0, 2.0]
    return x * w[0] + w[1]


@program(2.0)
def list_by_and(x, w=None):
    first = w and w[0] * x
    return x if first is None else first


def scaled(x, how="", then=None):
    if not how:
        x = 2.0 * x
    if then:
        x = then(x) * x
    return 3.0 * x if how == "more" else x


@program(1.5)
def strings_and_functions(x):
    return scaled(x) + scaled(x, "more") + scaled(x, "less", np.sin) + scaled(x, then=lambda t: t * t)


def gathered(x, *rest, **named):
    if rest:
        return x * rest[0]
    if named:
        return x * named["k"]
    return x * x


@program(1.5)
def arguments_that_may_be_none_at_all(x):
    return gathered(x) + gathered(x, 3.0 * x) + gathered(x, k=x * x)


def moments(x, full=False):
    mean = np.mean(x)
    if full:
        return mean, np.mean((x - mean) ** 2)
    return mean


@program(sample(4))
def helper_with_full_output(x):
    mean, variance = moments(x, full=True)
    return mean * variance + moments(x)


@program(sample(4), True)
@program(sample(4), False)
def one_or_two_parts(x, full):
    total = np.sum(x * x)
    if full:
        pair = total, x[0] * x[1]
    else:
        pair = total
    if full:
        return pair[0] * pair[1]
    return pair


@program(sample(4), True, False)
@program(sample(4), False, False)
@program(sample(4), True, True)
def list_or_array(x, as_list, squared):
    values = [v * v for v in x] if as_list else x
    if squared and not as_list:
        values = values**2
    return sum(values) * (2.0 if squared else 1.0)


def drag(D, v, how="newton", distance=False):
    if how == "stokes":
        if distance:
            return D * v, D * v * v
        return D * v
    a, b = drag(D, v, how="stokes", distance=True)
    if distance:
        return a, 2.0 * b
    return b * a


@program(1.2, 2.0)
def recursion_with_flags(D, v):
    return drag(D, v) + drag(D, v, distance=True)[1]


def powers(x, n, sums=False):
    if n == 0:
        return (x, x) if sums else x
    if sums:
        a, b = powers(x * x, n - 1, sums=True)
        return a, b + x
    return powers(x * 1.1, n - 1)


@program(1.2, 3, static="n")
def recursion_on_either_value_of_a_flag(x, n):
    a, b = powers(x, n, sums=True)
    return a * b + powers(x, n)


def optional(x, y=None, w=None, f=None):
    if x > 100.0:
        return x * w["k"] + y
    if x > 90.0:
        x += y
    elif x > 80.0:
        if x < y:
            x = -y
    elif x > 70.0:
        return f(x) + f.factor * w[1]
    for k in range(2):
        if x > 60.0:
            x = x * w[k]
        x = x * 1.1
    return x * x


@program(2.0)
@program(65.0, raises=TypeError)
@program(75.0, raises=TypeError)
@program(85.0, raises=TypeError)
@program(95.0, raises=TypeError)
@program(105.0, raises=TypeError)
def options_that_only_other_ways_use(x):
    return optional(x)


@program(2.0)
def option_that_is_tried(x):
    def doubled(v, y=None):
        try:
            return v + y
        except TypeError:
            return v * v

    return doubled(x) * doubled(x, 3.0)


def secant(x, n, low=None):
    before = None
    for i in range(n):
        value = x * x - 2.0
        if before is not None and before == x:
            return before + (x - before) * 0.5
        new = x - value / (2 * x)
        if low is not None and new < low:
            new = low
        before = x
        x = new
    return x + before * 0.1


@program(2.5, 3, static="n")
def none_before_the_first_step(x, n):
    return secant(x, n) * secant(x, n, low=0.5)
