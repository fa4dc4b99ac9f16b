"""Types of numbers: ints for reals, flags, NumPy scalars, single precision, 0-d arrays, complex in between."""

import math

import numpy as np

from .corpus import program, sample


def single(*values):
    return np.array(values, dtype=np.float32)


@program(3, 2.0, value=6.0, partials={"x": 2.0, "y": 3.0})
@program(3, 2, value=6, partials={"x": 2.0, "y": 3.0})
def ints_given_for_reals(x, y):
    return x * y


@program(3, partials={"x": 27.0})
@program(-3, partials={"x": 27.0})
def int_to_a_power(x):
    return x**3


@program(np.array([1.0, 2.0, 3.0]), 3, partials={"x": np.array([4.0, 3.5, 3.0]), "n": 6.0})
def int_for_a_real_stretched_over_an_array(x, n):
    return x[0] * 0.5 * x[1] + np.sum(x) * n


@program(np.array([1.0, 2.0, 3.0]), 3)
def int_for_a_real_and_an_item_changed(x, n):
    y = x * 1.0
    y[0] = y[0] * 0.5
    return np.sum(y) * n - np.max(y) * n


@program(3, 2)
def ints_divided(x, y):
    return x / y


@program(3, value=5.5)
def int_becomes_float_in_a_loop(x):
    s = 0
    for _ in range(2):
        s = s / 2 + x
    return s + 1


@program(1.3, 3, static="n")
def int_used_as_count_and_factor(x, n):
    s = 0.0
    for i in range(n):
        s += x**i * n
    return s


@program(1.3, 2, static="k")
def int_used_as_an_index(x, k):
    return (x, x * x, x**3)[k] * x


@program(2.0, True)
@program(2.0, False)
def bool_in_arithmetic(x, flag):
    return x * flag + x * (1 - flag) * 3


@program(2.5, 3.0)
def comparison_in_arithmetic(x, y):
    return x * (x < y) + y * (x > y) + x * y * (x >= 2.0) + (x == 1.0)


@program(np.float64(2.0), 3.0)
@program(2.0, np.float64(3.0))
@program(np.float64(2.0), np.float64(3.0))
def numpy_scalars(x, y):
    return x * y + x / y


@program(np.float64(2.0), 3.0)
def numpy_scalar_with_math(x, y):
    return math.sin(x) * y


@program(np.float64(2.0))
def methods_of_a_numpy_scalar(x):
    return x.sum() * 2 + x.item() * x


@program(np.float32(1.5), np.float32(0.5))
def single_scalars(x, y):
    return x * y + np.sin(x)


@program(np.float32(1.5), 0.5)
def single_scalar_with_python_float(x, y):
    return x * y + x


@program(np.float32(1.5), np.float64(0.5))
def single_scalar_with_double_scalar(x, y):
    return x * y + x


@program(np.int64(3), 2.0, static="n")
def numpy_integer_as_count(n, x):
    s = x
    for _ in range(n):
        s = s * x
    return s


@program(np.array(2.0), np.array(3.0))
def zero_dimensional_arrays(x, y):
    return x * y + np.sin(x)


@program(np.array(2.0), 3.0)
@program(np.array(2.0), sample(3))
def zero_dimensional_with_others(x, y):
    return np.sum(x * y + y * y)


@program(np.array(2.0))
def zero_dimensional_returned(x):
    return np.asarray(x * x)


@program(np.array(2.0))
def zero_dimensional_read_out(x):
    return float(x) * x.item() + x[()]


@program(np.array([2.0]), np.array([3.0]))
def one_element_arrays(x, w):
    return (x * w)[0] + x.item()


@program(single(1.5, 0.5, -0.7))
def single_array(x):
    return np.sum(x * x + np.sin(x))


@program(single(1.5, 0.5, -0.7), sample(3))
def single_and_double_arrays(x, y):
    return np.sum(x * y + x)


@program(single(1.5, 0.5, -0.7), 2.0)
def single_array_with_python_float(x, s):
    return np.sum(x * s + s)


@program(single(1.5, 0.5, -0.7), np.float32(2.0))
def single_array_with_single_scalar(x, s):
    return np.mean(x * s) / s


@program(single(1.5, 0.5, -0.7), np.float64(2.0))
def single_array_with_double_scalar(x, s):
    return np.sum(x * s + s)


@program(single(1.5, 0.5, 0.7), sample(3))
def double_broadcast_over_single(x, y):
    z = x[:, None] * y[None, :]
    return np.sum(np.sqrt(z + 1))


@program(single(1.5, 0.5, 0.7), vector=True)
def single_vector_result(x):
    return x * x / 2


