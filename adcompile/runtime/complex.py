"""Decompositions of complex matrices: functions that generated code may call. NumPy only.

The same promises as in `helpers.py`, which hands these on: each stands by itself or calls others of this file, and
keeps to the language that the compiler accepts. What they do for real matrices is in `runtime/decompositions.py` and
`runtime/linalg.py`, without conjugates. `g` is an incoming derivative, dL/dRe + i dL/dIm.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile.runtime.decompositions import gap_reciprocal, qr_q_jvp, qr_vjp
from adcompile.runtime.linalg import norm_slope, values_cond_slope

# ----------------------------------------------------------------------------------------- Hermitian decompositions


def hermitian_fold(g: Any, upper: bool = False) -> Any:
    """The adjoint of a Hermitian matrix, of which one triangle and a real diagonal are read, moved to that triangle.

    >>> hermitian_fold(np.array([[1.0 + 1j, 2j], [3.0, 4.0]]))
    array([[1.+0.j, 0.+0.j],
           [3.-2.j, 4.+0.j]])
    """
    turned = np.conj(g).mT
    both = np.triu(g + turned, 1) if upper else np.tril(g + turned, -1)
    return both + g * np.eye(np.shape(g)[-1]) / 2 + turned * np.eye(np.shape(g)[-1]) / 2


def hermitian_mirror(x: Any, upper: bool = False) -> Any:
    """The Hermitian matrix of which one triangle is given.

    >>> hermitian_mirror(np.array([[1.0, 2j], [3j, 4.0]]))
    array([[1.+0.j, 0.-3.j],
           [0.+3.j, 4.+0.j]])
    """
    half = np.triu(x, 1) if upper else np.tril(x, -1)
    return half + np.conj(half).mT + np.real(x) * np.eye(np.shape(x)[-1])


def hermitian_half(x: Any) -> Any:
    """The lower triangle with half of a real diagonal: with its conjugate transpose it makes a Hermitian matrix.

    >>> hermitian_half(np.array([[2.0, 3j], [3.0, 4.0 + 1j]]))
    array([[1.+0.j, 0.+0.j],
           [3.+0.j, 2.+0.j]])
    """
    return np.tril(x, -1) + 0.5 * np.real(x) * np.eye(np.shape(x)[-1])


def hermitian_cholesky_vjp(g: Any, factor: Any) -> Any:
    """The adjoint of a Hermitian matrix whose lower Cholesky factor has the adjoint `g`; not yet folded to a triangle.

    >>> hermitian_cholesky_vjp(np.eye(1), np.array([[2.0 + 0j]]))
    array([[0.25+0.j]])
    """
    turned = np.conj(factor).mT
    inner = hermitian_half(turned @ g)
    return np.linalg.solve(
        turned, np.conj(np.linalg.solve(turned, np.conj(inner).mT)).mT
    )


def hermitian_cholesky_jvp(x_dot: Any, factor: Any) -> Any:
    """The tangent of the lower Cholesky factor of a Hermitian matrix.

    >>> hermitian_cholesky_jvp(np.eye(1), np.array([[2.0 + 0j]]))
    array([[0.25+0.j]])
    """
    half = np.linalg.solve(factor, x_dot)
    return factor @ hermitian_half(np.linalg.solve(factor, np.conj(half).mT))


def hermitian_vectors_vjp(g: Any, w: Any, v: Any, upper: bool = False) -> Any:
    """The adjoint of a Hermitian matrix whose eigenvectors have the adjoint `g`; infinite for equal eigenvalues.

    One component of each vector is real, which fixes its phase: the first one, or the last if the upper triangle is
    read.

    >>> hermitian_vectors_vjp(np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([1.0, 3.0]), np.eye(2))
    array([[0. +0.j, 0.5+0.j],
           [0. +0.j, 0. +0.j]])
    """
    row = -1 if upper else 0
    turn = np.imag(np.sum(np.conj(v) * g, axis=-2))
    fixed = np.real(v[..., row, :])
    first = np.zeros(np.shape(v), complex)
    first[..., row, :] = 1j * turn / np.where(fixed, fixed, 1)
    return v @ (np.conj(v).mT @ (g - first) * gap_reciprocal(w)) @ np.conj(v).mT


def hermitian_vectors_jvp(x_dot: Any, w: Any, v: Any, upper: bool = False) -> Any:
    """The tangent of the eigenvectors of a Hermitian matrix.

    >>> hermitian_vectors_jvp(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 3.0]), np.eye(2)).real
    array([[ 0. ,  0.5],
           [-0.5,  0. ]])
    """
    row = -1 if upper else 0
    free = v @ (np.conj(v).mT @ x_dot @ v * gap_reciprocal(w))
    fixed = np.real(v[..., row, :])
    turn = np.imag(free[..., row, :]) / np.where(fixed, fixed, 1)
    return free - 1j * v * np.expand_dims(turn, -2)


# ------------------------------------------------------------------------------------- others, and values alone


def complex_eigenvalues_vjp(g: Any, x: Any) -> Any:
    """The adjoint of a complex matrix whose eigenvalues, `np.linalg.eigvals(x)`, have the adjoint `g`.

    >>> complex_eigenvalues_vjp(np.array([1.0, 0.0]), np.diag([2.0 + 0j, 1.0]))
    array([[1.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    dual = np.conj(np.linalg.eig(x)[1]).mT
    return np.linalg.solve(dual, np.expand_dims(g, -1) * dual)


def complex_singular_values_vjp(g: Any, x: Any) -> Any:
    """The adjoint of a complex matrix whose singular values have the adjoint `g`.

    >>> complex_singular_values_vjp(np.array([1.0]), np.array([[2j]]))
    array([[0.+1.j]])
    """
    u, _, vh = np.linalg.svd(x, full_matrices=False)
    return u * np.expand_dims(g, -2) @ vh


def complex_singular_values_jvp(x_dot: Any, x: Any) -> Any:
    """The tangent of the singular values of a complex matrix.

    >>> complex_singular_values_jvp(np.array([[1j]]), np.array([[2j]]))
    array([1.])
    """
    u, _, vh = np.linalg.svd(x, full_matrices=False)
    return np.sum(np.real(np.conj(u) * (x_dot @ np.conj(vh).mT)), axis=-2)


def complex_qr_vjp(g_q: Any, g_r: Any, x: Any, q: Any, r: Any) -> Any:
    """The adjoint of a complex matrix with the reduced factors `q` and `r`, whose diagonal is real.

    >>> complex_qr_vjp(np.zeros((1, 1)), np.ones((1, 2)), np.array([[2.0, 3.0]]), np.eye(1), np.array([[2.0, 3.0]]))
    array([[1., 1.]])
    """
    k = np.shape(q)[-1]
    beyond = g_r[..., k:]
    g_q = g_q + x[..., k:] @ np.conj(beyond).mT
    g_r, r = np.triu(g_r[..., :k]), r[..., :k]
    inner = r @ np.conj(g_r).mT - np.conj(g_q).mT @ q
    below = np.tril(inner, -1)
    mixed = below + np.conj(below).mT + np.real(inner) * np.eye(k)
    adjoint = np.conj(np.linalg.solve(r, np.conj(g_q + q @ mixed).mT)).mT
    return np.concatenate((adjoint, q @ beyond), -1)


def complex_qr_jvp(x_dot: Any, q: Any, r: Any) -> Any:
    """The tangent of the factor `q`; that of `r` is then `conj(q).T @ (x_dot - q_dot @ r)`.

    >>> complex_qr_jvp(np.eye(2), np.eye(2), np.array([[1.0, 1.0], [0.0, 1.0]])).real + 0
    array([[0., 0.],
           [0., 0.]])
    """
    k = np.shape(q)[-1]
    right = np.linalg.solve(r[..., :k].mT, x_dot[..., :k].mT).mT  # x_dot @ inv(r)
    inner = np.conj(q).mT @ right
    turned = np.tril(inner, -1) - np.conj(np.tril(inner, -1)).mT
    turned = turned + 1j * np.imag(inner) * np.eye(k)
    return right - q @ (inner - turned)


def complex_qr_r_vjp(g: Any, x: Any) -> Any:
    """The adjoint of a complex matrix whose factor `np.linalg.qr(x, "r")` has the adjoint `g`.

    >>> complex_qr_r_vjp(np.ones((1, 2)), np.array([[2.0, 3.0]]))
    array([[1., 1.]])
    """
    q, r = np.linalg.qr(x)
    return complex_qr_vjp(np.zeros_like(q), g, x, q, r)


def complex_qr_r_jvp(x_dot: Any, x: Any) -> Any:
    """The tangent of the factor `np.linalg.qr(x, "r")` of a complex matrix.

    >>> complex_qr_r_jvp(np.ones((1, 2)), np.array([[2.0, 3.0]])).real
    array([[1., 1.]])
    """
    q, r = np.linalg.qr(x)
    return np.triu(np.conj(q).mT @ (x_dot - complex_qr_jvp(x_dot, q, r) @ r))


def complete_qr_vjp(g_q: Any, g_r: Any, x: Any, q: Any, r: Any) -> Any:
    """The adjoint of a matrix with the factors `np.linalg.qr(x, "complete")`.

    Columns of `q` beyond those of a high matrix are not determined: an adjoint that is not zero there gives NaN.

    >>> complete_qr_vjp(np.zeros((2, 2)), np.ones((2, 1)), np.array([[2.0], [0.0]]), np.eye(2), np.array([[2.0], [0]]))
    array([[1.],
           [0.]])
    """
    k = min(np.shape(x)[-2:])
    if np.any(g_q[..., k:]):
        return np.full_like(x, np.nan)
    thin = g_q[..., :k], g_r[..., :k, :], x, q[..., :k], r[..., :k, :]
    return complex_qr_vjp(*thin) if np.iscomplexobj(x) else qr_vjp(*thin)


def complete_q_jvp(x_dot: Any, q: Any, r: Any) -> Any:
    """The tangent of the complete factor `q`; NaN for the columns that the matrix does not determine.

    >>> complete_q_jvp(np.array([[1.0], [2.0]]), np.eye(2), np.array([[2.0], [0.0]]))
    array([[ 0., nan],
           [ 1., nan]])
    """
    k = min(np.shape(r)[-2:])
    thin = x_dot, q[..., :k], r[..., :k, :]
    tangent = complex_qr_jvp(*thin) if np.iscomplexobj(q) else qr_q_jvp(*thin)
    return np.concatenate((tangent, np.full_like(q[..., k:], np.nan)), -1)


def complete_r_jvp(x_dot: Any, q: Any, r: Any) -> Any:
    """The tangent of the factor `r` beside a complete `q`.

    >>> complete_r_jvp(np.array([[1.0], [2.0]]), np.eye(2), np.array([[2.0], [0.0]]))
    array([[1.],
           [0.]])
    """
    k = min(np.shape(r)[-2:])
    thin = complete_q_jvp(x_dot, q, r)[..., :k]
    tangent = np.conj(q[..., :k]).mT @ (x_dot - thin @ r[..., :k, :])
    return np.concatenate((np.triu(tangent), np.zeros_like(r[..., k:, :])), -2)


def hermitian_pinv_vjp(g: Any, x: Any, pinv: Any) -> Any:
    """The adjoint of a complex `x` in `np.linalg.pinv(x)`, while its rank stays the same.

    >>> hermitian_pinv_vjp(np.eye(1), np.array([[2.0]]), np.array([[0.5]]))
    array([[-0.25]])
    """
    turned, back = np.conj(g).mT, np.conj(pinv).mT
    left = (turned - x @ (pinv @ turned)) @ pinv @ back
    right = back @ pinv @ (turned - turned @ pinv @ x)
    return left + right - back @ g @ back


def hermitian_pinv_jvp(x_dot: Any, x: Any, pinv: Any) -> Any:
    """The tangent of `np.linalg.pinv(x)` of a complex matrix, while its rank stays the same.

    >>> hermitian_pinv_jvp(np.eye(1), np.array([[2.0]]), np.array([[0.5]]))
    array([[-0.25]])
    """
    turned, back = np.conj(x_dot).mT, np.conj(pinv).mT
    left = pinv @ back @ (turned - turned @ x @ pinv)
    right = (turned - pinv @ (x @ turned)) @ back @ pinv
    return left + right - pinv @ x_dot @ pinv


def complex_cond_slope(x: Any, p: Any = None) -> Any:
    """The derivative of `np.linalg.cond(x, p)` by each item of a complex `x`: that of a product of two norms.

    >>> np.round(complex_cond_slope(np.diag([4.0, 2.0])), 3) + 0
    array([[ 0.5,  0. ],
           [ 0. , -1. ]])
    """
    order, ends = 2 if p is None else p, (-2, -1)
    if order in (2, -2):
        return values_cond_slope(x, order)
    inverse = np.linalg.inv(x)
    own = np.linalg.norm(x, order, ends, keepdims=True)
    other = np.linalg.norm(inverse, order, ends, keepdims=True)
    turned = np.conj(inverse).mT
    back = turned @ norm_slope(inverse, order, ends) @ turned
    return norm_slope(x, order, ends) * other - own * back
