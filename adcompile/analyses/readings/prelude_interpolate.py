"""Interpolators in the language of the compiler: see `prelude.py`.

A piecewise polynomial is its coefficients and the points between its pieces, whoever made it: these are what SciPy's
own objects keep. Coefficients are linear in the values that are gone through, or are written out here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.interpolate import (
    BarycentricInterpolator,
    KroghInterpolator,
    LinearNDInterpolator,
    NearestNDInterpolator,
    PchipInterpolator,
    PPoly,
    interpn,
)
from scipy.linalg import solve_banded

from adcompile.analyses.readings import prelude_fitpack, prelude_interp1d
from adcompile.analyses.readings.prelude import exactly
from adcompile.analyses.readings.prelude_fitpack import Spline
from adcompile.runtime.cuts import as_like, unread
from adcompile.runtime.scipy.interpolation import (
    antiderivative_of,
    coefficients_of,
    grid_read,
    held,
    integral_of,
    interpolation_knots,
    interpolation_weights,
    nearest_places,
    piecewise,
    polynomials_derived,
    triangles_around,
    values_over,
    values_through,
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
        if self.extrapolate == "periodic":
            return piecewise(self.c, self.x, in_first_period(x, self.x), nu, True, self.axis)
        return piecewise(self.c, self.x, x, nu, self.extrapolate, self.axis)

    def derivative(self, nu: Any = 1) -> Any:
        """The derivative."""
        return Piecewise(polynomials_derived(self.c, nu), self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu: Any = 1) -> Any:
        """The antiderivative that is 0 at the first point, or one of that."""
        c = integrated(self.c, self.x)
        if nu == 2:
            c = integrated(c, self.x)
        elif nu != 1:
            return unread("an antiderivative of this order", "Take the antiderivative of one of order 2.")
        return Piecewise(c, self.x, self.extrapolate != "periodic" and self.extrapolate, self.axis)

    def integrate(self, a: Any, b: Any) -> Any:
        """The integral between two points."""
        c = integrated(self.c, self.x)
        if self.extrapolate == "periodic":
            upper, lower = over_periods(c, self.x, b, self.axis), over_periods(c, self.x, a, self.axis)
        else:
            upper = piecewise(c, self.x, b, 0, self.extrapolate, self.axis)
            lower = piecewise(c, self.x, a, 0, self.extrapolate, self.axis)
        return exactly(upper - lower, integral_of, PPoly, self.c, self.x, a, b, self.extrapolate)


def integrated(c: Any, x: Any) -> Any:
    """The coefficients of the antiderivative that is 0 at the first point."""
    powers = np.arange(len(c), 0.0, -1.0)
    new = (c.T / powers).T
    gained = np.cumsum(np.einsum("km...,km->m...", new, np.diff(x) ** powers[:, None]), axis=0)
    made = np.concatenate((new, np.stack((np.concatenate((np.zeros_like(gained[:1]), gained[:-1])),))))
    return exactly(made, antiderivative_of, PPoly, c, x)


def in_first_period(x: Any, points: Any) -> Any:
    """The same places of the first period."""
    return points[0] + (np.asarray(x) - points[0]) % (points[-1] - points[0])


def over_periods(c: Any, points: Any, x: Any, axis: Any) -> Any:
    """The antiderivative `c` of a period at a point of any other."""
    periods = np.floor((x - points[0]) / (points[-1] - points[0]))
    whole = piecewise(c, points, points[-1], 0, True, axis)
    return periods * whole + piecewise(c, points, in_first_period(x, points), 0, True, axis)


def polynomials(cls: Any, c: Any, x: Any, extrapolate: Any = True, axis: Any = 0) -> Any:
    """`scipy.interpolate.PPoly`."""
    del cls
    x = np.asarray(x, float)  # which may be a list
    return Piecewise(c, x, extrapolate, axis)


def cubic_spline(cls: Any, x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> Any:
    """`scipy.interpolate.CubicSpline`."""
    points, values = np.asarray(x, float), np.moveaxis(y, axis, 0)
    if np.ndim(y) == 1:
        c = spline_coefficients(points, values, np.diff(points), bc_type)
    else:
        flat = spline_coefficients(points, np.reshape(values, (len(points), -1)), np.diff(points)[:, None], bc_type)
        c = np.reshape(flat, (4, *np.shape(values[1:])))
    c = exactly(c, coefficients_of, cls, x, y, axis, bc_type)
    if extrapolate is None:
        return Piecewise(c, points, "periodic" if bc_type == "periodic" else True, axis)
    return Piecewise(c, points, extrapolate, axis)


def spline_coefficients(x: Any, y: Any, h: Any, bc_type: Any) -> Any:
    """The coefficients between points with steps `h`, of values in columns (C. de Boor, "A practical guide")."""
    m = np.diff(y, axis=0) / h
    if bc_type == "periodic":
        slopes = periodic_slopes(np.diff(x), h, m)
    elif isinstance(bc_type, str):
        slopes = spline_slopes(np.diff(x), h, m, order_of(bc_type), order_of(bc_type), 0.0, 0.0)
    else:
        low, high = bc_type
        orders = order_of(low), order_of(high)
        slopes = spline_slopes(np.diff(x), h, m, orders[0], orders[1], value_of(low), value_of(high))
    slopes = np.reshape(slopes, np.shape(y))  # which says how long it is
    bends = (slopes[:-1] + slopes[1:] - 2 * m) / h
    return np.stack((bends / h, (m - slopes[:-1]) / h - bends, slopes[:-1], y[:-1]))


def order_of(end: Any) -> Any:
    """Of which order a derivative is given at an end; 0 where none is."""
    if isinstance(end, str):
        return 1 if end == "clamped" else 2 if end == "natural" else 0
    return end[0]


def value_of(end: Any) -> Any:
    """The derivative that is given at an end."""
    return 0.0 if isinstance(end, str) else end[1]


def spline_slopes(steps: Any, h: Any, m: Any, low: Any, high: Any, start: Any, end: Any) -> Any:
    """Slopes at the points with which the polynomials of two pieces have the same bend between them.

    At either end the derivative of an order is given; where the order is 0, two pieces are of one polynomial.
    """
    ends, nexts = np.array([0, -1]), np.array([1, -2]) if len(m) > 1 else np.array([0, -1])
    orders, own, other = np.array([low, high]), h[ends], h[nexts]
    values = np.stack((start + 0.0 * m[0], end + 0.0 * m[-1]))
    if len(m) == 1 or (len(m) == 2 and low + high == 0):  # there is but one, which is of second order
        orders = np.where(orders == 0, 3, orders)
    both, order = own + other, np.reshape(orders, np.shape(own))
    sides = np.where(order == 1, values, np.where(
        order == 2, 3 * m[ends] + np.reshape([-0.5, 0.5], np.shape(own)) * own * values, np.where(
            order == 3, 2 * m[ends] - (other * m[ends] + own * m[nexts]) / both,
            ((own + 2 * both) * other * m[ends] + own**2 * m[nexts]) / both)))
    orders = np.where(orders == 3, 1, orders)
    here = np.where(orders == 0, steps[nexts], 1.0 * orders)
    beside = np.where(orders == 0, steps[ends] + steps[nexts], orders - 1.0)
    middle = np.concatenate((here[:1], 2 * (steps[1:] + steps[:-1]), here[1:]))
    above, below = np.concatenate((beside[:1], steps[:-1])), np.concatenate((steps[1:], beside[1:]))
    inner = 3 * (h[1:] * m[:-1] + h[:-1] * m[1:])
    bands = np.stack((np.append(0.0, above), middle, np.append(below, 0.0)))
    return solve_banded((1, 1), bands, np.concatenate((sides[:1], inner, sides[1:])))


def periodic_slopes(steps: Any, h: Any, m: Any) -> Any:
    """The same where the last point is the first one again, at which the last piece meets the first."""
    if len(m) < 3:
        mean = np.sum(m / h, axis=0) / np.sum(1.0 / h)
        return np.stack([mean] * (len(m) + 1))
    before = np.roll(steps, 1)
    sides = 3 * (h * np.roll(m, 1, axis=0) + np.roll(h, 1, axis=0) * m)
    # Two factors stand in the corners, so that the equations are those of a matrix of three diagonals and another of
    # rank 1: its columns are multiples of `around`.
    first, last = 2 * (steps[0] + steps[-1]), 2 * (steps[-2] + steps[-1])
    share = -steps[0] / first
    middle = np.concatenate((np.array([2 * first]), 2 * (before + steps)[1:-1], np.array([last - before[-1] * share])))
    above, below = np.concatenate((np.zeros(1), before[:-1])), np.concatenate((steps[1:], np.zeros(1)))
    around = np.concatenate((np.array([-first]), np.zeros(len(m) - 2), before[-1:]))
    bands = np.stack((above, middle, below))
    own, other = solve_banded((1, 1), bands, sides), solve_banded((1, 1), bands, around)
    rest = (own[0] + share * own[-1]) / (1.0 + other[0] + share * other[-1])
    slopes = own - (other * rest if np.ndim(m) == 1 else np.outer(other, rest))
    return np.concatenate((slopes, slopes[:1]))


def hermite_spline(cls: Any, x: Any, y: Any, dydx: Any, axis: Any = 0, extrapolate: Any = True) -> Any:
    """`scipy.interpolate.CubicHermiteSpline`."""
    del cls
    x = np.asarray(x, float)
    return Piecewise(hermite_coefficients(x, np.moveaxis(y, axis, 0), np.moveaxis(dydx, axis, 0)), x, extrapolate, axis)


def hermite_coefficients(x: Any, y: Any, slopes: Any) -> Any:
    """The coefficients of cubic polynomials with these values and slopes at the points."""
    steps = np.reshape(np.diff(x), (-1,) + (1,) * (np.ndim(y) - 1))
    secants = np.diff(y, axis=0) / steps
    bends = (slopes[:-1] + slopes[1:] - 2 * secants) / steps
    return np.stack((bends / steps, (secants - slopes[:-1]) / steps - bends, slopes[:-1], y[:-1]))


def monotone_spline(cls: Any, x: Any, y: Any, axis: Any = 0, extrapolate: Any = True) -> Any:
    """`scipy.interpolate.PchipInterpolator`."""
    x, values = np.asarray(x, float), np.moveaxis(y, axis, 0)
    c = hermite_coefficients(x, values, monotone_slopes(x, values))
    return Piecewise(exactly(c, coefficients_of, cls, x, y, axis), x, extrapolate, axis)


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


def akima_spline(cls: Any, x: Any, y: Any, axis: Any = 0, *, method: Any = "akima", extrapolate: Any = None) -> Any:
    """`scipy.interpolate.Akima1DInterpolator`, which gives NaN outside unless it is told to extrapolate."""
    if method != "akima":
        return unread("`Akima1DInterpolator` with this method", "Leave the method out, or use `PchipInterpolator`.")
    x, values = np.asarray(x, float), np.moveaxis(y, axis, 0)
    c = hermite_coefficients(x, values, akima_slopes(x, values))
    outside = extrapolate is not None and extrapolate
    return Piecewise(exactly(c, coefficients_of, cls, x, y, axis), x, outside, axis)


def akima_slopes(x: Any, y: Any) -> Any:
    """Slopes between secants, each with the weight of how much the secants change on the other side."""
    secants = np.diff(y, axis=0) / np.reshape(np.diff(x), (-1,) + (1,) * (np.ndim(y) - 1))
    before = 2 * secants[:1] - secants[1:2]
    after = 2 * secants[-1:] - secants[-2:-1]
    m = np.concatenate((2 * before - secants[:1], before, secants, after, 2 * after - secants[-1:]))
    left, right = np.abs(m[3:] - m[2:-1]), np.abs(m[1:-2] - m[:-3])
    total = left + right
    straight = total <= 1e-9 * np.max(total)
    return np.where(straight, 0.5 * (m[1:-2] + m[2:-1]),
                    (left * m[1:-2] + right * m[2:-1]) / np.where(straight, 1.0, total))


def end_slope(step: Any, next_step: Any, secant: Any, next_secant: Any) -> Any:
    """The slope at an end: that of a parabola, as far as it keeps the shape."""
    slope = ((2 * step + next_step) * secant - step * next_secant) / (step + next_step)
    slope = np.where(np.sign(slope) != np.sign(secant), 0.0, slope)
    too_steep = (np.sign(secant) != np.sign(next_secant)) & (np.abs(slope) > 3 * np.abs(secant))
    return np.where(too_steep, 3 * secant, slope)


def spline(cls: Any, t: Any, c: Any, k: Any, extrapolate: Any = True, axis: Any = 0) -> Any:
    """`scipy.interpolate.BSpline`."""
    del cls
    return Spline(held(t), c, k, extrapolate, axis)


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
        if not isinstance(xi, tuple):
            return grid_read(interpn, self.grid, self.values, xi, self.method, self.bounds_error, self.fill_value)
        at = np.stack(np.broadcast_arrays(*xi), axis=-1)
        found = grid_read(interpn, self.grid, self.values, at, self.method, self.bounds_error, self.fill_value)
        return found[0] if at.ndim == 1 else found


def grid_interpolator(
    cls: Any, points: Any, values: Any, method: Any = "linear", bounds_error: Any = True, fill_value: Any = np.nan
) -> Any:
    """`scipy.interpolate.RegularGridInterpolator`."""
    del cls
    return Grid(held(points), np.asarray(values), method, bounds_error, fill_value)


class Through:
    """What goes through values, in which it is linear: `make(points, values)` is called with points."""

    def __init__(self, make: Any, points: Any, values: Any) -> None:
        self.make = make
        self.points = points
        self.values = values

    def __call__(self, x: Any) -> Any:
        """The values at points."""
        like = np.asarray(np.multiply.outer(x, self.values[0]))
        return as_like(values_through(self.make, self.points, self.values, x), like)


class OverCloud:
    """The same of points in space, one a row."""

    def __init__(self, make: Any, points: Any, values: Any, options: Any) -> None:
        self.make = make
        self.points = points
        self.values = values
        self.options = options

    def __call__(self, x: Any) -> Any:
        """The values at points."""
        like = np.asarray(np.multiply.outer(x[..., 0], self.values[0]))
        return as_like(values_over(self.make, self.points, self.values, x, self.options), like)


def through(cls: Any, xi: Any, yi: Any) -> Any:
    """`scipy.interpolate.BarycentricInterpolator` and `KroghInterpolator`."""
    return Through(cls, held(xi), yi)


def through_at(function: Any, xi: Any, yi: Any, x: Any) -> Any:
    """`scipy.interpolate.barycentric_interpolate`."""
    del function
    return Through(BarycentricInterpolator, held(xi), yi)(x)


def krogh_at(function: Any, xi: Any, yi: Any, x: Any) -> Any:
    """`scipy.interpolate.krogh_interpolate`."""
    del function
    return Through(KroghInterpolator, held(xi), yi)(x)


def monotone_at(function: Any, xi: Any, yi: Any, x: Any, der: Any = 0, axis: Any = 0) -> Any:
    """`scipy.interpolate.pchip_interpolate`."""
    del function
    return monotone_spline(PchipInterpolator, xi, yi, axis)(x, der)


def radial(
    cls: Any, y: Any, d: Any, neighbors: Any = None, smoothing: Any = 0.0, kernel: Any = "thin_plate_spline",
    epsilon: Any = None, degree: Any = None,
) -> Any:
    """`scipy.interpolate.RBFInterpolator`."""
    return OverCloud(cls, held(y), d, (neighbors, smoothing, kernel, epsilon, degree))


class Triangles:
    """Values at points in a plane or in space, and what is linear over each of the triangles between them."""

    def __init__(self, make: Any, points: Any, values: Any, options: Any) -> None:
        self.make = make
        self.points = points
        self.values = values
        self.options = options

    def __call__(self, xi: Any, y: Any = None, z: Any = None) -> Any:
        """The values at points, one a row; or one coordinate an argument."""
        q = np.atleast_2d(rows_of(xi if y is None else (xi, y) if z is None else (xi, y, z)))
        like = np.zeros((*np.shape(q)[:-1], np.shape(q)[-1] + 2), int)
        corners = as_like(triangles_around(self.make, self.points, self.options, q), like)
        first, last = self.points[corners[..., 1:-1]], self.points[corners[..., -1]]
        sides = np.reshape(first - last[..., None, :], (*np.shape(q), np.shape(q)[-1]))
        along = np.reshape(q - np.reshape(last, np.shape(q)), (*np.shape(q), 1))
        shares = np.linalg.solve(np.swapaxes(sides, -1, -2), along)[..., 0]
        rest, outside = 1.0 - np.sum(shares, axis=-1), corners[..., 0] > 0
        inner, end = self.values[corners[..., 1:-1]], self.values[corners[..., -1]]
        if np.ndim(self.values) == 1:
            made = np.where(outside, self.options[0], np.sum(shares * inner, axis=-1) + rest * end)
        else:
            whole = np.sum(shares[..., None] * inner, axis=-2) + rest[..., None] * end
            made = np.where(outside[..., None], self.options[0], whole)
        return exactly(made, values_over, self.make, self.points, self.values, q, self.options)


class Nearest:
    """Values at points, each of which holds around its point."""

    def __init__(self, make: Any, points: Any, values: Any, rescale: Any) -> None:
        self.make = make
        self.points = points
        self.values = values
        self.rescale = rescale

    def __call__(self, xi: Any, y: Any = None, z: Any = None) -> Any:
        """The values at points, one a row; or one coordinate an argument."""
        q = np.atleast_2d(rows_of(xi if y is None else (xi, y) if z is None else (xi, y, z)))
        found = nearest_places(self.make, self.points, self.rescale, q)
        return self.values[as_like(found, np.zeros(np.shape(q)[:-1], int))]


def rows_of(xi: Any) -> Any:
    """Points in rows, which may be given by their coordinates."""
    return np.stack(np.broadcast_arrays(*xi), axis=-1) if isinstance(xi, tuple) else np.asarray(xi)


def between_points(cls: Any, points: Any, values: Any, fill_value: Any = np.nan, rescale: Any = False) -> Any:
    """`scipy.interpolate.LinearNDInterpolator`."""
    return Triangles(cls, rows_of(points), np.asarray(values), (fill_value, rescale))


def around_points(cls: Any, x: Any, y: Any, rescale: Any = False) -> Any:
    """`scipy.interpolate.NearestNDInterpolator`."""
    return Nearest(cls, rows_of(x), np.asarray(y), rescale)


def smooth_between_points(cls: Any, points: Any, values: Any, *args: Any, **words: Any) -> Any:
    """`scipy.interpolate.CloughTocher2DInterpolator`, which finds slopes by steps that it breaks off."""
    del cls, points, values, args, words
    return unread("`CloughTocher2DInterpolator`, which finds its slopes by steps that it breaks off early",
                  "Use `RBFInterpolator`, which is smooth, or `LinearNDInterpolator`.")


def scattered(
    function: Any, points: Any, values: Any, xi: Any, method: Any = "linear", fill_value: Any = np.nan,
    rescale: Any = False,
) -> Any:
    """`scipy.interpolate.griddata` of points in a plane or in space."""
    del function
    if not isinstance(points, tuple) and np.ndim(points) != 2:
        return unread("`griddata` of places on a line", "Use `interp1d`.")
    if method == "nearest":
        return around_points(NearestNDInterpolator, points, values, rescale)(xi)
    if method == "linear":
        return between_points(LinearNDInterpolator, points, values, fill_value, rescale)(xi)
    return unread("`griddata` by another method than 'linear' or 'nearest'", "Use `RBFInterpolator`.")


def smoothing_spline(function: Any, x: Any, y: Any, w: Any = None, lam: Any = None) -> Any:
    """`scipy.interpolate.make_smoothing_spline` of a given strength."""
    if lam is None or w is not None:
        return unread("`make_smoothing_spline` that chooses its strength, or has weights", "Give it `lam` alone.")
    knots = interpolation_knots(function, x, (None, lam))
    return Spline(knots, as_like(interpolation_weights(function, x, y, (None, lam)), np.asarray(y)), 3, True, 0)


def least_squares_spline(function: Any, x: Any, y: Any, t: Any, k: Any = 3) -> Any:
    """`scipy.interpolate.make_lsq_spline`."""
    c = as_like(interpolation_weights(function, x, y, (t, k)), np.asarray(y))
    return Spline(held(t), c, k, True, 0)


def grid_values(function: Any, points: Any, values: Any, xi: Any, method: Any = "linear", bounds_error: Any = True,
                fill_value: Any = np.nan) -> Any:
    """`scipy.interpolate.interpn`."""
    return grid_interpolator(function, points, values, method, bounds_error, fill_value)(xi)


READ_FOR: dict[str, Any] = {
    "PPoly": polynomials,
    "CubicSpline": cubic_spline,
    "CubicHermiteSpline": hermite_spline,
    "PchipInterpolator": monotone_spline,
    "pchip_interpolate": monotone_at,
    "Akima1DInterpolator": akima_spline,
    "BarycentricInterpolator": through,
    "KroghInterpolator": through,
    "barycentric_interpolate": through_at,
    "krogh_interpolate": krogh_at,
    "RBFInterpolator": radial,
    "LinearNDInterpolator": between_points,
    "NearestNDInterpolator": around_points,
    "CloughTocher2DInterpolator": smooth_between_points,
    "make_smoothing_spline": smoothing_spline,
    "make_lsq_spline": least_squares_spline,
    "BSpline": spline,
    "RegularGridInterpolator": grid_interpolator,
    "interpn": grid_values,
    "griddata": scattered,
    **prelude_fitpack.READ_FOR,
    **prelude_interp1d.READ_FOR,
}
METHODS_OF: dict[str, type] = {
    "PPoly": Piecewise,
    "BSpline": Spline,
    "RegularGridInterpolator": Grid,
    **prelude_fitpack.METHODS_OF,
    **prelude_interp1d.METHODS_OF,
}


FITS: dict[str, Any] = prelude_fitpack.FITS
