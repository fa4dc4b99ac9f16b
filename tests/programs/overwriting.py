# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Clashes of control flow with overwriting: names used for two things, carried and temporary at once, loops whose
bounds or variables change underneath, values that the backward sweep needs after they are gone."""

import math

import numpy as np

from .corpus import program, sample


@program(1.1)
def temporary_then_carried(x):
    s = x
    for i in range(3):
        t = s * x + i
        s = t * t * 0.3
    for _ in range(3):
        t = t * x + s * 0.1
    return t


@program(1.1)
def carried_then_temporary(x):
    t = x
    for _ in range(3):
        t = t * x + 0.2
    s = t
    for i in range(3):
        t = s * x - i
        s = t * t * 0.4
    return s * t


@program(1.1)
def temporary_in_inner_carried_in_outer(x):
    t = x
    s = 0.0
    for i in range(3):
        t = t * t * 0.5 + x
        for j in range(2):
            u = t * (j + 1)
            s = s + u * t
        t = u * 0.3
    return s * t


@program(1.1)
def last_value_of_a_temporary(x):
    t = 0.0
    for i in range(4):
        t = x * x * i
    return t * t + x


@program(1.1, 3, static="n")
@program(1.1, 0, static="n")
def temporary_set_before_in_case_of_no_trip(x, n):
    t = x * 5
    for i in range(n):
        t = x**i
    return t * x


@program(1.1)
def loop_variable_after_the_loop(x):
    s = x
    for i in range(4):
        s = s * x
    return s * i + i * x


@program(sample(4))
def active_loop_variable_after_the_loop(x):
    s = 1.0
    for v in x:
        s = s * v
    return s + v * v


@program(sample(4))
def loop_variable_shadows_an_input(x):
    s = 0.0
    for x in x:
        s = s * x + x * x
    return s * x


@program(1.1)
def loop_variable_overwritten_in_the_body(x):
    s = x
    for i in range(4):
        i = i * 2 + 1
        s = s * x + i
        i = 100
    return s + i * x


@program(1.1)
def loop_variable_becomes_active(x):
    s = 0.0
    for t in range(4):
        t = t * x
        s = s + t * t
    return s * t


@program(1.1, 4, static="n")
def bound_changed_in_the_loop(x, n):
    s = x
    for i in range(n):
        n = n + 3
        s = s * x + n
    return s * n


@program(1.1)
def inner_bound_changed_in_the_outer_loop(x):
    n = 1
    s = x
    for i in range(3):
        for j in range(n):
            s = s * x + j
        n = n * 2
        s = s - n * 0.1
    return s


@program(1.1)
def bound_from_overwritten_name(x):
    n = 3
    s = x
    for _ in range(n):
        s = s * x
    n = 5
    for _ in range(n):
        s = s + x / n
    n = 0
    return s * s


@program(sample(6))
def bound_from_data(x):
    n = int(np.sum(x))
    s = 1.0
    for i in range(n):
        s = s * x[i % 6] + 0.1
        n = n - 1
    return s


@program(2.3)
@program(4.7)
def trip_count_from_the_input(x):
    s = 1.0
    for i in range(int(x)):
        s = s * x + i
    return s


@program(2.3)
def step_of_range_overwritten(x):
    step = 2
    s = x
    for i in range(0, 9, step):
        step = 100
        s = s * 0.5 * x + i + step * 0.01
    return s


@program(1.1)
def same_loop_variable_nested(x):
    s = x
    for i in range(3):
        s = s + i * x
        for i in range(2):
            s = s * x + i
        s = s - i * x * x
    return s


@program(1.1)
def same_loop_variable_three_times(x):
    s = x
    for i in range(2):
        s = s * x + i
    for i in range(5, 2, -1):
        s = s + i * x
    for i in range(i, i + 2):
        s = s * x - i
    return s + i


@program(1.3)
def carried_value_overwritten_twice_per_trip(x):
    y = x
    for i in range(4):
        y = y * y * 0.3
        z = y * x
        y = z * z + y
        y = y + 1 / (y + i + 1)
    return y


@program(0.9, 1.2)
def simultaneous_update(x, y):
    for _ in range(4):
        x, y = x * y, x - y
    return x + y


@program(0.9, 1.2)
def sequential_update(x, y):
    for _ in range(4):
        x = x * y
        y = x - y
    return x + y


@program(0.9, 1.2, 0.4)
def rotation_in_a_loop(a, b, c):
    for _ in range(5):
        a, b, c = b * c, c, a + 0.3
    return a * b * c


@program(0.9, 1.2)
def previous_value_kept(x, y):
    old = x
    for _ in range(4):
        new = old * y + x / old
        old, x = new, old
    return new * x


@program(0.9)
def two_steps_back(x):
    a = x
    b = x * x
    for i in range(4):
        c = a * b + i * 0.1
        a = b
        b = c
    return c - a


@program(0.9)
def branch_in_loop_alternates(x):
    y = x
    for i in range(6):
        if i % 2 == 0:
            y = y * y
        else:
            y = y + x
    return y


@program(0.4)
@program(0.9)
def branch_in_loop_on_the_carried_value(x):
    y = x
    for _ in range(8):
        if y > 1:
            y = y * 0.3 * x
        else:
            y = y + y * y + 0.2
    return y


@program(0.8)
def branch_in_loop_changes_its_condition(x):
    y = x
    flag = True
    for i in range(6):
        if flag:
            y = y * x + 1
            flag = y < 2
        else:
            y = y / (x + 1)
            flag = y < 1
    return y


@program(0.8, 1.7)
def elif_in_loop_with_overwriting(x, y):
    for i in range(7):
        if i % 3 == 0:
            x = x * y
        elif i % 3 == 1:
            y = x + y / 2
        else:
            x, y = y, x
    return x * x + y


@program(1.4)
def name_bound_on_the_first_trip_only(x):
    s = x
    for i in range(4):
        if i == 0:
            w = s * s
        s = s + w * 0.2 * i
    return s * w


@program(1.4)
def name_bound_on_the_last_trip_only(x):
    s = x
    w = 0.0
    for i in range(4):
        s = s * x
        if i == 3:
            w = s * s
    return w


@program(1.4)
def constant_then_active_then_constant(x):
    s = 1.0
    t = 0.0
    for i in range(4):
        t = t + s
        s = s * x if i == 1 else 2.0
    return t * s


@program(1.4)
def reset_inside_the_loop(x):
    s = x
    total = 0.0
    for i in range(6):
        s = s * x
        if i % 3 == 2:
            total = total + s * s
            s = 1.0
    return total + s


@program(1.4, 0.6)
def reset_to_another_input(x, y):
    s = x
    for i in range(6):
        s = s * x
        if i == 2:
            x = y
            s = y * s
    return s


@program(1.4)
def kind_changes_from_int_to_float(x):
    s = 0
    for i in range(3):
        s = s + x * i
    p = 1
    for i in range(3):
        p = p * s
    return p + s


@program(sample(3))
def kind_changes_from_number_to_array(x):
    s = 0
    for i in range(3):
        s = s + x * i
    p = 1.0
    for i in range(3):
        p = p * s
    return np.sum(p)


@program(sample(3), sample(4, 3, seed=1))
def shape_changes_in_the_loop(x, w):
    y = x
    for i in range(4):
        y = y * w[: i + 1]
        y = np.sum(y, axis=0)
    return np.sum(y * y)


@program(sample(5))
def array_shrinks_in_the_loop(x):
    while len(x) > 1:
        x = x[1:] * x[:-1] + x[1:]
    return x[0]


@program(sample(8))
def array_halves_in_the_loop(x):
    while x.size > 1:
        x = x[::2] * x[1::2]
    return np.sum(x)


@program(1.1)
def accumulator_read_in_the_loop(x):
    s = 1.0
    for i in range(4):
        t = s
        s += t * x
        s *= t
        s -= t
    return s + t


@program(1.1)
def accumulator_squared_by_itself(x):
    s = x
    for _ in range(3):
        s *= s
        s += s
        s /= s + 1
    return s


@program(1.1, 0.9)
def product_and_sum_interleaved(x, y):
    p = 1.0
    s = 0.0
    for i in range(5):
        p *= x + s * 0.1
        s += p * y
        p -= s * 0.05
    return p * s


@program(1.2)
def nested_with_break_and_overwriting(x):
    s = x
    t = 1.0
    for i in range(4):
        t = s
        for j in range(4):
            t = t * x
            if t > 3:
                s = s + t * 0.1
                break
            t = t + j * 0.2
        else:
            s = s * x
        s = s + t * 0.01
    return s * t


@program(1.2)
def nested_with_continue_and_overwriting(x):
    s = x
    for i in range(4):
        t = s
        for j in range(4):
            if (i + j) % 2:
                t = t + x
                continue
            t = t * x
            s = s + t * 0.05
        if i == 1:
            continue
        s = s - t * 0.02
    return s * t


@program(1.2)
def break_leaves_a_temporary(x):
    for i in range(10):
        t = x**i
        if t > 2:
            break
        u = t * x
    return t * u


@program(1.2)
def break_depends_on_the_temporary_of_the_trip_before(x):
    t = 0.0
    s = x
    for i in range(10):
        if t > 3:
            break
        t = s * x
        s = t + 0.1 * i
    return s + t


@program(1.2)
def continue_keeps_an_old_temporary(x):
    t = x
    s = 0.0
    for i in range(6):
        if i % 2 == 0:
            s = s + t
            continue
        t = t * x + s
    return s * t


@program(1.05)
def variable_trip_counts_inside(x):
    s = 1.0
    for i in range(4):
        n = 0
        t = s
        while t < 2 + i:
            t = t * x + 0.1
            n += 1
        s = t + n * 0.01 * x
    return s


@program(1.05)
def variable_trip_counts_from_lists(x):
    s = x
    for n in [2, 0, 3, 1]:
        for k in range(n):
            s = s * x + k
        s = s / (n + 1)
    return s


@program(1.05)
def trip_count_carried_and_active(x):
    n = 1
    s = x
    while n < 20:
        for _ in range(n % 3):
            s = s * x
        n = n * 2
        s = s + n * x * 0.1
    return s


@program(1.5)
def while_condition_overwritten_at_the_end(x):
    go = True
    s = x
    while go:
        s = s * x
        go = s < 10
        s = s + 0.3
    return s * s


@program(0.7)
def exit_condition_uses_the_overwritten_input(x):
    s = 0.0
    while x > 0.1:
        s = s + x * x
        x = x * x
    return s * x


@program(2.1, 3.0)
def swap_when_out_of_order_in_a_loop(x, y):
    for i in range(5):
        if x > y:
            x, y = y, x
        x = x * 1.5 + 0.1 * i
    return x - 2 * y


@program(1.3)
def sums_of_sums(x):
    a = b = c = d = 0.0
    for i in range(4):
        a += x
        b += a * x
        c += b * a
        d += c * b * x
    return d


@program(1.3)
def intermediate_overwritten_between_uses(x):
    t = x * x
    a = t * x
    t = a * t
    b = t * a
    t = b - t
    for i in range(3):
        a = t * a * 0.1
        t = a + b / (i + 1)
        b = t
    return a * t * b


@program(1.3)
def nonlinear_functions_overwrite_their_argument(x):
    for _ in range(3):
        x = math.sin(x)
        x = math.exp(x)
        x = math.sqrt(x)
        x = x**3
        x = 1 / x
        x = math.log(x + 2)
    return x


@program(sample(4))
def array_functions_overwrite_their_argument(x):
    for _ in range(3):
        x = np.sin(x)
        x = np.exp(x) * x
        x = x / np.sum(x)
        x = np.maximum(x, 0.1) ** 2
        x = np.sqrt(x) + x.T
    return np.sum(x * np.arange(4))


@program(sample(4))
def reduction_and_array_update_each_other(x):
    s = 1.0
    for _ in range(3):
        s = np.sum(x * x) / s
        x = x / s + x
        s = s + x[0]
    return s


@program(sample(3), sample(3, seed=1))
def arrays_swapped_in_a_loop(a, b):
    for _ in range(3):
        a, b = b, a * b + 0.1
    return np.sum(a - b * b)


@program(sample(3))
def array_name_is_sometimes_the_same_object(x):
    best = x
    y = x
    for i in range(3):
        y = y * x * (2.0 - i)
        if i == 1:
            best = y
    return np.sum(best * y)


@program(sample(3, 2))
def row_overwritten_in_loop(a):
    row = a[0]
    for i in range(1, 3):
        row = row * a[i] + row
    return np.sum(row * row)


@program(1.2, 0.4)
def overwritten_flag_decides_later(x, y):
    flag = x > y
    x = y * y
    y = x * 3
    if flag:
        r = x * y
    else:
        r = x / y
    flag = False
    return r * r + (0.0 if flag else x)


@program(1.2, 0.4)
def overwritten_index(x, y):
    values = (x, y, x * y)
    k = 2
    a = values[k]
    k = 0
    b = values[k] * a
    k = 1
    return b * values[k]


@program(sample(5))
def overwritten_index_in_loop(x):
    k = 0
    s = 1.0
    for i in range(7):
        k = (k * 2 + 1) % 5
        s = s * x[k] + x[i % 5]
        k = k + 1
    return s


@program(sample(5))
def index_chosen_by_value(x):
    k = 0
    s = 1.0
    for _ in range(4):
        if x[k] > s:
            k = (k + 3) % 5
        else:
            k = (k + 1) % 5
        s = s * x[k] + 0.2
    return s * k + s


@program(1.2)
def divisor_overwritten(x):
    d = x
    s = 0.0
    for i in range(4):
        s = s + 1 / d
        d = d * d + 0.1
        s = s / d
    return s


@program(1.2)
def exponent_overwritten(x):
    n = 1
    s = 0.0
    for _ in range(4):
        s = s + x**n
        n = n + 1
        s = s * x ** (-n)
    n = 0
    return s + n


@program(1.2, 0.3)
def exponent_carried_and_active(x, p):
    s = 1.0
    for _ in range(3):
        s = s * x**p
        p = p * s
    return s + p


@program(0.6)
def unused_carried_value(x):
    junk = x
    s = x
    for i in range(3):
        junk = junk * s + 1
        s = s * x
    return s


@program(0.6)
def carried_value_used_after_constant_update(x):
    k = 1.0
    s = x
    for i in range(4):
        s = s * x + k
        k = -k * 2
    return s * k


@program(0.6)
def loop_inside_branch_inside_loop(x):
    s = x
    for i in range(4):
        if s > 1:
            for j in range(i):
                s = s * 0.8 + x
        else:
            while s < 1:
                s = s + x * s + 0.1
    return s


@program(0.6)
@program(2.6)
def branch_after_loop_on_its_last_value(x):
    s = x
    t = x
    for i in range(3):
        t = s
        s = s * x
    if s > t:
        s, t = t, s
    return s - 2 * t * t


@program(0.6)
def deep_nesting_with_everything(x):
    total = 0.0
    for i in range(3):
        s = x
        for j in range(4):
            if j == i:
                continue
            t = s * (j + 1)
            k = 0
            while t > 0.5:
                t = t * 0.6
                k += 1
                if k == 3:
                    break
            else:
                s = s + t
            if s > 3:
                return total * s
            s = s + t * x
        total = total + s * s
        x = x * 1.1
    return total


@program(1.3)
@program(0.3)
def result_name_is_overwritten_before_every_return(x):
    r = x
    for i in range(5):
        r = r * x + i * 0.1
        if r > 4:
            r = r * r
            return r
        if r < 0.3 and i > 1:
            r = r + x
            return r
    r = -r
    return r


@program(1.3)
def zero_trip_loop_in_the_middle(x):
    s = x
    n = 2
    for i in range(5):
        for j in range(n - i):
            s = s * x + j
        s = s + 0.1
    return s


@program(1.3)
def chain_assignment_in_a_loop(x):
    a = b = x
    for _ in range(3):
        a = b = a * b * 0.7 + x
        b = b + a * 0.1
    return a - b * b


@program(0.5)
def walrus_in_a_loop(x):
    s = 0.0
    for i in range(4):
        s += (t := x * (i + s)) * t
    return s * t


@program(1.1)
def ternary_carried(x):
    a = x
    b = 1.0
    for i in range(6):
        a = a * x if a < 2 else b
        b = b + a if i % 2 else a * b
    return a * b


@program(sample(4, 3), sample(3, seed=2))
def recurrent_network(xs, h):
    loss = 0.0
    for x in xs:
        gate = 1 / (1 + np.exp(-(x * h)))
        h = gate * h + (1 - gate) * np.tanh(x)
        loss = loss + np.sum(h * h)
    return loss * h[0]


@program(0.3, 0.7, 1.1)
def adaptive_step_size(y, k, t_end):
    t = 0.0
    h = 0.3
    while t < t_end:
        if t + h > t_end:
            h = t_end - t
        full = y - h * k * y * y
        half = y - 0.5 * h * k * y * y
        half = half - 0.5 * h * k * half * half
        error = abs(full - half)
        t = t + h
        y = half
        if error < 1e-3:
            h = h * 1.3
        else:
            h = h * 0.7
    return y * h


@program(0.5, 2.0)
def bisection(lo, hi):
    for _ in range(8):
        mid = 0.5 * (lo + hi)
        if mid * mid * mid < 3.3:
            lo = mid
        else:
            hi = mid
    return lo + hi * hi


@program(0.2, 1.0)
def golden_ratio_like_interval(a, b):
    c = b - 0.6 * (b - a)
    d = a + 0.6 * (b - a)
    for _ in range(5):
        if (c - 0.53) ** 2 < (d - 0.53) ** 2:
            b = d
        else:
            a = c
        c = b - 0.6 * (b - a)
        d = a + 0.6 * (b - a)
    return a * b + c * d


@program(0.7, sample(3, 2))
def array_looped_over_becomes_a_number(x, A):
    s = 0.0
    for k, row in enumerate(A):
        s += row[0] * x
    A = 1.0
    return s * A


@program(0.7, sample(3, 2))
def argument_updated_in_a_loop_over_what_becomes_a_number(x, A):
    for k, row in enumerate(A):
        x += row[0]
    A = 1.0
    return x


@program(0.5)
def list_read_in_a_loop_becomes_a_number(x):
    xs = [x, x * x]
    for k in range(2):
        x += xs[1]
    xs = 1.0
    return x * xs


@program([0.604, 0.3], vector=True)
def list_updated_before_its_name_is_a_number(ys):
    s = ys[0] * 2.0
    ys[-1] += np.sin(1.0)
    ys = 1.0
    return s


# A name bound to something smaller made of itself: what it was before has another shape.


@program(sample(3, 2), sample(4, 2, seed=1))
@program(sample(1, 2), sample(4, 2, seed=1))
def parameter_to_its_mean(x, w):
    x = np.mean(x, axis=0, keepdims=True)
    return np.sum(x * w)


@program(sample(3, 2))
@program(sample(1, 1))
def parameter_to_its_sum_read_twice(a):
    a = np.sum(a, axis=0, keepdims=True)
    return np.sum(a * np.cos(a))


@program(sample(3), 0.7)
def parameter_to_its_norm_in_a_branch(x, s):
    if s > 0.5:
        x = np.linalg.norm(x, keepdims=True)
    return np.sum(x * s)


def centred_and_scaled(z, t):
    z = np.max(z, axis=1, keepdims=True) - z
    z = z.mean(axis=0)
    return z * t


@program(sample(3, 2), 0.7)
def parameters_of_helpers_to_their_means(a, s):
    a = centred_and_scaled(a, s)
    return np.sum(a * a)


@program(sample(3, 2))
def parameter_to_its_mean_in_a_loop(a):
    total = 0.0
    for k in range(3):
        total += np.sum(a * a)
        a = np.mean(a, axis=k % 2, keepdims=True)
    return total + np.sum(a)


@program([(sample(3, 2), sample(2, seed=1)), (sample(2, 1), sample(1, seed=2))], sample(4, 3))
def layers_of_unequal_widths(layers, x):
    for w, b in layers:
        x = np.tanh(x @ w + b)
    return np.sum(x * x)


@program(sample(3, 2), sample(3, seed=1))
def matrix_to_its_first_row_and_column(a, v):
    a = a * v[:, None]
    a = a[:1]
    b = a * 2.0
    a = a[:, :1]
    return np.sum(a * b) * np.sum(a)


# Locals that are of other shapes in each iteration, and read behind the loop.


@program(sample(2, 3), [sample(3, 2, seed=1), sample(2, 4, seed=2)])
@program(sample(2, 3), [sample(3, 4, seed=1), sample(4, 2, seed=2), sample(2, 2, seed=3)])
def network_whose_last_layer_is_read_twice(x, ws):
    for w in ws:
        out = x @ w
        x = np.tanh(out)
    return np.sum(out * out) + np.sum(x)


@program(sample(5), 3, static="n")
def last_slice_of_a_loop(x, n):
    for i in range(n):
        t = x[i:]
        u = t * 1.0
        u += np.sum(t)
    return np.sum(t * t) + np.sum(u)


@program(sample(5))
def differences_until_one_is_left(x):
    while len(x) > 1:
        d = x[1:] - x[:-1] * 0.5
        x = d * d
    return np.sum(d) + np.sum(x)


@program(sample(3), 0.7)
def array_then_its_sum_in_a_loop(x, s):
    r = 0.0
    for i in range(3):
        t = x * s
        t = np.sum(t)
        r = r + t * t
    return r + t


@program(sample(3), 0.7)
def number_that_becomes_longer(x, s):
    t = s
    u = 0.5
    for j in range(2):
        for i in range(j + 1):
            t = np.append(t, s * x[i])
            u = t * s
    return np.sum(u * t)


@program([sample(2), sample(3, seed=1), sample(4, seed=2)])
def items_of_various_lengths_under_one_name(xs):
    out = xs[0] * 1.0
    s = 0.0
    out *= 2.0
    s += np.mean(out)
    out = xs[1] * 1.0
    out *= 3.0
    s += np.mean(out)
    prev = xs[0]
    for b in xs:
        c = b * 2.0
        s += np.sum(c * c) * np.sum(prev * prev)
        prev = b * 3.0
    return s + np.sum(c)


@program(sample(4), 3, static="n")
@program(sample(2), 2, static="n")
def vector_of_another_length_at_first(w, n):
    v = np.full(n // 2, w[0])
    total = 0.0
    for _ in range(n):
        total += np.sum(v * v)
        v = w
    return total + np.sum(v)


@program(sample(4), 3, static="n")
def vector_that_a_helper_made_at_first(w, n):
    v = twice_itself(w)
    total = 0.0
    for _ in range(n):
        total += np.sum(v * v)
        v = w
    return total


def twice_itself(v):
    return np.concatenate([v, v])


@program(sample(3) + 2.0, sample(3, 2), 0, static="n")
@program(sample(3) + 2.0, sample(3, 2), 2, static="n")
def logarithm_that_a_loop_may_replace_by_a_matrix(x, A, n):
    v = np.log(x)
    for _ in range(n):
        v = A
    return np.sum(v * v)


@program(np.array([[-0.9, -0.1, 0.4], [0.9, 0.8, 1.0], [-0.4, -0.5, -0.2]]), np.array([1.2, -0.7, 0.1]))
def view_overwritten_beside_values_that_are_kept(A, w):
    for _ in range(len(A)):
        b = w.reshape(-1)
        e = np.linalg.det(A @ A) + np.sum(b)
        np.sin(b, out=b)
    return e


@program(sample(2, 3), np.array([0.5]))
def overwritten_quotient_by_what_is_stretched(y, n):
    step = np.reshape(n, (1,) * (np.ndim(y) - 1))
    secant = y[0] / step
    slope = secant / step
    slope = np.where(slope > 100.0, 0.0, slope)
    return np.sum(slope * slope)


@program(sample(3))
def names_of_several_kinds_in_each_step(x):
    s = 0.0
    t = 0
    while t < 2:
        for k in (1.0, 2.0):
            s += k * x[0]
        for k in ([x[0], x[1]], [x[1], x[2]]):
            s += k[0] * k[1]
        k, i = [x[0], x[1]], 0
        i, k[i] = 1, x[2]
        s += k[0] * k[1] * i
        k, i = 2.0, [x[2]]
        s += k * i[0]
        t += 1
    return s
