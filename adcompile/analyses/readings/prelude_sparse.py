"""Sparse matrices in the language of the compiler: see `prelude.py`. A matrix is its entries with their places."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csc_matrix, csr_matrix
from scipy.sparse.linalg import spsolve

from adcompile.ir.kinds import Array, Struct
from adcompile.runtime.scipy.sparse import entries_dense, entries_solve, entries_times


class Entries:
    """A sparse matrix made of triplets."""

    def __init__(self, make: Any, v: Any, i: Any, j: Any, shape: Any) -> None:
        self.make = make
        self.v = v
        self.i = i
        self.j = j
        self.shape = shape

    def __matmul__(self, x: Any) -> Any:
        """The product with an array."""
        return entries_times(self.make, self.v, self.i, self.j, self.shape, x)

    def dot(self, x: Any) -> Any:
        """The product with an array."""
        return entries_times(self.make, self.v, self.i, self.j, self.shape, x)

    def toarray(self) -> Any:
        """The matrix as an array."""
        return entries_dense(self.make, self.v, self.i, self.j, self.shape)

    def transpose(self) -> Any:
        """The matrix with rows for columns."""
        return Entries(self.make, self.v, self.j, self.i, (self.shape[1], self.shape[0]))

    @property
    def T(self) -> Any:  # noqa: N802 - as it is called
        """The matrix with rows for columns."""
        return Entries(self.make, self.v, self.j, self.i, (self.shape[1], self.shape[0]))

    def tocsr(self) -> Any:
        """The matrix, row by row."""
        return Entries(csr_matrix, self.v, self.i, self.j, self.shape)

    def tocsc(self) -> Any:
        """The matrix, column by column."""
        return Entries(csc_matrix, self.v, self.i, self.j, self.shape)

    def sum(self) -> Any:
        """The sum of all entries."""
        return np.sum(entries_times(self.make, self.v, self.i, self.j, self.shape, np.ones((self.shape[1], 1))))


def triplets(cls: Any, arg1: Any, shape: Any) -> Any:
    """`scipy.sparse.coo_array((v, (i, j)), shape)` and the like of other classes."""
    v, (i, j) = arg1
    return Entries(cls, v, i, j, shape)


def solved(function: Any, A: Any, b: Any) -> Any:  # noqa: N803 - as SciPy has it
    """`scipy.sparse.linalg.spsolve`."""
    del function
    return entries_solve(spsolve, A.make, A.v, A.i, A.j, A.shape, b)


READ_FOR: dict[str, Any] = {
    **{f"{kind}_{what}": triplets for kind in ("coo", "csr", "csc") for what in ("array", "matrix")},
    "spsolve": solved,
}


def _are_triplets(first: Any) -> bool:
    """Whether a sparse matrix is made of values and their places, and may so vary."""
    match first:
        case Struct(form="tuple", items=(Array(dtype=str() as dtype), Struct(form="tuple", items=(_, _)))):
            return dtype.startswith("float")
        case _:
            return False


def _is_read(first: Any) -> bool:
    """Whether a matrix is one that is read as its entries."""
    return isinstance(first, Struct) and first.cls is Entries


FITS: dict[str, Any] = {name: _is_read if name == "spsolve" else _are_triplets for name in READ_FOR}
METHODS_OF: dict[str, type] = {}
