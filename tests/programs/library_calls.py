# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""NumPy's functions in the ways of calling them that were once wrong, raised in the derivative, or were refused."""

import numpy as np

from .corpus import program, sample

HOLES = np.array([[True, False, True], [False, True, True]])


@program(sample(2, 3))
def item_by_a_tuple(x):
    return x.item((1, 2)) * x.item((0, 1)) + x.item(4) ** 2


@program(0.7)
def nan_statistics_of_a_number(x):
    return np.nanmean(x) * np.nanmax(x) + np.nanvar(x) + np.nanstd(x)


@program(sample(2, 3))
def median_along_a_list_of_axes(x):
    return np.median(x * x, axis=[0, 1]) + np.quantile(x, 0.3, axis=[1, 0])


@program(sample(2, 3))
def take_beyond_the_end_without_an_axis(x):
    return np.sum(np.take(x * x, [7, 1, -1], mode="wrap")) + np.sum(np.take(x, [9, 0], mode="clip") ** 3)


@program(sample(2), np.array([0.4, -0.3]))
def choices_complex_and_real(a, x):
    z = a * (1 + 2j)
    return np.sum(np.abs(np.choose(np.array([0, 1]), [z, x * x])) ** 2)


@program(sample(2, 2), np.array([0.4, -0.3]))
def products_complex_and_real(a, x):
    z = a + 1j * a.T * a
    y = np.linalg.multi_dot([z, np.outer(x, x), z])
    return np.abs(np.vdot(x, z @ x)) + np.sum(np.abs(np.vecdot(x, z)) ** 2) + np.sum(np.abs(np.tensordot(y, x, 1)))


@program(sample(2, 2))
def decompositions_of_complex_matrices(a):
    z = a + 1j * a.T * a
    h = z @ np.conj(z.T) + np.eye(2)
    w, v = np.linalg.eigh(h)
    q, r = np.linalg.qr(z)
    return np.sum(w * np.abs(v[0])) + np.sum(np.real(q * r)) + np.abs(np.sum(np.linalg.cholesky(h)))


@program(sample(2, 3), sample(3, 4, seed=1))
def einsum_of_operands_with_lists(a, b):
    return np.sum(np.einsum(a, [0, 1], b, [1, 2], [2, 0]) ** 2) + np.einsum(a, [0, 1], a, [0, 1], [])


@program(sample(2, 3), 2.5)
def extremes_that_start_from_a_number(x, s):
    return np.max(x, initial=s) + np.sum(np.min(x, axis=1, initial=s * 0.3) ** 2)


@program(sample(2, 3))
def transforms_of_other_lengths(x):
    return np.sum(np.abs(np.fft.fft2(x, s=(3, 2), axes=(0, 1))) ** 2) + np.sum(np.abs(np.fft.rfftn(x, (2, 5), (-2, -1))))


@program(sample(2, 3), 0.7)
def functions_applied_along_axes(x, s):
    y = np.apply_along_axis(lambda row, a: row / np.sum(row**2) * a, 1, x, s)
    z = np.apply_along_axis(np.cumsum, 0, x)
    return np.sum(y * z) + np.sum(np.apply_over_axes(np.sum, x * x, [0, 1]))


@program(np.array([0.5, -0.7, 1.2, -0.4]))
def pieces_by_functions(x):
    y = np.piecewise(x, [x > 0], [np.sqrt, lambda t: t**2])
    z = np.piecewise(x, [x > 1, x < 0], [np.exp, np.sin, lambda t: 3.0 * t])
    return np.sum(y * z)


def _bent(t):
    if t > 0:
        return t * t
    return 3.0 * t


BENT = np.vectorize(_bent)
SCALED = np.vectorize(lambda a, b: a * b**2)


@program(np.array([[0.5, -0.7], [1.2, -0.4]]), 0.3)
def vectorized_functions(x, s):
    return np.sum(BENT(x) ** 2) + np.sum(SCALED(x, s)) + float(BENT(s))


@program(0.7)
def array_by_a_function_of_indices(s):
    return np.sum(np.fromfunction(lambda i, j: np.sin(i * s + j), (2, 3))) + np.sum(np.fromfunction(lambda i: s**i, (4,)))


@program(sample(5), sample(2, 3, seed=1))
def methods_of_ufuncs(x, y):
    a = np.add.reduceat(x * x, [0, 3, 1]) * np.multiply.reduceat(x, [0, 0, 4])
    b = np.hypot.reduce(y, axis=1, keepdims=True) + np.subtract.reduce(y) + np.divide.accumulate(y, axis=1)
    return np.sum(a) + np.sum(b * b) + np.sum(np.arctan2.outer(x, y[0])) + np.fmax.reduce(x)


