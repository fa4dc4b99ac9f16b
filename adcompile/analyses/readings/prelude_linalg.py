"""Functions of `scipy.linalg` that others are put together to: see `prelude.py`.

SciPy's own value is kept to the last bit; its derivative is that of the functions here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import circulant, eigh, eigvalsh, solve_banded, toeplitz

from adcompile.analyses.readings.prelude import exactly
from adcompile.runtime.cuts import as_like, own_value, stop_gradient
from adcompile.runtime.scipy.filters import first_of, second_of, with_words
from adcompile.runtime.scipy.sparse import places_among


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


def symmetric_band_solved(  # as SciPy has it
    function: Any, ab: Any, b: Any, overwrite_ab: Any = False, overwrite_b: Any = False, lower: Any = False
) -> Any:
    """`scipy.linalg.solveh_banded` of real numbers: the other half of the band is the same, shifted."""
    del overwrite_ab, overwrite_b
    band = np.asarray(ab)
    count, n = len(band) - 1, np.shape(band)[1]
    whole = np.zeros((2 * count + 1, n))
    for k in range(count + 1):
        if lower:
            whole[count - k, k:] = band[k, : n - k]
            whole[count + k] = band[k]
        else:
            whole[count + k, : n - k] = band[count - k, k:]
            whole[count - k] = band[count - k]
    return exactly(solve_banded((count, count), whole, b), with_words, function, {"lower": lower}, ab, b)


def columns_paired(function: Any, a: Any, b: Any) -> Any:
    """`scipy.linalg.khatri_rao`: the products of all items of two columns, for each pair of columns."""
    products = np.reshape(a[:, None, :] * b[None, :, :], (-1, np.shape(a)[1]))
    return exactly(products, function, a, b)


def factors_permuted(function: Any, a: Any, permute_l: Any = True) -> Any:
    """`scipy.linalg.lu`, the lower factor of which may have the permutation in it."""
    p, lower, upper = function(a)
    if permute_l:
        return p @ lower, upper
    return p, lower, upper


def eigenvalues_of_pair(function: Any, a: Any, b: Any) -> Any:
    """`scipy.linalg.eigvals` of two matrices, in SciPy's order."""
    found = np.linalg.eig(np.linalg.solve(b, a))[0]
    order = as_like(places_among(own_value(found, function, a, b), found), np.zeros(len(a), int))
    return exactly(1.0j * 0.0 + found[order], function, a, b)


def some_eigenvalues(function: Any, a: Any, b: Any = None, *, lower: Any = True, subset_by_index: Any = None) -> Any:
    """`scipy.linalg.eigvalsh` of which some eigenvalues are asked for."""
    first, last = subset_by_index
    found = eigvalsh(a, lower=lower) if b is None else eigvalsh(a, b, lower=lower)
    return exactly(found[first : last + 1], with_words, function, {
        "lower": lower, "subset_by_index": (first, last)}, a, b)


def some_eigenpairs(
    function: Any, a: Any, b: Any = None, *, lower: Any = True, eigvals_only: Any = False, subset_by_index: Any = None
) -> Any:
    """`scipy.linalg.eigh` of which some eigenvalues and vectors are asked for."""
    if eigvals_only:
        return some_eigenvalues(eigvalsh, a, b, lower=lower, subset_by_index=subset_by_index)
    first, last = subset_by_index
    words = {"lower": lower, "subset_by_index": (first, last)}
    values, vectors = eigh(a, lower=lower) if b is None else eigh(a, b, lower=lower)
    few = vectors[:, first : last + 1]
    own = own_value(few, second_of, with_words, function, words, a, b)
    turned = few * stop_gradient(np.sign(np.sum(few * own, axis=0)))
    return exactly(values[first : last + 1], first_of, with_words, function, words, a, b), (
        own + (turned - stop_gradient(turned)))


READ_FOR: dict[str, Any] = {
    "solve_toeplitz": toeplitz_solved, "matmul_toeplitz": toeplitz_times, "solve_circulant": circulant_solved,
    "polar": polar_factors, "eigvalsh_tridiagonal": tridiagonal_values, "khatri_rao": columns_paired,
    "solveh_banded": symmetric_band_solved, "lu": factors_permuted, "eigvals": eigenvalues_of_pair,
    "eigh": some_eigenpairs, "eigvalsh": some_eigenvalues,
}
ONLY_WITH: dict[str, tuple[int, str]] = {
    "lu": (1, "permute_l"), "eigvals": (1, "b"), "eigh": (0, "subset_by_index"), "eigvalsh": (0, "subset_by_index"),
}
METHODS_OF: dict[str, type] = {}
