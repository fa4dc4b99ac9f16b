# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Names bound and bound again, without control flow."""

import contextlib
import math
import sys

import numpy as np

from .corpus import program, sample


@program(2.0, partials={"x": 32.0})
def name_overwritten_by_itself(x):
    x = x * x
    x = x * x
    return x


@program(2.0, 3.0)
def input_overwritten_then_used(x, y):
    z = x * y
    x = y * y
    return z + x * x


@program(2.0, 3.0)
def overwritten_value_needed_backwards(x, y):
    t = x * y
    u = t * t
    t = u + x
    v = t * u
    t = v * y
    return t * u


@program(2.0, 3.0, value=3.0 * 8.0, partials={"x": 36.0, "y": 8.0})
def swap(x, y):
    x, y = y, x
    return x * y**3


@program(2.0, 3.0, 5.0)
def rotate_three_names(a, b, c):
    a, b, c = b, c, a
    a, b, c = b * a, c, a
    return a**2 + b * 3 + c * a


@program(2.0, 3.0)
def swap_with_arithmetic(x, y):
    x, y = x * y, x + y
    x, y = x - y, x * y
    return x / y


@program(2.0, 3.0)
def chained_assignment(x, y):
    a = b = x * y
    a = a * 2
    return a * b


@program(2.0, 3.0)
def chained_assignment_with_tuples(x, y):
    p = a, b = x * y, x + y
    return a * b + p[0] * p[1]


@program(2.0, 3.0, 4.0)
def nested_unpacking(x, y, z):
    (a, (b, c)), d = (x * y, (y, z * x)), z
    return a * b + c * d


@program(2.0, 3.0, 4.0)
def starred_unpacking(x, y, z):
    first, *rest = x * y, y * z, z
    *front, last = (x, y, z)
    return first * rest[0] + rest[1] * front[0] * front[1] + last


@program(2.0, 3.0, 4.0)
def starred_in_the_middle(x, y, z):
    a, *middle, b = x, y, z, x * y * z
    return a * middle[0] + middle[-1] * b


@program(2.0, 3.0)
def unpacking_into_brackets(x, y):
    [a, b] = [x * y, x - y]
    return a * b


@program(2.0, 3.0)
def augmented_of_every_kind(x, y):
    t = x
    t += y
    t -= x * y
    t *= t
    t /= y + 1
    t **= 2
    t += t * x
    return t


@program(7.5, 2.0)
def augmented_remainder_and_floor(x, y):
    t = x * 1.1
    t %= y
    s = x * y
    s //= 4.0
    return t * s + t


@program(2.0, partials={"x": 2.0})
def augmented_by_itself(x):
    x += x
    x -= x / 2
    x *= 2
    return x + 0 * x


@program(2.0, 3.0)
def alias_of_a_number_stays_behind(x, y):
    a = x * y
    b = a
    a += y
    a *= b
    return a + b * x


@program(2.0, 3.0)
def dead_code_before_and_after(x, y):
    a = math.exp(x)
    a = x * y
    b = a * a
    a = b / 0.5
    return b


@program(2.0, 3.0)
def overwritten_by_constant(x, y):
    a = x * y
    b = a + 1
    a = 4.0
    return b * a * x


@program(2.0, 3.0)
def input_overwritten_by_constant(x, y):
    x = 5.0
    return x * y


@program(2.0, 3.0)
def constant_overwritten_by_input(x, y):
    a = 5
    b = a * y
    a = x
    return a * b


@program(0.5)
def one_name_for_everything(x):
    x = math.sin(x)
    x = x * x + x
    x = math.exp(x) / x
    x = x - math.log(x)
    return x


@program(2.0, 3.0)
def result_bound_before_return(x, y):
    result = x * y
    result = result + result * x
    return result


@program(2.0, 3.0)
def unused_input_of_unpacking(x, y):
    _, b = x * y, y
    _ = b * b
    return _


@program(2.0, 3.0)
def assignment_expression(x, y):
    return (t := x * y) * t + (t := t + x) * t


@program(2.0, 3.0)
def assignment_expression_order(x, y):
    return x + (x := x * y) * x + (x := 2 * x) - y


@program(2.0, 3.0)
def several_statements_on_a_line(x, y):
    a = x * y; b = a * x; a = b + a  # fmt: skip
    return a * b


@program(1.1, 1.2, 1.3, 1.4)
def many_inputs_in_one_line(a, b, c, d):
    return a * b * c * d + a / b / c / d + (a - b) * (c - d)


