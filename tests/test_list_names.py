"""Lists and dicts that a call or another name fills: their loops and tests are never decided from an older state."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from adcompile import grad


def fill(values: list[float], value: float) -> None:
    values.append(value)


def by_closure(x: float, y: float) -> float:
    acc: list[float] = []

    def put(v: float) -> None:
        acc.append(v)

    put(x * y)
    r = y
    for v in acc:
        r = r * v
    return r


def by_function(x: float, y: float) -> float:
    acc: list[float] = []
    fill(acc, x * y)
    r = y
    for v in acc:
        r = r * v
    return r


def by_name(x: float, y: float) -> float:
    acc: list[float] = []
    b = acc
    b.append(x * y)
    r = y
    if len(acc) > 0:
        r = r * x
    for v in acc:
        r = r * v
    return r


def by_name_and_function(x: float, y: float) -> float:
    acc: list[float] = []
    b = acc
    fill(b, x * y)
    r = y
    for v in acc:
        r = r * v
    return r


def of_dict(x: float, y: float) -> float:
    d: dict[str, float] = {}
    e = d
    e["k"] = x * y
    r = y
    if "k" in d:
        r = r * x
    return r * e["k"]


# By hand: x y^2, and x^2 y^2.
SIMPLE, SQUARED = (18.0, 9.0, 12.0), (36.0, 36.0, 24.0)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (by_closure, SIMPLE),
        (by_function, SIMPLE),
        (by_name, SQUARED),
        (by_name_and_function, SIMPLE),
        (of_dict, SQUARED),
    ],
)
def test_filled_elsewhere(function: Callable[[float, float], float], expected: tuple[float, ...]) -> None:
    value, partials = grad(function)(2.0, 3.0)
    h = 1e-6
    assert value == function(2.0, 3.0) == expected[0]
    assert (partials.x, partials.y) == pytest.approx(expected[1:])
    assert partials.x == pytest.approx((function(2 + h, 3.0) - function(2 - h, 3.0)) / (2 * h), rel=1e-6)
    assert partials.y == pytest.approx((function(2.0, 3 + h) - function(2.0, 3 - h)) / (2 * h), rel=1e-6)
