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


@program(sample(3), np.array([0.5, 1.0, 2.0]))
def out_made_where_it_is_named(a, b):
    return np.sum(np.divide(a, b, out=np.zeros_like(a), where=b > 0.7) ** 2)


@program(sample(3), np.array([0.5, 1.0, 2.0]))
def out_made_in_its_position(a, b):
    return np.sum(np.divide(a, b, np.zeros_like(a)) ** 2)


@program(sample(3))
def clipped_into_a_new_array(a):
    return np.sum(np.clip(a, 0.4, 1.0, out=np.empty_like(a)) ** 2 * np.arange(3.0))


@program(sample(3))
def logarithm_of_some_into_a_new_array(a):
    r = np.log(a, out=np.zeros_like(a), where=a > 0.5)
    return np.sum(r**2)


def zeros_for(a):
    return np.zeros_like(a)


def the_same(a):
    return a


@program(sample(3), sample(3))
def out_is_made_by_a_helper(a, b):
    r = np.multiply(a, b, out=zeros_for(a))
    return np.sum(r**2)


@program(sample(3), sample(3))
def out_is_handed_through_a_helper(a, b):
    w = a * 1.0
    r = np.multiply(a, b, out=the_same(w))
    return np.sum(r**2) + np.sum(w**3)


@program(sample(3), sample(3))
def out_in_a_tuple(a, b):
    return np.sum(np.add(a, b, out=(np.zeros_like(a),)) ** 2)


@program(sample(3), sample(3))
def out_is_one_of_two(a, b):
    return np.sum(np.add(a, b, out=np.zeros(3) if a[0] > 0 else np.ones(3)) ** 2)


@program(sample(3, 3))
def reductions_into_new_arrays(A):
    r = np.sum(A, axis=0, out=np.zeros(3)) * A.mean(0, None, np.zeros(3))
    return np.sum(r * np.add.reduce(A, 0, None, np.zeros(3)))


@program(sample(3, 3))
def products_into_new_arrays(A):
    return np.sum(np.dot(A, A, out=np.zeros((3, 3))) * A.dot(A.T, np.zeros((3, 3))))


@program(sample(3, 3))
def joined_and_taken_into_new_arrays(A):
    r = np.concatenate([A, A], 0, out=np.zeros((6, 3)))
    return np.sum(r**2) * np.sum(np.take(A, [0, 2], 0, np.zeros((2, 3))))


@program(sample(3), sample(3))
def out_made_in_a_loop(a, b):
    total = 0.0
    for k in range(3):
        v = np.multiply(a, b, out=np.ones_like(b), where=b > k * 0.5 + 0.01)
        total += np.sum(v**2) * (k + 1)
    return total


@program(sample(3), sample(3))
def constant_divided_into_a_new_array(a, b):
    k = np.array([1.0, 0.0, 2.0])
    w = np.divide(1.0, k, out=np.zeros(3), where=k != 0)
    return np.sum(w * a * b)


@program(sample(3))
def two_results_into_two_arrays(x):
    whole = np.zeros(3)
    np.modf(x * 3.3, out=(f := np.zeros(3), whole))
    return np.sum(f**2 * whole)


@program(sample(3))
def one_of_two_results_into_an_array(x):
    f, whole = np.modf(x * 3.3, out=(np.zeros(3), None))
    return np.sum(f**2 * whole)


@program(sample(3), sample(3))
def out_is_a_row_of_a_view(x, y):
    w = np.zeros(6)
    r = np.multiply(x, y, out=w.reshape(2, 3)[1])
    return np.sum(r * w[3:])


@program(sample(3), sample(3))
def out_is_a_copy_by_places(x, y):
    w = np.zeros(6)
    r = np.multiply(x, y, out=w[np.array([0, 1, 2])])
    return np.sum(r * w[3:]) + np.sum(r)


def doubled_into(x, out=None):
    return np.multiply(x, 2.0, out=out)


@program(sample(3))
def out_that_is_none(x):
    w = np.ones(3)
    return np.sum(doubled_into(x) * doubled_into(x**2, w) * w)


@program(sample(3), sample(3))
def out_of_two_sides_of_a_sum(x, y):
    w = np.zeros(3)
    return np.sum((np.multiply(x, y, out=w) + np.add(x, y, out=np.ones(3))) * w)


@program(sample(4), sample(4, seed=1))
def running_sums_into_the_whole_and_a_part(x, y):
    b = np.zeros(len(x) + 1)
    np.cumsum(x[1:], out=b[1:-1])
    np.multiply.accumulate(y, out=y)
    b[1:].cumsum(out=b[1:])
    return np.sum(b * b) * np.sum(y)


@program(sample(1))
def root_of_what_was_a_vector_of_one(w):
    v = np.squeeze(w)
    u = np.sqrt(v, out=v, where=v > 0.1)
    return np.sum(u * np.arange(1.0, 2.0).reshape(u.shape))


@program(np.array([0.7, 0.4]))
@program(np.array([0.7, -0.4, 0.5]))
def like_what_an_argument_was(w):
    v = np.sqrt(w, out=np.zeros_like(w), where=w > 0.1)
    twice = np.concatenate([v, v])
    v = v[1:]
    w = twice
    return np.sum(v * 2) + np.sum(w)
