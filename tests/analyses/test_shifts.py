"""Maxima that cancel: which have no adjoint, the numbers with and without that, and what only looks alike."""

from __future__ import annotations

import dataclasses
import importlib.util
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompile import custom_rule, grad, jacobian, vjp
from adcompile.calls.transformations import Gradient
from adcompile.pipeline import ALL, Order
from adcompile.rules import registry

RNG = np.random.default_rng(7)
VECTOR = RNG.standard_normal(5)
SQUARE = RNG.standard_normal((4, 4))
TABLE = RNG.standard_normal((3, 4))
CUBE = RNG.standard_normal((2, 3, 4))
WEIGHTS = RNG.standard_normal((4, 4))


# ------------------------------------------------------------------------------------------------- they do not matter


def log_sum_exp(x: Any) -> Any:
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def log_sum_exp_rows(x: Any) -> Any:
    top = np.max(x, axis=1)
    return np.sum(top + np.log(np.sum(np.exp(x - top[:, None]), axis=1)))


def log_sum_exp_columns(x: Any) -> Any:
    top = x.max(axis=0)
    return np.sum((np.log(np.exp(x - top).sum(axis=0)) + top) ** 2)


def log_sum_exp_kept_axis(x: Any) -> Any:
    top = np.amax(x, axis=-1, keepdims=True)
    return np.sum((top[:, 0] + np.log(np.sum(np.exp(x - top), axis=-1))) ** 2)


def log_sum_exp_all_kept(x: Any) -> Any:
    top = np.max(x, axis=1, keepdims=True)
    s = np.sum(np.exp(x - top), axis=1, keepdims=True)
    return np.sum(np.squeeze(top + np.log(s), axis=1) ** 2)


def log_sum_exp_expanded(x: Any) -> Any:
    top = np.max(x, axis=1)
    shifted = np.exp(x - np.expand_dims(top, 1))
    return np.sum((top + np.log(shifted.sum(-1))) ** 2)


def log_sum_exp_reshaped(x: Any) -> Any:
    top = np.max(x, axis=1).reshape(-1, 1)
    return np.sum((np.log(np.sum(np.exp(x - top), axis=1)) + top.ravel()) ** 2)


def log_sum_exp_transposed(x: Any) -> Any:
    top = np.max(x, axis=1)
    return np.sum((np.log(np.sum(np.exp(x.T - top), axis=0)) + top) ** 2)


def log_sum_exp_of_three_axes(x: Any) -> Any:
    top = np.max(x, axis=1)
    return np.sum((np.log(np.mean(np.exp(x - top[:, None, :]), axis=-2)) + top) ** 2)


def log_mean_exp_of_negatives(x: Any) -> Any:
    least = np.min(x)
    return np.log(np.mean(np.exp(-(x - least)))) - least


def log_sum_exp_of_halves(x: Any) -> Any:
    least = x.min()
    return -0.5 * least + np.log(np.sum(np.exp(-0.5 * (x - least))))


def softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    return np.sum(p**2)


def softmax_by_division(x: Any) -> Any:
    top = np.max(x)
    e = np.exp(x) / np.exp(top)
    return np.sum((e / np.sum(e)) ** 3)


def log_softmax(x: Any) -> Any:
    top = x.max(axis=1, keepdims=True)
    shifted = x - top
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return np.sum(log_p * np.sin(x))


def cross_entropy(x: Any) -> Any:
    labels = np.arange(len(x)) % 3
    shifted = x - np.max(x, axis=1, keepdims=True)
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(x)), labels])


def softmax_transposed(x: Any) -> Any:
    e = np.transpose(np.exp(x - np.max(x, axis=1, keepdims=True)))
    return np.sum((e / np.sum(e, axis=0, keepdims=True)) ** 2 * x.T)


def attention(x: Any) -> Any:
    scores = x @ x.T
    e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return np.sum((e @ x / np.sum(e, axis=1, keepdims=True)) ** 2)


def of_two_numbers(x: Any) -> Any:
    a, b = x[0], x[1] * x[2]
    top = max(a, b)
    return (top + math.log(math.exp(a - top) + math.exp(b - top))) ** 2


