"""Minima under constraints, in the language of the compiler: see `prelude_optimize.py`, which hands these on.

At a minimum the slope is a sum of those of the constraints that hold it there, each by its multiplier (the conditions
of Karush, Kuhn and Tucker). These equations, for the place and the multipliers together, give the derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile.runtime.cuts import as_like, stop_gradient, unread
from adcompile.runtime.equations import limits_of, multipliers


def linear_constraint(cls: Any, *args: Any, **words: Any) -> Any:
    """`scipy.optimize.LinearConstraint`."""
    del cls, args, words
    return unread("a LinearConstraint", "Write `{'type': 'ineq', 'fun': lambda x: ub - A @ x}`, or with 'eq'.")


def other_constraint(cls: Any, *args: Any, **words: Any) -> Any:
    """`scipy.optimize.NonlinearConstraint`."""
    del cls, args, words
    return unread("a NonlinearConstraint", "Write `{'type': 'ineq', 'fun': lambda x: ub - fun(x)}`, or with 'eq'.")


def under(x: Any, slope: Any, args: Any, bounds: Any, constraints: Any, near: Any) -> Any:
    """A minimum as a solver finds it, from where it moves with what holds it there; `near` takes Newton's steps."""
    low, high = np.full(len(x), -np.inf), np.full(len(x), np.inf)
    if bounds is not None:
        low, high = limits_of(bounds, len(x))
    given = (constraints, low, high)
    pulls = as_like(
        stop_gradient(multipliers(slope(x, *args), margins(x, *given), margin_slopes(x, *given), fixed(x, *given))), x
    )
    held = fixed(x, *given) | (pulls > 0.0)
    both = near(np.concatenate((x, pulls)), balanced, (len(x), slope, args, given, held))
    return both[: len(x)]


def balanced(both: Any, count: Any, slope: Any, args: Any, given: Any, held: Any) -> Any:
    """What is zero: the slope less those of constraints by their multipliers, and the margins of those that hold."""
    x, pulls = both[:count], both[count:]
    left = slope(x, *args) - margin_slopes(x, *given) @ pulls
    return np.concatenate((left, np.where(held, margins(x, *given), pulls)))


def margins(x: Any, constraints: Any, low: Any, high: Any) -> Any:
    """By how much each of the constraints is met, those by bounds last: 1 where there is no bound."""
    values = [np.ravel(given["fun"](x, *given.get("args", ()))) for given in one_by_one(constraints)]
    values.append(above(x, low))
    values.append(above(-x, np.where(low == high, -np.inf, -high)))
    return np.concatenate(values)


def above(found: Any, low: Any) -> Any:
    """How far numbers are above a bound: 1 where there is none."""
    return np.where(low > -np.inf, found - np.where(low > -np.inf, low, 0.0), 1.0)


def fixed(x: Any, constraints: Any, low: Any, high: Any) -> Any:
    """Which of these are met exactly."""
    flags = []
    for constraint in one_by_one(constraints):
        count = np.size(constraint["fun"](x, *constraint.get("args", ())))
        flags.append(np.full(count, constraint["type"].lower() == "eq"))
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
