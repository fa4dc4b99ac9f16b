# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Sparse matrices, put together entry by entry, in loops and at once."""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import cg, spsolve

from .corpus import program, sample

PLACES = ([0, 1, 2], [1, 2, 0])
STIFF = sparse.csr_array(np.diag([2.0, 3.0, 4.0]) + np.diag([-1.0, -1.0], 1) + np.diag([-1.0, -1.0], -1))


@program(sample(3))
def entries_grown_in_a_loop(x):
    entries, rows, columns = [], [], []
    for i in range(3):
        entries.append(x[i] * 2.0)
        rows.append(i)
        columns.append((i + 1) % 3)
    A = sparse.coo_array((entries, (rows, columns)), shape=(3, 3))
    return np.sum((A @ x) ** 2)


@program(sample(3), sample(3, seed=1))
def assembled_and_solved(k, f):
    data, i, j = [], [], []
    for e in range(3):
        for a, b, s in ((e, e, 1.0), (e, (e + 1) % 3, -0.3), ((e + 1) % 3, e, -0.3)):
            i.append(a)
            j.append(b)
            data.append(s * k[e] * (1.0 + e))
    K = sparse.csr_matrix((data, (i, j)), shape=(3, 3))
    u = spsolve(K.tocsc(), f)
    return f @ u


@program(sample(3))
def entries_written_out(x):
    A = sparse.csr_matrix(([x[0], 2.0, x[1] * x[2]], PLACES), shape=(3, 3))
    return np.sum((A @ x) ** 2) + A.sum()


@program(sample(3))
def entries_by_arrays(x):
    A = sparse.coo_array((np.append(x, x**2), (np.array([0, 1, 2, 0, 1, 2]), np.array([0, 1, 2, 2, 0, 1]))), shape=(3, 3))
    return np.sum(A.toarray() * (A.T @ np.eye(3)))


@program(sample(3), 0.4)
def diagonals_of_a_chain(x, h):
    D = sparse.diags([x[:-1], -2.0 * x, x[1:]], [-1, 0, 1])
    u = x.copy()
    for _ in range(3):
        u = u + h * (D @ u)
    return u @ u


@program(sample(3))
def matrix_from_outside(x):
    y = STIFF @ x
    for _ in range(2):
        y = y - 0.1 * (STIFF @ y) * x
    return y @ (x @ STIFF)


@program(sample(3))
def solution_by_conjugate_gradients(x):
    u, info = cg(STIFF, x**2, rtol=1e-13)
    return np.sum(u * x) + info


@program(sample(3))
def filled_item_by_item(x):
    S = sparse.lil_matrix((3, 3))
    for i in range(3):
        S[i, i] = x[i]
        S[i, (i + 1) % 3] = x[i] * 0.5
    return np.sum((S.tocsr() @ x) ** 2)


@program(sample(2))
def blocks_and_products(x):
    A = sparse.csr_array(np.outer(x, x))
    B = sparse.kron(sparse.eye_array(2), A)
    C = sparse.vstack([B, B * x[0]])
    return (C @ np.append(x, x)).sum() + C.multiply(C).sum()
