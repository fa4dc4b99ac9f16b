"""Fits by series of polynomials in the language of the compiler: see `prelude.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from numpy.polynomial.hermite import hermvander
from numpy.polynomial.hermite_e import hermevander
from numpy.polynomial.laguerre import lagvander
from numpy.polynomial.legendre import legvander
from numpy.polynomial.polynomial import polyvander

from adcompile.analyses.readings.prelude import exactly
from adcompile.runtime.cuts import unread


def solved(matrix: Any, y: Any, w: Any, function: Any, x: Any, deg: Any, rcond: Any, full: Any) -> Any:
    """The coefficients by which the polynomials in a matrix's columns come nearest to values."""
    if full is not None or rcond is not None or np.ndim(deg) > 0:
        return unread("a fit with these options", "Give it a degree, and weights at most.")
    if w is None:
        return exactly(np.linalg.lstsq(matrix, y)[0], function, x, y, deg)
    heavy = np.reshape(w, (-1,) + (1,) * (np.ndim(y) - 1)) * y
    return exactly(np.linalg.lstsq(np.expand_dims(w, 1) * matrix, heavy)[0], fitted_by, function, x, y, deg, w)


def fitted_by(function: Any, x: Any, y: Any, deg: Any, w: Any) -> Any:
    """What NumPy's own fit by weights returns."""
    return function(x, y, deg, w=w)


def poly_fitted(function: Any, x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = None, w: Any = None) -> Any:
    """`np.polynomial.polynomial.polyfit`."""
    return solved(polyvander(x, deg), y, w, function, x, deg, rcond, full)


def cheb_fitted(function: Any, x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = None, w: Any = None) -> Any:
    """`np.polynomial.chebyshev.chebfit`."""
    return solved(chebvander(x, deg), y, w, function, x, deg, rcond, full)


def leg_fitted(function: Any, x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = None, w: Any = None) -> Any:
    """`np.polynomial.legendre.legfit`."""
    return solved(legvander(x, deg), y, w, function, x, deg, rcond, full)


def herm_fitted(function: Any, x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = None, w: Any = None) -> Any:
    """`np.polynomial.hermite.hermfit`."""
    return solved(hermvander(x, deg), y, w, function, x, deg, rcond, full)


def herme_fitted(function: Any, x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = None, w: Any = None) -> Any:
    """`np.polynomial.hermite_e.hermefit`."""
    return solved(hermevander(x, deg), y, w, function, x, deg, rcond, full)


def lag_fitted(function: Any, x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = None, w: Any = None) -> Any:
    """`np.polynomial.laguerre.lagfit`."""
    return solved(lagvander(x, deg), y, w, function, x, deg, rcond, full)


READ_FOR: dict[str, Any] = {
    "polyfit": poly_fitted, "chebfit": cheb_fitted, "legfit": leg_fitted, "hermfit": herm_fitted,
    "hermefit": herme_fitted, "lagfit": lag_fitted,
}
METHODS_OF: dict[str, type] = {}
