"""Each rewrite can be left out: the text differs, the numbers stay. And what rewrites must leave alone."""

from __future__ import annotations

import math
import random
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import grad, jvp, native
from adcompile.calls.transformations import Gradient
from adcompile.pipeline import ALL

A = np.linspace(0.2, 1.7, 12).reshape(4, 3)


def rows_added_to(a: Any, b: float) -> Any:
    total = 0.0
    for k in range(len(a)):
        c = a[k]
        total += math.sin(c[0] * b) * c[2] + c[2] * c[1]
    return total * total


def the_same_row_twice(a: Any, b: float) -> Any:
    c = a[1]
    d = a[1]
    return c[0] * d[0] * b + c[1] * d[2]


def a_row_that_is_used_whole(a: Any, b: float) -> Any:
    c = a[2]
    return np.sum(c * c) * c[0] * b


def rows_by_a_counted_index(a: Any, b: float) -> Any:
    total = b
    k = 0
    while k < 3:
        c = a[k]
        total = total * c[0] + c[1] * c[1]
        k += 1
    return total


def a_row_updated_in_place(a: Any, b: float) -> Any:
    c = a[1]
    c[0] = c[1] * b
    return a[1, 0] * a[1, 1] + np.sum(a * a)


def items_added_to_several_times(a: Any, b: float) -> Any:
    x = a[0]
    return x[1] * x[1] * b + math.sin(x[1]) * x[1] - b / x[1]


def sines_and_cosines(a: Any, b: float) -> Any:
    c = math.cos(b)
    s = math.sin(b)
    rotated = np.cos(a) * s + np.sin(a) * c
    return np.sum(rotated * rotated) * c


def a_cosine_of_what_is_set_anew(a: Any, b: float) -> Any:
    c = math.cos(b)
    b = b * a[0, 0]
    s = math.sin(b)
    return c * s + math.cos(b)


def a_cosine_of_an_array_that_is_updated(a: Any, b: float) -> Any:
    c = np.cos(a)
    a[0] = a[0] * b
    return np.sum(np.sin(a) * c)


def a_cosine_that_is_updated(a: Any, b: float) -> Any:
    c = np.cos(a)
    c[0] = b
    return np.sum(np.sin(a) * c)


def in_a_loop_that_sets_it(a: Any, b: float) -> Any:
    c = math.cos(b)
    total = c
    for k in range(3):
        total = total * math.sin(b) + math.cos(b) * k
        b = b + a[0, k]
    return total


def sums_of_products(a: Any, b: float) -> Any:
    w = np.ones((3, 2)) * b
    shifted = (a - a[0]) @ w
    return np.sum(shifted * shifted)


def sums_of_parts_of_rows(a: Any, b: float) -> Any:
    total = 0.0
    for k in range(len(a)):
        s = np.sum(a[k, :2])
        total += s * s * b
    return total


def sums_of_rows_and_the_whole(a: Any, b: float) -> Any:
    e = np.exp(a * b)
    s = np.sum(a, axis=1)
    return np.sum(e) * b + np.sum(s * s)


def a_sum_that_is_used_whole_and_in_part(a: Any, b: float) -> Any:
    c = a * b
    s = np.sum(c)
    c[0] = s * c[1]
    return np.sum(c) * s + c[1, 1] * c[0, 0]


def a_system_of_equations(a: Any, b: float) -> Any:
    matrix = a[:3] @ a[:3].T + np.eye(3) * b
    x = np.linalg.solve(matrix, a[3] * b)
    return np.dot(x, a[0]) + np.sum(x * x)


def systems_of_which_one_is_changed(a: Any, b: float) -> Any:
    matrix = a[:3] @ a[:3].T + np.eye(3) * b
    x = np.linalg.inv(matrix)
    matrix[0, 0] += a[3, 1]
    y = np.linalg.inv(matrix)
    z = np.linalg.inv(matrix)
    return np.sum(x * y * z) + np.sum(matrix)


