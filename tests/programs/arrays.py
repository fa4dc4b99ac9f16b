"""Arrays: elementwise functions, broadcasting, reductions, products, and changes of shape."""

import numpy as np

from .corpus import program, sample

ROW = sample(1, 3, seed=5)
COLUMN = sample(4, 1, seed=6)


@program(np.array([0.0, 1.0, 2.0, 3.0]), partials={"x": np.array([0.0, 4.0, 8.0, 12.0])})
def twice_dot_with_itself(x):
    return 2 * np.dot(x, x)


@program(np.array([0.0, 1.0, 2.0, 3.0]), partials={"x": np.ones(4)})
def sum_of_an_array(x):
    return np.sum(x)


@program(np.array([0.0, 1.0, 2.0, 3.0]), np.ones(4), partials={"x": np.ones(4), "z": np.arange(4.0)})
def dot_of_two(x, z):
    return np.dot(x, z)


@program(np.array([0.0, 1.0, 2.0, 3.0]), partials={"x": 3 * np.arange(4.0) ** 2})
def dot_with_own_square(x):
    z = x**2
    return np.dot(x, z)


@program(sample(3), sample(3, seed=1))
def elementwise_operators(x, y):
    return np.sum(x + y * x - y / x + x**y - (-x) + x % 0.7 + 2.0**x)


@program(sample(3, high=0.9))
def elementwise_functions(x):
    a = np.sin(x) + np.cos(x) * np.tan(x) + np.exp(x) - np.log(x)
    b = np.sqrt(x) + np.square(x) + np.tanh(x) + np.arcsin(x) + np.arccos(x) + np.arctan(x)
    c = np.log1p(x) * np.log10(x) + np.log2(x) * np.abs(x)
    return np.sum(a * b + c)


@program(sample(3), sample(3, seed=1))
def elementwise_functions_of_two(x, y):
    a = np.add(x, y) * np.subtract(x, y) + np.multiply(x, y) / np.divide(x, y)
    b = np.power(x, y) + np.arctan2(x, y) + np.hypot(x, y) + np.logaddexp(x, y)
    return np.sum(a * b + np.remainder(x, y))


@program(sample(4, low=-2.0, high=2.0))
def angles_and_absolute_values(x):
    return np.sum(np.deg2rad(x) * np.rad2deg(x) + np.abs(x) * x + abs(x))


@program(2.0, sample(3))
@program(2.0, sample(2, 3))
def number_with_array(s, x):
    return np.sum(s * x + x / s - s + (x - s) ** 2)


@program(sample(3), sample(2, 3, seed=1))
def vector_with_matrix(v, a):
    return np.sum(v * a + a / v - v)


@program(sample(2, 1), sample(1, 3, seed=1))
def column_with_row(c, r):
    return np.sum(c * r + c - r / c)


@program(sample(2, 1), sample(2, 3, seed=1))
@program(sample(1, 3), sample(2, 3, seed=1))
@program(sample(1, 1), sample(2, 3, seed=1))
@program(sample(1), sample(2, 3, seed=1))
@program(sample(2, 3), sample(1, 1, 1, seed=1))
@program(sample(4, 1, 3), sample(2, 1, seed=1))
@program(sample(3), sample(4, 2, 1, seed=1))
@program(sample(1), sample(1, seed=1))
@program(np.array(0.7), sample(2, 2, seed=1))
def broadcasting(x, y):
    return np.sum(x * y - x / y + y) + np.sum(np.arctan2(x, y))


@program(sample(1), 2.0)
def one_element_array_with_number(x, s):
    return (x * s + s)[0]


@program(sample(2, 1), sample(1, 3, seed=1), vector=True)
def broadcast_result(c, r):
    return c * r + r


@program(sample(2, 3), 1.5, vector=True)
def number_stretched_by_the_seed(x, s):
    return x + s


@program(sample(4, 3))
def broadcast_against_globals(x):
    return np.sum(x * ROW / COLUMN)


