"""Sparse matrices in the language of the compiler: see `prelude.py`. A matrix is its entries with their places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csc_matrix, csr_array, csr_matrix, sparray, spmatrix

from adcompile.analyses.readings.prelude import exactly
from adcompile.analyses.readings.prelude_sparse_lines import SparseLine
from adcompile.runtime.cuts import as_like, unread
from adcompile.runtime.scipy.distributions import of_rank
from adcompile.runtime.scipy.sparse import (
    entries_dense,
    entries_product,
    entries_sum,
    entries_times,
    offsets_of,
    places_met,
    places_named,
    places_of,
    places_of_bands,
    places_once,
)


@dataclass(frozen=True, eq=False)
class SparseMatrix:
    """A sparse matrix by its entries; what SciPy calls a matrix, not an array, has another `*` and other sums."""

    STANDS_FOR = "a sparse matrix whose entries may vary"
    OWN_FIELDS = True
    __array_priority__ = 10.1  # arrays leave their operators to it

    make: Any
    v: Any
    i: Any
    j: Any
    shape: Any
    form: Any

    def __matmul__(self, other: Any) -> Any:
        """The product with an array, or with another matrix."""
        return (
            entries_times(self.make, self.v, self.i, self.j, self.shape, other)
            if isinstance(other, np.ndarray)
            else product_of(entries_of(self), entries_of(other), (self.shape[0], other.shape[1]), self.form)
        )

    def __rmatmul__(self, x: Any) -> Any:
        """The product with an array on the left, or with a matrix that is held fixed."""
        return (
            entries_times(self.make, self.v, self.j, self.i, (self.shape[1], self.shape[0]), x.T).T
            if isinstance(x, np.ndarray)
            else product_of(places_of(x), entries_of(self), (x.shape[0], self.shape[1]), self.form)
        )

    def __mul__(self, other: Any) -> Any:
        """A multiple; of what SciPy calls a matrix, the product with what has rows, of an array that of each item."""
        if isinstance(other, (SparseMatrix, sparray, spmatrix)):
            return self @ other if self.form == "matrix" else self.multiply(other)
        if isinstance(other, np.ndarray):
            return self @ other if self.form == "matrix" else self.multiply(other)
        return SparseMatrix(self.make, self.v * of_rank(other, 0), self.i, self.j, self.shape, self.form)

    def __rmul__(self, factor: Any) -> Any:
        """A multiple."""
        return SparseMatrix(self.make, of_rank(factor, 0) * self.v, self.i, self.j, self.shape, self.form)

    def __truediv__(self, divisor: Any) -> Any:
        """A part."""
        return SparseMatrix(self.make, self.v * (1.0 / of_rank(divisor, 0)), self.i, self.j, self.shape, self.form)

    def __neg__(self) -> Any:
        """The negative."""
        return SparseMatrix(self.make, -self.v, self.i, self.j, self.shape, self.form)

    def __add__(self, other: Any) -> Any:
        """The sum with another matrix."""
        v, i, j = entries_of(other)
        places = np.concatenate((self.i, i)), np.concatenate((self.j, j))
        return SparseMatrix(csr_array, np.concatenate((self.v, v)), places[0], places[1], self.shape, self.form)

    def __radd__(self, other: Any) -> Any:
        """The sum with a matrix that is held fixed."""
        v, i, j = places_of(other)
        places = np.concatenate((i, self.i)), np.concatenate((j, self.j))
        return SparseMatrix(csr_array, np.concatenate((v, self.v)), places[0], places[1], self.shape, self.form)

    def __sub__(self, other: Any) -> Any:
        """The difference to another matrix."""
        v, i, j = entries_of(other)
        places = np.concatenate((self.i, i)), np.concatenate((self.j, j))
        return SparseMatrix(csr_array, np.concatenate((self.v, -v)), places[0], places[1], self.shape, self.form)

    def __rsub__(self, other: Any) -> Any:
        """The difference to a matrix that is held fixed."""
        v, i, j = places_of(other)
        places = np.concatenate((i, self.i)), np.concatenate((j, self.j))
        return SparseMatrix(csr_array, np.concatenate((v, -self.v)), places[0], places[1], self.shape, self.form)

    def __abs__(self) -> Any:
        """The size of each item."""
        v, i, j = entries_of(self)
        return SparseMatrix(csr_array, np.abs(v), i, j, self.shape, self.form)

    def __getitem__(self, key: Any) -> Any:
        """An item, or some of the rows and columns: of an array, a single one is an array of one axis."""
        if isinstance(key, tuple):
            i, j = key
            if isinstance(i, (int, np.integer)) and isinstance(j, (int, np.integer)):
                place = np.arange(self.shape[0])[i], np.arange(self.shape[1])[j]
                return np.sum(self.v[np.flatnonzero((self.i == place[0]) & (self.j == place[1]))])
            if isinstance(i, (list, np.ndarray)) and isinstance(j, (list, np.ndarray)):
                return unread("items of a sparse matrix by two lists", "Write `A[rows][:, columns]`, or use an array.")
            part = self.some(named(self.shape[0], i), named(self.shape[1], j))
            if self.form == "array" and isinstance(i, (int, np.integer)):
                return SparseLine(part)
            return SparseLine(part.T) if self.form == "array" and isinstance(j, (int, np.integer)) else part
        if isinstance(key, (list, np.ndarray, slice)):
            return self.some(named(self.shape[0], key), np.arange(self.shape[1]))
        if isinstance(key, (int, np.integer)):
            return self.getrow(key) if self.form == "matrix" else SparseLine(self.getrow(key))
        return unread("these items of a sparse matrix", "Read them of `A.toarray()`.")

    def some(self, rows: Any, columns: Any) -> Any:
        """Rows and columns by their numbers."""
        above, found = places_met(rows, self.i)
        left, kept = places_met(columns, self.j[found])
        shape = (len(rows), len(columns))
        return SparseMatrix(csr_array, self.v[found[kept]], above[kept], left, shape, self.form)

    def getrow(self, i: Any) -> Any:
        """A row."""
        return self.some(named(self.shape[0], i), np.arange(self.shape[1]))

    def getcol(self, j: Any) -> Any:
        """A column."""
        return self.some(np.arange(self.shape[0]), named(self.shape[1], j))

    def dot(self, x: Any) -> Any:
        """The product with an array, or with another matrix."""
        return self @ x

    def todense(self) -> Any:
        """The matrix as an array; what SciPy calls a matrix gives an `np.matrix`."""
        if self.form == "matrix":
            return unread("`todense` of what SciPy calls a matrix, which is an `np.matrix`", "Write `toarray()`.")
        return entries_dense(self.make, self.v, self.i, self.j, self.shape)

    def max(self) -> Any:
        """The largest item."""
        return np.max(self.toarray())

    def min(self) -> Any:
        """The smallest item."""
        return np.min(self.toarray())

    def toarray(self) -> Any:
        """The matrix as an array."""
        return entries_dense(self.make, self.v, self.i, self.j, self.shape)

    def transpose(self) -> Any:
        """The matrix with rows for columns."""
        return SparseMatrix(self.make, self.v, self.j, self.i, (self.shape[1], self.shape[0]), self.form)

    @property
    def T(self) -> Any:  # noqa: N802 - as it is called
        """The matrix with rows for columns."""
        return SparseMatrix(self.make, self.v, self.j, self.i, (self.shape[1], self.shape[0]), self.form)

    def tocsr(self) -> Any:
        """The matrix, row by row."""
        return SparseMatrix(csr_matrix, self.v, self.i, self.j, self.shape, self.form)

    def tocsc(self) -> Any:
        """The matrix, column by column."""
        return SparseMatrix(csc_matrix, self.v, self.i, self.j, self.shape, self.form)

    def tocoo(self) -> Any:
        """The matrix by its entries."""
        return SparseMatrix(self.make, self.v, self.i, self.j, self.shape, self.form)

    copy = tocoo
    conj = tocoo

    def multiply(self, other: Any) -> Any:
        """The product of each item with a number, or with that of an array or of another matrix."""
        factors = other.toarray() if isinstance(other, (SparseMatrix, sparray, spmatrix)) else other
        v = self.v * np.broadcast_to(factors, self.shape)[self.i, self.j]
        return SparseMatrix(csr_array, v, self.i, self.j, self.shape, self.form)

    def power(self, n: Any) -> Any:
        """A power of each item."""
        v, i, j = entries_of(self)
        return SparseMatrix(csr_array, v**n, i, j, self.shape, self.form)

    def sum(self, axis: Any = None) -> Any:
        """The sum of all entries, or of each row or column: of an array, since those of a matrix are `np.matrix`."""
        if axis is None:
            return np.sum(entries_times(self.make, self.v, self.i, self.j, self.shape, np.ones((self.shape[1], 1))))
        values = of_rank(self.v, 2) if self.form == "matrix" else self.v
        if axis % 2 == 1:
            rows = entries_product(values, self.i, self.j, (self.shape[0],), np.ones(self.shape[1]))
            return exactly(rows, entries_sum, self.make, self.v, self.i, self.j, self.shape, 1)
        columns = entries_product(values, self.j, self.i, (self.shape[1],), np.ones(self.shape[0]))
        return exactly(columns, entries_sum, self.make, self.v, self.i, self.j, self.shape, 0)

    def mean(self, axis: Any = None) -> Any:
        """The mean of all items, or of each row or column."""
        count = self.shape[0] * self.shape[1] if axis is None else self.shape[axis]
        return self.sum(axis) / count

    def diagonal(self) -> Any:
        """The items on the diagonal."""
        kept = np.flatnonzero(self.i == self.j)
        size = min(self.shape[0], self.shape[1])
        return entries_product(self.v[kept], self.i[kept], self.i[kept], (size,), np.ones(self.shape[0]))

    def trace(self) -> Any:
        """The sum of the items on the diagonal."""
        return np.sum(self.v[np.flatnonzero(self.i == self.j)])


def named(count: Any, key: Any) -> Any:
    """Which of so many rows or columns an index names."""
    return as_like(places_named(count, key), np.zeros(2, int))


def product_of(first: Any, second: Any, shape: Any, form: Any) -> Any:
    """The product of two matrices by their entries: one for each pair that meets."""
    v, i, j = first
    w, k, m = second
    left, right = places_met(j, k)
    return SparseMatrix(csr_array, v[left] * w[right], i[left], m[right], shape, form)


def entries_of(matrix: Any) -> Any:
    """The entries of a matrix, one in a place, with their rows and columns; also of one that is held fixed."""
    if isinstance(matrix, SparseMatrix):
        place, i, j = places_once(matrix.i, matrix.j, matrix.shape)
        return np.asarray(np.bincount(place, matrix.v), matrix.v.dtype), i, j
    return places_of(matrix)


def triplets_as_array(cls: Any, arg1: Any, shape: Any = None) -> Any:
    """`scipy.sparse.coo_array((v, (i, j)), shape)` and the like of other classes."""
    v, places = arg1
    return by_triplets(cls, np.asarray(v), np.asarray(places[0]), np.asarray(places[1]), shape, "array")


def triplets_as_matrix(cls: Any, arg1: Any, shape: Any = None) -> Any:
    """The same of what SciPy calls a matrix."""
    v, places = arg1
    return by_triplets(cls, np.asarray(v), np.asarray(places[0]), np.asarray(places[1]), shape, "matrix")


def by_triplets(cls: Any, v: Any, i: Any, j: Any, shape: Any, form: Any) -> Any:
    """A matrix by entries and their places, which lie within its shape, or up to its end."""
    if shape is None:
        return SparseMatrix(cls, v, i, j, (int(np.max(i)) + 1, int(np.max(j)) + 1), form)
    return SparseMatrix(cls, v, i, j, shape, form)


def rows_as_array(cls: Any, arg1: Any, shape: Any) -> Any:
    """`scipy.sparse.csr_array((v, columns, ends), shape)`."""
    v, columns, ends = arg1
    return SparseMatrix(cls, v, np.repeat(np.arange(len(ends) - 1), np.diff(ends)), np.asarray(columns), shape, "array")


def rows_as_matrix(cls: Any, arg1: Any, shape: Any) -> Any:
    """The same of what SciPy calls a matrix."""
    v, columns, ends = arg1
    return SparseMatrix(
        cls, v, np.repeat(np.arange(len(ends) - 1), np.diff(ends)), np.asarray(columns), shape, "matrix"
    )


def columns_as_array(cls: Any, arg1: Any, shape: Any) -> Any:
    """`scipy.sparse.csc_array((v, rows, ends), shape)`."""
    v, rows, ends = arg1
    return SparseMatrix(cls, v, np.asarray(rows), np.repeat(np.arange(len(ends) - 1), np.diff(ends)), shape, "array")


def columns_as_matrix(cls: Any, arg1: Any, shape: Any) -> Any:
    """The same of what SciPy calls a matrix."""
    v, rows, ends = arg1
    return SparseMatrix(cls, v, np.asarray(rows), np.repeat(np.arange(len(ends) - 1), np.diff(ends)), shape, "matrix")


def again_as_array(cls: Any, arg1: Any) -> Any:
    """`scipy.sparse.csc_array(A)` of another sparse matrix."""
    return SparseMatrix(cls, arg1.v, arg1.i, arg1.j, arg1.shape, "array")


def again_as_matrix(cls: Any, arg1: Any) -> Any:
    """The same of what SciPy calls a matrix."""
    return SparseMatrix(cls, arg1.v, arg1.i, arg1.j, arg1.shape, "matrix")


def items_as_array(cls: Any, arg1: Any) -> Any:
    """The same of an array: its items that are not zero."""
    i, j = np.nonzero(arg1)
    return SparseMatrix(cls, arg1[i, j], i, j, np.shape(arg1), "array")


def items_as_matrix(cls: Any, arg1: Any) -> Any:
    """The same of what SciPy calls a matrix."""
    i, j = np.nonzero(arg1)
    return SparseMatrix(cls, arg1[i, j], i, j, np.shape(arg1), "matrix")


def items_of_matrix(cls: Any, arg1: Any) -> Any:
    """The same of a class that is made of an array alone: `lil_matrix` and `dok_matrix`."""
    del cls
    i, j = np.nonzero(arg1)
    return SparseMatrix(csr_matrix, arg1[i, j], i, j, np.shape(arg1), "matrix")


def items_of_array(cls: Any, arg1: Any) -> Any:
    """The same of `lil_array` and `dok_array`."""
    del cls
    i, j = np.nonzero(arg1)
    return SparseMatrix(csr_array, arg1[i, j], i, j, np.shape(arg1), "array")


def bands_as_matrix(cls: Any, arg1: Any, shape: Any) -> Any:
    """`scipy.sparse.dia_matrix((data, offsets), shape)`."""
    del cls
    data, offsets = arg1
    k, i, j = places_of_bands(np.atleast_1d(offsets), np.shape(data)[1], shape)
    return SparseMatrix(coo_array, data[k, j], i, j, shape, "matrix")


def bands_as_array(cls: Any, arg1: Any, shape: Any) -> Any:
    """`scipy.sparse.dia_array((data, offsets), shape)`."""
    del cls
    data, offsets = arg1
    k, i, j = places_of_bands(np.atleast_1d(offsets), np.shape(data)[1], shape)
    return SparseMatrix(coo_array, data[k, j], i, j, shape, "array")


def bands_by_sizes(function: Any, data: Any, diags: Any, m: Any, n: Any, format: Any = None) -> Any:  # noqa: A002 - as SciPy has it
    """`scipy.sparse.spdiags`."""
    del format
    return bands_as_matrix(function, (data, diags), (m, n))


def side_by_side(function: Any, blocks: Any, format: Any = None) -> Any:  # noqa: A002 - as SciPy has it
    """`scipy.sparse.hstack`."""
    del function, format
    v, i, j = entries_of(blocks[0])
    rows, columns = blocks[0].shape
    for block in blocks[1:]:
        w, k, m = entries_of(block)
        v, i, j = np.concatenate((v, w)), np.concatenate((i, k)), np.concatenate((j, m + columns))
        columns = columns + block.shape[1]
    return SparseMatrix(csr_array, v, i, j, (rows, columns), "array")


def one_above_another(function: Any, blocks: Any, format: Any = None) -> Any:  # noqa: A002 - as SciPy has it
    """`scipy.sparse.vstack`."""
    del function, format
    v, i, j = entries_of(blocks[0])
    rows, columns = blocks[0].shape
    for block in blocks[1:]:
        w, k, m = entries_of(block)
        v, i, j = np.concatenate((v, w)), np.concatenate((i, k + rows)), np.concatenate((j, m))
        rows = rows + block.shape[0]
    return SparseMatrix(csr_array, v, i, j, (rows, columns), "array")


def along_the_diagonal(function: Any, mats: Any, format: Any = None) -> Any:  # noqa: A002 - as SciPy has it
    """`scipy.sparse.block_diag`."""
    del function, format
    v, i, j = entries_of(mats[0])
    rows, columns = mats[0].shape
    for block in mats[1:]:
        w, k, m = entries_of(block)
        v, i, j = np.concatenate((v, w)), np.concatenate((i, k + rows)), np.concatenate((j, m + columns))
        rows, columns = rows + block.shape[0], columns + block.shape[1]
    return SparseMatrix(csr_array, v, i, j, (rows, columns), "array")


def of_blocks(function: Any, blocks: Any, format: Any = None) -> Any:  # noqa: A002 - as SciPy has it
    """`scipy.sparse.bmat` and `block_array`."""
    del function, format
    rows, columns = offsets_of([[None if block is None else block.shape for block in row] for row in blocks])
    v, i, j = np.zeros(0), np.zeros(0, int), np.zeros(0, int)
    for a, row in enumerate(blocks):
        for b, block in enumerate(row):
            if block is not None:
                w, k, m = entries_of(block)
                v, i, j = np.concatenate((v, w)), np.concatenate((i, k + rows[a])), np.concatenate((j, m + columns[b]))
    return SparseMatrix(csr_array, v, i, j, (rows[-1], columns[-1]), "array")


def lower_part(function: Any, A: Any, k: Any = 0, format: Any = None) -> Any:  # noqa: A002, N803 - as SciPy has it
    """`scipy.sparse.tril`."""
    del function, format
    kept = np.flatnonzero(A.j <= A.i + k)
    return SparseMatrix(coo_array, A.v[kept], A.i[kept], A.j[kept], A.shape, A.form)


def upper_part(function: Any, A: Any, k: Any = 0, format: Any = None) -> Any:  # noqa: A002, N803 - as SciPy has it
    """`scipy.sparse.triu`."""
    del function, format
    kept = np.flatnonzero(A.j >= A.i + k)
    return SparseMatrix(coo_array, A.v[kept], A.i[kept], A.j[kept], A.shape, A.form)


def diagonals_as_matrix(
    function: Any, diagonals: Any, offsets: Any = 0, shape: Any = None, format: Any = None  # noqa: A002 - as SciPy has it
) -> Any:
    """`scipy.sparse.diags`."""
    del function, format
    v, i, j, size = by_diagonals(diagonals, offsets, shape)
    return SparseMatrix(coo_array, v, i, j, size, "matrix")


def diagonals_as_array(
    function: Any, diagonals: Any, *, offsets: Any = 0, shape: Any = None, format: Any = None  # noqa: A002 - as above
) -> Any:
    """`scipy.sparse.diags_array`."""
    del function, format
    v, i, j, size = by_diagonals(diagonals, offsets, shape)
    return SparseMatrix(coo_array, v, i, j, size, "array")


def by_diagonals(diagonals: Any, offsets: Any, shape: Any) -> Any:
    """The entries of a matrix by its diagonals, one after the other, with their places, and its shape."""
    if isinstance(offsets, int):
        whole = np.ravel(diagonals)
        n = np.size(whole) + abs(offsets)
        size = (n, n) if shape is None else shape
        i, j = along_diagonal(offsets, size)
        return np.broadcast_to(whole, np.shape(i)), i, j, size
    n = np.size(diagonals[0]) + abs(offsets[0])
    size = (n, n) if shape is None else shape
    i = np.concatenate([along_diagonal(k, size)[0] for k in offsets])
    j = np.concatenate([along_diagonal(k, size)[1] for k in offsets])
    v = np.concatenate([d * np.ones(np.shape(along_diagonal(k, size)[0])) for d, k in zip(diagonals, offsets)])  # noqa: B905 - as many
    return v, i, j, size


def along_diagonal(offset: Any, size: Any) -> Any:
    """The rows and columns of the items of a diagonal."""
    rows, columns = size
    places = np.arange(min(rows + min(offset, 0), columns - max(offset, 0)))
    return places + max(-offset, 0), places + max(offset, 0)


def size_of(function: Any, x: Any) -> Any:
    """`scipy.sparse.linalg.norm` of all entries."""
    del function
    return np.linalg.norm(entries_of(x)[0])


def product_of_blocks(function: Any, A: Any, B: Any, format: Any = None) -> Any:  # noqa: A002, N803 - as SciPy has it
    """`scipy.sparse.kron`: each item of the first matrix times the second one."""
    del function, format
    v, i, j = entries_of(A)
    w, k, m = entries_of(B)
    rows, columns = np.shape(B) if isinstance(B, np.ndarray) else B.shape
    values = np.ravel(np.reshape(v, (-1, 1)) * w)
    places = np.ravel(np.add.outer(i * rows, k)), np.ravel(np.add.outer(j * columns, m))
    return SparseMatrix(csr_array, values, places[0], places[1], (A.shape[0] * rows, A.shape[1] * columns), "array")
