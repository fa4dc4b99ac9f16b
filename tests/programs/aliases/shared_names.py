# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Two names for one array: by assignment, by a branch, round a loop, through a container."""

import numpy as np

from ..corpus import program, sample


@program(sample(3))
def second_name(x):
    a = x * x
    b = a
    b += 1.0
    a[0] *= b[1]
    return np.sum(a * b)


@program(sample(3))
def second_name_of_the_argument(x):
    y = x
    y[0] = x[1] * x[2]
    x[1] += y[0]
    return np.sum(x * y)


@program(sample(3))
def name_rebound_then_written(x):
    a = x * 1.0
    b = a
    a = a + 1.0
    a[0] = 5.0
    b[1] *= 2.0
    return np.sum(a * b * b)


@program(sample(3))
def augmented_keeps_the_alias(x):
    a = x * 1.0
    b = a
    a += 1.0
    c = a
    a = a * 2.0
    c *= x
    return np.sum(a * b * c)


@program(sample(3))
def chained_assignment_of_one_array(x):
    a = b = np.zeros(3)
    a[0] = x[0] ** 2
    b[1] = x[1] * a[0]
    a += x
    return np.sum(a * b)


@program(sample(3), True)
@program(sample(3), False)
def alias_chosen_by_a_branch(x, same):
    a = x * x
    if same:
        b = a
    else:
        b = a.copy()
    b[0] = x[1] * x[2]
    a[1] += b[0]
    return np.sum(a * b)


@program(np.array([1.3, 0.7, 0.4]))
@program(np.array([0.3, 0.7, 0.4]))
def alias_chosen_by_a_value(x):
    a, b = x * 2.0, x * 3.0
    c = a if x[0] > 0.5 else b
    c[1] = x[1] ** 3
    c *= x[0]
    return np.sum(a * b)


@program(sample(3), None)
@program(sample(3), sample(3, seed=1))
def output_array_made_if_missing(x, out):
    if out is None:
        out = np.zeros_like(x)
    out[0] += x[0] * x[1]
    out *= x
    return np.sum(out**2) + np.sum(x)


@program(sample(3), True)
@program(sample(3), False)
def copied_only_if_asked(x, copy):
    a = np.array(x, copy=True) if copy else x
    a[0] = a[1] * a[2]
    return np.sum(a * x)


@program(sample(3))
def alias_carried_round_a_loop(x):
    a = x * 1.0
    b = a
    for i in range(4):
        b[i % 3] *= a[(i + 1) % 3]
        b = a
        a[i % 3] += 0.1 * x[0]
    return np.sum(a * b)


@program(sample(3))
def alias_from_the_trip_before(x):
    a = x * 1.0
    previous = None
    s = 0.0
    for i in range(4):
        if previous is not None:
            previous[0] += x[i % 3]
            s += np.sum(previous * a)
        previous = a
        if i % 2:
            a = a * x
    return s


@program(sample(3), sample(3, seed=1))
def names_swapped_in_a_loop(a, b):
    for i in range(5):
        a, b = b, a
        a[i % 3] *= b[(i + 1) % 3]
        b += 0.1
    return np.sum(a * a) + np.sum(a * b)


@program(sample(3))
def names_swapped_that_are_the_same(x):
    a = b = x * x
    for i in range(3):
        a, b = b, a
        a[i] *= x[i]
        b[i] += 0.5
    return np.sum(a * b)


@program(sample(3), sample(3, seed=1), sample(3, seed=2))
def three_names_rotated(a, b, c):
    for i in range(4):
        a, b, c = b, c, a
        a += 0.3 * b * c
        c[0] = a[1]
    return np.sum(a * b * c)


@program(sample(3))
def best_so_far_as_an_alias(x):
    """`best` is not a copy: it goes on changing with the state."""
    state = x * 1.0
    best = state
    lowest = 100.0
    for i in range(3):
        state *= 0.8
        state[i] += 0.1
        if np.sum(state) < lowest:
            lowest = np.sum(state)
            best = state
    state[0] = x[1] ** 2
    return np.sum(best * x)


@program(sample(3))
def best_so_far_as_a_copy(x):
    state = x * 1.0
    best = state
    lowest = 100.0
    for i in range(3):
        state *= 0.8
        state[i] += 0.1
        if np.sum(state) < lowest:
            lowest = np.sum(state)
            best = state.copy()
    state[0] = x[1] ** 2
    return np.sum(best * x * state)


@program(sample(3))
def history_of_one_array(x):
    """All entries of the list are the same array."""
    history = []
    state = x * 1.0
    for i in range(3):
        state *= x
        history.append(state)
    return np.sum(history[0] * history[2])


@program(sample(3))
def history_of_copies(x):
    history = []
    state = x * 1.0
    for i in range(3):
        state *= x
        history.append(state.copy())
    return np.sum(history[0] * history[2])


@program(sample(6))
def list_of_views(x):
    parts = [x[:2], x[2:4], x[4:]]
    for i, part in enumerate(parts):
        part *= i + 1.0
    parts[0] += parts[1] * parts[2]
    return np.sum(x * x)