def of_two_arrays(x: Any) -> Any:
    a, b = x, np.sin(x[::-1])
    top = np.maximum(a, b)
    return np.sum((top + np.log(np.exp(a - top) + np.exp(b - top))) ** 2)


def two_of_them(x: Any) -> Any:
    rows = np.max(x, axis=1, keepdims=True)
    columns = np.max(x, axis=0, keepdims=True)
    a = np.exp(x - rows)
    b = np.exp(x - columns)
    return np.sum(a / a.sum(axis=1, keepdims=True) * b / b.sum(axis=0, keepdims=True) * x)


def softmax_in_a_loop(x: Any) -> Any:
    total = 0.0
    for row in x:
        top = np.max(row)
        e = np.exp(row - top)
        p = e / np.sum(e)
        total += np.sum(p * row)
    return total


def in_a_branch(x: Any) -> Any:
    y = np.sum(x)
    if y < 1e6:
        top = np.max(x)
        y = y * (top + np.log(np.sum(np.exp(x - top))))
    return y * y


def within_a_branch_of_later(x: Any) -> Any:
    top = np.max(x)
    if x[0] < 1e6:
        e = np.exp(x - top)
        y = np.sum(e * x) / np.sum(e)
    else:
        y = x[0]
    return y * y


def x_changes_in_between(x: Any) -> Any:
    x = x * 1.0
    top = np.max(x)
    x[0] = x[1] * x[2]
    return top + np.log(np.sum(np.exp(x - top)))


def _log_sum(v: Any) -> Any:
    top = np.max(v)
    shifted = np.exp(v - top)
    return top + np.log(np.sum(shifted))


def in_a_function_of_its_own(x: Any) -> Any:
    return _log_sum(x) * _log_sum(x * x)


def maximum_over_two_axes(x: Any) -> Any:
    top = np.max(x, axis=(0, 2))
    return np.sum((np.log(np.mean(np.exp(x - top[None, :, None]), axis=(0, -1))) + top) ** 2)


def softmax_under_one_name(x: Any) -> Any:
    w = x * 1.5
    w = w - np.max(w, axis=1, keepdims=True)
    w = np.exp(w)
    w = w / np.sum(w, axis=1, keepdims=True)
    w = w**2
    for k in range(3):
        x = x + k * w
    return np.sum(w * x)


CANCEL: list[tuple[Callable[..., Any], Any]] = [
    (softmax_under_one_name, TABLE),
    (log_sum_exp, VECTOR), (log_sum_exp_rows, TABLE), (log_sum_exp_columns, TABLE), (log_sum_exp_kept_axis, TABLE),
    (log_sum_exp_all_kept, TABLE), (log_sum_exp_expanded, TABLE), (log_sum_exp_reshaped, TABLE),
    (log_sum_exp_transposed, TABLE), (log_sum_exp_of_three_axes, CUBE), (log_mean_exp_of_negatives, VECTOR),
    (log_sum_exp_of_halves, VECTOR), (maximum_over_two_axes, CUBE), (softmax, TABLE),
    (softmax_by_division, VECTOR), (log_softmax, TABLE),
    (attention, SQUARE), (softmax_transposed, TABLE), (of_two_numbers, VECTOR), (of_two_arrays, VECTOR),
    (two_of_them, SQUARE),
    (softmax_in_a_loop, TABLE), (in_a_branch, VECTOR), (within_a_branch_of_later, VECTOR),
    (x_changes_in_between, VECTOR), (in_a_function_of_its_own, VECTOR),
]  # fmt: skip


# ------------------------------------------------------------------------------------------------------- they do matter


def along_the_wrong_axis(x: Any) -> Any:
    top = np.max(x, axis=1)
    return np.sum(top + np.log(np.sum(np.exp(x - top), axis=1)))


def summed_over_the_other_axis(x: Any) -> Any:
    top = np.max(x, axis=1)
    return np.sum(top + np.log(np.sum(np.exp(x - top[:, None]), axis=0)))


def normalised_over_the_other_axis(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum((e / np.sum(e, axis=0, keepdims=True)) ** 2)


def added_to_the_transposed(x: Any) -> Any:
    top = np.max(x, axis=1)
    s = np.log(np.sum(np.exp(x - top[:, None]), axis=1, keepdims=True))
    return np.sum((s + top) ** 2)


def used_once_more(x: Any) -> Any:
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top))) + 0.1 * top


