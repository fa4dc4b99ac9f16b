"""Transformations that are called within a function that is differentiated, against differences of the function."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import (
    ADError,
    derivative,
    fixed_point,
    grad,
    hessian,
    hvp,
    implicit,
    jacobian,
    jvp,
    taylor,
    value_and_grad,
    vjp,
)

W = np.array([[0.3, 0.2], [-0.1, 0.4]])
X = np.array([0.5, -1.0])


def waves(x: Any) -> Any:
    return np.sum(np.sin(x) * x**2)


def slope_along(x: Any) -> Any:
    return jvp(waves)(np.ones(2), x)[1]


def steepness(x: Any) -> Any:
    return np.sum(derivative(waves)(x) ** 2) + vjp(waves)(2.0, x)[1].x @ x


def bent(x: Any) -> Any:
    return np.trace(hessian(lambda z: np.sum(z**4) * x[0])(x)) + np.sum(hvp(waves)(x, x)[1])


def penalty(x: Any) -> Any:
    """A local function that reads another one and a variable around."""

    def squashed(z: Any) -> Any:
        return np.tanh(z)

    def net(w: Any) -> Any:
        return np.sum(squashed(w @ X * x))

    slope = derivative(net)
    return np.sum(slope(W) ** 2) + net(W)


def over_samples(x: Any) -> Any:
    total = 0.0
    for row in W:
        value, slope = value_and_grad(lambda z, s=2.0: s * np.sum(np.tanh(z * x) ** 2), wrt="z")(row)
        total += value + np.linalg.norm(slope)
    return total


def newton(x: Any) -> Any:
    def left(u: Any) -> Any:
        return np.array([u[0] ** 2 + u[1] - 2.0 - x[0], u[0] - u[1] ** 3 * x[1] ** 2])

    u = np.array([1.0, 1.0])
    for _ in range(9):
        u = u - np.linalg.solve(jacobian(left)(u), left(u))
    return u[0] * u[1]


def one_step_of_training(x: Any) -> Any:
    loss = lambda w: np.sum((np.tanh(w * x) - X) ** 2)  # noqa: E731 - as users write it
    return loss(x - 0.1 * derivative(loss)(x))


def decorated(x: Any) -> Any:
    @derivative
    def slope(z: Any) -> Any:
        return z**3 * x[1]

    return slope(x[0])


def _steepness_of(f: Callable[..., Any], x: Any) -> Any:
    return np.sum(derivative(f)(x) ** 2)


def handed_on(x: Any) -> Any:
    return _steepness_of(lambda z: np.sum(np.sin(z)), x)


def record(x: Any) -> Any:
    value, partials = grad(lambda a, b: a * b**2 * x[0])(x[0], x[1])
    return partials.a + partials["b"] * value + taylor(lambda z: np.exp(z) * x[1], order=3)(1.0, x[0])[3]


def equilibrium(x: Any) -> Any:
    step = lambda h: np.tanh(W @ h + x)  # noqa: E731 - as users write it
    return np.sum(fixed_point(step)(np.zeros(2)) ** 2) + np.sum(fixed_point(step, matrix_free=True)(np.zeros(2)))


def marked(x: Any) -> Any:
    @fixed_point(matrix_free=True, tol=1e-14)
    def settled(h: Any) -> Any:
        return np.tanh(W @ h + x)

    return np.sum(settled(np.zeros(2)) ** 2) * x[1]


def found_elsewhere(x: Any) -> Any:
    scale = 1.0 + x[0] ** 2

    def find(b: Any) -> Any:
        from scipy.optimize import fsolve  # noqa: PLC0415 - as users write it

        return fsolve(lambda t: t + 0.1 * scale * np.sin(t) - b, b, xtol=1e-12)

    def left(t: Any, b: Any) -> Any:
        return t + 0.1 * scale * np.sin(t) - b

    return np.sum(implicit(find, solution_of=left, like="b", matrix_free=True)(x) ** 2)


def cube_root(x: Any) -> Any:
    def find() -> Any:
        t = 1.0
        for _ in range(60):
            t = t - (t**3 - 2.0 - x[0]) / (3 * t * t)
        return t

    return implicit(find, solution_of=lambda t: t**3 - 2.0 - x[0])() ** 2 * x[1]


FUNCTIONS = [
    *(slope_along, steepness, bent, penalty, over_samples, newton, one_step_of_training, decorated, handed_on, record),
    *(equilibrium, cube_root, marked, found_elsewhere),
]


def _differences(f: Callable[[Any], Any]) -> Any:
    steps = 1e-5 * np.eye(2)
    return np.array([(f(X + e) - f(X - e)) / 2e-5 for e in steps])


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_first_and_second_order(f: Callable[..., Any]) -> None:
    value, partials = grad(f)(X)
    assert value == pytest.approx(f(X), rel=1e-14)
    np.testing.assert_allclose(partials.x, _differences(f), rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(hessian(f)(X), _differences(derivative(f)), rtol=1e-6, atol=1e-7)


def test_a_loss_with_numbers() -> None:
    def root(a: float) -> float:
        f = lambda t: t**3 - a * t - 1  # noqa: E731 - as users write it
        slope, t = derivative(f), 1.5
        for _ in range(8):
            t = t - f(t) / slope(t)
        return t

    t = root(0.7)
    first = t / (3 * t * t - 0.7)
    assert derivative(root)(0.7) == pytest.approx(first, rel=1e-12)
    second = derivative(derivative(root))(0.7)
    assert second == pytest.approx((derivative(root)(0.7001) - derivative(root)(0.6999)) / 2e-4, rel=1e-6)
    assert math.isfinite(second)


def test_what_it_makes_is_known_when_compiling() -> None:
    def chosen(x: float, n: int) -> Any:
        functions = [lambda z: z * z, lambda z: z**3]
        return derivative(functions[n])(x)

    with pytest.raises(ADError, match="cannot tell what this call of `derivative` makes"):
        derivative(chosen, wrt="x")(2.0, 1)
