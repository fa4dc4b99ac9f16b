"""Integrals and differential equations in the language of the compiler: see `prelude.py`.

What SciPy finds counts as a constant, and so do the points that it needed. Behind it stands a formula over the same
points, whose value is taken away again, so that no bit of the result changes, and whose derivative is that of the
result as far as the formula is exact: for an integral, Gauss's on each piece that was cut out; for an equation, the
steps of J. Dormand and P. Prince, "A family of embedded Runge-Kutta formulae" (1980).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import quad, solve_ivp

from adcompile.analyses.readings.prelude import exactly
from adcompile.ir.kinds import Struct
from adcompile.runtime.cuts import solution, stop_gradient, unread
from adcompile.runtime.scipy.filters import with_words
from adcompile.runtime.scipy.integration import (
    array_pieces,
    dense_read,
    equation_solved,
    equation_with_events,
    event_met,
    integral_pieces,
    path_solved,
    step_places,
    times_of_event,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcompile.analyses.readings.prelude import Keywords
    from adcompile.ir.nodes import Expr


def integral(
    quad: Any, func: Any, a: Any, b: Any, args: Any = (), full_output: Any = 0, epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8, limit: Any = 50, points: Any = None,
) -> Any:
    """`scipy.integrate.quad`."""
    del full_output
    given = args if isinstance(args, tuple) else (args,)
    found = solution(2, integral_pieces, quad, func, a, b, given, epsabs, epsrel, limit, points)
    start = b if np.isinf(a) else a
    if np.isinf(start):
        start = 0.0
    length = 1.0 if np.isinf(a) or np.isinf(b) else b - a
    total = 0.0
    for k in range(1, found.shape[1]):
        total = total + found[1, k] * length * func(start + length * found[0, k], *given)
    return float(found[0, 0] + (total - stop_gradient(total))), float(found[1, 0])


def double_integral(
    function: Any, func: Any, a: Any, b: Any, gfun: Any, hfun: Any, args: Any = (), epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8,
) -> Any:
    """`scipy.integrate.dblquad`: an integral of integrals, and the largest of their errors."""

    def across(x: Any) -> Any:
        low = gfun(x) if callable(gfun) else gfun
        high = hfun(x) if callable(hfun) else hfun
        return quad(lambda y: func(y, x, *args), low, high, epsabs=epsabs, epsrel=epsrel)[0]

    error = float(solution(1, function, func, a, b, gfun, hfun, args, epsabs, epsrel)[1])
    return quad(across, a, b, epsabs=epsabs, epsrel=epsrel)[0], error


def triple_integral(
    function: Any, func: Any, a: Any, b: Any, gfun: Any, hfun: Any, qfun: Any, rfun: Any, args: Any = (),
    epsabs: Any = 1.49e-8, epsrel: Any = 1.49e-8,
) -> Any:
    """`scipy.integrate.tplquad`: an integral of integrals of integrals, and the largest of their errors."""

    def across(x: Any) -> Any:
        def along(y: Any) -> Any:
            low = qfun(x, y) if callable(qfun) else qfun
            high = rfun(x, y) if callable(rfun) else rfun
            return quad(lambda z: func(z, y, x, *args), low, high, epsabs=epsabs, epsrel=epsrel)[0]

        low = gfun(x) if callable(gfun) else gfun
        high = hfun(x) if callable(hfun) else hfun
        return quad(along, low, high, epsabs=epsabs, epsrel=epsrel)[0]

    error = float(solution(1, function, func, a, b, gfun, hfun, qfun, rfun, args, epsabs, epsrel)[1])
    return quad(across, a, b, epsabs=epsabs, epsrel=epsrel)[0], error


def limits_of(given: Any) -> Any:
    """The limits of an integral: a function of the other variables, or two numbers."""
    return given if callable(given) else (1.0 * given[0], 1.0 * given[1])


def integral_on_line(function: Any, func: Any, ranges: Any, args: Any = ()) -> Any:
    """`scipy.integrate.nquad` of one variable."""
    del function
    outer = limits_of(ranges[0])
    low, high = outer(*args) if callable(outer) else outer
    return quad(lambda x: func(x, *args), low, high)


def integral_over_plane(function: Any, func: Any, ranges: Any, args: Any = ()) -> Any:
    """`scipy.integrate.nquad` of two variables, the first of which is the inner one."""
    inner, outer = limits_of(ranges[0]), limits_of(ranges[1])

    def across(y: Any) -> Any:
        start, end = inner(y, *args) if callable(inner) else inner
        return quad(lambda x: func(x, y, *args), start, end)[0]

    error = float(solution(1, function, func, (inner, outer), args)[1])
    low, high = outer(*args) if callable(outer) else outer
    return quad(across, low, high)[0], error


def integral_over_space(function: Any, func: Any, ranges: Any, args: Any = ()) -> Any:
    """The same of three."""
    inner, middle, outer = limits_of(ranges[0]), limits_of(ranges[1]), limits_of(ranges[2])

    def across(z: Any) -> Any:
        def along(y: Any) -> Any:
            start, end = inner(y, z, *args) if callable(inner) else inner
            return quad(lambda x: func(x, y, z, *args), start, end)[0]

        start, end = middle(z, *args) if callable(middle) else middle
        return quad(along, start, end)[0]

    error = float(solution(1, function, func, (inner, middle, outer), args)[1])
    low, high = outer(*args) if callable(outer) else outer
    return quad(across, low, high)[0], error


def integral_over_more(function: Any, func: Any, ranges: Any, args: Any = ()) -> Any:
    """The same of more than three, or of so many that it is not known."""
    del function, func, ranges, args
    return unread("`nquad` of more than three variables", "Integrate over some of them with `quad`, in a function.")


def _by_ranges(args: Sequence[Expr], keywords: Keywords) -> Any:
    """The reading of `nquad` for so many ranges."""
    kind = (args[1] if len(args) > 1 else dict(keywords)["ranges"]).kind
    count = len(kind.items) if isinstance(kind, Struct) else 0
    return {1: integral_on_line, 2: integral_over_plane, 3: integral_over_space}.get(count, integral_over_more)


def integral_of_arrays(function: Any, f: Any, a: Any, b: Any, *, args: Any = (), **options: Any) -> Any:
    """`scipy.integrate.quad_vec`."""
    given = args if isinstance(args, tuple) else (args,)
    found = solution(1, array_pieces, function, f, a, b, given, options)
    count = int(found[0])
    at, by = found[2 : 2 + count], found[2 + count : 2 + 2 * count]
    start = b if np.isinf(a) else a
    if np.isinf(start):
        start = 0.0
    length = 1.0 if np.isinf(a) or np.isinf(b) else b - a
    total = by[0] * length * f(start + length * at[0], *given)
    for k in range(1, count):
        total = total + by[k] * length * f(start + length * at[k], *given)
    value = np.reshape(found[2 + 2 * count :], np.shape(total)) if np.ndim(total) else found[-1]
    return value + (total - stop_gradient(total)), found[1]


def fixed_integral(function: Any, func: Any, a: Any, b: Any, args: Any = (), n: Any = 5) -> Any:
    """`scipy.integrate.fixed_quad`."""
    del function
    places, weights = np.polynomial.legendre.leggauss(n)
    y = (b - a) * (places + 1) / 2.0 + a
    return (b - a) / 2.0 * np.sum(weights * func(y, *args), axis=-1), None


def running_integral(function: Any, y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1, initial: Any = None) -> Any:
    """`scipy.integrate.cumulative_trapezoid`."""
    del function
    values = np.moveaxis(y, axis, -1)
    steps = dx if x is None else np.diff(x)
    sums = np.cumsum(steps * (values[..., 1:] + values[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        sums = np.concatenate((np.full_like(sums[..., :1], initial), sums), axis=-1)
    return np.moveaxis(sums, -1, axis)


def parabolas(function: Any, y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """`scipy.integrate.simpson`."""
    del function
    values = np.moveaxis(y, axis, -1)
    count = values.shape[-1]
    steps = np.full(count - 1, 1.0) * dx if x is None else np.diff(x)
    if count % 2:
        return over_pairs(values, x is None, steps, dx)
    if count == 2:
        return 0.5 * steps[0] * (values[..., 0] + values[..., 1])
    before, last = steps[-2], steps[-1]
    alpha = (2 * last**2 + 3 * before * last) / (6 * (before + last))
    beta = (last**2 + 3 * before * last) / (6 * before)
    eta = last**3 / (6 * before * (before + last))
    rest = alpha * values[..., -1] + beta * values[..., -2] - eta * values[..., -3]
    return over_pairs(values[..., :-1], x is None, steps[:-1], dx) + rest


def running_parabolas(
    function: Any, y: Any, *, x: Any = None, dx: Any = 1.0, axis: Any = -1, initial: Any = None
) -> Any:
    """`scipy.integrate.cumulative_simpson`."""
    values = np.swapaxes(np.asarray(y), axis, -1)
    count = np.shape(values)[-1] - 1
    if x is None:
        steps = np.ones(count) * (np.asarray(dx) if np.ndim(dx) == 0 else np.swapaxes(dx, axis, -1))
    else:
        steps = np.diff(x) if np.ndim(x) == 1 else np.diff(np.swapaxes(x, axis, -1))
    if count == 1:
        parts = 0.5 * steps * (values[..., 1:] + values[..., :-1])
    else:
        begins, middles, ends = values[..., :-2], values[..., 1:-1], values[..., 2:]
        early = under_first_half(begins, middles, ends, steps[..., :-1], steps[..., 1:])
        late = under_first_half(ends, middles, begins, steps[..., 1:], steps[..., :-1])
        place = np.arange(count)
        is_early = (place % 2 == 0) & (place < count - 1)
        parts = np.where(is_early, np.concatenate((early, early[..., -1:]), axis=-1),
                         np.concatenate((late[..., :1], late), axis=-1))
    sums = np.cumsum(parts, axis=-1)
    if initial is not None:
        start = np.asarray(initial) if np.ndim(initial) == 0 else np.swapaxes(initial, axis, -1)
        sums = np.concatenate((np.zeros_like(sums[..., :1]), sums), axis=-1) + start
    return exactly(np.swapaxes(sums, -1, axis), with_words, function,
                   {"x": x, "dx": dx, "axis": axis, "initial": initial}, y)


def under_first_half(begins: Any, middles: Any, ends: Any, first: Any, second: Any) -> Any:
    """The integrals, over their first step, of parabolas through three values each."""
    share, ratio = first / (first + second), first / second
    return first / 6.0 * ((3.0 - share) * begins + (3.0 + share * ratio + share) * middles - share * ratio * ends)


def over_pairs(values: Any, is_even: Any, steps: Any, dx: Any) -> Any:
    """The integral of the parabolas through every two steps."""
    left, middle, right = values[..., 0:-2:2], values[..., 1:-1:2], values[..., 2::2]
    if is_even:
        return np.sum(left + 4.0 * middle + right, axis=-1) * (dx / 3.0)
    first, second = steps[0::2], steps[1::2]
    both, ratio = first + second, first / second
    parts = left * (2.0 - 1.0 / ratio) + middle * (both * (both / (first * second))) + right * (2.0 - ratio)
    return np.sum(both / 6.0 * parts, axis=-1)


def time_first(func: Any, t: Any, y: Any, args: Any) -> Any:
    """The slope, by a function that is given the time first."""
    return np.asarray(func(t, y, *args))


def state_first(func: Any, t: Any, y: Any, args: Any) -> Any:
    """The slope, by a function that is given the time last."""
    return np.asarray(func(y, t, *args))


def one_step(slope: Any, func: Any, args: Any, t: Any, h: Any, y: Any) -> Any:
    """A step of fifth order of the equation y' = func(t, y)."""
    a = slope(func, t, y, args)
    b = slope(func, t + h / 5, y + h * (a / 5), args)
    c = slope(func, t + h * 3 / 10, y + h * (a * 3 / 40 + b * 9 / 40), args)
    d = slope(func, t + h * 4 / 5, y + h * (a * 44 / 45 - b * 56 / 15 + c * 32 / 9), args)
    fifth = a * 19372 / 6561 - b * 25360 / 2187 + c * 64448 / 6561 - d * 212 / 729
    e = slope(func, t + h * 8 / 9, y + h * fifth, args)
    sixth = a * 9017 / 3168 - b * 355 / 33 + c * 46732 / 5247 + d * 49 / 176 - e * 5103 / 18656
    f = slope(func, t + h, y + h * sixth, args)
    return y + h * (a * 35 / 384 + c * 500 / 1113 + d * 125 / 192 - e * 2187 / 6784 + f * 11 / 84)


