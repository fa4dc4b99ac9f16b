"""Whether the gradient and the tangents of a written program are right."""

from __future__ import annotations

import math
import warnings

import numpy as np

from adcompile import ADError, grad, jvp

from .written import Written

STEP = 1e-5
W = np.array([1.0, 2.0, 0.5])


def wrong(written: Written) -> str:
    """What is wrong with a program that leaves its first item out; nothing if all is well."""
    f, x = written.function(), written.x
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = [_left_out(written), *(_difference(written, k) for k in (1, 2))]
        try:
            got = grad(f, wrt="x")(x, W, written.flag)[1].x
            dots = [jvp(f, wrt="x")((np.eye(3)[k],), x, W, written.flag)[1] for k in range(3)]
        except ADError as error:
            return f"{written.title}: refused: {error}"
    for mode, found in (("grad", got), ("jvp", dots)):
        if not np.allclose(found, expected, rtol=1e-5, atol=1e-7):
            return f"{written.title}: {mode} gives {found}, differences {expected}"
    return ""


def wrongly_finite(written: Written) -> str:
    """What is wrong with a program that keeps its first item: a partial that is finite and no limit of differences."""
    f, x = written.function(), written.x
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        limits = [limit for side in (1, -1) if (limit := _limit(written, side)) is not None]
        got = grad(f, wrt="x")(x, W, written.flag)[1].x[0]
        dot = jvp(f, wrt="x")((np.eye(3)[0],), x, W, written.flag)[1]
    for mode, found in (("grad", got), ("jvp", dot)):
        if math.isfinite(found) and not any(math.isclose(found, limit, rel_tol=1e-2, abs_tol=1e-2) for limit in limits):
            return f"{written.title}: {mode} gives {found}, differences go to {limits or 'no limit'}"
    return ""


def _left_out(written: Written) -> float:
    """The slope by what is left out: nothing that takes its place changes the value."""
    f, x = written.function(), written.x
    for other in written.others:
        moved = np.array([other, *x[1:]])
        assert f(moved, W, written.flag) == f(x, W, written.flag), f"{written.title}: it is not left out"
    return 0.0


def _difference(written: Written, k: int) -> float:
    """The slope by an item that is kept: central differences, of fourth order."""
    unit = STEP * max(abs(written.x[k]), 0.1)
    ends = [written.function()(written.x + np.eye(3)[k] * unit * step, W, written.flag) for step in (1, -1, 2, -2)]
    return float((8 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / (12 * unit))


def _limit(written: Written, side: int) -> float | None:
    """Where differences on one side go to as the step shrinks; None where they go nowhere."""
    f, x = written.function(), written.x
    steps = [side * 10.0 ** -k for k in (5, 6, 7, 8)]
    found = np.array([(f(x + np.eye(3)[0] * h, W, written.flag) - f(x, W, written.flag)) / h for h in steps])
    if not np.all(np.isfinite(found)):
        return None
    if np.ptp(found[1:]) < 1e-2 * max(1.0, abs(found[-1])):
        return float(found[-1])
    return 0.0 if np.all(np.diff(np.abs(found)) < 0) and abs(found[-1]) < 1e-2 else None
