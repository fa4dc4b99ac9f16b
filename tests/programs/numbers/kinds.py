# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Ints, flags and single precision where a real number is meant, and what becomes of them on the way."""

import math

import numpy as np

from ..corpus import program, sample


def single(*values):
    return np.array(values, dtype=np.float32)


@program(3, 1.2)
def int_stored_in_an_array_of_ints(n, x):
    """`np.array([n, 2])` has an integer type, and `n` is a real number all the same."""
    a = np.array([n, n + 1])
    return np.sum(a * a) * x


@program(3)
def int_in_integer_arithmetic_only(n):
    s = 0
    for k in range(1, 4):
        s += n * n * k - n
    return s


@program(3, 1.2)
def int_filled_into_arrays(n, x):
    a = np.full(3, n)
    b = np.full(3, x)
    c = np.zeros(2)
    c[0] = n
    return np.sum(a * b) + c[0] ** 2


@program(100, 4, static="n")
@program(np.int64(100), 4, static="n")
def int_filled_into_an_array_that_becomes_one_of_reals(S0, n):
    S, average = np.full(n, S0), np.zeros(n)
    for k in range(3):
        S = S * np.exp(0.1 * k)
        average += S / n
    return np.sum(average)


@program(3, 2.5)
def item_of_an_array_of_ints(n, x):
    """The adjoint of `b` is `a`, an array of ints, and a fraction is added to one of its items."""
    a, b = np.full(3, n), np.full(3, x)
    return np.sum(a * b) + 0.5 * b[1] * x


@program(2, 1.5)
def array_of_ints_under_two_names(n, x):
    a = np.full(3, n) * 1
    b = a[1:]
    c = b
    b[0] = n * n
    return np.sum(a * x) * c[0] * 0.5


@program(2, 1.5)
def view_of_an_array_of_ints(n, x):
    a = np.full((3, 1), n) * 1
    b = np.ravel(a)
    b[0] = n * n
    return np.sum(a * x) * b[0] * 0.5


def tail_times_head(a, x):
    return np.sum(a[1:] * a[0]) * x + a[0] * 0.3


@program(2, 1.5)
def array_of_ints_given_to_a_helper(n, x):
    a = np.full(3, n)
    return tail_times_head(a, x) * tail_times_head(a * n, x)


@program(3, 2)
def int_in_divisions(n, m):
    return n / m + 1 / n - m / (n + 1) + n / 2 / 4


@program(3, 2, static="m")
def int_powers(n, m):
    return n**m + (n * 1.0) ** -m + m * n


@program([1, 2, 3])
def list_of_ints(v):
    return sum(v) * v[0] / v[2] + max(v) * min(v)


@program({"n": 2, "x": 1.5}, (3, 0.5))
def ints_in_containers(d, t):
    return d["n"] * d["x"] ** 2 + t[0] * t[1] * d["n"]


@program(10**20, 1.5)
def large_int(n, x):
    return n / 10**20 * x * x + math.log(n) * x


@program(2.5, 2, static="n")
def static_int_in_every_role(x, n):
    a = np.zeros(n + 1)
    a[n] = x**n
    a[n - 2] = x * n
    for _ in range(n):
        a = a * n
    return np.sum(a) / math.factorial(n)


@program(1.5, True, static="flag")
def flag_in_every_role(x, flag):
    y = x * flag + (not flag) + flag * 2
    z = (x, y)[flag] * np.array([1.0, x])[int(flag)]
    return z if flag else -z


@program(np.array([0.5, -1.5, 2.5]))
def sums_of_flags(x):
    positive = x > 0
    n = positive.sum() + np.count_nonzero(~positive) * 2
    return np.sum(x * positive) * n + np.mean(positive) * np.sum(x**2)


@program(np.array([0.5, -1.5, 2.5]))
def flags_as_weights(x):
    w = (x > 0).astype(float) + 0.5 * (x < 0)
    return np.sum(w * x * x) + (x[0] < x[2]) * x[1] + True * x[0]


