# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Names that are None at first, or again later."""

import numpy as np

from .corpus import program, sample


@program(np.array([1.3, 0.4, 2.0]), partials={"x": np.array([0.0, 2.0, 0.0])})
@program(np.array([0.4]))
def least_so_far(x):
    best = None
    for v in x:
        if best is None or v < best:
            best = v
    return best * 2.0


@program(np.array([1.3, 0.4, 2.0]))
@program(np.array([1.3]))
@program(np.zeros(0))
def difference_from_the_previous(x):
    prev = None
    s = np.sum(x)
    for v in x:
        if prev is not None:
            s += (v - prev) ** 2
        prev = v
    return s


@program(sample(4, 3))
def row_with_the_largest_sum(rows):
    best, place, size = None, None, 0.0
    for i in range(len(rows)):
        r = rows[i] * 2.0
        if best is None:
            best, place = r, i
        elif np.sum(r) > np.sum(best):
            best, place = r, i
        size += np.sum(r**2)
    return np.sum(best**2) + rows[place, 0] * size


@program(np.array([1.3, -0.4, 2.0, 0.7, 0.9, -1.0, 0.2]))
@program(np.array([-1.3, -0.4]))
def none_again_at_a_gap(x):
    last = None
    s = x[0] ** 2
    for v in x:
        if v < 0:
            last = None
            continue
        if last is not None:
            s += (v - last) ** 2 * v
        last = v * 1.5
    return s


@program(np.array([1.3, 0.9, 0.8, 0.79, 0.7]), 0.05)
@program(np.array([1.3, 0.9, 0.2, 0.1, 0.7]), 0.05)
def until_it_settles(x, tolerance):
    last = None
    total = 0.0
    i = 0
    while i < len(x):
        now = x[i] ** 2
        if last is not None and abs(now - last) < tolerance:
            break
        total += now * (last if last is not None else 1.0)
        last = now
        i += 1
    return total + last


@program(np.array([0.3, 1.5, 2.0]))
@program(np.array([0.3, 0.5]))
def found_or_not(x):
    found = None
    for v in x:
        if v > 1.0:
            found = v
            break
    if found is None:
        return np.sum(x**2)
    return found**3 * x[0]


def _rate(x, scale):
    chosen = None
    if scale > 1.0:
        chosen = x[0] * scale
    return chosen if chosen is not None else np.sum(x)


@program(np.array([0.3, 0.5]), 0.5)
@program(np.array([0.3, 0.5]), 1.5)
def chosen_in_a_helper(x, scale):
    return _rate(x, scale) ** 2 + scale


@program(np.array([0.3, 0.5, 0.2]))
def first_of_the_steps_is_different(x):
    state = None
    out = []
    for v in x:
        state = v if state is None else 0.5 * state + v
        out.append(state)
    return np.sum(np.array(out) ** 2)


class _Fit:
    def __init__(self, error, at):
        self.error = error
        self.at = at


@program(np.array([0.3, 0.5, -0.2]), 0.1)
def best_fit_is_an_object(x, t):
    best = None
    for v in x:
        fit = _Fit((v - t) ** 2, v)
        if not best or fit.error < best.error:
            best = fit
    return best.at * best.error
