"""Whole numbers that count up are counted down again by the backward sweep, instead of kept for each iteration."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import grad

XS = np.linspace(0.3, 1.4, 8)


def by_twos(xs: Any, a: float) -> Any:
    t = 1.0
    i = 0
    k = 10
    while i < len(xs):
        t = t * math.sin(a * xs[i]) + xs[i + 1]
        i += 2
        t = t * xs[i - 1] * k
        k -= 1
    return t


def beside_a_for(xs: Any, a: float) -> Any:
    t = 1.0
    k = 3
    for x in xs:
        t = t * x * k
        k = k + 1
        t = t * a + k
    return t * k


def twice_the_same(xs: Any, a: float) -> Any:
    t = a
    i = 0
    while i < 4:
        t = t * xs[i]
        i += 1
    i = 1
    while i < 5:
        t = t * xs[i] + t
        i += 2
    return t


UNDONE = [by_twos, beside_a_for, twice_the_same]


def under_a_condition(xs: Any, a: float) -> Any:
    t = 1.0
    i = 0
    for x in xs:
        t = t * x * (i + 1)
        if x > a:
            i += 1
    return t


def left_early(xs: Any, a: float) -> Any:
    t = a
    i = 0
    while i < len(xs):
        t = t * xs[i]
        if t > 100.0 or i == 5:
            break
        i += 1
    return t * i


def twice_in_a_step(xs: Any, a: float) -> Any:
    t = a
    i = 0
    while i < len(xs):
        t = t * xs[i]
        i += 1
        t = t * xs[i]
        i += 1
    return t


def by_what_varies(xs: Any, a: float) -> Any:
    t = a
    i = 0
    while i < len(xs):
        t = t * xs[i]
        i += 1 + (i > 2)
    return t


def by_floats(xs: Any, a: float) -> Any:
    t = a
    s = 0.1
    for x in xs:
        t = t * x * s
        s += 0.1
    return t


def set_anew_inside(xs: Any, a: float) -> Any:
    t = a
    i = 0
    for x in xs:
        i = 0
        while i < 3:
            t = t * x * (1.0 + i) / 5.0
            i += 1
    return t


KEPT = [under_a_condition, left_early, twice_in_a_step, by_what_varies, by_floats, set_anew_inside]


NUMBERS = [(f, jit) for f in (*UNDONE, *KEPT) for jit in (False, True)]
NUMBERS.remove((by_what_varies, True))  # refused: it grows by more than a literal


@pytest.mark.parametrize(("f", "jit"), NUMBERS, ids=lambda case: getattr(case, "__name__", str(case)))
def test_numbers(f: Callable[..., float], jit: bool) -> None:
    value, (by_xs, by_a) = grad(f, jit=jit)(XS, 0.7)
    np.testing.assert_allclose(value, f(XS, 0.7), rtol=1e-13)
    h = 1e-6
    for k, e in enumerate(np.eye(len(XS)) * h):
        assert by_xs[k] == pytest.approx((f(XS + e, 0.7) - f(XS - e, 0.7)) / (2 * h), rel=1e-6, abs=1e-7)
    assert by_a == pytest.approx((f(XS, 0.7 + h) - f(XS, 0.7 - h)) / (2 * h), rel=1e-6, abs=1e-7)


def test_texts() -> None:
    text = grad(by_twos).source_for(XS, 0.7)
    assert "    i_tape" not in text
    assert "        k += 1\n        i -= 2\n" in text
    assert "step_tape.append((t, i))" in grad(left_early).source_for(XS, 0.7)
    assert "step_tape.append((t, s))" in grad(by_floats).source_for(XS, 0.7)


def test_the_value_is_that_of_the_function_although_it_is_counted_down() -> None:
    def count(a: float, n: int) -> Any:
        t = a
        k = 0
        while k < n:
            t = t * a * (k + 1)
            k += 1
        return t * k

    value, partials = grad(count, wrt="a")(1.1, 3)
    assert value == count(1.1, 3)
    assert partials.a == pytest.approx(4 * 1.1**3 * 6 * 3)