def kept_in_a_list(x: Any) -> Any:
    kept = []
    top = np.max(x)
    kept.append(top)
    return top + np.log(np.sum(np.exp(x - top))) + kept[0] ** 2


def kept_in_an_array(x: Any) -> Any:
    kept = np.zeros(2)
    top = np.max(x)
    kept[1] = top
    return top + np.log(np.sum(np.exp(x - top))) + kept[1] ** 2


def subtracted_twice(x: Any) -> Any:
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - 2 * top)))


def weighted_by_it(x: Any) -> Any:
    top = np.max(x)
    return top + np.log(np.sum(top * np.exp(x - top)))


def squared(x: Any) -> Any:
    top = np.max(x)
    return top**2 + np.log(np.sum(np.exp(x - top)))


def not_added_back(x: Any) -> Any:
    top = np.max(x)
    return np.log(np.sum(np.exp(x - top)))


def taken_off_again(x: Any) -> Any:
    top = np.max(x)
    return np.log(np.sum(np.exp(x - top))) - top


def one_more_in_the_sum(x: Any) -> Any:
    top = np.max(x)
    return top + np.log(1.0 + np.sum(np.exp(x - top)))


def of_another_base(x: Any) -> Any:
    top = max(x[0], x[1])
    return top + math.log(math.exp(x[0] - top) + math.exp(x[1] - top), 3.0)


def logarithm_to_base_two(x: Any) -> Any:
    top = np.max(x)
    return top + np.log2(np.sum(np.exp(x - top)))


def power_of_two(x: Any) -> Any:
    top = np.max(x)
    return top + np.log(np.sum(np.exp2(x - top)))


def changed_afterwards(x: Any) -> Any:
    top = np.max(x, axis=1)
    s = np.sum(np.exp(x - top[:, None]), axis=1)
    top *= 2.0
    return np.sum(top + np.log(s))


def changed_in_part(x: Any) -> Any:
    top = np.max(x, axis=1)
    s = np.sum(np.exp(x - top[:, None]), axis=1)
    top[0] = 0.5 * s[0]
    return np.sum(top + np.log(s))


def changed_under_another_name(x: Any) -> Any:
    top = np.max(x, axis=1)
    column = top[:, None]
    s = np.sum(np.exp(x - column), axis=1)
    column[1, 0] = s[1]
    return np.sum(top + np.log(s))


def powers_changed_in_place(x: Any) -> Any:
    top = np.max(x)
    e = np.exp(x - top)
    e[0] = 1.0
    return top + np.log(np.sum(e))


def powers_with_more_added(x: Any) -> Any:
    top = np.max(x)
    e = np.exp(x - top)
    e += 0.5
    return top + np.log(np.sum(e))


def written_into_an_array(x: Any) -> Any:
    buffer = np.empty(len(x))
    top = np.max(x, axis=1, out=buffer)
    return np.sum(top + np.log(np.sum(np.exp(x - top[:, None]), axis=1))) + buffer[0] ** 2


def set_again(x: Any) -> Any:
    top = np.max(x)
    s = np.sum(np.exp(x - top))
    if s > 0.0:
        top = top * top
    return top + np.log(s)


def of_the_step_before(x: Any) -> Any:
    total = 0.0
    top = 0.0
    for k in range(len(x)):
        total += top + np.log(np.sum(np.exp(x[k] - top))) if k > 0 else 0.0
        top = np.max(x[k])
    return total


def carried_to_the_next_step(x: Any) -> Any:
    total = 0.0
    s = 1.0
    for k in range(len(x)):
        total += s
        top = np.max(x[k])
        s = np.log(np.sum(np.exp(x[k] - top)))
        total += (top + s) ** 2
    return total


def read_after_the_loop(x: Any) -> Any:
    total = 0.0
    for k in range(len(x)):
        top = np.max(x[k])
        total += top + np.log(np.sum(np.exp(x[k] - top)))
    return total * top


def the_first_of_them(x: Any) -> Any:
    top = np.max(x, axis=1)
    return np.sum(top + np.log(np.sum(np.exp(x - top[0]), axis=1)))


