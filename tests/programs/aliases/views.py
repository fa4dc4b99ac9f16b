# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Writes through views of an array, and views that see what is written to the array."""

import numpy as np

from ..corpus import program, sample

WEIGHTS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])


@program(sample(2, 3))
def write_through_the_transpose(x):
    t = x.T
    t[0] = t[1] * t[2]
    x[0] *= 2.0
    return np.sum(x**2) + np.sum(t[0])


@program(sample(6))
def write_through_a_reshape(x):
    m = x.reshape(2, 3)
    m[1, 0] = m[0, 0] * m[0, 2]
    x[1] *= m[1, 0]
    return np.sum(m * m * WEIGHTS.reshape(2, 3))


@program(sample(2, 3))
def write_through_ravel(x):
    """The array is contiguous, so `ravel` gives a view."""
    flat = x.ravel()
    flat[4] = flat[0] * flat[1]
    return np.sum(x * x)


@program(sample(2, 3))
def write_into_the_ravel_of_a_transpose(x):
    """The transpose is not contiguous: `ravel` gives a copy and the array stays as it was."""
    flat = x.T.ravel()
    flat[0] = 10.0
    flat *= 2.0
    return np.sum(x * x) + np.sum(flat * WEIGHTS)


@program(sample(2, 3))
def write_into_flatten(x):
    """`flatten` always copies."""
    flat = x.flatten()
    flat[0] = flat[1] * flat[2]
    return np.sum(x**3) + np.sum(flat**2)


@program(sample(2, 3))
def reshape_of_a_transpose_is_a_copy(x):
    r = x.T.reshape(6)
    r *= r
    return np.sum(x * x) + np.sum(r * WEIGHTS)


@program(sample(3, 2))
def reshape_with_fortran_order(x):
    r = x.reshape(6, order="F")
    s = x.reshape(2, 3)
    r[0] *= 3.0
    s[0, 0] *= 2.0
    return np.sum(x * x) + np.sum(r * s.ravel())


@program(sample(5))
def write_through_a_slice(x):
    tail = x[1:]
    tail[0] = x[0] * x[4]
    tail *= x[0]
    return np.sum(x * x)


@program(sample(6))
def write_through_strides(x):
    even, odd = x[::2], x[1::2]
    even += odd
    odd *= even
    return np.sum(x * WEIGHTS)


@program(sample(5))
def write_through_a_reversed_view(x):
    r = x[::-1]
    r[0] = x[0] * x[1]
    r[1:] += r[:-1]
    return np.sum(x * x * WEIGHTS[:5])


@program(sample(5))
def view_of_a_view(x):
    a = x[1:]
    b = a[::2]
    c = b[-1:]
    c *= x[0]
    b += x[2]
    return np.sum(x * x) + np.sum(a * WEIGHTS[:4])


@program(sample(3, 4))
def view_of_a_view_in_two_dimensions(x):
    block = x[1:, :3]
    column = block.T[0]
    column *= x[0, 0]
    block[0] = x[0, 1:]
    return np.sum(x**2)


@program(sample(4))
def view_taken_before_and_used_after(x):
    v = x[1:3]
    x *= x
    s = np.sum(v)
    x[1] = s
    return v[0] * v[1] + np.sum(x)


@program(sample(4))
def result_of_a_view_kept_from_before(x):
    """`t` is computed from the view before the write and is not affected by it."""
    v = x[1:3]
    t = v * 2.0
    x[:] = x[::-1] ** 2
    return np.sum(t * v)


@program(sample(3, 2))
def row_as_a_view(x):
    r = x[1]
    r *= x[0]
    x[1] += 1.0
    r[0] = x[2, 0] * r[1]
    return np.sum(x * x)


@program(sample(3, 2))
def row_by_index_list_is_a_copy(x):
    r = x[[1]]
    r *= 5.0
    x[1] += 1.0
    return np.sum(x * x) + np.sum(r * r)


@program(sample(5))
def mask_makes_a_copy(x):
    r = x[x > 0.5]
    r *= 3.0
    return np.sum(x * x) + np.sum(r)


@program(sample(4))
def slice_by_ellipsis_is_a_view(x):
    v = x[...]
    w = x[:]
    v[0] = x[1] * x[2]
    w *= v[0]
    return np.sum(x * x)


@program(sample(4))
def new_axis_is_a_view(x):
    c = x[:, None]
    r = x[None]
    c[1, 0] = x[0] * x[2]
    r[0, 2:] *= 2.0
    return np.sum(c @ r)


@program(sample(1, 4))
def squeeze_is_a_view(x):
    s = np.squeeze(x)
    s[2] = s[0] * s[1]
    s.squeeze()[3] *= 2.0
    return np.sum(x**2)


