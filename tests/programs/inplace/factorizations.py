# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Linear algebra by hand, in the memory of the matrix: factorizations, solves, eliminations, orthogonalization."""

import math

import numpy as np

from ..corpus import program, sample

SPD = sample(3, 3) @ sample(3, 3).T + 2.0 * np.eye(3)
DOMINANT = sample(3, 3, seed=2) + 3.0 * np.eye(3)


@program(SPD)
def cholesky_in_place(a):
    n = len(a)
    for j in range(n):
        for k in range(j):
            a[j, j] -= a[j, k] ** 2
        a[j, j] = math.sqrt(a[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
    return a[2, 0] + a[1, 1] * a[2, 2]


@program(SPD)
def cholesky_into_another(a):
    n = len(a)
    l = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= l[i, k] * l[j, k]
            if i == j:
                l[i, i] = math.sqrt(s)
            else:
                l[i, j] = s / l[j, j]
    return np.sum(np.log(np.diag(l)))


@program(SPD)
def cholesky_by_columns(a):
    for k in range(3):
        a[k, k] **= 0.5
        a[k + 1 :, k] /= a[k, k]
        for j in range(k + 1, 3):
            a[j:, j] -= a[j, k] * a[j:, k]
    return np.sum(np.tril(a) ** 3)


@program(DOMINANT)
def lu_in_place(a):
    n = a.shape[0]
    for k in range(n - 1):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a[0, 0] * a[1, 1] * a[2, 2] + a[2, 1]


@program(DOMINANT)
def lu_by_outer_products(a):
    for k in range(2):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return np.sum(np.triu(a) ** 2) + a[2, 0]


@program(DOMINANT[[1, 0, 2]])
def lu_with_pivots(a):
    sign = 1.0
    for k in range(3):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            a[[k, p]] = a[[p, k]]
            sign = -sign
        for i in range(k + 1, 3):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
    return sign * np.prod(np.diag(a))


@program(np.tril(DOMINANT), sample(3))
def forward_substitution(l, b):
    for i in range(3):
        for j in range(i):
            b[i] -= l[i, j] * b[j]
        b[i] /= l[i, i]
    return b @ b


@program(np.triu(DOMINANT), sample(3))
def backward_substitution(u, b):
    x = np.zeros(3)
    for i in range(2, -1, -1):
        x[i] = (b[i] - u[i, i + 1 :] @ x[i + 1 :]) / u[i, i]
    return np.sum(x**2)


@program(DOMINANT, sample(3))
def gauss_elimination(a, b):
    a, b = a.copy(), b.copy()
    for k in range(3):
        for i in range(k + 1, 3):
            m = a[i, k] / a[k, k]
            a[i] -= m * a[k]
            b[i] -= m * b[k]
    for k in reversed(range(3)):
        b[k] = (b[k] - np.dot(a[k, k + 1 :], b[k + 1 :])) / a[k, k]
    return np.sum(b * b)


@program(DOMINANT)
def inverse_by_gauss_jordan(a):
    work = np.hstack([a, np.eye(3)])
    for k in range(3):
        work[k] /= work[k, k]
        for i in range(3):
            if i != k:
                work[i] -= work[i, k] * work[k]
    return np.sum(work[:, 3:] ** 2)


@program(sample(4) + 2, sample(4, seed=1) * 0.5, sample(4, seed=2) * 0.5, sample(4, seed=3))
def thomas_algorithm(d, lower, upper, b):
    n = len(d)
    for i in range(1, n):
        w = lower[i] / d[i - 1]
        d[i] -= w * upper[i - 1]
        b[i] -= w * b[i - 1]
    b[-1] /= d[-1]
    for i in range(n - 2, -1, -1):
        b[i] = (b[i] - upper[i] * b[i + 1]) / d[i]
    return np.sum(b * b)


@program(sample(3, 3, seed=4))
def gram_schmidt(a):
    q = a.copy()
    for j in range(3):
        for k in range(j):
            q[:, j] -= (q[:, k] @ q[:, j]) * q[:, k]
        q[:, j] /= math.sqrt(q[:, j] @ q[:, j])
    return np.sum(q * a) + q[0, 2] ** 2


@program(sample(3, 2, seed=4))
def householder(a):
    r = a.copy()
    for k in range(2):
        v = r[k:, k].copy()
        v[0] += np.sqrt(np.sum(v * v))
        v /= np.sqrt(np.sum(v * v))
        r[k:, k:] -= 2.0 * np.outer(v, v @ r[k:, k:])
    return r[0, 0] * r[1, 1] + r[0, 1]


@program(sample(3, 3, seed=4))
def givens_rotation(a):
    h = np.hypot(a[0, 0], a[1, 0])
    c, s = a[0, 0] / h, a[1, 0] / h
    for j in range(3):
        a[0, j], a[1, j] = c * a[0, j] + s * a[1, j], -s * a[0, j] + c * a[1, j]
    return a[0, 0] * a[1, 1] + np.sum(a[:, 2] ** 2)


@program(SPD, sample(3))
def conjugate_gradients(a, b):
    x = np.zeros_like(b)
    r = b.copy()
    p = r.copy()
    rho = r @ r
    for _ in range(2):
        q = a @ p
        alpha = rho / (p @ q)
        x += alpha * p
        r -= alpha * q
        rho, old = r @ r, rho
        p *= rho / old
        p += r
    return x @ x + r @ r


@program(SPD, sample(3))
def power_iteration_in_place(a, v):
    for _ in range(4):
        v[:] = a @ v
        v /= np.linalg.norm(v)
    return v @ a @ v


@program(sample(3, 3))
def matrix_product_by_elements(a):
    c = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                c[i, j] += a[i, k] * a[k, j]
    return c[0, 1] * c[2, 2] + c[1, 0]


@program(sample(3, 3))
def matrix_power_in_place(a):
    result = np.eye(3)
    n = 5
    while n:
        if n & 1:
            result[:] = result @ a
        a[:] = a @ a * 0.1
        n >>= 1
    return np.sum(result)


@program(sample(4))
def transposed_by_swaps(x):
    a = np.outer(x, x**2)
    for i in range(4):
        for j in range(i):
            a[i, j], a[j, i] = a[j, i], a[i, j]
    return a[0, 3] * x[0] + a[3, 0] * x[1]


@program(DOMINANT)
def determinant_by_elimination(a):
    det = 1.0
    for k in range(3):
        det *= a[k, k]
        for i in range(k + 1, 3):
            a[i, k:] = a[i, k:] - a[k, k:] * (a[i, k] / a[k, k])
    return det
