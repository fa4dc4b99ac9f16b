# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Calls that hand back the memory they were given, under names that do not say so, and updates in place after that."""

import operator

import numpy as np
import scipy.linalg
import scipy.ndimage

from ..corpus import program, sample


@program(sample(3, 3))
def first_power_of_a_matrix(A):
    A = A * 1.0
    B = np.linalg.matrix_power(A, 1)
    B[0] *= 2.0
    return np.sum(A**2) + np.sum(B**3)


@program(sample(3, 3))
def first_power_changed_by_its_matrix(A):
    A = A * 1.0
    B = np.linalg.matrix_power(A, 1)
    A *= 3.0
    return np.sum(B**2)


@program(sample(3))
def differences_of_no_order(x):
    x = x * 1.0
    d = np.diff(x, n=0)
    d *= 2.0
    return np.sum(x**3) + np.sum(d)


@program(sample(3))
def made_float_once_more(x):
    x = x * 1.0
    d = np.float64(x)
    d *= 2.0
    return np.sum(x**3) + np.sum(d)


@program(sample(3, 3))
def item_by_its_method(A):
    A = A * 1.0
    d = A.__getitem__(0)
    d *= 2.0
    return np.sum(A**3) + np.sum(d)


@program(sample(3, 3))
def part_by_its_method(A):
    A = A * 1.0
    d = A.__getitem__((slice(1, None), slice(None, 2)))
    d *= 2.0
    return np.sum(A**3) + np.sum(d)


@program(sample(3, 3))
def item_by_operator(A):
    A = A * 1.0
    d = operator.getitem(A, 1)
    d *= 2.0
    return np.sum(A**3) + np.sum(d)


@program(sample(3))
def array_of_an_array(x):
    x = x * 1.0
    d = x.__array__()
    d *= 2.0
    return np.sum(x**3) + np.sum(d)


@program(sample(3))
def plain_view(x):
    x = x * 1.0
    d = x.view()
    d *= 2.0
    return np.sum(x**3) + np.sum(d)


@program(sample(3))
def constant_seen_by_a_method(x):
    """What is put through the view makes the constant vary."""
    K = np.zeros(3)
    k = K.view()
    k[:] = x
    return np.sum(K * K * x)


@program(sample(3))
def constant_seen_by_an_item(x):
    K = np.zeros(3)
    k = K.__getitem__(slice(0, 2))
    k[:] = x[:2]
    return np.sum(K * K * x)


@program(sample(3))
def sum_of_nothing_and_a_start(x):
    K = np.zeros(3)
    k = sum([], K)
    k[:] = x
    return np.sum(K * K)


@program(sample(3))
def edges_come_back(x):
    K = np.zeros(3)
    _, k = np.histogram(np.ones(3), bins=K)
    k[:] = x
    return np.sum(K * K)


@program(sample(3))
def numbers_of_places(x):
    """An array of places that is of the type already: the copy is none."""
    i = np.arange(3)
    k = np.int64(i)
    s = np.sum(x[i] * x[::-1])
    k[:] = 0
    return s + np.sum(x[i])


@program(sample(3))
def places_in_a_grid(x):
    i = np.arange(3)
    k = np.ix_(i)[0]
    s = np.sum(x[i] ** 2)
    k[:] = 0
    return s + np.sum(x[i] ** 2)


@program(sample(3))
def real_array_conjugated(x):
    x = x * 1.0
    d = x.conj()
    d *= 2.0
    return np.sum(x**3) + np.sum(d)


@program(sample(3))
def not_copied_by_a_type(x):
    x = x * 1.0
    d = x.astype(float, copy=False)
    d *= 2.0
    return np.sum(x**3) + np.sum(d)


@program(sample(3))
def edges_that_vary(x):
    h, e = np.histogram(np.ones(3), bins=np.cumsum(x**2))
    e = e * 2.0
    return np.sum(e**2) + np.sum(h)


@program(sample(3, 3))
def view_of_a_view_by_calls(A):
    A = A * 1.0
    d = A.ravel().reshape(3, 3)[1]
    d *= 2.0
    return np.sum(A**3)


@program(sample(3, 3))
def rows_of_a_list_of_a_constant(x):
    K = np.zeros((2, 3))
    k = K[1:].T
    k[:, 0] = x[0]
    return np.sum(K * x[1])