@program(np.array([0.5, -1.5, 2.5]))
def flags_combined(x):
    middle = (x > 0) & (x < 2) | (x < -1)
    other = np.logical_xor(middle, x > 1)
    return np.sum(x[middle] ** 2) * np.sum(np.where(other, x, 1.0))


@program(1.5, -0.5)
def flags_subtracted_and_compared(x, y):
    sign = (x > 0) - (x < 0)
    both = (x > 0) + (y > 0)
    return sign * x**2 + both * y + x * (sign == 1)


@program(single(1.5, 0.5, 0.7))
def single_stays_single(x):
    y = x * 2 + 1
    z = np.sqrt(y) / 3.0
    z[0] = z[1] * x[2]
    return z.sum() * x.mean()


@program(single(1.5, 0.5, 0.7), sample(3))
def single_times_double_accumulated(x, y):
    s = x.dtype.type(0)
    for a, b in zip(x, y):
        s = s + a * b
    return s * x[0]


@program(single(1.5, 0.5, 0.7, 0.2).reshape(2, 2), sample(2, 2))
def single_and_double_matrices(a, b):
    c = a @ b
    d = a @ a
    d += c
    return np.sum(c * d)


@program(single(1.5, 0.5, 0.7))
def single_result_from_constants_of_double(x):
    w = np.array([0.1, 0.2, 0.3])
    y = x * w
    z = x * w.astype(x.dtype)
    return np.sum(y) * np.sum(z)


@program(single(1.5, 0.5, 0.7), 2.0, np.float64(0.5))
def kinds_of_scalars_with_single(x, s, t):
    a = x * s
    b = x * t
    return np.sum(a) * np.sum(b)


@program({"w": single(1.5, 0.5), "b": sample(2)}, np.float32(0.3))
def mixed_precisions_in_a_dict(p, s):
    y = p["w"] * s + p["b"]
    p["w"][0] = p["w"][1] ** 2
    return np.sum(y * p["w"])


@program(single(1.5, 0.5, 0.7), vector=True)
def results_of_both_precisions(x):
    y = x.astype(np.float64)
    return x * x, y * y, np.sum(x), float(y[0])


@program(np.float64(1.5), np.float32(0.5), 2, 0.25, static="n")
def every_kind_of_scalar(a, b, n, x):
    return a * b + n * x + a**n - b / x


@program(1.5)
def scalar_becomes_numpy_and_back(x):
    a = np.float64(x) * 2
    b = float(a) + a.item() * x
    c = np.array(b)
    return float(c) * c.tolist() + int(True) * x


@program(sample(3))
def numbers_taken_out_of_arrays(x):
    a = float(x[0]) * x[1].item()
    b, c, d = x.tolist()
    return a * b + math.exp(c) * d + complex(x[2]).real


@program(sample(2, 2))
def zero_dimensional_in_between(x):
    t = np.sum(x, axis=None, keepdims=False)
    u = np.array(t) * x[0, 0]
    v = np.asarray(x[1, 1])[()]
    w = u[...] + v
    return w * u[()]


@program(1.53)
def rounding_is_flat(x):
    n = int(x * 10) + round(x) + math.trunc(-x) + math.ceil(x)
    return n * x + round(x * 1.37, 1) * x + np.floor(x * 3.3) * x**2


@program(7.3, 2.1)
def remainders(x, y):
    return x % y * x + math.fmod(x, y) * y + math.remainder(x, y) + np.mod(-x, y) ** 2


@program(sample(3), np.array([1, 2, 0]))
def integer_array_in_every_role(x, k):
    y = x[k] * k + x ** (k + 1)
    z = np.zeros(3)
    z[k] = y * x
    return np.sum(z * np.arange(1, 4)) + np.sum(y / (k + 1))


@program(1.3)
def methods_of_what_numpy_makes_of_a_number(s):
    m = np.maximum(s, s * s)
    return m.sum() + np.clip(s, 0.0, 3.0).mean() * m.max()


@program(0.3, 1.4)
def functions_of_lists_of_numbers(s, t):
    return np.sum(np.vander([s, 2.0 * t], 3)) * t + np.sum(np.sinc([s, 2.0 * s]) * np.sinc(t))
