# ruff: noqa: ANN001, ANN201, ANN202 - the functions are as users write them
"""Arguments that share memory, a list or an object with one that the function changes: refused, never a wrong number.

Nothing else may be refused, and the first call is of arguments that share nothing: later calls are not compared.
"""

from __future__ import annotations

import runpy
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompile import grad, jvp
from adcompile.errors import ArgumentError

TABLE = np.ones(3)
PRICES = [1.0, 2.0]
SETTINGS = types.SimpleNamespace(weights=np.ones(3), rate=2.0)
NESTED = {"rows": [np.ones(3)]}


class Layer:
    def __init__(self, w: Any) -> None:
        self.w = w

    def __call__(self, x: Any) -> Any:
        self.w[0] += 1.0
        return np.sum(self.w * x)


@dataclass
class Pair:
    first: Any
    second: Any


@dataclass(slots=True)
class Slotted:
    first: Any


@dataclass
class World:
    gravity: float


@dataclass
class Body:
    height: float
    world: World


def beside_a_global(a):
    a *= 2.0
    return np.sum(a * TABLE)


def beside_a_global_list(a):
    a[0] = a[0] * 3.0
    return a[0] * PRICES[0] + PRICES[1]


def beside_an_attribute(a):
    a += 1.0
    return np.sum(a * SETTINGS.weights) * SETTINGS.rate


def beside_what_a_global_holds(a):
    a += 1.0
    return np.sum(a * NESTED["rows"][0])


def through_a_called_object(layer, w):
    return layer(w) * w[0]


def one_dict(p, q):
    p["k"] = p["k"] * 2.0
    return p["k"] * q["k"]


def one_list(xs, ys):
    xs[0] = xs[0] * 2.0
    return xs[0] * ys[0] + sum(ys)


def grown_list(xs, ys):
    xs.append(ys[0] * 2.0)
    return sum(xs) * ys[-1]


def lists_in_a_list(xs):
    xs[0][0] = xs[0][0] * 2.0
    return xs[0][0] * xs[1][0]


def lists_in_an_object(p):
    p.first[0] = p.first[0] * 2.0
    return p.first[0] * p.second[0]


def in_slots(p, x):
    p.first[0] = x[1] * 2.0
    return np.sum(p.first * x)


def beside_what_slots_hold(p, x):
    x *= 2.0
    return np.sum(p.first * x)


def beside_what_a_function_holds(fn, a):
    a *= 2.0
    return fn(a[0]) * a[1]


def scaled_by(w):
    return lambda t: t * w[0]


def with_a_captured_array(w):
    def beside_a_captured_array(a):
        a += 1.0
        return np.sum(a * w)

    return beside_a_captured_array


CAPTURED = np.ones(3)


def twice(value: Any) -> tuple[Any, Any]:
    return value, value


def function_and_its_array() -> tuple[Any, Any]:
    w = np.ones(3)
    return scaled_by(w), w


def slotted_and_its_array() -> tuple[Any, Any]:
    w = np.ones(3)
    return Slotted(w), w


def layer_and_its_array() -> tuple[Any, Any]:
    w = np.ones(3)
    return Layer(w), w


