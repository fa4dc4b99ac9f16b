# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Computations used for their values only: conditions, messages, assertions, functions without derivative."""

import math

import numpy as np

from .corpus import program, sample


@program(2.0, 3.0)
@program(2.0, -3.0)
def and_or_not(x, y):
    if x > 0 and y > 0 or not (x < 5):
        return x * y
    if not x > 0 or (y < 0 and x != 3):
        return x - y * y
    return x


@program(2.0)
@program(0.5)
@program(5.0)
def chained_comparison(x):
    if 1 < x <= 3:
        return x * x
    if 0 <= x < 1 < 2:
        return x
    return 1 / x


@program(2.0, 3.0)
def value_of_or(x, y):
    return (y or x) * x


@program(2.0, 3.0)
def value_of_and(x, y):
    return (x and y) * 2 + (x or y)


@program(2.0, 3.0)
def short_circuit_avoids_an_error(x, y):
    if x > 0 or 1 / 0 > y:
        y = y * x
    return y


@program(2.0, (), static="extra")
def emptiness(x, extra):
    if not extra:
        return x * x
    return x


@program(2.0)
def passing_assertion(x):
    assert x > 0
    y = math.sqrt(x)
    assert y * y > 1, f"y is {y}"
    return y * x


@program(-2.0, raises=AssertionError)
def failing_assertion(x):
    y = x * x
    assert x > 0, f"negative: {x}"
    return y


@program(2.0)
def raise_in_an_untaken_path(x):
    if x < 0:
        raise ValueError("x must not be negative")
    return math.sqrt(x)


@program(-2.0, raises=ValueError)
def raise_in_the_taken_path(x):
    y = x * 2
    if y < 0:
        raise ValueError(f"x must not be negative, got {y}")
    return math.sqrt(y)


@program(-2.0, raises=ValueError)
def error_from_the_library(x):
    return math.sqrt(x) * x


@program(0.0, raises=ZeroDivisionError)
def error_from_a_division(x):
    y = x * x
    return 1 / y


@program(sample(3), raises=IndexError)
def error_from_an_index(x):
    s = 0.0
    for i in range(5):
        s = s + x[i]
    return s


@program(1.3)
def prints_once(x):
    y = x * x
    print("y =", y)
    return y * x


@program(1.3)
def prints_in_a_loop(x):
    for i in range(3):
        x = x * x
        print(f"{i}: {x:.3f}", end=";")
        x = x + 0.1
    return x


@program(1.3)
def prints_in_a_helper(x):
    return noisy(x) * noisy(x + 1)


def noisy(x):
    print("noisy", x)
    return x * x


@program(1.3)
def prints_in_a_recursion(x):
    return noisy_countdown(x, 2)


def noisy_countdown(x, n):
    print(n, x)
    if n == 0:
        return x
    return noisy_countdown(x * x, n - 1) + x


@program(1.3)
def strings_and_formats(x):
    """A docstring, with "quotes" and a backslash \\ in it."""
    label = f"x is {x!r:>10} and {'positive' if x > 0 else 'negative'}"
    "a string that stands alone"
    note = "%s and %.2f" % (label, x) + str(x)
    return x * x if "positive" in note else x


@program(1.3)
def ellipsis_and_numbers_as_statements(x):
    ...
    42
    x * 2
    return x * x


@program(1.3)
def annotations_with_strings(x: "float") -> "float":
    y: "np.ndarray | float" = x * 2
    return y * x


@program(2.5, 3.5)
@program(3.5, 2.5)
def walrus_in_a_condition(x, y):
    if (d := x - y) > 0:
        return d * d
    return d * x


@program(sample(5))
def argmax_as_an_index(x):
    i = np.argmax(x)
    j = x.argmin()
    return x[i] * x[j] + x[i]


@program(sample(5))
def argsort_as_an_index(x):
    order = np.argsort(x)
    return np.sum(x[order] * np.arange(5))


@program(sample(5, low=-3.0, high=3.0))
def floor_ceil_sign_round(x):
    return np.sum(np.floor(x) * x + np.sign(x) * x**2 + np.ceil(x) + np.round(x) * x)


@program(sample(4))
def arange_and_linspace(x):
    t = np.arange(4) * 0.5 + np.linspace(0.0, 1.0, 4)
    return np.sum(x**2 * t)


@program(sample(4))
def zeros_and_ones_as_starts(x):
    s = np.zeros(4)
    p = np.ones_like(x)
    for _ in range(2):
        s = s + x * x
        p = p * s
    return np.sum(s * p) + np.sum(np.zeros((2, 3)))


@program(sample(2, 3))
def eye_full_and_empty_shapes(x):
    return np.sum(x @ np.eye(3) * np.full((2, 3), 2.0)) + np.full_like(x, 0.5).sum()


@program(sample(2, 3))
def shape_size_and_ndim(x):
    rows, columns = x.shape
    scale = rows * 10 + columns + x.size + x.ndim + len(x) + np.shape(x)[1] + np.size(x)
    return np.sum(x * x) * scale


@program(sample(5))
def counts_from_values(x):
    n = int(np.sum(x > 1.0))
    k = np.count_nonzero(x < 1.0)
    m = len(x)
    return np.sum(x) * n + x[0] * k / m


@program(sample(5))
def any_and_all(x):
    if np.any(x > 1.5) and not np.all(x > 1.0):
        return np.sum(x * x)
    return np.sum(x)


@program(sample(5, low=-1.0))
def masks_combined(x):
    mask = (x > -0.5) & (x < 1.2) | (x > 1.8)
    mask = np.logical_or(mask, ~(x > -0.8))
    return np.sum(np.where(mask, x * x, x))


@program(sample(5))
def searchsorted_as_an_index(x):
    grid = np.array([0.0, 0.5, 1.0, 1.5, 2.0])
    k = np.searchsorted(grid, x[0])
    w = (x[0] - grid[k - 1]) / 0.5
    return x[1] * w + x[2] * (1 - w)


@program(2.0, sample(3))
def isinstance_and_isnan(s, x):
    if isinstance(x, np.ndarray) and not np.isnan(s) and not math.isnan(s):
        return np.sum(x * s)
    return s


@program(sample(3))
def dtype_and_finfo(x):
    eps = np.finfo(x.dtype).eps
    return np.sum(x / (x * x + eps))


@program(2.5)
def isclose_and_allclose(x):
    if math.isclose(x, 2.5, rel_tol=0.1) and np.allclose(np.array([x]), 2.5, atol=0.5):
        return x * x
    return x


@program(sample(4))
def random_numbers_drawn_once_from_a_seed(x):
    noise = np.random.default_rng(7).normal(size=4)
    return np.sum(x * x * noise)


@program(2.5)
@program(1.5)
def is_and_in(x):
    mode = "fast" if x > 2 else "slow"
    if mode in ("fast", "faster") and mode is not None:
        return x * x
    return x if mode not in {"fast"} else 0.0


@program(1.3)
def lengths_and_ranges_as_numbers(x):
    pairs = ((x, 1), (x * x, 2))
    return pairs[0][0] * len(pairs) + pairs[1][0] * pairs[1][1] + len(range(2, 9, 3)) * x


@program(3.7037)
def digits_of_a_number(x):
    n = int(x * 100)
    s = 0.0
    while n > 0:
        s = s * x + n % 10
        n //= 10
    return s


@program(1.3)
def checks_of_numpy_return_nothing(x):
    table = np.eye(2)
    checked = np.testing.assert_allclose(table, table)
    return x * 3.0 if checked is None else x * x
