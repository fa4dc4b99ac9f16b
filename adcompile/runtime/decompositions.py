"""Decompositions of matrices: functions that generated code may call. NumPy only.

The same promises as in `helpers.py`, which hands these on: each stands by itself or calls others of this file, and
keeps to the language that the compiler accepts. `g` is an incoming derivative; a name in `_vjp` gives the adjoint of an
argument, one in `_jvp` the tangent of a result. Matrices may come in stacks wherever NumPy takes them so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# ------------------------------------------------------------------------------------- symmetric decompositions


def fold_triangle(g: Any, upper: bool = False) -> Any:
    """The adjoint of a symmetric matrix, of which only one triangle is read, moved to that triangle.

    >>> fold_triangle(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[1., 0.],
           [5., 4.]])
    """
    return np.triu(g) + np.tril(g, -1).mT if upper else np.tril(g) + np.triu(g, 1).mT


def mirror_triangle(x: Any, upper: bool = False) -> Any:
    """The symmetric matrix of which one triangle is given.

    >>> mirror_triangle(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[1., 3.],
           [3., 4.]])
    """
    return np.triu(x) + np.triu(x, 1).mT if upper else np.tril(x) + np.tril(x, -1).mT


def halve_diagonal(x: Any) -> Any:
    """The lower triangle with half the diagonal: a symmetric matrix is the sum of this and its transpose.

    >>> halve_diagonal(np.array([[2.0, 3.0], [3.0, 4.0]]))
    array([[1., 0.],
           [3., 2.]])
    """
    return 0.5 * (np.tril(x) + np.tril(x, -1))


def cholesky_vjp(g: Any, factor: Any) -> Any:
    """The adjoint of a symmetric matrix whose lower Cholesky factor has the adjoint `g`; not yet folded to a triangle.

    >>> cholesky_vjp(np.eye(1), np.array([[2.0]]))
    array([[0.25]])
    """
    inner = halve_diagonal(factor.mT @ g)
    return np.linalg.solve(factor.mT, np.linalg.solve(factor.mT, inner.mT).mT)


def cholesky_jvp(x_dot: Any, factor: Any) -> Any:
    """The tangent of the lower Cholesky factor of a symmetric matrix.

    >>> cholesky_jvp(np.eye(1), np.array([[2.0]]))
    array([[0.25]])
    """
    half = np.linalg.solve(factor, x_dot)
    return factor @ halve_diagonal(np.linalg.solve(factor, half.mT))


def eigh_vectors_vjp(g: Any, w: Any, v: Any) -> Any:
    """The adjoint of a symmetric matrix whose eigenvectors `v` have the adjoint `g`; infinite for equal eigenvalues.

    >>> eigh_vectors_vjp(np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([1.0, 3.0]), np.eye(2))
    array([[0. , 0.5],
           [0. , 0. ]])
    """
    return v @ (v.mT @ g * gap_reciprocal(w)) @ v.mT


def gap_reciprocal(w: Any) -> Any:
    """The matrix of `1 / (w[j] - w[i])`, with zeros on its diagonal.

    >>> gap_reciprocal(np.array([1.0, 3.0]))
    array([[ 0. ,  0.5],
           [-0.5,  0. ]])
    """
    same = np.eye(np.shape(w)[-1], dtype=w.dtype)
    return (1 - same) / (np.expand_dims(w, -2) - np.expand_dims(w, -1) + same)


def square_gap_reciprocal(s: Any) -> Any:
    """The matrix of `1 / (s[j]**2 - s[i]**2)`, with zeros on its diagonal, where `s[i]` is 0 too.

    >>> square_gap_reciprocal(np.array([2.0, 0.0]))
    array([[ 0.  , -0.25],
           [ 0.25,  0.  ]])
    """
    same = np.eye(np.shape(s)[-1], dtype=s.dtype)
    return gap_reciprocal(s) / (np.expand_dims(s, -2) + np.expand_dims(s, -1) + same)


# ------------------------------------------------------------------------------------- other decompositions


def svd_u_vjp(g: Any, x: Any, u: Any, s: Any, vh: Any) -> Any:
    """The adjoint of a matrix whose left singular vectors have the adjoint `g`.

    The right ones are the left ones of the transposed matrix. Columns of a full `u` beyond the singular values are
    not determined by the matrix: an adjoint that is not zero there gives NaN.

    >>> svd_u_vjp(np.array([[0.0, 1.0], [0.0, 0.0]]), np.diag([2.0, 1.0]), np.eye(2), np.array([2.0, 1.0]), np.eye(2))
    array([[ 0.        , -0.33333333],
           [-0.66666667,  0.        ]])
    """
    k = np.shape(s)[-1]
    if np.any(g[..., k:]):
        return np.full_like(x, np.nan)
    g, u, vh = g[..., :k], u[..., :k], vh[..., :k, :]
    inner = u.mT @ g
    mixed = inner * square_gap_reciprocal(s)
    adjoint = u @ (mixed + mixed.mT) * np.expand_dims(s, -2) @ vh
    if np.shape(x)[-2] > k:
        adjoint = adjoint + (g - u @ inner) / np.expand_dims(s, -2) @ vh
    return adjoint


def svd_u_jvp(x_dot: Any, u: Any, s: Any, vh: Any) -> Any:
    """The tangent of the left singular vectors of a matrix; NaN for those that the matrix does not determine.

    >>> svd_u_jvp(np.array([[0.0, 1.0], [0.0, 0.0]]), np.eye(2), np.array([2.0, 1.0]), np.eye(2))
    array([[ 0.        , -0.33333333],
           [ 0.33333333,  0.        ]])
    """
    k = np.shape(s)[-1]
    thin, v = u[..., :k], vh[..., :k, :].mT
    inner = thin.mT @ x_dot @ v
    scaled = inner * np.expand_dims(s, -2)
    mixed = (scaled + scaled.mT) * square_gap_reciprocal(s)
    tangent = thin @ mixed
    if np.shape(u)[-2] > k:
        tangent = tangent + (x_dot @ v - thin @ inner) / np.expand_dims(s, -2)
    return (
        np.concatenate((tangent, np.full_like(u[..., k:], np.nan)), -1)
        if np.shape(u)[-1] > k
        else tangent
    )


def qr_vjp(g_q: Any, g_r: Any, x: Any, q: Any, r: Any) -> Any:
    """The adjoint of a matrix with the reduced factors `q` and `r`. The leading square part of `r` has to be regular.

    >>> qr_vjp(np.zeros((1, 1)), np.ones((1, 2)), np.array([[2.0, 3.0]]), np.eye(1), np.array([[2.0, 3.0]]))
    array([[1., 1.]])
    """
    k = np.shape(q)[-1]
    # of a matrix wider than high, the columns that do not shape q
    beyond = g_r[..., k:]
    g_q = g_q + x[..., k:] @ beyond.mT
    g_r, r = np.triu(g_r[..., :k]), r[..., :k]
    inner = r @ g_r.mT - g_q.mT @ q
    adjoint = np.linalg.solve(
        r, (g_q + q @ (np.tril(inner) + np.tril(inner, -1).mT)).mT
    ).mT
    return np.concatenate((adjoint, q @ beyond), -1)


def qr_q_jvp(x_dot: Any, q: Any, r: Any) -> Any:
    """The tangent of the factor `q`; that of `r` is then `q.T @ (x_dot - q_dot @ r)`.

    >>> qr_q_jvp(np.eye(2), np.eye(2), np.array([[1.0, 1.0], [0.0, 1.0]]))
    array([[0., 0.],
           [0., 0.]])
    """
    k = np.shape(q)[-1]
    right = np.linalg.solve(r[..., :k].mT, x_dot[..., :k].mT).mT  # x_dot @ inv(r)
    inner = q.mT @ right
    turned = np.tril(inner, -1) - np.tril(inner, -1).mT
    return right - q @ (inner - turned)


def eig_vectors_vjp(g: Any, w: Any, v: Any) -> Any:
    """The adjoint of a matrix whose eigenvectors, as LAPACK scales them, have the adjoint `g`.

    Length 1, and the component of largest modulus real: this is what fixes the phase of complex ones.

    >>> eig_vectors_vjp(np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([1.0, 3.0]), np.eye(2)).round(12) + 0
    array([[0. , 0.5],
           [0. , 0. ]])
    """
    scale = np.sum(np.conj(v) * g, axis=-2, keepdims=True)
    free = g - v * np.real(scale)
    if np.iscomplexobj(v):
        largest = np.expand_dims(np.argmax(np.abs(v), axis=-2), -2)
        place = np.expand_dims(np.arange(np.shape(v)[-1]), -1) == largest
        free = free - 1j * np.imag(scale) * np.where(
            place, 1 / np.where(place, v, 1), 0
        )
    inner = np.conj(v).mT @ free * np.conj(gap_reciprocal(w))
    return np.linalg.solve(np.conj(v).mT, inner @ np.conj(v).mT)


def eig_vectors_jvp(x_dot: Any, w: Any, v: Any) -> Any:
    """The tangent of the eigenvectors of a matrix, as LAPACK scales them.

    >>> eig_vectors_jvp(np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([1.0, 3.0]), np.eye(2))
    array([[0. , 0.5],
           [0. , 0. ]])
    """
    free = v @ (np.linalg.solve(v, x_dot @ v) * gap_reciprocal(w))
    tangent = free - v * np.real(np.sum(np.conj(v) * free, axis=-2, keepdims=True))
    if np.iscomplexobj(v):
        largest = np.expand_dims(np.argmax(np.abs(v), axis=-2), -2)
        place = np.expand_dims(np.arange(np.shape(v)[-1]), -1) == largest
        turn = np.sum(
            np.where(place, np.imag(free) / np.where(place, np.real(v), 1), 0),
            axis=-2,
            keepdims=True,
        )
        tangent = tangent - 1j * v * turn
    return tangent


# ----------------------------------------------------------------------- parts of decompositions, asked for alone


def logdet_slope(x: Any, sign: Any) -> Any:
    """The derivative of the logarithm of `x`'s determinant by each item, `inv(x).T`; NaN where the sign is 0.

    >>> logdet_slope(np.diag([2.0, 4.0]), 1.0)
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    regular = np.expand_dims(sign != 0, (-2, -1))
    one = np.eye(np.shape(x)[-1], dtype=np.asarray(x).dtype)
    return np.where(regular, np.linalg.inv(np.where(regular, x, one)).mT, np.nan)


