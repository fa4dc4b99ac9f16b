# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Helpers that are given axes, options and flags as literals, or by default: the same, several, and other values too."""

import numpy as np

from ..corpus import program, sample


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def scaled(x, axis, keep=True, *, ddof=0):
    spread = np.std(x, axis=axis, keepdims=keep, ddof=ddof)
    if not keep:
        return x * np.mean(spread)
    return x / spread


def centered(x, by_rows=False):
    if by_rows:
        return x - x.mean(1, keepdims=True)
    return x - x.mean(0)


def power_or_log(x, kind, shift=1):
    if kind == 2:
        return x**2 + shift
    elif kind > 2:
        return x**kind * shift
    return np.log(x + shift)


def through(x, axis=0):
    y = softmax(x, axis)
    return softmax(y, axis=axis) + np.cumsum(x, axis)


def moved(x, axis):
    axis = axis - 1
    return np.sum(x, axis=axis)


def counted(x, n):
    if n == 0:
        return x
    return counted(np.sin(x) * n, n - 1)


def by_lambda(x, axis):
    pick = lambda y: np.max(y, axis=axis)
    return np.sum(pick(x), axis=0) + np.sum(x, axis=axis)[0]


def listed(x, axis):
    rows = [np.sum(r) * axis for r in x]
    return sum(rows) + np.sum(np.prod(x, axis=axis))


def repeated(x, times=3, flip=False):
    for k in range(times):
        if flip and k == 1:
            x = x[::-1]
        x = np.sin(x) * times
    return np.roll(x, times)


@program(sample(3, 4))
def one_axis_by_default(x):
    return np.sum(softmax(x) * softmax(x * x))


@program(sample(3, 4))
def several_axes(x):
    return np.sum(softmax(x, 0) * softmax(x, axis=1) * softmax(x, -2) ** 2)


@program(sample(3, 4))
def axes_of_a_loop_beside_one(x):
    s = 0.0
    for axis in range(2):
        s += np.sum(softmax(x, axis) ** 2) * (axis + 1)
    return s + np.sum(softmax(x, 1) * x)


@program(sample(3, 4))
def options_by_keyword(x):
    return np.sum(scaled(x, 0) ** 3) + np.sum(scaled(x, 1, ddof=1) ** 3) + np.sum(scaled(x, (0, 1), False) ** 2)


@program(sample(3, 4))
def flags(x):
    return np.sum(centered(x) ** 3) * np.sum(centered(x, True) ** 2) + np.sum(centered(x, by_rows=False) ** 2)


@program(sample(3, 4), True)
@program(sample(3, 4), False)
def flags_that_are_given(x, rows):
    return np.sum(centered(x, rows) ** 3) + np.sum(centered(x, True) ** 3)


@program(sample(3))
def kinds_by_number(x):
    x = x * x
    return np.sum(power_or_log(x, 2) * power_or_log(x, 3, 2) + power_or_log(x, 1) * power_or_log(x, 4))


@program(sample(3, 4))
def passed_through(x):
    return np.sum(through(x) * through(x, 1)) + np.sum(through(x.T, axis=-1)[0])


@program(sample(3, 4))
def axes_that_are_set(x):
    return np.sum(moved(x, 1) ** 2) + np.sum(moved(x, 2) ** 3)


@program(sample(3))
def counted_down(x):
    return np.sum(counted(x, 3) * counted(x, 2))


@program(sample(3, 4))
def read_by_a_lambda(x):
    return by_lambda(x, 1) * by_lambda(x, 0)


@program(sample(3, 4))
def read_in_a_comprehension(x):
    return listed(x, 1) * listed(x, 0)


@program(sample(4))
def counts_and_flags(x):
    return np.sum(repeated(x) * x) + np.sum(repeated(x, 2, True) * x) + np.sum(repeated(x, flip=True) * x)


@program(sample(3, 4))
def local_functions(x):
    def total(y, axis=0, squared=False):
        if squared:
            y = y * y
        return np.sum(y, axis=axis)

    return np.sum(total(x) ** 2) + np.sum(total(x, 1, True)) + np.sum(total(x, squared=True) ** 2)


class Layer:
    def __init__(self, w):
        self.w = w

    def call(self, x, axis=-1, training=True):
        y = x @ self.w
        if training:
            y = y / np.sum(y**2, axis=axis, keepdims=True)
        return np.tanh(y)


@program(sample(3, 4), sample(4, 2, seed=1))
def methods(x, w):
    layer = Layer(w)
    return np.sum(layer.call(x) ** 2) + np.sum(layer.call(x, 0) ** 3) + np.sum(layer.call(x, training=False))


@program(sample(2, 3, 4))
def axes_of_three(x):
    return np.sum(softmax(x, (1, 2)) * softmax(x, (0, -1))) + np.sum(np.squeeze(np.sum(x, 1, keepdims=True), 1) ** 2)