def followed(slope: Any, func: Any, args: Any, y0: Any, times: Any, places: Any) -> Any:
    """The solution at times, in steps at fixed places between these."""
    path = np.zeros((places.shape[1] + 1, len(y0)))
    path[0] = y0
    for k in range(places.shape[1]):
        n = int(places[0, k])
        length = times[n + 1] - times[n]
        path[k + 1] = one_step(slope, func, args, times[n] + places[1, k] * length, places[2, k] * length, path[k])
    return path[np.concatenate(([0], 1 + np.flatnonzero(places[3])))]


@dataclass(frozen=True)
class Solved:
    """What `scipy.integrate.solve_ivp` returns, as far as it is read."""

    STANDS_FOR = "what `scipy.integrate.solve_ivp` returns"

    t: Any
    y: Any
    sol: Any
    t_events: Any
    y_events: Any
    status: Any
    success: Any


class Dense:
    """The solution of a differential equation at any time between its ends."""

    OWN_FIELDS = True

    def __init__(self, solver: Any, fun: Any, t_span: Any, y0: Any, args: Any, rtol: Any, options: Any) -> None:
        self.solver = solver
        self.fun = fun
        self.t_span = t_span
        self.y0 = y0
        self.args = args
        self.rtol = rtol
        self.options = options

    def __call__(self, t: Any) -> Any:
        """The values at a time, or at several, one a column."""
        if np.ndim(t) == 0:
            return self.at_times(np.stack((t,)))[:, 0]
        return self.at_times(np.asarray(t))

    def at_times(self, t: Any) -> Any:
        """The same at times in a vector."""
        found = solution(2, dense_read, self.solver, self.fun, self.t_span, self.y0, self.args, self.options, t)
        order = np.argsort(t * np.sign(self.t_span[1] - self.t_span[0]))
        times = np.concatenate((np.stack((1.0 * self.t_span[0],)), t[order]))
        places = solution(2, step_places, solve_ivp, time_first, self.fun, times, self.y0, self.args, self.rtol)
        path = followed(time_first, self.fun, self.args, self.y0, times, places)[1:][np.argsort(order)].T
        return found + (path - stop_gradient(path))


