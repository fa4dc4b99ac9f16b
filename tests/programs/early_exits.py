# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Several returns, break, continue and else clauses, alone and against one another."""

import math

import numpy as np

from .corpus import program, sample


@program(2.0)
@program(-2.0)
def two_returns(x):
    if x > 0:
        return x * x
    return -3 * x


@program(0.5)
@program(1.5)
@program(2.5)
@program(3.5)
def four_returns(x):
    if x < 1:
        return x
    y = x * x
    if x < 2:
        return y
    y = y * x
    if x < 3:
        return y
    return y * math.sin(x)


@program(2.0, 3.0)
@program(-2.0, 3.0)
@program(-2.0, -3.0)
def return_from_nested_branches(x, y):
    z = x * y
    if x > 0:
        z = z * z
        return z + x
    else:
        if y > 0:
            return z * y
        z = z + y
    return z * x


@program(1.5, 10.0)
@program(1.5, 1e3)
def return_from_a_loop(x, limit):
    y = x
    for i in range(6):
        y = y * x
        if y > limit * 0.5:
            return y * limit + i
    return y + limit


@program(1.5)
def return_from_an_inner_loop(x):
    s = x
    for i in range(4):
        s = s + i
        for j in range(4):
            s = s * x
            if s > 30:
                return s * (i + 1) + j * x
            s = s - 1
    return -s


@program(1.5)
@program(4.5)
def return_from_while(x):
    while True:
        if x > 10:
            return x * x
        if x > 4:
            return x + 2
        x = x * 1.3


@program(2.0)
def code_after_return(x):
    return x * x
    x = x / 0
    return x


@program(1.3)
@program(0.1)
def break_from_for(x):
    s = x
    for i in range(10):
        s = s * x + i
        if s > 20:
            break
    return s * x


@program(1.3)
def break_before_the_change(x):
    s = x
    for i in range(10):
        if s > 20:
            break
        s = s * x + i
    return s * x


@program(1.3)
def break_in_the_middle(x):
    s = x
    t = 1.0
    for i in range(10):
        s = s * x + i
        if s > 20:
            break
        t = t * s
    return t / s


@program(sample(6))
def continue_skips(x):
    s = 1.0
    for v in x:
        if v > 1.2:
            continue
        s = s * v + v
    return s


@program(1.1)
def continue_by_counter(x):
    s = x
    for i in range(8):
        if i % 3 == 1:
            continue
        s = s * x + i
    return s


@program(1.1)
def continue_after_a_change(x):
    s = x
    for i in range(8):
        s = s * x
        if i % 2:
            s = s + i
            continue
        s = s - x * i
    return s


@program(1.1)
@program(1.6)
def break_and_continue(x):
    s = x
    for i in range(12):
        if i % 3 == 0:
            s = s + x
            continue
        s = s * x
        if s > 15:
            s = s / x
            break
        s = s + 0.5
    return s * s


@program(1.1)
@program(1.6)
def for_else(x):
    s = x
    for i in range(5):
        s = s * x + i
        if s > 20:
            break
    else:
        s = s * s
    return s


@program(1.1)
@program(1.6)
def for_else_binds_a_name(x):
    s = x
    for i in range(5):
        s = s * x + i
        if s > 20:
            factor = x
            break
    else:
        factor = s * x
    return s * factor


@program(1.1)
def for_else_without_break(x):
    s = x
    for _ in range(3):
        s = s * x
    else:
        s = s + x * 2
    return s


@program(1.6)
def continue_in_a_loop_with_else(x):
    s = x
    for i in range(5):
        if i == 2:
            continue
        s = s * x
    else:
        s = s * 3 + x
    return s


@program(1.2)
@program(2.2)
def break_from_inner_loop_only(x):
    s = 1.0
    for i in range(4):
        for j in range(5):
            s = s * x + j
            if s > 10 * (i + 1):
                break
        s = s / (i + 2)
    return s


@program(1.2)
@program(2.2)
def break_from_both_loops_by_else(x):
    s = 1.0
    for i in range(4):
        for j in range(5):
            s = s * x + j
            if s > 40:
                break
        else:
            s = s / 3
            continue
        s = s + i * x
        break
    return s


@program(1.2)
@program(2.2)
def break_from_both_loops_by_flag(x):
    s = 1.0
    done = False
    for i in range(4):
        for j in range(3):
            s = s * x + j
            if s > 25:
                done = True
                break
        if done:
            break
        s = s - x * i
    return s


@program(sample(8))
def while_with_continue(x):
    i = 0
    s = 1.0
    while i < len(x):
        v = x[i]
        i += 1
        if v < 0.8:
            continue
        s = s * v + i
    return s


@program(sample(8))
@program(sample(8, seed=3) * 0.1)
def search_and_return(x):
    total = 0.0
    for i, v in enumerate(x):
        total = total + v * total + v
        if total > 3:
            return total * i * v
    return total * total


@program(5.0, 3, static="n")
@program(5.0, 0, static="n")
@program(5.0, -1, static="n")
def guard_clauses(x, n):
    if n < 0:
        return 0.0 * x
    if n == 0:
        return x
    for _ in range(n):
        x = math.log(1 + x * x)
    return x


@program(1.2, 2.5)
@program(2.2, 2.5)
def return_in_else_clause(x, y):
    for i in range(3):
        x = x * y
        if x > 20:
            break
    else:
        return x * x
    return x + y * i


@program(1.3)
def return_while_in_for(x):
    for i in range(5):
        y = x
        while y < 10:
            y = y * x
            if y > 6 and i == 2:
                return y * x
        x = x + 0.1 / y
    return x


@program(sample(3))
def return_array_function_early(x):
    y = x * x
    for _ in range(5):
        y = y * x + 0.5
        if np.max(y) > 5:
            return np.sum(y * x)
    return np.sum(y)


@program(1.5)
def exit_on_first_iteration(x):
    for i in range(5):
        return x * x + i
    return x


@program(1.5)
def break_on_first_iteration(x):
    for i in range(5):
        x = x * x + i
        break
    return x


@program(1.5)
@program(0.5)
def return_of_different_expressions_in_one_loop(x):
    y = 1.0
    for i in range(10):
        y = y * x
        if y > 3:
            return y + x
        if y < 0.2:
            return y * x + i
        y = y * y
    return 0.0


@program(0.3, 0.526, sample(3, 2), 2, static="n")
@program(0.3, 0.2, sample(3, 2), 2, static="n")
def number_of_an_array_or_the_argument(x, y, A, n):
    if y < 0.37:
        return x
    v = A[n % 1]
    s = v[0] * y
    y = s
    return s


@program(-1.6, sample(2, 3), 2, static="n", vector=True)
@program(1.6, sample(2, 3), 2, static="n", vector=True)
def array_returned_from_within_two_branches(x, A, n):
    if x > 0.37:
        if n:
            return A * x
    v = np.zeros(3)
    w = v + x
    return w


@program(sample(5), 0.83)
def returned_from_a_reversed_range(a, y):
    for i in reversed(range(1, len(a))):
        if a[i] > 1.0:
            return y * a[i] * a[0]
    return np.sum(a) * y


@program(sample(5), 0.83)
def breaks_out_of_reversed_ranges_in_one_another(a, y):
    s = y
    for i in reversed(range(1, len(a))):
        for j in reversed(range(i)):
            s = s * a[j] * y
            if j == 1:
                break
        if i == 2:
            break
    return s