@program(np.asfortranarray(sample(3, 3)))
def layout_of_an_argument(A):
    """A copy only since the matrix lies column by column: that must stay so when the compiler copies it."""
    from numpy import ravel

    r = ravel(A)
    A[0] = 2.0
    return np.sum(r**3)


@program(np.asfortranarray(sample(3, 3)))
@program(sample(3, 3))
def layout_asked_for(A):
    return np.sum(A**2) if A.flags.c_contiguous else np.sum(A**3)


@program(sample(3))
def owner_of_a_part(x):
    x = x * 1.0
    y = x[:2]
    y = y.base
    y *= 2.0
    return np.sum(x**3)


@program(sample(3))
def owner_of_a_part_read(x):
    y = x * 1.0
    z = y[:2]
    return np.sum(z.base**3)


@program(sample(3))
def memory_under_another_name(x):
    x = x * 1.0
    y = np.frombuffer(x)
    y *= 2.0
    return np.sum(x**3)


@program(sample(3))
def array_around_a_buffer(x):
    K = np.zeros(3)
    k = np.ndarray((3,), buffer=K)
    k[:] = x
    return np.sum(K * K)


@program(sample(3))
def median_that_sorts_its_array(x):
    w = np.array([3.0, 1.0, 2.0])
    s = np.sum(x * w)
    m = np.median(w, overwrite_input=True)
    return s * m


@program(sample(3))
def inverse_in_the_matrix_itself(x):
    w = np.asfortranarray(np.array([[3.0, 1.0, 2.0], [1.0, 5.0, 2.0], [0.0, 1.0, 2.0]]))
    s = np.sum((w @ x) ** 2)
    m = scipy.linalg.inv(w, overwrite_a=True)
    return s + np.sum(m @ x)


@program(sample(3))
def filter_that_writes_elsewhere(x):
    w = np.array([3.0, 1.0, 2.0])
    s = np.sum(x * w)
    scipy.ndimage.gaussian_filter(np.ones(3), 1.0, output=w)
    return s


@program(sample(3))
def shape_set_anew(x):
    y = x * 1.0
    y.shape = (3, 1)
    return np.sum(y**2)


@program(sample(3))
def item_by_a_getter(x):
    x = x * 1.0
    d = operator.itemgetter(slice(0, 2))(x)
    d *= 2.0
    return np.sum(x**3) + np.sum(d)


@program(sample(3))
def rows_in_a_list_of_a_constant(x):
    K = np.zeros((2, 3))
    k = list(K)[0]
    k[:] = x
    return np.sum(K * K)


@program(sample(3))
def rows_unpacked_into_a_list(x):
    K = np.zeros((2, 3))
    k = [*K][0]
    k[:] = x
    return np.sum(K * K)


@program(sample(3), sample(3))
def larger_of_two_changed(x, y):
    a = x * 1.0
    b = y * 1.5
    d = max(a, b, key=lambda q: q[0])
    d *= 2.0
    return np.sum(a**3) + np.sum(b**2)


@program(sample(3, 2), 2, static="n")
def stretched_before_what_it_shows_changes(a, n):
    v = np.broadcast_to(a, (n + 1, *a.shape))
    r = np.sqrt(np.sum(v**2) + 0.1)
    b = a[1:]
    b *= r
    return np.sum(a * a) * r


@program(sample(4))
def root_where_a_view_of_a_sorted_vector_is_large(w):
    b = np.swapaxes(w, 0, -1)
    w.sort()
    v = np.sqrt(b, out=np.zeros_like(b), where=b > 0.1)
    return np.sum(v * np.arange(4.0))


@program(sample(3, 2), 2, static="n")
def stretched_and_read_after_it_changed(a, n):
    v = np.broadcast_to(a, (n, *a.shape))
    b = a[1:]
    b *= a[0]
    return np.sum(v**2 * np.arange(12.0).reshape(2, 3, 2))


@program(sample(4))
def required_and_sorted(w):
    b = np.require(w)
    b[::2] *= w[1]
    return np.sum(w * np.arange(4.0) * b)


if hasattr(np, "unstack"):  # new in NumPy 2.1

    @program(sample(3, 2), 1, static="k")
    def row_of_an_unstacked_matrix(a, k):
        b = np.unstack(a)[0]
        b *= a[1, 0]
        return np.sum(a * np.arange(6.0).reshape(3, 2)) + np.sum(np.unstack(a)[k] ** 2)