def with_events(
    solver: Any, fun: Any, t_span: Any, y0: Any, t_eval: Any, sol: Any, events: Any, args: Any, rtol: Any, options: Any
) -> Any:
    """The same with events, of which one may be the end: then the last time is when that happens."""
    listed = (events,) if callable(events) else events
    given = solver, fun, t_span, y0, args, options, listed
    found, ended_by = solution(2, equation_with_events, *given, t_eval), int(solution(0, event_met, *given))
    end, t_events, y_events = 1.0 * t_span[1], [], []
    for k, event in enumerate(listed):
        met = solution(2, times_of_event, *given, k)
        times = np.concatenate((np.stack((1.0 * t_span[0],)), met[0]))
        places = solution(2, step_places, solve_ivp, time_first, fun, times, y0, args, rtol)
        path = followed(time_first, fun, args, y0, times, places)[1:]
        moments, states = np.zeros(len(path)), np.zeros_like(path)
        for j in range(len(path)):
            moments[j] = moment(event, fun, args, met[0, j], path[j])
            states[j] = one_step(time_first, fun, args, met[0, j], moments[j] - met[0, j], path[j])
        t_events.append(moments)
        y_events.append(met[1:].T + (states - stop_gradient(states)))
        if ended_by == k:
            end = moments[-1]
    status = 0 if ended_by < 0 else 1
    if t_eval is None:
        times = 1.0 * found[0]
        times[0] = t_span[0]
        times[-1] = end
        places = solution(2, step_places, solve_ivp, time_first, fun, times, y0, args, rtol)
        path = followed(time_first, fun, args, y0, times, places).T
        return Solved(times, found[1:] + (path - stop_gradient(path)), sol, t_events, y_events, status, True)
    times = np.concatenate((np.stack((1.0 * t_span[0],)), np.asarray(t_eval)[: found.shape[1]]))
    places = solution(2, step_places, solve_ivp, time_first, fun, times, y0, args, rtol)
    path = followed(time_first, fun, args, y0, times, places)[1:].T
    return Solved(times[1:], found[1:] + (path - stop_gradient(path)), sol, t_events, y_events, status, True)


