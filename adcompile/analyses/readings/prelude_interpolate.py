"""Interpolators in the language of the compiler: see `prelude.py`.

A piecewise polynomial is its coefficients and the points between its pieces, whoever made it: these are what SciPy's
own objects keep. Coefficients are linear in the values that are gone through, or are written out here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.interpolate import BSpline, interpn, make_interp_spline

from adcompile.runtime.scipy.distributions import of_rank
from adcompile.runtime.scipy.interpolation import (
    evaluated,
    grid_read,
    held,
    interpolation_knots,
    interpolation_weights,
    of_kind,
    out_of_bounds,
    piecewise,
    polynomials_derived,
    polynomials_integrated,
    spline_at,
    spline_coefficients,
)


@dataclass(frozen=True)
class Piecewise:
    """A piecewise polynomial: `scipy.interpolate.PPoly`, and what is derived from that."""

    c: Any
    x: Any
    extrapolate: Any
    axis: Any

    def __call__(self, x: Any, nu: Any = 0) -> Any:
        """The values, or those of a derivative."""
        return piecewise(self.c, self.x, x, nu, self.extrapolate, self.axis)

    def derivative(self, nu: Any = 1) -> Any:
        """The derivative."""
        return Piecewise(polynomials_derived(self.c, nu), self.x, self.extrapolate, self.axis)

    def antiderivative(self) -> Any:
        """The antiderivative that is 0 at the first point."""
        c = np.asarray(polynomials_integrated(self.c, self.x), np.float64)
        return Piecewise(c, self.x, self.extrapolate, self.axis)

    def integrate(self, a: Any, b: Any) -> Any:
        """The integral between two points."""
        c = np.asarray(polynomials_integrated(self.c, self.x), np.float64)
        upper = piecewise(c, self.x, b, 0, self.extrapolate, self.axis)
        return upper - piecewise(c, self.x, a, 0, self.extrapolate, self.axis)


def polynomials(cls: Any, c: Any, x: Any, extrapolate: Any = True, axis: Any = 0) -> Any:
    """`scipy.interpolate.PPoly`."""
    del cls
    return Piecewise(c, x, extrapolate, axis)


def cubic_spline(cls: Any, x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Any = True) -> Any:
    """`scipy.interpolate.CubicSpline`."""
    return Piecewise(spline_coefficients(cls, x, y, axis, bc_type), x, extrapolate, axis)


def hermite_spline(cls: Any, x: Any, y: Any, dydx: Any, axis: Any = 0, extrapolate: Any = True) -> Any:
    """`scipy.interpolate.CubicHermiteSpline`."""
    del cls
    return Piecewise(hermite_coefficients(x, np.moveaxis(y, axis, 0), np.moveaxis(dydx, axis, 0)), x, extrapolate, axis)


def hermite_coefficients(x: Any, y: Any, slopes: Any) -> Any:
    """The coefficients of cubic polynomials with these values and slopes at the points."""
    steps = np.reshape(np.diff(x), (-1,) + (1,) * (np.ndim(y) - 1))
    secants = np.diff(y, axis=0) / steps
    bends = (slopes[:-1] + slopes[1:] - 2 * secants) / steps
    return np.stack((bends / steps, (secants - slopes[:-1]) / steps - bends, slopes[:-1], y[:-1]))


def monotone_spline(cls: Any, x: Any, y: Any, axis: Any = 0, extrapolate: Any = True) -> Any:
    """`scipy.interpolate.PchipInterpolator`."""
    del cls
    values = np.moveaxis(y, axis, 0)
    return Piecewise(hermite_coefficients(x, values, monotone_slopes(x, values)), x, extrapolate, axis)


def monotone_slopes(x: Any, y: Any) -> Any:
    """Slopes between which cubic polynomials rise where the values do: weighted harmonic means of secants."""
    steps = np.reshape(np.diff(x), (-1,) + (1,) * (np.ndim(y) - 1))
    secants = np.diff(y, axis=0) / steps
    if len(secants) == 1:
        return np.concatenate((secants, secants))
    before, after = 2 * steps[1:] + steps[:-1], steps[1:] + 2 * steps[:-1]
    flat = (np.sign(secants[1:]) != np.sign(secants[:-1])) | (secants[1:] == 0) | (secants[:-1] == 0)
    first, second = np.where(flat, 1.0, secants[:-1]), np.where(flat, 1.0, secants[1:])
    inner = np.where(flat, 0.0, (before + after) / (before / first + after / second))
    start = end_slope(steps[0], steps[1], secants[0], secants[1])
    end = end_slope(steps[-1], steps[-2], secants[-1], secants[-2])
    return np.concatenate((start[None], inner, end[None]))


def end_slope(step: Any, next_step: Any, secant: Any, next_secant: Any) -> Any:
    """The slope at an end: that of a parabola, as far as it keeps the shape."""
    slope = ((2 * step + next_step) * secant - step * next_secant) / (step + next_step)
    slope = np.where(np.sign(slope) != np.sign(secant), 0.0, slope)
    too_steep = (np.sign(secant) != np.sign(next_secant)) & (np.abs(slope) > 3 * np.abs(secant))
    return np.where(too_steep, 3 * secant, slope)


@dataclass(frozen=True)
class Spline:
    """A spline by its knots and the weights of the splines that are not zero between few of them."""

    t: Any
    c: Any
    k: Any
    extrapolate: Any
    axis: Any

    def __call__(self, x: Any, nu: Any = 0) -> Any:
        """The values, or those of a derivative."""
        return spline_at(BSpline, self.t, self.c, self.k, x, nu, self.extrapolate, self.axis)


def spline(cls: Any, t: Any, c: Any, k: Any, extrapolate: Any = True, axis: Any = 0) -> Any:
    """`scipy.interpolate.BSpline`."""
    del cls
    return Spline(held(t), c, k, extrapolate, axis)


def spline_through(function: Any, x: Any, y: Any, k: Any = 3) -> Any:
    """`scipy.interpolate.make_interp_spline`."""
    del function
    knots = interpolation_knots(make_interp_spline, x, k)
    return Spline(knots, interpolation_weights(make_interp_spline, x, y, k), k, True, 0)


class Lines:
    """Straight lines between points, in their order."""

    def __init__(self, x: Any, y: Any, kind: Any, bounds_error: Any, fill_value: Any) -> None:
        self.x = x
        self.y = y
        self._kind = kind
        self.bounds_error = bounds_error
        self.fill_value = fill_value

    def __call__(self, x: Any) -> Any:
        """The values."""
        y = of_kind(self.y, self._kind)
        if isinstance(self.fill_value, str):
            return piecewise(np.stack((np.diff(y) / np.diff(self.x), y[:-1])), self.x, x, 0, True, 0)
        outside = out_of_bounds(self.x, x, self.bounds_error)
        return np.where(outside, self.fill_value, np.interp(x, self.x, y))


class Grid:
    """Values on a grid, with lines or curves between them: `scipy.interpolate.RegularGridInterpolator`."""

    def __init__(self, grid: Any, values: Any, method: Any, bounds_error: Any, fill_value: Any) -> None:
        self.grid = grid
        self.values = values
        self.method = method
        self.bounds_error = bounds_error
        self.fill_value = fill_value

    def __call__(self, xi: Any) -> Any:
        """The values at points, one a row."""
        if isinstance(xi, tuple):
            xi = np.stack(np.broadcast_arrays(*xi), axis=-1)
        return grid_read(interpn, self.grid, self.values, xi, self.method, self.bounds_error, self.fill_value)


def grid_interpolator(
    cls: Any, points: Any, values: Any, method: Any = "linear", bounds_error: Any = True, fill_value: Any = np.nan
) -> Any:
    """`scipy.interpolate.RegularGridInterpolator`."""
    del cls
    return Grid(held(points), values, method, bounds_error, fill_value)


class Held:
    """An interpolator that is held fixed, with derivatives of its own."""

    def __call__(self: Any, x: Any, nu: Any = 0) -> Any:
        """The values, or those of a derivative."""
        return evaluated(self, x, nu)


def lines(
    cls: Any, x: Any, y: Any, kind: Any = "linear", axis: Any = -1, copy: Any = True, bounds_error: Any = None,
    fill_value: Any = np.nan, assume_sorted: Any = False,
) -> Any:
    """`scipy.interpolate.interp1d` of values that lie along one axis; of other kinds it is a spline."""
    del cls, axis, copy, assume_sorted
    order = np.argsort(x)
    return Lines(np.asarray(x)[order], of_rank(y, 1)[order], kind, bounds_error, fill_value)


def grid_values(function: Any, points: Any, values: Any, xi: Any, method: Any = "linear", bounds_error: Any = True,
                fill_value: Any = np.nan) -> Any:
    """`scipy.interpolate.interpn`."""
    return grid_interpolator(function, points, values, method, bounds_error, fill_value)(xi)


READ_FOR: dict[str, Any] = {
    "PPoly": polynomials,
    "CubicSpline": cubic_spline,
    "CubicHermiteSpline": hermite_spline,
    "PchipInterpolator": monotone_spline,
    "BSpline": spline,
    "make_interp_spline": spline_through,
    "RegularGridInterpolator": grid_interpolator,
    "interp1d": lines,
    "interpn": grid_values,
}
METHODS_OF: dict[str, type] = {
    "PPoly": Piecewise,
    "BSpline": Spline,
    "RegularGridInterpolator": Grid,
    "UnivariateSpline": Held,
    "interp1d": Lines,
}
