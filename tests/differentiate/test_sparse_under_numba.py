"""Sparse Jacobians and Hessians by groups of columns, of which Numba compiles the tangent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import gammaln

from adcompile import hessian, jacobian
from adcompile.errors import JitError, JitWarning

from .test_sparse import X, membrane, rosenbrock, scattered, stencils

UNDER_NUMBA = [
    (hessian, membrane, (X, np.array([[0, 1, 2], [2, 3, 4], [4, 5, 6]]))),
    (hessian, rosenbrock, (X,)),
    (jacobian, scattered, (X, np.array([0, 1, 1, 4, 4, 6, 6]))),
    (jacobian, stencils, (X, 2)),
]


@pytest.mark.parametrize(("made", "function", "args"), UNDER_NUMBA)
def test_groups_under_numba(made: Callable[..., Any], function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    plain = made(function, wrt=0, sparse=True)
    under_numba = made(function, wrt=0, sparse=True, jit=True)
    found, want = under_numba(*args), plain(*args)
    assert "groups_of_" in under_numba.source_for(*args)
    assert "groups_of_" not in under_numba.source_for(*args, executor="numba")  # the tangent alone is machine code
    assert found.nnz == want.nnz
    np.testing.assert_allclose(found.toarray(), want.toarray(), rtol=1e-12, atol=1e-13)
    want_dense = made(function, wrt=0)(*args).reshape(found.shape)
    np.testing.assert_allclose(found.toarray(), want_dense, rtol=1e-12, atol=1e-13)


def test_a_tangent_that_numba_does_not_take() -> None:
    def rounded(x: Any) -> Any:
        return np.sum(gammaln(x[1:] ** 2 + x[:-1] ** 2))

    with pytest.raises(JitError, match="Numba cannot compile"):
        hessian(rounded, sparse=True, jit=True)(X)
    with pytest.warns(JitWarning, match="runs under Python"):
        found = hessian(rounded, sparse=True, jit="auto")(X)
    np.testing.assert_allclose(found.toarray(), hessian(rounded)(X), rtol=1e-12, atol=1e-13)
