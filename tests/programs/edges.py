# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Points without derivative, where the convention that PyTorch and JAX share holds, and inputs without influence."""

import math

import numpy as np

from .corpus import program, sample

INF = float("inf")


def relu(z):
    return max(z, 0.0)


@program(0.0, nonsmooth=True, partials={"z": 0.0})
def relu_at_zero(z):
    return relu(z)


@program(0.0, nonsmooth=True, partials={"z": 0.0})
def relu_written_the_other_way_at_zero(z):
    return max(0.0, z)


@program(0.0, nonsmooth=True, partials={"z": 0.0})
def absolute_value_at_zero(z):
    return abs(z)


@program(0.0, nonsmooth=True, partials={"z": 0.0})
def math_fabs_at_zero(z):
    return math.fabs(z)


@program(np.array([0.0, -1.0, 2.0]), nonsmooth=True, partials={"x": np.array([0.0, -1.0, 1.0])})
def array_absolute_value_at_zero(x):
    return np.sum(np.abs(x))


@program(
    np.array([1.0, 2.0, 3.0]),
    np.array([1.0, 5.0, 0.0]),
    nonsmooth=True,
    partials={"x": np.array([0.5, 0.0, 1.0]), "y": np.array([0.5, 1.0, 0.0])},
)
def maximum_tie_splits_evenly(x, y):
    return np.sum(np.maximum(x, y))


@program(
    np.array([1.0, 2.0, 3.0]),
    np.array([1.0, 5.0, 0.0]),
    nonsmooth=True,
    partials={"x": np.array([0.5, 1.0, 0.0]), "y": np.array([0.5, 0.0, 1.0])},
)
def minimum_tie_splits_evenly(x, y):
    return np.sum(np.minimum(x, y))


@program(np.array([3.0, 1.0, 3.0]), nonsmooth=True, partials={"x": np.array([0.5, 0.0, 0.5])})
def max_of_all_tie_splits_evenly(x):
    return np.max(x)


@program(np.array([1.0, 1.0, 1.0, 2.0]), nonsmooth=True, partials={"x": np.array([1 / 3, 1 / 3, 1 / 3, 0.0])})
def min_of_all_tie_splits_evenly(x):
    return x.min()


@program(
    np.array([[1.0, 4.0], [1.0, 0.0], [0.0, 4.0]]),
    nonsmooth=True,
    partials={"x": np.array([[0.5, 0.5], [0.5, 0.0], [0.0, 0.5]])},
)
def max_over_an_axis_tie_splits_evenly(x):
    return np.sum(np.max(x, axis=0))


@program(0.0, value=1.0, nonsmooth=True, partials={"x": 0.0})
@program(2.0, value=1.0, nonsmooth=True, partials={"x": 0.0})
@program(-2.0, value=1.0, nonsmooth=True, partials={"x": 0.0})
def zeroth_power(x):
    return x**0


@program(0.0, partials={"x": 0.0})
def square_at_zero(x):
    return x**2


@program(0.0, nonsmooth=True, partials={"x": 0.0})
def float_square_at_zero(x):
    return x**2.0


@program(0.0, value=0.0, nonsmooth=True, partials={"x": 1.0})
def first_power_at_zero(x):
    return x**1


@program(0.0, 2, wrt="x", partials={"x": 0.0})
@program(-1.5, 3, wrt="x")
def power_with_integer_count_at_zero(x, n):
    return x**n


@program(0.0, 2.0, nonsmooth=True, partials={"x": 0.0, "p": 0.0})
def zero_to_a_variable_power(x, p):
    return x**p


@program(np.array([0.0, 2.0, -1.0]), nonsmooth=True, partials={"x": np.array([0.0, 4.0, -2.0])})
def array_square_at_zero(x):
    return np.sum(x**2)


@program(np.array([0.0, 2.0]), nonsmooth=True, partials={"x": np.zeros(2)})
def array_zeroth_power(x):
    return np.sum(x**0)


@program(0.0, nonsmooth=True, partials={"x": INF})
def math_square_root_at_zero(x):
    return math.sqrt(x)


@program(np.array([0.0, 4.0]), nonsmooth=True, partials={"x": np.array([INF, 0.25])})
def array_square_root_at_zero(x):
    return np.sum(np.sqrt(x))


@program(0.0, nonsmooth=True, partials={"x": INF})
def numpy_square_root_of_a_number_at_zero(x):
    return np.sqrt(x)


@program(0.0, nonsmooth=True, partials={"x": INF})
def square_root_as_a_power_at_zero(x):
    return x**0.5


@program(1.0, nonsmooth=True, partials={"x": INF})
def arc_sine_at_one(x):
    return math.asin(x)


