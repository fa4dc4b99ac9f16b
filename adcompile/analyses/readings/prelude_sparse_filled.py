"""Sparse matrices that are filled item by item, in the language of the compiler: see `prelude.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix, csr_array, csr_matrix

from adcompile.analyses.readings.prelude_sparse import SparseMatrix, named
from adcompile.runtime.scipy.sparse import place_set, places_set_last


@dataclass(eq=False)
class SparseFilled:
    """A `lil_array` or `dok_array` as what it was filled with, in turn: what is set in a place last counts."""

    STANDS_FOR = "a sparse matrix that is filled item by item"
    OWN_FIELDS = True
    __array_priority__ = 10.1  # arrays leave their operators to it

    v: Any
    i: Any
    j: Any
    shape: Any
    form: Any

    def __setitem__(self, key: Any, value: Any) -> None:
        """An item, or some of the rows and columns."""
        i, j = key if isinstance(key, tuple) else (key, slice(None))
        if isinstance(i, (int, np.integer)) and isinstance(j, (int, np.integer)):
            self.v.append(float(value))
            self.i.append(i % self.shape[0])
            self.j.append(j % self.shape[1])
        elif isinstance(i, (list, np.ndarray)) and isinstance(j, (list, np.ndarray)):
            values = np.broadcast_to(value, (len(i),))
            for k in range(len(i)):
                self.v.append(values[k])
                self.i.append(int(i[k]) % self.shape[0])
                self.j.append(int(j[k]) % self.shape[1])
        else:
            rows, columns = named(self.shape[0], i), named(self.shape[1], j)
            column = np.reshape(value, (-1, 1)) if isinstance(j, (int, np.integer)) else value
            values = np.broadcast_to(column, (len(rows), len(columns)))
            for a in range(len(rows)):
                for b in range(len(columns)):
                    self.v.append(values[a, b])
                    self.i.append(int(rows[a]))
                    self.j.append(int(columns[b]))

    def __getitem__(self, key: Any) -> Any:
        """An item, or what a matrix gives."""
        if isinstance(key, tuple) and isinstance(key[0], (int, np.integer)) and isinstance(key[1], (int, np.integer)):
            k = place_set(self.i, self.j, key[0] % self.shape[0], key[1] % self.shape[1])
            return self.v[k] if k >= 0 else 0.0
        return self.tocsr()[key]

    def setdiag(self, values: Any, k: Any = 0) -> None:
        """The items of a diagonal: as many as it has, or all the same."""
        n = min(self.shape[0] + min(k, 0), self.shape[1] - max(k, 0))
        for place in range(n if np.ndim(values) == 0 else min(n, np.size(values))):
            self.v.append(float(values if np.ndim(values) == 0 else values[place]))
            self.i.append(place + max(-k, 0))
            self.j.append(place + max(k, 0))

    def entries(self, make: Any) -> Any:
        """The matrix by its entries."""
        last = places_set_last(self.i, self.j)
        i, j = np.array(self.i, dtype=int)[last], np.array(self.j, dtype=int)[last]
        return SparseMatrix(make, np.array(self.v)[last], i, j, self.shape, self.form)

    def tocsr(self) -> Any:
        """The matrix, row by row."""
        return self.entries(csr_matrix)

    def tocsc(self) -> Any:
        """The matrix, column by column."""
        return self.entries(csc_matrix)

    def tocoo(self) -> Any:
        """The matrix by its entries."""
        return self.entries(csr_array)

    def asformat(self, format: Any) -> Any:  # noqa: A002 - as SciPy has it
        """The matrix as another class has it."""
        return self.tocsc() if format == "csc" else self.tocsr()

    def toarray(self) -> Any:
        """The matrix as an array."""
        return self.tocsr().toarray()

    def todense(self) -> Any:
        """The same; what SciPy calls a matrix gives an `np.matrix`."""
        return self.tocsr().todense()

    def __matmul__(self, other: Any) -> Any:
        """The product with an array, or with another matrix."""
        return self.tocsr() @ other

    def __rmatmul__(self, x: Any) -> Any:
        """The product with what stands on the left."""
        return x @ self.tocsr()

    def dot(self, x: Any) -> Any:
        """The product with an array, or with another matrix."""
        return self.tocsr() @ x

    def __mul__(self, other: Any) -> Any:
        """A multiple, or a product."""
        return self.tocsr() * other

    def __rmul__(self, factor: Any) -> Any:
        """A multiple."""
        return factor * self.tocsr()

    def sum(self, axis: Any = None) -> Any:
        """The sum of all items, or of each row or column."""
        return self.tocsr().sum(axis)

    def transpose(self) -> Any:
        """The matrix with rows for columns."""
        return self.tocsr().T

    @property
    def T(self) -> Any:  # noqa: N802 - as it is called
        """The matrix with rows for columns."""
        return self.tocsr().T


def empty_matrix(cls: Any, arg1: Any, dtype: Any = None) -> Any:
    """`scipy.sparse.lil_matrix(shape)` and `dok_matrix(shape)`."""
    del cls, dtype
    return SparseFilled([], [], [], arg1, "matrix")


def empty_array(cls: Any, arg1: Any, dtype: Any = None) -> Any:
    """The same of `lil_array` and `dok_array`."""
    del cls, dtype
    return SparseFilled([], [], [], arg1, "array")
