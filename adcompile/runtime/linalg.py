"""Norms, determinants and inverses of matrices, triangles and blocks: functions that generated code may call.

NumPy only. The same promises as in `helpers.py`, which hands these on: each stands by itself or calls others of this
file, and keeps to the language that the compiler accepts. `g` is an incoming derivative; a name in `_vjp` gives the
adjoint of an argument, one in `_jvp` the tangent of a result. Matrices may come in stacks wherever NumPy takes them so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile.runtime.decompositions import singular_part

# --------------------------------------------------------------------------------------- norms and determinants


def norm_slope(x: Any, ord: Any = None, axis: Any = None) -> Any:
    """The derivative of `np.linalg.norm(x, ord, axis)` by each item of `x`; 0 where the norm is, ties shared evenly.

    >>> norm_slope(np.array([3.0, 4.0])), norm_slope(np.array([1.0, -2.0, 2.0]), np.inf)
    (array([0.6, 0.8]), array([ 0. , -0.5,  0.5]))
    """
    if axis is None and (ord is None or np.ndim(x) == 1 or ord == "fro"):
        axes = tuple(range(np.ndim(x)))
    else:
        axes = (
            tuple(range(np.ndim(x)))
            if axis is None
            else (axis,)
            if isinstance(axis, int)
            else tuple(axis)
        )
    if np.ndim(x) > 1 and ord == "nuc":
        return nuclear_slope(x, axes)
    if np.ndim(x) > 1 and len(axes) == 2 and ord not in (None, "fro", "f"):
        return matrix_norm_slope(x, ord, axes)
    if ord in (None, 2, "fro", "f"):
        size = np.sqrt(np.sum(np.real(x * np.conj(x)), axis=axes, keepdims=True))
        return x / np.where(size, size, 1)
    if ord == 0:
        return np.zeros_like(x)
    size = np.linalg.norm(x, ord, axes[0], keepdims=True)
    if np.isinf(ord):
        hit = (np.abs(x) == size).astype(size.dtype)
        return np.sign(x) * hit / np.sum(hit, axis=axes, keepdims=True)
    return np.sign(x) * (np.abs(x) / np.where(size, size, 1)) ** (ord - 1)


def norm_slope_along(x: Any, ord: Any, axes: tuple[int, ...]) -> Any:
    """The derivative of `np.linalg.vector_norm(x, axis=axes, ord=ord)`: all items along the axes are one vector.

    >>> norm_slope_along(np.array([[3.0, 4.0]]), np.inf, (0, 1))
    array([[0., 1.]])
    """
    moved = np.moveaxis(x, axes, range(len(axes)))
    flat = np.reshape(moved, (-1, *moved.shape[len(axes) :]))
    slopes = np.reshape(norm_slope(flat, ord, 0), moved.shape)
    return np.moveaxis(slopes, range(len(axes)), axes)


def cond_slope(x: Any, p: Any = None) -> Any:
    """The derivative of `np.linalg.cond(x, p)` by each item of `x`: that of a product of two norms.

    >>> np.round(cond_slope(np.diag([4.0, 2.0])), 3) + 0
    array([[ 0.5,  0. ],
           [ 0. , -1. ]])
    """
    order, ends = 2 if p is None else p, (-2, -1)
    if order in (2, -2):
        return values_cond_slope(x, order)
    inverse = np.linalg.inv(x)
    own = np.linalg.norm(x, order, ends, keepdims=True)
    other = np.linalg.norm(inverse, order, ends, keepdims=True)
    back = inverse.mT @ norm_slope(inverse, order, ends) @ inverse.mT
    return norm_slope(x, order, ends) * other - own * back


def values_cond_slope(x: Any, order: int) -> Any:
    """`cond_slope` of the largest by the smallest singular value, or, for `order` -2, of the smallest by the largest.

    NaN where the matrix is singular.

    >>> np.round(values_cond_slope(np.diag([4.0, 2.0]), -2), 3) + 0
    array([[-0.125,  0.   ],
           [ 0.   ,  0.25 ]])
    """
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    s = np.expand_dims(s, -2)
    over, under = s[..., :1], s[..., -1:]
    if order == -2:
        over, under = under, over
    under = np.where(s[..., -1:] > 0, under, np.nan)
    by_over = (s == over).astype(s.dtype)
    by_over = by_over / np.sum(by_over, axis=-1, keepdims=True)
    by_under = (s == under).astype(s.dtype)
    by_under = by_under / np.maximum(np.sum(by_under, axis=-1, keepdims=True), 1)
    return u * ((by_over - over / under * by_under) / under) @ vh


def nuclear_slope(x: Any, axes: Any) -> Any:
    """`norm_slope` for the sum of the singular values of matrices.

    >>> nuclear_slope(np.diag([3.0, -4.0]), (0, 1)) + 0
    array([[ 1.,  0.],
           [ 0., -1.]])
    """
    part = singular_part(np.moveaxis(x, axes, (-2, -1)), "nuc")
    return np.moveaxis(part, (-2, -1), axes)


def matrix_norm_slope(x: Any, ord: Any, axes: Any) -> Any:
    """`norm_slope` for the norms of matrices: largest sums of a row or column, and those of the singular values.

    >>> matrix_norm_slope(np.diag([3.0, -4.0]), 1, (0, 1)) + 0
    array([[ 0.,  0.],
           [ 0., -1.]])
    """
    if np.size(x) == 0:
        return np.zeros_like(x)
    if ord in (1, -1, np.inf, -np.inf):
        along, across = axes if abs(ord) == 1 else (axes[1], axes[0])
        sums = np.sum(np.abs(x), axis=along, keepdims=True)
        extreme = (
            np.max(sums, axis=across, keepdims=True)
            if ord > 0
            else np.min(sums, axis=across, keepdims=True)
        )
        hit = (sums == extreme).astype(sums.dtype)
        return np.sign(x) * hit / np.sum(hit, axis=across, keepdims=True)
    part = singular_part(np.moveaxis(x, axes, (-2, -1)), ord)
    return np.moveaxis(part, (-2, -1), axes)


def cofactors(x: Any, determinant: Any) -> Any:
    """The derivative of `determinant = np.linalg.det(x)` by each item of `x`, its cofactor.

    For regular matrices that is `determinant * inv(x).T`; a singular one is taken apart into singular values.

    >>> cofactors(np.array([[1.0, 2.0], [3.0, 4.0]]), -2.0).round(12), cofactors(np.zeros((2, 2)), 0.0)
    (array([[ 4., -3.],
           [-2.,  1.]]), array([[0., 0.],
           [0., 0.]]))
    """
    if np.ndim(determinant) == 0 and determinant:
        return determinant * np.linalg.inv(x).T
    if np.all(determinant):
        return np.expand_dims(determinant, (-2, -1)) * np.linalg.inv(x).mT
    return cofactors_of_any(x)


def cofactors_of_any(x: Any) -> Any:
    """The cofactors of matrices that may be singular."""
    u, s, vh = np.linalg.svd(x)
    others = np.prod(
        np.where(np.eye(np.shape(s)[-1], dtype=bool), 1, np.expand_dims(s, -2)), axis=-1
    )
    sign = np.linalg.det(u) * np.linalg.det(vh)
    return np.expand_dims(sign, (-2, -1)) * np.conj(u * np.expand_dims(others, -2) @ vh)


def cofactors_vjp(g: Any, x: Any) -> Any:
    """The adjoint of matrices from that of their cofactors, which are determinants of what is left of a matrix.

    >>> cofactors_vjp(np.array([[1.0, 2.0], [3.0, 4.0]]), np.eye(2))
    array([[ 4., -3.],
           [-2.,  1.]])
    """
    out = np.zeros_like(x)
    for i in range(np.shape(x)[-1]):
        rows = np.delete(np.eye(np.shape(x)[-1], dtype=x.dtype), i, 0)
        for j in range(np.shape(x)[-1]):
            columns = np.delete(np.eye(np.shape(x)[-1], dtype=x.dtype), j, 0)
            part = rows @ x @ columns.T
            slopes = rows.T @ np.conj(cofactors(part, np.linalg.det(part))) @ columns
            out = out + (-1) ** (i + j) * g[..., i : i + 1, j : j + 1] * slopes
    return out


def cofactors_jvp(x_dot: Any, x: Any) -> Any:
    """The tangent of the cofactors of matrices.

    >>> cofactors_jvp(np.array([[1.0, 2.0], [3.0, 4.0]]), np.eye(2))
    array([[ 4., -3.],
           [-2.,  1.]])
    """
    out = np.zeros_like(x)
    unit = np.eye(np.shape(x)[-1], dtype=x.dtype)
    for i in range(np.shape(x)[-1]):
        rows = np.delete(unit, i, 0)
        for j in range(np.shape(x)[-1]):
            columns = np.delete(unit, j, 0)
            part = rows @ x @ columns.T
            slopes = rows.T @ cofactors(part, np.linalg.det(part)) @ columns
            moved = np.sum(slopes * x_dot, (-2, -1), keepdims=True)
            out = out + (-1) ** (i + j) * moved * np.outer(unit[i], unit[j])
    return out


# ----------------------------------------------------------------------------------- pseudo-inverse, least squares


def pinv_vjp(g: Any, x: Any, pinv: Any) -> Any:
    """The adjoint of `x` in `np.linalg.pinv(x)`, while its rank stays the same.

    >>> pinv_vjp(np.eye(1), np.array([[2.0]]), np.array([[0.5]]))
    array([[-0.25]])
    """
    left = (g.mT - x @ (pinv @ g.mT)) @ pinv @ pinv.mT
    right = pinv.mT @ pinv @ (g.mT - g.mT @ pinv @ x)
    return left + right - pinv.mT @ g @ pinv.mT


def pinv_jvp(x_dot: Any, x: Any, pinv: Any) -> Any:
    """The tangent of `np.linalg.pinv(x)`, while its rank stays the same.

    >>> pinv_jvp(np.eye(1), np.array([[2.0]]), np.array([[0.5]]))
    array([[-0.25]])
    """
    left = pinv @ pinv.mT @ (x_dot.mT - x_dot.mT @ x @ pinv)
    right = (x_dot.mT - pinv @ (x @ x_dot.mT)) @ pinv.mT @ pinv
    return left + right - pinv @ x_dot @ pinv


def lstsq_pinv(x: Any, rcond: Any = None) -> Any:
    """The pseudo-inverse with which `np.linalg.lstsq(x, y, rcond)` is `pinv @ y`.

    >>> lstsq_pinv(np.array([[2.0], [0.0]]))
    array([[0.5, 0. ]])
    """
    if rcond is None or rcond == -1:
        rcond = float(np.finfo(x.dtype).eps) * (
            max(np.shape(x)) if rcond is None else 1
        )
    return np.linalg.pinv(x, rcond)


# ------------------------------------------------------------------------------- triangular and block-wise matrices


def tensorinv_step(
    inverse: Any, x: Any, shape: tuple[int, ...], transposed: bool = False
) -> Any:
    """Both sides of `x` times the inverse (or its transpose), all three read as square matrices.

    >>> tensorinv_step(np.array([[2.0]]), np.array([[3.0]]), (1, 1))
    array([[12.]])
    """
    count = round(np.size(inverse) ** 0.5)
    matrix = np.reshape(inverse, (count, count))
    matrix = matrix.T if transposed else matrix
    return np.reshape(matrix @ np.reshape(x, (count, count)) @ matrix, shape)


def triangle(x: Any, lower: bool = False, unit_diagonal: bool = False) -> Any:
    """The part of a matrix that a triangular solver reads.

    >>> triangle(np.ones((2, 2)), lower=True, unit_diagonal=True)
    array([[0., 0.],
           [1., 0.]])
    """
    return (
        np.tril(x, -1 if unit_diagonal else 0)
        if lower
        else np.triu(x, 1 if unit_diagonal else 0)
    )


def outer_or_matmul(x: Any, y: Any) -> Any:
    """`x @ y.T`, where two vectors count as columns.

    >>> outer_or_matmul(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    array([[3., 4.],
           [6., 8.]])
    """
    return np.outer(x, y) if np.ndim(x) == 1 else x @ y.mT


def cho_factor_vjp(g: Any, factor: Any, lower: bool = False) -> Any:
    """The adjoint of `factor @ factor.T` (for an upper factor `factor.T @ factor`), handed on to the factor.

    >>> cho_factor_vjp(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 9.0], [2.0, 3.0]]), lower=True)
    array([[2., 0.],
           [4., 6.]])
    """
    part = triangle(factor, lower)
    return triangle((g + g.mT) @ part if lower else part @ (g + g.mT), lower)


def cho_factor_jvp(factor_dot: Any, factor: Any, lower: bool = False) -> Any:
    """The tangent of `factor @ factor.T` (for an upper factor `factor.T @ factor`).

    >>> cho_factor_jvp(np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([[1.0, 0.0], [2.0, 3.0]]), lower=True)
    array([[2., 2.],
           [2., 0.]])
    """
    part, part_dot = triangle(factor, lower), triangle(factor_dot, lower)
    half = part_dot @ part.mT if lower else part_dot.mT @ part
    return half + half.mT


def pivoted(piv: Any) -> Any:
    """The order of the rows after the exchanges of LAPACK's pivots.

    >>> pivoted(np.array([1, 1]))
    array([1, 0])
    """
    order = np.arange(len(piv))
    for k in range(len(piv)):
        first = order[k]
        order[k] = order[piv[k]]
        order[piv[k]] = first
    return order


def lu_parts(lu: Any) -> Any:
    """The unit lower and the upper triangular factor that stand in one matrix.

    >>> lu_parts(np.array([[2.0, 1.0], [0.5, 3.0]]))
    (array([[1. , 0. ],
           [0.5, 1. ]]), array([[2., 1.],
           [0., 3.]]))
    """
    return np.tril(lu, -1) + np.eye(len(lu), dtype=lu.dtype), np.triu(lu)


def lu_product(lu: Any, piv: Any) -> Any:
    """The matrix that was factored.

    >>> lu_product(np.array([[2.0, 1.0], [0.5, 3.0]]), np.array([0, 1]))
    array([[2. , 1. ],
           [1. , 3.5]])
    """
    lower, upper = lu_parts(lu)
    return (lower @ upper)[np.argsort(pivoted(piv))]


def lu_product_jvp(lu_dot: Any, lu: Any, piv: Any) -> Any:
    """The tangent of the matrix that was factored, from that of its factors.

    >>> lu_product_jvp(np.array([[1.0]]), np.array([[2.0]]), np.array([0]))
    array([[1.]])
    """
    lower, upper = lu_parts(lu)
    return (np.tril(lu_dot, -1) @ upper + lower @ np.triu(lu_dot))[
        np.argsort(pivoted(piv))
    ]


def lu_factor_vjp(g: Any, lu: Any, piv: Any) -> Any:
    """The adjoint of a matrix whose factors have the adjoint `g`.

    >>> lu_factor_vjp(np.array([[1.0]]), np.array([[2.0]]), np.array([0]))
    array([[1.]])
    """
    lower, upper = lu_parts(lu)
    inner = np.tril(lower.T @ np.tril(g, -1), -1) + np.triu(np.triu(g) @ upper.T)
    return np.linalg.solve(lower.T, np.linalg.solve(upper, inner.T).T)[
        np.argsort(pivoted(piv))
    ]


def lu_factor_jvp(x_dot: Any, lu: Any, piv: Any) -> Any:
    """The tangent of the factors of a matrix.

    >>> lu_factor_jvp(np.array([[1.0]]), np.array([[2.0]]), np.array([0]))
    array([[1.]])
    """
    lower, upper = lu_parts(lu)
    inner = np.linalg.solve(lower, np.linalg.solve(upper.T, x_dot[pivoted(piv)].T).T)
    return lower @ np.tril(inner, -1) + np.triu(inner) @ upper


def lu_solve_vjp(g: Any, x: Any, lu: Any, piv: Any) -> Any:
    """The adjoint of the factors by which `x` was solved for, from that of the right-hand side.

    >>> lu_solve_vjp(np.array([1.0]), np.array([3.0]), np.array([[2.0]]), np.array([0]))
    array([[-3.]])
    """
    lower, upper = lu_parts(lu)
    outer = -outer_or_matmul(g, x)[pivoted(piv)]
    return np.tril(outer @ upper.T, -1) + np.triu(lower.T @ outer)


def lu_step(x_dot: Any, p: Any, lower: Any, upper: Any) -> Any:
    """The change of a matrix with its factors taken off: the change of `lower` is below, of `upper` the rest."""
    size = max(np.shape(x_dot))
    left, right = np.eye(size), np.eye(size)
    left[: len(lower), : len(upper)] = lower
    right[: len(upper), : np.shape(upper)[1]] = upper
    change = np.zeros((size, size))
    change[: np.shape(x_dot)[0], : np.shape(x_dot)[1]] = p.T @ x_dot
    return np.linalg.solve(right.T, np.linalg.solve(left, change).T).T


def lu_vjp(m: Any, p: Any, lower: Any, upper: Any) -> Any:
    """The transpose of `lu_step`."""
    size = len(m)
    left, right = np.eye(size), np.eye(size)
    left[: len(lower), : len(upper)] = lower
    right[: len(upper), : np.shape(upper)[1]] = upper
    whole = np.linalg.solve(left.T, np.linalg.solve(right, m.T).T)
    return p @ whole[: len(lower), : np.shape(upper)[1]]


def lu_lower_vjp(g: Any, p: Any, lower: Any, upper: Any) -> Any:
    """The adjoint of a matrix from that of its factor `lower`: `scipy.linalg.lu`.

    >>> lu_lower_vjp(np.array([[0.0], [2.0]]), np.eye(2), np.array([[1.0], [0.5]]), np.array([[4.0]]))
    array([[-0.25],
           [ 0.5 ]])
    """
    size = max(len(lower), np.shape(upper)[1])
    m = np.zeros((size, size))
    m[: len(upper), : len(upper)] = lower.T @ g
    m[len(upper) : len(lower), : len(upper)] = g[len(upper) :]
    return lu_vjp(np.tril(m, -1), p, lower, upper)


def lu_upper_vjp(g: Any, p: Any, lower: Any, upper: Any) -> Any:
    """The same from that of its factor `upper`.

    >>> lu_upper_vjp(np.array([[2.0]]), np.eye(2), np.array([[1.0], [0.5]]), np.array([[4.0]]))
    array([[2.],
           [0.]])
    """
    size = max(len(lower), np.shape(upper)[1])
    m = np.zeros((size, size))
    m[: len(upper), : len(upper)] = g @ upper.T
    m[: len(upper), len(upper) : np.shape(upper)[1]] = g[:, len(upper) :]
    return lu_vjp(np.triu(m), p, lower, upper)


def lu_lower_jvp(x_dot: Any, p: Any, lower: Any, upper: Any) -> Any:
    """The change of the factor `lower`: `scipy.linalg.lu`."""
    step = np.tril(lu_step(x_dot, p, lower, upper), -1)[: len(lower), : len(upper)]
    change = lower @ step[: len(upper)]
    change[len(upper) :] += step[len(upper) :]
    return change


def lu_upper_jvp(x_dot: Any, p: Any, lower: Any, upper: Any) -> Any:
    """The change of the factor `upper`."""
    columns = np.shape(upper)[1]
    step = np.triu(lu_step(x_dot, p, lower, upper))[: len(upper), :columns]
    change = step[:, : len(upper)] @ upper
    change[:, len(upper) :] += step[:, len(upper) :]
    return change


def band_transposed(ab: Any, l_and_u: Any) -> Any:
    """The band of a transposed matrix, as `scipy.linalg.solve_banded` takes it.

    >>> band_transposed(np.array([[0.0, 5.0], [1.0, 2.0]]), (0, 1))
    array([[1., 2.],
           [5., 0.]])
    """
    lower, upper = l_and_u
    n = np.shape(ab)[1]
    out = np.zeros_like(ab)
    for k in range(-lower, min(upper + 1, n)):
        if k > -n:
            row = ab[upper - k, max(k, 0) : n + min(k, 0)]
            out[lower + k, max(-k, 0) : n - max(k, 0)] = row
    return out


def band_of_outer(x: Any, y: Any, l_and_u: Any) -> Any:
    """The band of the outer product of two vectors, or of the sum of those of columns.

    >>> band_of_outer(np.array([1.0, 2.0]), np.array([3.0, 4.0]), (0, 1))
    array([[0., 4.],
           [3., 8.]])
    """
    lower, upper = l_and_u
    n = len(x)
    out = np.zeros((lower + upper + 1, n), np.result_type(x, y))
    for k in range(-lower, min(upper + 1, n)):
        if k > -n:
            first, last = max(k, 0), n + min(k, 0)
            products = x[first - k : last - k] * y[first:last]
            out[upper - k, first:last] = np.sum(
                np.reshape(products, (last - first, -1)), 1
            )
    return out


def band_times(ab: Any, x: Any, l_and_u: Any) -> Any:
    """A matrix that is given by its band times an array.

    >>> band_times(np.array([[0.0, 5.0], [1.0, 2.0]]), np.array([1.0, 10.0]), (0, 1))
    array([51., 20.])
    """
    lower, upper = l_and_u
    n = len(x)
    out = np.zeros(np.shape(x), np.result_type(ab, x))
    for k in range(-lower, min(upper + 1, n)):
        if k > -n:
            first, last = max(k, 0), n + min(k, 0)
            band = np.reshape(
                ab[upper - k, first:last], (-1,) + (1,) * (np.ndim(x) - 1)
            )
            out[first - k : last - k] += band * x[first:last]
    return out


def unblock_diag(g: Any, xs: Any) -> Any:
    """The adjoints of the blocks that `scipy.linalg.block_diag(*xs)` puts along the diagonal.

    >>> unblock_diag(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), (0.5, np.zeros(2)))
    [array(1.), array([5., 6.])]
    """
    row, column, pieces = 0, 0, []
    for x in xs:
        height = np.shape(x)[0] if np.ndim(x) == 2 else 1
        width = np.shape(x)[-1] if np.ndim(x) else 1
        pieces.append(
            np.reshape(g[row : row + height, column : column + width], np.shape(x))
        )
        row, column = row + height, column + width
    return pieces


def expm_block(x: Any, y: Any) -> Any:
    """`[[x, y], [0, x]]`: of a function of this matrix, the upper right block is the function's derivative along `y`.

    >>> expm_block(np.ones((1, 1)), np.full((1, 1), 2.0))
    array([[1., 2.],
           [0., 1.]])
    """
    return np.concatenate(
        (np.concatenate((x, y), -1), np.concatenate((0 * x, x), -1)), -2
    )


def expm_frechet_part(x: Any) -> Any:
    """The upper right block of four.

    >>> expm_frechet_part(np.array([[1.0, 2.0], [0.0, 1.0]]))
    array([[2.]])
    """
    half = np.shape(x)[-1] // 2
    return x[..., :half, half:]


def ungather(g: Any, places: Any, x: Any) -> Any:
    """The adjoint of a vector whose items stand in a matrix: `places` has 1 for the first item, 0 for what is none.

    >>> ungather(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1, 2], [0, 1]]), np.zeros(2))
    array([5., 2.])
    """
    return np.bincount(np.ravel(places), np.ravel(g), len(x) + 1)[1:].astype(x.dtype)


def companion_vjp(g: Any, x: Any) -> Any:
    """The adjoint of the coefficients whose companion matrix has a first row with the adjoint `g`.

    >>> companion_vjp(np.array([1.0]), np.array([2.0, 4.0]))
    array([ 1. , -0.5])
    """
    return np.append(np.dot(g, x[1:]) / x[0], -g) / x[0]


def companion_jvp(x_dot: Any, x: Any) -> Any:
    """The tangent of the companion matrix of coefficients.

    >>> companion_jvp(np.array([1.0, 0.0]), np.array([2.0, 4.0]))
    array([[1.]])
    """
    tangent = np.zeros((len(x) - 1, len(x) - 1), x.dtype)
    tangent[0] = (x[1:] * (x_dot[0] / x[0]) - x_dot[1:]) / x[0]
    return tangent
