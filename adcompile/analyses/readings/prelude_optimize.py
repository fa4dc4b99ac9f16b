"""Solvers and minimizers in the language of the compiler: see `prelude.py`.

A solver's result counts as a constant. Behind it stand steps of Newton's method that change no bit of it, since what
they subtract is zero, and whose derivatives are those of the equation: with a slope that is held fixed, and need not be
exact, each step makes them right to one order more, or multiplies their error by that of the slope.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from adcompile.analyses.readings.prelude import exactly
from adcompile.analyses.readings.prelude_constraints import (
    Limits,
    Linear,
    Nonlinear,
    limits,
    linear,
    nonlinear,
    pair_of,
    under,
)
from adcompile.runtime.cuts import solution, solution_like, stop_gradient, unread


def number_between(
    solver: Any, f: Any, a: Any, b: Any, args: Any = (), xtol: Any = 2e-12, rtol: Any = 8.9e-16, maxiter: Any = 100
) -> Any:
    """A root of a function of one number, between two others: `scipy.optimize.brentq` and its like."""
    x = solution(0, solver, f, a, b, args, xtol, rtol, maxiter)
    h = 1e-6 * max(1.0, abs(x))
    slope = stop_gradient((f(x + h, *args) - f(x - h, *args)) / (2.0 * h))
    x = stepped(f, x, args, slope)
    x = stepped(f, x, args, slope)
    return stepped(f, x, args, slope)


def number_inside(
    solver: Any, f: Any, a: Any, b: Any, args: Any = (), *, xtol: Any = 2e-12, rtol: Any = 8.9e-16
) -> Any:
    """The same: `scipy.optimize.toms748`."""
    x = solution(0, solver, f, a, b, args, 1, xtol, rtol)
    return number_between(number_known, f, x, x, args)


def number_near(
    solver: Any, func: Any, x0: Any, fprime: Any = None, args: Any = (), tol: Any = 1.48e-8, maxiter: Any = 50
) -> Any:
    """A root of a function of one number, or of each number of an array: `scipy.optimize.newton`."""
    x = solution_like(x0, solver, func, x0, fprime, args, tol, maxiter)
    h = 1e-6 * np.maximum(1.0, np.abs(x))
    slope = stop_gradient((func(x + h, *args) - func(x - h, *args)) / (2.0 * h))
    x = stepped(func, x, args, slope)
    x = stepped(func, x, args, slope)
    return stepped(func, x, args, slope)


def stepped(function: Any, x: Any, args: Any, slope: Any) -> Any:
    """A root behind a step of Newton's method, which takes away what is zero."""
    left = function(x, *args)
    return x - (left - stop_gradient(left)) / slope


def system_near(
    solver: Any, func: Any, x0: Any, args: Any = (), fprime: Any = None, *, xtol: Any = 1.49012e-8, maxfev: Any = 0
) -> Any:
    """A root of a system of equations: `scipy.optimize.fsolve`."""
    x = solution(1, solver, func, x0, args, fprime, 0, 0, xtol, maxfev)
    return vector_near(known_already, func, x, args)


def vector_near(solver: Any, func: Any, x0: Any, args: Any = ()) -> Any:
    """The same, as a solver finds it."""
    x = solution(1, solver, func, x0, args)
    slope = np.zeros((len(x), len(x)))
    for k in range(len(x)):
        h = np.zeros(len(x))
        h[k] = 1e-6 * max(1.0, abs(x[k]))
        change = np.asarray(func(x + h, *args)) - np.asarray(func(x - h, *args))
        slope[:, k] = stop_gradient(change / (2.0 * h[k]))
    x = vector_stepped(func, x, args, slope)
    x = vector_stepped(func, x, args, slope)
    return vector_stepped(func, x, args, slope)


def vector_stepped(function: Any, x: Any, args: Any, slope: Any) -> Any:
    """The same of a system of equations."""
    left = np.asarray(function(x, *args))
    return x - np.linalg.solve(slope, left - stop_gradient(left))


@dataclass(frozen=True)
class Found:
    """What `scipy.optimize.root` returns, as far as it is read."""

    STANDS_FOR = "what `scipy.optimize.root` returns"

    x: Any


def found_at(solver: Any, *args: Any) -> Any:
    """The solution alone, of what a solver says."""
    return solver(*args).x


def result_near(
    solver: Any, fun: Any, x0: Any, args: Any = (), method: Any = "hybr", jac: Any = None, tol: Any = None
) -> Any:
    """A root of a system of equations: `scipy.optimize.root`, of whose result `x` is read."""
    x = solution(1, found_at, solver, fun, x0, args, method, jac, tol)
    return Found(vector_near(known_already, fun, x, args))


