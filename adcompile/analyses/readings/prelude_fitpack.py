"""FITPACK's splines in the language of the compiler, along a line and over a plane: see `prelude_interpolate.py`.

FITPACK has them as tuples of knots, weights and orders, or as objects that hold these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.interpolate import BivariateSpline, BSpline, InterpolatedUnivariateSpline

from adcompile.analyses.readings.prelude import exactly
from adcompile.ir import nodes as n
from adcompile.ir.indices import literal_key
from adcompile.ir.kinds import Struct
from adcompile.runtime.cuts import as_like, unread
from adcompile.runtime.scipy.interpolation import (
    evaluated,
    interpolation_knots,
    interpolation_weights,
    spline_at,
    weights_of_fitpack,
)
from adcompile.runtime.scipy.surfaces import surface_of, surface_read

if TYPE_CHECKING:
    from adcompile.analyses.readings.prelude import Keywords


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

    def derivative(self) -> Any:
        """The derivative: of each weight, the difference to the one before it."""
        t, k = self.t, self.k
        c = np.concatenate((self.c, np.zeros_like(self.c[: k + 1])))
        steps = np.reshape(t[k + 1 : -1] - t[1 : -k - 1], (-1,) + (1,) * (np.ndim(c) - 1))
        slopes = (c[1 : -1 - k] - c[: -2 - k]) * k / steps
        return Spline(t[1:-1], np.concatenate((slopes, np.zeros_like(c[:k]))), k - 1, self.extrapolate, self.axis)


def lines_through(cls: Any, x: Any, y: Any, k: Any = 3) -> Any:
    """`scipy.interpolate.InterpolatedUnivariateSpline`."""
    return spline_of_fit(cls, x, y, k)


def spline_through_all(cls: Any, x: Any, y: Any, *, k: Any = 3, s: Any = 0) -> Any:
    """`scipy.interpolate.UnivariateSpline` that goes through its values."""
    del s
    return spline_of_fit(cls, x, y, k)


def smooth_spline(cls: Any, x: Any, y: Any, **options: Any) -> Any:
    """`scipy.interpolate.UnivariateSpline`."""
    del cls, x, y, options
    return unread("`UnivariateSpline`, whose knots may depend on the values that it need not go through",
                  "Give it `s=0`, or use `make_smoothing_spline` with `lam`.")


def spline_of_fit(cls: Any, x: Any, y: Any, k: Any) -> Any:
    """A spline by the knots that FITPACK has chosen, which depend on the points alone."""
    del cls
    knots = interpolation_knots(InterpolatedUnivariateSpline, x, k)
    c = as_like(interpolation_weights(InterpolatedUnivariateSpline, x, y, k), np.asarray(y))
    return Spline(knots, c, k, True, 0)


class Held:
    """An interpolator that is held fixed, with derivatives of its own."""

    def __call__(self: Any, x: Any, nu: Any = 0) -> Any:
        """The values, or those of a derivative."""
        return evaluated(self, x, nu)


def spline_of_fitpack(function: Any, x: Any, y: Any, *, k: Any = 3) -> Any:
    """`scipy.interpolate.splrep` without weights, which goes through its values: knots, weights and the order."""
    fitted = spline_of_fit(function, x, y, k)
    weights = np.concatenate((fitted.c, np.zeros(k + 1)))
    return fitted.t, exactly(weights, weights_of_fitpack, function, x, y, k), k


def spline_of_fitpack_at(function: Any, x: Any, tck: Any, der: Any = 0, ext: Any = 0) -> Any:
    """`scipy.interpolate.splev` of a spline by its knots, weights and order, or of a curve with several weights."""
    t, c, k = tck
    if np.ndim(c[0]) > 0:
        return [line_at(function, x, (t, part, k), der, ext) for part in c]
    return line_at(function, x, tck, der, ext)


def line_at(function: Any, x: Any, tck: Any, der: Any, ext: Any) -> Any:
    """The values of one spline."""
    t, c, k = tck
    knots, q = np.asarray(t), np.asarray(x)
    inside = np.clip(q, knots[k], knots[-k - 1]) if ext == 3 and der == 0 else q
    made = spline_at(BSpline, knots, np.asarray(c)[: len(t) - k - 1], k, inside, der, True, 0)
    if ext == 1:
        made = np.where((q < knots[k]) | (q > knots[-k - 1]), 0.0, made)
    return exactly(made, function, x, tck, der, ext)


def over_plane(x: Any, y: Any, tck: Any, degrees: Any, dx: Any, dy: Any, *, grid: Any) -> Any:
    """A spline over a plane, which is constant beyond its ends, on a grid or at pairs of coordinates."""
    (tx, ty, c), (kx, ky) = tck, degrees
    knots, lines = np.asarray(tx), np.asarray(ty)
    q, r = np.clip(np.ravel(x), knots[kx], knots[-kx - 1]), np.clip(np.ravel(y), lines[ky], lines[-ky - 1])
    units, others = np.eye(len(knots) - kx - 1), np.eye(len(lines) - ky - 1)
    across = spline_at(BSpline, knots, units, kx, q, dx)
    along = spline_at(BSpline, lines, others, ky, r, dy)
    weights = np.reshape(c, (len(units), len(others)))
    return across @ weights @ along.T if grid else np.sum(across @ weights * along, axis=1)


@dataclass(frozen=True)
class Surface:
    """A spline over a plane: `scipy.interpolate.RectBivariateSpline` and its like."""

    tck: Any
    degrees: Any

    def __call__(self, x: Any, y: Any, dx: Any = 0, dy: Any = 0, grid: Any = True) -> Any:
        """The values on a grid, or at pairs of coordinates, or those of a derivative."""
        if grid:
            made = over_plane(x, y, self.tck, self.degrees, dx, dy, grid=True)
        else:
            q, r = np.broadcast_arrays(x, y)
            made = np.reshape(over_plane(q, r, self.tck, self.degrees, dx, dy, grid=False), np.shape(q))
        return exactly(made, surface_read, BivariateSpline, self.tck, self.degrees, x, y, dx, dy, grid)

    def ev(self, xi: Any, yi: Any, dx: Any = 0, dy: Any = 0) -> Any:
        """The values at pairs of coordinates."""
        return self(xi, yi, dx, dy, grid=False)


def surface_through(cls: Any, x: Any, y: Any, z: Any, *, kx: Any = 3, ky: Any = 3, s: Any = 0) -> Any:
    """`scipy.interpolate.RectBivariateSpline` that goes through its values."""
    if s != 0:
        return unread("`RectBivariateSpline` that need not go through its values", "Leave out `s`.")
    tx = as_like(interpolation_knots(InterpolatedUnivariateSpline, x, kx), np.asarray(x))
    ty = as_like(interpolation_knots(InterpolatedUnivariateSpline, y, ky), np.asarray(y))
    across = as_like(spline_at(BSpline, tx, np.eye(len(x)), kx, x), np.eye(len(x)))
    along = as_like(spline_at(BSpline, ty, np.eye(len(y)), ky, y), np.eye(len(y)))
    c = np.ravel(np.linalg.solve(along, np.linalg.solve(across, z).T).T)
    return Surface((tx, ty, exactly(c, surface_of, cls, x, y, z, kx, ky)), (kx, ky))


def surface_of_fitpack_at(function: Any, x: Any, y: Any, tck: Any, dx: Any = 0, dy: Any = 0) -> Any:
    """`scipy.interpolate.bisplev` of a spline by its knots, weights and orders."""
    tx, ty, c, kx, ky = tck
    made = over_plane(x, y, (tx, ty, np.asarray(c)), (kx, ky), dx, dy, grid=True)
    if np.ndim(x) > 0 and len(x) > 1:
        return exactly(made, function, x, y, tck, dx, dy)
    if np.ndim(y) > 0 and len(y) > 1:
        return exactly(made[0], function, x, y, tck, dx, dy)
    return exactly(made[0, 0], function, x, y, tck, dx, dy)


READ_FOR: dict[str, Any] = {
    "InterpolatedUnivariateSpline": lines_through,
    "UnivariateSpline": smooth_spline,
    "RectBivariateSpline": surface_through,
    "splrep": spline_of_fitpack,
    "splev": spline_of_fitpack_at,
    "bisplev": surface_of_fitpack_at,
}
METHODS_OF: dict[str, type] = {"UnivariateSpline": Held, "BivariateSpline": Surface}


def _goes_through(args: Sequence[n.Expr], keywords: Keywords) -> Any:
    """How `UnivariateSpline` is read: with `s=0` it goes through its values."""
    return spline_through_all if literal_key(dict(keywords).get("s", args[0])) == (True, 0) else smooth_spline


def _in_parts(place: int, parts: int) -> Any:
    """Whether a spline is given by its knots, weights and orders, of which the weights may vary."""

    def fits(args: Sequence[n.Expr], keywords: Keywords) -> bool:
        spline = args[place] if len(args) > place else dict(keywords).get("tck")
        known = isinstance(spline, n.Expr) and isinstance(spline.kind, Struct) and len(spline.kind.items) == parts
        return known and not (isinstance(spline, n.Ref) and isinstance(spline.value, tuple))

    return fits


FITS: dict[str, Any] = {"UnivariateSpline": _goes_through, "splev": _in_parts(1, 3), "bisplev": _in_parts(2, 5)}