@program(2.0, 3.0)
def annotated_assignments(x: float, y: float) -> float:
    a: float = x * y
    b: float
    b = a * a
    return b + a


# fmt: off
@program(2.0, 3.0)
def lines_continued(x, y):
    a = x \
        * y
    return (
        a
        + x  # the first input
        * y  # the second
    ) * a
# fmt: on


@program(2.0)
def horner_by_hand(x):
    p = 3.0
    p = p * x + 2.0
    p = p * x - 1.0
    p = p * x + 0.5
    return p


@program(2.0, 3.0, 0.5)
def tuple_as_temporary(x, y, t):
    state = (x, y)
    state = (state[0] + t * state[1], state[1] - t * state[0])
    state = (state[0] + t * state[1], state[1] - t * state[0])
    return state[0] * state[1]


@program(2.0, 3.0)
def delayed_overwrite_of_two(x, y):
    a = x * y
    b = a / x
    a, b = b * a, a
    b, c = a * b, a
    return a * b * c


if sys.version_info >= (3, 11, 4):  # before, CPython itself sets the name in the wrong order, and this is refused

    @program(0.83, partials={"y": 4 * 0.83})
    def name_set_twice_by_one_unpacking(y):
        p, p = y, y * 2
        return p * y


    @program(0.83, 1.3)
    def name_set_twice_at_several_depths(y, a):
        p, (q, p) = a, (y * y, y * 3)
        return p * q

    @program(0.83, partials={"y": 4 * 0.83})
    def name_set_twice_from_a_pair(y):
        both = (y, y * 2)
        p, p = both
        return p * y


@program([0.5, 1.2], [0.7, 0.4], 0.83)
def name_set_twice_by_a_loop(a, b, y):
    s = 0.0
    for p, p in zip(a, b):
        s += p * y
    return s


@program([0.5, 1.2], 0.83)
def count_and_item_under_one_name(a, y):
    s = 0.0
    for i, i in enumerate(a):
        s += i * y
    return s


class _Taken:
    pass


@program(2.0, 3.0, 4.0)
def starred_attribute(x, y, z):
    taken = _Taken()
    taken.a, *taken.middle, taken.b = x, y, z, x * y * z
    return taken.a * taken.middle[0] + taken.middle[-1] * taken.b


@program(2.0, 3.0, 4.0)
def starred_item(x, y, z):
    taken = {}
    taken["a"], *taken["middle"], taken["b"] = x, y, z, x * y * z
    return taken["a"] * taken["middle"][0] + taken["middle"][-1] * taken["b"]


@program(sample(3))
def named_behind_and(x):
    s, i = 0.0, 0
    while i < len(x) and (v := x[i]) > -5.0:
        s += v * v
        i += 1
    if s > 0.0 and (top := max(x)) > -5.0 and (both := top * s) < 100.0:
        return both * top
    return s


@program(sample(3))
def named_behind_or(x):
    low, best = 2.0, None
    for v in x:
        if best is None or (apart := v - best) > 0.0:
            best = v
    if not (best > 50.0 or (low := x[1] * 3.0) > 50.0):
        return low * best
    return low


@program(sample(4))
def named_in_a_condition(x):
    s = sum(square * v for v in x if v > -5.0 and (square := v * v) > 0.0)
    for i, v in enumerate(x):
        s += v if i > 0 and (before := x[i - 1]) > -5.0 else 2.0 * v
    return s * before


@program(sample(3))
def named_in_what_is_added(x):
    s = x[0]
    s += (s := x[1] * 2.0) * x[2]
    i = 1
    x[i] += (i := 2) * x[0]
    y = x * 1.0
    z = y
    y *= (y := x[0])
    return s + x[1] + 10.0 * x[2] + np.sum(z * y)


@program(sample(3))
def places_run_over_and_entered(x):
    taken, s = _Taken(), 0.0
    taken.v = 0.0
    d = {}
    for k, d[k] in enumerate(x):
        d[k] = d[k] * 2.0
    for i, taken.v in enumerate(x):
        s += taken.v * i
    with contextlib.nullcontext(x[0] * x[1]) as taken.w:
        s += taken.w * 2.0
    return s + taken.v * taken.w + sum(v * k for k, v in d.items())


@program(sample(3))
def places_found_by_what_is_set_before(x):
    a, i = [0.0] * 3, 0
    i, a[i] = 1, x[0]
    a[i], i = x[1] * a[1], 2
    (a[0], *a[i:]), b = (x[2], x[0], x[1]), 1.5
    return a[0] * b + a[1] * 3.0 + a[2]
