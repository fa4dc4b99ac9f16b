# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""while: trip counts that depend on data."""

import math

import numpy as np

from .corpus import program, sample


@program(1.3)
@program(30.0)
def doubling_until_large(x):
    while x < 20:
        x = x * x
    return x


@program(1.1, 4, wrt="x")
@program(1.1, 0, wrt="x")
def counting_down(x, n):
    y = x
    while n > 0:
        y = y * x + n
        n -= 1
    return y


@program(1.1)
def counting_up(x):
    i = 0
    y = 1.0
    while i < 5:
        y = y * x + i
        i += 1
    return y * i


@program(10.0)
@program(0.2)
def truthiness_of_a_counter(x):
    n = 3
    y = x
    while n:
        y = math.log(y * y + 1) * n
        n -= 1
    return y


@program(2.0, tol=1e-6)
@program(50.0, tol=1e-6)
def newton_to_convergence(a):
    x = a
    while abs(x * x - a) > 1e-13 * a:
        x = 0.5 * (x + a / x)
    return x


@program(27.0, 0.7)
def collatz_like(x, y):
    steps = 0
    n = 7
    while n != 1:
        if n % 2 == 0:
            n = n // 2
            x = x * y
        else:
            n = 3 * n + 1
            x = x / 3 + y
        steps += 1
    return x * steps


@program(0.5)
def condition_on_two_names(x):
    y = 1.0
    i = 0
    while y < 4 and i < 10:
        y = y + x * y
        i += 1
    return y


@program(0.4, 3.0)
def step_until_limit(h, limit):
    t = 0.0
    area = 0.0
    while t + h <= limit:
        area += math.sin(t) * h
        t += h
    return area + (limit - t) * math.sin(t)


@program(1.5)
def nested_while_loops(x):
    s = 0.0
    i = 0
    while i < 3:
        j = 0
        p = x
        while j < i:
            p = p * x
            j += 1
        s += p * p
        i += 1
    return s


@program(1.5)
def for_in_while(x):
    while x < 100:
        for i in range(2):
            x = x * (1.2 + i)
        x = x + 1 / x
    return x


@program(1.5)
def while_in_for(x):
    s = 0.0
    for i in range(3):
        t = x * (i + 1)
        while t > 1:
            t = t / 2 - 0.1 * x
        s += t * t
    return s


@program(sample(3))
def array_grows_until_norm(x):
    while np.sum(x * x) < 50:
        x = x * 1.5 + 0.1
    return np.sum(x)


@program(1.5)
def loop_never_entered(x):
    y = x * x
    while y < 0:
        y = y * x
    return y


@program(5.0, 3.0)
@program(3.0, 5.0)
def chasing_each_other(a, b):
    while abs(a - b) > 0.5:
        if a > b:
            a = a - b / 3
        else:
            b = b - a / 3
    return a * b


@program(0.3)
def while_true_with_break(x):
    y = x
    while True:
        y = y * y + x
        if y > 2:
            break
        y = y + 0.25
    return y * x


@program(0.3)
def while_with_walrus(x):
    y = 2.0
    while (y := y * x + 0.1) > 0.2:
        x = x * 0.99
    return y * x


@program(48.3, 18.1)
def euclid_on_reals(a, b):
    while b > 0.5:
        a, b = b, a % b
    return a * a


@program(0.9)
@program(2.9)
def while_else_clause(x):
    n = 0
    while x < 2:
        x = x * 1.4
        n += 1
        if n == 7:
            break
    else:
        x = x * x
    return x


@program(2.0, 3, 1e-3, static="limit")
@program(3.0, 1, 1e-3, static="limit")
def walrus_in_the_test_of_a_loop_with_else(a, limit, tol):
    x, k = a, 0
    while (r := x * x - 2.0) * r > tol:
        x -= r / (2 * x)
        k += 1
        if k >= limit:
            break
    else:
        return x * a
    return x + r * a


@program(sample(3, low=1.0, high=2.0), sample(3, low=2.0, high=3.0))
def an_item_of_the_last_but_one_and_all_of_the_last(b, A):
    x = b * 1.0
    while True:
        y = x / A
        if y[0] < 0.1:
            break
        x = y
    return np.sum(y) * x[0]


@program(sample(3, low=1.0, high=2.0), sample(3, low=2.0, high=3.0))
def jacobi_until_it_stays(b, A):
    x = np.zeros_like(b)
    while True:
        y = (b - 0.3 * x) / A
        if np.max(np.abs(y - x)) < 1e-3:
            break
        x = y
    return np.linalg.norm(y) + x[0] * x[1]


@program(sample(3, low=1.0, high=2.0), sample(3, low=2.0, high=3.0))
def one_step_is_not_taken_over(b, A):
    x, it = b * 1.0, 0
    while it < 4:
        y = x / A
        it += 1
        if it == 3:
            continue
        x = y
    return y @ y + x[0]


@program(sample(3, low=1.0, high=2.0), sample(3, low=2.0, high=3.0))
def the_best_so_far_and_an_item_of_it(b, A):
    x = b / A
    best, m = x, 0.0
    for it in range(3):
        c = x * A[it]
        if c[0] > m:
            m = c[0]
            best = c
    return best @ best * best[1] + best[0]


@program(sample(3, low=1.0, high=2.0), sample(3, low=2.0, high=3.0))
def two_that_take_over_by_turns(b, A):
    x = b / A
    z = y = b
    for it in range(2):
        x = x / A
        if it > 0:
            z, y = x / A, z / A
        z = x * x[0]
    return z[1] + y.mean() * np.sum(x[1:])


@program(sample(3, low=1.0, high=2.0), sample(3, low=2.0, high=3.0))
def set_in_all_steps_but_the_last(b, A):
    y = b / 2
    for it in range(3):
        s = np.max(y)
        if it > 1:
            break
        z = y / A
    return np.sum(z) * s


@program(sample(3))
def item_that_a_loop_ends_with(b):
    i, w, t = 0, 1.0, 0.0
    for i in range(3):
        t = b[i] * b[1]
    for w in b:
        t = t + w
    for k, (u, v) in enumerate(zip(b, b[1:])):
        t = u * v
    return b[i] ** 2 * w * u * v * v


@program(sample(3))
def left_in_two_places_after_a_constant(x):
    y = 2.0 * x[0]
    for i in range(2):
        if i > 1:
            break
        y = 1.0
        if x[1] > -10.0:
            break
    return y * x[2]
