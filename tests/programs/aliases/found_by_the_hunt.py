# ruff: noqa
# The programs are what the hunt wrote, made small by it and by hand.
"""Programs written at random whose gradients were wrong, or whose generated code failed."""

import math

import numpy as np

from ..corpus import program, sample


def squashed(p):
    return np.tanh(p)


def squashed_and_scaled(p, q):
    t = np.exp(p * q)
    return t


@program(sample(3))
def result_changed_by_the_caller(a):
    """The helper's record holds what it returned."""
    s = squashed(a)
    s[:] = 0.2 * s
    return np.sum(s)


@program(sample(3), 0.7)
def result_changed_in_a_loop(a, q):
    total = 0.0
    for k in range(3):
        s = squashed_and_scaled(a, q)
        s[k] *= total + 1.0
        s += 1.0
        total = total + np.sum(s * a)
    return total


@program(sample(3))
def name_gives_way_to_its_view(a):
    xs = [a, a * 2.0]
    xs = xs[0].ravel()
    xs[:] = xs * 3.0
    return np.sum(a * xs)


@program(sample(3))
def view_kept_beyond_its_name(a):
    w = a[::1]
    w = np.sum(w * w * w)
    a += 1.0
    return w * a[0]


@program(sample(3))
def list_read_by_a_local_function(b):
    xs = [u * u for u in b]

    def total(s):
        return sum(xs) * s

    return total(b[0])


@program(sample(3))
def list_read_before_and_after_it_grows(b):
    xs = []

    def total():
        return sum(xs) * b[1]

    first = total()
    xs.append(b[0])
    second = total()
    xs.append(b[2])
    return first + second * total()


@program(1.2)
def parameter_set_in_a_loop_in_a_try(x):
    def helper(p):
        try:
            s = p * 2.0
            for i in range(3):
                p = 1.5 * s * i
        except ValueError:
            pass
        return p

    return helper(x) * x


@program(sample(4))
def item_replaced_from_the_end(a):
    w = a
    xs = [w, w]
    w[1] = 1.0
    new = np.zeros(4)
    xs[-1] = new
    return np.sum(xs[1]) + np.sum(w * xs[0])


@program(1.2, 0.7)
def object_gives_way_to_a_number(y, b):
    class_ = Pair(y, b)
    class_ = class_.v if class_ else y
    return class_ * b


@program(sample(3))
def list_gives_way_to_an_array(b):
    v = b
    xs = [u * 2.0 for u in v]
    v[:] = xs
    xs = np.cumsum(v.ravel())
    return np.sum(xs**2)


@program([0.5, 0.6], sample(3))
def parameter_gives_way_to_an_array(ys, a):
    s = ys[0] * ys[1]
    a[0] = s
    ys = a.ravel()
    ys[1] = ys[0] * s
    return np.sum(a * a) + ys[1]


@program(sample(4), sample(4, seed=1))
def number_put_in_place_of_an_array(a, b):
    xs = [a.ravel() * 2.0, b]
    xs[0] = a[0] * b[1]
    u = xs.pop()
    return xs[0] * np.sum(u)


@program(sample(1))
def update_in_a_loop_in_a_try(a):
    xs = [a, a]
    try:
        w = xs
        for i in range(2):
            if i > 0:
                continue
            xs[1][...] *= np.sin(w[0])
    except IndexError:
        pass
    return np.sum(a)


@program(sample(3), 0.7)
def object_made_again_in_a_try(a, x):
    o = Pair(x, a * 1.0)
    for i in range(2):
        try:
            o = Pair(x, a * i)
            o.b[1:] = x * i
        except ValueError:
            pass
    return np.sum(o.b) * o.v


@program(sample(1))
def index_into_an_axis_of_length_one(a):
    n = len(a) + 2
    w = a.ravel()
    a[n % 1] += w[n - 3] * 2.0
    return np.sum(a * w[2 - n])


@program(sample(2))
def copy_of_a_view_put_into_a_list(a):
    w = a.ravel()
    xs = [a, a]
    xs[1] = xs[1].ravel().copy()
    xs[1][:] = 1.0
    return np.sum(w)


class Pair:
    def __init__(self, v, b):
        self.v = v
        self.b = b