@program(np.array([[0.5, -0.7], [1.2, -0.4]]), 0.3)
def vectorized_where_it_is_called(x, s):
    return np.sum(np.vectorize(lambda t: t * t * s if t > 0 else s - t)(x)) + np.sum(np.vectorize(np.hypot)(x, s))


@program(sample(3))
def lines_between_of_counts(x):
    first, second = np.reshape((1, 4), (1, 2)).tolist()[0]
    low = np.linspace(0.5, x[0], first, endpoint=False)
    high = np.linspace(x[-1], 2.0, second)
    return np.sum(np.sin(np.concatenate((low, x, high[::-1]))))


@program(sample(3, 4))
def padded_by_what_lies_at_the_ends(x):
    y = np.pad(x, ((1, 2), (0, 1)), "mean") * np.pad(x, ((1, 2), (0, 1)), mode="median", stat_length=2)
    z = np.pad(x, 2, "maximum") - np.pad(x, 2, mode="minimum", stat_length=3) * np.pad(x, 2, "linear_ramp")
    return np.sum(np.sin(y)) + np.sum(z * z)


if "dict" in np.pad.__doc__:  # new in a NumPy after 2.0

    @program(sample(3, 4))
    def padded_along_the_axes_that_a_dict_names(x):
        y = np.pad(x, {-1: (1, 2)}) * np.pad(x, {1: (2, 1)}, mode="edge")
        z = np.pad(x, {0: 1}, "mean") * np.pad(x, {0: 1}, "reflect", reflect_type="odd") + np.pad(x, {0: 1}, "linear_ramp")
        return np.sum(np.sin(y)) + np.sum(z * z)


@program(sample(5), 0.4)
def quantiles_by_rank(x, q):
    ends = np.quantile(x, np.stack([q, q * q]), method="hazen") * np.percentile(x, 100.0 * q)
    means, sums = np.average(np.stack([x, x * x]), axis=1, weights=np.stack([x * x, x]) + 3.0, returned=True)
    return np.sum(ends) + np.sum(np.cumulative_prod(x, include_initial=True)) * np.sum(means * sums)


@program(sample(5))
def items_in_an_order_that_is_drawn(x):
    np.random.seed(3)
    order = np.arange(5)
    np.random.shuffle(order)
    return np.sum(x[order] * np.arange(5.0)) + np.sum(x[order[:2]] ** 2)


@program(sample(4, 5), 0.7)
def gradient_by_its_spacing(x, h):
    rows, columns = np.gradient(x, h, np.cumsum(x[0]))
    return np.sum(rows**2 * columns) + np.sum(np.gradient(x, h, axis=1, edge_order=2) ** 2)


@program(sample(4, 5))
def gradient_by_coordinates_alone(x):
    return np.sum(np.gradient(x, np.cumsum(x[0]), axis=1, edge_order=2) ** 2)


@program(sample(2, 3))
def bessel_function_of_numpy(x):
    return np.sum(np.i0(x)) + np.sum(np.i0(9.0 * x))


@program(sample(2, 3), np.array([0.1, 0.5, 1.2]), 1.5)
def interpolation_around_a_period(x, knots, period):
    return np.sum(np.interp(3.0 * x, knots, x[0], period=period) ** 2)


@program(2.0 * sample(5), np.array([0.1, 0.5, 1.2]), sample(3, seed=1))
def interpolation_with_a_number_beyond_an_end(q, knots, y):
    return np.sum(np.interp(q, knots, y, left=0.0) * np.interp(q, knots, y, right=2) * np.interp(q, knots, y, 0.5, 1.0))


@program(sample(3, 2))
def odd_reflections(x):
    wide = np.pad(x, ((5, 1), (0, 3)), "reflect", reflect_type="odd")
    return np.sum(wide**2) + np.sum(np.pad(x, 4, "symmetric", reflect_type="odd") ** 3)


@program(sample(2, 5), sample(5, seed=1))
def weighted_covariances(x, w):
    often = np.cov(x, fweights=[1, 2, 1, 3, 1], aweights=w, ddof=0)
    return np.sum(often**2) + np.cov(x[0], x[1], aweights=w * w, bias=True)[0, 1]


@program(sample(2, 5), sample(2, 5, seed=1))
def complex_covariances(x, y):
    z = x + 1j * y
    return np.sum(np.abs(np.cov(z)) ** 2) + np.sum(np.real(np.corrcoef(z)) ** 3)


