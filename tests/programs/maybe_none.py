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


def _hit(origin, direction, radius):
    b = origin @ direction
    inside = b**2 - (origin @ origin - radius**2)
    if inside < 0:
        return None
    t = -b - np.sqrt(inside)
    return t if t > 0 else None


@program(np.array([0.1, 0.0, -3.0]), np.array([0.0, 0.1, 0.99]))
@program(np.array([0.1, 5.0, -3.0]), np.array([0.0, 0.1, 0.99]))
def nearest_of_the_hits(origin, direction):
    nearest, shade = None, 0.0
    for radius in (0.5, 1.0, 2.0):
        t = _hit(origin, direction, radius)
        if t is None:
            continue
        if nearest is None or t < nearest:
            nearest = t
            shade = t * radius
    return np.sum(origin) if nearest is None else shade + nearest**2


def _closest(xs, t):
    best = None
    for v in xs:
        if v > t and (best is None or v < best):
            best = v
    return best


@program(np.array([0.4, 1.3, 2.2]), 0.5)
@program(np.array([0.4, 1.3, 2.2]), 5.0)
@program(np.array([0.4, 13.0, 22.0]), 5.0)
def what_a_helper_found_or_not(x, t):
    near = _closest(x, t)
    far = _closest(x, 10.0)
    if near is None and far is None:
        return np.sum(x)
    return far * 2.0 if far is not None else near**3


def _both(y):
    if y > 1:
        return None, None
    return y, np.sin(y)


@program(0.6)
@program(1.6)
def pair_of_none(x):
    t, s = _both(x)
    if t is None:
        return x * 3.0
    return t * s


def _part(x, i):
    return None if i == 1 else x[i:] * 2.0


@program(np.array([0.4, 1.3, 2.2]))
def arrays_changed_where_there_are_some(x):
    total = 0.0
    for i in range(3):
        v = _part(x, i)
        if v is not None:
            v[0] += 1.0
            total += np.sum(v**2)
    return total


@program(np.array([1.4, 1.2, 0.5, 1.3, 2.2, 1.7]))
@program(np.array([1.4, 1.2, 0.5]))
def name_set_to_one_that_is_none(x):
    """In a test of two, where one does not hold, nothing is known of the other."""
    prev = None
    total = 0.0
    for v in x:
        cur = v if v > 1 else None
        if prev is not None and cur is not None:
            total += prev * cur
        prev = cur
    return total


def _grown(v):
    return None if v > 10 else v * 1.7


@program(0.4)
def steps_until_none(x):
    v = _grown(x)
    while v is not None:
        last = v
        v = _grown(v)
    return last


class _Threshold:
    def __init__(self, level):
        self.level = level

    def passed(self, x):
        if x > self.level:
            return None
        return x * self.level


@program(0.6, 0.4)
def none_of_a_method(x, level):
    total = 0.0
    for one in (_Threshold(level), _Threshold(2 * level)):
        passed = one.passed(x)
        if passed:
            total += passed
    return total


def _neighbours(values):
    before = None
    for v in values:
        if before is not None:
            yield before * v
        before = v


@program(sample(4))
def products_of_neighbours_from_a_generator(xs):
    return sum(_neighbours(xs))


@program(sample(4))
def a_generator_over_another_one(xs):
    def squares(values):
        for v in values:
            yield v * v

    def pairs(values):
        before = None
        for v in values:
            if before is not None:
                yield before, v
            before = v

    return sum(a * b + b for a, b in pairs(squares(xs))) + sum(_neighbours(squares(xs)))


@program(sample(4))
def a_local_search_for_the_largest(xs):
    def largest(values):
        found = None
        for v in values:
            if found is None or v > found:
                found = v
        return found

    return largest(xs) * largest(xs * 2) * xs[0]


@program([1.5])
@program([1.5, 0.5])
def a_generator_that_yields_nothing(xs):
    total = 1.0
    for v in _neighbours(xs):
        total += v * v
    return total
