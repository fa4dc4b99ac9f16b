# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Functions that are reached through others: what these read of the function around them varies where they are called."""

import math

import numpy as np

from ..corpus import program


def apply(g, t):
    return g(t) * 2


def apply_all(gs, t):
    return sum(g(t) for g in gs)


@program(0.5)
def lambda_called_by_a_local_function(a):
    f = lambda x: np.exp(-a * x)

    def h(lo):
        return f(lo) * 2

    return h(3.0)


@program(0.5, 2.0, 3, wrt="a b")
def adaptive_quadrature(a, b, n):
    f = lambda x: np.exp(-a * x) * np.sin(b * x)

    def simpson(lo, hi):
        m = (lo + hi) / 2
        return (hi - lo) / 6 * (f(lo) + 4 * f(m) + f(hi))

    def adapt(lo, hi, depth):
        m = (lo + hi) / 2
        whole, parts = simpson(lo, hi), simpson(lo, m) + simpson(m, hi)
        if depth == 0 or abs(whole - parts) < 1e-4:
            return parts
        return adapt(lo, m, depth - 1) + adapt(m, hi, depth - 1)

    return adapt(0.0, 2.0, n)


@program(0.5, 0.7)
def lambdas_in_a_list(a, b):
    fs = [lambda x: np.exp(-a * x), lambda x: np.sin(b * x)]

    def h(lo):
        return fs[0](lo) * 2 + fs[1](lo)

    return h(3.0)


@program(0.5, 0.7)
def several_of_one_in_a_list(a, b):
    fs = [lambda x: np.exp(-a * x) for _ in range(3)]
    return apply_all(fs, b)


@program(0.5, 0.7)
def lambdas_in_a_dict(a, b):
    d = {"u": lambda x: np.exp(-a * x), "v": lambda x: np.cos(b * x)}

    def h(lo):
        return sum(d[k](lo) for k in ("u", "v"))

    return h(0.5)


@program(0.5, 0.7)
def set_behind_the_function_that_calls_it(a, b):
    def h(lo):
        def inner(t):
            return f(t) * b

        return inner(lo) * 2

    f = lambda x: np.exp(-a * x)
    return h(0.7)


@program(0.5, 0.7)
def handed_on_within_another(a, b):
    f = lambda x: np.exp(-a * x)
    return apply(lambda t: f(t) * b, 2.0)


@program(0.5, 0.7)
def what_it_reads_is_set_anew(a, b):
    k = a
    f = lambda x: np.exp(-k * x)

    def h(lo):
        return f(lo) * 2

    u = h(1.0)
    k = b
    return u + h(1.0)


@program(0.5, 0.7)
def one_after_the_other(a, b):
    ops = ((lambda x: np.exp(-a * x)), (lambda x: x * b))

    def h(v):
        for op in ops:
            v = op(v)
        return v

    return h(0.4)


def handed_on(*args, **kwargs):
    return np.tensordot(*args, **kwargs)


@program(np.array([0.3, 0.7]), 0.4)
def a_library_function_behind_a_wrapper(x, s):
    return handed_on(x, np.sin(s * x), axes=1) * handed_on(x, x, 1)
