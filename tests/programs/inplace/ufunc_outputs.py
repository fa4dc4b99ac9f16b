# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Results written where the caller says: `out=` of ufuncs, reductions and products, `where=` with it."""

import numpy as np

from ..corpus import program, sample


@program(sample(4))
def out_of_a_ufunc(x):
    y = np.empty(4)
    np.sin(x, out=y)
    np.multiply(x, y, out=y)
    return np.sum(y * y)


@program(sample(4))
def out_by_position(x):
    y = np.zeros_like(x)
    np.exp(x, y)
    np.add(x, y, y)
    return np.sum(y)


@program(sample(4))
def out_is_the_argument_itself(x):
    np.sqrt(x, out=x)
    np.exp(x, out=x)
    np.tanh(x, x)
    return np.sum(x * np.arange(1.0, 5.0))


@program(sample(4))
def out_is_both_operands(x):
    a = x.copy()
    np.multiply(a, a, out=a)
    np.divide(a, a + 1, out=a)
    np.subtract(x, a, out=a)
    return np.sum(a * a)


@program(sample(4))
def out_is_returned_too(x):
    """The value is the very array that was given."""
    a = np.empty(4)
    b = np.cos(x, out=a)
    b *= x
    return np.sum(a * a)


@program(sample(5))
def out_is_a_slice(x):
    a = x.copy()
    np.multiply(x[:2], x[3:], out=a[1:3])
    np.log(a[::2], out=a[::2])
    return np.sum(a * a)


@program(sample(3, 3))
def out_is_a_row(x):
    a = np.zeros((2, 3))
    for i in range(2):
        np.power(x[i], x[i + 1], out=a[i])
    return np.sum(a * a)


@program(sample(5))
def out_overlaps_its_operand(x):
    """The operands are read before the overlapping output is written."""
    a = x.copy()
    np.multiply(a[:-1], a[:-1], out=a[1:])
    return np.sum(a * np.arange(1.0, 6.0))


@program(np.array([0.5, -0.7, 1.2, -0.4]))
def out_with_where(x):
    a = x * x
    np.sqrt(x, out=a, where=x > 0)
    return np.sum(a * x)


@program(np.array([0.5, -0.7, 1.2, -0.4]))
def safe_division_with_where(x):
    y = np.zeros(4)
    np.divide(1.0, x, out=y, where=np.abs(x) > 0.45)
    return np.sum(y * y)


@program(sample(2, 3))
def out_of_a_sum(x):
    total = np.empty(3)
    np.sum(x * x, axis=0, out=total)
    x.sum(axis=0, out=total[:])
    return np.sum(total**2)


@program(sample(4))
def out_of_a_cumulative_sum(x):
    a = x * x
    np.cumsum(a, out=a)
    return np.sum(a * a)


@program(sample(3, 3), sample(3, seed=1))
def out_of_a_product(m, x):
    y = np.empty(3)
    for _ in range(3):
        np.dot(m, x, out=y)
        x = y / np.sum(y)
    return np.sum(y * x)


@program(sample(2, 2), sample(2, 2, seed=1))
def out_of_matmul(a, b):
    c = np.empty((2, 2))
    d = np.empty((2, 2))
    np.matmul(a, b, out=c)
    np.matmul(c, a, out=d)
    np.matmul(d, b, out=c)
    return np.sum(c * d)


@program(np.array([-0.5, 0.4, 1.7]))
def out_of_clip(x):
    a = x.copy()
    np.clip(a, 0.0, 1.0, out=a)
    np.maximum(a, x * 0.5, out=a)
    return np.sum(a * x)


@program(sample(4))
def work_array_used_again_and_again(x):
    work = np.empty_like(x)
    s = 0.0
    for k in range(1, 4):
        np.multiply(x, k, out=work)
        np.sin(work, out=work)
        s += np.sum(work * x)
        work *= work
        s += work[k]
    return s


@program(sample(4))
def power_series_in_two_buffers(x):
    term = np.ones(4)
    total = np.zeros(4)
    for k in range(1, 6):
        np.add(total, term, out=total)
        np.multiply(term, x, out=term)
        np.divide(term, k, out=term)
    return np.sum(total * x)


@program(sample(4))
def reduction_of_a_ufunc(x):
    a = np.multiply.accumulate(x)
    a[1] = np.multiply.reduce(a)
    np.add.accumulate(a, out=a)
    return np.sum(a)


@program(sample(3))
def outer_with_out(x):
    m = np.zeros((3, 3))
    np.multiply.outer(x, x, out=m)
    m[0] += x
    return np.sum(m @ m)


@program(sample(2, 4))
def mean_and_take_with_out(x):
    buffer = np.empty(2)
    np.mean(x, axis=1, out=buffer)
    x -= buffer[:, None]
    picked = np.empty((2, 2))
    np.take(x, [0, 3], axis=1, out=picked)
    return np.sum(picked**2 * buffer)
