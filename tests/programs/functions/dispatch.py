# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Functions in containers, chosen at run time by key, by number or by value."""

import enum
import functools
import math
import operator

import numpy as np

from ..corpus import program, sample


def square(x):
    return x * x


def shifted(x, by=1.0):
    return x + by


ACTIVATIONS = {"tanh": np.tanh, "square": square, "relu": lambda z: np.maximum(z, 0.0), "none": lambda z: z}
STEPS = [square, math.sin, shifted]


@program(1.2, "tanh")
@program(1.2, "square")
@program(1.2, "relu")
def function_chosen_by_key(x, name):
    return ACTIVATIONS[name](x) * ACTIVATIONS.get("other", square)(x)


@program(1.2, 0, static="k")
@program(1.2, 1, static="k")
def function_chosen_by_number(x, k):
    return STEPS[k](x) * STEPS[-1](x)


@program(1.2)
@program(2.4)
def function_chosen_by_value(x):
    fs = [math.sin, square, math.exp]
    return fs[int(x)](x) + (math.cos if x > 2 else math.tanh)(x)


@program(1.2)
def functions_applied_in_turn(x):
    for f in STEPS:
        x = f(x)
    for name, f in ACTIVATIONS.items():
        x = f(x) + 0.1 * len(name)
    return x


@program(1.2, 0.7)
def operators_chosen_by_sign(x, y):
    table = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": operator.pow}
    s = x
    for sign in "+*-/^":
        s = table[sign](s, y)
    return s


@program(1.2, ["square", "sin", "scale"])
def pipeline_by_names(x, steps):
    local = {"square": lambda t: t * t, "sin": math.sin, "scale": lambda t: t * x}
    t = x
    for step in steps:
        t = local[step](t)
    return t


@program(sample(3), [(sample(2, 3, seed=1), "tanh"), (sample(1, 2, seed=2), "square")])
def layers_with_activations(x, layers):
    for w, name in layers:
        x = ACTIVATIONS[name](w @ x)
    return x[0]


@program(1.2)
def method_chosen_by_name(x):
    a = np.array([x, x * x, 1.0])
    s = 0.0
    for name in ("sum", "mean", "prod"):
        s += getattr(a, name)() * x
    return s + getattr(math, "sin")(x)


@functools.singledispatch
def sized(v, k):
    return v * k


@sized.register
def _of_a_list(v: list, k):
    return [a * k for a in v]


@sized.register(np.ndarray)
def _of_an_array(v, k):
    return np.sum(v * v) * k


@program(sample(3), 1.5)
def chosen_by_class(x, k):
    return sized(x, k) + sized(k, x[0]) + sum(sized(list(x), 2.0)) * sized(x[1], k)


@program([sample(2), 0.7], 1.5)
def chosen_by_class_of_each_item(items, k):
    total = 0.0
    for item in items:
        total = total + sized(item, k)
    return total


class Mode(enum.Enum):
    SQUARE = 1
    CUBE = 2
    NEITHER = 3


@program(1.3, Mode.SQUARE)
@program(1.3, Mode.CUBE)
@program(1.3, Mode.NEITHER, raises=ValueError)
def error_with_an_enum(x, mode):
    if mode is Mode.SQUARE:
        return x**2
    if mode == Mode.CUBE:
        return x**3
    raise ValueError(mode)


@program(1.3, sample(2))
@program(-1.3, sample(2), raises=ValueError)
def error_with_an_array(x, w):
    if x < 0:
        raise ValueError("negative", w, np.sum(w))
    return np.sum(w * x)