@program(single(1.5, 0.5, 0.7), sample(3), vector=True)
def single_and_double_vector_results(x, y):
    return x * 2, x * y


@program(single(1.5, 0.5, 0.7))
def single_widened(x):
    y = x.astype(np.float64)
    return np.sum(y * y)


@program(sample(3), tol=1e-4, nonsmooth=True, partials={"x": 2 * sample(3).astype(np.float32).astype(np.float64)})
def double_narrowed(x):
    y = x.astype(np.float32)
    return np.sum(y * y)


@program(single(1.5, 0.5, 0.7))
def single_with_integer_array(x):
    return np.sum(x * np.arange(3)) + np.sum(x / np.array([1, 2, 4], dtype=np.int32))


@program(single(1.5, 0.5, 0.7))
def single_in_a_loop(x):
    s = np.float32(1.0)
    for v in x:
        s = s * v + np.float32(0.5)
    return s


@program(single(1.5, 0.5, 0.7).reshape(1, 3), sample(2, 1))
def single_row_with_double_column(x, y):
    return np.sum(x * y)


@program(sample(3), np.array([1, 2, 3]))
def integer_array_is_a_constant(x, n):
    return np.sum(x**n) + np.sum(n * x)


@program(sample(3), np.array([True, False, True]))
def bool_array_is_a_constant(x, keep):
    return np.sum(x * keep) + np.sum(x[keep])


@program(1.3, 0.7)
def complex_literal_in_between(x, y):
    z = x + 1j * y
    w = z * z * (2 - 1j)
    return w.real + w.imag * x


@program(1.3, 0.7)
def complex_made_by_its_constructor(x, y):
    z = complex(x, y)
    w = z * z / (1 + z)
    return w.real * w.imag


@program(1.3, 0.7)
def complex_modulus(x, y):
    return abs(complex(x, y)) * x


@program(1.3, 0.7)
def complex_function(x, y):
    z = np.exp(x + 1j * y)
    return z.real * z.imag


@program(sample(3), sample(3, seed=1))
def complex_arrays_in_between(x, y):
    z = x + 1j * y
    w = z * (z - 2j) + z**2
    return np.sum(np.real(w)) + np.sum(w.imag * x)


@program(sample(3), sample(3, seed=1))
def complex_absolute_values(x, y):
    z = np.exp(1j * x) * y
    return np.sum(np.abs(z + 1.0) ** 2)


@program(1.3)
def float_of_numpy_result(x):
    return float(np.sin(x)) * x


@program(1.3)
def float64_of_a_float(x):
    return np.float64(x) * x


@program(2.7)
def truncation_is_flat(x):
    return int(x) * x + round(x) * x * x + math.floor(x) * x + math.ceil(x)


def tanh_of_cosine(p):
    by_name = {"a": p, "b": math.cos(p)}
    return np.tanh(by_name["b"])


def tanh_of_cosine_named_first(p, q, r):
    s = tanh_of_cosine(q)
    return s


@program(single([0.5, 0.25], [0.75, 0.5]))
def single_precision_through_helpers_among_numbers(a):
    return tanh_of_cosine_named_first(a, np.sin(np.sum(a)), a)


@program(single(0.5, 0.25, 0.75, 0.5))
def single_and_a_number_exchanged(a):
    old = a
    new = 1.0
    for _ in range(3):
        old, new = new, old
    return np.sum(new * new)


@program(single(0.5, 0.25, 0.75, 0.5))
def single_and_double_buffers_exchanged(a):
    old = a + 0.0
    new = np.zeros(4)
    for _ in range(3):
        new[:] = np.sin(old)
        old, new = new, old
    return np.sum(new) + np.sum(old * old)


@program(sample(3))
def factor_of_another_byte_order(w):
    return np.sum(w * np.ones(w.shape, dtype=">f8")) + np.sum(w[1:] * w.astype(">f8")[:-1])


@program(sample(3))
def complex_made_of_reals_then_set(x):
    z = x + 0j
    z[1] /= 0.5j
    z[2] += 1j * x[0]
    return np.sum(z.imag * z.real) + np.sum(z.real**2)


@program(sample(3))
def complex_chosen_then_scaled(x):
    z = np.where(x > 1.0, x, 2j)
    y = z
    y *= 2 - 1j
    return np.sum(z.imag * x)


@program(sample(3), 0.4)
def direction_of_complex_numbers(x, s):
    z = x + 1j * s
    u = np.sign(z)
    return np.sum(u.real * x) + np.sum(u.imag) * s


@program(0.8, 0.4)
def direction_of_a_complex_number(x, s):
    return np.sign(complex(x, s)).imag * x