def turned_around(x: Any) -> Any:
    top = np.max(x, axis=1)
    return np.sum((top[::-1] + np.log(np.sum(np.exp(x - top[:, None]), axis=1))) ** 2)


def picked(x: Any) -> Any:
    order = np.array([2, 0, 1])
    top = np.max(x, axis=1)
    return np.sum((top[order] + np.log(np.sum(np.exp(x - top[:, None]), axis=1))) ** 2)


def folded(x: Any) -> Any:
    top = np.max(x, axis=1)
    s = np.log(np.sum(np.exp(x - top[:, None]), axis=1))
    return np.sum((s.reshape(2, 2) + top.reshape(2, 2).T) ** 2)


def by_matrix_product(x: Any) -> Any:
    top = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - top)
    return np.sum(top[:, 0] + np.log(np.sum(np.exp(0.1 * x) @ e, axis=1)))


def mean_of_the_shifted(x: Any) -> Any:
    top = np.max(x, axis=1)
    return np.mean(top) ** 2 + np.sum(np.log(np.sum(np.exp(x - top[:, None]), axis=1)))


def sum_of_the_shifted(x: Any) -> Any:
    top = np.max(x)
    return np.sum(x - top) + top


def some_of_them(x: Any) -> Any:
    top = np.max(x)
    shifted = np.where(x > 0.1, x - top, x)
    return top + np.log(np.sum(np.exp(shifted)))


def clipped(x: Any) -> Any:
    top = np.max(x)
    return top + np.log(np.sum(np.exp(np.maximum(x - top, -0.7))))


def powers_above_a_bound(x: Any) -> Any:
    top = np.max(x)
    e = np.exp(x - top)
    s = np.sum(e[e > 0.3])
    return top * s + np.log(np.sum(e))


def seen_by_an_inner_function(x: Any) -> Any:
    top = np.max(x)

    def squared_top(v: Any) -> Any:
        return v * top**2

    return top + np.log(np.sum(np.exp(x - top))) + squared_top(x[0])


def seen_by_a_lambda(x: Any) -> Any:
    late = lambda v: v * top  # noqa: E731 - it is what is tested
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top))) + late(x[1])


def _sum_of_sines(v: Any) -> Any:
    w = np.sin(v)
    return np.sum(w * w)


def passed_to_a_function(x: Any) -> Any:
    top = np.max(x)
    return _sum_of_sines(x - top) + top * math.sin(top)


def returned_by_the_way(x: Any) -> Any:
    top = np.max(x)
    y, z = np.sum(np.exp(x - top)), top
    return np.log(y) + z + z**2


def left_early(x: Any) -> Any:
    top = np.max(x)
    if x[0] > -1e6:
        return top * x[0]
    return top + np.log(np.sum(np.exp(x - top)))


def multiplied_by_the_powers(x: Any) -> Any:
    top = np.max(x)
    e = np.exp(x - top)
    return np.sum(e * e) / np.sum(e)