@program(sample(2, 3))
def swapped_axes_are_a_view(x):
    t = np.swapaxes(x, 0, 1)
    u = np.moveaxis(x, 0, 1)
    v = np.transpose(x)
    t[0, 0] = x[1, 1] * x[1, 2]
    u[1] *= x[0, 0]
    v += 0.5
    return np.sum(x * x)


@program(sample(3, 3))
def diagonal_written_by_strides(x):
    d = x.reshape(-1)[::4]
    d *= x[0]
    return np.linalg.det(x)


@program(sample(3, 3))
def diagonal_is_read_through_a_view(x):
    """`np.diag` of a matrix is a read-only view: it follows the writes."""
    d = np.diag(x)
    before = np.sum(d)
    x[1, 1] = x[0, 1] * x[0, 2]
    return before * np.sum(d * d)


@program(sample(4))
def asarray_is_the_array(x):
    a = np.asarray(x)
    a[0] = x[1] * x[2]
    b = np.asarray(x, dtype=float)
    b *= 2.0
    return np.sum(x * x)


@program(sample(4))
def array_makes_a_copy(x):
    a = np.array(x)
    a[0] = x[1] * x[2]
    b = np.array(x, copy=True)
    b *= 2.0
    return np.sum(x * x) + np.sum(a * b)


@program([1.2, 0.7, 0.4])
def asarray_of_a_list_is_new(v):
    a = np.asarray(v)
    a[0] = v[1] * v[2]
    a *= v[0]
    return np.sum(a) + v[0] ** 2


@program(sample(3))
def atleast_2d_is_a_view(x):
    m = np.atleast_2d(x)
    m[0, 0] = x[1] * x[2]
    n = np.atleast_1d(x)
    n[1] *= 2.0
    return np.sum(m * m)


@program(1.3)
def atleast_1d_of_a_number_is_new(x):
    a = np.atleast_1d(x)
    a[0] *= x
    a += x
    return a[0] * x


@program(sample(3))
def broadcast_view_follows_the_writes(x):
    b = np.broadcast_to(x, (2, 3))
    s = np.sum(b * b)
    x[0] = x[1] * x[2]
    return s * np.sum(b[1] * x)


@program(sample(4))
def halves_by_split(x):
    a, b = np.split(x, 2)
    a *= b
    b[0] = a[1] ** 2
    return np.sum(x * x)


@program(sample(2, 3))
def rows_by_unpacking(x):
    a, b = x
    a *= b
    b[:] = a * a
    return np.sum(x * WEIGHTS[:3])


@program(sample(4), sample(4, seed=1))
def concatenation_is_a_copy(x, y):
    z = np.concatenate([x, y])
    z[0] *= 3.0
    x[0] = y[1] * y[2]
    return np.sum(z * z) + np.sum(x * y)


@program(sample(4))
def real_part_of_a_real_array_is_itself(x):
    r = x.real
    r[0] = x[1] * x[2]
    c = np.real(x)
    c *= 2.0
    return np.sum(x * x)


@program(sample(4))
def parts_of_a_complex_array_are_views(x):
    z = x + 1j * x**2
    re, im = z.real, z.imag
    re *= im
    z *= 2j
    im[0] = re[1] * x[0]
    return np.sum(z.real * x) + np.sum(im**2)


@program(sample(4))
def astype_copies_or_not(x):
    a = x.astype(float)
    b = x.astype(float, copy=False)
    a[0] = 9.0
    b[1] = x[2] * x[3]
    return np.sum(x * x) + np.sum(a * b)


@program(sample(2, 2, 2))
def view_over_three_dimensions(x):
    p = x[:, 0]
    q = x[1]
    p *= 2.0
    q[0] += p[0]
    x[1, 0, 1] = q[1, 1] * p[0, 0]
    return np.sum(x**2)


@program(sample(6))
def rows_of_a_reshaped_view(x):
    m = x.reshape(3, 2)
    for row in m:
        row *= row[0]
        row[1] += 0.5
    return np.sum(x * WEIGHTS)


@program(sample(4))
def overlapping_views_written_in_turn(x):
    a, b = x[:3], x[1:]
    a += b
    b *= a
    a -= b * 0.1
    return np.sum(x * x)


@program(sample(4), vector=True)
def array_and_its_view_returned(x):
    a = x * x
    v = a[1:3]
    a[1] = x[0] * x[3]
    return {"whole": a * 1.0, "part": v * 2.0}


@program(sample(4))
def sum_into_what_was_stretched(x):
    rows = np.broadcast_to(x[0], (4,))
    for i in range(3):
        rows = rows * 1.5
        np.add.at(rows, [i, i, 3], x[1])
    other = np.broadcast_to(x[2], (4,))
    other = other.copy()
    np.add.at(other, 0, x[3])
    return np.sum(rows * other)