def singular_values_vjp(g: Any, x: Any) -> Any:
    """The adjoint of a matrix whose singular values have the adjoint `g`.

    >>> singular_values_vjp(np.array([1.0, 0.0]), np.diag([2.0, 1.0])) + 0
    array([[1., 0.],
           [0., 0.]])
    """
    u, _, vh = np.linalg.svd(x, full_matrices=False)
    return u * np.expand_dims(g, -2) @ vh


def singular_values_jvp(x_dot: Any, x: Any) -> Any:
    """The tangent of the singular values of a matrix.

    >>> singular_values_jvp(np.ones((2, 2)), np.diag([2.0, 1.0]))
    array([1., 1.])
    """
    u, _, vh = np.linalg.svd(x, full_matrices=False)
    return np.sum(u * (x_dot @ vh.mT), axis=-2)


def singular_part(x: Any, ord: Any) -> Any:
    """The derivative of the largest singular value of matrices by each item, for `ord` "nuc" of the sum of all.

    With a negative `ord` it is that of the smallest one.

    >>> singular_part(np.diag([3.0, -4.0]), 2) + 0
    array([[ 0.,  0.],
           [ 0., -1.]])
    """
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    return u * np.expand_dims(singular_weight(s, ord), -2) @ vh


def singular_weight(s: Any, ord: Any) -> Any:
    """Which of the singular values a norm is, ties shared evenly; for `ord` "nuc" it is all that are not 0.

    >>> singular_weight(np.array([3.0, 3.0, 1.0]), 2), singular_weight(np.array([3.0, 0.0]), "nuc")
    (array([0.5, 0.5, 0. ]), array([1., 0.]))
    """
    if ord == "nuc":
        return (s > 0).astype(s.dtype)
    extreme = (
        np.max(s, axis=-1, keepdims=True)
        if ord > 0
        else np.min(s, axis=-1, keepdims=True)
    )
    weight = ((s == extreme) & (s > 0)).astype(s.dtype)
    return weight / np.maximum(np.sum(weight, axis=-1, keepdims=True), 1)