def one_of_two_solutions_is_updated(a: Any, b: float) -> Any:
    matrix = a[:3] @ a[:3].T + np.eye(3) * b
    u = np.linalg.solve(matrix, a[3])
    v = np.linalg.solve(matrix, a[3])
    u += b
    u *= v
    return np.sum(u * v)


def quotients_of_which_one_is_updated(a: Any, b: float) -> Any:
    u = a[0] * b
    v = a[1] + u
    u[0] = v[1] * b  # the adjoints of what is summed are one array, and this one is changed
    w = (u + v) / (a[2] * b)
    return np.sum(w * w) / b


def quotients_by_what_is_changed(a: Any, b: float) -> Any:
    d = a[0] * b
    p = a[1] / d
    d[1:] += p[:2]
    q = a[2] / d
    return np.sum(p * q) / np.sum(q) + p[0] / q[0]


def a_loop_of_quotients(a: Any, b: float) -> Any:
    x = a[0].copy()
    for k in range(1, 4):
        x = 0.5 * (x + a[k] / x)
        b = b + x[0] / b
    return np.sum(x / b)


def parts_of_a_row_scaled(a: Any, b: float) -> Any:
    y = np.zeros(a.shape[1])
    for k in range(1, 4):
        y[:k] += a[k, 0] * b * a[0, :k]
    return np.sum(y * y)


def stretched_parts(a: Any, b: float) -> Any:
    y = a[0] * b
    y += a[1, 1] * a[2, :1]  # of one item, for all
    return np.sum(y * y)


def means_and_deviations(a: Any, b: float) -> Any:
    shares = np.exp(a * b)
    shares = shares / np.sum(shares, axis=1, keepdims=True)
    return np.sum(shares * a) / np.sum(shares[0] * shares[1])


def columns_set_one_by_one(a: Any, b: float) -> Any:
    y = np.empty((3, 4))
    for k in range(4):
        y[:, k] = a[k] * b
    return np.sum(np.exp(y) * y)


def columns_set_one_by_one_twice(a: Any, b: float) -> Any:
    y = np.zeros((3, 4))
    for t in range(2):
        for k in range(4):
            y[:, k] = a[k] * b + np.sum(y[0]) * t
    return np.sum(y * y)


def columns_set_beside_others(a: Any, b: float) -> Any:
    y = a.T * b
    for k in range(3):
        y[:, k] = y[:, k + 1] * a[k]
    return np.sum(y * y)


def columns_set_from_the_end(a: Any, b: float) -> Any:
    y = a.T * b
    for k in range(-2, 2):  # two of four, each of them twice
        y[:, k] = y[:, k] * y[:, 1] + a[k]
    return np.sum(y * y)


def below_the_diagonal(a: Any, b: float) -> Any:
    factor = np.diag(np.exp(a[0] * b))
    for j in range(2):
        factor[j + 1 :, j] = a[j + 1, : 2 - j]
    return np.sum((factor @ a[:3]) ** 2)


def on_the_diagonal_too(a: Any, b: float) -> Any:
    factor = np.diag(np.exp(a[0] * b))
    for j in range(2):
        factor[j:, j] = a[j + 1, : 3 - j]
    return np.sum((factor @ a[:3]) ** 2) + np.sum(np.diag(factor))


def differences_of_products(a: Any, b: float) -> Any:
    total = b
    for k in range(3):
        total = math.sin(total) - a[k, 0] * a[k + 1, 1]
        between = b * a[k, 2] + (1.0 - b) * total
        total = between * between
    return total


def negatives_of_what_is_changed(a: Any, b: float) -> Any:
    x = a[0].copy()
    y = a[1] * b
    for k in range(2):
        y = y - x * a[k + 2]
        x = x * y - x * a[k]
    return np.sum(x * y)


def the_larger_of_two(a: Any, b: float) -> float:
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += max(a[i, j] * math.sin(b + i), b * math.cos(a[i, j] + j))
    return total


