"""Sparse matrices by their entries: functions that generated code may call. NumPy only, and SciPy's classes as given.

The same promises as in `helpers.py`, which hands these on. `v` are the entries in the rows `i` and columns `j`; those
in one place are added up.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def entries_times(make: Any, v: Any, i: Any, j: Any, shape: Any, x: Any) -> Any:
    """The matrix times an array: `make((v, (i, j)), shape) @ x`."""
    return make((v, (i, j)), shape) @ x


def entries_dense(make: Any, v: Any, i: Any, j: Any, shape: Any) -> Any:
    """The matrix as an array."""
    return make((v, (i, j)), shape).toarray()


def entries_sum(make: Any, v: Any, i: Any, j: Any, shape: Any, axis: int) -> Any:
    """The sums of the matrix along an axis, as SciPy has them."""
    return make((v, (i, j)), shape).sum(axis)


def entries_solve(
    solve: Any, make: Any, v: Any, i: Any, j: Any, shape: Any, b: Any
) -> Any:
    """The solution `x` of a system of equations, whose matrix times `x` is `b`."""
    return solve(make((v, (i, j)), shape), b)


def entries_factored(
    factor: Any,
    make: Any,
    v: Any,
    i: Any,
    j: Any,
    shape: Any,
    b: Any,
    trans: str = "N",
) -> Any:
    """The same by the matrix's factors, which `scipy.sparse.linalg.splu` finds; or with the transposed matrix."""
    return factor(make((v, (i, j)), shape)).solve(b, trans)


def factors_made(factor: Any, matrix: Any) -> Any:
    """The factors of a matrix that does not vary."""
    return factor(matrix)


def held_solved(factors: Any, b: Any, trans: str) -> Any:
    """The solution of equations whose matrix does not vary, by its factors."""
    return factors.solve(b, trans)


def entries_iterated(
    solve: Any,
    make: Any,
    v: Any,
    i: Any,
    j: Any,
    shape: Any,
    b: Any,
    rtol: float,
    atol: float | None,
) -> Any:
    """The same by steps, as `scipy.sparse.linalg.cg` makes them, and whether they have come to an end."""
    if atol is None:
        return solve(make((v, (i, j)), shape), b, rtol=rtol)
    return solve(make((v, (i, j)), shape), b, rtol=rtol, atol=atol)


def converged(found: Any, info: int) -> Any:
    """What a solver found in steps: where these, or others, were not enough, there is no derivative.

    >>> converged((np.array([1.0, 2.0]), 0), 0)
    array([1., 2.])
    """
    if abs(found[1]) >= 1 or info:
        message = "the steps of the solver were not enough: allow more of them, or a larger error"
        raise RuntimeError(message)
    return found[0]


def made_again(parts: Any) -> Any:
    """A matrix that is an array, or one of its entries, their places and its shape."""
    if len(parts) == 1:
        return parts[0]
    make, v, i, j, shape = parts
    return make((v, (i, j)), shape)


def eigenpairs_found(function: Any, parts: Any, words: Any) -> Any:
    """The eigenvalues that `scipy.sparse.linalg.eigsh` finds, and their vectors below them."""
    values, vectors = function(made_again(parts), **words)
    return np.concatenate((values[None], vectors))


def eigenvalues_found(function: Any, parts: Any, words: Any) -> Any:
    """The same without vectors: the eigenvalues come in another order."""
    return function(made_again(parts), return_eigenvectors=False, **words)


def squares_found(function: Any, parts: Any, b: Any, words: Any) -> Any:
    """Why `scipy.sparse.linalg.lsqr` stopped and after how many steps, and behind that what it found."""
    found = function(made_again(parts), b, **words)
    return np.concatenate((found[1:3], found[0]))


def places_among(few: Any, many: Any) -> Any:
    """Where numbers stand among others, each of them once.

    >>> places_among(np.array([3.0, 1.0]), np.array([1.0, 2.0, 3.0]))
    array([2, 0])
    """
    gaps = np.abs(np.subtract.outer(few, many))
    places = np.zeros(len(few), int)
    for _ in range(len(few)):
        k, j = np.unravel_index(np.argmin(gaps), gaps.shape)
        places[k] = j
        gaps[k], gaps[:, j] = np.inf, np.inf
    return places


def entries_expm(
    function: Any, make: Any, v: Any, i: Any, j: Any, shape: Any, b: Any
) -> Any:
    """The exponential of the matrix times an array, by `scipy.sparse.linalg.expm_multiply`."""
    return function(make((v, (i, j)), shape), b)


def places_of(matrix: Any) -> tuple[Any, Any, Any]:
    """The values of a sparse matrix, with their rows and columns."""
    entries = matrix.tocoo()
    return entries.data, entries.row, entries.col


def places_of_bands(offsets: Any, length: int, shape: Any) -> tuple[Any, Any, Any]:
    """Of which band each entry of a matrix is, by the bands' distances from the diagonal, with its row and column.

    >>> places_of_bands(np.array([0, 1]), 2, (2, 2))
    (array([0, 0, 1]), array([0, 1, 0]), array([0, 1, 1]))
    """
    bands, columns = np.indices((len(offsets), length))
    rows = columns - np.reshape(offsets, (-1, 1))
    kept = (rows >= 0) & (rows < shape[0]) & (columns < shape[1])
    return bands[kept], rows[kept], columns[kept]


