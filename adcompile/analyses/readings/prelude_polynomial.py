"""Series of polynomials over planes, and fits by them, in the language of the compiler: see `prelude.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial.chebyshev import chebval, chebvander
from numpy.polynomial.hermite import hermval, hermvander
from numpy.polynomial.hermite_e import hermeval, hermevander
from numpy.polynomial.laguerre import lagval, lagvander
from numpy.polynomial.legendre import legval, legvander
from numpy.polynomial.polynomial import polyval, polyvander

from adcompile.analyses.readings.prelude import exactly
from adcompile.analyses.readings.prelude_series import OF_POLYNOMIALS, SERIES
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


def at_places(val: Any) -> Any:
    """What is read for `polyval2d` and its like: a series whose coefficients are series."""

    def over_plane(function: Any, x: Any, y: Any, c: Any) -> Any:
        del function
        values = val(np.atleast_1d(y), val(np.atleast_1d(x), c), tensor=False)
        return values if np.ndim(x) > 0 else values[0]

    return over_plane


def at_points_of_space(val: Any) -> Any:
    """The same of three coordinates: `polyval3d`."""

    def over_space(function: Any, x: Any, y: Any, z: Any, c: Any) -> Any:
        del function
        planes = val(np.atleast_1d(y), val(np.atleast_1d(x), c), tensor=False)
        values = val(np.atleast_1d(z), planes, tensor=False)
        return values if np.ndim(x) > 0 else values[0]

    return over_space


def on_grid(val: Any) -> Any:
    """The same of a grid: `polygrid2d`."""

    def over_grid(function: Any, x: Any, y: Any, c: Any) -> Any:
        del function
        return val(y, val(x, c))

    return over_grid


_VALUES: dict[str, Any] = {
    "poly": polyval, "cheb": chebval, "leg": legval, "herm": hermval, "herme": hermeval, "lag": lagval,
}
READ_FOR: dict[str, Any] = {
    "polyfit": poly_fitted, "chebfit": cheb_fitted, "legfit": leg_fitted, "hermfit": herm_fitted,
    "hermefit": herme_fitted, "lagfit": lag_fitted, **OF_POLYNOMIALS,
    **{f"{name}val2d": at_places(val) for name, val in _VALUES.items()},
    **{f"{name}val3d": at_points_of_space(val) for name, val in _VALUES.items()},
    **{f"{name}grid2d": on_grid(val) for name, val in _VALUES.items()},
}
METHODS_OF: dict[str, type] = SERIES
