"""Integrals and differential equations: where SciPy needed points. Functions that generated code may call.

The same promises as in `helpers.py`, which hands these on. They are called for their values only.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def integral_pieces(
    quad: Any,
    func: Any,
    a: Any,
    b: Any,
    args: Any,
    epsabs: Any,
    epsrel: Any,
    limit: Any,
    points: Any,
) -> Any:
    """An integral and its error, and behind them the places and weights of Gauss's formula on each of its pieces.

    Places are parts of the way from `a` to `b`, or distances from the end that is not infinite.
    """
    found = quad(
        func,
        a,
        b,
        args=args,
        full_output=1,
        epsabs=epsabs,
        epsrel=epsrel,
        limit=limit,
        points=points,
    )
    value, error, info = found[:3]
    count = info["last"]
    low, high = info["alist"][:count], info["blist"][:count]
    nodes, weights = np.polynomial.legendre.leggauss(30)
    half = 0.5 * (high - low)
    at = (0.5 * (high + low))[:, None] + half[:, None] * nodes
    by = half[:, None] * weights
    if np.isinf(a) or np.isinf(
        b
    ):  # the pieces are those of 0 to 1, from which t = (1 - u) / u leads out
        at, by = (1.0 - at) / at, by / at**2
        if np.isinf(a) and np.isinf(b):
            at, by = np.concatenate((at, -at)), np.concatenate((by, by))
        if np.isinf(a) and not np.isinf(b):
            at = -at
        if (a == np.inf) or (b == -np.inf):
            message = "an integral from an infinite end backwards has no derivative here; exchange its ends"
            raise ValueError(message)
    else:
        at, by = (at - a) / (b - a), by / (b - a)
    return np.concatenate(
        ([[value], [error]], np.array([at.ravel(), by.ravel()])), axis=1
    )


def equation_solved(
    solver: Any,
    fun: Any,
    t_span: Any,
    y0: Any,
    method: Any,
    t_eval: Any,
    args: Any,
    rtol: Any,
    atol: Any,
    max_step: Any,
) -> Any:
    """The times and, below them, the solution that `scipy.integrate.solve_ivp` finds."""
    found = solver(
        fun,
        t_span,
        y0,
        method,
        t_eval,
        args=args or None,
        rtol=rtol,
        atol=atol,
        max_step=max_step,
    )
    return np.concatenate((found.t[None], found.y))


def path_solved(
    solver: Any, func: Any, y0: Any, t: Any, args: Any, rtol: Any, atol: Any
) -> Any:
    """The solution that `scipy.integrate.odeint` finds."""
    return solver(func, y0, t, args=args, rtol=rtol, atol=atol)


def step_places(
    solver: Any, slope: Any, func: Any, times: Any, y0: Any, args: Any, rtol: Any
) -> Any:
    """In how many steps a method of fifth order gets from each time to the next, for its derivatives to be as exact.

    The rows are the numbers of the times behind which a step lies, its start and length as parts of the way, and
    whether it gets to the next time.
    """
    wanted = 1e-9 if rtol is None else min(rtol * 1e-3, 1e-9)

    def equation(t: Any, y: Any) -> Any:
        return slope(func, t, y, args)

    found = solver(
        equation,
        (times[0], times[-1]),
        y0,
        "RK45",
        rtol=max(wanted, 3e-14),
        atol=wanted * 1e-2,
    )
    rows: list[Any] = []
    for k in range(len(times) - 1):
        inside = (found.t - times[k]) * (found.t - times[k + 1]) < 0
        parts = (found.t[inside] - times[k]) / (times[k + 1] - times[k])
        starts, ends = np.concatenate(([0.0], parts)), np.concatenate((parts, [1.0]))
        rows.append(
            np.array(
                [np.full(len(starts), float(k)), starts, ends - starts, ends == 1.0]
            )
        )
    return np.concatenate(rows, axis=1) if rows else np.zeros((4, 0))