@dataclass(frozen=True)
class Root:
    """What `scipy.optimize.root_scalar` returns, as far as it is read."""

    STANDS_FOR = "what `scipy.optimize.root_scalar` returns"

    root: Any


def root_of(
    solver: Any, f: Any, x0: Any, fprime: Any, bracket: Any, args: Any, method: Any, xtol: Any, rtol: Any
) -> Any:
    """The root alone, of what `scipy.optimize.root_scalar` says."""
    return solver(f, args, method, bracket, fprime, None, x0, None, xtol, rtol).root


def root_result(
    solver: Any, f: Any, args: Any = (), method: Any = None, bracket: Any = None, fprime: Any = None,
    fprime2: Any = None, x0: Any = None, x1: Any = None, xtol: Any = None, rtol: Any = None,
) -> Any:
    """A root of a function of one number: `scipy.optimize.root_scalar`, of whose result `root` is read."""
    del fprime2, x1
    x = solution(0, root_of, solver, f, x0, fprime, bracket, args, method, xtol, rtol)
    return Root(number_between(number_known, f, x, x, args))


def number_known(*given: Any) -> Any:
    """The number that has been found."""
    return given[1]


@dataclass(frozen=True)
class Least:
    """What `scipy.optimize.minimize` returns, as far as it is read."""

    STANDS_FOR = "what `scipy.optimize.minimize` returns"

    x: Any
    fun: Any


def minimum_near(
    solver: Any,
    slope: Any,
    fun: Any,
    x0: Any,
    args: Any = (),
    method: Any = None,
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    tol: Any = None,
    options: Any = None,
    bounds: Any = None,
    constraints: Any = None,
) -> Any:
    """A minimum: `scipy.optimize.minimize`, of whose result `x` and `fun` are read. There, the slope is zero."""
    held_by = () if constraints is None else constraints
    x = solution(1, found_at, solver, fun, x0, args, method, jac, hess, hessp, bounds, held_by, tol, None, options)
    x = within(x, slope, args, bounds, constraints)
    return Least(x, fun(x, *args))


def minimum_of_both(
    solver: Any,
    fun: Any,
    x0: Any,
    args: Any = (),
    method: Any = None,
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    tol: Any = None,
    options: Any = None,
    bounds: Any = None,
    constraints: Any = None,
) -> Any:
    """The same of a function that returns its value and its slope."""
    held_by = () if constraints is None else constraints
    x = solution(1, found_at, solver, fun, x0, args, method, jac, hess, hessp, bounds, held_by, tol, None, options)
    x = within(x, slope_of_both, (fun, args), bounds, constraints)
    return Least(x, fun(x, *args)[0])


def slope_of_both(x: Any, fun: Any, args: Any) -> Any:
    """The slope, of a function that returns its value and that."""
    return fun(x, *args)[1]


def minimum_by_differences(
    solver: Any,
    fun: Any,
    x0: Any,
    args: Any = (),
    method: Any = None,
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    tol: Any = None,
    options: Any = None,
    bounds: Any = None,
    constraints: Any = None,
) -> Any:
    """The same of a function whose slope is not at hand: differences of it stand in its place."""
    held_by = () if constraints is None else constraints
    x = solution(1, found_at, solver, fun, x0, args, method, jac, hess, hessp, bounds, held_by, tol, None, options)
    x = within(x, gradient_near, (fun, args), bounds, constraints)
    return Least(x, fun(x, *args))


def within(x: Any, slope: Any, args: Any, bounds: Any, constraints: Any) -> Any:
    """A minimum as a solver finds it: the slope is zero there, but for at bounds, which are held fixed."""
    if constraints is not None:
        return under(x, slope, args, bounds, constraints, near_both)
    return between(x, slope, args, None if bounds is None else pair_of(bounds, len(x)))


def near_both(both: Any, balance: Any, given: Any) -> Any:
    """A minimum with the multipliers of its constraints, behind Newton's steps."""
    return vector_near(known_already, balance, both, given)


def between(x: Any, slope: Any, args: Any, bounds: Any) -> Any:
    """The same with lower and upper bounds: a number that the slope pushes to one of them moves with that.

    A solver may stop at some distance from a bound. It holds a number where a step of Newton's method would pass it.
    """
    if bounds is None:
        return vector_near(known_already, slope, x, args)
    low, high = np.broadcast_to(bounds[0], np.shape(x)), np.broadcast_to(bounds[1], np.shape(x))
    rate, bend = np.asarray(slope(x, *args)), bends(x, slope, args)
    held = (rate > 0.0) & (rate >= bend * (x - low))
    stopped = (rate < 0.0) & (-rate >= bend * (high - x))
    return vector_near(known_already, left_between, x, (slope, args, (held, low), (stopped, high)))


