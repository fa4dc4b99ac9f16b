# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""if, elif, else, the ternary, and names that differ by branch."""

import math

import numpy as np

from .corpus import program, sample


@program(2.0, partials={"x": 4.0})
@program(-2.0, partials={"x": 3.0})
def if_else(x):
    if x > 0:
        y = x * x
    else:
        y = 3 * x
    return y


@program(2.0)
@program(-2.0)
def if_without_else(x):
    y = x * 3
    if x > 0:
        y = y * x
    return y


@program(0.5)
@program(1.5)
@program(2.5)
@program(3.5)
def elif_ladder(x):
    if x < 1:
        y = x
    elif x < 2:
        y = x * x
    elif x < 3:
        y = math.sin(x)
    else:
        y = 1 / x
    return y * x


@program(2.0, 3.0)
@program(2.0, -3.0)
@program(-2.0, 3.0)
@program(-2.0, -3.0)
def nested(x, y):
    if x > 0:
        a = x * y
        if y > 0:
            a = a * a
        else:
            a = a + y
            x = y
    else:
        if y > 0:
            a = y
        else:
            a = x * x
        a = a * x
    return a + x


@program(2.0, 3.0)
@program(-2.0, 3.0)
def branch_overwrites_what_the_condition_used(x, y):
    if x > 0:
        x = -x * y
    else:
        x = x * x
    if x > 0:
        y = y * x
    return x * y


@program(2.0)
@program(-2.0)
def same_condition_twice_with_change_between(x):
    y = x
    if y > 0:
        y = -y * x
    if y > 0:
        y = y * 7
    else:
        y = y * y
    return y


@program(2.0, 3.0, True)
@program(2.0, 3.0, False)
def flag_given_as_input(x, y, flag):
    if flag:
        return x * y
    return x - y


@program(2.0, 3.0, "product")
@program(2.0, 3.0, "sum")
@program(2.0, 3.0, "other")
def string_chooses(x, y, kind):
    if kind == "product":
        r = x * y
    elif kind == "sum":
        r = x + y
    else:
        r = x / y
    return r * r


@program(2.0, None)
@program(2.0, 3.0)
def argument_that_may_be_none(x, scale):
    if scale is None:
        scale = 1.5
    return x * scale


@program(2.0)
@program(-2.0)
def inactive_in_one_branch(x):
    if x > 0:
        y = 5.0
    else:
        y = x
    return y * y


@program(2.0, 3.0)
@program(-2.0, 3.0)
def name_bound_in_one_branch_only(x, y):
    if x > 0:
        t = x * y
        r = t * t
    else:
        r = y
    return r * x


@program(2.0, 3.0)
@program(4.0, 3.0)
def ternary(x, y):
    return (x * y if x < y else x / y) * x


@program(0.5)
@program(1.5)
@program(2.5)
def ternary_chain(x):
    return x if x < 1 else x * x if x < 2 else x**3


@program(2.0, 3.0)
@program(4.0, 3.0)
def ternary_as_argument_and_operand(x, y):
    t = math.sin(x if x > y else y) + (y if x > y else x) * 2
    return t * (t if t > 0 else -t)


@program(2.0, 3.0)
@program(4.0, 3.0)
def tuple_from_ternary(x, y):
    a, b = (x, y) if x < y else (y * y, x)
    return a - b * a


@program(2.0, 3.0)
@program(3.0, 2.0)
def sort_two_numbers(x, y):
    if x > y:
        x, y = y, x
    return x + 2 * y**2


@program(3.0, 1.0, 2.0)
@program(1.0, 3.0, 2.0)
@program(2.0, 3.0, 1.0)
def sort_three_numbers(a, b, c):
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    if a > b:
        a, b = b, a
    return a + 10 * b**2 + 100 * c**3


@program(sample(3))
@program(-sample(3))
def branch_on_a_sum(x):
    if np.sum(x) > 0:
        y = x * x
    else:
        y = np.sin(x)
    return np.sum(y * x)


@program(2.0, sample(3))
@program(-2.0, sample(3))
def number_or_array_by_branch(s, v):
    if s > 0:
        t = s * s
    else:
        t = v * s
    return np.sum(t * v)


@program(2.0)
def untaken_branch_is_not_differentiable(x):
    if x < 0:
        y = math.sqrt(x) / 0.0
    else:
        y = x * x
    return y


@program(2.0)
@program(-2.0)
def pass_in_a_branch(x):
    y = x * x
    if x > 0:
        pass
    else:
        y = y * x
    return y


@program(2.0)
@program(-2.0)
def leaky_relu(x, slope=0.1):
    return x if x > 0 else slope * x


@program(0.3, 1.0)
@program(2.3, 1.0)
def huber(r, delta):
    a = abs(r)
    if a <= delta:
        return 0.5 * r * r
    else:
        return delta * (a - 0.5 * delta)


@program(2.0, 3.0)
@program(3.0, 2.0)
def branch_with_many_outputs(x, y):
    p = x
    q = y
    if x < y:
        p, q, r = q * p, p, q
        p += r
    else:
        r = p - q
        q *= r
    return p * q + r


@program(0.7, 0.3)
def extremes_beside_what_is_no_number(x, y):
    nothing = float("nan") if y < 1.0 else y
    return min(x, nothing) * max(x * y, nothing) + y


@program(np.array([0.7, -0.4, 1.3, -0.2]))
def expressions_for_their_effect(x):
    kept, rest = [], [1.0]
    for v in x:
        kept.append(v) if v > 0 else kept.append(-2.0 * v)
        v > 1.0 and rest.append(v * v)
        rest.pop() if len(rest) > 3 else None
    [rest.append(v * kept[0]) for v in kept if v < 0.6]
    return np.prod(kept) + sum(k * v for k, v in enumerate(rest))


@program("mul", 1.0, 2.0, static="op")
@program("mul", 2.0, 1.5, static="op")
@program("add", 2.0, 1.5, static="op")
@program("pow", -1.0, 2.0, static="op")
def match_with_guards_on_what_it_binds(op, x, y):
    match (op, x, y):
        case ("mul", a, b) if a > b:
            return a * b * b
        case ("mul" | "add", a, b) if b > 1.7:
            return a * a * b
        case ("add", a, b) if math.sin(a) > 0.5:
            return a**3
        case (_, a, b):
            return a - b * b
        case _:
            return 0.0


@program(((1.0, 2.0), (3.0, 4.0)))
@program(((2.0, 1.0), (3.0, 4.0)))
def match_that_binds_its_subject(x):
    match x:
        case ((a, b), y) if a > b:
            return a * b * y[0] * y[1]
        case (x, y):
            return x[0] * y[1] * y[0]
        case _:
            return 0.0