def the_larger_of_two_read_again(a: Any, b: float) -> float:
    c = a.copy()
    for i in range(1, a.shape[0]):
        u = c[i - 1, 0] * math.exp(-b)
        w = b * math.sin(u)
        c[i, 0] = max(u, w) + min(w, c[i, 1]) * u
        c[i, 1] = w * c[i, 0]
    return float(np.sum(c * c))


def the_smaller_of_two_and_a_sum(a: Any, b: float) -> float:
    total = 1.0
    for i in range(a.shape[0]):
        p = a[i, 0] * b
        q = a[i, 1] ** 2
        total = min(p * math.cos(total), q / (1.0 + total * total)) + total * math.sqrt(1.0 + abs(q - p))
    return total


def the_largest_of_powers(a: Any, b: float) -> float:
    x = a[0] * b
    size = 1.0
    for _ in range(3):
        size = np.sqrt(np.sum(x * x))
        x = a[:3] @ x / size
    return size * b


def means_of_what_is_left(a: Any, b: float) -> float:
    total = b
    for k in range(3):
        v = a[k][a[k] > 0.4]
        total = total * b + np.mean(v)
    return total


def means_of_a_choice(a: Any, b: float) -> Any:
    v = a * b
    return np.mean(np.where(v > 0.6, v, 0.5 * v))


def shares_of_the_largest(a: Any, b: float) -> float:
    m = np.max(a)
    return (np.log(np.sum(np.exp(a - m))) + m) * b


def a_difference_that_is_scaled(a: Any, b: float) -> Any:
    u = (a[0, 0] * a[0, 1] - b) / a[1, 1]
    c = b * b
    v = (c - b) * (c - a[2, 0])
    return u * u * v


def a_quotient_of_a_difference(a: Any, b: float) -> Any:
    return (b - a[0, 0]) / a[1, 1]


def a_difference_that_is_set_anew(a: Any, b: float) -> Any:
    for k in range(3):
        b = (b - a[0, k]) * b
        c = b - a[1, k]
        b = c * (b - c)
    return b


def a_matrix_turned_twice(a: Any, b: float) -> Any:
    c = a * b
    d = a @ c.T
    return np.sum(d * d) + np.sum(c)


def a_turned_matrix_with_another_name(a: Any, b: float) -> Any:
    c = a * b
    d = a @ c.T
    c = d @ a
    return np.sum(c * c) + np.sum(d)


def a_turned_matrix_that_is_updated(a: Any, b: float) -> Any:
    c = a * b
    d = a @ c.T
    c[0] = c[1] * b
    return np.sum(d * d) + np.sum(c * c)


def a_turned_matrix_in_a_loop(a: Any, b: float) -> Any:
    total = b
    for _ in range(3):
        c = a * total
        total = total + 0.01 * np.sum(a @ c.T)
    return total


def a_number_added_to_arrays(a: Any, b: float) -> Any:
    shift = np.sin(a[0, 0]) * b
    whole = np.sum(a - shift) + np.sum(2.0 * (a[1] + b))
    return whole / shift


def both_sides_of_a_choice(a: Any, b: float) -> Any:
    v = a * b
    size = np.abs(v - 0.8)
    return np.mean(np.where(size < 0.3, 0.5 * size**2, size - 0.1)) - np.sum(np.where(v > 0.5, v, b))


def turned_and_taken_away(a: Any, b: float) -> Any:
    u = a[0] * b
    for k in range(3):
        u = u - (a[k] * u - np.roll(a[k] * u, 1)) - b * np.flip(u)
    return np.sum(u * u)


def means_of_what_is_not_kept(a: Any, b: float) -> Any:
    shifted = a[1:] - a[:-1] * b
    return np.mean(np.sum(shifted**3, axis=1)) * np.mean(np.sin(a) ** 2)


def a_way_for_each_size(a: Any, b: float) -> Any:
    if b < 0.1:
        return b * a[0, 0]
    c = b * a[1, 1]
    if c > 10.0:
        return c
    if c > 0.2:
        return c * math.sin(c) + a[2, 0]
    return b