def bends(x: Any, slope: Any, args: Any) -> Any:
    """How the slope along each number changes with that number, by differences."""
    found = np.zeros(len(x))
    for k in range(len(x)):
        h = np.zeros(len(x))
        h[k] = 1e-4 * max(1.0, abs(x[k]))
        change = np.asarray(slope(x + h, *args)) - np.asarray(slope(x - h, *args))
        found[k] = stop_gradient(change[k] / (2.0 * h[k]))
    return found


def left_between(x: Any, slope: Any, args: Any, below: Any, above: Any) -> Any:
    """The slope, and in its place the distance to a bound where one holds a number."""
    return np.where(below[0], x - below[1], np.where(above[0], x - above[1], slope(x, *args)))


def gradient_near(x: Any, fun: Any, args: Any) -> Any:
    """The gradient of a function, by differences of fourth order."""
    slopes = np.zeros(len(x))
    for k in range(len(x)):
        step = np.zeros(len(x))
        step[k] = stop_gradient(1e-3 * max(1.0, abs(x[k])))
        near = fun(x + step, *args) - fun(x - step, *args)
        far = fun(x + 2.0 * step, *args) - fun(x - 2.0 * step, *args)
        slopes[k] = (8.0 * near - far) / (12.0 * step[k])
    return slopes


def slope_near(x: Any, fun: Any, args: Any, room: Any = math.inf) -> Any:
    """The same of a function of one number, which is not asked farther away than there is room."""
    h = stop_gradient(min(1e-3 * max(1.0, abs(x)), room / 4.0))
    near = fun(x + h, *args) - fun(x - h, *args)
    return (8.0 * near - (fun(x + 2.0 * h, *args) - fun(x - 2.0 * h, *args))) / (12.0 * h)


def least_at(solver: Any, fun: Any, bracket: Any, bounds: Any, args: Any, method: Any, tol: Any, options: Any) -> Any:
    """The place alone, of what `scipy.optimize.minimize_scalar` says."""
    return solver(fun, bracket, bounds, args, method, tol, options).x


def least_number(
    solver: Any, fun: Any, bracket: Any = None, bounds: Any = None, args: Any = (), method: Any = None,
    tol: Any = None, options: Any = None,
) -> Any:
    """A minimum of a function of one number: `scipy.optimize.minimize_scalar`, of whose result `x` and `fun` are read.

    There the slope is zero, but for at a bound, which the solver comes close to, and where it moves with that.
    """
    x = solution(0, least_at, solver, fun, bracket, bounds, args, method, tol, options)
    room = math.inf
    if bounds is not None:
        low, high = bounds
        value = fun(x, *args)
        near = 1e-4 * (high - low)
        if x - low < near and fun(low, *args) <= value:
            x = x + (low - stop_gradient(low))
            return Least(x, fun(x, *args))
        if high - x < near and fun(high, *args) <= value:
            x = x + (high - stop_gradient(high))
            return Least(x, fun(x, *args))
        room = stop_gradient(min(x - low, high - x))
    h = min(1e-3 * max(1.0, abs(x)), room / 4.0)
    up, down = slope_near(x + h, fun, args, room), slope_near(x - h, fun, args, room)
    bend = stop_gradient((up - down) / (2.0 * h))
    x = stepped(slope_near, x, (fun, args, room), bend)
    x = stepped(slope_near, x, (fun, args, room), bend)
    x = stepped(slope_near, x, (fun, args, room), bend)
    return Least(x, fun(x, *args))


def half_squares(x: Any, fun: Any, args: Any) -> Any:
    """What least squares make small."""
    left = np.asarray(fun(x, *args))
    return 0.5 * np.sum(left * left)


def closest_at(solver: Any, fun: Any, x0: Any, jac: Any, bounds: Any, args: Any, options: Any) -> Any:
    """The place alone, of what `scipy.optimize.least_squares` says."""
    return solver(fun, x0, jac, (-np.inf, np.inf) if bounds is None else bounds, args=args, **options).x


@dataclass(frozen=True)
class Closest:
    """What `scipy.optimize.least_squares` returns, as far as it is read."""

    STANDS_FOR = "what `scipy.optimize.least_squares` returns"

    x: Any
    cost: Any
    fun: Any


