"""What a selection leaves out contributes 0, also where its slope is infinite or NaN; what it keeps never does."""

import math

import numpy as np

from ..corpus import program, sample

NAN = math.nan
ROOTS = np.array([0.0, 1.0, 4.0])
MATRIX = np.array([[1.0, 4.0], [0.0, 1.0]])


@program(ROOTS, nonsmooth=True, partials={"x": np.array([0.0, 1.0, 1.0 + math.log(4.0)])})
def entropy(x):
    return np.sum(np.where(x > 0, x * np.log(x), 0.0))


@program(ROOTS, nonsmooth=True, partials={"x": np.array([NAN, 1.0, 1.0])})
def a_root_that_is_kept_and_squared(x):
    """Its adjoint is 0 at 0, from the square, and not because it was left out: the infinite slope counts."""
    return np.sum(np.where(x >= 0, np.sqrt(x) ** 2, 0.0))


@program(MATRIX, nonsmooth=True, partials={"a": np.array([[1.0, 1.0], [0.0, 1.0]])})
def a_triangle_of_roots_squared(a):
    return np.sum(np.triu(np.sqrt(a)) ** 2)


@program(ROOTS, nonsmooth=True, partials={"x": np.array([0.0, 1.0, 1.0])})
def all_but_the_first_squared(x):
    return np.sum(np.sqrt(x)[1:] ** 2)


@program(ROOTS, nonsmooth=True, partials={"x": np.array([0.0, 0.0, math.log(2.0)])})
def logarithms_overwritten_by_a_mask(x):
    logs = np.log(x)
    logs[x <= 0] = 0.0
    return np.sum(logs**2)


@program(np.array([1.0, NAN, 3.0]), nonsmooth=True, partials={"x": np.array([2.0, 0.0, 6.0])})
def squares_of_the_numbers_there_are(x):
    return np.nansum(x**2)


@program(np.array([1.0, 800.0]), nonsmooth=True, partials={"x": np.array([math.e / (1.0 + math.e), 1.0])})
def softplus(x):
    """The exponential overflows where the line is taken."""
    return np.sum(np.where(x > 700.0, x, np.log1p(np.exp(x))))


@program(ROOTS, nonsmooth=True, partials={"x": np.array([0.0, math.cos(1.0) - math.sin(1.0),
                                                         math.cos(4.0) / 4.0 - math.sin(4.0) / 16.0])})
def cardinal_sine(x):
    return np.sum(np.where(x == 0.0, 1.0, np.sin(x) / x))


@program(0.0, -1.0, nonsmooth=True, partials={"x": 2.0, "switch": 0.0})
@program(0.0, 1.0, nonsmooth=True, partials={"x": NAN, "switch": 0.0})
def a_root_squared_in_a_branch(x, switch):
    root = math.sqrt(x)
    if switch > 0:
        return root * root
    return x * 2.0


@program(ROOTS, nonsmooth=True, partials={"x": np.array([0.0, 0.5, 0.25])})
def roots_of_some_steps(x):
    total = 0.0
    for i in range(len(x)):
        root = math.sqrt(x[i])
        if x[i] > 0:
            total += root
    return total


def _distance(x, p):
    square = 0.0
    for k in range(len(x)):
        square += (x[k] - p[k]) ** 2
    return np.sqrt(square)


@program(np.array([0.0, 1.0]), np.array([[0.0, 1.0], [2.0, 1.0]]), nonsmooth=True,
         partials={"x": np.array([-1.0, 0.0]), "points": np.array([[0.0, 0.0], [1.0, 0.0]])})
def the_farthest_of_points_one_of_which_is_here(x, points):
    best = -1.0
    for j in range(len(points)):
        best = max(best, _distance(x, points[j]))
    return best


def _gathered(v, mask):
    out = np.zeros(len(v))
    for k in range(len(v)):
        if mask[k]:
            out[k] = v[k]
    return out


@program(ROOTS, nonsmooth=True, partials={"x": np.array([0.0, 1.0, 1.0])})
def a_helper_leaves_out(x):
    return np.sum(_gathered(np.sqrt(x), x > 0) ** 2)


def _half_root(x, steps):
    for _ in range(steps):
        x = x * 0.5
    return np.sqrt(x)


@program(ROOTS, nonsmooth=True, partials={"x": np.array([0.0, 0.5, 0.5])})
def left_out_of_what_a_helper_makes(x):
    return np.sum(np.where(x > 0, _half_root(x, 1), 0.0) ** 2)


@program(np.array([-1.0, 1.0, 4.0]), nonsmooth=True, partials={"x": np.array([0.0, 0.5, 0.25])})
def roots_of_what_is_clipped(x):
    """In forward mode it is the tangent that is zero where the root's slope is infinite."""
    return np.sum(np.sqrt(np.maximum(x, 0.0)))


@program(np.array([1.0, 4.0]), nonsmooth=True, partials={"x": np.array([0.5, 0.25])})
def roots_within_a_border_of_zeros(x):
    y = np.zeros(len(x) + 2)
    y[1:-1] = x
    return np.sum(np.sqrt(y))


@program(np.array([1.0, 2.0]), np.array([0.0, 4.0]), nonsmooth=True,
         partials={"x": np.array([0.0, 0.25]), "scale": np.array([0.0, -0.125])})
def scaled_in_place_where_there_is_a_scale(x, scale):
    with np.errstate(all="ignore"):
        y = x * 1.0
        y /= scale
    return np.sum(np.where(scale > 0, y, 0.0))


@program(sample(3, 3))
def rows_picked_by_a_mask_of_a_helper(a):
    v = a * np.float32(0.5) + np.log1p(a**2)
    return np.sum(np.square(v[np.arange(len(v)) % 2 == 0]))


@program(sample(3, 3))
@program(sample(3, 2))
def rows_picked_by_a_mask_of_roots(a):
    a = a - a[1, 0]
    a = a[a[:, 0] > 0]
    return np.sum(np.sqrt(a**2 + a[:, :1]))


@program(sample(3, 3))
@program(sample(3, 3, 2))
def rows_replaced_by_a_mask(a):
    v = np.log(a - a[1] + 2.0) / (a - a[1] + 3.0)
    v[np.arange(len(v)) % 2 == 1] = 2.0
    return np.sum(v * a)


@program(sample(2, 2), 0.83, 2, static="n")
@program(sample(2, 2), 0.83, 0, static="n")
def left_out_where_a_count_is_none(a, s, n):
    t = np.linspace(s, 1.0, len(a))
    v = np.where(t, np.log(t), a)
    if not n:  # any count but none is true: no bit of it is asked
        v = 1.0
    return np.sum(v)


@program(sample(2, 3))
def rows_picked_of_what_was_put_side_by_side(a):
    v = a[None] / (a[None] + 2.0)
    v = np.hstack([v, v])
    return np.sum(v[np.arange(len(v)) % 2 == 0])


@program(sample(4, 3))
def columns_left_out_of_complex_rows(a):
    t = np.sum(a**2, axis=0)
    return np.sum(np.abs(np.where(a > 0.3, 0.5j, np.arctan(t))))


@program(ROOTS, nonsmooth=True, partials={"x": np.array([0.0, 0.0, 0.25])})
def the_largest_root_where_some_may_be_missing(x):
    return np.nanmax(np.sqrt(x))


@program(ROOTS, nonsmooth=True, partials={"x": np.array([0.0, 0.5, 0.0])})
def the_median_root_where_some_may_be_missing(x):
    return np.nanmedian(np.sqrt(x))
