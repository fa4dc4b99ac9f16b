# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Infinities and NaN on the way, powers and roots at zero, ties: where the convention decides."""

import math

import numpy as np

from ..corpus import program, sample

INF, NAN = math.inf, math.nan


@program(np.array([-0.5, 1.2]), nonsmooth=True, partials={"x": np.array([0.0, 1 / 1.2])})
def where_with_nan_in_the_branch_not_taken(x):
    return np.sum(np.where(x > 0, np.log(x), 0.0))


@program(np.array([-1.0, 4.0]), nonsmooth=True, partials={"x": np.array([0.0, 0.25])})
def where_protects_a_root(x):
    """The slope of the root is NaN where it was not chosen, and what is not chosen contributes nothing."""
    return np.sum(np.where(x > 0, np.sqrt(x), 0.0))


@program(np.array([0.0, 4.0]), nonsmooth=True, partials={"x": np.array([0.0, 0.25])})
def where_protects_a_root_of_zero(x):
    return np.sum(np.where(x > 0, np.sqrt(x), 0.0))


@program(np.array([-1.0, 4.0]), nonsmooth=True, partials={"x": np.array([0.0, 0.25])})
def mask_protects_a_root(x):
    y = np.zeros(2)
    y[x > 0] = np.sqrt(x[x > 0])
    return np.sum(y)


@program(np.array([0.0, 4.0]), partials={"x": np.array([0.0, 0.25])}, nonsmooth=True)
def branch_protects_a_root(x):
    s = 0.0
    for v in x:
        if v > 0:
            s += math.sqrt(v)
    return s


@program(np.array([0.0, 4.0]), partials={"x": np.array([0.0, -1 / 16])}, nonsmooth=True)
def branch_protects_a_quotient(x):
    s = np.zeros(2)
    for i in range(2):
        s[i] = 1 / x[i] if x[i] else 0.0
    return np.sum(s)


@program(1.5, value=0.0, partials={"x": 0.0})
def divided_by_infinity(x):
    return x / INF


@program(1.5, partials={"x": 1.0})
def infinity_as_the_neutral_element(x):
    return min(INF, x) + max(-INF, 0.5) - 0.5


@program(sample(3), partials={"x": np.array([0.0, 0.0, 1.0])})
def smallest_by_a_loop_from_infinity(x):
    best = INF
    for v in x:
        if v < best:
            best = v
    return best


@program(0.7, nonsmooth=True, partials={"x": 1.0})
def log_sum_with_minus_infinity(x):
    return np.logaddexp(x, -INF)


@program(sample(3), partials={"x": np.array([1.0, 1.0, 1.0])})
def clipped_to_infinite_bounds(x):
    return np.sum(np.clip(x, -INF, INF))


@program(np.array([1.0, NAN, 2.0]), nonsmooth=True, partials={"x": np.array([2.0, 0.0, 4.0])})
def nan_left_out_by_a_mask(x):
    return np.sum(x[~np.isnan(x)] ** 2)


@program(np.array([1.0, NAN, 2.0]), nonsmooth=True, partials={"x": np.array([1.0, 0.0, 1.0])})
def nan_left_out_by_nansum(x):
    return np.nansum(x)


@program(np.array([1.0, NAN, 2.0]), nonsmooth=True, partials={"x": np.array([2.0, 0.0, 4.0])})
def nan_overwritten(x):
    x[np.isnan(x)] = 3.0
    return np.sum(x * x)


@program(np.array([1.0, 2.0]), nonsmooth=True, partials={"x": np.array([NAN, 1.0])})
def nan_flows_through_one_element(x):
    w = np.array([NAN, 1.0])
    return np.sum(w * x)


@program(2.0, nonsmooth=True, partials={"x": INF}, value=INF)
def infinite_slope_and_value(x):
    return x * INF


@program(1000.0, nonsmooth=True, partials={"x": 0.0}, value=1.0)
def saturated(x):
    return math.tanh(x)


@program(np.array([800.0, 799.0]), step=1e-6)
def shifted_softmax_far_out(x):
    e = np.exp(x - np.max(x))
    return e[0] / np.sum(e)


@program(0.0, nonsmooth=True, value=3.0, partials={"x": 2.0})
def polynomial_with_zeroth_power_at_zero(x):
    c = [3.0, 2.0, 1.0]
    return sum(c[k] * x**k for k in range(3))


@program(np.array([0.0, 2.0]), nonsmooth=True, partials={"x": np.array([1.0, 5.0])})
def array_of_powers_at_zero(x):
    return np.sum(x**0 + x**1 + x**2)