@program(sample(2, 3, 4))
def sums_over_axes(x):
    a = np.sum(x, axis=0)
    b = x.sum(axis=-1)
    c = np.sum(x, axis=(0, 2))
    return np.sum(a * a) + np.sum(b**3) + np.sum(c * c)


@program(sample(2, 3, 4))
def sums_that_keep_dimensions(x):
    y = x / np.sum(x, axis=1, keepdims=True)
    z = x - x.sum(axis=(0, 2), keepdims=True)
    return np.sum(y * z * x / x.sum(keepdims=True))


@program(sample(2, 3))
def means(x):
    m = np.mean(x, axis=0)
    return np.mean((x - m) ** 3) + np.sum(x.mean(axis=1) ** 2) + x.mean()


@program(sample(3, 4))
def spreads(x):
    return np.var(x) + np.sum(np.std(x, axis=0)) + np.sum(x.var(axis=1, ddof=1)) * x.std()


@program(sample(2, 3))
def products(x):
    return np.prod(x) + np.sum(np.prod(x, axis=0)) * np.sum(x.prod(axis=1))


@program(sample(3), sample(3, 3))
def real_matrices_beside_complex_vectors(x, a):
    z = a @ (x * (1 + 2j))
    w = np.linalg.solve(a + 3 * np.eye(3), z) @ a
    return np.sum(z.real**2 + z.imag) * np.sum(np.abs(w) ** 2) + np.sum(np.convolve(w, x).imag)


@program(sample(2, 3, 2, 2))
def quantiles_of_four_axes(x):
    low, high = np.quantile(x, [0.2, 0.7], axis=(0, 1))
    kept = np.percentile(x, 30, axis=(0, 2), keepdims=True, method="hazen")
    return np.sum(low * high**2) + np.sum(x * kept) + np.sum(np.nanmedian(x, axis=(1, 3)) ** 2)


@program(sample(5) * 4)
def unwrapped_phases(x):
    return np.sum(np.unwrap(x) ** 2) + np.sum(np.unwrap(3 * x, period=2.0) * x)


@program(sample(4))
def ends_cut_off_and_windows(x):
    padded = np.trim_zeros(np.concatenate(([0.0], x * x, [0.0, 0.0])))
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2)
    chosen = np.choose([0, 2, 1, 0], [x, x * x, x**3])
    low, high = np.atleast_1d(x[0], x)
    none = np.sum(np.trim_zeros(x[:0])) + np.sum(np.trim_zeros(0 * x, "f"))
    return none + np.sum(windows[:, 0] * windows[:, 1]) * np.sum(chosen * high) + low[0]


@program(sample(2, 3))
def formats_of_reductions(x):
    narrow = np.sum(x, axis=0, dtype=np.float64) * np.cumsum(x[0], dtype=float)
    ordered = np.sort(np.multiply(x, x, casting="unsafe"), kind="stable")
    return np.sum(narrow * np.mean(x, 0, "float64")) + np.sum(ordered * ordered) + x.max(axis=1, initial=1.0)[0]


@program(sample(2, 3))
def maxima_and_minima(x):
    return np.max(x) * x.min() + np.sum(np.max(x, axis=0) ** 2) + np.sum(x.min(axis=1, keepdims=True) * x)


@program(sample(2, 3))
def cumulated(x):
    return np.sum(np.cumsum(x, axis=1) ** 2) + np.sum(np.cumsum(x) * x.ravel()) + np.sum(x.cumsum(axis=0) ** 3)


@program(sample(3))
def log_sum_exp_by_hand(x):
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


@program(sample(2, 3))
def softmax_cross_entropy(x):
    shifted = x - np.max(x, axis=1, keepdims=True)
    p = np.exp(shifted) / np.sum(np.exp(shifted), axis=1, keepdims=True)
    return -np.mean(np.log(p[np.arange(2), np.array([2, 0])]))


