# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Calls of user functions, with every way of passing arguments."""

import math

import numpy as np

from .corpus import program, sample


def square(x):
    return x * x


def affine(x, w=2.0, b=0.5):
    return w * x + b


def area(width, /, height, *, scale=1.0):
    return width * height * scale**2


def total(first, *others):
    s = first * first
    for v in others:
        s = s + v * first
    return s


def weighted(x, **weights):
    return weights["a"] * x + weights["b"] * x * x


def relu(z):
    return max(z, 0.0)


def polar(x, y):
    return math.hypot(x, y), math.atan2(y, x)


def stepwise(x):
    y = x
    for i in range(3):
        y = y * x + i
    return y


def clamp(x, low, high):
    if x < low:
        return low
    if x > high:
        return high
    return x


@program(sample(3), sample(3))
def stars_of_linear_calls(x, y):
    pair = (x, 2.0 * y)
    grid, _ = np.meshgrid(*pair, indexing="ij")
    return np.dot(*pair) * np.sum(np.subtract.outer(*[x, y]) ** 2) + np.sum(grid * np.kron(*pair).reshape(3, 3))


def blend(a, b, t):
    u = a + t * (b - a)
    return u * b


@program(sample(3), sample(4))
def stars_of_arrays(p, q):
    pair = np.stack((p[:2], q[1:3]))
    return blend(*p) * blend(q[0], *q[2:]) + np.sum(blend(*pair, p[2]) * blend(*pair, t=q[0]))


@program(3.0)
def one_helper(x):
    return square(x) + x


@program(3.0)
def helper_of_helper_of_itself(x):
    return square(square(square(x) + 1) / 10)


@program(3.0)
def helper_twice_in_one_expression(x):
    return square(x) * square(x + 1)


@program(3.0, 2.0, 1.0, value=7.0, partials={"x": 2.0, "w": 3.0, "b": 1.0})
@program(-3.0, 2.0, 1.0, value=0.0, partials={"x": 0.0, "w": 0.0, "b": 0.0})
def neuron(x, w, b):
    u = x * w  # pre-activation
    v = u + b
    a = relu(v)
    return a


@program(3.0, 1.5)
def default_arguments(x, y):
    return affine(x) * affine(x, y) + affine(y, b=x)


@program(3.0, 1.5)
def keyword_arguments_out_of_order(x, y):
    return affine(b=x * y, x=y, w=x)


@program(3.0, 1.5)
def positional_only_and_keyword_only(x, y):
    return area(x, y) + area(y, height=x, scale=x * y)


@program(3.0, 1.5, 0.7)
def star_parameter(x, y, z):
    return total(x) + total(x, y) * total(y, z, x * z)


@program(3.0, 1.5)
def star_argument(x, y):
    parts = (x, y, x * y)
    return total(*parts) + affine(*parts) + total(y, *parts, x)


@program(3.0, 1.5)
def double_star_argument(x, y):
    settings = {"w": y, "b": x * y}
    return affine(x, **settings)


@program(3.0, 1.5)
def double_star_parameter(x, y):
    return weighted(x, a=y, b=x * y)


@program(3.0)
def evaluation_in_argument_order(x):
    return affine(y := x * x, y + 1, y * x)


@program(3.0, 1.5)
def several_results(x, y):
    r, phi = polar(x, y)
    return r * r + phi * x


@program(3.0, 1.5)
def one_of_several_results(x, y):
    return polar(x, y)[1] * polar(y, x)[0]


@program(1.2)
def helper_with_a_loop(x):
    return stepwise(x) * stepwise(x / 2)


@program(1.2)
def helper_called_in_a_loop(x):
    y = x
    for _ in range(3):
        y = affine(square(y) / 3, w=x)
    return y


@program(1.2)
def looping_helper_in_a_loop(x):
    y = x
    for i in range(3):
        y = stepwise(y) / (10 + i)
    return y * x


@program(0.5)
@program(1.5)
@program(2.5)
def helper_with_early_returns(x):
    return clamp(x * x, 0.9, 3.0) * x + clamp(x, x - 1, x + 1)