def ratio_of_sums_over_the_other_axis(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(np.sum(e * x, axis=0) / np.sum(e, axis=0))


def ratio_of_products_from_the_left(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum((WEIGHTS @ e) / (np.exp(WEIGHTS) @ e))


def ratio_of_products_from_the_right(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=0))
    return np.sum((e @ WEIGHTS) / (e @ np.exp(WEIGHTS)))


def of_two_degrees(x: Any) -> Any:
    top = np.max(x)
    e = np.exp(x - top)
    return np.sum(top + np.log(e + e * e))


def another_one_of_them(x: Any) -> Any:
    top = np.max(x, axis=1)
    return top[1] + np.log(np.sum(np.exp(x - top[0])))


def set_to_something_else(x: Any) -> Any:
    top = np.max(x)
    s = np.sum(np.exp(x - top))
    if x[0] > -1e6:
        top = x[1] * x[2]
    return top + np.log(s)


def weighted_by_it_alone(x: Any) -> Any:
    top = np.max(x)
    return np.log(np.sum(top * np.exp(x - top)))


def put_into_an_array(x: Any) -> Any:
    top = np.max(x)
    v = np.array([top, 2.0])
    return top + np.log(np.sum(np.exp(x - top))) + v[0] ** 2


def put_into_a_tuple(x: Any) -> Any:
    top = np.max(x)
    pair = (top, 2.0)
    return top + np.log(np.sum(np.exp(x - top))) + pair[0] ** 2 * pair[1]


def put_into_a_dict(x: Any) -> Any:
    top = np.max(x)
    named = {"top": top}
    return top + np.log(np.sum(np.exp(x - top))) + named["top"] ** 2


def its_real_part(x: Any) -> Any:
    top = np.max(x, axis=1)
    s = np.sum(np.exp(x - top[:, None]), axis=1)
    return np.sum(top + np.log(s)) + np.sum(top.real**2)


def by_short_cut(x: Any) -> Any:
    top = np.max(x)
    other = x[0] > 100.0 or top
    return top + np.log(np.sum(np.exp(x - top))) + other**2


def changed_by_unpacking(x: Any) -> Any:
    top = np.max(x, axis=1)
    s = np.sum(np.exp(x - top[:, None]), axis=1)
    top[0], y = s[1], s[0]
    return np.sum(top + np.log(s)) + y


def written_by_position(x: Any) -> Any:
    buffer = np.empty(len(x))
    top = np.max(x, 1, buffer)
    return np.sum(top + np.log(np.sum(np.exp(x - top[:, None]), axis=1))) + buffer[0] ** 2


def kept_for_the_next_step(x: Any) -> Any:
    top = np.max(x)
    total = 0.0
    e = x * 0.5
    for k in range(3):
        total += np.sum(e * x[k])
        e = np.exp(x - top)
    return total + np.log(np.sum(np.exp(x - top))) + top


def transposed_and_normalised_wrongly(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True)).T
    return np.sum((e / np.sum(e, axis=1, keepdims=True)) ** 2)


def transposed_by_a_call(x: Any) -> Any:
    e = np.transpose(np.exp(x - np.max(x, axis=1, keepdims=True)))
    return np.sum((e / np.sum(e, axis=1, keepdims=True)) ** 2)


def turned_and_added(x: Any) -> Any:
    top = np.max(x, axis=1)
    column = top[:, None]
    return np.sum((column.T - column) ** 2)


def stretched_over_another_length(x: Any, k: int = 1) -> Any:
    part = x[:, :k]
    top = np.max(part, axis=0)
    return np.sum((np.log(np.sum(np.exp(x - top), axis=1)) + 2.0 * top) ** 2)


def stretched_from_one_column(x: Any) -> Any:
    y = x[:, :1]
    top = np.max(y, axis=0)
    return np.sum((np.log(np.exp(x - top).sum(axis=0)) + 2.0 * top) ** 2)


def under_one_name_and_read_between(x: Any) -> Any:
    w = x - np.max(x)
    u = w
    w = np.exp(w)
    w = w / np.sum(w)
    return np.sum(w * u)


def under_one_name_and_not_normalised(x: Any) -> Any:
    w = x - np.max(x)
    w = np.exp(w)
    return np.sum(w**2) + np.sum(w)


def under_one_name_and_set_in_a_branch(x: Any) -> Any:
    w = x - np.max(x)
    if x[1] > 0.0:
        w = w / 2.0
    w = np.exp(w)
    return np.sum(w / np.sum(w) ** 2)


def under_one_name_and_read_in_the_loop(x: Any) -> Any:
    w = x - np.max(x)
    total = 0.0
    for k in range(3):
        total = total + k * np.sum(w**2)
    w = np.exp(w)
    return np.sum((w / np.sum(w)) ** 2) + total