def a_branch_that_changes_its_test(a: Any, b: float) -> Any:
    if b < 1.0:
        b = b + a[0, 0]
        return b * b
    b = b * a[1, 0]
    return b


def one_of_each_row(a: Any, b: float) -> Any:
    columns = np.array([0, 2, 1, 1])
    logits = a * b
    chosen = logits[np.arange(len(columns)), columns]
    return np.sum(np.log(np.sum(np.exp(logits), axis=1)) - chosen) + np.sum(chosen * chosen[::-1])


FUNCTIONS = [
    one_of_each_row,
    a_way_for_each_size, a_branch_that_changes_its_test,
    a_number_added_to_arrays, both_sides_of_a_choice, turned_and_taken_away, means_of_what_is_not_kept,
    a_difference_that_is_scaled, a_difference_that_is_set_anew, a_matrix_turned_twice,
    a_turned_matrix_with_another_name, a_turned_matrix_that_is_updated, a_turned_matrix_in_a_loop,
    rows_added_to, the_same_row_twice, a_row_that_is_used_whole, rows_by_a_counted_index, a_row_updated_in_place,
    items_added_to_several_times, sines_and_cosines, a_cosine_of_what_is_set_anew,
    a_cosine_of_an_array_that_is_updated, a_cosine_that_is_updated, in_a_loop_that_sets_it, sums_of_products,
    sums_of_parts_of_rows, sums_of_rows_and_the_whole, a_sum_that_is_used_whole_and_in_part,
    a_system_of_equations, systems_of_which_one_is_changed, one_of_two_solutions_is_updated,
    quotients_of_which_one_is_updated, quotients_by_what_is_changed, a_loop_of_quotients, means_and_deviations,
    parts_of_a_row_scaled, stretched_parts, columns_set_one_by_one, columns_set_one_by_one_twice,
    columns_set_beside_others, columns_set_from_the_end, below_the_diagonal, on_the_diagonal_too,
    differences_of_products, negatives_of_what_is_changed, the_larger_of_two, the_larger_of_two_read_again,
    the_smaller_of_two_and_a_sum, the_largest_of_powers, means_of_what_is_left, shares_of_the_largest,
]  # fmt: skip


def without(f: Callable[..., float], name: str) -> Gradient:
    """`grad` with one rewrite left out."""
    return Gradient(f, {"rewrites": ALL - {name}}, "grad")


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_numbers(f: Callable[..., float]) -> None:
    value, (by_a, by_b) = grad(f)(A, 0.7)
    assert value == pytest.approx(f(A.copy(), 0.7), rel=1e-14)
    h = 1e-6
    expected = np.empty_like(A)
    for place in np.ndindex(A.shape):
        step = np.zeros_like(A)
        step[place] = h
        expected[place] = (f(A + step, 0.7) - f(A - step, 0.7)) / (2 * h)
    np.testing.assert_allclose(by_a, expected, rtol=1e-6, atol=1e-8)
    assert by_b == pytest.approx((f(A.copy(), 0.7 + h) - f(A.copy(), 0.7 - h)) / (2 * h), rel=1e-6)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_numbers_stay_without_a_rewrite(f: Callable[..., float]) -> None:
    value, (by_a, by_b) = grad(f)(A, 0.7)
    for name in random.Random(zlib.crc32(f.__name__.encode())).sample(sorted(ALL - set(native.OPTIONAL)), 6):
        other, (other_a, other_b) = without(f, name)(A, 0.7)
        assert_same((value, by_a, by_b), (other, other_a, other_b))


