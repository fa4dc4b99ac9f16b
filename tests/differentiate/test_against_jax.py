"""Hessians, products and third derivatives are those that JAX gives, for functions as users write them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, derivative, hessian, hvp

from .jax_functions import FUNCTIONS
from .jax_numbers import FILE, V, X

WANTED = json.loads(FILE.read_text(encoding="utf-8"))
REFUSED_FROM: dict[str, int] = {}  # the order


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_orders_two_and_three(f: Callable[..., Any]) -> None:
    def along(t: Any) -> Any:
        return f(X + t * V)

    want, order = WANTED[f.__name__], REFUSED_FROM.get(f.__name__, 4)
    assert float(f(X)) == pytest.approx(want["value"], rel=1e-12)
    if order == 2:
        with pytest.raises(ADError):
            hessian(f)(X)
        return
    second = hessian(f)(X)
    scale = float(np.abs(second).max())
    np.testing.assert_allclose(second, want["hessian"], rtol=1e-9, atol=1e-9 * scale)
    np.testing.assert_allclose(hvp(f)(V, X)[1], want["product"], rtol=1e-9, atol=1e-9 * scale)
    third = derivative(derivative(derivative(along)))
    if order == 3:
        with pytest.raises(ADError):
            third(0.0)
        return
    assert third(0.0) == pytest.approx(want["third"], rel=1e-9, abs=1e-9 * scale)