@program(sample(3), sample(3, seed=1))
def arrays_changed_through_a_tuple(a, b):
    pair = (a, b)
    pair[0][1] = b[0] * b[2]
    for v in pair:
        v *= a[0]
    return np.sum(pair[0] * pair[1])


@program(sample(3))
def array_changed_through_a_dict(x):
    d = {"w": x * 1.0, "g": x}
    w = d["w"]
    d["w"] -= 0.1 * d["g"] ** 2
    w[0] *= 3.0
    return np.sum(d["w"] * d["w"])


@program({"w": sample(3), "b": sample(2)})
def parameters_updated_in_a_dict_given(p):
    for k in p:
        p[k] -= 0.1 * p[k] ** 3
    p["w"][0] *= p["b"][1]
    return np.sum(p["w"] ** 2) + np.sum(p["b"])


@program([sample(2), sample(2, seed=1)])
def arrays_updated_in_a_list_given(layers):
    for a in layers:
        a *= a
    layers[0][0] += layers[1][1]
    return np.sum(layers[0] * layers[1])


@program(sample(3))
def same_array_twice_in_a_list(x):
    a = x * x
    v = [a, a]
    v[0][1] = x[0]
    v[1] *= 2.0
    return np.sum(v[0] * v[1])


@program(sample(2))
def multiplied_list_of_one_array(x):
    """`[a] * 3` holds the same array three times."""
    rows = [x * 1.0] * 3
    rows[0][0] = x[1] ** 2
    rows[2] += 1.0
    return np.sum(rows[1] * rows[0])


@program(sample(2))
def multiplied_list_of_lists(x):
    rows = [[0.0] * 2] * 2
    rows[0][0] = x[0] * x[1]
    rows[1][1] = rows[1][0] + x[0]
    return rows[0][1] * rows[1][0]


@program(sample(3))
def number_on_one_path_array_on_the_other(x):
    t = 0.0
    for i in range(3):
        if i == 1:
            t = x * t
        t += x[i]
    u = t
    t *= 2.0
    return np.sum(u * t)


@program(1.3, True)
@program(1.3, False)
def number_or_array_by_a_flag(x, many):
    a = np.array([x, x * x]) if many else x
    b = a
    a *= x
    a += 1.0
    return np.sum(a * b)


@program(sample(4))
def alias_through_a_conditional_expression(x):
    a, b = x[:2], x[2:]
    (a if x[0] > 1 else b)[0] = x[3] ** 2
    (b if x[0] > 1 else a)[:] *= x[1]
    return np.sum(x * x)


@program(sample(4))
def alias_through_or(x):
    given = None
    a = given or [x]
    a[0][1] = x[0] * x[2]
    return np.sum(x * x)


@program(sample(3))
def deleted_name_leaves_the_array(x):
    a = x * x
    b = a
    b[0] = x[1]
    del b
    b = a * 2.0
    a += 1.0
    return np.sum(a * b)


@program(sample(3))
def parameter_name_rebound(x):
    y = x
    x = x * 2.0
    x[0] = y[1] * y[2]
    y[1] = x[0]
    return np.sum(x * y)


@program(sample(3))
def value_changed_under_the_other_name_of_a_swap(x):
    old, new = x, np.zeros(3)
    for _ in range(2):
        new[:] = np.sin(old)
        old, new = new, old
    return np.sum(new)


@program(sample(3))
def value_changed_under_a_later_name(x):
    a = x * 2
    b = np.exp(a)
    c = a
    a = b * 1.0
    c[0] = x[1]
    return np.sum(a * b) + c[0]


@program(0.5, sample(3))
def both_names_captured_by_a_function(x, a):
    w = a
    w[0] = x

    def wave(scale):
        v = w
        return np.sin(a) * scale + v * 0.0

    return np.sum(wave(1.5))


@program(sample(2, 1), 2, static="n", vector=True)
def index_becomes_an_array_that_is_changed(A, n):
    s = A[n % 1]
    n = np.sin(A)
    n[:] = n * 2
    return s


@program(sample(4), 0.3, 3, static="steps")
def buffers_exchanged_and_views_of_them_multiplied(u, c, steps):
    new = np.zeros_like(u)
    for _ in range(steps):
        new[1:-1] = u[1:-1] * (1.0 + c * (u[2:] - u[:-2]))
        u, new = new, u
    return np.sum(u * u)


@program(sample(4), sample(4))
def one_name_twice_in_an_unpacking(x, a):
    u = x * 2
    w = a[1:]
    w *= 2
    _, _, c = u, x, 1.5
    w = x
    return np.sum(_ * u) * c + np.sum(a)


@program(sample(4), sample(4))
def one_name_twice_in_a_nested_unpacking(x, a):
    u = np.sin(x)
    w = a[1:]
    w *= 2
    (y, z), y = (u, x), x
    w = x
    return np.sum(y * u * z) + np.sum(a)