@program(sample(3), sample(3, seed=1))
@program(sample(2, 3), sample(3, seed=1))
@program(sample(3), sample(3, 2, seed=1))
@program(sample(2, 3), sample(3, 4, seed=1))
def matmul(a, b):
    return np.sum((a @ b) ** 2)


@program(sample(5, 2, 3), sample(5, 3, 4, seed=1))
@program(sample(5, 2, 3), sample(3, 4, seed=1))
@program(sample(2, 3), sample(5, 3, 4, seed=1))
@program(sample(5, 2, 3), sample(3, seed=1))
@program(sample(2, 1, 2, 3), sample(4, 3, 2, seed=1))
def matmul_of_stacks(a, b):
    return np.sum(np.matmul(a, b) ** 2)


@program(sample(3), sample(3, seed=1))
@program(sample(2, 3), sample(3, seed=1))
@program(sample(2, 3), sample(3, 4, seed=1))
@program(2.0, sample(3, seed=1))
def dot(a, b):
    return np.sum(np.dot(a, b) ** 2)


@program(sample(2, 3), sample(3, 2, seed=1))
def dot_as_a_method(a, b):
    return a.dot(b).sum() * (b.T @ a.T).mean()


@program(sample(3), sample(2, seed=1))
def outer_product(a, b):
    return np.sum(np.outer(a, b) ** 2 * np.outer(a * a, b))


@program(sample(2, 3), sample(4, 3, seed=1))
def inner_product(a, b):
    return np.sum(np.inner(a, b) ** 2)


@program(sample(2, 3), sample(3, 4, seed=1))
def einsum_products(a, b):
    return np.sum(np.einsum("ij,jk->ik", a, b) ** 2) + np.einsum("ij->", a * a)


@program(sample(3), sample(3, seed=1))
def cross_product(a, b):
    return np.sum(np.cross(a, b) * np.array([1.0, 2.0, 3.0]))


@program(sample(2, 3))
def transposes(x):
    return np.sum(x.T @ x) + np.sum(np.transpose(x)[1] ** 2) + np.sum(x.transpose() * np.arange(6).reshape(3, 2))


@program(sample(2, 3, 4))
def transposes_with_axes(x):
    w = np.arange(24.0)
    a = np.transpose(x, (2, 0, 1)) * w.reshape(4, 2, 3)
    b = np.swapaxes(x, 0, 2) * w.reshape(4, 3, 2)
    c = np.moveaxis(x, 0, -1) * w.reshape(3, 4, 2)
    return np.sum(a * a) + np.sum(b) * np.sum(c * c)


@program(sample(2, 6))
def reshapes(x):
    a = np.reshape(x, (3, 4)) ** 2
    b = x.reshape(4, -1) * 2
    c = x.ravel() * x.flatten()
    d = x.reshape((2, 2, 3))
    return np.sum(a[1]) + np.sum(b[:, 0] ** 2) + np.sum(c * np.arange(12)) + np.sum(d[1, 0] ** 3)


@program(sample(3))
def dimensions_added_and_removed(x):
    a = x[:, None] * np.expand_dims(x, 0)
    b = np.squeeze(x[None, :, None]) ** 2
    c = np.atleast_2d(x) @ a
    return np.sum(a) + np.sum(b) + np.sum(c[0] * x) + np.atleast_1d(x)[0]


@program(sample(2, 3), sample(2, 2, seed=1))
def concatenated(a, b):
    c = np.concatenate((a, b, a * 2), axis=1)
    d = np.concatenate([a.ravel(), b.ravel()])
    return np.sum(c**2 * np.arange(8)) + np.sum(d * np.arange(10))


@program(sample(3), sample(3, seed=1))
def stacked(a, b):
    w = np.arange(6.0)
    c = np.stack([a, b, a * b])
    d = np.stack((a, b), axis=1) * w.reshape(3, 2)
    e = np.vstack([a, b]) * np.hstack([a, b]).reshape(2, 3)
    f = np.column_stack((b, a)) * w.reshape(3, 2)
    return np.sum(c[2] * c[0]) + np.sum(d * d) + np.sum(e) + np.sum(f * f)