@program([0.4, 0.7], 3)
def count_whose_name_becomes_a_list_s(ys, n):
    w = n > 1
    n = ys
    ys[0] += 1.0
    return sum(n) * w


def scaled_by_a_literal(p, s, q):
    q[0] = s
    return sum([s * u for u in p if u < s])


@program(sample(3), sample(2, 2, seed=1))
def literal_read_in_a_comprehension_of_a_helper(a, A):
    w = A.ravel()
    return scaled_by_a_literal(a, 1.5, w) * np.sum(A)


@program(sample(2))
def view_and_array_in_a_list_before_they_vary(a):
    s = np.arange(2) * 0.5
    xs = [s.ravel(), s]
    np.sin(a, out=xs[1])
    return np.sum(xs)


@program(0.5, np.array([0.526, 0.539, 0.552]))
def name_set_in_a_loop_that_is_left_at_once(x, a):
    for k, _ in enumerate(a):
        if k:
            for _ in range(2):
                v = a
                break
            else:
                x += v[0]
    return x * a[1]


class Holder:
    def __init__(self, a):
        self.a = a


@program(np.arange(12.0).reshape(3, 4) + 0.5, 4, static="n")
def held_array_read_for_a_list_or_as_a_whole(a, n):
    held = Holder(a)
    xs = [1.0]
    for _ in range(3):
        xs.append(held.a[n % 3, 2])
    if n > 3:
        return np.min(held.a) * 2.0
    return sum(xs)


@program(np.arange(12.0).reshape(3, 4) + 0.5, 1, static="n")
def held_array_read_for_a_list(a, n):
    held = Holder(a)
    xs = [1.0]
    for _ in range(3):
        xs.append(held.a[n % 3, 2])
    if n > 3:
        return np.min(held.a) * 2.0
    return sum(xs)


# An adjoint that is summed down to the shape that it has already is the same array: the sum is scaled afterwards.


@program(sample(4), sample(4, seed=1), 0.7)
@program(sample(2), sample(2, seed=1), 0.7)
def slice_added_to_what_is_scaled(x, y, s):
    z = y[1:]
    d = x[1:] * 1.0
    d *= s
    d += z
    return np.sum(d * d)


@program(sample(4, low=-1.0), sample(4, seed=1), 0.7)
def masked_added_to_what_is_scaled(x, y, s):
    z = y[x > 0.0]
    d = x[x > 0.0] * 1.0
    d *= s
    d -= z
    return np.sum(d * d)


@program(sample(4), sample(4, seed=1), 0.7)
def half_added_to_what_is_scaled(x, y, s):
    z = np.split(y, 2)[0]
    d = x[:2] * 1.0
    d *= s
    d += z
    d[0] *= s
    return np.sum(d * d * z)


@program(sample(2), sample(4, seed=1), 0.7)
def repeated_added_to_what_is_scaled(x, y, s):
    d = np.repeat(x, 2) * y
    z = np.repeat(y[:2], 2)
    for _ in range(2):
        d *= s
        d += z
    return np.sum(d * d)


@program(sample(3), sample(3, seed=1), 0.7)
def real_added_to_complex_that_is_scaled(x, y, s):
    d = x * (1.0 + 2.0j)
    d *= s
    d += y
    d *= 1.0 - 0.5j
    return np.sum(np.abs(d) ** 2)


@program(sample(6).reshape(3, 2), sample(3, seed=1), 0.7)
def flattened_twice_and_scaled(a, y, s):
    z = a.reshape(-1)
    d = np.outer(y, y[:2]).reshape(-1) * s
    d = d + z
    d += z
    d *= s
    return np.sum(d + z) * np.sum(d * z)


@program(sample(3, 2))
def slice_scaled_by_a_sum_and_cut_away(a):
    """What reaches the sum is one number, not the rows of which it is the adjoint."""
    v = np.exp(a)
    v[:1] *= np.sum(v) / 3.0
    v = v[1:1]
    return np.sum(np.sin(v))


@program(sample(3, 2))
def slice_scaled_by_a_root_of_what_is_partly_kept(a):
    v = np.exp(a)
    v[:2] *= np.sqrt(np.sum(v))
    v = v[1:]
    return np.sum(np.sin(v))


