"""`g.check` and `assert_gradients`: what is right passes, what is wrong is told with its line."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from adcompile import (
    GradientMismatchError,
    custom_rule,
    derivative,
    grad,
    hessian,
    jacobian,
    value_and_grad,
    value_grad_hessian,
    vjp,
)
from adcompile.inside.check import _Check
from adcompile.testing import assert_gradients


def smooth(x, y):
    return math.log(x) + x * y - math.sin(y)


def squares(x):
    return x * x * np.arange(1.0, 3.0)


def cube(t):
    return t**3


custom_rule(cube, "g * 2 * t**2")


def wrong(x, y):
    u = x * y
    w = cube(u)
    return w + x


@dataclass
class Parameters:
    w: np.ndarray
    b: float


def test_what_is_right_passes_in_every_form() -> None:
    report = grad(smooth).check(2.0, 5.0, second_order=True)
    assert report.is_right
    assert [row.what for row in report.rows][-4:] == ["x", "y", "forward mode", "second order"]
    assert "DIFFER" not in str(report)
    assert_gradients(derivative(smooth, wrt="x"), 2.0, 5.0, second=True)
    assert_gradients(value_and_grad(smooth), 2.0, 5.0)
    assert_gradients(vjp(squares), np.array([1.0, -2.0]), np.array([3.0, 4.0]), second=True)


def steps(x, k):
    r = np.zeros(len(x) - 1)
    for i in range(len(r)):
        r[i] = k * x[i + 1] ** 2 - x[i]
    return r


def quartic(x, w):
    return np.sum(w * x**4)


@pytest.mark.parametrize(
    ("g", "args"),
    [
        (jacobian(steps), (np.array([1.0, 2.0, 3.0]), 0.5)),
        (jacobian(steps, mode="reverse"), (np.array([1.0, 2.0, 3.0]), 0.5)),
        (jacobian(steps, wrt="x", sparse=True), (np.array([1.0, 2.0, 3.0]), 0.5)),
        (jacobian(lambda p: np.outer(p["a"], p["a"]) * p["b"]), ({"a": np.array([1.0, 2.0]), "b": 3.0},)),
        (hessian(quartic), (np.array([1.0, 2.0]), 0.5)),
        (hessian(quartic, wrt="x"), (np.array([1.0, 2.0]), 0.5)),
        (value_grad_hessian(quartic), (np.array([1.0, 2.0]), 0.5)),
        (derivative(derivative(lambda x: x**5)), (2.0,)),
        (jacobian(derivative(quartic, wrt="x"), wrt="w"), (np.array([1.0, 2.0]), 0.5)),
    ],
)
def test_jacobians_and_derivatives_of_derivatives(g, args, monkeypatch: pytest.MonkeyPatch) -> None:
    report = g.check(*args)
    assert report.is_right
    assert "forward mode" in str(report)
    assert all(np.isfinite(row.found) for row in report.rows)
    assert_gradients(g, *args)
    usual = _Check.partials_at
    monkeypatch.setattr(_Check, "partials_at", lambda work, given: [1.001 * p for p in usual(work, given)])
    with pytest.raises(GradientMismatchError, match="DIFFER"):
        g.check(*args)


def test_containers_single_precision_and_many_numbers() -> None:
    def f(p, x):
        return np.sum(np.tanh(p.w @ x + p.b))

    rng = np.random.default_rng(0)
    report = grad(f).check(Parameters(rng.normal(size=(6, 8)), 0.5), rng.normal(size=8))
    assert {"p.w", "p.b", "x"} <= {row.what for row in report.rows}
    assert_gradients(lambda x: np.sum(np.sin(x)), np.ones(3, np.float32))


def test_at_a_kink_any_slope_between_is_right() -> None:
    report = grad(lambda x: abs(x) + max(x, 0.0)).check(0.0)
    assert "between the slopes of a kink" in str(report)


def test_what_is_wrong_is_told_with_the_worst_partial_and_the_line() -> None:
    line = wrong.__code__.co_firstlineno + 2
    with pytest.raises(GradientMismatchError, match="DIFFER") as found:
        grad(wrong, check=False).check(1.5, 0.5)
    said = str(found.value)
    assert "The worst is y: 1.6875, found 2.53125." in said
    assert f"line {line} of wrong: `cube(u)`" in said
    with pytest.raises(AssertionError, match="The worst is y"):
        assert_gradients(grad(wrong, check=False), 1.5, 0.5)


def test_arguments_stay_and_what_python_raises_is_raised() -> None:
    def f(x):
        x[0] = x[0] * 2.0
        return np.sum(x**2)

    x = np.array([1.0, 2.0])
    assert_gradients(f, x)
    assert x.tolist() == [1.0, 2.0]
    with pytest.raises(ZeroDivisionError):
        grad(lambda t: 1.0 / t).check(0.0)
