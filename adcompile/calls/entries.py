"""From the entries of a sparse Jacobian, row by row as they were made, to SciPy's matrix.

>>> from numpy import array
>>> matrix([2, 0], (array([1.0, 3.0, 4.0]), array([1, 0, 1]), array([1, 3])), (3, 2), sums=False).toarray()
array([[3., 4.],
       [0., 0.],
       [0., 1.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile.errors import UnsupportedError


def scipy_sparse() -> Any:
    """SciPy's sparse matrices, which the extra `scipy` brings."""
    try:
        from scipy import sparse  # noqa: PLC0415 - it takes 200 ms to import
    except ImportError as error:
        raise UnsupportedError(
            "`sparse=True` needs SciPy",
            reason="It is not installed.",
            remedy="Install it with `pip install adcompile[scipy]`.",
        ) from error
    return sparse


def matrix(made: Any, entries: tuple[Any, Any, Any], shape: tuple[int, int], *, sums: bool) -> Any:
    """A `csr_array` of a shape, from the numbers of the rows in the order in which they were made, and their entries.

    `entries` are values, columns, and how many there are at the end of each row. Of rows that are made twice the last
    one counts, or with `sums` all of them together.
    """
    rows = np.asarray(made)
    values, columns, ends = entries
    counts = np.diff(ends, prepend=0)
    if np.all(rows[1:] > rows[:-1]):
        starts = np.zeros(shape[0] + 1, np.int64)
        starts[rows + 1] = counts
        found = scipy_sparse().csr_array((values, columns, np.cumsum(starts)), shape)
    else:
        if not sums:
            last = np.zeros(shape[0], np.int64)
            np.maximum.at(last, rows, np.arange(len(rows)))
            overwritten = last[rows] != np.arange(len(rows))
            kept = np.repeat(~overwritten, counts)
            values, columns, counts = values[kept], columns[kept], np.where(overwritten, 0, counts)
        triples = (values, (np.repeat(rows, counts), columns))
        found = scipy_sparse().coo_array(triples, shape).tocsr()
    found.sum_duplicates()
    return found
