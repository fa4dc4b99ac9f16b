"""Interpolation: functions that generated code may call. NumPy only.

The same promises as in `helpers.py`, which hands these on. A piecewise polynomial has the coefficients `c`, highest
power first, of polynomials in the distance from the last of the points `x`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def pieces_of(x: Any, q: Any) -> Any:
    """In which piece between the points a number lies; beyond the ends, in the nearest.

    >>> pieces_of(np.array([0.0, 1.0, 2.0]), np.array([-1.0, 1.5, 2.0]))
    array([0, 1, 1])
    """
    return np.clip(np.searchsorted(x, q, "right") - 1, 0, len(x) - 2)


def to_axis(v: Any, rank: int, axis: int) -> Any:
    """The array with its first `rank` axes moved behind the `axis` ones that follow."""
    return (
        np.moveaxis(v, list(range(rank)), list(range(axis, axis + rank))) if axis else v
    )


def from_axis(v: Any, rank: int, axis: int) -> Any:
    """The array with its `rank` axes behind the first `axis` ones moved to the front."""
    return (
        np.moveaxis(v, list(range(axis, axis + rank)), list(range(rank))) if axis else v
    )


def coefficients_of(make: Any, *args: Any) -> Any:
    """The coefficients that `scipy.interpolate.PchipInterpolator` and its like find."""
    return make(*args).c


def antiderivative_of(make: Any, c: Any, x: Any) -> Any:
    """The coefficients of the antiderivative of a piecewise polynomial, as `scipy.interpolate.PPoly` has them."""
    return make(c, x).antiderivative().c


def integral_of(make: Any, c: Any, x: Any, a: Any, b: Any, extrapolate: Any) -> Any:
    """The integral of a piecewise polynomial between two points, as `scipy.interpolate.PPoly` has it."""
    return make(c, x, extrapolate).integrate(a, b)


def piecewise(
    c: Any, x: Any, q: Any, nu: int = 0, extrapolate: Any = True, axis: int = 0
) -> Any:
    """A piecewise polynomial at points, or a derivative of it: `scipy.interpolate.PPoly(c, x)(q, nu)`.

    >>> piecewise(np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([0.0, 1.0, 2.0]), np.array([0.5, 1.5]))
    array([0.5, 2. ])
    """
    q = np.asarray(q)
    piece = pieces_of(x, q)
    step = np.reshape(q - x[piece], np.shape(q) + (1,) * (np.ndim(c) - 2))
    out = np.zeros(np.shape(q) + np.shape(c)[2:], np.result_type(c, q))
    power = np.ones_like(step)
    for k in range(len(c) - nu):
        out = out + c[len(c) - 1 - nu - k][piece] * power * (
            math.factorial(k + nu) // math.factorial(k)
        )
        power = power * step
    if extrapolate is False:
        outside = np.reshape((q < x[0]) | (q > x[-1]), np.shape(step))
        out = np.where(outside, np.nan, out)
    return np.asarray(to_axis(out, np.ndim(q), axis))


def piecewise_vjp(v: Any, c: Any, x: Any, q: Any, nu: int = 0, axis: int = 0) -> Any:
    """The adjoint of the coefficients of `piecewise(c, x, q, nu)`.

    >>> piecewise_vjp(np.array([1.0, 2.0]), np.zeros((2, 1)), np.array([0.0, 1.0]), np.array([0.5, 0.25]))
    array([[1.],
           [3.]])
    """
    q = np.asarray(q)
    v = from_axis(v, np.ndim(q), axis)
    piece = pieces_of(x, q)
    step = np.reshape(q - x[piece], np.shape(q) + (1,) * (np.ndim(c) - 2))
    out = np.zeros(np.shape(c), np.result_type(v))
    power = np.ones_like(step)
    for k in range(len(c) - nu):
        factor = math.factorial(k + nu) // math.factorial(k)
        np.add.at(out[len(c) - 1 - nu - k], piece, v * power * factor)
        power = power * step
    return out


def polynomials_derived(c: Any, nu: int) -> Any:
    """The coefficients of the derivatives of polynomials.

    >>> polynomials_derived(np.array([[2.0], [3.0], [4.0]]), 1)
    array([[4.],
           [3.]])
    """
    factors = [math.perm(k, nu) for k in range(len(c) - 1, nu - 1, -1)]
    return c[: len(c) - nu] * np.reshape(
        np.array(factors, np.float64), (-1,) + (1,) * (np.ndim(c) - 1)
    )


def polynomials_derived_vjp(v: Any, nu: int) -> Any:
    """The adjoint of the coefficients of `polynomials_derived`."""
    factors = [math.perm(k, nu) for k in range(len(v) - 1 + nu, nu - 1, -1)]
    scaled = v * np.reshape(
        np.array(factors, np.float64), (-1,) + (1,) * (np.ndim(v) - 1)
    )
    return np.concatenate((scaled, np.zeros((nu, *np.shape(v)[1:]))))


def held(x: Any) -> Any:
    """The points that an interpolator goes through, by which there is no rule."""
    return x


def places_by_steps(
    make: Any, x: Any, kind: Any, bounds_error: Any, fill_value: Any, q: Any
) -> Any:
    """Which value holds at points, as `scipy.interpolate.interp1d` has it; -1 where none does.

    >>> from scipy.interpolate import interp1d
    >>> places_by_steps(interp1d, np.array([0.0, 1.0]), "previous", False, 0.0, np.array([-1.0, 0.7, 2.0]))
    array([-1,  0, -1])
    """
    beyond = fill_value if isinstance(fill_value, str) else np.nan
    counted = make(
        x, np.arange(1.0 * len(x)), kind, bounds_error=bounds_error, fill_value=beyond
    )
    return np.nan_to_num(counted(q), nan=-1.0).astype(int)


def out_of_bounds(x: Any, q: Any, bounds_error: Any) -> Any:
    """Which points lie beyond the ends, as `scipy.interpolate.interp1d` says it: raises where that was not allowed.

    >>> out_of_bounds(np.array([0.0, 1.0]), np.array([0.5, 2.0]), False)
    array([False,  True])
    """
    q = np.asarray(q)
    outside = (q < x[0]) | (q > x[-1])
    if bounds_error is not False and np.any(outside):
        message = "A value in x_new is outside of the interpolation range."
        raise ValueError(message)
    return outside


def grid_read(
    read: Any,
    points: Any,
    values: Any,
    xi: Any,
    method: Any,
    bounds_error: Any,
    fill_value: Any,
) -> Any:
    """The values between those on a grid: `scipy.interpolate.interpn`."""
    return read(points, values, xi, method, bounds_error, fill_value)


def at_points(v: Any, slope: Any, q: Any, axis: int) -> Any:
    """The adjoint of the points `q`, from that of values which have this slope there.

    >>> at_points(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]), np.array([0.5]), 0)
    array([11.])
    """
    rank = np.ndim(q)
    each = from_axis(v * slope, rank, axis)
    return np.sum(each, tuple(range(rank, np.ndim(each))))


def spread_points(v: Any, like: Any, q: Any, axis: int) -> Any:
    """The transpose of `at_points` for a slope of ones: one number for each point, and for each that is read there."""
    rank = np.ndim(q)
    wide = np.reshape(v, np.shape(q) + (1,) * (np.ndim(like) - rank))
    return np.broadcast_to(to_axis(wide, rank, axis), np.shape(like)).copy()


def of_knots(v: Any, x: Any, q: Any) -> Any:
    """The adjoint of the points between pieces, from that of distances `q - x[piece]`.

    >>> of_knots(np.array([1.0, 2.0]), np.array([0.0, 1.0, 2.0]), np.array([0.5, 1.5]))
    array([-1., -2.,  0.])
    """
    out = np.zeros(np.shape(x), np.result_type(v))
    np.subtract.at(out, pieces_of(x, q), v)
    return out


def moved_points(slope: Any, x: Any, q: Any, x_dot: Any, q_dot: Any, axis: int) -> Any:
    """The tangent of values which have this slope, where the points move and those between the pieces."""
    step_dot = (
        q_dot - np.asarray(x_dot)[pieces_of(x, q)]
        if np.ndim(x_dot)
        else np.asarray(q_dot - x_dot)
    )
    rank = np.ndim(q)
    moved = from_axis(slope, rank, axis)
    return to_axis(
        moved * np.reshape(step_dot, np.shape(q) + (1,) * (np.ndim(moved) - rank)),
        rank,
        axis,
    )


def spline_made(make: Any, x: Any, y: Any, k: Any) -> tuple[Any, Any]:
    """The knots and weights of a spline that a function or class of `scipy.interpolate` makes of values."""
    if isinstance(k, tuple):
        made = make(x, y, *k)
        return made.t, made.c
    if isinstance(
        make, type
    ):  # FITPACK's own splines, of one column of values at a time
        columns = np.reshape(y, (len(x), -1)).T
        made = [
            make(x, column, k=k)._eval_args for column in columns
        ]  # `splev` takes it
        weights = np.stack([c[: len(t) - k - 1] for t, c, _ in made], axis=-1)
        return made[0][0], np.reshape(weights, np.shape(y))
    made = make(x, y, k)
    return made.t, made.c


def interpolation_weights(make: Any, x: Any, y: Any, k: Any) -> Any:
    """The weights of the spline that goes through values: `scipy.interpolate.make_interp_spline(x, y, k).c`."""
    return spline_made(make, x, y, k)[1]


def interpolation_weights_vjp(v: Any, make: Any, x: Any, k: Any) -> Any:
    """The adjoint of the values of `interpolation_weights`."""
    return np.tensordot(spline_made(make, x, np.eye(len(x)), k)[1], v, (0, 0))


def interpolation_knots(make: Any, x: Any, k: Any) -> Any:
    """The knots of that spline."""
    return spline_made(make, x, np.zeros(len(x)), k)[0]


def values_through(make: Any, points: Any, y: Any, q: Any, nu: int = 0) -> Any:
    """What `make(points, y)`, which is linear in the values `y`, gives at points, or a derivative of it."""
    made = make(points, y)
    return made.derivative(q, nu) if nu else made(q)


def values_through_vjp(v: Any, make: Any, points: Any, y: Any, q: Any, nu: int) -> Any:
    """The adjoint of the values of `values_through`."""
    unit = values_through(make, points, np.eye(len(y)), q, nu)
    along = tuple(range(np.ndim(q)))
    return np.tensordot(unit, v, (along, along))


def values_over(make: Any, points: Any, y: Any, q: Any, options: Any) -> Any:
    """What `make(points, y, *options)` gives at points in space, where it is linear in the values `y`."""
    return make(points, y, *options)(q)


def values_over_vjp(
    v: Any, make: Any, points: Any, y: Any, q: Any, options: Any
) -> Any:
    """The adjoint of the values of `values_over`; points outside do not depend on them."""
    unit = np.nan_to_num(make(points, np.eye(len(y)), *options)(q), nan=0.0)
    along = tuple(range(np.ndim(q) - 1))
    return np.tensordot(unit, v, (along, along))


def triangles_around(make: Any, points: Any, options: Any, q: Any) -> Any:
    """Which points are the corners of the triangles that others lie in, behind 1 where these lie outside of all."""
    made = make(points, np.zeros(len(points)), *options)
    places = q if made.scale is None else (q - made.offset) / made.scale
    found = made.tri.find_simplex(places)
    corners = made.tri.simplices[np.maximum(found, 0)]
    return np.concatenate((np.expand_dims(found < 0, -1), corners), axis=-1)


def nearest_places(make: Any, points: Any, rescale: bool, q: Any) -> Any:
    """Which of the points lies nearest to each of others."""
    return np.asarray(make(points, np.arange(len(points)), rescale=rescale)(q), int)


def spline_at(
    make: Any,
    t: Any,
    c: Any,
    k: int,
    q: Any,
    nu: int = 0,
    extrapolate: Any = True,
    axis: int = 0,
) -> Any:
    """A spline at points, or a derivative of it: `scipy.interpolate.BSpline(t, c, k)(q, nu)`."""
    return make(t, c, k, extrapolate, axis)(q, nu)


def spline_at_vjp(
    v: Any,
    make: Any,
    t: Any,
    c: Any,
    k: int,
    q: Any,
    nu: int,
    extrapolate: Any,
    axis: int,
) -> Any:
    """The adjoint of the weights of `spline_at`."""
    unit = make(t, np.eye(len(c)), k, extrapolate)(q, nu)
    along = tuple(range(np.ndim(q)))
    return np.tensordot(unit, from_axis(v, np.ndim(q), axis), (along, along))


def evaluated(held: Any, q: Any, nu: int = 0) -> Any:
    """What an object gives at points, or a derivative of it, such as `scipy.interpolate.UnivariateSpline`."""
    return held(q, nu)


# ------------------------------------------------------------------------------------------------------------ grids


def grid_corners(points: Any, q: Any) -> Any:
    """Of each point the cell of a grid, by its first corner along each axis, and the place between the corners.

    >>> grid_corners((np.array([0.0, 1.0, 3.0]),), np.array([[2.0]]))
    [(array([1]), array([0.5]), array([2.]))]
    """
    found = []
    for k, points_along in enumerate(points):
        line = np.asarray(points_along, np.float64)
        cell = pieces_of(line, q[..., k])
        width = line[cell + 1] - line[cell]
        found.append((cell, (q[..., k] - line[cell]) / width, width))
    return found


def grid_outside(points: Any, q: Any) -> Any:
    """Which points lie beyond a grid."""
    outside = np.zeros(np.shape(q)[:-1], bool)
    for k, line in enumerate(points):
        outside |= (q[..., k] < line[0]) | (q[..., k] > line[-1])
    return outside


def grid_values_vjp(v: Any, points: Any, shape: Any, xi: Any, fill_value: Any) -> Any:
    """The adjoint of the values on a grid, of which points read what lies on lines between them.

    >>> grid_values_vjp(np.array([1.0]), (np.array([0.0, 1.0, 3.0]),), (3,), np.array([[2.0]]), None)
    array([0. , 0.5, 0.5])
    """
    q = np.asarray(xi)
    rank = np.ndim(q) - 1
    v = np.reshape(v, np.shape(q)[:-1] + tuple(shape)[len(points) :])
    if fill_value is not None:
        inside = np.reshape(
            ~grid_outside(points, q), np.shape(q)[:-1] + (1,) * (np.ndim(v) - rank)
        )
        v = np.where(inside, v, 0.0)
    out = np.zeros(shape, np.result_type(v))
    corners = grid_corners(points, q)
    for corner in np.ndindex((2,) * len(corners)):
        weight = np.ones(np.shape(q)[:-1])
        for at, (_, place, _) in zip(corner, corners, strict=True):
            weight = weight * (place if at else 1.0 - place)
        index = tuple(
            [cell + at for at, (cell, _, _) in zip(corner, corners, strict=True)]
        )
        np.add.at(
            out,
            index,
            v * np.reshape(weight, np.shape(weight) + (1,) * (np.ndim(v) - rank)),
        )
    return out


def grid_slopes(points: Any, values: Any, xi: Any, fill_value: Any) -> Any:
    """The slopes of what lies on lines between values on a grid, along the last axis by each coordinate.

    >>> grid_slopes((np.array([0.0, 1.0, 3.0]),), np.array([0.0, 1.0, 5.0]), np.array([[2.0]]), None)
    array([[2.]])
    """
    q = np.asarray(xi)
    corners = grid_corners(points, q)
    out = np.zeros(np.shape(q), np.result_type(values, q))
    for index, corner in grid_cells(corners):
        for k in range(len(corners)):
            out[..., k] += np.asarray(values)[index] * grid_weight(
                corners, corner, (k,)
            )
    if fill_value is not None:
        out[grid_outside(points, q)] = 0.0
    return out


def grid_cells(corners: Any) -> Any:
    """The items of a grid at each corner of the cells, with which corner that is."""
    for corner in np.ndindex((2,) * len(corners)):
        yield (
            tuple(
                [cell + at for at, (cell, _, _) in zip(corner, corners, strict=True)]
            ),
            corner,
        )


def grid_weight(corners: Any, corner: Any, by: Any) -> Any:
    """The weight with which a corner is read, or its derivative by some of the coordinates.

    >>> grid_weight([(0, 0.25, 2.0), (1, 0.5, 1.0)], (0, 1), ()), grid_weight([(0, 0.25, 2.0)], (1,), (0,))
    (0.375, 0.5)
    """
    weight = 1.0
    for k, (at, (_, place, width)) in enumerate(zip(corner, corners, strict=True)):
        if by.count(k) == 0:
            weight = weight * (place if at else 1.0 - place)
        else:
            weight = weight * (by.count(k) == 1) * (1.0 if at else -1.0) / width
    return weight


def grid_slopes_vjp(v: Any, points: Any, shape: Any, xi: Any, fill_value: Any) -> Any:
    """The adjoint of the values on a grid from that of `grid_slopes`.

    >>> grid_slopes_vjp(np.array([[1.0]]), (np.array([0.0, 1.0, 3.0]),), (3,), np.array([[2.0]]), None)
    array([ 0. , -0.5,  0.5])
    """
    q = np.asarray(xi)
    corners = grid_corners(points, q)
    out = np.zeros(shape, np.result_type(v))
    inside = True if fill_value is None else ~grid_outside(points, q)
    for index, corner in grid_cells(corners):
        for k in range(len(corners)):
            np.add.at(
                out,
                index,
                np.where(inside, v[..., k], 0.0) * grid_weight(corners, corner, (k,)),
            )
    return out


def grid_bends(points: Any, values: Any, xi: Any, fill_value: Any) -> Any:
    """The second derivatives of what lies on lines between values on a grid, along the last two axes.

    >>> corner = np.array([[0.0, 0.0], [0.0, 3.0]])
    >>> grid_bends((np.array([0.0, 1.0]), np.array([0.0, 1.0])), corner, np.array([[0.5, 0.5]]), None)[0]
    array([[0., 3.],
           [3., 0.]])
    """
    q = np.asarray(xi)
    corners = grid_corners(points, q)
    rank = len(corners)
    out = np.zeros((*np.shape(q), rank), np.result_type(values, q))
    for index, corner in grid_cells(corners):
        for k, m in np.ndindex(rank, rank):
            out[..., k, m] += np.asarray(values)[index] * grid_weight(
                corners, corner, (k, m)
            )
    if fill_value is not None:
        out[grid_outside(points, q)] = 0.0
    return out


def sheets_at(x: Any, y: Any, options: Any, q: Any) -> Any:
    """What `scipy.interpolate.interp1d` gives."""
    make, axis, fill_value = options
    return make(x, y, axis=axis, fill_value=fill_value)(q)


def weights_of_fitpack(function: Any, x: Any, y: Any, k: int) -> Any:
    """The weights of a spline through points, as `scipy.interpolate.splrep` has them."""
    return function(x, y, k=k)[1]
