"""Estimates of rounding, against the same program in rational numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from adcompile import grad


def cancelled(x: Any) -> Any:
    y = 1 + x
    return (y - 1) / x


def horner(x: Any) -> Any:
    """Of (x - 1)**5, written out."""
    s = 1 * x
    for c in (-5, 10, -10, 5):
        s = (s + c) * x
    return s - 1


def recurrence(x: Any) -> Any:
    s, t = x, x * x
    for k in range(1, 12):
        s, t = t, 3 * t * x - s / (k + x)
    return s * t + x


@pytest.mark.parametrize(
    ("fn", "at"), [(cancelled, 1e-9), (cancelled, 0.3), (horner, 1.01), (horner, 2.7), (recurrence, 0.7)]
)
def test_the_error_is_about_the_estimate(fn: Any, at: float) -> None:
    """Over some points, the largest error lies below the estimate, and not far below."""
    points = at * (1.0 + 1e-6 * np.arange(20))
    ratios = []
    g = grad(fn)
    for x in points:
        found = g.rounding(float(x))
        error = abs(Fraction(fn(float(x))) - fn(Fraction(float(x))))
        assert found.value == fn(float(x))
        ratios.append(float(error) / found.error)
    assert max(ratios) <= 1.0
    assert max(ratios) > 0.02


def test_the_line_that_loses_digits_comes_first() -> None:
    found = grad(cancelled).rounding(1e-9)
    assert found.sources[0].name == "y"
    assert found.sources[0].error == pytest.approx(2.0**-53 / 1e-9)
    assert "1 + x" in str(found).splitlines()[1]


def test_sums_and_arrays() -> None:
    def length(v: Any) -> Any:
        squares = v**2
        return np.sqrt(np.sum(squares))

    v = np.linspace(0.1, 1.0, 100)
    found = grad(length).rounding(v)
    exact = np.sqrt(np.sum(v.astype(np.longdouble) ** 2))
    assert abs(float(found.value - exact)) <= found.error < 1e-13
    single = grad(length).rounding(v.astype(np.float32))
    assert 1e-8 < single.error < 1e-4


def test_what_only_chooses_numbers_rounds_nothing() -> None:
    found = grad(lambda v: -v[::-1][0]).rounding(np.array([0.1, 0.2]))
    assert found.error == 0.0


def test_what_is_stored_into_a_part_is_exact_and_no_whole_array() -> None:
    def dotted(a: Any, b: Any) -> Any:
        u = np.zeros(3)
        u[1:] = b / 3.0
        return a @ u

    found = grad(dotted).rounding(np.array([7.0, 1.0, 2.0]), np.ones(2))
    assert [s.text for s in found.sources] == ["b / 3.0", "a @ u"]
    assert found.sources[0].error == pytest.approx((1.0 + 2.0) / 3.0 * 2.0**-52)


def test_an_infinite_number_is_exact() -> None:
    def masked(x: Any) -> Any:
        return np.sum(np.exp(np.where(x > 1.0, x, -np.inf) * 2.0))

    with np.errstate(invalid="raise"):
        assert 0.0 < grad(masked).rounding(np.array([0.5, 1.5])).error < 1e-13


def test_an_update_is_told_as_it_is_written() -> None:
    def summed(x: float) -> float:
        total = 1.0
        total += x / 3.0
        return total

    sources = grad(summed).rounding(0.1).sources
    assert [(s.name, s.text) for s in sources] == [(None, "total += x / 3.0"), (None, "x / 3.0")]
