"""Functions of libraries in the language of the compiler, which reads these where a program calls those.

A solver's result counts as a constant. Behind it stand steps of Newton's method that change no bit of it, since what
they subtract is zero, and whose derivatives are those of the equation: with a slope that is held fixed, and need not be
exact, each step makes them right to one order more, or multiplies their error by that of the slope.
"""

from __future__ import annotations

import sys
import weakref
from dataclasses import dataclass
from importlib import import_module
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.ir.kinds import Static
from adcompile.runtime.cuts import own_value, solution, solution_like, stop_gradient, unread
from adcompile.texts.watches import is_library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcompile.ir.nodes import Expr


def exactly(composed: Any, function: Any, *args: Any) -> Any:
    """The value of a library's function, to the last bit, with the derivative of what it is put together of."""
    return own_value(composed, function, *args) + (composed - stop_gradient(composed))


def number_between(  # noqa: PLR0913, PLR0917 - as SciPy has them; the last ones only say how exact the root is
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


def number_near(  # noqa: PLR0917 - as SciPy has them
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


def result_near(  # noqa: PLR0917 - as SciPy has them
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


def root_of(  # noqa: PLR0913, PLR0917 - as SciPy has them
    solver: Any, f: Any, x0: Any, fprime: Any, bracket: Any, args: Any, method: Any, xtol: Any, rtol: Any
) -> Any:
    """The root alone, of what `scipy.optimize.root_scalar` says."""
    return solver(f, args, method, bracket, fprime, None, x0, None, xtol, rtol).root


def root_result(  # noqa: PLR0913, PLR0917 - as SciPy has them
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


def minimum_near(  # noqa: PLR0913, PLR0917 - as SciPy has them
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
) -> Any:
    """A minimum: `scipy.optimize.minimize`, of whose result `x` and `fun` are read. There, the slope is zero."""
    x = solution(1, found_at, solver, fun, x0, args, method, jac, hess, hessp, None, (), tol, None, options)
    x = vector_near(known_already, slope, x, args)
    return Least(x, fun(x, *args))


def minimum_of_both(  # noqa: PLR0913, PLR0917 - as SciPy has them
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
) -> Any:
    """The same of a function that returns its value and its slope."""
    x = solution(1, found_at, solver, fun, x0, args, method, jac, hess, hessp, None, (), tol, None, options)
    x = vector_near(known_already, slope_of_both, x, (fun, args))
    return Least(x, fun(x, *args)[0])


def slope_of_both(x: Any, fun: Any, args: Any) -> Any:
    """The slope, of a function that returns its value and that."""
    return fun(x, *args)[1]


def minimum_by_differences(  # noqa: PLR0913, PLR0917 - as SciPy has them
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
) -> Any:
    """The same of a function whose slope is not at hand: differences of it stand in its place."""
    x = solution(1, found_at, solver, fun, x0, args, method, jac, hess, hessp, None, (), tol, None, options)
    x = vector_near(known_already, gradient_near, x, (fun, args))
    return Least(x, fun(x, *args))


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


def slope_near(x: Any, fun: Any, args: Any) -> Any:
    """The same of a function of one number."""
    h = stop_gradient(1e-3 * max(1.0, abs(x)))
    near = fun(x + h, *args) - fun(x - h, *args)
    return (8.0 * near - (fun(x + 2.0 * h, *args) - fun(x - 2.0 * h, *args))) / (12.0 * h)


def least_at(  # noqa: PLR0917 - as SciPy has them
    solver: Any, fun: Any, bracket: Any, args: Any, method: Any, tol: Any, options: Any
) -> Any:
    """The place alone, of what `scipy.optimize.minimize_scalar` says."""
    return solver(fun, bracket, None, args, method, tol, options).x


def least_number(  # noqa: PLR0913, PLR0917 - as SciPy has them
    solver: Any, fun: Any, bracket: Any = None, bounds: Any = None, args: Any = (), method: Any = None,
    tol: Any = None, options: Any = None,
) -> Any:
    """A minimum of a function of one number: `scipy.optimize.minimize_scalar`, of whose result `x` and `fun` are read.

    There the slope is zero, but for at a bound.
    """
    if bounds is not None:
        return unread("`minimize_scalar` with bounds: at its solution the slope need not be zero",
                      "Leave the bounds out, or give a bracket.")
    x = solution(0, least_at, solver, fun, bracket, args, method, tol, options)
    h = 1e-3 * max(1.0, abs(x))
    bend = stop_gradient((slope_near(x + h, fun, args) - slope_near(x - h, fun, args)) / (2.0 * h))
    x = stepped(slope_near, x, (fun, args), bend)
    x = stepped(slope_near, x, (fun, args), bend)
    x = stepped(slope_near, x, (fun, args), bend)
    return Least(x, fun(x, *args))


def half_squares(x: Any, fun: Any, args: Any) -> Any:
    """What least squares make small."""
    left = np.asarray(fun(x, *args))
    return 0.5 * np.sum(left * left)


def closest_at(solver: Any, fun: Any, x0: Any, jac: Any, args: Any, options: Any) -> Any:
    """The place alone, of what `scipy.optimize.least_squares` says."""
    return solver(fun, x0, jac, args=args, **options).x


@dataclass(frozen=True)
class Closest:
    """What `scipy.optimize.least_squares` returns, as far as it is read."""

    STANDS_FOR = "what `scipy.optimize.least_squares` returns"

    x: Any
    cost: Any
    fun: Any


def closest(  # noqa: PLR0913 - as SciPy has them
    solver: Any, fun: Any, x0: Any, jac: Any = "2-point", *, args: Any = (), method: Any = "trf", ftol: Any = 1e-8,
    xtol: Any = 1e-8, gtol: Any = 1e-8, max_nfev: Any = None,
) -> Any:
    """A minimum of a sum of squares: `scipy.optimize.least_squares`, of whose result `x`, `cost`, `fun` are read."""
    options = {"method": method, "ftol": ftol, "xtol": xtol, "gtol": gtol, "max_nfev": max_nfev}
    x = solution(1, closest_at, solver, fun, x0, jac, args, options)
    x = vector_near(known_already, gradient_near, x, (half_squares, (fun, args)))
    left = np.asarray(fun(x, *args))
    return Closest(x, 0.5 * np.sum(left * left), left)


def known_already(func: Any, x: Any, args: Any) -> Any:
    """What has been found."""
    del func, args
    return x


MINIMUM: Any = minimum_near  # a function, which its type does not say
MINIMUM_OF_BOTH: Any = minimum_of_both
MINIMUM_BY_DIFFERENCES: Any = minimum_by_differences
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
}
METHODS_OF: dict[str, type] = {}

# For each package, the module that has what is read for its functions (`READ_FOR`), and for the methods of its objects
# (`METHODS_OF`). It is imported where a program calls something of the package, which is then there already.
_READINGS = {
    "scipy.optimize": "prelude",
    **{
        f"scipy.{name}": f"prelude_{name}"
        for name in ("stats", "interpolate", "integrate", "sparse", "signal", "linalg")
    },
    **dict.fromkeys(("heapq", "_heapq", "bisect", "_bisect"), "prelude_heapq"),
}
_CALL = "__call__"
_MADE: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def slope_of(fun: Any) -> Any:
    """The derivative of a function with respect to its first argument: the same one whenever that is asked for."""
    if fun not in _MADE:
        package: Any = sys.modules["adcompile"]  # which is above this room, and loaded by whoever gets here
        _MADE[fun] = package.derivative(fun, wrt=0)
    return _MADE[fun]


def read_for(
    called: Any, args: Sequence[Expr] = (), keywords: Sequence[tuple[str | None, Expr]] = ()
) -> FunctionType | None:
    """What is read where a library's function or class is called, which is given to it in front of the arguments.

    Some readings are for calls with arguments of certain kinds alone, or are chosen by these; some are for calls with
    an option, by its place or name: without it there are rows.
    """
    if not isinstance(called, FunctionType | BuiltinFunctionType | type):
        return None
    found: FunctionType | None = _reading("READ_FOR", called)
    place, option = _reading("ONLY_WITH", called) or (0, "")
    chosen_by = args[place] if 0 < place < len(args) else dict(keywords).get(option)
    if option and (chosen_by is None or chosen_by.kind == Static(None)):
        return None
    fits = _reading("FITS", called)
    if fits is None:
        return found
    chosen = bool(args) and fits(args)
    return chosen if isinstance(chosen, FunctionType) else found if chosen else None


def method_read_for(called: Any) -> FunctionType | None:
    """What is read where a method of a library's object is called, or the object itself."""
    if isinstance(called, MethodType):
        return inherited_read_for(type(called.__self__), called.__func__)
    return inherited_read_for(type(called), getattr(type(called), _CALL, None))


def inherited_read_for(cls: type, method: Any) -> FunctionType | None:
    """The same of a method that a class, perhaps of the user's, has from a library's."""
    if not isinstance(method, FunctionType) or not is_library(method.__module__):
        return None
    for base in cls.__mro__:
        reading = _reading("METHODS_OF", base)
        found = getattr(reading, method.__name__, None)
        only_users = getattr(reading, "for_users", False)
        if isinstance(found, FunctionType) and not (only_users and is_library(cls.__module__)):
            return found
    return None


def _reading(table: str, called: Any) -> Any:
    """What a table has for a name of SciPy's, whichever module behind the package it comes from."""
    module = _READINGS.get(".".join((called.__module__ or "").split(".")[:2]))
    if module is None:
        return None
    return getattr(import_module(f"adcompile.analyses.readings.{module}"), table, {}).get(called.__qualname__)