@program(1.2, 0.7)
def array_made_of_numbers(x, y):
    v = np.array([x, y, x * y, 2.0])
    a = np.array([[x, 1.0], [y, x]])
    return np.sum(v * v) + np.sum(a @ v[:2])


@program(1.2, sample(2))
def array_made_of_arrays(x, v):
    a = np.array([v, v * x, np.array([x, 1.0])])
    return np.sum(a * a * np.arange(6).reshape(3, 2))


@program(sample(4))
def split_into_parts(x):
    a, b = np.split(x, 2)
    c, d = x[:1], x[1:]
    return np.sum(a * b) + np.sum(c * d**2)


@program(sample(4), sample(4, seed=1))
def where(x, y):
    return np.sum(np.where(x > y, x * x, y)) + np.sum(np.where(x > 1.0, x, 0.0)) + np.sum(np.where(y < 1.0, 2.0, y * x))


@program(sample(4), 0.8, sample(2, 1, seed=1))
def where_with_broadcasting(x, s, c):
    return np.sum(np.where(x > 1.0, s, c)) + np.sum(np.where(c > 0.9, x, s) * x)


@program(sample(6, low=-2.0, high=2.0))
def clipped(x):
    return np.sum(np.clip(x, -1.0, 1.0) * x) + np.sum(x.clip(0.0, None) ** 2) + np.sum(np.clip(x, None, 0.5))


@program(sample(6, low=-2.0, high=2.0), sample(6, seed=1, low=-2.0, high=2.0))
def elementwise_maximum_and_minimum(x, y):
    return np.sum(np.maximum(x, y) * x) + np.sum(np.minimum(x, y) ** 2) + np.sum(np.maximum(x, 0.0) * y)


@program(sample(3), 0.9)
def maximum_with_number(x, s):
    return np.sum(np.maximum(x, s) ** 2) + np.sum(np.minimum(s, x) * x)


@program(sample(2, 3))
def repeated_and_tiled(x):
    a = np.repeat(x, 2, axis=1) * np.arange(12).reshape(2, 6)
    b = np.tile(x, (2, 1)) * np.arange(12).reshape(4, 3)
    c = np.repeat(x, 3)
    return np.sum(a * a) + np.sum(b * b) + np.sum(c * np.arange(18))


@program(sample(5))
def rolled_flipped_and_padded(x):
    w = np.arange(5.0)
    a = np.roll(x, 2) * w
    b = x[::-1] * w + x
    c = np.pad(x, (1, 2)) * np.arange(8)
    return np.sum(a * a) + np.sum(b * b) + np.sum(c * c)


@program(sample(3, 3))
def diagonals_and_triangles(x):
    w = np.arange(9.0).reshape(3, 3)
    return np.sum(np.diag(x) ** 2) + np.sum(np.triu(x) * w) + np.sum(np.triu(x, 1) ** 2 * 3)


@program(sample(3))
def diagonal_matrix_from_a_vector(x):
    return np.sum(np.diag(x) @ np.arange(9.0).reshape(3, 3) @ x)


@program(sample(5))
def differences_and_sorts(x):
    return np.sum(np.diff(x) ** 2) + np.sum(np.sort(x) * np.arange(5)) + np.median(x)


@program(sample(3), sample(2, seed=1))
def grid_from_vectors(x, y):
    a, b = np.meshgrid(x, y)
    return np.sum(a * b**2) + np.sum(a[0] * 2)


@program(sample(3, 3) + 3 * np.eye(3), sample(3, seed=1))
def linear_algebra(a, b):
    x = np.linalg.solve(a, b)
    return np.sum(x * b) + np.linalg.det(a) + np.sum(np.linalg.inv(a) ** 2)


