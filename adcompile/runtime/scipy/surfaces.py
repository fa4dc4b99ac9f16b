"""FITPACK's splines along a line and over a plane: functions that generated code may call. NumPy only.

The same promises as in `helpers.py`, which hands these on. FITPACK has no derivatives past the order of a spline, and
takes a surface beyond its ends to be what it is there: these here have all derivatives, and zeros beyond the ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile.runtime.scipy.interpolation import from_axis, to_axis


def line_slopes(read: Any, q: Any, tck: Any, der: int, ext: int = 0) -> Any:
    """A derivative of a spline, `scipy.interpolate.splev(q, tck, der, ext)`, and 0 past its order.

    >>> line_slopes(None, np.array([0.5, 2.0]), ([], [], 1), 2)
    array([0., 0.])
    """
    return np.zeros(np.shape(q)) if der > tck[2] else read(q, tck, der, ext)


def held_slopes(held: Any, q: Any, nu: int, of_value: bool) -> Any:
    """The same of an object, `scipy.interpolate.UnivariateSpline`; of its value this may be constant past the ends."""
    if nu > held._eval_args[2]:
        return np.zeros(np.shape(q))
    return held(q, nu, 1 if of_value and held.ext == 3 else held.ext)


def knot_slopes(make: Any, t: Any, c: Any, k: int, q: Any, nu: int) -> Any:
    """The derivatives of a spline at points by each of its knots, along a first axis.

    A divided difference by one of its places is one with that place twice: so the slope is a spline with a knot twice.
    Each is made of the knots around a piece alone, since beyond the ends the pieces there go on.
    """
    shape = (len(t), *np.shape(q), *np.shape(c)[1:])
    t, c, q = np.asarray(t, np.float64), np.asarray(c, np.float64), np.ravel(q)
    out = np.zeros((len(t), len(q), *np.shape(c)[1:]))
    lines = (-1,) + (1,) * (np.ndim(c) - 1)
    start = np.searchsorted(t, t[k], "right") - 1
    end = np.searchsorted(t, t[-k - 1], "left") - 1
    found = np.clip(np.searchsorted(t, q, "right") - 1, start, end)
    drops = -np.diff(c, axis=0, prepend=0.0, append=0.0)
    for piece in np.unique(found):
        here = found == piece
        for knot in range(piece - k, piece + k + 2):
            twice, first = np.insert(t, knot, t[knot]), piece - k + (knot <= piece)
            local = twice[first : first + 2 * k + 2]
            widths = local[k + 1 :] - local[: k + 1]
            order = np.arange(first, first + k + 1)
            counts = (order >= knot - k) & (order <= knot) & (widths > 0.0)
            shares = counts / np.where(counts, widths, 1.0)
            weights = np.reshape(shares, lines) * drops[first : first + k + 1]
            out[knot, here] = make(local, weights, k)(q[here], nu)
    return np.reshape(out, shape)


def spline_knots_vjp(
    v: Any, make: Any, t: Any, c: Any, k: int, q: Any, nu: int, axis: int
) -> Any:
    """The adjoint of the knots of `spline_at`."""
    slopes = knot_slopes(make, t, c, k, q, nu)
    over = np.ndim(slopes) - 1
    return np.tensordot(slopes, from_axis(v, np.ndim(q), axis), over)


def spline_knots_jvp(
    make: Any, t: Any, c: Any, k: int, q: Any, nu: int, axis: int, t_dot: Any
) -> Any:
    """The tangent of `spline_at` where its knots move."""
    slopes = knot_slopes(make, t, c, k, q, nu)
    return to_axis(np.tensordot(t_dot, slopes, 1), np.ndim(q), axis)


def unit_splines(make: Any, t: Any, k: int, q: Any, nu: int) -> Any:
    """A derivative of each of the splines by whose weights a surface is told, at points: one row a point."""
    t, q = np.asarray(t, np.float64), np.ravel(q)
    unit = make(t, np.eye(len(t) - k - 1), k)(np.clip(q, t[k], t[-k - 1]), nu)
    if nu:
        unit[(q < t[k]) | (q > t[-k - 1])] = 0.0
    return unit


def surface_slopes(make: Any, x: Any, y: Any, tck: Any, dx: int, dy: int) -> Any:
    """A derivative of a spline over a plane, `scipy.interpolate.bisplev(x, y, tck, dx, dy)`, made of `BSpline`.

    As there, no axes of length 1 stand in front.
    """
    tx, ty, c, kx, ky = tck
    across = unit_splines(make, tx, kx, x, dx)
    along = unit_splines(make, ty, ky, y, dy)
    out = across @ np.reshape(c, (np.shape(across)[1], -1)) @ along.T
    return out if len(out) > 1 else out[0] if np.size(out) > 1 else out[0, 0]


def surface_of(make: Any, x: Any, y: Any, z: Any, kx: int, ky: int) -> Any:
    """The weights of the spline through values on a grid: `scipy.interpolate.RectBivariateSpline(x, y, z).tck[2]`."""
    return make(x, y, z, kx=kx, ky=ky).tck[2]


def surface_read(
    make: Any, tck: Any, k: Any, x: Any, y: Any, dx: int, dy: int, grid: bool
) -> Any:
    """What `scipy.interpolate.BivariateSpline` gives on a grid or at points."""
    return make._from_tck((*tck, *k))(x, y, dx=dx, dy=dy, grid=grid)