@program(1.0, nonsmooth=True, partials={"x": -INF})
def arc_cosine_at_one(x):
    return math.acos(x)


@program(
    np.array([-1.0, 4.0]),
    nonsmooth=True,
    partials={"x": np.array([0.0, 0.25])},
)
def where_picks_the_safe_side_first(x):
    safe = np.where(x > 0, x, 1.0)
    return np.sum(np.where(x > 0, np.sqrt(safe), 0.0))


@program(2.0, 3.0, partials={"x": 2.0, "unused": 0.0})
def input_without_influence(x, unused):
    return 2 * x


@program(2.0, np.ones((2, 3)), partials={"x": 2.0, "unused": np.zeros((2, 3))})
def array_without_influence(x, unused):
    return 2 * x


@program(2.0, np.ones(3, dtype=np.float32), np.float32(1.0), np.array(2.0))
def other_types_without_influence(x, a, b, c):
    return 2 * x


@program(2.0, (1.0, [np.ones(2), 2.0]), {"k": 1.0})
def containers_without_influence(x, t, d):
    return 2 * x


@program(2.0, 3.0, partials={"x": 0.0, "y": 6.0})
def influence_overwritten(x, y):
    z = x * y
    z = y
    return z * z


@program(2.0, 3.0, partials={"x": 0.0, "y": 0.0})
def nothing_has_influence(x, y):
    return 1.5


@program(2.0, partials={"x": 0.0})
def influence_through_flat_functions_only(x):
    return float(int(x * 1.3)) + math.floor(x * 1.4) + np.sign(x)


@program(2.0, partials={"x": 0.0})
def influence_through_conditions_only(x):
    s = 0.0
    for i in range(3):
        if x > i + 0.5:
            s += 1.0
    return s


@program(2.0, partials={"x": 0.0})
def difference_with_itself(x):
    return x - x


@program(0.0, partials={"x": 1.0})
def multiplication_by_zero_value(x):
    return x * math.cos(x) * 1.0


@program(np.zeros(3), partials={"x": np.array([0.0, 0.0, 0.0])})
def product_of_zeros(x):
    return np.prod(x)


@program(np.array([0.0, 2.0, 3.0]), partials={"x": np.array([6.0, 0.0, 0.0])})
def product_with_one_zero(x):
    return np.prod(x)


@program(1e200, nonsmooth=True, partials={"x": 0.0})
def sigmoid_far_out(x):
    return 1 / (1 + math.exp(-x))


@program(np.array([1000.0, 0.0]), nonsmooth=True, partials={"x": np.array([1.0, 0.0])})
def log_sum_exp_far_out(x):
    return np.logaddexp(x[0], x[1])


@program(-3.0, 2.0, 1.0, partials={"x": 0.0, "w": 0.0, "b": 0.0})
def dead_neuron(x, w, b):
    return relu(x * w + b)


@program(np.array([-1.0, 2.0, 0.0]), nonsmooth=True, partials={"x": np.array([0.0, 1.0, 0.5])})
def array_relu_at_zero(x):
    return np.sum(np.maximum(x, 0.0))


@program(sample(3), 0.0, partials={"x": np.zeros(3)})
def factor_zero(x, s):
    return np.sum(x * x) * s


@program(np.array([3.0, 4.0]), partials={"x": np.array([0.6, 0.8])})
def euclidean_norm(x):
    return np.linalg.norm(x)


@program(1.0, 1.0, nonsmooth=True, partials={"x": 1.0, "y": 0.0})
def python_max_at_a_tie_is_its_own_branch(x, y):
    return x if x >= y else y


@program(2.0, 0.0, value=4.0, nonsmooth=True, partials={"x": 4.0, "y": 0.0})
def or_at_a_zero(x, y):
    return (y or x) * x


@program(0.0, 3.0, value=3.0, nonsmooth=True, partials={"x": 2.0, "y": 1.0})
def and_at_a_zero(x, y):
    return (x and y) * 2 + (x or y)


@program(sample(1))
@program(sample(3))
def numbers_reduced_along_an_axis(w):
    b = w.squeeze()
    return np.ptp(b, axis=0) + np.sum(np.prod(b * w, axis=0)) * np.nansum(b, axis=0) + np.sum(np.add.reduce(b, axis=0))


@program(sample(3))
def sum_of_a_sum_until_a_number_is_left(x):
    v = x.reshape(1, len(x))
    for _ in range(3):
        v = np.add.reduce(v, axis=0)
    return v * v


@program(np.zeros((0, 0)))
@program(sample(2, 3))
def items_taken_of_nothing(a):
    return np.sum(np.take(a, [0, 0], axis=1) ** 2)
