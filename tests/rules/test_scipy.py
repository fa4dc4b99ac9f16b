"""SciPy's rows: matrices with their options, and sums over exponentials along axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adcompile import grad
from adcompile.errors import ADError

from .row_checks import check

linalg = pytest.importorskip("scipy.linalg")
special = pytest.importorskip("scipy.special")
stats = pytest.importorskip("scipy.stats")

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def _same_numbers_in_every_order() -> None:
    RNG.bit_generator.state = np.random.default_rng(1).bit_generator.state


def r(*shape: int) -> Any:
    """Random numbers."""
    return RNG.normal(size=shape)


def spd(*shape: int) -> Any:
    """Matrices, symmetric and positive definite."""
    a = r(*shape)
    return a @ a.mT + np.diag(4.0 * np.arange(1, shape[-1] + 1))  # apart, so that LAPACK keeps the signs


def test_inverses() -> None:
    check(linalg.inv, r(3, 3))
    check(linalg.inv, r(3, 3), check_finite=False)
    check(linalg.det, r(3, 3))
    check(linalg.det, np.ones((2, 2)))
    check(linalg.solve, r(3, 3), r(3))
    check(linalg.solve, r(3, 3), r(3, 2))
    for shape in ((3,), (3, 2)):
        for lower in (False, True):
            check(linalg.solve, spd(3, 3), r(*shape), assume_a="pos", lower=lower)
            check(linalg.solve, spd(3, 3), r(*shape), assume_a="sym", lower=lower)
    check(linalg.pinv, r(4, 3))
    for order in (None, 1, 2, np.inf, "fro", "nuc"):
        check(linalg.norm, r(4, 3), order)
    check(linalg.norm, r(4, 3), axis=1)


@pytest.mark.parametrize("trans", [0, 1, 2, "N", "T"])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("shape", [(3,), (3, 2)])
def test_solve_triangular(shape: Any, unit: bool, lower: bool, trans: Any) -> None:
    check(linalg.solve_triangular, spd(3, 3), r(*shape), trans, lower, unit)


@pytest.mark.parametrize("lower", [False, True])
def test_cholesky(lower: bool) -> None:
    check(linalg.cholesky, spd(3, 3), lower)
    check(linalg.cholesky, spd(3, 3), lower=lower, check_finite=False)
    check(linalg.cho_factor, spd(3, 3), lower)
    factor = np.tril(r(3, 3)) + 2 * np.eye(3)
    for shape in ((3,), (3, 2)):
        check(linalg.cho_solve, (factor if lower else factor.T.copy(), lower), r(*shape))


def test_decompositions() -> None:
    for lower in (True, False):
        check(linalg.eigh, spd(3, 3), lower=lower, signs=(None, -2))
        check(linalg.eigvalsh, spd(3, 3), lower=lower)
        check(linalg.eigh, spd(3, 3), lower=lower, eigvals_only=True)
    check(linalg.svd, r(4, 3), full_matrices=False, signs=(-2, None, -1))
    check(linalg.svd, r(3, 3), signs=(-2, None, -1))
    check(linalg.svd, r(4, 3), compute_uv=False)
    check(linalg.svdvals, r(4, 3))
    check(linalg.qr, r(4, 3), mode="economic", signs=(-2, -1))
    check(linalg.qr, r(3, 4), mode="economic", signs=(-2, -1))


def test_exponential_and_blocks() -> None:
    check(linalg.expm, r(3, 3))
    check(linalg.expm_frechet, r(3, 3), r(3, 3), compute_expm=False, rtol=1e-5)
    check(linalg.block_diag, r(2, 3), r(2), r(1, 1))


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_sums_over_exponentials(axis: Any, keepdims: bool) -> None:
    check(special.logsumexp, r(2, 3), axis=axis, keepdims=keepdims)
    check(special.logsumexp, r(2, 3), axis, np.abs(r(3)), keepdims)
    check(special.softmax, r(2, 3), axis)
    check(special.log_softmax, r(2, 3), axis=axis)


@pytest.mark.parametrize("name", ["logpdf", "pdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf"])
def test_normal(name: str) -> None:
    function = getattr(stats.norm, name)
    x = RNG.uniform(0.2, 0.8, 3)
    check(function, x)
    check(function, x, r(3))
    check(function, x, r(3), 1.5 + np.abs(r(3)))
    check(function, x, loc=r(3))
    check(function, x, scale=1.5 + np.abs(r(3)))
    check(function, x, loc=r(3), scale=1.5 + np.abs(r(3)))


def test_a_refusal_of_a_sparse_matrix_shows_the_line_of_the_user() -> None:
    """What is read in place of a library's class is none of the user's lines."""
    sparse = pytest.importorskip("scipy.sparse")

    def items_by_two_lists(v: Any) -> Any:
        matrix = sparse.csr_array((v, (np.arange(3), np.arange(3))), shape=(3, 3))
        return np.sum(matrix[[0, 1], [0, 1]])

    with pytest.raises(ADError) as refusal:
        grad(items_by_two_lists)(np.ones(3))
    assert str(refusal.value).startswith("test_scipy.py:")
    assert "matrix[[0, 1], [0, 1]]" in str(refusal.value) and "Write `A[rows][:, columns]`" in str(refusal.value)
