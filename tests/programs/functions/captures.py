# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""What functions remember: captured variables, `nonlocal`, defaults, late binding, functions that make functions."""

import functools
import math

import numpy as np

from ..corpus import program, sample


@program(1.2, 0.7)
def captured_after_a_change(x, y):
    def area():
        return x * y

    a = area()
    x = x * 2
    b = area()
    y = a
    return a * b + area()


@program(1.2)
def late_binding_of_the_loop_variable(x):
    """All three functions see the last `i`."""
    fs = [lambda t: t * i * x for i in range(1, 4)]
    gs = []
    for k in range(1, 4):
        gs.append(lambda t: t + k * x)
    return fs[0](x) * fs[2](1.0) + gs[0](x)


@program(1.2)
def early_binding_by_default(x):
    fs = []
    for i in range(1, 4):
        fs.append(lambda t, i=i: t * i * x)
    return fs[0](x) * fs[2](1.0) + fs[1](x)


@program(1.2)
def late_binding_of_an_active_variable(x):
    y = x
    fs = []
    for i in range(3):
        y = y * x + i
        fs.append(lambda: y * (i + 1))
    return fs[0]() * fs[2]()


@program(1.2)
def early_binding_of_an_active_variable(x):
    y = x
    fs = []
    for i in range(3):
        y = y * x + i
        fs.append(lambda y=y: y * (i + 1))
    y = 0.0
    return fs[0]() * fs[2]()


@program(1.2)
def partials_made_in_a_loop(x):
    fs = [functools.partial(lambda a, b: a * b + a, x * k) for k in range(1, 4)]
    return fs[0](x) * fs[2](2.0) + fs[1](fs[0](1.0))


@program(1.2)
def counter_by_nonlocal(x):
    total = 0.0

    def add(v):
        nonlocal total
        total += v * x
        return total

    a = add(x)
    b = add(a)
    return a * b + total


@program(1.2, 0.7)
def state_rebound_by_nonlocal(x, y):
    def advance(h):
        nonlocal x, y
        x, y = x + h * y, y - h * math.sin(x)

    for k in range(3):
        advance(0.1 * (k + 1))
    return x * x + y


@program(1.2)
def two_functions_share_a_variable(x):
    level = x

    def raise_by(v):
        nonlocal level
        level = level * v + 1

    def read():
        return level * x

    a = read()
    raise_by(x)
    b = read()
    raise_by(b)
    return a * b + read()


@program(1.2)
def nonlocal_two_levels_up(x):
    s = x

    def outer():
        t = s * 2

        def inner(v):
            nonlocal s, t
            s += v * t
            t = s * x
            return t

        return inner(1.0) + inner(x) * t

    return outer() * s


def make_accumulator(start):
    total = start

    def accumulate(v):
        nonlocal total
        total = total + v * v
        return total

    return accumulate


@program(1.2, 0.7)
def two_accumulators_do_not_mix(x, y):
    a = make_accumulator(x)
    b = make_accumulator(y)
    a(y)
    b(x)
    return a(2.0) * b(x * y)


def make_polynomial(*coefficients):
    def evaluate(t):
        s = 0.0
        for c in reversed(coefficients):
            s = s * t + c
        return s

    return evaluate


@program(1.2, 0.7, 0.4)
def polynomial_made_from_inputs(a, b, t):
    p = make_polynomial(a, b, a * b)
    q = make_polynomial(p(t), 1.0)
    return p(q(t)) + q(b)


@program(1.2)
def derivative_by_differences(x):
    def slope(f, h=1e-2):
        return lambda t: (f(t + h) - f(t - h)) / (2 * h)

    return slope(lambda t: math.sin(t * x))(x) * x


@program(1.2)
def curried(x):
    add = lambda a: lambda b: lambda c: a * b + c * x
    f = add(x)
    g = f(2.0)
    return g(x) * f(x)(1.0)


@program(1.2, 3, static="n")
def composed_many_times(x, n):
    def compose(*fs):
        def composed(t):
            for f in fs:
                t = f(t)
            return t

        return composed

    return compose(*[lambda t: t * x + 0.1] * n, math.sin)(x)


@program(1.2, 0.7)
def default_evaluated_once(x, y):
    def f(t, a=x * y):
        return t * a

    x = 100.0
    s = f(y)
    y = 50.0
    return s * f(2.0) + f(1.0, s)


@program(1.2, 0.7)
def keyword_only_and_varied(x, y):
    def f(a, *rest, scale=2.0, **named):
        s = a
        for r in rest:
            s = s * r + scale
        for value in named.values():
            s -= value * a
        return s

    return f(x) * f(x, y, x * y) + f(y, 3.0, scale=x, u=y, v=x * x)


@program(sample(3))
def captured_array_read_later(x):
    a = x * x

    def total():
        return np.sum(a)

    s = total()
    a[0] = x[1] ** 3
    t = total()
    a = np.ones(3) * x[2]
    return s * t + total()