@program(np.zeros(2), 0.4, nonsmooth=True, partials={"x": np.zeros(2), "s": 0.0})
def direction_of_nothing(x, s):
    return np.sum(np.sign(x * (1 + 1j)).real) * s


@program(1.7, 3, static="n")
def count_of_a_comprehension(x, n):
    ks = [k + 1 for k in range(n)]
    return x * ks[-1]


@program(sample(5), np.array([0, 3, 1, 4, 2], np.uint8))
@program(sample(5), np.array([0, -3, 1, 4, -128], np.int8))
def quotients_of_short_whole_numbers(x, q):
    return np.sum(x[q % 5] * (q // 2)) + np.sum((q % 3) * x)


@program(sample(3))
def sum_in_place_beside_another_byte_order(w):
    e = 1.0
    for r in w:
        e += r * e
    v = np.ones(w.shape, dtype=">f8")
    return np.sum(np.arange(1.0, v.size + 1.0).reshape(v.shape) + e)


@program(sample(4), np.array([0, 3, 100, 200], np.uint8))
def squares_of_short_whole_numbers(x, q):
    return np.sum((q**2) * x) + (q**2).sum()


@program(single(0.75, 0.25))
def stored_in_turn_from_wider_numbers(x):
    y = x
    np.place(y, y > 0.5, [np.float64(0.7) / y])
    return np.sum(y)


@program(np.array([0.8, -1.0, -0.7]), 0.83)
@program(np.array([0.8, 0.6, 0.7]), 0.83)
def larger_of_a_number_and_a_single_one(w, s):
    s = max(np.min(w), np.float32(0.5))
    return np.sum(np.array_split(w, 2)[1] * s)


@program(np.array([[0.8, -1.0], [-0.7, 0.3]]), 0.83)
@program(np.array([[0.8, -1.0], [-0.7, 0.3]]), 0.25)
def smaller_of_a_number_and_a_single_one(v, s):
    s = min(s, np.float32(0.5))
    return np.sum(v * s)


@program(single(0.2, 0.3, -0.3), 3, static="n")
@program(single(0.2, 0.3, -0.3), 0, static="n")
def number_that_an_item_replaces(x, n):
    e = 0.0
    for i in range(n):
        e = x[i]
    return np.sin(e) + np.sum(1.0)


@program(single(0.2, 0.3, -0.3), 3, static="n")
@program(single(0.2, 0.3, -0.3), 0, static="n")
def number_or_single_one_returned(x, n):
    e = 0.0
    for i in range(n):
        e = e * 0.5 + x[i] * x[i]
    return e


@program(single(0.2, 0.3, -0.3, -0.8), 0.83, 1, static="n")
@program(single(0.2, 0.3, -0.3, -0.8), 0.83, 3, static="n")
@program(single(0.2, 0.3, -0.3, -0.8), np.float32(0.83), 3, static="n")
def factor_of_python_that_numpy_replaces(x, s, n):
    e = x
    for _ in range(n):
        e = e[1:] * s
        s = np.dot(s, s)
    return np.sum(e * e)


@program(single(0.2, 0.3, -0.3), 2)
@program(single(0.2, 0.3, -0.3), np.int64(2))
def whole_number_for_a_real_beside_single_ones(x, k):
    return np.sum(x * k) + k


@program(sample(6, 2), 2.7, 3, static="n")
def stored_into_reals_then_into_whole_numbers(a, s, n):
    """What an array of whole numbers takes of a real has no slope."""
    v = a
    for i in range(n):
        v[i] = s
        v = np.full(v.shape, 2)
    v[0] = s
    v[1, 0] += s
    return np.sum(v) * s


@program(sample(6, 2), 2.7)
@program(sample(6, 2), 0.7)
def stored_into_reals_or_whole_numbers(a, s):
    v = a * s
    if s < 1.0:
        v = np.full(v.shape, 2)
    v[0] = s * s
    v[1, 0] -= s
    v[2:] = a[2:]
    return np.sum(v) * s


@program(sample(2), 0.5)
def a_whole_number_or_a_real_from_a_branch(x, s):
    k = 2 if s > 0.0 else 1.7
    first = 0.7 * x[0] ** 2
    return np.sum(x * k) + first


@program(sample(3), 0.5)
def array_of_a_whole_number_or_a_real(x, s):
    k = 2 if s > 0.0 else 1.7
    first = 0.7 * x[0] ** 2
    return np.sum(np.full(3, k) * x) + first


@program(sample(3), 0.5)
def a_whole_number_of_numpy_or_a_real(x, s):
    k = np.int64(2) if s > 0.0 else np.float64(1.7)
    first = 0.7 * x[0] ** 2
    return np.sum(x * k) + first


@program(np.zeros(0, np.float32), np.zeros((0, 3), np.float32))
@program(single(1.5, 0.5, 0.7), np.ones((3, 3), np.float32))
def single_list_that_may_be_empty(x, a):
    scaled = a * np.sum([item * 2 for item in x])
    again = scaled
    return np.sum(again)


@program(single(1.5, 0.5, -0.7))
def filled_with_an_item(x):
    y = x
    y.fill(y.item(1))
    return np.sum(y)


@program(np.ones((3, 2)), 0.5)
def number_of_either_precision_beside_zeros(x, s):
    k = s if s > 9.0 else np.float32(0.5)
    return np.sum((np.zeros(x.shape) + k) * x)


@program(sample(3, 2).astype(np.float32))
def single_added_up_into_double(x):
    y = np.ones((2, 2), np.int32) * np.ones(2)
    np.mean(x, axis=0, out=y[0])
    x.sum(axis=0, out=y[1])
    return y.sum()


@program(single(0.5, 0.7, 1.2), False)
@program(single(0.5, 0.7, 1.2), True)
def single_array_beside_python_numbers_in_calls(x, larger):
    first = float(x[0])
    y = np.where(x > 0.6, x, first) + np.clip(x, first, 1.0) + np.maximum(x, first) * np.hypot(x, first)
    return np.sum(np.power(y, first if larger else 1.0))


@program(np.ones((2, 3)), 0.5)
def number_of_either_precision_that_does_not_vary(x, s):
    k = 1.0
    for _ in range(len(x)):
        k = np.float32(0.5)
    return k


@program(sample(3))
def other_byte_order_made_native(x):
    y = x * np.ones(x.shape, dtype=">f8")
    return np.sum(np.nan_to_num(y.astype(np.float64)) ** 2)


@program(sample(2, 3).astype(np.float32))
def single_reduced_into_double(x):
    y = np.zeros(3)
    np.add.reduce(x, axis=0, out=y)
    return np.sum(y)


@program(1.6, True)
@program(1.6, False)
def dtype_by_a_branch(a, k):
    dtype = np.int64 if k else np.float64
    return np.sum(np.full(3, a, dtype) * a)


@program(1.6, 2, static="n")
def dtype_of_an_array_of_unknown_rank(a, n):
    places = np.array([1, 2])
    for _ in range(n):
        places = np.moveaxis(places[None], 0, -1)
    whole = np.full(3, a, places.dtype) + np.asarray(a * a, dtype=places.dtype)
    return np.sum(np.array([a, 2 * a]).astype(places.dtype) * a) + np.sum(whole * a)


WHOLE, REAL, SINGLE = np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0], np.float32)


