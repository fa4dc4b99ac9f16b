"""`scipy.interpolate.interp1d` in the language of the compiler, in all its kinds: see `prelude.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import interp1d, make_interp_spline

from adcompile.analyses.readings.prelude import exactly
from adcompile.analyses.readings.prelude_fitpack import Spline
from adcompile.runtime.cuts import as_like, own_value, unread
from adcompile.runtime.scipy.interpolation import (
    interpolation_knots,
    interpolation_weights,
    out_of_bounds,
    piecewise,
    places_by_steps,
    sheets_at,
)


def spline_through(function: Any, x: Any, y: Any, k: Any = 3, t: Any = None, bc_type: Any = None) -> Any:
    """`scipy.interpolate.make_interp_spline`."""
    del function
    if t is not None or bc_type is not None:
        return unread("`make_interp_spline` with knots or ends of its own", "Use `CubicSpline(x, y, bc_type=...)`.")
    knots = as_like(interpolation_knots(make_interp_spline, x, k), np.asarray(x))
    weights = as_like(interpolation_weights(make_interp_spline, x, y, k), np.asarray(y))
    return Spline(knots, weights, k, True, 0)


class Lines:
    """Straight lines between points, in their order; an object from outside may have another kind."""

    axis: Any
    _spline: Any

    def __init__(self, x: Any, y: Any, bounds_error: Any, fill_value: Any) -> None:
        self.x = x
        self.y = y
        self._kind = "linear"
        self.bounds_error = bounds_error
        self.fill_value = fill_value

    def __call__(self, x: Any) -> Any:
        """The values."""
        if self._kind in ("nearest", "nearest-up", "previous", "next"):
            return Steps(self.x, self.y, self._kind, self.axis, self.bounds_error, self.fill_value)(x)
        if np.ndim(self.y) != 1:
            return unread("this object of `interp1d`, of values along several axes", "Make it in the function.")
        if self._kind == "spline":
            return Curves(self.x, Column(self._spline), self.bounds_error, self.fill_value)(x)
        if isinstance(self.fill_value, str):
            return piecewise(np.stack((np.diff(self.y) / np.diff(self.x), self.y[:-1])), self.x, x, 0, True, 0)
        outside = own_value(np.asarray(x) > 0, out_of_bounds, self.x, x, self.bounds_error)
        return np.where(outside, beyond_ends(self.fill_value, self.x, x), np.interp(x, self.x, self.y))


class Column:
    """A curve of values that stand in the one column of a matrix."""

    def __init__(self, curve: Any) -> None:
        self.curve = curve

    def __call__(self, x: Any) -> Any:
        """The values."""
        return self.curve(x)[..., 0]


class Steps:
    """Values at points in their order, each of which holds around its point, or up to the next one."""

    def __init__(self, x: Any, y: Any, kind: Any, axis: Any, bounds_error: Any, fill_value: Any) -> None:
        self.x = x
        self.y = y
        self.kind = kind
        self.axis = axis
        self.bounds_error = bounds_error
        self.fill_value = fill_value

    def __call__(self, x: Any) -> Any:
        """The values."""
        found = as_like(places_by_steps(interp1d, self.x, self.kind, self.bounds_error, self.fill_value, x),
                        np.asarray(x).astype(int))
        fill = np.nan if isinstance(self.fill_value, str) else self.fill_value
        if np.ndim(self.y) == 1:
            return np.where(found < 0, beyond_ends(fill, self.x, x), np.take(self.y, found))
        axis, rank, wide = self.axis % np.ndim(self.y), np.ndim(x), np.shape(x) + (1,) * (np.ndim(self.y) - 1)
        beyond = beyond_ends(fill, self.x, np.reshape(x, wide))
        made = np.where(np.reshape(found < 0, wide), beyond, np.take(np.moveaxis(self.y, axis, 0), found, axis=0))
        return np.moveaxis(made, range(rank), range(axis, axis + rank))


class Sheets:
    """Straight lines between arrays along an axis, where nothing is read beyond the ends."""

    def __init__(self, points: Any, c: Any, x: Any, y: Any, options: Any) -> None:
        self.points = points
        self.c = c
        self.x = x
        self.y = y
        self.options = options

    def __call__(self, x: Any) -> Any:
        """The values."""
        made = piecewise(self.c, self.points, x, 0, True, self.options[1])
        return exactly(made, sheets_at, self.x, self.y, self.options, x)


def beyond_ends(fill_value: Any, points: Any, x: Any) -> Any:
    """What stands for values beyond the points: one number, or one for either end."""
    if isinstance(fill_value, tuple):
        below, above = fill_value
        return np.where(x < points[0], below, above)
    return fill_value


class Curves:
    """A spline between points, in their order."""

    def __init__(self, x: Any, made: Any, bounds_error: Any, fill_value: Any) -> None:
        self.x = x
        self._spline = made
        self.bounds_error = bounds_error
        self.fill_value = fill_value

    def __call__(self, x: Any) -> Any:
        """The values."""
        made = self._spline
        if isinstance(self.fill_value, str):
            return made(x)
        outside = own_value(np.asarray(x) > 0, out_of_bounds, self.x, x, self.bounds_error)
        inside = np.where(outside, self.x[0], x)
        return np.where(outside, beyond_ends(self.fill_value, self.x, x), made(inside))


def lines(
    cls: Any, x: Any, y: Any, kind: Any = "linear", axis: Any = -1, copy: Any = True, bounds_error: Any = None,
    fill_value: Any = None, assume_sorted: Any = False,
) -> Any:
    """`scipy.interpolate.interp1d` of values that lie along one axis; of other kinds it is a spline."""
    del copy, assume_sorted
    if not isinstance(kind, str):
        return unread("`interp1d` of a kind by number", "Name it: 'zero', 'slinear', 'quadratic' or 'cubic'.")
    if kind in ("nearest", "nearest-up", "previous", "next", "zero"):
        at = np.argsort(x, kind="stable")
        rest = np.nan if fill_value is None else fill_value
        return Steps(np.asarray(x)[at], np.take(1.0 * np.asarray(y), at, axis=axis), kind, axis, bounds_error, rest)
    if np.asarray(y).ndim != 1:
        if kind == "linear" and bounds_error is None and (fill_value is None or isinstance(fill_value, str)):
            places = np.argsort(x)
            points, values = np.asarray(x)[places], np.moveaxis(y, axis, 0)[places]
            c = np.stack(((np.diff(values, axis=0).T / np.diff(points)).T, values[:-1]))
            return Sheets(points, c, x, y, (cls, axis, np.nan if fill_value is None else fill_value))
        return unread("`interp1d` of these values along several axes",
                      "Write `make_interp_spline(x, y, k=1, axis=axis)`.")
    order = np.argsort(x)
    points, values = np.asarray(x)[order], np.asarray(y)[order]
    beyond = np.nan if fill_value is None else fill_value
    if kind == "linear":
        return Lines(points, values, bounds_error, beyond)
    if kind == "quadratic":
        return Curves(points, spline_through(make_interp_spline, points, values, 2), bounds_error, beyond)
    degree = 3 if kind == "cubic" else 1
    return Curves(points, spline_through(make_interp_spline, points, values, degree), bounds_error, beyond)


READ_FOR: dict[str, Any] = {"interp1d": lines, "make_interp_spline": spline_through}
METHODS_OF: dict[str, type] = {"interp1d": Lines}
