# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Parts of an array stored into other parts of it: rows into columns, and what NumPy copies first or does not."""

import numpy as np

from ..corpus import program, sample


@program(sample(3, 3))
def row_into_the_column_of_its_number(A):
    """The two lines meet in one item, which is stored into itself."""
    A = A * 1.0
    for i in range(3):
        A[:, i] = A[i]
    return np.sum(A**3 * np.arange(9.0).reshape(3, 3))


@program(sample(4, 4))
def lower_triangle_into_the_upper(A):
    A = A * 1.0
    n = len(A)
    for i in range(n):
        A[i, i + 1 :] = A[i + 1 :, i]
    return np.sum(A**3 * np.arange(16.0).reshape(4, 4))


@program(sample(4, 4))
def upper_triangle_into_the_lower(A):
    A = A * 1.0
    for j in range(A.shape[0]):
        A[j, :j] = A[:j, j]
    return np.sum(A**3 * np.arange(16.0).reshape(4, 4))


@program(sample(3, 3))
def transposed_in_place(A):
    """Of two axes NumPy makes a copy first."""
    A = A * 1.0
    A[...] = A.T
    return np.sum(A**3 * np.arange(9.0).reshape(3, 3))


@program(sample(3, 4))
def columns_moved_by_one(A):
    A = A * 1.0
    A[:, 1:] = A[:, :-1]
    A[:, 0] = A[:, 2]
    return np.sum(A**3 * np.arange(12.0).reshape(3, 4))


@program(sample(3, 3))
def rows_exchanged(A):
    A = A * 1.0
    held = A[0].copy()
    A[0] = A[2]
    A[2] = held
    return np.sum(A**3 * np.arange(9.0).reshape(3, 3))


@program(sample(3, 3))
def row_to_row_by_names(A):
    A = A * 1.0
    r = A[1]
    A[0] = r
    B = A.T
    B[2] = B[0]
    return np.sum(A**3 * np.arange(9.0).reshape(3, 3))


@program(sample(6))
def turned_round_in_place(x):
    x = x * 1.0
    x[:] = x[::-1]
    x[1:] = x[:-1]
    x[::2] = x[1::2]
    return np.sum(x**3 * np.arange(6.0))


@program(sample(3, 3))
def row_added_to_a_column(A):
    """Arithmetic makes a copy where it would read what it has written."""
    A = A * 1.0
    A[:, 2] += A[1]
    np.multiply(A[1], A[0], out=A[:, 0])
    A[:, 1] = 2.0 * A[2]
    return np.sum(A**3 * np.arange(9.0).reshape(3, 3))


@program(sample(3, 3))
def row_into_a_column(A):
    A = A * 1.0
    A[:, 2] = A[1]
    return np.sum(A**3)


@program(sample(3, 3))
def row_copied_into_a_column(A):
    A = A * 1.0
    np.copyto(A[:, 2], A[1])
    return np.sum(A**3)


def put_into(place, values):
    place[:] = values


@program(sample(3, 3))
def row_into_a_column_by_a_helper(A):
    A = A * 1.0
    put_into(A[:, 2], A[1])
    return np.sum(A**3)


@program(sample(3, 3))
def row_into_a_row_of_the_transpose(A):
    A = A * 1.0
    B = A.T
    B[2] = A[1]
    return np.sum(A**3)


@program(sample(3, 3))
def named_row_into_a_column(A):
    A = A * 1.0
    r = A[1]
    c = A[:, 2]
    c[...] = r
    return np.sum(A**3)


@program(sample(3, 3))
def column_and_row_exchanged(A):
    A = A * 1.0
    A[:, 2], A[1] = A[1], A[:, 2]
    return np.sum(A**3)


@program(sample(3, 3))
def diagonal_into_a_column(A):
    A = A * 1.0
    A[:, 2] = np.diagonal(A)
    return np.sum(A**3)


@program(sample(3, 3))
def column_into_flat(A):
    A = A * 1.0
    A.flat[3:6] = A[:, 0]
    return np.sum(A**3)


@program(sample(3, 3))
def column_into_a_mask_of_a_row(A):
    A = A * 1.0
    r = A[1]
    r[np.array([True, True, True])] = A[:, 2]
    return np.sum(A**3)


@program(sample(6))
def every_other_by_a_step(x):
    x = x * 1.0
    s = len(x) // 3
    x[::s] = x[:3]
    return np.sum(x**3)


@program(sample(9))
def into_the_items_of_a_step(x):
    x = x * 1.0
    A = x.reshape(3, 3)
    A[:, 2] = x[3:6]
    return np.sum(x**3)


@program(sample(4))
def whole_vector_stored_into_itself(w):
    b = np.rollaxis(w, 0)
    w[...] = b
    w[1:] = np.ravel(w)[:-1]
    w[:] = np.asarray(w, dtype=float)
    w[:] = np.diff(w, n=0)
    return np.sum(w * b * np.arange(1.0, 5.0))


@program(sample(4))
def array_stored_into_itself_by_another_name(x):
    v = np.append(np.clip(x, 0.5, 1.5), x[0])
    b = np.squeeze(v)
    np.copyto(b, b)
    x[:] = x.conj()
    return np.sum(b * b * v) + np.sum(x * x)


def set_to_itself(z):
    b = np.asarray(z)
    z[...] = b
    return np.tanh(b)


@program(sample(3, 3))
def vector_stored_into_itself_whose_name_goes_on(a):
    v = a.ravel()
    a = a * a
    v = set_to_itself(v)
    return np.sum(v) + np.sum(a)


@program(sample(3, 3))
def rows_exchanged_of_a_name_that_goes_on(a):
    b = np.expand_dims(a, 0)[0]
    b[0], b[-1] = b[-1], b[0]
    w = b * b
    b = b @ b.T
    return np.sum(w[0]) + np.sum(b * np.arange(9.0).reshape(3, 3))


@program(sample(4))
def each_item_into_itself(x):
    w = np.require(x)
    np.copyto(x, w)
    x[1:] = np.atleast_2d(x[1:])
    x[:] = x[None]
    return np.sum(w * np.sin(x))


@program(sample(3), 0.5)
def stretched_under_the_name_of_what_changed(w, s):
    """What is stretched is looked at under another name, and has an adjoint of its own there."""
    e = w
    e += 1.0
    e = np.broadcast_to(s, e.shape)
    return np.sum(np.atleast_2d(e) ** 2 * w)


@program(sample(2, 2), 0.5, raises=ValueError)
def update_of_what_is_stretched(A, s):
    z = np.broadcast_to(s, A.shape)
    t = z
    d = np.real(z) + 1.0
    t += d
    return np.sum(z)