@program(sample(2, seed=1), sample(3, 2), 3, static="n")
def rank_decided_by_a_branch_and_summed_exactly(w, a, n):
    """The text for Numba gave `np.array([g]) * len(w)` for a list of `g`."""
    v = np.eye(a.shape[-1]) * np.float32(0.5)
    if len(v):
        pass
    else:
        w = np.meshgrid(w, w)[0]
    for i in range(1, n):
        v[0] = math.fsum(w)
    return np.sum(v) + np.sum(np.sin(w))


@program(sample(3, 3))
def diagonal_copied_to_itself(a):
    """What `np.diag` gives is read-only, and NumPy writes nothing here."""
    d = np.diag(a)
    np.copyto(d, d)
    return np.sum(d * d)


@program(sample(3), 0.8)
@program(sample(3), -0.8)
def flag_as_an_index(w, s):
    """A number that is true or false picks a copy of all or nothing, as a mask does."""
    z = w * s
    b = z
    z *= w
    m = b[s > 0]
    m *= 3.0
    z[s > 0] += w
    z += 1.0
    return np.sum(m * m) + np.sum(z * z)


@program(sample(3, 2), 0.8)
def flag_beside_a_slice(a, s):
    z = a * s
    z[s > 0, 1:] *= s
    y = z[True]
    y[0] += s
    q = z[None, s > 0]
    z *= 2.0
    return np.sum(z * z) + np.sum(y**2) + np.sum(q**3)


@program(sample(3, 2), sample(2, seed=1) - 0.5)
@program(sample(2, 3), sample(3, seed=2) - 0.5)
def row_put_into_all_and_compared(a, w):
    """The adjoint of the rows is summed down to one, once."""
    a[:] = w * w
    v = np.maximum(a, w)
    return np.sum(v)


@program(sample(2, 3), 3, static="n")
def summed_and_cleared_by_turns(a, n):
    """The adjoint is all zero behind the loop, and is made before it."""
    for i in range(n):
        e = np.sum(a)
        a[0] = e
    return e


@program(sample(3), 4, static="n")
def multiplied_and_scaled_by_turns(w, n):
    e = 0.0
    for i in range(n):
        e += np.prod(w)
        w[w > 0.0] *= 1.5
    return e


@program(sample(2), 2, static="n")
@program(sample(2), 3, static="n")
def filled_where_it_is_an_array(w, n):
    """One of NumPy's numbers has the method, too, and stays as it is."""
    w = w * 2.0
    if n % 2 == 0:
        w = np.sum(w, axis=0)
    v = w * w
    v.fill(3.0)
    return np.sum(w * v)


@program(np.zeros((0, 2), np.float32))
@program(np.ones((2, 2), np.float32))
def selected_of_nothing(a):
    return np.sum(np.select([a > 0.13], [a], np.float64(0.7)))


@program(np.array([1.0, 2.0], np.float32), np.array([3], np.int32), static="q")
def joined_and_changed_in_single_precision(w, q):
    """The adjoint that is copied before it changes is in double, as what was joined is."""
    w[0] = 1.0
    return np.sum(np.concatenate([q, w]) ** 2)


@program(np.array([1.0, 2.0], np.float32), 0.75, np.array([1, 2], np.uint8), static="q")
def number_beside_a_sum_of_counts(w, s, q):
    """The value is in double for the counts' sake, which have no tangent."""
    return np.sum(q) + s + np.sum(w)


@program(sample(2, 2), 0.75)
def number_placed_in_turn(a, s):
    np.place(a, a > 0.0, [s])
    return np.sum(a)


@program(0.83, 5, static="n")
def spread_of_equal_numbers(s, n):
    """Their mean is rounded, and what they are apart from it is nothing but that."""
    return np.std(np.full(n, s)) + s * s


@program(sample(2), sample(3, seed=1))
def spread_of_equal_rows(w, x):
    rows = np.meshgrid(w, x)[0]
    return np.sum(rows**2) + np.sum(np.std(rows, axis=0))


@program(np.array([1.0, 2.0], np.float32), np.array([3.0]))
def turned_and_joined_in_single_precision(w, q):
    return np.sum(np.concatenate([q, w[::-1]]) ** 2)


