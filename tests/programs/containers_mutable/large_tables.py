# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Dicts of many items, and with keys of any class, which stand in the module or are given."""

import math

import numpy as np

from ..corpus import program, sample

RATES = {f"rate {k}": (0.1 * k, "1/s", 0.0) for k in range(100)}
BY_TEMPERATURE = {280.0 + k: 1.0 + 0.01 * k for k in range(80)}
PAIRS = {("a", 1.5): 2.0, ("b", 0.5): 3.0}
MIXED = {None: 2.0, 1.5: [1.0, 3.0], "wave": math.sin, "bias": np.array([0.5, 1.5])}
NESTED = {k: {j: 1.0 / (k + j) for j in range(1, 70)} for k in range(1, 4)}


class Gas:
    def __init__(self, weight, name):
        self.weight = weight
        self.name = name

    def half(self):
        return 0.5 * self.weight


GASES = {f"gas {k}": Gas(2.0 + k, f"gas {k}") for k in range(70)}


@program(0.7)
def an_item_by_a_literal_key(x):
    return RATES["rate 7"][0] * x**2


@program(0.7, "rate 5")
def an_item_by_a_key_that_is_given(x, key):
    rate, unit, _ = RATES[key]
    return rate * x**2 if unit == "1/s" else x


@program(0.7, 12, static="n")
def items_in_a_loop(x, n):
    total = 0.0
    for k in range(n):
        total += BY_TEMPERATURE[280.0 + k] * math.sin(k * x)
    return total


@program(0.7)
def all_items(x):
    return sum([math.sin(value * x) for key, value in BY_TEMPERATURE.items() if key > 350.0])


@program(0.7)
def keys_of_two_parts(x):
    return PAIRS["a", 1.5] * x + PAIRS.get(("c", 0.5), 4.0) * x**2


@program(0.7)
def items_of_different_kinds(x):
    return MIXED[None] * x + MIXED[1.5][1] * MIXED["wave"](x) + np.sum(MIXED["bias"] * x**2)


@program(0.7, 2, 3, static="k j")
def dicts_in_a_dict(x, k, j):
    return NESTED[k][j] * x**2


@program(0.7, ["gas 3", "gas 5"])
def objects_in_a_dict(x, names):
    total = 0.0
    for name in names:
        total += GASES[name].weight * x
    return total * GASES["gas 9"].half() * x


@program({k: 0.1 * k for k in range(70)}, 0.7)
def a_given_dict_of_many(weights, x):
    return sum(weights.values()) * weights[3] * x


@program({(1.5, "a"): 0.4, (0.5, "b"): 0.7}, sample(2))
def a_given_dict_by_pairs(weights, x):
    return weights[1.5, "a"] ** 2 * x[0] + weights[0.5, "b"] * x[1]


class Element:
    __slots__ = ["weight", "name"]

    def __init__(self, weight, name):
        self.weight = weight
        self.name = name


class Elements:
    """Looks an element up by its name or its number."""

    __slots__ = ("_by_name", "_indices")

    def __init__(self, elements):
        self._by_name = {e.name: e for e in elements}
        self._indices = (self._by_name, dict(enumerate(elements)))

    def __getitem__(self, key):
        for index in self._indices:
            if key in index:
                return index[key]
        raise KeyError(key)

    def __getattr__(self, name):
        for index in self._indices:
            if name in index:
                return index[name]
        raise AttributeError(name)


ELEMENTS = Elements([Element(1.5 + k, f"element{k}") for k in range(70)])
LIGHT = Element(0.5, "light")


@program({"element3": 2.0, "element5": 1.0})
def a_table_with_a_look_up_of_its_own(atoms):
    total = 0.0
    for name, count in atoms.items():
        total += ELEMENTS[name].weight * count
    return total**2 * LIGHT.weight


@program(0.7, 12, static="number")
def an_object_by_its_number(x, number):
    return ELEMENTS[number].weight * x**2
