# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Values that the backward sweep needs, gone by then: operands, results and indices overwritten after their use."""

import math

import numpy as np

from ..corpus import program, sample


@program(sample(3))
def operand_of_a_square(a):
    y = a * a
    a[0] = 10.0
    return np.sum(y) + a[1]


@program(sample(3), sample(3, seed=1))
def operands_of_a_product(a, b):
    y = a * b
    a[:] = 1.0
    b *= 2.0
    return np.sum(y * b)


@program(sample(3))
def argument_of_a_sine(a):
    y = np.sin(a)
    a *= 7.0
    return np.sum(y * a)


@program(sample(3))
def result_of_an_exponential(x):
    """The slope of `exp` is its result, and the result is overwritten."""
    y = np.exp(x)
    s = np.sum(y)
    y[:] = 0.0
    y[1] = x[1]
    return s * y[1]


@program(sample(3))
def result_of_a_root(x):
    r = np.sqrt(x)
    z = r * x
    r /= 2.0
    return np.sum(z * r)


@program(sample(3))
def result_of_a_quotient(x):
    q = x / (x + 1)
    s = np.sum(q * x)
    q -= 0.5
    q *= q
    return s * np.sum(q)


@program(sample(3), sample(3, seed=1))
def result_of_a_power(x, p):
    y = x**p
    s = y @ x
    y[:] = p
    return s + np.sum(y * y)


@program(sample(3, 3), sample(3, seed=1))
def matrix_overwritten_after_the_product(m, x):
    y = m @ x
    m[0] = 0.0
    m[:, 1] *= x
    return np.sum(y * (m @ x))


@program(sample(3, 3), sample(3, seed=1))
def vector_overwritten_after_the_product(m, x):
    y = m @ x
    x[:] = y
    return np.sum(m @ x)


@program(sample(2, 2) + 2 * np.eye(2), sample(2, seed=1))
def matrix_overwritten_after_the_solve(m, b):
    x = np.linalg.solve(m, b)
    m += np.outer(x, b)
    b[0] = x[1] ** 2
    return np.sum(np.linalg.solve(m, b))


@program(sample(3))
def squared_again_and_again(a):
    for _ in range(4):
        a[1] = a[1] ** 2
    return a[1] + a[0]


@program(sample(3))
def every_element_squared_in_turn(a):
    for k in range(2):
        for i in range(3):
            a[i] = a[i] ** 2 * a[i - 1]
    return np.sum(a)


@program(sample(3))
def nonlinear_functions_in_one_element(x):
    a = np.zeros(2)
    a[0] = x[0] * x[1]
    a[0] = math.sin(a[0])
    a[0] = math.exp(a[0])
    a[0] = math.sqrt(a[0] * x[2])
    a[0] = 1 / a[0]
    return a[0] ** 3


@program(sample(4))
def read_before_and_after(x):
    a = x.copy()
    before = a[1] * a[2]
    a[1] = before * a[3]
    after = a[1] * a[2]
    return before * after


@program(sample(4))
def element_kept_as_a_number(x):
    """`t` is a number and stays what it was; the array goes on changing."""
    a = x.copy()
    t = a[0]
    a[0] = a[1] * a[2]
    u = a[0]
    a[0] = t * u
    return a[0] * t + u


@program(sample(4))
def slice_kept_as_a_view(x):
    """`t` is a view and follows what happens to the array."""
    a = x.copy()
    t = a[:1]
    a[0] = a[1] * a[2]
    u = a[:1]
    a[0] = t[0] * u[0]
    return a[0] * t[0] + u[0]


@program(sample(4))
def snapshots(x):
    a = x.copy()
    first = a.copy()
    a *= x
    second = +a
    a += first
    third = a[:]
    a *= second
    return np.sum(first * second * third * a)


@program(sample(4))
def condition_on_an_overwritten_element(x):
    a = x.copy()
    large = a[0] > 1
    a[0] = 0.2 * a[1]
    if large:
        a[2] = a[2] ** 2 * a[0]
    else:
        a[2] = 0.0
    return np.sum(a * a)


@program(sample(4))
def mask_overwritten_after_its_use(x):
    a = x.copy()
    mask = a > 1
    a[mask] = a[mask] ** 2
    mask[:] = False
    mask[1] = True
    a[mask] *= x[0]
    return np.sum(a * a)


@program(sample(4))
def index_array_overwritten_after_its_use(x):
    i = np.array([0, 2])
    a = x.copy()
    a[i] = a[i] * x[3]
    i[:] = [1, 3]
    a[i] += a[i - 1] ** 2
    i += 100
    return np.sum(a * a)


@program(sample(4))
def index_overwritten_after_its_use(x):
    a = x.copy()
    k = 1
    a[k] = a[k] * a[k + 1]
    k = 3
    a[k] = a[k] ** 2 + a[k - 2]
    k = 0
    return np.sum(a * a) * a[k]


@program(sample(4))
def scale_overwritten_in_the_loop(x):
    scale = x[:1].copy()
    s = 0.0
    for v in x:
        s += v * scale[0]
        scale[0] *= v
    return s * scale[0]


@program(sample(5))
def work_row_shared_by_trips(x):
    row = np.zeros(2)
    s = 0.0
    for i in range(4):
        row[0] = x[i] * x[i + 1]
        row[1] = row[0] ** 2 + row[1]
        s += row[0] * row[1]
    return s


@program(sample(3))
def buffer_for_two_purposes(x):
    buffer = np.zeros(3)
    buffer[:] = x * x
    norm = math.sqrt(np.sum(buffer))
    buffer[:] = np.cos(x)
    angle = np.sum(buffer) / norm
    buffer[:] = 0
    return norm * angle


@program(sample(3))
def iterated_map_in_place(x):
    for _ in range(5):
        x *= 2.5 * (1 - x * 0.4)
    return np.sum(x)


@program(1.3, sample(3))
def number_then_array_then_number(s, x):
    t = s * s
    a = t * x
    t = a[0]
    a[0] = s
    t = t * a[0] + a[1]
    a[1] = t
    return t * a[1] + a[2]


@program(sample(3))
def overwritten_in_one_branch(x):
    a = x * x
    b = np.sum(a * x)
    if b > 1:
        a[0] = b
        a[1] *= a[0]
    return np.sum(a * a)


@program(sample(4))
def elements_of_a_view_kept(x):
    a = x.copy()
    p, q = a[0], a[1:3]
    a[:] = a * a
    return p * np.sum(q) + np.sum(a)


@program(sample(3))
def condition_array_overwritten_between(x):
    flags = np.zeros(3)
    s = 0.0
    for i in range(3):
        flags[i] = x[i] * 2
        if flags[i] > 1.0:
            s += flags[i] ** 2
        flags[i] = s
    return np.sum(flags * x)
