"""Numba adds what fits of a longer array, and says nothing; Python raises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adcompile import grad
from adcompile.errors import JitError


def rows_added(u, y):
    v = u * 2.0
    v += y
    return np.sum(v * v)


def behind_the_first(u, y):
    v = u * 2.0
    v[1:] -= y * y
    return np.sum(v * v)


@pytest.mark.parametrize("f", [rows_added, behind_the_first], ids=lambda f: f.__name__)
@pytest.mark.parametrize("sizes", [(2, 6), (1, 6), (3, 2), (4, 4), (4, 3), (2, 1), (5, 1)])
def test_an_operand_that_does_not_fit_raises(f: Any, sizes: tuple[int, int]) -> None:
    u, y = (np.linspace(0.3, 1.1, size) for size in sizes)
    compiled = grad(f, jit=True)
    try:
        value = f(u, y)
    except ValueError:
        with pytest.raises(ValueError, match=r"broadcast|assign slice|shape"):
            compiled(u, y)
        return
    assert compiled(u, y)[0] == pytest.approx(value)
    for own, other in zip(compiled(u, y)[1], grad(f)(u, y)[1], strict=True):
        np.testing.assert_allclose(own, other)


def a_row_added(u, y):
    u += y[None]
    return 1.0


@pytest.mark.parametrize("size", [1, 3])
def test_a_row_is_no_operand_of_a_vector(size: int) -> None:
    """A store takes a single row, an update does not."""
    u = np.linspace(0.3, 1.1, size)
    with pytest.raises(ValueError, match="broadcast"):
        grad(a_row_added)(u, u.copy())
    with pytest.raises(JitError):
        grad(a_row_added, jit=True)(u, u.copy())