@program(1.6, 0, static="k")
@program(1.6, 1, static="k")
def made_of_a_dtype_from_a_list(a, k):
    dtype = [np.int64, np.float64][k]
    made = np.array([a, 2 * a]).astype(dtype) + np.asarray([a, a], dtype) * np.array([a, a * a], dtype=dtype)
    return np.sum(made * a) + np.sum(np.full((2, 2), a, dtype)) + np.sum(np.require(a * np.ones(2), dtype) * a)


@program(1.6, "i")
@program(1.6, "f")
def made_of_a_dtype_by_a_text(a, letter):
    return np.sum(np.array([a, a], dtype=f"{letter}8") * a) + np.full(2, a * a, f"{letter}8")[0]


@program(1.6, 1, static="n")
@program(1.6, 2, static="n")
def made_of_a_dtype_set_in_a_loop(a, n):
    dtype = np.int64
    for k in range(n):
        dtype = np.float64 if k % 2 else np.int64
    return np.sum(np.full(3, a, dtype) * a)


@program(1.6, 0, static="k")
@program(1.6, 1, static="k")
def put_into_an_array_of_a_dtype_from_a_list(a, k):
    v = [WHOLE, REAL][k]
    wide = np.pad(v, 1, constant_values=a) * np.full_like(v, a)[0] + np.pad(v, (1, 1), constant_values=(a, 2 * a))
    longer = np.insert(np.insert(v, 0, a), [1, 2], [a, 2.6 * a])
    z = v.copy()
    z.flat[1] = a
    np.put(z, [0], a * a)
    return np.sum(wide * a) + np.sum(longer * a) + np.sum(z * a)


@program([1.0, 2.0], np.array([0.5, 2.0]), 3)
def name_for_what_a_list_held(weights, v, k):
    rows = [v * w for w in weights]
    total = 0.0
    for i in range(2):
        before = rows[i]
        rows[i] = before * k
        total += np.sum(before * rows[i])
    return total
