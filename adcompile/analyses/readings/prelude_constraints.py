"""Minima under constraints, in the language of the compiler: see `prelude_optimize.py`, which hands these on.

At a minimum the slope is a sum of those of the constraints that hold it there, each by its multiplier (the conditions
of Karush, Kuhn and Tucker). These equations, for the place and the multipliers together, give the derivative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import BFGS, Bounds, LinearConstraint, NonlinearConstraint

from adcompile.runtime.cuts import as_like, stop_gradient
from adcompile.runtime.equations import limits_of, multipliers


@dataclass(eq=False, repr=False)
class Limits(Bounds):  # type: ignore[misc] # SciPy has no types
    """`scipy.optimize.Bounds` that may vary."""

    STANDS_FOR = "what `scipy.optimize.Bounds` makes"

    lb: Any
    ub: Any
    keep_feasible: Any


@dataclass(eq=False)
class Linear(LinearConstraint):  # type: ignore[misc] # SciPy has no types
    """`scipy.optimize.LinearConstraint` whose numbers may vary."""

    STANDS_FOR = "a LinearConstraint"

    A: Any
    lb: Any
    ub: Any
    keep_feasible: Any


@dataclass(eq=False)
class Nonlinear(NonlinearConstraint):  # type: ignore[misc] # SciPy has no types
    """`scipy.optimize.NonlinearConstraint` whose function and limits may vary."""

    STANDS_FOR = "a NonlinearConstraint"

    fun: Any
    lb: Any
    ub: Any
    finite_diff_rel_step: Any
    finite_diff_jac_sparsity: Any
    jac: Any
    hess: Any
    keep_feasible: Any


def limits(cls: Any, lb: Any = -np.inf, ub: Any = np.inf, keep_feasible: Any = False) -> Any:
    """`scipy.optimize.Bounds`."""
    del cls
    low, high = np.atleast_1d(np.asarray(lb)), np.atleast_1d(np.asarray(ub))
    feasible = np.atleast_1d(np.asarray(keep_feasible)).astype(bool)
    low, high, feasible = np.broadcast_arrays(low, high, feasible)
    return Limits(low, high, feasible)


def linear(cls: Any, A: Any, lb: Any = -np.inf, ub: Any = np.inf, keep_feasible: Any = False) -> Any:  # noqa: N803 - SciPy's name
    """`scipy.optimize.LinearConstraint`."""
    del cls
    matrix = np.atleast_2d(np.asarray(A)).astype(np.float64)
    low, high = np.atleast_1d(np.asarray(lb)).astype(np.float64), np.atleast_1d(np.asarray(ub)).astype(np.float64)
    feasible = np.atleast_1d(np.asarray(keep_feasible)).astype(bool)
    count = matrix.shape[0:1]
    return Linear(matrix, np.broadcast_to(low, count), np.broadcast_to(high, count), np.broadcast_to(feasible, count))


def nonlinear(
    cls: Any, fun: Any, lb: Any, ub: Any, jac: Any = "2-point", hess: Any = None, keep_feasible: Any = False,
    finite_diff_rel_step: Any = None, finite_diff_jac_sparsity: Any = None,
) -> Any:
    """`scipy.optimize.NonlinearConstraint`."""
    del cls
    curvature = stop_gradient(BFGS()) if hess is None else hess if callable(hess) else stop_gradient(hess)
    return Nonlinear(fun, lb, ub, finite_diff_rel_step, finite_diff_jac_sparsity, jac, curvature, keep_feasible)


def under(x: Any, slope: Any, args: Any, bounds: Any, constraints: Any, near: Any) -> Any:
    """A minimum as a solver finds it, from where it moves with what holds it there; `near` takes Newton's steps."""
    low, high = np.full(len(x), -np.inf), np.full(len(x), np.inf)
    if bounds is not None:
        low, high = pair_of(bounds, len(x))
    given = (constraints, low, high)
    pulls = as_like(
        stop_gradient(multipliers(slope(x, *args), margins(x, *given), margin_slopes(x, *given), fixed(x, *given))), x
    )
    held = fixed(x, *given) | (pulls > 0.0)
    both = near(np.concatenate((x, pulls)), balanced, (len(x), slope, args, given, held))
    return both[: len(x)]


def pair_of(bounds: Any, count: Any) -> Any:
    """The lower and the upper bounds of so many numbers."""
    if isinstance(bounds, Bounds):
        return np.broadcast_to(bounds.lb, (count,)), np.broadcast_to(bounds.ub, (count,))
    return limits_of(bounds, count)


def balanced(both: Any, count: Any, slope: Any, args: Any, given: Any, held: Any) -> Any:
    """What is zero: the slope less those of constraints by their multipliers, and the margins of those that hold."""
    x, pulls = both[:count], both[count:]
    left = slope(x, *args) - margin_slopes(x, *given) @ pulls
    return np.concatenate((left, np.where(held, margins(x, *given), pulls)))


def margins(x: Any, constraints: Any, low: Any, high: Any) -> Any:
    """By how much each of the constraints is met, those by bounds last: 1 where there is no bound."""
    values = []
    for given in one_by_one(constraints):
        if isinstance(given, dict):
            values.append(np.ravel(given["fun"](x, *given.get("args", ()))))
        else:
            found = limited(given, x)
            values.append(above(found, np.asarray(given.lb)))
            values.append(below(found, np.asarray(given.lb), np.asarray(given.ub)))
    values.append(above(x, low))
    values.append(below(x, low, high))
    return np.concatenate(values)


def limited(given: Any, x: Any) -> Any:
    """What a constraint that is an object keeps between limits."""
    return given.A @ x if isinstance(given, LinearConstraint) else np.ravel(given.fun(x))


def below(found: Any, low: Any, high: Any) -> Any:
    """How far numbers are below a bound: 1 where there is none, and where the other bound is the same."""
    return above(-found, np.where(low == high, -np.inf, -high))


def above(found: Any, low: Any) -> Any:
    """How far numbers are above a bound: 1 where there is none."""
    return np.where(low > -np.inf, found - np.where(low > -np.inf, low, 0.0), 1.0)


def fixed(x: Any, constraints: Any, low: Any, high: Any) -> Any:
    """Which of these are met exactly."""
    flags = []
    for given in one_by_one(constraints):
        if isinstance(given, dict):
            count = np.size(given["fun"](x, *given.get("args", ())))
            flags.append(np.full(count, given["type"].lower() == "eq"))
        else:
            count = np.size(limited(given, x))
            flags.append(np.full(count, np.asarray(given.lb) == np.asarray(given.ub)))
            flags.append(np.zeros(count, bool))
    flags.append(low == high)
    flags.append(np.zeros(len(x), bool))
    return np.concatenate(flags)


def one_by_one(constraints: Any) -> Any:
    """The constraints, of which there may be one."""
    return constraints if isinstance(constraints, (list, tuple)) else (constraints,)


def margin_slopes(x: Any, constraints: Any, low: Any, high: Any) -> Any:
    """The slopes of the margins, by differences of fourth order: a column for each margin."""
    rows = []
    for k in range(len(x)):
        step = np.zeros(len(x))
        step[k] = stop_gradient(1e-3 * max(1.0, abs(x[k])))
        near = margins(x + step, constraints, low, high) - margins(x - step, constraints, low, high)
        far = margins(x + 2.0 * step, constraints, low, high) - margins(x - 2.0 * step, constraints, low, high)
        rows.append((8.0 * near - far) / (12.0 * step[k]))
    return np.stack(rows)
