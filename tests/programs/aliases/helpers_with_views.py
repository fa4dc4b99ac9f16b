# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Called functions that change their arguments, hand them back, or hand back views of them."""

import numpy as np

from ..corpus import program, sample


def scale(a, s):
    a *= s


def scaled(a, s):
    a *= s
    return a


def first_half(a):
    return a[: len(a) // 2]


def swap_halves(a, b):
    t = a.copy()
    a[:] = b
    b[:] = t


def accumulate_into(target, source):
    for i in range(len(target)):
        target[i] += source[i] * target[i]


def same_or_new(a):
    if a[0] > 1:
        return a
    return a * 1.0


def normalize(a, out=None):
    if out is None:
        out = np.empty_like(a)
    np.divide(a, np.sum(a), out=out)
    return out


def set_element(a, i, value):
    a[i] = value
    return value


def clear(a):
    a = np.zeros_like(a)
    a[0] = 3.0
    return a


def fill_row(matrix, i, values):
    row = matrix[i]
    row[:] = values
    return row


@program(sample(3))
def helper_changes_its_argument(x):
    a = x * 1.0
    scale(a, x[0])
    scale(x, 2.0)
    return np.sum(a * x)


@program(sample(3))
def helper_hands_its_argument_back(x):
    a = x * 1.0
    b = scaled(a, 3.0)
    b[0] = x[1] ** 2
    return np.sum(a * b)


@program(sample(4))
def helper_hands_back_a_view(x):
    h = first_half(x)
    h *= x[3]
    x[0] += 1.0
    return np.sum(h * h) + np.sum(x)


@program(sample(4))
def result_of_the_helper_is_written(x):
    first_half(x)[0] = x[2] * x[3]
    first_half(first_half(x))[:] *= 2.0
    return np.sum(x * x)


@program(sample(4))
def helper_changes_a_slice(x):
    scale(x[1:3], x[0])
    scale(x[::2], 2.0)
    return np.sum(x * x)


@program(sample(2, 3))
def helper_changes_rows(x):
    for row in x:
        scale(row, row[0])
    scale(x.T[1], 0.5)
    return np.sum(x * x)


@program(sample(4))
def helper_changes_a_copy(x):
    scale(x.copy(), 10.0)
    scale(x[[0, 1]], 10.0)
    scale(x + 0.0, 10.0)
    return np.sum(x * x)


@program(sample(3), sample(3, seed=1))
def helper_swaps_two(x, y):
    swap_halves(x, y)
    x *= 2.0
    swap_halves(y, x)
    return np.sum(x * y * y)


@program(sample(3))
def same_array_twice_to_a_helper(x):
    """`target` and `source` are one array: each element adds its own square."""
    a = x * 1.0
    accumulate_into(a, a)
    return np.sum(a * x)


@program(sample(4))
def overlapping_views_to_a_helper(x):
    """What is written for `i` is read as the source of `i + 1`."""
    accumulate_into(x[1:], x[:-1])
    return np.sum(x * x)


@program(sample(4))
def array_and_its_reverse_to_a_helper(x):
    accumulate_into(x, x[::-1])
    return np.sum(x * x * np.arange(1.0, 5.0))


@program(sample(4))
def halves_of_one_array_to_a_helper(x):
    swap_halves(x[:2], x[2:])
    return np.sum(x * x * np.arange(1.0, 5.0))


@program(np.array([1.4, 0.6, 0.3]))
@program(np.array([0.4, 0.6, 0.3]))
def helper_returns_the_same_or_a_new_one(x):
    a = x * 1.0
    b = same_or_new(a)
    b[1] = x[0] * x[2]
    a[2] *= 3.0
    return np.sum(a * b)


@program(sample(3))
def helper_with_an_output_array(x):
    buffer = np.empty(3)
    a = normalize(x * x, out=buffer)
    b = normalize(a + x)
    buffer[0] *= b[1]
    return np.sum(a * b)


@program(sample(3))
def helper_normalizes_in_place(x):
    normalize(x, out=x)
    x[0] += 0.5
    normalize(x, x)
    return np.sum(x * x)


@program(sample(3))
def value_and_change_of_one_call(x):
    a = x * 1.0
    s = set_element(a, 1, x[0] * x[2]) * a[1]
    return s * np.sum(a)


@program(sample(3))
def order_of_calls_in_an_expression(x):
    """The operands are computed from left to right, and the calls between them change the array."""
    a = x * 1.0
    s = a[0] + set_element(a, 0, x[1] ** 2) * a[0] - set_element(a, 0, 0.5) / a[0]
    return s * a[0] + np.sum(a)


@program(sample(3))
def rebinding_in_the_helper_is_no_change(x):
    y = clear(x)
    return np.sum(x * x) + np.sum(y * x)


@program(sample(2), sample(3, seed=1))
def helper_fills_rows(x, w):
    m = np.zeros((2, 3))
    r = fill_row(m, 0, w * x[0])
    fill_row(m, 1, r * x[1])
    r *= 2.0
    return np.sum(m * m)


@program(sample(3))
def local_function_changes_what_it_sees(x):
    a = x * 1.0

    def bump(i, amount):
        a[i] += amount

    bump(0, x[1] * x[2])
    bump(1, a[0])
    bump(0, a[1])
    return np.sum(a * a)


@program(sample(3))
def local_function_changes_the_argument_of_the_outer_one(x):
    def damp(factor):
        x[:] = x * factor

    damp(x[0])
    damp(0.5)
    return np.sum(x * x)


@program(sample(4))
def recursion_on_views(x):
    def sweep(a):
        if len(a) < 2:
            return
        a[1] += a[0] * 0.5
        a[0] *= a[1]
        sweep(a[1:])

    sweep(x)
    return np.sum(x)


@program(sample(4))
def recursion_on_halves(x):
    def combine(a):
        n = len(a)
        if n == 1:
            return
        left, right = a[: n // 2], a[n // 2 :]
        combine(left)
        combine(right)
        left += right
        right *= left

    combine(x)
    return np.sum(x * np.arange(1.0, 5.0))


@program(sample(3))
def helper_called_in_a_loop(x):
    state = x * 1.0
    work = np.zeros(3)

    def step(y, out):
        out[0] = y[1] * 0.1
        out[1] = -y[0] * y[2] * 0.1
        out[2] = 0.1

    for _ in range(4):
        step(state, work)
        state += work
    return np.sum(state * state)


@program(sample(3))
def argument_by_keyword_and_star(x):
    a = x * 1.0
    scale(s=x[0], a=a)
    scale(*[a, x[1]])
    scale(**{"a": a, "s": x[2]})
    return np.sum(a)


@program(sample(2, 3))
def mapped_over_rows(x):
    parts = list(map(lambda row: scaled(row, row[0]), x))
    parts[0][1] = parts[1][2] ** 2
    return np.sum(x * x)


@program(sample(3), sample(3, seed=1))
def both_arguments_handed_back(x, y):
    def ordered(a, b):
        return (a, b) if a[0] > b[0] else (b, a)

    large, small = ordered(x, y)
    large -= small
    small[0] = large[1] ** 2
    return np.sum(x * x) + np.sum(x * y)


@program(sample(3), vector=True)
def argument_changed_and_returned(x):
    x *= x
    x[0] += x[1]
    return x


@program(sample(4), vector=True)
def view_of_the_argument_returned(x):
    x[1] = x[0] * x[3]
    return x[1:3]


def levelled(s, v):
    for k in range(1, len(v)):
        v[k] = s
    return s


@program(0.513, sample(3))
def old_item_is_read_before_the_call(x, a):
    a[1] += levelled(x, a)
    return np.sum(a * a)


def squares(v):
    w = v**2
    return w[...]


@program(sample(3), 0.83)
def argument_that_changes_under_another_name(x, s):
    v = x
    v = squares(v)
    x[::2] = s
    return np.sum(v)


@program(sample(3))
def item_taken_of_a_number(x):
    v = np.take(np.tensordot(x, x, axes=1), [0], axis=-1)
    return np.sum(v**2)


def nothing_and_imaginary(x):
    return np.concatenate((x[2:2], x * 0.5j), axis=-1)


@program(sample(2))
def nothing_joined_with_complex_numbers(x):
    return np.sum(np.abs(nothing_and_imaginary(x)) ** 2)


def whole_and_turned(u):
    a = u * 2
    return a, a[::-1]


def by_a_helper(u):
    return whole_and_turned(u)


def by_a_local_function(u):
    def inner(v):
        a = v * 2
        return a, a[::-1]

    return inner(u)


def by_a_lambda(u):
    return (lambda v: whole_and_turned(v))(u)


def under_a_name(u):
    pair = by_a_helper(u)
    return pair


def turned_round(u):
    return whole_and_turned(u)[::-1]


def on_a_condition(u):
    return whole_and_turned(u) if len(u) > 1 else (u * 1, u * 3)


class Halves:
    def __init__(self, a, b):
        self.a = a
        self.b = b


def in_an_object(u):
    return Halves(*whole_and_turned(u))


@program(sample(4))
def parts_that_a_helper_of_a_helper_returns(u):
    a, b = by_a_helper(u)
    b *= 3.0
    c, d = by_a_helper(u)
    c[0] = 0.5
    return np.sum(a * u) + np.sum(d * u)


@program(sample(4))
def parts_that_a_local_function_returns(u):
    a, b = by_a_local_function(u)
    b *= 3.0
    c, d = by_a_local_function(u)
    c[0] = 0.5
    return np.sum(a * u) + np.sum(d * u)


@program(sample(4))
def parts_that_a_lambda_returns(u):
    a, b = by_a_lambda(u)
    b *= 3.0
    c, d = by_a_lambda(u)
    c[0] = 0.5
    return np.sum(a * u) + np.sum(d * u)


@program(sample(4))
def parts_that_have_a_name_in_between(u):
    a, b = under_a_name(u)
    b *= 3.0
    c, d = under_a_name(u)
    c[0] = 0.5
    return np.sum(a * u) + np.sum(d * u)


@program(sample(4))
def parts_that_come_turned_round(u):
    a, b = turned_round(u)
    b *= 3.0
    c, d = turned_round(u)
    c[0] = 0.5
    return np.sum(a * u) + np.sum(d * u)


@program(sample(4))
def parts_that_come_on_a_condition(u):
    a, b = on_a_condition(u)
    b *= 3.0
    c, d = on_a_condition(u)
    c[0] = 0.5
    return np.sum(a * u) + np.sum(d * u)


@program(sample(4))
def parts_that_come_in_an_object(u):
    one, other = in_an_object(u), in_an_object(u)
    one.b *= 3.0
    other.a[0] = 0.5
    return np.sum(one.a * u) + np.sum(other.b * u)


def two_taken(items):
    return items.pop() * 2.0, items.pop()


def two_named(items):
    return {"a": items.pop() * 2.0, "b": items.pop()}


@program(sample(4))
def object_made_of_what_a_call_returns(u):
    items = [v * v for v in u]
    halves = Halves(*two_taken(items))
    return halves.a * halves.b + 3.0 * sum(items)


@program(sample(4))
def object_made_by_the_names_that_a_call_returns(u):
    items = [v * v for v in u]
    halves = Halves(**two_named(items))
    return halves.a * halves.b + 3.0 * sum(items)


@program(sample(4))
def object_made_of_an_item_and_what_a_call_returns(u):
    items = [v * v for v in u]
    halves = Halves(items.pop(), *two_taken(items)[:1])
    return halves.a * halves.b + 3.0 * sum(items)