CASES: list[tuple[Callable[..., Any], tuple[Any, ...], Callable[[], tuple[Any, ...]]]] = [
    (beside_a_global, (np.ones(3),), lambda: (TABLE[::-1],)),
    (beside_a_global_list, ([1.0, 2.0],), lambda: (PRICES,)),
    (beside_an_attribute, (np.ones(3),), lambda: (SETTINGS.weights,)),
    (beside_what_a_global_holds, (np.ones(3),), lambda: (NESTED["rows"][0],)),
    (with_a_captured_array(CAPTURED), (np.ones(3),), lambda: (CAPTURED,)),
    (through_a_called_object, (Layer(np.ones(3)), np.ones(3)), layer_and_its_array),
    (one_dict, ({"k": 1.0}, {"k": 2.0}), lambda: twice({"k": 1.0})),
    (one_list, ([1.0, 2.0], [3.0, 4.0]), lambda: twice([1.0, 2.0])),
    (grown_list, ([1.0, 2.0], [3.0, 4.0]), lambda: twice([1.0, 2.0])),
    (lists_in_a_list, ([[1.0, 2.0], [3.0, 4.0]],), lambda: ([[1.0, 2.0]] * 2,)),
    (lists_in_an_object, (Pair([1.0], [2.0]),), lambda: (Pair(*twice([1.0])),)),
    (in_slots, (Slotted(np.ones(3)), np.ones(3)), slotted_and_its_array),
    (beside_what_slots_hold, (Slotted(np.ones(3)), np.ones(3)), slotted_and_its_array),
    (beside_what_a_function_holds, (scaled_by(np.ones(3)), np.ones(3)), function_and_its_array),
]


@pytest.mark.parametrize(("function", "first", "later"), CASES, ids=lambda case: getattr(case, "__name__", ""))
@pytest.mark.parametrize("order", ["later", "at once"])
def test_refused(function: Any, first: Any, later: Callable[[], Any], order: str) -> None:
    g = grad(function, cache=False, check=False)
    if order == "later":
        g(*first)
    with pytest.raises(ArgumentError, match=r"memory, and `.*` changes `.*` in place"):
        g(*later())
    g(*first)


@pytest.mark.parametrize("layout", [(0,), (4,)])
def test_items_of_one_array_that_share_a_place(layout: tuple[int, ...]) -> None:
    def changed_alone(a):
        a[0] = a[1] * 3.0
        return np.sum(a * a)

    g = grad(changed_alone, cache=False, check=False)
    for a in (np.ones(3), np.ones((3, 2))[:, 0], np.ones(3)[::-1]):
        assert np.array_equal(g(a)[1].a, [0.0, 20.0, 2.0])
    with pytest.raises(ArgumentError, match="parts of `a` share memory, and `changed_alone` changes `a` in place"):
        g(np.lib.stride_tricks.as_strided(np.ones(3), (3,), layout))


def test_forward_mode() -> None:
    f = jvp(one_list, wrt="xs", cache=False)
    f(([1.0, 0.0],), [1.0, 2.0], [3.0, 4.0])
    with pytest.raises(ArgumentError, match="the arguments `xs` and `ys` of `one_list` share memory"):
        f(([1.0, 0.0],), *twice([1.0, 2.0]))


def test_what_is_shared_and_not_changed_is_taken() -> None:
    def fallen(a, b, dt):
        a.height = a.height - a.world.gravity * dt**2
        b.height -= b.world.gravity * dt**2
        return a.height * b.height

    world = World(9.81)
    value, partials = grad(fallen)(Body(10.0, world), Body(20.0, world), 0.1)
    assert value == (10.0 - 9.81 * 0.1**2) * (20.0 - 9.81 * 0.1**2)
    assert (partials.a.height, partials.b.height) == (20.0 - 9.81 * 0.1**2, 10.0 - 9.81 * 0.1**2)


def test_what_is_only_read_may_be_shared() -> None:
    def product(xs, ys, table):
        total = table * 1.0
        total += TABLE
        return sum(x * y for x, y in zip(xs, ys, strict=True)) * np.sum(total)

    value, partials = grad(product)(*twice([1.0, 2.0]), TABLE)
    assert (value, partials.xs, partials.ys) == (30.0, [6.0, 12.0], [6.0, 12.0])


def test_a_module_of_its_own(tmp_path: Path) -> None:
    for function, first, later in CASES[6:11]:
        module = tmp_path / f"{function.__name__}_out.py"
        grad(function, cache=False).emit(module, *first)
        made = runpy.run_path(str(module))[f"{function.__name__}_grad"]
        made(*first)
        with pytest.raises(ValueError, match=r"shares? memory"):
            made(*later())
