# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Writes across types: numbers into arrays of another precision, integer and flag arrays, complex ones, 0-d ones."""

import numpy as np

from ..corpus import program, sample


def single(*values):
    return np.array(values, dtype=np.float32)


@program(single(1.5, 0.5, 0.7))
def single_elements(x):
    x[0] = x[1] * x[2]
    x[1:] *= x[0]
    return np.sum(x * x)


@program(single(1.5, 0.5, 0.7))
def single_work_array(x):
    y = np.zeros_like(x)
    for i in range(3):
        y[i] = x[i] * x[i - 1]
    y += x
    return np.sum(y * y)


@program(single(1.5, 0.5, 0.7), sample(3))
def double_into_single(a, y):
    """Each number is rounded as it is stored; the partial of `y` is double all the same."""
    a[:2] = y[:2] * y[2]
    a[2] += y[0]
    return np.sum(a * a)


@program(single(1.5, 0.5, 0.7), sample(3))
def double_added_to_single_in_place(a, y):
    a += y * y
    a *= y
    return np.sum(a * a)


@program(sample(3), single(1.5, 0.5, 0.7))
def single_into_double(a, y):
    a[1:] = y[:2] * y[2]
    a *= y
    return np.sum(a * a)


@program(single(1.5, 0.5, 0.7), 1.3)
def python_float_into_single(a, s):
    a[0] = s * s
    a[1:] *= s
    return np.sum(a * a)


@program(single(1.5, 0.5, 0.7), single(0.3, 0.9, 1.1))
def single_output_of_a_ufunc(x, y):
    out = np.empty(3, dtype=x.dtype)
    np.multiply(x, y, out=out)
    np.exp(out, out=out)
    return np.sum(out)


@program(4.0, tol=1e-4, nonsmooth=True, partials={"s": 4.0})
def double_rounded_by_the_store(s):
    a = np.zeros(2, dtype=np.float32)
    a[0] = s / 2
    return float(a[0]) * s


@program(3, 2.0)
def int_into_a_float_array(n, x):
    a = np.zeros(2)
    a[0] = n
    a[1] = n * x
    return a[0] * a[1]


@program(sample(3))
def bool_and_int_written(x):
    a = x.copy()
    a[0] = True
    a[1] = 3
    a[2] *= x[2] > 0
    return np.sum(a * a * x)


@program(sample(4))
def integer_array_counts(x):
    counts = np.zeros(3, dtype=int)
    for v in x:
        counts[int(v * 1.5)] += 1
    return np.sum(x) * counts[0] + x[0] * counts[2]


@program(sample(4))
def flag_array_written(x):
    done = np.zeros(4, dtype=bool)
    s = 0.0
    for i in [0, 2, 0, 1]:
        if not done[i]:
            s += x[i] ** 2
            done[i] = True
    return s * np.sum(done)


@program(sample(4))
def order_of_visits_written(x):
    order = np.empty(4, dtype=np.int64)
    for i in range(4):
        order[i] = (i * 3 + 1) % 4
    a = np.zeros(4)
    a[order] = x * x
    order[:] = 0
    a[order] += x[1]
    return np.sum(a * np.arange(1.0, 5.0))


@program(2.5, partials={"x": 2.0})
def real_truncated_by_an_integer_array(x):
    """What an integer array holds is a step function of what was stored."""
    a = np.zeros(2, dtype=int)
    a[0] = int(x)
    return x * a[0]


@program(sample(2))
def complex_elements(x):
    z = np.zeros(3, dtype=complex)
    z[0] = x[0] + 1j * x[1]
    z[1] = z[0] ** 2
    z[2] = np.exp(1j * x[1]) * z[1]
    return np.sum(z.real * z.imag)


@program(sample(3), sample(3, seed=1))
def real_and_imaginary_part_written(x, y):
    z = np.empty(3, dtype=complex)
    z.real = x * y
    z.imag[:] = y
    z.imag[0] *= x[2]
    z *= z
    return np.sum(z.real) + np.sum(z.imag * x)


@program(sample(3), sample(3, seed=1))
def complex_scaled_in_place(x, y):
    z = x + 1j * y
    z *= 1j * x
    z /= np.abs(z)
    z[1] += 2 - 1j
    return np.sum(z.imag) + np.sum(z.real * y)


@program(np.array(1.3))
def zero_dimensional_updated(x):
    y = x * x
    a = np.array(0.5)
    a += x
    a[...] = a * a
    a[()] *= y
    return a * 1.0


@program(np.array(1.3))
def zero_dimensional_argument_updated(x):
    y = x
    x += 1.0
    x *= y
    return x * 1.0


@program(np.float64(1.3))
def numpy_scalar_is_not_updated_in_place(x):
    y = x
    x += 1.0
    x *= y
    return x * y


@program(sample(3), 1.7)
def zero_dimensional_into_an_element(x, s):
    t = np.array(s)
    x[0] = t * t
    t *= 2
    x[1] = t
    return np.sum(x * x)


@program(sample(1), sample(3, seed=1))
def one_element_array_broadcast(a, x):
    x[:] = a
    a *= x[1]
    x += a
    return np.sum(x * x)


@program(sample(4))
def structure_of_nested_lists_to_array(x):
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    a[0] = [x[0], x[1] * x[2]]
    a[1, 1] = x[3]
    return np.linalg.det(a)


@program(single(1.5, 0.5, 0.7))
def widened_copy_changed(x):
    y = x.astype(np.float64)
    y[0] *= y[1]
    z = y.astype(y.dtype, copy=False)
    z += x
    return np.sum(y * z)


@program(sample(3))
def wide_order_of_memory(x):
    a = np.zeros((3, 3), order="F")
    a[0] = x
    a[:, 1] = x * x
    a.T[2] *= a[0]
    return np.sum(a @ a)


@program(sample(4))
def infinity_as_the_start(x):
    least = np.full(2, np.inf)
    for i, v in enumerate(x):
        if v < least[i % 2]:
            least[i % 2] = v
    return least[0] ** 2 + least[1] * x[0]


@program(sample(3))
def nan_marks_what_is_missing(x):
    a = np.full(4, np.nan)
    a[0] = x[0] * x[1]
    a[2] = x[2]
    a[np.isnan(a)] = x[1]
    return np.sum(a * a)


@program(sample(3))
def complex_scaled_by_constants(x):
    z = x + 1j * x**2
    z *= 2 - 1j
    z[1] /= 0.5j
    return np.sum(z.imag) + np.sum(z.real * x)


@program(sample(3))
def complex_scaled_by_constants_under_another_name(x):
    z = x + 1j * x**2
    w = z[1:]
    w *= 2 - 1j
    z.real *= 3.0
    return np.sum(w.imag * x[1:]) + np.sum(z.real * x)


@program(sample(1, 3).astype(np.float32), 0.5)
def single_diagonal_filled_with_a_number(a, s):
    np.fill_diagonal(a, s)
    return np.sum(a * a)