@program(sample(4))
def helper_with_early_returns_in_a_loop(x):
    s = 1.0
    for v in x:
        s = s * clamp(v, 0.7, 1.3) + v
    return s


def factorial_like(x, n):
    if n == 0:
        return 1.0
    return x * n * factorial_like(x, n - 1)


@program(1.1, 4, wrt="x")
@program(1.1, 0, wrt="x")
def calls_recursion(x, n):
    return factorial_like(x, n) + x


@program(1.1, 4, wrt="x")
def is_itself_recursive(x, n):
    if n == 0:
        return x
    return is_itself_recursive(x * x / 2 + 0.3, n - 1) * x


def fibonacci(x, n):
    if n < 2:
        return x * (n + 1)
    return fibonacci(x, n - 1) * x + fibonacci(x, n - 2)


@program(1.1)
def tree_recursion(x):
    return fibonacci(x, 5)


@program(30.0)
@program(3.0)
def recursion_depth_depends_on_the_value(x):
    if x < 1:
        return x * x
    return recursion_depth_depends_on_the_value(x / 2 - 0.1) * x


def is_even_sum(x, n):
    if n == 0:
        return x
    return x + is_odd_product(x, n - 1)


def is_odd_product(x, n):
    if n == 0:
        return 2.0
    return x * is_even_sum(x, n - 1)


@program(1.1)
def mutual_recursion(x):
    return is_even_sum(x, 5) + is_odd_product(x, 4)


def defined_later_caller(x):
    return defined_later(x) * x


@program(1.1)
def helper_defined_below(x):
    return defined_later_caller(x)


def defined_later(x):
    return math.sin(x) + x


def overwrites_its_argument(x, y):
    x = x * y
    y = x + y
    x = x * y
    return x


@program(1.3, 0.8)
def argument_overwritten_in_the_helper(x, y):
    z = overwrites_its_argument(x, y)
    return z + overwrites_its_argument(y, x * y) * x


def ignores_second(x, y):
    return x * 2


@program(1.3, 0.8)
def argument_ignored_by_the_helper(x, y):
    return ignores_second(x, y) * x + ignores_second(3.0, y)


@program(1.3, 0.8)
def helper_result_ignored(x, y):
    polar(x, y)
    square(y)
    return x * 2


def gives_constant(x):
    return 4.0


@program(1.3)
def helper_gives_constant(x):
    return gives_constant(x) * x


@program(1.3, 0.8)
def only_constants_passed(x, y):
    return affine(2.0, 3.0, 1.0) * x + square(4) * y


@program(sample(3), 0.8)
def helper_for_numbers_and_arrays(x, s):
    return np.sum(square(x)) * square(s) + np.sum(affine(x, w=s)) + np.sum(affine(s, w=x))


def normalise(v):
    length = np.sqrt(np.sum(v * v))
    return v / length, length


@program(sample(3), sample(3, seed=1))
def helper_of_arrays_with_two_results(a, b):
    u, length = normalise(a)
    v, _ = normalise(b)
    return np.dot(u, v) * length


def mean_and_spread(x, *, axis=None):
    m = np.mean(x, axis=axis, keepdims=True)
    return m, np.mean((x - m) ** 2, axis=axis)


@program(sample(3, 4))
def keyword_only_static_argument(x):
    m, v = mean_and_spread(x, axis=1)
    m2, v2 = mean_and_spread(x)
    return np.sum(m * x) + np.sum(v) * v2 + np.sum(m2)


@program(3.0, kwargs={"y": 2.0})
def called_with_keyword(x, y):
    return x * y * y


@program(kwargs={"y": 2.0, "x": 3.0})
def called_with_keywords_out_of_order(x, y):
    return x * y * y


@program(3.0)
@program(3.0, 5.0)
@program(3.0, kwargs={"b": 5.0})
def own_defaults(x, a=2.0, b=0.5):
    return a * x + b * x * x