MATTER: list[tuple[Callable[..., Any], Any]] = [
    (under_one_name_and_read_between, VECTOR), (under_one_name_and_not_normalised, VECTOR),
    (under_one_name_and_set_in_a_branch, VECTOR), (under_one_name_and_read_in_the_loop, VECTOR),
    (along_the_wrong_axis, SQUARE), (summed_over_the_other_axis, SQUARE), (normalised_over_the_other_axis, SQUARE),
    (added_to_the_transposed, SQUARE), (used_once_more, VECTOR), (kept_in_a_list, VECTOR), (kept_in_an_array, VECTOR),
    (subtracted_twice, VECTOR), (weighted_by_it, VECTOR), (squared, VECTOR), (not_added_back, VECTOR),
    (taken_off_again, VECTOR), (one_more_in_the_sum, VECTOR), (of_another_base, VECTOR),
    (logarithm_to_base_two, VECTOR), (power_of_two, VECTOR), (changed_afterwards, TABLE), (changed_in_part, TABLE),
    (changed_under_another_name, TABLE), (powers_changed_in_place, VECTOR), (powers_with_more_added, VECTOR),
    (written_into_an_array, TABLE), (set_again, VECTOR), (of_the_step_before, TABLE), (carried_to_the_next_step, TABLE),
    (read_after_the_loop, TABLE), (the_first_of_them, TABLE), (turned_around, TABLE), (picked, TABLE),
    (folded, SQUARE), (by_matrix_product, SQUARE), (mean_of_the_shifted, TABLE), (sum_of_the_shifted, VECTOR),
    (some_of_them, VECTOR), (clipped, VECTOR), (powers_above_a_bound, VECTOR), (seen_by_an_inner_function, VECTOR),
    (seen_by_a_lambda, VECTOR), (passed_to_a_function, VECTOR), (returned_by_the_way, VECTOR), (left_early, VECTOR),
    (ratio_of_sums_over_the_other_axis, TABLE),
    (ratio_of_products_from_the_left, SQUARE), (ratio_of_products_from_the_right, SQUARE), (of_two_degrees, VECTOR),
    (another_one_of_them, TABLE), (set_to_something_else, VECTOR), (weighted_by_it_alone, VECTOR),
    (put_into_an_array, VECTOR), (put_into_a_tuple, VECTOR), (put_into_a_dict, VECTOR), (its_real_part, TABLE),
    (by_short_cut, VECTOR), (changed_by_unpacking, TABLE), (written_by_position, TABLE),
    (kept_for_the_next_step, VECTOR), (turned_and_added, TABLE),
    (transposed_and_normalised_wrongly, SQUARE), (transposed_by_a_call, SQUARE), (stretched_over_another_length, TABLE),
    (multiplied_by_the_powers, VECTOR), (stretched_from_one_column, TABLE),
]  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- tests


class AsItStands(Gradient):
    """`grad` that gives every maximum its adjoint."""

    def _order(self, **changes: Any) -> Order:
        return dataclasses.replace(super()._order(**changes), rewrites=ALL - {"shifts"})


def differences(f: Callable[..., Any], x: Any) -> Any:
    """Central differences of fourth order."""
    h = 1e-3
    found = np.zeros_like(x)
    for k in np.ndindex(x.shape):
        e = np.zeros_like(x)
        e[k] = h
        found[k] = (8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * h)
    return found


def extremes_with_an_adjoint(text: str) -> list[str]:
    """The lines that hand on the adjoint of a maximum or minimum, or make it."""
    _, _, code = text.partition('"""Value of `')
    found = re.findall(r".*(?:share_ties\(|np\.where\(|top_bar|least_bar).*", code)
    return [line for line in found if not line.lstrip().startswith("#")]


@pytest.mark.parametrize(("f", "x"), CANCEL + MATTER, ids=lambda p: getattr(p, "__name__", ""))
def test_numbers(f: Callable[..., Any], x: Any) -> None:
    value, (found,) = grad(f)(x)
    assert value == f(x)
    np.testing.assert_allclose(found, differences(f, x), rtol=1e-7, atol=1e-8)
    as_it_stands, (other,) = AsItStands(f, {}, "grad")(x)
    assert value == as_it_stands
    np.testing.assert_allclose(found, other, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("f", "x"), CANCEL, ids=lambda p: getattr(p, "__name__", ""))
def test_these_have_no_adjoint(f: Callable[..., Any], x: Any) -> None:
    assert not extremes_with_an_adjoint(grad(f).source_for(x))
    assert extremes_with_an_adjoint(AsItStands(f, {}, "grad").source_for(x))


@pytest.mark.parametrize(("f", "x"), MATTER, ids=lambda p: getattr(p, "__name__", ""))
def test_these_are_left_as_they_are(f: Callable[..., Any], x: Any) -> None:
    assert grad(f).source_for(x) == AsItStands(f, {}, "grad").source_for(x)