@program(sample(2, 3))
def norms(x):
    return np.linalg.norm(x) * np.linalg.norm(x[0]) + np.sum(np.linalg.norm(x, axis=0))


@program(sample(2, 3))
def methods_in_a_chain(x):
    return (x * 2).T.reshape(2, 3).sum(axis=0).dot(x.mean(axis=0)).item()


@program(sample(2, 3))
def copies_and_conversions(x):
    a = np.copy(x) * x.copy()
    b = np.asarray(x) + np.array(x)
    c = x.astype(float) * np.asarray(x.T).T
    return np.sum(a * b * c)


@program(sample(2, 3), vector=True)
def elementwise_result(x):
    return np.sin(x) * x


@program(sample(2, 3), vector=True)
def reduction_result(x):
    return np.sum(x * x, axis=1)


@program(sample(2, 3), vector=True)
def input_returned_as_it_is(x):
    return x


@program(sample(2, 3), vector=True)
def transposed_input_returned(x):
    return x.T


@program(sample(2, 3), vector=True)
def input_returned_twice(x):
    return x, x * 2, x


@program(sample(3), sample(3, seed=1))
def sums_share_an_adjoint(x, y):
    return np.sum(x + y)


SHARED = sample(3)


@program(SHARED, SHARED)
def same_array_given_twice(x, y):
    return np.sum(x * y * y)


@program(sample(8)[::2], sample(3, 2).T)
def strided_inputs(x, a):
    return np.sum(x[:3] ** 2 @ a.T) + x[3]


@program(sample(0), 2.0)
@program(sample(0, 3), 2.0)
def empty_arrays(x, s):
    return np.sum(x * x) + s * s


@program(sample(4, 3), sample(3, 5, seed=1), sample(5, seed=2), sample(5, 1, seed=3), 0.2)
def two_layer_network(x, w1, b1, w2, b2):
    hidden = np.maximum(x @ w1 + b1 - 3.0, 0.0)
    out = np.tanh(hidden @ w2 * 0.1 + b2)
    return np.mean((out - 0.3) ** 2)


@program(sample(4, 2), sample(2, seed=1))
def pairwise_distances(x, scale):
    d = (x[:, None, :] - x[None, :, :]) * scale
    return np.sum(np.exp(-np.sum(d * d, axis=-1)))


@program(sample(3))
def real_and_square_of_real_arrays(x):
    return np.sum(np.real(x) * x) + np.sum(np.square(x) * np.power(x, 3))


@program(sample(3), sample(3, seed=1))
def averages(x, w):
    return np.average(x) * np.average(x * x, weights=w)


@program(sample(3), sample(3, seed=1))
def bracket_builders(x, y):
    a = np.c_[x, y * 2]
    b = np.r_[x, 1.0, y]
    return np.sum(a * a * np.arange(6).reshape(3, 2)) + np.sum(b * np.arange(7))


@program(sample(4), 0.7)
def appended_inserted_and_deleted(x, s):
    a = np.append(x, s) * np.arange(5)
    b = np.insert(x, 1, s) * np.arange(5)
    c = np.delete(x, 2)
    return np.sum(a * a) + np.sum(b * b) + np.sum(c * x[1:])


@program(sample(2, 3), sample(2, 3, seed=1))
def blocks_and_depth(a, b):
    c = np.block([[a, b], [b, a * 2]]) * np.arange(24).reshape(4, 6)
    d = np.dstack((a, b)) * np.arange(12).reshape(2, 3, 2)
    return np.sum(c * c) + np.sum(d**3)


@program(sample(2, 5))
def uneven_and_horizontal_parts(x):
    a, b, c = np.array_split(x, 3, axis=1)
    first, rest = np.hsplit(x, [2])
    return np.sum(a * b) + np.sum(c**2) + np.sum(first**3) * np.sum(rest)


@program(0.4, 2.3)
def grids_with_active_ends(lo, hi):
    t = np.linspace(lo, hi, 5)
    u = np.full(3, lo * hi)
    return np.sum(t * t * np.arange(5)) + np.sum(u * u)


