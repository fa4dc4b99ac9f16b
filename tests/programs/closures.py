# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Functions as values: cells, lambdas, functions as arguments, functools.partial, functions defined in functions."""

import functools
import math

import numpy as np

import numpy as np

from .corpus import program, sample


def scaled_by(factor):
    def scaled(x):
        return factor * x * x

    return scaled


def with_counter(start, table):
    offset = start * 2

    def shifted(x):
        return (x + offset) * table["gain"]

    return shifted


triple = scaled_by(3.0)
shift = with_counter(0.5, {"gain": 1.5})
cube = lambda x: x**3
half_power = functools.partial(pow, 2.0)
GAIN = 1.7
WEIGHTS = np.array([0.5, 1.5, -1.0])


def blend(x, y, ratio=0.5):
    return ratio * x + (1 - ratio) * y * y


mostly_first = functools.partial(blend, ratio=0.9)
fixed_first = functools.partial(blend, 2.0)


def twice(f, x):
    return f(f(x))


def apply(f, *args, **options):
    return f(*args, **options)


def compose(f, g):
    def composed(x):
        return f(g(x))

    return composed


def square(x):
    return x * x


def shrink(x):
    return math.sin(x) / 2


sine_of_square = compose(math.sin, square)


@program(2.0)
def helper_with_a_cell(x):
    return triple(x) + x


@program(2.0)
def helper_with_two_cells(x):
    return shift(x) * shift(x * x)


scaled_directly = program(2.0)(scaled_by(1.5))


@program(2.0)
def global_lambda(x):
    return cube(x) + cube(x + 1)


@program(2.0)
def global_constant(x):
    return GAIN * x * x


@program(sample(3))
def global_array(x):
    return np.sum(WEIGHTS * x * x)


@program(1.2)
def function_passed_to_a_helper(x):
    return twice(square, x) + twice(shrink, x)


@program(1.2)
def library_function_passed_to_a_helper(x):
    return twice(math.sin, x) + apply(np.exp, x) * twice(math.sqrt, x)


@program(1.2)
def lambda_passed_to_a_helper(x):
    return twice(lambda t: t * t + 1, x)


@program(1.2, 0.7)
def lambda_captures_an_input(x, y):
    return twice(lambda t: t * y + x, x)


@program(1.2, 0.7)
def lambda_bound_to_a_name(x, y):
    f = lambda a, b=2.0: a * b + y
    return f(x) * f(y, x)


@program(1.2)
def arguments_passed_on(x):
    return apply(blend, x, x * x, ratio=0.3)


@program(1.2)
def partial_with_keyword(x):
    return mostly_first(x, x * x)


@program(1.2)
def partial_with_position(x):
    return fixed_first(x) + fixed_first(x, ratio=0.1)


@program(1.2, 0.4)
def partial_made_inside(x, r):
    f = functools.partial(blend, x, ratio=r)
    return f(x * r) + f(2.0)


@program(1.2)
def composed_functions(x):
    return sine_of_square(x) * x


@program(1.2, square)
@program(1.2, math.cos)
@program(1.2, triple)
def function_given_as_input(x, f):
    return f(x) * x


@program(1.2, square)
@program(1.2, blend)
def call_that_only_fits_in_the_taken_branch(x, f):
    return f(x, x) * x if f is blend else f(x) * x


@program(1.2, (square, math.sin, triple))
def functions_in_a_tuple(x, fs):
    y = x
    for f in fs:
        y = f(y) + 0.1
    return y


@program(1.2, "sin")
@program(1.2, "square")
def function_chosen_by_key(x, name):
    table = {"sin": math.sin, "square": square}
    return table[name](x) * x


@program(1.2, 0.7)
def function_defined_inside(x, y):
    def inner(a, b):
        return a * b + a

    return inner(x, y) * inner(y, 2.0)


@program(1.2, 0.7)
def inner_function_captures_an_input(x, y):
    def inner(a):
        return a * y + x

    return inner(x) * inner(y)


@program(1.2, 0.7)
def inner_function_captures_an_intermediate(x, y):
    t = x * y

    def inner(a):
        s = a * t
        return s * s

    return inner(x) + inner(t)


@program(1.2)
def inner_function_with_a_loop(x):
    def powers(a, n):
        p = 1.0
        for _ in range(n):
            p = p * a
        return p

    return powers(x, 3) + powers(x + 1, 2)


@program(1.2)
def inner_function_called_in_a_loop(x):
    def step(a, k):
        return a * x + k

    y = x
    for k in range(3):
        y = step(y, k)
    return y


@program(1.2)
def inner_function_sees_the_value_at_the_call(x):
    def inner():
        return t * x

    t = x * x
    a = inner()
    t = a * 3
    return inner() + a


@program(1.2)
def inner_function_shadows_names(x):
    t = x * x

    def inner(x):
        t = x + 1
        return t * x

    return inner(t) * t + x


@program(1.2)
def two_levels_inside(x):
    def middle(a):
        def innermost(b):
            return a * b + x

        return innermost(a) * innermost(x)

    return middle(x * x)


@program(1.2)
def inner_recursion(x):
    def go(a, n):
        if n == 0:
            return a
        return go(a * x + n, n - 1)

    return go(x, 3)


@program(2.0, 0.1, shrink)
def integrates_a_given_function(y, h, slope):
    for _ in range(4):
        k1 = slope(y)
        k2 = slope(y + h * k1 / 2)
        y = y + h * k2
    return y * y


@program(0.5)
def fixed_point_of_a_function(x):
    def contraction(y):
        return math.cos(y) * x

    y = 0.0
    for _ in range(10):
        y = contraction(y)
    return y


@program(1.2)
def immediately_called_lambda(x):
    return (lambda a, b: a * b + x)(x, x * x)


@program(1.2)
def default_captures_an_input(x):
    def inner(a, b=x * x):
        return a * b

    x = x + 1
    return inner(x) + inner(2.0, x)


@program(np.array([0.4, -1.3, 0.8], dtype=np.float32), 0.7)
def lambdas_of_a_comprehension_share_its_last_number(x, s):
    q = s
    fs = [lambda t: t * k for k in x]
    for g in fs:
        q += g(q)
    return q


def _as_function_or_number(g, x):
    def at(t):
        return g(t) if callable(g) else g

    def twice(t):
        def inner(q):
            if callable(g):
                return g(q)
            return g * q

        return inner(t) * 2 + at(t)

    return x * at(x) + max([1.0, x], key=lambda v: twice(v)) + sum(map(twice, [x, 2 * x]))


@program(1.3)
def what_a_local_function_calls_if_it_can(x):
    return _as_function_or_number(0.5, x) + _as_function_or_number(lambda t: t * t, x)
