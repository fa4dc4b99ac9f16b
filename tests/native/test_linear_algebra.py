"""Linear algebra under Numba, which has neither `mT` nor `np.expand_dims` of a number: the partials are Python's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adcompile import grad
from adcompile.errors import JitError

pytest.importorskip("numba")
A = np.random.default_rng(0).normal(size=(3, 3))


def likelihood(a: Any, b: Any) -> Any:
    covariance = a @ a.T + np.eye(len(a))
    factor = np.linalg.cholesky(covariance)
    z = np.linalg.solve(factor, b)
    return z @ z + np.sum(np.log(np.diag(factor))) + np.linalg.slogdet(covariance)[1] + np.trace(covariance)


def decomposed(a: Any, b: Any) -> Any:
    w, v = np.linalg.eigh(a + a.T)
    q, r = np.linalg.qr(a)
    return np.sum(w**2 * v[0]) + np.sum(q * r) + np.sum(np.linalg.pinv(a) @ b)


def solved(a: Any, b: Any) -> Any:
    return np.sum(np.linalg.lstsq(a, b)[0] ** 2) + np.sum(np.linalg.matrix_power(a, 3)) * np.linalg.det(a)


@pytest.mark.slow
@pytest.mark.parametrize("fn", [likelihood, decomposed, solved])
def test_as_under_python(fn: Any) -> None:
    b = A[0] + 1.0
    for found, partial in zip(grad(fn, jit=True)(A, b)[1], grad(fn)(A, b)[1], strict=True):
        np.testing.assert_allclose(found, partial, rtol=1e-9, atol=1e-11)


def of_stacks(a: Any) -> Any:
    return np.sum(a.mT @ a)


def test_a_refusal_names_what_numba_has_not() -> None:
    with pytest.raises(JitError, match=r"\nNumba has no `mT` for arguments of these types\.\n"):
        grad(of_stacks, jit=True)(np.ones((2, 3, 3)))