@program(sample(3))
def captured_list_grows(x):
    values = []

    def record(v):
        values.append(v * v)
        return v

    for v in x:
        record(record(v) * 2)
    return values[0] * values[-1] + sum(values)


@program(1.2)
def captured_cell_of_a_deeper_level(x):
    def level1():
        y = x * 2

        def level2():
            z = y * x

            def level3():
                return x * y * z

            return level3

        y = y + 1
        return level2()

    return level1()()


@program(1.2)
def function_that_returns_itself_or_another(x):
    def double(t):
        return 2 * t, triple

    def triple(t):
        return 3 * t * x, double

    f, s = double, x
    for _ in range(3):
        s, f = f(s)
    return s * s


@program(1.2)
def trampolined_loop(x):
    def step(t, n):
        if n == 0:
            return t
        return lambda: step(t * x + n, n - 1)

    result = step(x, 3)
    while callable(result):
        result = result()
    return result


@program(1.2)
def local_import_and_local_class(x):
    import math as m
    from math import cos

    class Scale:
        factor = 3.0

        def __init__(self, by):
            self.by = by

        def __call__(self, t):
            return self.factor * self.by * m.sin(t)

    return Scale(x)(x) * cos(x)


@program(1.2)
def function_attributes(x):
    def f(t):
        return t * f.gain

    f.gain = 2.0
    a = f(x)
    f.gain = x
    return a * f(x)


@program(1.2)
def conditionally_defined(x):
    if x > 1:

        def f(t):
            return t * x

    else:

        def f(t):
            return t + x

    g = (lambda t: f(t) ** 2) if f(1.0) > 1 else f
    return g(x)


@program(1.2)
def name_shadowed_by_its_own_function(x):
    def x_squared(x):
        x = x * x
        return x

    square = x_squared
    x = square(x) + square(square(x))
    return x * square(x)


@program(0.7, sample(3, 2))
def inner_function_rebinds_its_parameter_in_a_loop(x, A):
    def squashed(p):
        for row in A:
            p = np.tanh(p * p + row[0])
        return p

    return squashed(x)


def scaled_by(k):
    return lambda t: t * k


@program(1.2)
def early_binding_in_a_comprehension(x):
    fs = [lambda t, k=k: t**k for k in range(1, 4)]
    total = 0.0
    for f in fs:
        total += f(x)
    return total


@program(1.2)
def made_by_a_call_in_a_comprehension(x):
    fs = [scaled_by(k) for k in (1.0, x, 3.0)]
    total = 0.0
    for f in fs:
        total = total * x + f(x)
    return total


@program(1.2)
def made_by_a_call_and_appended(x):
    fs = []
    for k in range(3):
        fs.append(scaled_by(k * x))
    return fs[0](x) + fs[1](x) * 10.0


@program(1.2)
def the_first_that_a_loop_made(x):
    first = None
    for k in range(1, 4):
        f = scaled_by(k * x)
        if k == 1:
            first = f
    return first(x) * f(x)


@program(1.2)
def one_made_of_the_one_before(x):
    def steeper(k, g):
        s = g(1.0)
        return lambda t: t * k * s

    f = scaled_by(2.0)
    for k in range(1, 3):
        f = steeper(k * x, f)
    return f(x)


@program(1.2)
def the_last_that_a_loop_made(x):
    total = 0.0
    for k in range(1, 4):
        f = scaled_by(k * x)
        total += f(x)
    return total * f(2.0)


@program(1.2)
def made_in_a_helper_before_its_variable_is_set_again(x):
    def helper(y):
        k = 1.0

        def f(t):
            return t * k

        k = 2.0 * y
        return f(y)

    total = 0.0
    for i in range(3):
        total += helper(x * i)
    return total


@program(1.2)
def made_by_a_call_and_its_argument_set_again(x):
    k = x * x
    f = scaled_by(k)
    k = 0.5
    return f(x) + k


@program(1.2)
def made_by_a_call_and_the_variable_of_the_loop_set_again(x):
    total = x
    for k in (x, 2.0):
        f = scaled_by(k)
        k = k * 0.5
        total += f(total) * k
    return total


def multiples(k):
    yield k
    yield k * 2.0
    yield k * 3.0


@program(1.2)
def argument_of_a_generator_set_again_while_it_runs(x):
    k = x
    total = 0.0
    for v in multiples(k):
        total += v * x
        k = k * 2.0
    return total + k


def ratio(a, b, scale=1.0):
    return scale * a / b


halved = functools.partial(ratio, scale=0.5)
of_three = functools.partial(ratio, 3.0)


@program(1.2)
def partials_from_outside(x):
    return halved(x, 2.0) * of_three(x, scale=2.0) * x * halved(b=x, a=x * x)
