# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Single elements and rows written into arrays made by the function, and into the function's own arguments."""

import math

import numpy as np

from ..corpus import program, sample


@program(sample(4))
def one_element(x):
    a = x.copy()
    a[1] = x[0] * x[2]
    return np.sum(a * a)


@program(sample(4))
def element_of_the_argument(x):
    x[2] = x[0] * x[1]
    return np.sum(x * x)


@program(sample(3), 0.7)
def negative_index(x, y):
    a = x * 2
    a[-1] = y * y
    a[-3] = a[-1] * a[1]
    return np.sum(a**2)


@program(sample(4))
def fill_zeros(x):
    y = np.zeros(4)
    for i in range(4):
        y[i] = x[i] ** 2 + math.sin(x[i])
    return np.sum(y)


@program(sample(4))
def fill_empty(x):
    y = np.empty(len(x))
    for i in range(len(x)):
        y[i] = x[i] * x[i - 1]
    return np.sum(np.exp(-y))


@program(sample(4))
def fill_empty_like(x):
    y = np.empty_like(x)
    for i, v in enumerate(x):
        y[i] = v * v * (i + 1)
    return y @ x


@program(sample(3))
def fill_ones_like(x):
    y = np.ones_like(x)
    y[0] = x[1] * x[2]
    return np.sum(y * x)


@program(sample(3), 1.3)
def fill_full(x, s):
    y = np.full(3, s)
    y[1] = x[0] * s
    return np.sum(y * y * x)


@program(sample(4), vector=True)
def array_returned(x):
    y = np.zeros(5)
    y[0] = x[0] * x[1]
    y[3] = x[2] / x[3]
    return y


@program(1.2, 0.7, vector=True)
def argument_independent_array_returned(x, y):
    out = np.zeros((2, 2))
    out[0, 0] = math.cos(x)
    out[0, 1] = -math.sin(x) * y
    out[1, 0] = math.sin(x) * y
    out[1, 1] = math.cos(x)
    return out


@program(sample(2, 3))
def element_by_two_indices(x):
    a = x.copy()
    a[0, 1] = x[1, 2] * x[0, 0]
    a[1, -1] = a[0, 1] ** 2
    return np.sum(a * a)


@program(sample(2, 3))
def element_by_chained_indices(x):
    a = x.copy()
    a[0][1] = x[1][2] * x[0][0]
    a[1][-1] = a[0][1] ** 2
    return np.sum(a * a)


@program(sample(3, 3))
def column(x):
    a = x.copy()
    a[:, 1] = x[:, 0] * x[:, 2]
    return np.sum(a**2)


@program(sample(3, 3))
def row(x):
    a = x.copy()
    a[1] = x[0] * x[2]
    a[-1, :] = a[1] + a[0]
    return np.sum(a**2)


@program(sample(3), sample(2, seed=1))
def row_from_a_vector(x, w):
    a = np.zeros((2, 3))
    for i in range(2):
        a[i] = w[i] * x
    return np.sum(a[0] * a[1]) + np.sum(a**2)


@program(sample(3), 1.4)
def number_broadcast_over_a_row(x, s):
    a = np.outer(x, x)
    a[1] = s * s
    return np.sum(a * a)


@program(sample(3), sample(2, 1, seed=1))
def column_broadcast_over_a_block(x, c):
    a = np.outer(x, x)
    a[1:] = c * x[0]
    return np.sum(a**3)


@program(sample(2, 3), sample(3, seed=1))
def row_broadcast_over_everything(x, r):
    x[:] = r * x[0, 0]
    return np.sum(x**2)


@program(sample(4))
def swap_of_elements(x):
    a = x * x
    a[0], a[2] = a[2], a[0]
    return np.sum(a * np.arange(1.0, 5.0))


@program(sample(4))
def reversal_by_swaps(x):
    a = x.copy()
    n = len(a)
    for i in range(n // 2):
        a[i], a[n - 1 - i] = a[n - 1 - i], a[i]
    return np.sum(a * np.array([1.0, 2.0, 4.0, 8.0]) * x)


@program(sample(3, 2))
def swap_of_rows_that_is_none(x):
    """Both sides are views: the second write reads what the first one wrote."""
    a = x.copy()
    a[0], a[1] = a[1], a[0]
    return np.sum(a * a * np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))