@program(sample(2))
def sorted_numbers_of_a_list(x):
    return np.sum(np.sort([x[0], x[1], x[0] * x[1]]) * np.arange(3.0))


@program(0.75)
def methods_of_a_number_of_numpy(s):
    """The tangent of what NumPy makes of Python's number has its methods, too."""
    t = np.maximum(s, s)
    return t.item() * t.reshape(1)[0]


@program(np.zeros((0, 2)), 0, vector=True, static="n")
@program(sample(2, 2), 1, vector=True, static="n")
def rows_summed_or_none(a, n):
    v = a
    for _ in range(n):
        a = a * 2.0
    return v * 1.0 + sum(a)


@program(sample(2, 3), 2, raises=UnboundLocalError, static="n")
@program(sample(2, 3) + 9.0, 2, static="n")
def set_on_one_path_of_a_loop(a, n):
    r = 0.5
    for _ in range(n):
        if a[0, 0] > 5.0:
            t = a
    return r * np.sum(t)


@program(sample(2, 3), 0, raises=UnboundLocalError, static="n")
@program(sample(2, 3), 2, static="n")
def set_to_rows_or_to_all(a, n):
    """Of a name that is not set there is no sum either."""
    for i in range(n):
        if a[i, 0] > a[0, 1]:
            t = a * 2.0
        else:
            t = a[0]
    return np.sum(t)


@program(sample(3), 0, static="n")
@program(sample(3), 2, static="n")
def whole_numbers_under_the_name_of_what_is_changed(w, n):
    e = w
    for i in range(n):
        e = np.arange(e.size)
    w[0] += 1.0
    return np.sum(e * 1.5)


@program(sample(3), 0, static="n")
@program(sample(3), 2, static="n")
def flags_and_counts_under_the_name_of_what_is_changed(w, n):
    e, c = w, w
    if n > 1:
        e, c = w > 0.5, w
    f = w
    if n:
        f = n
    w[0] += 1.0
    return np.sum(e * 1.5) + np.sum(c * f)


@program(sample(3), 0, static="n")
@program(sample(3), 2, static="n")
def whole_numbers_in_the_place_of_what_is_changed(w, n):
    es = [w, w * 2.0]
    for _ in range(n):
        es[0] = np.arange(3)
    w[0] += 1.0
    return np.sum(es[0] * 1.5) + np.sum(es[1])


class Kept:
    def __init__(self, v):
        self.v = v

    def times(self, p):
        return self.v * p if p > 0.1 else p


@program(sample(3), 0.4, 1, static="n")
def object_of_a_local_function_that_changes_what_has_two_names(a, x, n):
    w = a
    kept = Kept(np.sin(x))

    def step(u):
        w[n % 3] += u * x
        return kept.times(w[-1])

    unused = step(0.5)
    return np.sum(a)


def ones_counted(a):
    made = np.ones_like(a)
    made[0] = 1.0
    return made.sum()


@program(sample(3))
def methods_of_a_number_that_does_not_vary(a):
    """Its tangent is a number of Python's, which has no such methods."""
    n = ones_counted(a)
    return n.item(0) * a[0] + n.copy() * a[1] + np.sum(n.reshape(1) * a)


@program(sample(4, 2).astype(np.float32))
def product_of_a_copy_of_rows_as_columns(A):
    """The order in which single precision is multiplied up is that of the copy."""
    v = A.T
    v = v.copy()
    return np.sum(np.array([1.0, 2.0]) * np.prod(v))


@program(np.zeros(0), 0.3, vector=True)
@program(sample(2), 0.3, vector=True)
def number_joined_to_what_is_not_zero(w, s):
    """The number's adjoint, taken out of the array's, is a number: it is added to."""
    again = s
    return np.append(w[np.flatnonzero(w)], s) + again


@program(sample(4), sample(4, 2), 2, static="n")
def rows_set_by_a_mask_in_a_loop(x, A, n):
    """What the mask leaves of the rows is kept with an axis more."""
    v = A / A
    for _ in range(n):
        v[x > 1.0] = 1
    return np.sum(v * np.arange(1.0, v.size + 1.0).reshape(v.shape))
