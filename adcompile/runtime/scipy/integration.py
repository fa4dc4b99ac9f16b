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
    half = 0.5 * np.abs(high - low)  # SciPy exchanges the ends where `b < a`
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
    elif a == b:
        at, by = 0.5 * (1.0 + nodes), 0.5 * weights
    else:
        at, by = (at - a) / (b - a), by / np.abs(b - a)
    return np.concatenate(
        ([[value], [error]], np.array([at.ravel(), by.ravel()])), axis=1
    )


def array_pieces(
    quad_vec: Any, func: Any, a: Any, b: Any, given: Any, options: Any
) -> Any:
    """An integral of arrays: how many places, its error, the places, their weights, and the numbers of its value.

    Places and weights are as in `integral_pieces`.
    """
    value, error, info = quad_vec(func, a, b, args=given, full_output=True, **options)
    if np.iscomplexobj(value):
        message = "an integral of complex numbers has no derivative here; take its real and its imaginary part"
        raise TypeError(message)
    if (a == np.inf) or (b == -np.inf):
        message = "an integral from an infinite end backwards has no derivative here; exchange its ends"
        raise ValueError(message)
    nodes, weights = np.polynomial.legendre.leggauss(30)
    low, high = info.intervals.T[:, :, None]
    at = (0.5 * (high + low) + 0.5 * (high - low) * nodes).ravel()
    by = (0.5 * np.abs(high - low) * weights).ravel()
    if np.isinf(a) or np.isinf(b):
        at, by = (1.0 - np.abs(at)) / at, by / at**2
        if np.isinf(a) and not np.isinf(b):
            at = -at
    elif a == b:
        at, by = 0.5 * (1.0 + nodes), 0.5 * weights
    else:
        at, by = (at - a) / (b - a), by / np.abs(b - a)
    return np.concatenate(([len(at), error], at, by, np.ravel(value)))


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
    return np.concatenate((arrived(found).t[None], found.y))


def arrived(found: Any) -> Any:
    """What `scipy.integrate.solve_ivp` returns, if it got to the end: of less there is no derivative."""
    if found.status < 0:
        message = (
            f"the differential equation could not be solved to the end: {found.message}"
        )
        raise RuntimeError(message)
    return found


def dense_read(
    solver: Any, fun: Any, t_span: Any, y0: Any, args: Any, options: Any, t: Any
) -> Any:
    """The solution at times between its ends, as `scipy.integrate.solve_ivp(dense_output=True).sol` has it."""
    found = arrived(
        solver(fun, t_span, y0, dense_output=True, args=args or None, **options)
    )
    low, high = sorted((found.t[0], found.t[-1]))
    if np.any((np.asarray(t) < low) | (np.asarray(t) > high)):
        message = (
            f"the solution is known from {low} to {high}: beyond there is no derivative"
        )
        raise ValueError(message)
    return found.sol(t)


def equation_with_events(
    solver: Any,
    fun: Any,
    t_span: Any,
    y0: Any,
    args: Any,
    options: Any,
    events: Any,
    t_eval: Any,
) -> Any:
    """The same as `equation_solved`, up to an event that ends it."""
    found = solver(
        fun, t_span, y0, t_eval=t_eval, events=events, args=args or None, **options
    )
    return np.concatenate((arrived(found).t[None], found.y))


def event_met(
    solver: Any, fun: Any, t_span: Any, y0: Any, args: Any, options: Any, events: Any
) -> int:
    """Which of several events ended the solution of a differential equation; -1 where none did."""
    found = arrived(
        solver(fun, t_span, y0, events=events, args=args or None, **options)
    )
    if found.status != 1:
        return -1
    lasts = [times[-1] if len(times) else t_span[0] for times in found.t_events]
    return int(np.argmax(np.abs(np.subtract(lasts, t_span[0]))))


def times_of_event(
    solver: Any,
    fun: Any,
    t_span: Any,
    y0: Any,
    args: Any,
    options: Any,
    events: Any,
    k: int,
) -> Any:
    """When one of several events came, and below the times what was solved for then."""
    found = arrived(
        solver(fun, t_span, y0, events=events, args=args or None, **options)
    )
    states = np.reshape(found.y_events[k], (-1, len(y0)))
    return np.concatenate((found.t_events[k][None], states.T))


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

    span = (times[0], times[-1])
    close = {"rtol": max(wanted, 3e-14), "atol": wanted * 1e-2}
    between = (
        solver(equation, span, y0, "RK45", **close).t
        if span[0] != span[1]
        else np.zeros(0)
    )
    rows: list[Any] = []
    for k in range(len(times) - 1):
        inside = between[(between - times[k]) * (between - times[k + 1]) < 0]
        parts = (inside - times[k]) / (times[k + 1] - times[k])
        starts, ends = np.concatenate(([0.0], parts)), np.concatenate((parts, [1.0]))
        rows.append(
            np.array(
                [np.full(len(starts), float(k)), starts, ends - starts, ends == 1.0]
            )
        )
    return np.concatenate(rows, axis=1) if rows else np.zeros((4, 0))
