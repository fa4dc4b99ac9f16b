# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Writes through slices: steps, negative bounds, blocks, broadcasting, overlaps of the two sides."""

import numpy as np

from ..corpus import program, sample


WEIGHTS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])


@program(sample(5))
def inner_slice(x):
    a = np.zeros(5)
    a[1:4] = x[1:4] * x[:3]
    return np.sum(a * a)


@program(sample(6))
def even_and_odd(x):
    a = np.empty(6)
    a[::2] = x[:3] * x[3:]
    a[1::2] = x[3:] ** 2
    return np.sum(a * x)


@program(sample(5))
def reversed_slice(x):
    a = x.copy()
    a[::-1] = x * np.arange(1.0, 6.0)
    a[3:0:-2] = a[:2]
    return np.sum(a * a * WEIGHTS[:5])


@program(sample(5))
def negative_bounds(x):
    a = x.copy()
    a[-3:-1] = x[:2] * x[-1]
    return np.sum(a * a * WEIGHTS[:5])


@program(sample(5))
def empty_slice(x):
    a = x * x
    a[2:2] = x[0]
    a[4:1] *= 100.0
    return np.sum(a * a)


@program(sample(5))
def slice_longer_than_the_array(x):
    a = x.copy()
    a[3:100] = x[0] * x[1]
    return np.sum(a * a)


@program(sample(5), 1, 4, static="lo hi")
def slice_with_given_bounds(x, lo, hi):
    a = x.copy()
    a[lo:hi] = a[lo:hi] ** 2
    a[slice(0, hi, 2)] *= x[lo]
    return np.sum(a * a)


@program(sample(5), 1.7)
def number_into_a_slice(x, s):
    x[1:4] = s * s
    return np.sum(x * x * WEIGHTS[:5])


@program(sample(5))
def python_list_into_a_slice(x):
    a = x.copy()
    a[1:3] = [x[0] * x[4], x[3] ** 2]
    a[3:] = x[0], 2.0
    return np.sum(a * a)


@program(sample(3, 4))
def block(x):
    a = x.copy()
    a[1:, 1:3] = x[:2, 2:] * x[0, 0]
    return np.sum(a**2)


@program(sample(3, 4))
def strided_block(x):
    a = x.copy()
    a[::2, ::-2] *= x[1, :2]
    return np.sum(a**2)


@program(sample(3, 4))
def new_axis_in_the_target(x):
    a = x.copy()
    a[:, np.newaxis, 1] = x[:, 0:1] * x[:, 2:3]
    return np.sum(a**2)


@program(sample(4))
def overlapping_shift_to_the_right(x):
    """The right side is a view of the left one; NumPy copies first."""
    a = x.copy()
    a[1:] = a[:-1]
    return np.sum(a * a * WEIGHTS[:4])


@program(sample(4))
def overlapping_shift_to_the_left(x):
    a = x.copy()
    for _ in range(2):
        a[:-1] = a[1:]
        a[-1] *= x[0]
    return np.sum(a * a * WEIGHTS[:4])


@program(sample(4))
def reversed_into_itself(x):
    a = x.copy()
    a[:] = a[::-1]
    return np.sum(a * a * WEIGHTS[:4])


@program(sample(3, 3))
def transposed_into_itself(x):
    a = x.copy()
    a[:] = a.T
    a[0] *= 2.0
    return np.sum(a * a * WEIGHTS[:3])
