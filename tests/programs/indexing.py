"""Reading parts of arrays."""

import numpy as np

from .corpus import program, sample


@program(sample(4))
def by_integer(x):
    return x[0] * x[2] + x[0] * x[0]


@program(sample(4))
def by_negative_integer(x):
    return x[-1] * x[-4] + x[3]


@program(sample(3, 4))
def by_two_integers(a):
    return a[1, 2] * a[-1, -1] + a[1][2] * a[0, 0]


@program(sample(3, 4), 2, 1, static="i j")
def by_integer_inputs(a, i, j):
    return a[i, j] * a[j, i] + a[i - j, i + j] ** 2


@program(sample(3, 4))
def rows_and_columns(a):
    return np.sum(a[0] * a[-1]) + np.sum(a[:, 1] ** 2) + np.sum(a[1, :] * a[2, :])


@program(sample(6))
def slices(x):
    return np.sum(x[1:] * x[:-1]) + np.sum(x[2:4] ** 2) + np.sum(x[:] * x) + np.sum(x[-2:])


@program(sample(7))
def slices_with_steps(x):
    return np.sum(x[::2] ** 2) + np.sum(x[1::3] * x[5:0:-3][::-1]) + np.sum(x[::-1] * x * np.arange(7))


@program(sample(4))
def slices_out_of_range_and_empty(x):
    return np.sum(x[2:10] ** 2) + np.sum(x[5:]) + np.sum(x[3:1]) + np.sum(x[-10:2] * 3)


@program(sample(4, 5))
def slices_in_two_dimensions(a):
    return np.sum(a[1:, :-1] * a[:-1, 1:]) + np.sum(a[::2, 1:4:2] ** 2) + np.sum(a[1:3, 0])


@program(sample(5, 5))
def five_point_stencil(u):
    lap = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
    return np.sum(lap * lap)


@program(sample(3))
def with_new_axes(x):
    return np.sum(x[None, :] * x[:, None] ** 2) + np.sum(x[:, np.newaxis, None] * x)


@program(sample(2, 3, 4))
def with_ellipsis(x):
    return np.sum(x[..., 0] ** 2) + np.sum(x[1, ...] * 2) + np.sum(x[..., None] * 3) + np.sum(x[0, ..., 1:3] ** 3)


@program(sample(5))
def by_boolean_mask(x):
    mask = x > 1.0
    return np.sum(x[mask] ** 2) + np.sum(x[~mask]) * 3


@program(sample(3, 4))
def by_boolean_mask_of_a_matrix(a):
    return np.sum(a[a > 1.0] ** 2) + np.sum(a[a[:, 0] > 0.5] * 2)


@program(sample(4))
def by_empty_selection(x):
    return np.sum(x[x > 100.0]) + np.sum(x[np.array([], dtype=int)]) + x[0] * x[1]


@program(sample(4))
def by_index_array_with_repeats(x):
    index = np.array([0, 2, 2, 1, 2, -1])
    return np.sum(x[index] ** 2 * np.arange(6))


@program(sample(4))
def by_list_with_repeats(x):
    return np.sum(x[[3, 3, 0]] * np.array([1.0, 2.0, 3.0])) * x[0]


@program(sample(4), np.array([[0, 1], [1, 3]]))
def by_index_matrix(x, index):
    y = x[index]
    return np.sum(y @ y) + np.sum(y[0])


@program(sample(3, 4))
def by_two_index_arrays(a):
    i = np.array([0, 2, 0, 0])
    j = np.array([1, 3, 1, 2])
    return np.sum(a[i, j] ** 3) + np.sum(a[i] * a[0]) + np.sum(a[:, j] ** 2)


@program(sample(3, 4))
def by_index_array_and_others(a):
    i = np.array([0, 2, 0])
    return np.sum(a[i, 1] ** 2) + np.sum(a[1, i] ** 3) + np.sum(a[i, 1:3] ** 2) + np.sum(a[i[:, None], i] * 2)


@program(sample(4))
def index_of_an_index(x):
    y = x[1:]
    z = y[::-1]
    return z[0] * y[0] * x[0] + np.sum(z * y) + x[1:][1:][0]


@program(sample(4))
def view_of_an_expression(x):
    return (x * x)[1] * (x + 1)[-1] + np.sin(x)[:2].sum()


@program(sample(6))
def in_a_loop(x):
    s = 1.0
    for i in range(1, 6):
        s = s * x[i] + x[i - 1]
    return s


@program(sample(6))
def in_a_loop_with_slices(x):
    s = 0.0
    for i in range(6):
        s = s + np.sum(x[: i + 1]) * np.sum(x[i:] ** 2)
    return s


@program(sample(3, 3), sample(3, seed=1))
def matrix_product_by_loops(a, v):
    s = 0.0
    for i in range(3):
        t = 0.0
        for j in range(3):
            t += a[i, j] * v[j]
        s += t * t
    return s