@program(np.array([0.0, 2.0]), np.array([0, 1, 2]), nonsmooth=True, partials={"x": np.array([1.0, 5.0])})
def vandermonde_at_zero(x, k):
    return np.sum(x[:, None] ** k)


@program(0.0, 1.0, nonsmooth=True, value=0.0, partials={"x": 1.0, "p": 0.0})
def zero_to_the_first(x, p):
    return x**p


@program(np.zeros(2), np.array([1.5, 2.0]), nonsmooth=True, partials={"x": np.zeros(2), "p": np.zeros(2)})
def zeros_to_powers(x, p):
    return np.sum(x**p)


@program(-2.0, partials={"x": 12.0})
def odd_power_of_a_negative_number(x):
    return x**3


@program(np.zeros(3), nonsmooth=True, value=np.float64(0.0), partials={"x": np.zeros(3)})
def norm_at_zero(x):
    return np.linalg.norm(x)


@program(0.0, 0.0, nonsmooth=True, value=0.0, partials={"x": 0.0, "y": 0.0})
def hypot_at_zero(x, y):
    return math.hypot(x, y)


@program(np.zeros(2), nonsmooth=True, partials={"x": np.array([NAN, NAN])})
def norm_by_hand_at_zero(x):
    """The slope of the root is infinite and that of the sum of squares is zero."""
    return np.sqrt(np.sum(x * x))


@program(0.0, nonsmooth=True, value=0.0, partials={"x": 1.0})
def branch_at_zero_follows_the_path(x):
    return 2 * x if x > 0 else x


@program(
    np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]]),
    nonsmooth=True,
    partials={"x": np.array([[0.0, 0.5, 0.5], [1 / 3, 1 / 3, 1 / 3]])},
)
def ties_over_an_axis(x):
    return np.sum(np.max(x, axis=1))


@program(np.array([3.0, 1.0, 3.0]), nonsmooth=True, partials={"x": np.array([1.0, 0.0, 0.0])})
def tie_in_a_loop_keeps_the_first(x):
    best = x[0]
    for v in x:
        if v > best:
            best = v
    return best


@program(np.array([3.0, 1.0, 3.0]), nonsmooth=True, partials={"x": np.array([0.0, 0.0, 1.0])})
def tie_in_a_loop_takes_the_last(x):
    best = x[0]
    for v in x:
        if v >= best:
            best = v
    return best


@program(np.array([3.0, 1.0, 3.0]), nonsmooth=True, partials={"x": np.array([6.0, 0.0, 0.0])})
def tie_at_argmax(x):
    return x[np.argmax(x)] ** 2


@program(np.array([1.0, -1.0, 0.0]), nonsmooth=True, partials={"x": np.array([1.0, 0.0, 0.5])})
def tie_written_through_maximum(x):
    np.maximum(x, 0.0, out=x)
    return np.sum(x)


@program(np.array([1.0, 2.0]), nonsmooth=True, partials={"x": np.array([0.5, 1.0])})
def tie_kept_in_an_array(x):
    a = np.ones(2)
    a[:] = np.maximum(a, x)
    return np.sum(a)


@program(2.0, 2.0, nonsmooth=True, partials={"x": 0.0, "y": 0.0})
def difference_of_equals(x, y):
    return abs(x - y)


@program(0.0, nonsmooth=True, partials={"x": 1.0})
def removable_singularity_by_a_branch(x):
    return math.sin(x) / x + x if x else 1.0 + x


@program(1e-320, nonsmooth=True, partials={"x": 2.0})
def number_without_full_precision(x):
    return 2.0 * x


@program(-0.0, nonsmooth=True, value=-0.0, partials={"x": 1.0})
def negative_zero(x):
    return x * 1.0


@program(np.array([1.0, NAN, 3.0]), nonsmooth=True, partials={"x": np.array([0.0, 0.0, 1.0])})
@program(np.array([2.0, 1.0, NAN]), nonsmooth=True, partials={"x": np.array([1.0, 0.0, 0.0])})
@program(np.array([2.0, 2.0, 1.0]), nonsmooth=True, partials={"x": np.array([1.0, 0.0, 0.0])})
def largest_item_beside_nan(x):
    return max(x)


@program(np.array([1.0, NAN, 0.5]), nonsmooth=True, partials={"x": np.array([0.0, 0.0, 2.0])})
@program(np.array([NAN, 1.0, 0.5]), nonsmooth=True, partials={"x": np.array([2.0, 0.0, 0.0])})
def smallest_item_beside_nan(x):
    return min(x) * 2.0