@program(3.0, kwargs={"scale": 2.0})
def own_keyword_only(x, *, scale=1.0, offset=0.3):
    return x * scale + offset * x * x


@program(3.0, 2.0)
def own_positional_only(x, y, /):
    return x * y + x


@program(3.0, 2.0, 1.5)
def own_star_parameter(x, *rest):
    s = x
    for r in rest:
        s = s * r + x
    return s


@program(3.0, kwargs={"a": 2.0, "b": 0.5})
def own_double_star_parameter(x, **weights):
    return weights["a"] * x + weights["b"] * x * x


@program(3.0, 2.0, 1.5, wrt="y")
def only_one_asked_for(x, y, z):
    return x * y * z + y**2


@program(3.0, 2.0, 1.5, wrt="x z")
def two_of_three_asked_for(x, y, z):
    t = y * y
    return x * t * z + t * z**2


@program(3.0, wrt="x")
def default_not_asked_for(x, factor=2.0):
    return x * factor * x


def newton_step(x, a):
    return x - (x * x - a) / (2 * x)


def root(a):
    x = a
    while abs(x * x - a) > 1e-12 * a:
        x = newton_step(x, a)
    return x


@program(5.0, 3.0, tol=1e-6)
def helper_with_data_dependent_loop(a, b):
    return root(a) * root(b + root(a))


def counts(x, n):
    s = x
    for i in range(n):
        s = s * x
    return s, n + 1


@program(1.2)
def helper_returns_a_count_as_well(x):
    y, n = counts(x, 2)
    z, n = counts(y, n)
    return z * n


@program(0.5, 0.3)
def call_in_condition_and_bound(x, y):
    s = x
    for _ in range(int(square(x) * 10)):
        if square(s) < affine(y):
            s = s + square(y)
        else:
            s = s * x
    return s


@program(2.0)
def deep_call_chain(x):
    return level_one(x) + x


def level_one(x):
    return level_two(x * 2) * x


def level_two(x):
    return level_three(x + 1, x) - x


def level_three(a, b):
    a = a * b
    return math.log(a) * a


def product_with_itself(scale, v):
    return np.dot(v, v) * scale


@program(np.array([0.5, 0.7, -0.4]))
def one_array_given_twice(a):
    return product_with_itself(2.0, a) + np.dot(a, a)


def rough_size(v):
    return np.sum(np.abs(v)) + np.sum(0.1 * v)


@program(sample(3, 2, low=-1.0))
def expression_helper_of_one_row_twice(a):
    q = rough_size(a[0])
    e = rough_size(a[0])
    for i in range(3):
        q = q * rough_size(a[i])
        e = e + rough_size(a[i])
    return q * e


def squares_of(*values):
    return sum(v * v for v in values)


def growing(start, *values, rate=1.0):
    total = 0.0
    for v in values:
        total += start * v * rate
        start = start + v
    return total * len(values)


@program([1.0, 2.0], 2.0)
@program([0.5], 2.0)
def list_of_any_length_behind_a_star(xs, y):
    scaled = [x * y for x in xs]
    return squares_of(*scaled) * y + growing(y, *scaled) + growing(y, *xs, rate=y)


@program([1.0, 2.0], 2.0)
def made_behind_a_star(xs, y):
    return squares_of(*[x * y for x in xs]) * y + squares_of(*(x + y for x in xs))


def added_to(items, *more):
    items.extend(more)
    return sum(more)


@program([1.0, 2.0], 2.0)
@program([3.0], 2.0)
def list_behind_a_star_that_grows_later(xs, y):
    items = [y]
    total = added_to(items, *xs)
    doubled = [2.0 * x * y for x in xs]
    total += added_to(doubled, *doubled)
    return total * squares_of(*doubled) + sum(v * v for v in items)


def scaled_by(factor, *arrays):
    for a in arrays:
        a *= factor


@program([sample(2), sample(3)], 1.5)
def arrays_behind_a_star_are_changed(arrays, factor):
    own = [a * 1.0 for a in arrays]
    scaled_by(factor, *own)
    return sum(np.sum(a * a) for a in own)