@program(sample(4, 2))
def complete_factors(x):
    q, r = np.linalg.qr(x, mode="complete")
    return np.sum(q[:, :2] ** 3) + np.sum(np.abs(r))


@program(sample(3, 3))
def characteristic_polynomial(x):
    return np.sum(np.poly(x) ** 2) + np.sum(np.poly(x[0]) ** 2)


@program(sample(5), sample(3, seed=1))
def convolutions_of_the_valid_part(x, y):
    return np.sum(np.convolve(y, x, "valid") ** 2) + np.sum(np.correlate(y, x) ** 3)


@program(sample(2), 0.4)
def average_of_lists_by_weights_that_vary(x, s):
    return np.average([x[0], s, x[1]], weights=[s * s, x[0] ** 2, x[1] ** 2])


@program(sample(2), 0.4)
def norms_of_rows_written_as_lists(x, s):
    return np.sum(np.linalg.norm([[x[0], s], [x[1], 2.0]], axis=1) * [1.0, 3.0])


@program(sample(2, 3))
def numbers_that_are_distinct(x):
    both = np.union1d(x[0], np.append(x[1], x[0, 0])) * np.arange(6)
    return np.sum(both**2) + np.sum(np.unique(np.append(x, x[0])) ** 3) + np.sum(np.setdiff1d(x, x[0]) ** 2)


@program(sample(3), sample(3, seed=1))
def window_and_items_of_a_generator(x, y):
    return np.sum(np.kaiser(5, 3.0 * x[0]) * y[1]) + np.sum(np.fromiter((v * v for v in x), float) * y)


@program(sample(2, 3), sample(3, seed=1))
def densities(x, weights):
    shares, edges = np.histogram(np.array([0.1, 0.2, 0.7]), bins=np.cumsum(x[0]) - x[0, 0], density=True, weights=weights)
    return np.sum(shares**2) * edges[1] + np.sum(np.histogram2d(x[0], x[1], 3, density=True)[0])


@program(sample(2, 3), 2.5)
def geometric_spaces_of_arrays(x, base):
    return np.sum(np.logspace(x[0], x[1], 4, base=base, axis=-1) ** 2) + np.sum(np.geomspace(x[0], x[1] + 1, 4) ** 2)


@program(sample(3, 3))
def one_triangle_of_a_matrix(x):
    values = np.linalg.svd(x, compute_uv=False, hermitian=True)
    return np.sum(np.linalg.pinv(x, hermitian=True) ** 2) + np.sum(values**3)


@program(sample(3))
def mean_of_another_byte_order(w):
    v = w * np.ones(w.shape, dtype=">f8")
    return np.sum(v * v) / v.size


@program(sample(3), [0.5, 2.0, 1.0])
def lists_where_rules_ask_for_ranks(x, y):
    a = [[2.0, 0.0, 0.5], [0.0, 1.0, 1.0], [0.0, 0.3, 3.0]]
    smooth = np.convolve(x, [1.0, 2.0, 1.0], "valid") * np.correlate(y, [1.0, 2.0])[0]
    solved = np.linalg.solve(a, x) @ np.linalg.lstsq(a, y, rcond=None)[0]
    chained = np.linalg.multi_dot([[1.0, 2.0, 3.0], np.outer(x, x), y])
    return np.sum(smooth) + solved + np.inner(y, [1.0, 3.0, 2.0]) * np.trapezoid(x, [0.0, 1.0, 3.0]) + chained


@program([0.5, -1.0, 2.0])
def lists_where_rules_have_helpers(x):
    m = [[x[0], x[1]], [x[2], 1.0]]
    read = np.polyval(x, [1.0, 2.0]) @ np.polyval([1, x[1], 3.0], [x[0], 2.0])
    up = np.polynomial.polynomial.polyval([[1, 2], [0, x[2]]], x)
    spread = np.cov([[x[0], 2.0, x[1]], [x[2], 0.5, 1.0]]).T @ np.nanvar(m, axis=0)
    return read + np.sum(up) + np.sum(spread) + np.sum(np.maximum.accumulate(m, axis=1) * np.arange(4.0).reshape(2, 2))


@program(sample(6), [4, 4], [0, 1], static="lengths axes")
def transforms_whose_axes_are_in_lists(x, lengths, axes):
    image = x.reshape(2, 3)
    both = np.fft.rfftn(image, lengths, axes) * (1 + 2j)
    again = np.fft.irfftn(np.fft.rfftn(image, axes=axes) ** 2, axes=axes)
    return np.sum(np.real(both) ** 2) + np.sum(again**3)
