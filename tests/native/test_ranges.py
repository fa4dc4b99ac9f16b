"""Loops that are left early, undone under Numba as under Python."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from adcompile import grad


def left_early(x: float, n: int) -> float:
    s = 0.0
    for _ in range(n):
        s += x * s + x
        if s > 3.0:
            break
    return s


def left_early_going_down(x: float, n: int) -> float:
    s = 0.0
    for i in range(n, 0, -2):
        s += x * s + x * i
        if s > 30.0:
            break
    return s


def returned_from(x: float, n: int) -> float:
    s = 0.0
    for i in range(1, n, 3):
        if i % 2 == 0:
            continue
        s += x * s + x * i
        if s > 30.0:
            return s * 2.0
    return s


@functools.cache
def gradients(f: Callable[..., Any]) -> tuple[Any, Any]:
    """Under Python and under Numba, compiled once for all numbers of steps."""
    return grad(f, wrt="x"), grad(f, wrt="x", jit=True)


@pytest.mark.parametrize("f", [left_early, left_early_going_down, returned_from])
@pytest.mark.parametrize("n", [0, 1, 3, 40])
def test_as_under_python(f: Callable[..., Any], n: int) -> None:
    plain, compiled = gradients(f)
    value, partials = plain(0.4, n)
    native, native_partials = compiled(0.4, n)
    assert (native, native_partials.x) == pytest.approx((value, partials.x), rel=1e-14)