def moment(event: Any, fun: Any, args: Any, t: Any, y: Any) -> Any:
    """When an event comes that came at a time: behind that, steps of Newton's method, which take away what is zero."""
    h = 1e-6 * max(1.0, abs(t))
    after = event(t + h, one_step(time_first, fun, args, t, h, y), *args)
    rate = stop_gradient((after - event(t - h, one_step(time_first, fun, args, t, -h, y), *args)) / (2.0 * h))
    found = t
    for _ in range(3):
        left = event(found, one_step(time_first, fun, args, t, found - t, y), *args)
        found = found - (left - stop_gradient(left)) / rate
    return found


def initial_value_problem(
    solver: Any, fun: Any, t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None, dense_output: Any = False,
    events: Any = None, *, args: Any = (), rtol: Any = 1e-3, atol: Any = 1e-6, max_step: Any = np.inf,
) -> Any:
    """`scipy.integrate.solve_ivp`; where it chooses the times itself, these count as given, but for both ends."""
    given = () if args is None else args
    options = {"method": method, "rtol": rtol, "atol": atol, "max_step": max_step}
    sol = Dense(solver, fun, t_span, y0, given, rtol, options) if dense_output else None
    if events is not None:
        return with_events(solver, fun, t_span, y0, t_eval, sol, events, given, rtol, options)
    found = solution(2, equation_solved, solver, fun, t_span, y0, method, t_eval, given, rtol, atol, max_step)
    if t_eval is None:
        times = 1.0 * found[0]
        times[0] = t_span[0]
        times[-1] = t_span[1]
        places = solution(2, step_places, solve_ivp, time_first, fun, times, y0, given, rtol)
        path = followed(time_first, fun, given, y0, times, places).T
        return Solved(times, found[1:] + (path - stop_gradient(path)), sol, None, None, 0, True)
    times = np.concatenate(([t_span[0]], np.asarray(t_eval)))  # it need not begin where the solution does
    places = solution(2, step_places, solve_ivp, time_first, fun, times, y0, given, rtol)
    path = followed(time_first, fun, given, y0, times, places)[1:].T
    return Solved(times[1:], found[1:] + (path - stop_gradient(path)), sol, None, None, 0, True)


def equation_followed(
    solver: Any, func: Any, y0: Any, t: Any, args: Any = (), rtol: Any = None, atol: Any = None
) -> Any:
    """`scipy.integrate.odeint`."""
    start = np.atleast_1d(1.0 * np.asarray(y0))
    found = solution(2, path_solved, solver, func, y0, t, args, rtol, atol)
    places = solution(2, step_places, solve_ivp, state_first, func, t, start, args, rtol)
    path = followed(state_first, func, args, start, t, places)
    return found + (path - stop_gradient(path))


READ_FOR: dict[str, Any] = {
    "quad": integral,
    "dblquad": double_integral,
    "tplquad": triple_integral,
    "nquad": integral_over_more,
    "quad_vec": integral_of_arrays,
    "fixed_quad": fixed_integral,
    "cumulative_trapezoid": running_integral,
    "simpson": parabolas,
    "cumulative_simpson": running_parabolas,
    "solve_ivp": initial_value_problem,
    "odeint": equation_followed,
}
FITS: dict[str, Any] = {"nquad": _by_ranges}
METHODS_OF: dict[str, type] = {}