def closest(
    solver: Any, fun: Any, x0: Any, jac: Any = "2-point", bounds: Any = None, method: Any = "trf",
    ftol: Any = 1e-8, xtol: Any = 1e-8, gtol: Any = 1e-8, x_scale: Any = None, loss: Any = "linear", *,
    args: Any = (), max_nfev: Any = None,
) -> Any:
    """A minimum of a sum of squares: `scipy.optimize.least_squares`, of whose result `x`, `cost`, `fun` are read."""
    if loss != "linear":
        return unread("`least_squares` with a loss that is not 'linear'", "Minimize the sum with `minimize`.")
    options = {"method": method, "ftol": ftol, "xtol": xtol, "gtol": gtol, "x_scale": x_scale, "max_nfev": max_nfev}
    x = solution(1, closest_at, solver, fun, x0, jac, bounds, args, options)
    x = between(x, gradient_near, (half_squares, (fun, args)), bounds)
    left = np.asarray(fun(x, *args))
    return Closest(x, 0.5 * np.sum(left * left), left)


def fitted_with(
    solver: Any, f: Any, xdata: Any, ydata: Any, p0: Any, sigma: Any, absolute_sigma: Any, check_finite: Any,
    bounds: Any, method: Any, jac: Any, options: Any
) -> Any:
    """The parameters that `scipy.optimize.curve_fit` finds, and below them their covariances."""
    limits = (-np.inf, np.inf) if bounds is None else bounds
    return np.vstack(solver(f, xdata, ydata, p0, sigma, absolute_sigma, check_finite, limits, method, jac, **options))


def fitted(
    solver: Any, f: Any, xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None, absolute_sigma: Any = False,
    check_finite: Any = None, bounds: Any = None, method: Any = None, jac: Any = None,
    **options: Any,
) -> Any:
    """Parameters of a curve through points: `scipy.optimize.curve_fit`, and their covariances."""
    found = solution(2, fitted_with, solver, f, xdata, ydata, p0, sigma, absolute_sigma, check_finite, bounds,
                     method, jac, options)
    given = (f, np.asarray(xdata, float), np.asarray(ydata, float), sigma)
    x = between(found[0], gradient_near, (half_squares, (off_curve, given)), bounds)
    covariances = covariances_at(x, given, absolute_sigma)
    return x, found[1:] + (covariances - stop_gradient(covariances))


def covariances_at(x: Any, given: Any, absolute_sigma: Any) -> Any:
    """The covariances of parameters of a curve, by how far it passes points by."""
    columns = [slope_along(x, k, given) for k in range(len(x))]
    slopes = np.stack(columns, axis=1)
    covariances = np.linalg.inv(slopes.T @ slopes)
    if absolute_sigma:
        return covariances
    left = off_curve(x, *given)
    return covariances * (np.sum(left * left) / max(len(left) - len(x), 1))


def slope_along(x: Any, k: Any, given: Any) -> Any:
    """The change of what a curve passes points by with a parameter, by differences of fourth order."""
    step = np.zeros(len(x))
    step[k] = stop_gradient(1e-3 * max(1.0, abs(x[k])))
    near = off_curve(x + step, *given) - off_curve(x - step, *given)
    far = off_curve(x + 2.0 * step, *given) - off_curve(x - 2.0 * step, *given)
    return (8.0 * near - far) / (12.0 * step[k])


def off_curve(p: Any, f: Any, x: Any, y: Any, sigma: Any) -> Any:
    """How far a curve passes points by, measured by their errors."""
    left = f(x, *p) - y
    if sigma is None:
        return left
    if np.ndim(sigma) == 2:
        return np.linalg.solve(np.linalg.cholesky(sigma), left)
    return left / sigma


def banana(function: Any, x: Any) -> Any:
    """`scipy.optimize.rosen`."""
    values = np.asarray(x)
    made = np.sum(100.0 * (values[1:] - values[:-1] ** 2) ** 2 + (1.0 - values[:-1]) ** 2, axis=0)
    return exactly(made, function, x)


def known_already(func: Any, x: Any, args: Any) -> Any:
    """What has been found."""
    del func, args
    return x


MINIMA_FOR: dict[str, Any] = {"minimize": (minimum_near, minimum_of_both, minimum_by_differences)}
READ_FOR: dict[str, Any] = {
    **dict.fromkeys(("brentq", "brenth", "bisect", "ridder"), number_between),
    "toms748": number_inside,
    "root_scalar": root_result,
    "newton": number_near,
    "fsolve": system_near,
    "root": result_near,
    "minimize": minimum_near,
    "minimize_scalar": least_number,
    "least_squares": closest,
    "curve_fit": fitted,
    "rosen": banana,
    "Bounds": limits,
    "LinearConstraint": linear,
    "NonlinearConstraint": nonlinear,
}
METHODS_OF: dict[str, type] = {"Bounds": Limits, "LinearConstraint": Linear, "NonlinearConstraint": Nonlinear}