@program(sample(5))
def quantiles(x):
    return np.percentile(x, 30) * np.median(x) + np.sum(np.partition(x, 2)[:3] * x[0])


@program(sample(2, 3))
def rotated_and_flipped(x):
    w = np.arange(6.0)
    return np.sum(np.rot90(x) * w.reshape(3, 2) * 2) + np.sum(np.flipud(x) ** 2 * w.reshape(2, 3))


@program(sample(3, 3))
def symmetric_eigenvalues_and_factors(x):
    a = x @ x.T + np.eye(3)
    w, v = np.linalg.eigh(a)
    low = np.linalg.cholesky(a)
    sign, logdet = np.linalg.slogdet(a)
    return np.sum(w * w * np.arange(3)) + np.sum(v[:, 0] ** 2 * x[0]) + np.sum(low * x) + sign * logdet


@program(sample(4, 2))
def singular_values_and_pseudo_inverse(x):
    s = np.linalg.svd(x, compute_uv=False)
    return s[0] / s[1] + np.sum(np.linalg.pinv(x) ** 2)


@program(np.array([1.0, np.nan, 3.0]), nonsmooth=True, partials={"x": np.array([2.0, 0.0, 6.0])})
def not_a_numbers_replaced(x):
    y = np.nan_to_num(x)
    return np.sum(y * y)


@program(sample(6), vector=True)
def gradient_and_differences_as_results(x):
    return np.gradient(x) * x, np.diff(x, 2)


@program(sample(3, 5))
def correlations(x):
    return np.sum(np.corrcoef(x) * np.arange(9).reshape(3, 3))


@program(sample(4), sample(4, seed=1), 0.7)
def stretched_where_none_was_before(a, b, y):
    s = 0.0
    t = None
    for i in range(1, len(a)):
        if t is not None and len(t) == 1:
            s += np.sum(np.maximum(t, a[:i] * y))
        t = b[:i] * y
    return s


@program(sample(2), 0.7)
def running_sums_of_numbers(x, s):
    value = np.sum(np.cumsum(s * s, axis=0)) + np.sum(np.cumprod(s * x[0], axis=-1)) + np.cumsum(x[0] * s, axis=0)[0]
    return value * (x[1] * s).cumsum(axis=0)[0] + np.sum(np.nancumsum(x[1], axis=0))


@program(sample(3), 0.7)
def slices_among_the_pieces_of_r_and_c(x, s):
    v = np.r_[s, 0:2, x, 0.0:1.0:3j, 5:3:-1]
    return np.sum(v**3) + np.sum(np.c_[x, 0:3] ** 2) * s + np.sum(np.r_[0:3] * x)


@program(sample(3), 4, static="n")
@program(sample(5), 2, static="n")
@program(sample(0), 2, static="n")
def items_in_turn(x, n):
    return np.sum(np.resize(x, n) ** 2) + np.sum(np.resize(x * 2.0, (n, len(x))) ** 3)


@program(np.zeros((0, 2)))
@program(np.zeros((2, 0)))
@program(sample(1, 1))
@program(sample(3, 4))
def differences_of_nothing_and_of_one(a):
    steps = np.sum(np.diff(a, axis=1) ** 2) + np.sum(np.diff(a, n=2, axis=0) ** 3) + np.sum(np.ediff1d(a) ** 2)
    return steps + np.sum(a[1:] ** 2)


@program(sample(1), sample(1, seed=1))
@program(sample(0), sample(0, seed=1))
@program(sample(3, 1), sample(1, seed=1))
@program(sample(2, 0), sample(0, seed=1))
def trapezoids_of_few(y, x):
    return np.sum(np.trapezoid(y, x)) + np.sum(np.trapezoid(y, dx=0.5, axis=0)) + np.sum(y * y) + np.sum(x * x)


