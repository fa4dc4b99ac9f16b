# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Writes that happen or not: under conditions, in loops left early, in loops without a trip, before a return."""

import numpy as np

from ..corpus import program, sample


@program(np.array([0.5, -0.7, 1.2, -0.4]))
def write_under_a_condition(x):
    for i in range(4):
        if x[i] < 0:
            x[i] = x[i] ** 2
    return np.sum(x * np.arange(1.0, 5.0))


@program(np.array([0.5, -0.7, 1.2, -0.4]))
def write_in_one_branch_or_the_other(x):
    a, b = np.zeros(4), np.ones(4)
    for i in range(4):
        if x[i] < 0:
            a[i] = x[i] * x[0]
        elif x[i] > 1:
            b[i] *= x[i] * x[1]
        else:
            a[i], b[i] = b[i] * x[i], x[i]
    return np.sum(a * a * b)


@program(sample(5))
def write_then_break(x):
    a = np.zeros(5)
    for i in range(5):
        a[i] = x[i] * x[i - 1]
        if a[i] > 0.9 and i > 1:
            break
        a[i] += x[0]
    return np.sum(a * a) + a[i]


@program(sample(5))
def break_before_the_write(x):
    a = x.copy()
    s = 0.0
    for i in range(5):
        s += a[i]
        if s > 3.0:
            break
        a[i + 1] = a[i] * s
    else:
        a[0] = 100.0
    return np.sum(a * a)


@program(sample(5))
def continue_skips_the_write(x):
    a = x.copy()
    for i in range(1, 5):
        if i % 2:
            a[i - 1] *= x[i]
            continue
        a[i] = a[i - 1] ** 2
    return np.sum(a * a)


@program(np.array([1.3, 0.2, 0.8, 0.5, 1.7]))
def while_with_moving_index(x):
    i = 0
    while i < len(x) - 1:
        if x[i] > 1:
            x[i + 1] *= x[i]
            i += 2
        else:
            x[i] += x[i + 1]
            i += 1
    return np.sum(x * x)


@program(np.array([1.3, 0.9]))
def while_on_an_element(a):
    trips = 0
    while a[0] < 20.0:
        a[0] = a[0] * a[0] + a[1]
        a[1] += 0.1 * a[0]
        trips += 1
    return a[0] * trips + a[1]


@program(np.array([2.0]))
def newton_in_an_element(a):
    root = np.ones(1)
    while abs(root[0] ** 2 - a[0]) > 1e-12:
        root[0] = 0.5 * (root[0] + a[0] / root[0])
    return root[0] * a[0]


@program(sample(4))
@program(sample(4) * 0.1)
def return_between_the_writes(x):
    x[0] = x[1] * x[2]
    if x[0] > 0.1:
        return np.sum(x * x)
    x[1] = x[0] + x[3]
    return np.sum(x**3)


@program(sample(4))
def return_from_inside_the_loop(x):
    total = np.zeros(2)
    for i, v in enumerate(x):
        total[i % 2] += v * v
        if total[0] > 1.8:
            total *= v
            return total[0] * total[1]
    return total[0]


@program(sample(3), 0, static="n")
@program(sample(3), 2, static="n")
def loop_without_a_trip(x, n):
    a = x * x
    for i in range(n):
        a[i] = a[i + 1] * x[0]
    return np.sum(a * a)


@program(sample(4))
def length_of_the_slice_varies(x):
    a = x.copy()
    for i in range(1, 5):
        a[:i] *= a[i - 1]
    return np.sum(a)


@program(sample(4))
def loop_over_the_array_it_changes(x):
    """The iterator reads what the trips before have written."""
    i = 0
    s = 0.0
    for v in x:
        s += v * v
        i += 1
        if i < 4:
            x[i] *= v
    return s


@program(sample(4))
def loop_over_a_copy(x):
    for i, v in enumerate(x.copy()):
        x[(i + 1) % 4] *= v
    return np.sum(x * x)


@program(sample(4))
def zip_of_the_array_and_its_shift(x):
    for i, (v, w) in enumerate(zip(x[:-1], x[1:])):
        x[i + 1] = v * w + x[0]
    return np.sum(x * x)


@program(sample(2, 3))
def nested_with_a_break(x):
    for i in range(2):
        for j in range(3):
            if x[i, j] < 0.4:
                break
            x[i, j] *= x[i - 1, j]
        else:
            x[i, 0] += x[i, 2] ** 2
        x[i, 1] = x[i, 1] * x[i, 0]
    return np.sum(x * x)


@program(np.array([0.9, 1.6, 0.3, 1.2]))
def insertion_sort(a):
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return np.sum(a * np.array([1.0, 10.0, 100.0, 1000.0]))


@program(np.array([0.9, 1.6, 0.3, 1.2]))
def bubble_sort(a):
    changed = True
    while changed:
        changed = False
        for i in range(len(a) - 1):
            if a[i] > a[i + 1]:
                a[i], a[i + 1] = a[i + 1], a[i]
                changed = True
    return np.sum(a**2 * np.array([1.0, 10.0, 100.0, 1000.0]))


@program(np.array([0.9, 1.6, 0.3, 1.2, 0.7]))
def quicksort(a):
    def sort(lo, hi):
        if lo >= hi:
            return
        pivot, place = a[hi], lo
        for i in range(lo, hi):
            if a[i] < pivot:
                a[i], a[place] = a[place], a[i]
                place += 1
        a[place], a[hi] = a[hi], a[place]
        sort(lo, place - 1)
        sort(place + 1, hi)

    sort(0, len(a) - 1)
    return np.sum(a * a * np.array([1.0, 2.0, 4.0, 8.0, 16.0]))


@program(sample(4), True)
@program(sample(4), False)
def target_chosen_by_a_flag(x, first):
    a, b = np.zeros(4), np.ones(4)
    target = a if first else b
    target[1] = x[0] * x[1]
    target += x
    return np.sum(a * x) + np.sum(b * b)


@program(sample(4))
def conditional_expression_in_the_index(x):
    a = x.copy()
    for i in range(4):
        a[i if x[i] > 1 else 0] += x[i] ** 2
    return np.sum(a * a)


@program(sample(4), 3, static="n")
def array_made_anew_in_every_trip(x, n):
    s = 0.0
    for k in range(n):
        a = np.zeros(k + 1)
        a[k] = x[k] * x[k + 1]
        a[0] += s
        s += np.sum(a * a)
    return s


@program(sample(4))
def array_made_in_one_trip_and_changed_in_others(x):
    for k in range(4):
        if k % 2 == 0:
            a = x * (k + 1)
        a[k] *= x[0]
    return np.sum(a * a)


@program(sample(3))
def converges_in_place(x):
    y = x.copy()
    for _ in range(50):
        old = y.copy()
        y[:] = np.cos(y) * x * 0.5
        if np.max(np.abs(y - old)) < 1e-3:
            break
    return np.sum(y * y)


@program(np.array([0.5, 1.5, 0.8]))
def line_search_in_place(x):
    trial = np.empty(3)
    step = 1.0
    value = np.sum(x**4)
    while True:
        trial[:] = x - step * 4 * x**3
        if np.sum(trial**4) < value:
            break
        step *= 0.3
    x[:] = trial
    return np.sum(x * x)


@program(sample(4), "add")
@program(sample(4), "scale")
@program(sample(4), "other")
def write_by_match(x, kind):
    match kind:
        case "add":
            x[0] += x[1] * x[2]
        case "scale":
            x *= x[3]
        case _:
            x[:2] = x[2:]
    return np.sum(x * x * np.arange(1.0, 5.0))
