"""Statistics, interpolation and convolutions: every row, in the shapes and options that it claims."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adcompile import grad, jvp
from adcompile.rules.forms import Refuse

from .row_checks import check, chosen

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def _same_numbers_in_every_order() -> None:
    RNG.bit_generator.state = np.random.default_rng(1).bit_generator.state


def r(*shape: int) -> Any:
    """Random numbers."""
    return RNG.normal(size=shape)


def test_cov() -> None:
    check(np.cov, r(5))
    check(np.cov, r(3, 5))
    check(np.cov, r(5, 3), rowvar=False)
    check(np.cov, r(5), r(5))
    check(np.cov, r(2, 5), r(5), bias=True)
    check(np.cov, r(5, 2), r(5, 3), False, ddof=2)


def test_corrcoef() -> None:
    check(np.corrcoef, r(5), r(5))
    check(np.corrcoef, r(3, 5))
    check(np.corrcoef, r(5, 3), rowvar=False)
    check(np.corrcoef, r(2, 5), r(5))
    check(np.corrcoef, r(5))


def test_histogram() -> None:
    check(np.histogram, r(6), 3)
    check(np.histogram, r(6), 3, weights=r(6))
    check(np.histogram, r(6), 3, (-0.5, 0.5), weights=r(6))
    check(np.histogram, r(6), np.array([-1.0, 0.05, 0.6]), weights=r(6))
    check(np.histogram, np.array([0.0, 1.0, 2.0, 3.0]), [0, 1, 2], weights=r(4))
    row, _ = chosen(np.histogram, (r(6),), {"density": True})
    assert isinstance(row.texts["x"], Refuse)
    check(np.histogram2d, r(6), r(6), 3)
    check(np.histogram2d, r(6), r(6), 3, weights=r(6))
    check(np.histogram2d, r(6), r(6), [3, 2], weights=r(6), held=("x", "y"))
    check(np.bincount, np.array([0, 2, 2, 1]), r(4))
    check(np.bincount, np.array([0, 2, 2, 1]), weights=r(4), minlength=7)


@pytest.mark.parametrize("w", [None, np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.0])])
@pytest.mark.parametrize("degree", [0, 1, 3])
def test_polyfit(degree: int, w: Any) -> None:
    check(np.polyfit, np.arange(6) + 0.1 * r(6), r(6), degree, w=w)
    check(np.polyfit, np.arange(6) + 0.1 * r(6), r(6, 2), degree, w=w)


def test_polynomials() -> None:
    check(np.polyval, r(4), r(2, 3))
    check(np.polyval, r(4), 0.7)
    check(np.polyval, r(1), r(3))
    check(np.vander, r(3))
    check(np.vander, r(3), 5)
    check(np.vander, r(3), 2, increasing=True)


@pytest.mark.parametrize("x", [np.array([[0.5, 1.7], [-1.0, 9.0]]), 1.3, 9.0, -3.0])
def test_interp(x: Any) -> None:
    check(np.interp, x, np.arange(4) + 0.1, r(4))
    check(np.interp, x, np.array([0.1]), r(1), held=("xp",))


def test_trapezoid() -> None:
    check(np.trapezoid, r(5))
    check(np.trapezoid, r(3, 5), dx=0.5)
    check(np.trapezoid, r(3, 5), axis=0)
    check(np.trapezoid, r(5), r(5))
    check(np.trapezoid, r(3, 5), r(5))
    check(np.trapezoid, r(3, 5), r(3), axis=0)
    check(np.trapezoid, r(3, 5), r(3, 5), axis=0)
    check(np.trapezoid, r(3, 4, 5), r(4), axis=1)


@pytest.mark.parametrize("function", [np.convolve, np.correlate])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(("n", "m"), [(5, 3), (5, 2), (3, 5), (2, 5), (4, 4), (3, 3), (1, 4), (4, 1)])
def test_convolutions(function: Any, mode: str, n: int, m: int) -> None:
    check(function, r(n), r(m), mode)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("shape", [(0,), (0, 2), (2, 0)])
def test_the_median_of_nothing(shape: tuple[int, ...]) -> None:
    def medians(x: Any, y: float) -> Any:
        return np.sum(np.median(x, axis=0)) * 0.0 + y * y

    x = np.zeros(shape)
    _, (by_x, by_y) = grad(medians)(x, 1.5)
    assert by_x.shape == shape
    assert by_y == 3.0
    assert jvp(medians, wrt="y")([2.0], x, 1.5)[1] == pytest.approx(6.0)
    assert np.shape(jvp(medians, wrt="x")([x], x, 1.5)[1]) == ()