@pytest.mark.parametrize(("f", "x"), CANCEL, ids=lambda p: getattr(p, "__name__", ""))
def test_the_generated_text_is_differentiated_right(f: Callable[..., Any], x: Any, tmp_path: Path) -> None:
    """Second derivatives: the text goes in again, with its maximum, and with a sweep that has no adjoint of it."""
    name = f"{f.__name__}_twice"
    weighted = f"\n\ndef slope(x, w):\n    return np.sum(w * {f.__name__}_grad(x)[1][0])\n"
    path = tmp_path / f"{name}.py"
    path.write_text(f"{grad(f).source_for(x)}{weighted}", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        w = np.cos(np.arange(x.size)).reshape(x.shape)
        _, (found,) = grad(module.slope, wrt="x")(x, w)
        np.testing.assert_allclose(found, differences(lambda y: module.slope(y, w), x), rtol=1e-7, atol=1e-8)
    finally:
        del sys.modules[name]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ties_and_infinities(dtype: str) -> None:
    x = np.array([2.0, -np.inf, 2.0, 1.0, 0.0], dtype)
    value, (found,) = grad(log_sum_exp)(x)
    shares = np.array([1.0, 0.0, 1.0, math.exp(-1.0), math.exp(-2.0)])
    np.testing.assert_allclose(value, 2.0 + math.log(shares.sum()), rtol=1e-6)
    np.testing.assert_allclose(found, shares / shares.sum(), rtol=1e-6)
    assert found.dtype == dtype


def test_values_of_any_shape() -> None:
    def log_p(x: Any) -> Any:
        top = np.max(x, axis=1, keepdims=True)
        shifted = x - top
        return shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))

    p = np.exp(log_p(TABLE))
    seed = np.sin(np.arange(12.0)).reshape(3, 4)
    _, (found,) = vjp(log_p)(seed, TABLE)
    np.testing.assert_allclose(found, seed - p * seed.sum(axis=1, keepdims=True), rtol=1e-12)
    assert not extremes_with_an_adjoint(vjp(log_p).source_for(TABLE))
    full = jacobian(log_p)(TABLE)
    expected = np.einsum("ik,jl->ijkl", np.eye(3), np.eye(4)) - np.einsum("ik,il->ikl", np.eye(3), p)[:, None]
    np.testing.assert_allclose(full, expected, rtol=1e-12, atol=1e-14)


def test_a_maximum_whose_partial_is_asked_for_has_one() -> None:
    _, partials = grad(log_sum_exp, intermediates="top")(VECTOR)
    _, (plain,) = grad(log_sum_exp)(VECTOR)
    assert abs(partials.top) < 1e-15
    np.testing.assert_allclose(partials.x, plain, rtol=1e-12, atol=1e-15)
    assert extremes_with_an_adjoint(grad(log_sum_exp, intermediates="top").source_for(VECTOR))


def test_a_value_made_of_the_maximum_has_its_partial() -> None:
    def f(x: Any) -> Any:
        top = np.max(x)
        e = np.exp(x - top)
        back = top
        return back + np.log(np.sum(e))

    _, partials = grad(f, intermediates="e back")(VECTOR)
    e = np.exp(VECTOR - VECTOR.max())
    np.testing.assert_allclose(partials.e, np.full(5, 1.0 / e.sum()), rtol=1e-14)
    assert partials.back == 1.0
    np.testing.assert_allclose(partials.x, e / e.sum(), rtol=1e-14)


def test_a_rule_of_the_users_need_not_be_that_of_an_exponential() -> None:
    try:
        custom_rule(math.exp, "g * 2 * math.exp(x)")
        _, (found,) = grad(of_two_numbers)(VECTOR)
        _, (other,) = AsItStands(of_two_numbers, {}, "grad")(VECTOR)
    finally:
        registry._custom.pop(math.exp)  # there is no other way to take a rule back
    np.testing.assert_array_equal(found, other)


def test_machine_code() -> None:
    for f, x in ((log_sum_exp, VECTOR), (of_two_numbers, VECTOR), (softmax_in_a_loop, TABLE)):
        value, (found,) = grad(f, jit=True)(x)
        expected, (partial,) = grad(f)(x)
        np.testing.assert_allclose(value, expected, rtol=1e-13)
        np.testing.assert_allclose(found, partial, rtol=1e-12, atol=1e-14)
