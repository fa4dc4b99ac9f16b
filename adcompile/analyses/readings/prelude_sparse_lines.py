"""Single rows and columns of sparse arrays in the language of the compiler: see `prelude.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from adcompile.runtime.cuts import unread


@dataclass(frozen=True, eq=False)
class SparseLine:
    """A sparse array of one axis, as a matrix of a single row."""

    STANDS_FOR = "a row or column of a sparse array"
    OWN_FIELDS = True
    __array_priority__ = 10.1  # arrays leave their operators to it

    row: Any

    @property
    def shape(self) -> Any:
        """The length."""
        return (self.row.shape[1],)

    def toarray(self) -> Any:
        """The items as an array."""
        return self.row.toarray()[0]

    todense = toarray

    def sum(self) -> Any:
        """The sum of the items."""
        return self.row.sum()

    def mean(self) -> Any:
        """The mean of the items."""
        return self.row.sum() / self.row.shape[1]

    def max(self) -> Any:
        """The largest item."""
        return self.row.max()

    def min(self) -> Any:
        """The smallest item."""
        return self.row.min()

    def __matmul__(self, other: Any) -> Any:
        """The product with an array."""
        if isinstance(other, np.ndarray):
            return (self.row @ other)[0]
        return unread("the product of sparse arrays of one axis", "Write `a.toarray() @ b.toarray()`.")

    def __rmatmul__(self, x: Any) -> Any:
        """The product with an array on the left."""
        return (self.row @ x.T)[0]

    dot = __matmul__

    def __mul__(self, factor: Any) -> Any:
        """A multiple."""
        return SparseLine(self.row * factor)

    def __rmul__(self, factor: Any) -> Any:
        """A multiple."""
        return SparseLine(factor * self.row)

    def __truediv__(self, divisor: Any) -> Any:
        """A part."""
        return SparseLine(self.row / divisor)

    def __neg__(self) -> Any:
        """The negative."""
        return SparseLine(-self.row)

    def power(self, n: Any) -> Any:
        """A power of each item."""
        return SparseLine(self.row.power(n))
