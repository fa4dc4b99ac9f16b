"""Probabilities by the shape of their distribution, against numbers that were computed with fifty digits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adcompile import derivative
from adcompile.runtime.scipy.incomplete import betainc_slope, gammainc_slope

stats = pytest.importorskip("scipy.stats")
special = pytest.importorskip("scipy.special")

# By the shape that is given first: functions of the library mpmath, differentiated there.
KNOWN: tuple[tuple[Any, tuple[float, ...], float], ...] = (
    (stats.gamma.cdf, (0.01, 0.3), -1.240358125386757),
    (stats.gamma.logsf, (0.01, 0.3), 1.720905488687572),
    (stats.gamma.cdf, (1.0, 2.5), -0.1800996069540415),
    (stats.gamma.logsf, (1.0, 2.5), 0.2120952243735382),
    (stats.gamma.cdf, (30.0, 2.5), -3.320467967686098e-11),
    (stats.gamma.logsf, (30.0, 2.5), 2.731867954651419),
    (stats.gamma.cdf, (70.0, 80.0), -0.02410346371010322),
    (stats.gamma.logsf, (70.0, 80.0), 0.02767647600820786),
    (stats.gamma.cdf, (540.0, 500.0), -0.003756443300301865),
    (stats.gamma.logsf, (540.0, 500.0), 0.09541956466486308),
    (stats.beta.logcdf, (0.1, 0.3, 0.2), -4.047604410878437),
    (stats.beta.logcdf, (0.4, 2.1, 1.7), -0.7195753634513217),
    (stats.beta.logcdf, (0.3, 30.0, 40.0), -0.4105263732378413),
    (stats.t.cdf, (-0.5, 0.7), -0.05463173393561472),
    (stats.t.logcdf, (-0.5, 0.7), -0.1495936686120371),
    (stats.t.cdf, (-2.0, 4.5), -0.00700643234291971),
    (stats.t.logcdf, (-2.0, 4.5), -0.1294396414147805),
    (stats.t.cdf, (-30.0, 4.5), -2.64011736893559e-6),
    (stats.t.logcdf, (-30.0, 4.5), -2.252684571072414),
    (stats.t.cdf, (-1.0, 30.0), -0.0001321693468483361),
    (stats.t.logcdf, (-1.0, 30.0), -0.000812578213923076),
    (stats.t.cdf, (-3.0, 300.0), -3.854134772222597e-7),
    (stats.t.logcdf, (-3.0, 300.0), -0.0002634207237502047),
    (stats.t.cdf, (-0.5, 1000.0), -5.499316763132704e-8),
    (stats.t.logcdf, (-0.5, 1000.0), -1.782064062761405e-7),
    (stats.chi2.logsf, (0.5, 3.2), 0.07610364128035031),
    (stats.chi2.logsf, (20.0, 3.2), 1.136287670387624),
)


@pytest.mark.parametrize(("function", "args", "expected"), KNOWN, ids=range(len(KNOWN)))
def test_probabilities_by_the_shape_are_exact_to_eight_digits(
    function: Any, args: tuple[float, ...], expected: float
) -> None:
    slope = derivative(lambda shape, x, *rest: function(x, shape, *rest), wrt=0)(args[1], args[0], *args[2:])
    np.testing.assert_allclose(slope, expected, rtol=1e-8)


def test_parameters_and_variables_of_several_shapes() -> None:
    """One for all, all for one, and none at all; where the function is constant the slope is 0."""
    a, x = np.array([[0.4], [3.0]]), np.array([0.0, 0.7, 2.0, np.inf])
    slope = gammainc_slope(special.gammaln, special.polygamma, a, x)
    h = 1e-3
    numeric = (8 * (special.gammainc(a + h, x) - special.gammainc(a - h, x))
               - special.gammainc(a + 2 * h, x) + special.gammainc(a - 2 * h, x)) / (12 * h)
    np.testing.assert_allclose(slope, numeric, atol=1e-9)
    assert (slope[:, [0, 3]] == 0.0).all()
    assert gammainc_slope(special.gammaln, special.polygamma, np.zeros(0), 1.0).shape == (0,)
    assert betainc_slope(special.betaln, special.polygamma, 1.0, 2.0, np.zeros((0, 2)), 1, 0).shape == (0, 2)


@pytest.mark.parametrize("orders", [(2, 0), (1, 1), (0, 2)])
def test_second_derivatives_of_the_incomplete_beta_function(orders: tuple[int, int]) -> None:
    """That of a first one, by differences."""
    a, b, x, h = 1.7, 0.6, np.array([0.05, 0.4, 0.9]), 1e-3
    first = (1, 0) if orders[0] else (0, 1)

    def along(step: float) -> Any:
        moved = (a + step, b) if orders == (2, 0) else (a, b + step)
        return betainc_slope(special.betaln, special.polygamma, *moved, x, *first)

    numeric = (8 * (along(h) - along(-h)) - along(2 * h) + along(-2 * h)) / (12 * h)
    got = betainc_slope(special.betaln, special.polygamma, a, b, x, *orders)
    np.testing.assert_allclose(got, numeric, rtol=1e-8)