@program(sample(3, 2))
def swap_of_rows_by_copies(x):
    a = x.copy()
    a[0], a[1] = a[1].copy(), a[0].copy()
    return np.sum(a * a * np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))


@program(sample(3, 2))
def swap_of_rows_by_index_array(x):
    a = x.copy()
    a[[0, 1]] = a[[1, 0]]
    return np.sum(a * a * np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))


@program(sample(4))
def rotation_of_three_elements(x):
    a = x.copy()
    for _ in range(2):
        a[0], a[1], a[2] = a[1] * a[3], a[2], a[0]
    return np.sum(a * np.arange(1.0, 5.0))


@program(sample(4))
def index_and_element_in_one_assignment(x):
    """Targets are assigned from left to right: the new `i` is the one that indexes."""
    a = x.copy()
    i = 0
    i, a[i] = 2, x[0] * x[1]
    return np.sum(a * a * np.arange(1.0, 5.0))


@program(sample(4))
def one_value_into_two_places(x):
    a = x.copy()
    b = np.zeros(4)
    a[0] = b[3] = t = x[1] * x[2]
    return np.sum(a * a) + np.sum(b * b) * t


@program(sample(4))
def starred_target_next_to_an_element(x):
    a = np.zeros(3)
    a[0], *rest = [x[0] * x[1], x[2], x[3]]
    a[1] = rest[0] * rest[1]
    return np.sum(a * a)


@program(sample(4))
def loop_variable_is_an_element(x):
    a = np.zeros(2)
    s = 0.0
    for a[1] in x:
        s += a[1] * a[1]
    return s * a[1]


@program(sample(3))
def overwritten_before_it_is_read(x):
    a = x * x
    a[1] = 5.0
    return np.sum(a * x)


@program(sample(3))
def dead_write(x):
    a = np.zeros(3)
    a[0] = x[0] ** 3
    a[0] = x[1]
    a[2] = x[2] * a[0]
    return a[2] + a[1]


@program(sample(3))
def written_and_never_read(x):
    a = np.zeros(3)
    a[1] = x[0] * x[1]
    return np.sum(x * x)


@program(sample(4))
def whole_overwrite_by_slice(x):
    a = x.copy()
    a[:] = a * a + x
    return np.sum(a * a)


@program(sample(2, 2))
def whole_overwrite_by_ellipsis(x):
    a = np.empty((2, 2))
    a[...] = x @ x
    a[..., 0] = a[..., 1] * 2
    return np.sum(a * a)


@program(sample(3))
def written_with_itself(x):
    a = x * 2
    a[1] = a[1]
    a[:] = a
    return np.sum(a * a)


@program(sample(2, 2, 2))
def three_dimensions(x):
    a = x.copy()
    a[0, 1] = x[1, 0] * x[1, 1]
    a[1, :, 0] = a[0, 1]
    a[1, 1, 1] = a[1, 1, 0] * a[0, 0, 0]
    return np.sum(a**2)


@program(sample(3), 1, static="k")
def index_given(x, k):
    x[k] = x[k + 1] * x[k - 1]
    return np.sum(x * x)


@program(np.array([0.4, 1.7, 1.1]))
def index_by_the_largest(x):
    a = x.copy()
    a[np.argmax(x)] = 0.5 * x[0]
    return np.sum(a * a)


@program(sample(3))
def numbers_array_becomes_active(x):
    a = np.array([1.0, 2.0, 3.0])
    a[1] = x[0] * x[1]
    return a @ x


@program(sample(3))
def constant_written_into_active(x):
    x[0] = 2.0
    x[1] = 3
    return np.sum(x**2) * x[1]


# NumPy drops the leading axes of length 1 of what is stored.


@program(sample(3), 0.7)
def numbers_in_arrays_of_more_axes(x, s):
    y = np.zeros(3)
    for i in range(3):
        y[i : i + 1] = (x[i] * np.ones((1, 1, 1))) * s
    y[:2] = np.ones((1, 1)) * s
    return np.sum(y**2)


@program(sample(3, 1), 0.7)
def rows_from_arrays_of_more_axes(x, s):
    a = np.zeros((3, 2))
    a[0] = x[:1] * s
    a[1] = x[1:2][None] * s
    a[2, 1:] = x[2:] * x[0, 0]
    return np.sum(a**2)
