"""Functions of `scipy.linalg` that others are put together to: see `prelude.py`.

SciPy's own value is kept to the last bit; its derivative is that of the functions here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import circulant, toeplitz

from adcompile.analyses.readings.prelude import exactly
from adcompile.runtime.scipy.filters import first_of, second_of


def toeplitz_solved(function: Any, c_or_cr: Any, b: Any) -> Any:
    """`scipy.linalg.solve_toeplitz` of a column, or of a column and a row."""
    matrix = toeplitz(*c_or_cr) if isinstance(c_or_cr, tuple) else toeplitz(c_or_cr)
    return exactly(np.linalg.solve(matrix, b), function, c_or_cr, b)


def toeplitz_times(function: Any, c_or_cr: Any, x: Any) -> Any:
    """`scipy.linalg.matmul_toeplitz` of a column, or of a column and a row."""
    matrix = toeplitz(*c_or_cr) if isinstance(c_or_cr, tuple) else toeplitz(c_or_cr)
    return exactly(matrix @ x, function, c_or_cr, x)


def circulant_solved(function: Any, c: Any, b: Any) -> Any:
    """`scipy.linalg.solve_circulant`."""
    return exactly(np.linalg.solve(circulant(c), b), function, c, b)


def polar_factors(function: Any, a: Any) -> Any:
    """`scipy.linalg.polar`: what turns, and what stretches first."""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    turned = exactly(u @ vt, first_of, function, a)
    return turned, exactly((vt.T * s) @ vt, second_of, function, a)


def of_two_diagonals(d: Any, e: Any) -> Any:
    """The symmetric matrix with these items on its diagonal and beside it."""
    return np.diag(d) + np.diag(e, 1) + np.diag(e, -1)


def tridiagonal_values(function: Any, d: Any, e: Any) -> Any:
    """`scipy.linalg.eigvalsh_tridiagonal`."""
    return exactly(np.linalg.eigvalsh(of_two_diagonals(d, e)), function, d, e)


def columns_paired(function: Any, a: Any, b: Any) -> Any:
    """`scipy.linalg.khatri_rao`: the products of all items of two columns, for each pair of columns."""
    products = np.reshape(a[:, None, :] * b[None, :, :], (-1, np.shape(a)[1]))
    return exactly(products, function, a, b)


READ_FOR: dict[str, Any] = {
    "solve_toeplitz": toeplitz_solved, "matmul_toeplitz": toeplitz_times, "solve_circulant": circulant_solved,
    "polar": polar_factors, "eigvalsh_tridiagonal": tridiagonal_values, "khatri_rao": columns_paired,
}
METHODS_OF: dict[str, type] = {}