@program(sample(5))
def index_from_arithmetic(x):
    n = len(x)
    s = 1.0
    for i in range(n):
        s = s * x[(2 * i + 1) % n] + x[n - 1 - i] * x[i // 2]
    return s


@program(sample(5), [3, 0, 0, 4], static="order")
def index_from_a_list(x, order):
    s = 1.0
    for k in order:
        s = s * x[k] + x[k]
    return s


@program(sample(5))
def index_from_an_integer_array(x):
    order = np.argsort(x)
    s = 1.0
    for k in order:
        s = s * x[k] + 0.3
    return s


@program([1.2, 0.4, 0.9])
def list_of_numbers(x):
    return x[0] * x[-1] + x[1] * x[1] + len(x[1:]) * x[2]


@program((1.2, 0.4, 0.9))
def tuple_slices(x):
    a, b = x[:2]
    c = x[::-1][0]
    return a * b * c + x[1:][0]


@program([sample(2), sample(3, seed=1)])
def list_of_arrays(xs):
    return np.sum(xs[0] ** 2) * xs[1][2] + np.sum(xs[1])


@program(sample(4), vector=True)
def slice_as_result(x):
    return x[1:3]


@program(sample(4), vector=True)
def selection_with_repeats_as_result(x):
    return x[np.array([0, 0, 3])]


@program(sample(4), vector=True)
def element_and_rest_as_results(x):
    return x[0], x[1:]


@program(sample(4), slice(1, 3))
def slice_given_as_input(x, where):
    return np.sum(x[where] ** 2)


@program(sample(3, 4))
def diagonal_and_anti_diagonal(a):
    return np.sum(np.diagonal(a) ** 2) + np.sum(a[np.arange(3), np.arange(3)[::-1]] * 2)


@program(sample(6), 3, static="width")
def sliding_windows(x, width):
    s = 0.0
    for i in range(len(x) - width + 1):
        window = x[i : i + width]
        s = s + np.sum(window * window) * window[0]
    return s


@program(sample(3, 4))
def nested_loop_over_rows_and_elements(a):
    s = 1.0
    for row in a:
        for v in row:
            s = s * 0.5 + v * row[0]
    return s


@program(sample(5))
def interpolation(x):
    t = x[0] * 2
    k = int(t)
    w = t - k
    return (1 - w) * x[k] + w * x[k + 1]


@program(sample(3, 4), sample(4, seed=1), 0.7)
def chosen_by_a_grid_in_a_tuple(a, w, s):
    corner = a[np.ix_([0], [0])]
    return np.sum(np.where(w > 0.5, s, corner) * w) + np.sum(corner * w)


@program(sample(3, 4), vector=True)
def place_of_the_largest_in_a_tuple(a):
    place = np.unravel_index(np.argmax(a), a.shape)
    return a[place] ** 2


@program(sample(3, 4), 1, static="i")
def numbers_and_masks_in_tuples(a, i):
    place, rows = (i, i + 1), (a[:, 0] > 0.0, [0])
    return a[place] ** 2 + np.sum(a[rows] ** 3)


@program(0.83)
@program(-0.83)
def number_chosen_by_a_mask(s):
    s = s + np.float64(0.5)
    return np.sum(s[s > 0.0] ** 2) + np.sum(s[None] * s)


@program(np.zeros((0, 2)), 0, static="n")
@program(sample(3, 2), 3, static="n")
def nothing_repeated_fewer_times_than_none(a, n):
    return np.sum(np.repeat(a, n - 1) ** 2) + np.sum(np.tile(a.reshape(-1), n - 1) ** 3)


LABELS = np.array([2, 2, 0, 1])


@program(sample(4, 3))
def counting_index_that_is_written_into(y):
    rows = np.arange(len(LABELS))
    rows[1] = 0  # the first item comes twice
    return np.sum(y[rows, LABELS] ** 2)


@program(sample(4, 3))
def counting_index_that_a_view_changes(y):
    rows = np.arange(len(LABELS))
    later = rows[1:]
    later[0] = 0
    return np.sum(y[rows, LABELS] ** 2)


def _one_down(rows):
    rows[rows > 0] -= 1


@program(sample(4, 3))
def counting_index_that_a_helper_changes(y):
    rows = np.arange(len(LABELS))
    _one_down(rows)
    return np.sum(y[rows, LABELS] ** 2)


@program(sample(3), sample(3, 3))
def new_axis_of_what_is_a_number_in_the_end(x, a):
    for _ in range(len(x)):
        a = np.mean(x, keepdims=True) * x[:1]
    v = np.sum(a, axis=-1)[..., None]
    return np.sum(v * v)


@program(sample(2), sample(3, 3))
def new_axes_of_what_is_a_number_or_an_array(x, a):
    for _ in range(len(x)):
        a = np.sum(a, axis=0)
    return np.sum(a[None] ** 2) + np.sum(np.sin(a)[..., None])