def assert_same(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    assert one[0] == other[0]
    np.testing.assert_allclose(one[1], other[1], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(one[2], other[2], rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "f"),
    [
        ("rows", rows_by_a_counted_index),
        ("joining", items_added_to_several_times),
        ("known calls", sines_and_cosines),
        ("dots", parts_of_a_row_scaled),
        ("repeated", a_loop_of_quotients),
        ("repeated", means_and_deviations),
        ("repeated", a_system_of_equations),
        ("names", a_quotient_of_a_difference),
        ("contributions", a_difference_that_is_scaled),
        ("transposes", a_matrix_turned_twice),
        ("resets", columns_set_one_by_one),
        ("resets", below_the_diagonal),
        ("first", columns_set_one_by_one),
        ("signs", differences_of_products),
        ("skipping", the_larger_of_two),
        ("spelling", a_loop_of_quotients),
        ("unstretched", means_of_a_choice),
        ("stretching", sums_of_parts_of_rows),
        ("accumulation", rows_added_to),
        ("counting back", rows_by_a_counted_index),
        ("early value", stretched_parts),
        ("handing down", the_largest_of_powers),
        ("lasting", the_larger_of_two_read_again),
        ("recomputation", parts_of_a_row_scaled),
        ("shapes", means_of_what_is_left),
        ("shifts", shares_of_the_largest),
        ("stepwise", the_larger_of_two),
    ],
)
def test_texts_differ(name: str, f: Callable[..., float]) -> None:
    one, other = grad(f), without(f, name)
    assert one.source_for(A, 0.7) != other.source_for(A, 0.7)
    (value, partials), (other_value, others) = one(A, 0.7), other(A, 0.7)
    assert_same((value, *partials), (other_value, *others))


def test_a_row_is_a_view() -> None:
    text = grad(rows_by_a_counted_index).source_for(A, 0.7)
    assert "c_bar = a_bar[k]" in text
    assert "zeros_like(c)" not in text


def test_a_cosine_that_has_a_name_is_read() -> None:
    text = grad(sines_and_cosines).source_for(A, 0.7)
    lines = [line for line in text.splitlines() if "#" not in line]
    assert sum("math.cos(b)" in line for line in lines) == sum("math.sin(b)" in line for line in lines) == 1


def test_what_is_added_is_not_stretched_first() -> None:
    assert "broadcast_to" not in grad(sums_of_parts_of_rows).source_for(A, 0.7)
    assert "broadcast_to" not in grad(sums_of_rows_and_the_whole).source_for(A, 0.7)


def test_the_tangent_of_what_is_constant_is_not_added() -> None:
    def deflection(stiffness: Any, load: Any) -> Any:
        return np.linalg.solve(stiffness, load)

    stiffness, load, change = A[:3] + np.eye(3), A[3], A[:3] ** 2
    tangent = jvp(deflection, wrt="stiffness")
    assert "np.linalg.solve(stiffness, -(stiffness_dot @ value))" in tangent.source_for(stiffness, load)
    inverse = np.linalg.inv(stiffness)
    np.testing.assert_allclose(tangent(change, stiffness, load)[1], -inverse @ change @ inverse @ load, rtol=1e-12)


def deep(layers: Any, x: Any) -> Any:
    for w, b in layers:
        x = np.tanh(w @ x + b)
    return np.sum(x)


def test_the_adjoint_of_a_list_is_a_list_where_its_items_are_alike() -> None:
    w, b, x = A[:3], A[0], A[1]
    alike = [(w, b), (0.5 * w, 2.0 * b)]
    gradient = grad(deep, wrt="layers")
    assert "[[np.zeros_like(w), np.zeros_like(b)] for w, b in layers]" in gradient.source_for(alike, x)
    assert "[tuple(item) for item in layers_bar]" in gradient.source_for(alike, x)
    mixed = [(w, 0.3), (0.5 * w, 0.1)]
    assert "shaped_like(layers_bar, layers)" in gradient.source_for(mixed, x)
    for layers in (alike, mixed):
        one, other = gradient(layers, x)[1].layers, without(deep, "lists")(layers, x)[1][0]
        for (w_bar, b_bar), (others_w, others_b) in zip(one, other, strict=True):
            assert type(b_bar) is type(others_b)
            np.testing.assert_array_equal(w_bar, others_w)
            np.testing.assert_array_equal(b_bar, others_b)


def test_a_system_is_solved_once_in_each_sweep() -> None:
    text = grad(a_system_of_equations).source_for(A, 0.7)
    assert text.count("= np.linalg.solve(") == 3  # in the two sweeps, and in the comment between them


def test_a_sum_of_products_is_a_dot_product_of_float64() -> None:
    assert "np.dot(y_bar[:k], a[0, :k])" in grad(parts_of_a_row_scaled).source_for(A, 0.7)
    assert "np.dot" not in grad(parts_of_a_row_scaled).source_for(A.astype("float32"), 0.7)


def test_the_lines_of_the_user_stay() -> None:
    text = grad(one_of_two_solutions_is_updated).source_for(A, 0.7)
    forward, _, backward = text.partition("# Backward sweep")
    assert "    u = np.linalg.solve(matrix, a[3])" in forward
    assert "    v = np.linalg.solve(matrix, a[3])" in forward
    assert backward.count("\n    solve_matrix_t") == 2  # the two adjoints differ


def test_a_quotient_is_shared_with_its_negative() -> None:
    text = grad(a_loop_of_quotients).source_for(A, 0.7)
    backward = text.partition("# Backward sweep")[2]
    assert "        x_0_bar = b_bar / b_kept\n        b_bar -= x_0_bar * x_0_over_b\n" in backward
    assert "_bar - x_tmp_bar_1 * a_k_over_x\n        a_bar[k] = x_tmp_bar_1\n" in backward


def test_zeros_that_nobody_reads_are_not_written() -> None:
    for f in (columns_set_one_by_one, below_the_diagonal):
        assert "] = 0.0" not in grad(f).source_for(A, 0.7).partition("# Backward sweep")[2]
    for f in (columns_set_one_by_one_twice, columns_set_beside_others, columns_set_from_the_end, on_the_diagonal_too):
        assert "] = 0.0" in grad(f).source_for(A, 0.7).partition("# Backward sweep")[2]


def test_what_is_added_to_first_is_set() -> None:
    assert "a_bar[k] = y_bar[:, k] * b" in grad(columns_set_one_by_one).source_for(A, 0.7)
    assert "a_bar[k] += " in grad(columns_set_one_by_one_twice).source_for(A, 0.7)


def test_a_difference_that_overflows_is_not_computed() -> None:
    def between(p: float, a: float, b: float, s: float) -> float:
        h = p * a + (1.0 - p) * b
        return math.sin(h * s) * s

    _, (by_p,) = grad(between, wrt="p")(0.5, 1.5e308, -1.5e308, 1e-155)
    assert by_p == pytest.approx(3e-2, rel=1e-14)  # 3e308 * s * s, and 3e308 is no float


def mean_under_a_condition(a: Any, n: int) -> Any:
    r = 0.0
    for _ in range(n):
        t = np.mean(a * a - np.mean(a))
        if r > 0 or n > 1:
            r = t
    return r


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value", "ignore:divide by zero")
def test_an_adjoint_that_is_a_literal_is_divided_by_no_size_of_zero() -> None:
    """Python's 0.0 would raise where NumPy's does not: the quotient stays behind what stretches it."""
    value, (by_a,) = grad(mean_under_a_condition)(np.zeros((1, 0)), 1)
    assert (value, by_a.shape) == (0.0, (1, 0))
    value, (by_a,) = grad(mean_under_a_condition)(np.array([[1.0, 2.0, 6.0]]), 2)
    np.testing.assert_allclose(by_a, [[(2.0 * e - 1.0) / 3.0 for e in (1.0, 2.0, 6.0)]], rtol=1e-14)


def test_the_first_power_of_a_number_of_pythons_or_numpys_type() -> None:
    def errors(x: Any, ys: Any) -> Any:
        found = [0.0]
        for y in ys:
            found.append(y - x * found[-1])
        return sum(e**2 for e in found)

    ys = np.array([1.0, 2.0, 4.0])
    text = grad(errors).source_for(0.5, ys)
    assert "**1" not in text
    x_bar = sum(2 * e * d for e, d in [(1.0, 0.0), (1.5, -1.0), (3.25, -1.0)])
    assert grad(errors)(0.5, ys)[1].x == x_bar
