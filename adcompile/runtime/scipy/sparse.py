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


def entries_solve(
    solve: Any, make: Any, v: Any, i: Any, j: Any, shape: Any, b: Any
) -> Any:
    """The solution `x` of a system of equations, whose matrix times `x` is `b`."""
    return solve(make((v, (i, j)), shape), b)


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