def singular_part_step(v: Any, x: Any, ord: Any) -> Any:
    """The tangent of `singular_part(x, ord)` for the tangent `v` of `x`, and its adjoint of `x`: it is symmetric.

    >>> singular_part_step(np.array([[0.0, 2.0], [0.0, 0.0]]), np.diag([1.0, 3.0]), "nuc")
    array([[ 0. ,  0.5],
           [-0.5,  0. ]])
    """
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    weight = singular_weight(s, ord)
    back, forth = np.conj(u.mT), np.conj(vh.mT)
    inner = back @ v @ forth
    row, column = np.expand_dims(s, -1), np.expand_dims(s, -2)
    by_row, by_column = np.expand_dims(weight, -1), np.expand_dims(weight, -2)
    apart = np.where(row == column, 1, row - column)
    together = np.where(row + column, row + column, 1)
    even = (by_row - by_column) / apart * (inner + np.conj(inner.mT))
    odd = (by_row + by_column) / together * (inner - np.conj(inner.mT))
    each = weight / np.where(s, s, 1)
    left = (v @ forth - u @ inner) * np.expand_dims(each, -2)
    right = (back @ v - inner @ vh) * np.expand_dims(each, -1)
    return u @ ((even + odd) / 2 @ vh + right) + left @ vh