def places_named(count: int, key: Any) -> Any:
    """Which of so many rows or columns an index names.

    >>> places_named(4, -1), places_named(4, slice(1, 3))
    (array([3]), array([1, 2]))
    """
    return np.atleast_1d(np.arange(count)[key])


def places_once(i: Any, j: Any, shape: Any) -> tuple[Any, Any, Any]:
    """Which of the places each entry belongs to, and these places' rows and columns, without repetition.

    >>> places_once(np.array([1, 0, 1]), np.array([0, 1, 0]), (2, 2))
    (array([1, 0, 1]), array([0, 1]), array([1, 0]))
    """
    places, of_entries = np.unique(i * shape[1] + j, return_inverse=True)
    return of_entries, places // shape[1], places % shape[1]


def places_set_last(i: Any, j: Any) -> Any:
    """Which of the items that were set one after the other are still there, since nothing was set in their place.

    >>> places_set_last([0, 1, 0], [2, 0, 2])
    array([1, 2])
    """
    at = {place: k for k, place in enumerate(zip(i, j, strict=True))}
    return np.array(sorted(at.values()), dtype=int)


def place_set(i: Any, j: Any, row: int, column: int) -> int:
    """Which of the items that were set is the one in a row and column; -1 where there is none.

    >>> place_set([0, 1, 0], [2, 0, 2], 0, 2), place_set([0], [2], 1, 1)
    (2, -1)
    """
    places = list(zip(i, j, strict=True))[::-1]
    return (
        len(places) - 1 - places.index((row, column)) if (row, column) in places else -1
    )


def places_met(j: Any, k: Any) -> tuple[Any, Any]:
    """All pairs of entries of two matrices of which one has the column that is the row of the other.

    >>> places_met(np.array([0, 1, 1]), np.array([1, 2]))
    (array([1, 2]), array([0, 0]))
    """
    order = np.argsort(k, kind="stable")
    first, last = np.searchsorted(k[order], j), np.searchsorted(k[order], j, "right")
    left = np.repeat(np.arange(len(j)), last - first)
    before = np.cumsum(last - first) - (last - first)
    return left, order[np.arange(len(left)) - np.repeat(before - first, last - first)]


def entries_expm_vjp(
    g: Any, function: Any, make: Any, v: Any, i: Any, j: Any, shape: Any, b: Any
) -> Any:
    """The adjoint of the entries in `entries_expm`: an integral over the way from 0 to 1, by Gauss's rule on pieces."""
    matrix = make((v, (i, j)), shape)
    pieces = 1 + int(np.max(abs(matrix).sum(axis=0)))
    places, weights = np.polynomial.legendre.leggauss(12)
    total = np.zeros(np.shape(v), np.result_type(v, g))
    for k in range(pieces):
        for place, weight in zip(places, weights, strict=True):
            s = (k + 0.5 + 0.5 * place) / pieces
            ahead = function((1.0 - s) * matrix.T, g)
            total += (
                0.5 * weight / pieces * paired(ahead, function(s * matrix, b), i, j)
            )
    return total


def entries_expm_jvp(
    v_dot: Any, function: Any, make: Any, v: Any, i: Any, j: Any, shape: Any, b: Any
) -> Any:
    """The tangent of `entries_expm` by the entries: that of two matrices, with the tangent beside them."""
    n = len(b)
    rows, columns = np.concatenate((i, i, i + n)), np.concatenate((j, j + n, j + n))
    both = make((np.concatenate((v, v_dot, v)), (rows, columns)), (2 * n, 2 * n))
    return function(both, np.concatenate((np.zeros_like(b), b)))[:n]


def paired(a: Any, b: Any, i: Any, j: Any) -> Any:
    """The items of the outer product of `a` and `b` in the rows `i` and columns `j`, summed over further axes.

    >>> paired(np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([1, 1]), np.array([0, 1]))
    array([6., 8.])
    """
    products = a[i] * b[j]
    return np.sum(products, tuple(range(1, np.ndim(products))))


def entries_product(v: Any, i: Any, j: Any, shape: Any, x: Any) -> Any:
    """The matrix times a vector, without the matrix.

    >>> entries_product(np.array([2.0, 3.0]), np.array([0, 0]), np.array([1, 0]), (2,), np.array([1.0, 10.0]))
    array([23.,  0.])
    """
    out = np.zeros(shape, np.result_type(v, x))
    np.add.at(out, i, v * x[j])
    return out


def offsets_of(shapes: Any) -> Any:
    """Where the rows and the columns of blocks begin, and the last ones end, by the shapes of those that are there.

    >>> offsets_of([[(2, 3), None], [None, (1, 4)]])
    ([0, 2, 3], [0, 3, 7])
    """
    rows, columns = [0], [0]
    for row in shapes:
        rows.append(rows[-1] + next(shape[0] for shape in row if shape))
    for column in zip(*shapes, strict=True):
        columns.append(columns[-1] + next(shape[1] for shape in column if shape))
    return rows, columns
