# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Slices with bounds that vary: equally long only where axis and bounds are the same, now."""

import numpy as np

from ..corpus import program

X = np.linspace(0.5, 1.4, 4)
Y = np.linspace(-0.65, 0.95, 4)


@program(X, Y)
def slice_from_before_the_loop_broadcast(x, y):
    s = 0.0
    z = x[:1]
    for k in range(1, 4):
        w = x[:k] + z
        s += np.sum(w * w)
        z = x[:1] * 2.0
    return s


@program(X, Y)
def slice_of_one_broadcast(x, y):
    s = 0.0
    z = x[:1]
    for k in range(1, 4):
        s += np.sum((y[:k] * z) ** 2)
        z = x[:k] if k < 1 else x[:1]
    return s


@program(X, Y)
def bound_set_again_between(x, y):
    k = 1
    z = x[:k]
    k = 3
    return np.sum((z * x[:k]) ** 2)


@program(X, Y)
def slice_left_from_the_loop_before(x, y):
    s = 0.0
    for j in range(2):
        for k in range(1, 3):
            if k == 1:
                z = x[:k]
            s += np.sum((z * y[:k]) ** 2)
    return s


@program(X, Y)
def slice_left_by_break(x, y):
    for k in range(1, 4):
        z = x[:k]
        if k == 1:
            break
    s = 0.0
    for k in range(2, 4):
        s += np.sum((z * y[:k]) ** 2)
    return s


@program(X, Y)
def while_counter_between_two_slices(x, y):
    s = 0.0
    k = 1
    while k < 4:
        w = x[:k]
        k = k + 1
        if len(w) == 1:
            s += np.sum((w * y[:k]) ** 2)
    return s


@program(X, Y)
def bound_of_the_iteration_before(x, y):
    s = 0.0
    i = 0
    while i < 3:
        if i > 0:
            s += np.sum((x[:m] * y[:1]) ** 2)
        m = i + 1
        s += np.sum(y[:m] ** 3)
        i += 1
    return s


@program(X, Y)
def slice_out_of_a_function(x, y):
    def h(k):
        return x[:k]

    s = 0.0
    for k in range(1, 4):
        s += np.sum((h(1) * h(k)) ** 2)
    return s


@program(X, Y)
def two_slices_out_of_a_function(x, y):
    def h(v, k):
        return v[:k]

    a = h(x, 1)
    b = h(y, 3)
    return np.sum((a * b) ** 2)


@program(X, Y)
def bound_out_of_a_written_out_loop(x, y):
    s = 0.0
    for part in (1, 3):
        k = part
        z = x[:k]
        if part == 1:
            w = z
        s += np.sum((w * z) ** 2)
    return s


@program(X, Y)
def bound_out_of_a_length(x, y):
    s = 0.0
    ks = (1, 2, 3)
    for v in (x, y):
        k = len(v) - 3
        s += np.sum(v[:k] ** 2)
    return s


@program(X, Y)
def bound_out_of_enumerate(x, y):
    s = 0.0
    for k, v in enumerate((x[:3], y[:3])):
        s += np.sum((v[: k + 1] * x[:1]) ** 2)
    return s


@program(X, Y)
def slices_handed_on(x, y):
    z = y[:1]
    for k in range(1, 4):
        z, w = x[:k], z
        y = y * 1.5
        y[:k] += w[:1]
        if k <= 2:
            y[:2] += w
    return np.sum(y**2)


@program(X, Y)
def slice_left_by_an_exception(x, y):
    try:
        for k in range(1, 4):
            z = x[:k]
            if k == 1:
                raise ValueError
    except ValueError:
        pass
    s = 0.0
    for k in range(2, 3):
        s = np.sum((z * y[:k]) ** 2)
    return s


@program(X, Y)
def from_the_end(x, y):
    s = 0.0
    for k in range(-3, 4):
        z = x[k:]
        s += np.sum(z**2) + np.sum((x[k:] * y[k:]) ** 2) + np.sum(x[k:][:1] * y[k:])
    return s


@program(X, Y)
def rows_and_columns_of_a_triangle(x, y):
    m = np.outer(x, y)
    s = 0.0
    for i in range(4):
        for j in range(i + 1):
            s += np.sum((m[i, : j + 1] * m[: j + 1, i]) ** 2) + np.sum((m[i, : j + 1] * m[j, :1]) ** 2)
    return s


@program(X, Y)
def bound_set_by_a_local_function(x, y):
    n = 1
    z = x[:n]

    def bump():
        nonlocal n
        n = 3

    bump()
    return np.sum((z * x[:n]) ** 2)


@program(X, Y)
def bound_set_within_the_slice(x, y):
    z = x[: (k := 1)]
    k = 3
    return np.sum((z * x[:k]) ** 2)