def eigenvalues_vjp(g: Any, x: Any) -> Any:
    """The adjoint of a real matrix whose eigenvalues, `np.linalg.eigvals(x)`, have the adjoint `g`.

    >>> eigenvalues_vjp(np.array([1.0, 0.0]), np.diag([2.0, 1.0]))
    array([[1., 0.],
           [0., 0.]])
    """
    vectors = np.linalg.eig(x)[1]
    dual = np.conj(vectors).mT
    return np.real(np.linalg.solve(dual, np.expand_dims(g, -1) * dual))


def eigenvalues_jvp(x_dot: Any, x: Any) -> Any:
    """The tangent of the eigenvalues of a matrix.

    >>> eigenvalues_jvp(np.ones((2, 2)), np.diag([2.0, 1.0])).real
    array([1., 1.])
    """
    vectors = np.linalg.eig(x)[1]
    return np.diagonal(np.linalg.solve(vectors, x_dot @ vectors), axis1=-2, axis2=-1)


def qr_r_vjp(g: Any, x: Any) -> Any:
    """The adjoint of a matrix whose factor `np.linalg.qr(x, "r")` has the adjoint `g`.

    >>> qr_r_vjp(np.ones((1, 2)), np.array([[2.0, 3.0]]))
    array([[1., 1.]])
    """
    q, r = np.linalg.qr(x)
    return qr_vjp(np.zeros_like(q), g, x, q, r)


def qr_r_jvp(x_dot: Any, x: Any) -> Any:
    """The tangent of the factor `np.linalg.qr(x, "r")`.

    >>> qr_r_jvp(np.ones((1, 2)), np.array([[2.0, 3.0]]))
    array([[1., 1.]])
    """
    q, r = np.linalg.qr(x)
    return np.triu(q.mT @ (x_dot - qr_q_jvp(x_dot, q, r) @ r))
