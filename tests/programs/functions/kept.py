# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Functions that carry values along, kept in lists and dicts, chosen, and called later."""

import math

import numpy as np

from ..corpus import program, sample


def times(k):
    return lambda t: t * k


@program(sample(3), 0.8)
def basis_functions(x, s):
    basis = [lambda t, c=c, w=s: np.exp(-((t - c) ** 2) / w**2) for c in x]
    t = np.linspace(0.0, 1.0, 5)
    B = np.stack([b(t) for b in basis], axis=1)
    return np.sum(B**2)


@program(sample(3), 0.8)
def made_by_a_call(x, s):
    fs = [times(k) for k in x]
    q = s
    for g in fs:
        q = g(q) + math.sin(g(1.0))
    return q


@program(sample(3), 0.8)
def statements_of_their_own(x, s):
    fs = []
    for i in range(len(x)):

        def bump(t, i=i, amp=x[i] * s):
            if t > 0.95:
                return amp * t**i
            return amp + t

        fs.append(bump)
    return sum(f(0.1 * j + s) for j, f in enumerate(fs))


@program(np.array([0.7, 0.2, 0.5]), 0.8)
def chosen_in_a_loop(x, s):
    g = times(s)
    q = 0.0
    for k in x:
        h = times(k)
        if k > 0.3:
            g = h
        q += g(s)
    return q


@program(sample(3), 0.8)
def one_behind(x, s):
    g = times(s)
    q = 0.0
    for k in x:
        h = g
        g = times(k)
        q += h(s)
    return q


@program(sample(3), 0.8)
def with_arguments_by_name(x, s):
    fs = [lambda t, k=k: t * k for k in x]
    return fs[0](s) * fs[-1](s * s, 3.0) + fs[0](k=s, t=2.0)


@program(np.array([0.7, 0.2, 0.5]), 0.8)
def sorted_by_what_they_give(x, s):
    fs = [lambda t, k=k: t * k for k in x]
    fs.sort(key=lambda f: f(1.0))
    return fs[0](s) + 2.0 * fs[1](s * s)


@program(sample(3), 0.8)
def settled_values_are_taken_along(x, s):
    potentials = [lambda r, e=e: e * (r**-2 - s) for e in x]
    return sum(p(1.0 + s * i) for i, p in enumerate(potentials))


@program(sample(3), 0.8)
def arrays_are_taken_along(x, s):
    fs = [lambda t, A=np.outer(x, x) * k: A @ (x * t) for k in (1.0, s)]
    v = fs[0](s) + fs[1](2.0)
    return v @ v


@program(sample(3), 0.8)
def changed_before_it_is_called(x, s):
    k = s
    fs = [lambda t, j=j: t * j * k for j in x]
    k = s * s
    return fs[0](s) + fs[1](2.0)


@program(sample(3), 0.8)
def array_is_changed_before_it_is_called(x, s):
    w = x * s
    fs = [lambda t, j=j: t * j * np.sum(w) for j in range(1, 3)]
    w *= 2.0
    return fs[0](s) + fs[1](2.0)


@program(sample(3), 0.8)
def handed_to_a_helper(x, s):
    def twice(g, t):
        return g(g(t))

    fs = [lambda t, k=k: math.sin(t) * k for k in x]
    return sum(twice(f, s) for f in fs)


@program(1.2)
def powers_that_do_not_vary(x):
    fs = [lambda t, k=k: t**k for k in range(1, 4)]
    return sum(f(x) for f in fs if f(2.0) > 3.0)


def steeper(k, g):
    slope = g(1.0)
    return lambda t: t * k * slope


@program(sample(3), 0.8)
def made_of_the_one_before(x, s):
    g = times(s)
    for k in x:
        g = steeper(k, g)
    return g(s)


@program(np.array([0.7, 0.2, 0.5]), 0.8)
def different_ones_by_turns(x, s):
    g = times(s)
    q = 0.0
    for k in x:
        q += g(s)
        g = (lambda u, k=k: u + k) if k > 0.3 else lambda t, j=k, c=q: t * j + c
    return g(s) * q


@program(np.array([0.7, 0.2, 0.5]), 0.8)
def different_ones_chosen_in_a_loop(x, s):
    g = times(s)
    for k in x:
        h = lambda t, j=k: t + j * s
        if k > 0.3:
            g = h
    return g(t=s)


@program(np.array([0.7, 0.2, 0.5]), 0.8)
def different_ones_with_arrays(x, s):
    g = lambda t, c=x * s: np.sum(c * t)
    for k in x:
        if k > 0.3:
            g = lambda t, c=k, d=x + k: t * c + np.sum(d)
    return g(s)


@program(sample(3), 0.8)
def different_ones_in_a_list(x, s):
    fs = [lambda t, k=k: t * k for k in x] + [lambda t, k=s: t + k]
    fs.append(times(s))
    return sum(f(s * i) for i, f in enumerate(fs))


@program(sample(3), 0.8)
def list_within_a_generator(x, s):
    return sum(g(s) for g in [lambda t, k=k: t * k for k in x])


@program(np.array([0.7, 0.2, 0.5]), 0.8)
def number_and_array_in_one_place_of_tuples(x, s):
    g = (0, x * s, 0.0)
    for k in x:
        if k > 0.3 * s:
            g = (1, k, x + k)
    if g[0] == 0:
        return np.sum(g[1] * s)
    return s * g[1] + np.sum(g[2])