@program(sample(3), 0.7)
def rows_of_lengths_that_nothing_ties(x, s):
    y = x[1:]
    v = np.array([r * s for r in y])
    u = np.array([v, y * s])
    return np.sum(np.arctan2(v, 2.0 + u)) + np.sum(np.hypot(np.stack([y, v]), 1.0))


@program(sample(3))
def numbers_beside_a_vector(w):
    first = np.hstack([w, w[0]])
    second = np.hstack([np.sum(w, axis=-1), w])
    third = np.hstack((w, np.mean(w, axis=0)))
    return np.sum(first * second * third**2)


@program(sample(3), 3, static="n")
def triangles_of_what_is_a_vector_at_first(x, n):
    e = x
    for i in range(n):
        e = np.tril(e, -1) + x[i]
    return np.sum(e * np.triu(x)) + np.trapezoid(np.trapezoid(e) * x)


@program(sample(4), 0.3)
def area_of_complex_numbers(x, step):
    return np.abs(np.trapezoid(x * (1 + 2j * x), dx=step))


@program(sample(3))
def product_without_axes_updated(x):
    v = np.tensordot(x, x, axes=1)
    v **= 2
    v *= x[0]
    return v


@program(sample(2, 3))
def view_without_axes_updated(x):
    x = x * 1.0
    v = x[0, ..., 1]
    v **= 2
    v += np.tensordot(x[0], x[1], axes=1)
    return np.sum(x * x)


@program(sample(3))
def running_product_of_one_number(x):
    w = x * x
    if np.sum(x) > 0.1:
        w = w[..., 0]
    return np.sum(np.cumprod(w, axis=0) ** 2) + np.sum(np.cumprod(x[..., 1], axis=-1))


@program(sample(3), 1.5)
def sum_of_a_matrix_or_a_row_under_its_own_name(x, s):
    if s > 1.0:
        x = np.stack([x, x * s])
    v = np.concatenate((x, (x + s)[:1]), axis=0)
    v = np.sum(v * v, axis=0, keepdims=True)
    np.add(v, s, out=v)
    return np.sum(v * v)


@program(sample(2))
def grid_of_what_gains_an_axis(w):
    e = w
    for _ in range(2):
        e = np.meshgrid(e, e)[0]
    b = w
    np.cumsum(w, axis=0, out=w)
    return np.sum(b) + np.sum(e * e)


@program(sample(3, 3))
def zeros_in_rows_whatever_they_are_like(x):
    y = np.array(x, order="C")
    w = np.zeros_like(y)  # lies in memory as y does, and not as x may
    row_by_row = w.reshape(-1)
    row_by_row[2] = x[0, 1]
    return np.sum(w * x)


@program(sample(3, 3))
def zeros_in_columns_whatever_they_are_like(x):
    y = np.array(x, order="F")
    w = np.zeros_like(y)
    copied = w.reshape(-1)
    copied[2] = x[0, 1]
    return np.sum((w + x) * x)


@program(sample(3))
def lists_of_which_numpy_makes_arrays(x):
    y = np.outer(x, [1.0, 2.0]) @ (x[0], 0.5) + np.dot(x, [1.0, 2.0, 3.0])
    z = np.where(x > 0.0, [1.0, 2.0, x[0]], x) * np.array([x[0], 1, 2])
    return np.sum(y**2) + np.sum(np.linalg.solve(np.outer(x, x) + 3.0 * np.eye(3), [x[1], 2, 1.0]) * z)


@program(1.3)
def array_without_axes_in_a_list(x):
    z = np.zeros(())
    held = [z, 1.0]
    held[0] += x
    held[0] *= x * x
    return z * x * held[1]


@program(1.3)
def array_without_axes_beside_another(x):
    y, z = np.zeros(2), np.zeros(())
    held = [y, z]
    held[1] += x
    held[1] *= x * x
    held[1] += 1.0
    held[0] += held[1]
    return z * x + np.sum(y)
