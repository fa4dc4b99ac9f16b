# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Augmented assignment: to elements, to slices and to whole arrays, with every operator that has a derivative."""

import numpy as np

from ..corpus import program, sample

FACTORS = np.array([1.0, 2.0, 3.0])


@program(sample(4))
def add_to_an_element(x):
    a = x * x
    a[1] += x[0] * x[3]
    return np.sum(a * a)


@program(sample(4))
def subtract_from_an_element(x):
    a = x * x
    a[-1] -= x[0] * a[1]
    return np.sum(a * a)


@program(sample(4))
def multiply_an_element(x):
    a = x.copy()
    a[2] *= x[2] * a[0]
    return np.sum(a * a)


@program(sample(4))
def divide_an_element(x):
    a = x.copy()
    a[2] /= x[2] + a[0] * a[2]
    return np.sum(a * a)


@program(sample(4))
def element_to_a_power(x):
    a = x.copy()
    a[2] **= 3
    a[1] **= x[0]
    return np.sum(a * a)


@program(sample(4))
def remainder_of_an_element(x):
    a = x * 10
    a[0] %= 3.0
    return np.sum(a * a)


@program(sample(4))
def floor_of_an_element(x):
    a = x * 10
    a[0] //= 3.0
    return np.sum(a * x)


@program(sample(2, 2), sample(2, 2, seed=1))
def matrix_product_in_place(x, y):
    a = x.copy()
    a @= y
    a @= a
    return np.sum(a * x)


@program(sample(4))
def every_operator_on_an_array(x):
    a = x.copy()
    a += x * x
    a *= x + 1
    a -= np.sin(x)
    a /= x + 2
    a **= 2
    return np.sum(a * x)


@program(sample(4))
def array_with_itself(x):
    a = x.copy()
    a += a
    a *= a
    a -= a * 0.1
    a /= a + 1
    return np.sum(a)


@program(sample(4), sample(4, seed=1))
def argument_updated(x, y):
    x += y * y
    y *= x
    return np.sum(x * y)


@program(sample(4))
def array_scaled_by_its_element(x):
    a = x.copy()
    a *= a[1]
    return np.sum(a * a)


@program(sample(4))
def array_scaled_by_a_view_of_its_element(x):
    """The factor is a view of one element and changes when that element is reached; NumPy takes a copy first."""
    a = x.copy()
    a *= a[1:2]
    return np.sum(a * a)


@program(sample(4))
def normalised_by_its_sum(x):
    x /= np.sum(x)
    return np.sum(x * x * np.arange(4.0))


@program(sample(4))
def element_subtracted_from_all(x):
    a = x * x
    a -= a[0]
    return np.sum(a**3)


@program(sample(3), 0.7)
def number_added_to_an_array(x, s):
    a = x * 2
    a += s * s
    a *= s
    return np.sum(a * a)


@program(sample(2, 3), sample(3, seed=1))
def row_added_to_a_matrix(x, r):
    x += r
    x *= r * r
    return np.sum(x * x)


@program(sample(2, 3), sample(2, 1, seed=1))
def column_added_to_a_matrix(x, c):
    x -= c * c
    x /= c
    return np.sum(x * x)


@program(sample(5))
def slice_augmented(x):
    a = x.copy()
    a[1:3] += x[3:5] * x[0]
    a[::2] *= a[0]
    a[:-1] -= a[1:] * 0.5
    return np.sum(a * a)


@program(sample(5))
def shifted_slice_of_itself(x):
    """Right and left overlap: the right is computed entirely before anything is written."""
    a = x.copy()
    a[1:] += a[:-1]
    a[:-1] *= a[1:]
    return np.sum(a * a)


@program(sample(3, 3))
def row_and_column_augmented(x):
    a = x.copy()
    a[0] *= a[1]
    a[:, 2] += a[:, 0] * a[:, 1]
    a[1, 1] /= a[0, 0]
    a[2][0] -= a[1][1]
    return np.sum(a * a)


@program(sample(4))
def element_augmented_in_a_loop(x):
    a = np.ones(3)
    for i in range(8):
        a[i % 3] *= x[i % 4]
        a[(i + 1) % 3] += x[i % 4] * 0.5
    return np.sum(a * a)


@program(sample(4))
def sum_in_an_element(x):
    total = np.zeros(1)
    for v in x:
        total[0] += v * v
    return total[0] ** 2


@program(sample(4))
def product_in_an_element(x):
    p = np.ones(2)
    for v in x:
        p[0] *= v
        p[1] += p[0]
    return p[0] * p[1]


@program(sample(5))
def histogram_with_weights(x):
    bins = np.zeros(3)
    where = [0, 2, 1, 2, 0]
    for i in range(5):
        bins[where[i]] += x[i] ** 2
    return np.sum(bins**2)


@program(sample(3))
def number_and_array_by_the_same_spelling(x):
    """For a number `+=` makes a new one, for an array it changes the old one."""
    s = x[0]
    t = s
    s += x[1]
    a = x * 1.0
    b = a
    a += x[1]
    return s * t + np.sum(a * b)


@program(sample(3))
def plain_and_augmented_differ(x):
    a = x * 1.0
    b = a
    a = a + x
    c = b
    b += x * x
    return np.sum(a * b * c)


@program(sample(4))
def right_side_reads_the_target(x):
    a = x.copy()
    for _ in range(3):
        a[1] += a[1] * a[2]
        a[2] -= a[1] / (a[2] + a[0])
    return np.sum(a * a)


@program(sample(4))
def index_computed_once(x):
    """The index expression has an effect and must be evaluated once."""
    a = x.copy()
    calls = []

    def place():
        calls.append(1)
        return len(calls)

    a[place()] *= x[0]
    a[place()] += x[1]
    return np.sum(a * a) * len(calls)


@program(sample(4))
def walrus_in_the_index(x):
    a = x.copy()
    i = 0
    a[(i := i + 1)] *= x[0]
    a[(i := i + 1)] *= x[1]
    return np.sum(a * a) * i


@program(sample(2, 3))
def accumulator_row(x):
    total = np.zeros(3)
    for r in x:
        total += r * r
        total *= 0.9
    return np.sum(total**2)


@program(sample(3), sample(3, 3, seed=1))
def state_advanced_in_place(v, m):
    state = v.copy()
    for _ in range(3):
        state += 0.1 * (m @ state)
    return state @ state


@program(sample(3), sample(3, 3, seed=1))
def gradient_descent_in_place(w, m):
    for step in range(3):
        residual = m @ w - 1.0
        w -= 0.1 / (step + 1) * (m.T @ residual)
    return np.sum(w * w)


@program(sample(3), sample(3, seed=1))
def momentum_in_place(w, g):
    velocity = np.zeros_like(w)
    for _ in range(4):
        velocity *= 0.9
        velocity += g * w
        w -= 0.1 * velocity
    return np.sum(w * w)


@program(sample(3), sample(3, seed=1))
def adam_in_place(w, g):
    m, v = np.zeros(3), np.zeros(3)
    for t in range(1, 4):
        slope = 2 * g * w
        m *= 0.9
        m += 0.1 * slope
        v *= 0.99
        v += 0.01 * slope**2
        w -= 0.05 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.99**t)) + 1e-3)
    return np.sum(w**2)


@program(sample(3))
def scaled_but_for_the_first(a):
    a[1:] *= 2.0
    return np.sum(a * FACTORS) * a[0]


@program(sample(3), vector=True)
def product_with_what_was_scaled(a):
    before = np.outer(FACTORS, FACTORS) @ a
    part = a[1:]
    part *= a[0]
    return np.outer(FACTORS, FACTORS) @ a - before
