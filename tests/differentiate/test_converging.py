"""Loops until nothing changes: against differences, the implicit function theorem by hand, and all steps one by one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, converging, derivative, fixed_point, grad, hessian, hvp, jvp, vjp

W = np.array([[0.3, 0.2], [-0.4, 0.1]])
P = np.array([0.5, 0.3, 1.2])


def cosine(a: Any) -> Any:
    x = 0.5
    for _ in converging(range(300)):
        last = x
        x = math.cos(a * x)
        if abs(x - last) < 1e-15:
            break
    return x


def layer(p: Any) -> Any:
    h, change = np.zeros(2), 1.0
    while converging(change > 1e-15):
        new = np.tanh(W @ h * p[2] + p[:2])
        change = np.max(np.abs(new - h))
        h = new
    return np.sum(h**2) * p[0]


def square_roots(p: Any) -> Any:
    x = np.ones(3)
    for _ in converging(range(60)):
        new = 0.5 * (x + p / x)
        if np.max(np.abs(new - x)) < 1e-15:
            x = new
            break
        x = new
    return np.sum(x**3)


def sweeps(p: Any) -> Any:
    x, count = np.zeros(3), 0
    for _ in converging(range(100)):
        for i in range(3):
            s = p[i]
            for j in range(3):
                if j != i:
                    s = s - 0.2 * np.sin(x[j])
            x[i] = s / 2.0
        count = count + 1
    return x @ x


def helper(a: Any, b: Any) -> Any:
    x = a
    for _ in converging(range(400)):
        x = 0.5 * x + b / (1.0 + x**2)
    return x


def called(p: Any) -> Any:
    return helper(1.0, p[0]) * helper(p[1], p[2] + 0.3)



@pytest.mark.parametrize("f", [layer, square_roots, sweeps, called], ids=lambda f: f.__name__)
def test_against_differences_in_both_modes(f: Any) -> None:
    v = np.array([0.3, -1.0, 0.7])
    want = np.array([(f(P + 1e-5 * e) - f(P - 1e-5 * e)) / 2e-5 for e in np.eye(3)])
    value, partials = grad(f)(P)
    assert value == f(P)
    np.testing.assert_allclose(partials[0], want, atol=1e-9)
    assert jvp(f)(v, P)[1] == pytest.approx(partials[0] @ v, rel=1e-12)
    seeded = vjp(f)(2.0, P)[1]
    np.testing.assert_allclose(seeded[0], 2 * partials[0], rtol=1e-12)


def test_by_hand() -> None:
    """Of `x = cos(a x)`: `dx/da = -x sin(a x) / (1 + a sin(a x))`."""
    value, partials = grad(cosine)(0.9)
    slope = math.sin(0.9 * value)
    assert partials.a == pytest.approx(-value * slope / (1 + 0.9 * slope), rel=1e-14)
    step = 1e-5
    own = derivative(cosine)
    second = (own(0.9 + step) - own(0.9 - step)) / (2 * step)
    assert derivative(own)(0.9) == pytest.approx(second, rel=1e-8)


def test_where_newton_converges_the_last_step_alone_says_all() -> None:
    np.testing.assert_allclose(derivative(square_roots)(P), 1.5 * np.sqrt(P), rtol=1e-13)


@pytest.mark.parametrize("f", [layer, called], ids=lambda f: f.__name__)
def test_hessians(f: Any) -> None:
    own = derivative(f)
    want = np.array([(own(P + 1e-5 * e) - own(P - 1e-5 * e)) / 2e-5 for e in np.eye(3)])
    np.testing.assert_allclose(hessian(f)(P), want, atol=1e-8)


def test_nothing_is_stored() -> None:
    assert "tape.append" not in derivative(layer).source_for(P)


def test_a_start_has_no_derivative() -> None:
    assert grad(helper)(1.0, 0.7)[1].a == 0.0


def slow(a: Any) -> Any:
    x = 0.0
    for _ in converging(range(3)):
        x = 0.9 * x + a
    return x


def test_a_loop_that_has_not_converged_raises() -> None:
    assert slow(1.0) == pytest.approx(2.71)
    with pytest.raises(ArithmeticError, match=r"another step changes its state by 0\.73"):
        grad(slow)(1.0)


def counts(a: Any) -> Any:
    x = 0.0
    for t in converging(range(50)):
        x = 0.5 * x + a / (t + 1.0)
    return x


def momentum(a: Any) -> Any:
    x, v = 0.0, 0.0
    for _ in converging(range(50)):
        v = 0.5 * v - 0.1 * (x - a)
        x = x + v
    return x


def two_read(a: Any) -> Any:
    x, y = 0.0, 0.0
    for _ in converging(range(50)):
        x = 0.5 * x + a
        y = x * x
    return x + y


def other_ways(a: Any) -> Any:
    x = 0.0
    for _ in converging(range(50)):
        if x > 5.0:
            continue
        x = 0.5 * x + a
    return x


def at_the_end_alone(a: Any) -> Any:
    x, y = 0.0, 0.0
    for _ in converging(range(50)):
        y = 0.5 * y + a
        if y > 1.0:
            x = y
            break
    return x


@pytest.mark.parametrize(
    ("f", "reason"),
    [
        (counts, "depends on the number of the iteration"),
        (momentum, "Beside `x` it carries `v`"),
        (two_read, "read after it is `x`, `y`"),
        (other_ways, "may end in several ways"),
        (at_the_end_alone, "sets `x` where it ends alone"),
    ],
)
def test_other_loops_are_refused(f: Any, reason: str) -> None:
    with pytest.raises(ADError, match=reason):
        grad(f)(0.3)


@pytest.mark.slow
@pytest.mark.parametrize("f", [cosine, layer, square_roots])
def test_under_numba(f: Any) -> None:
    at: Any = 1.0 if f is cosine else P
    value, found = grad(f, jit=True)(at)
    plain_value, plain = grad(f)(at)
    assert value == pytest.approx(plain_value, rel=1e-14)
    np.testing.assert_allclose(found[0], plain[0], rtol=1e-12)
    step = 1e-6
    moves = [step] if f is cosine else step * np.eye(3)
    differences = [(f(at + e) - f(at - e)) / (2 * step) for e in moves]
    np.testing.assert_allclose(np.ravel(found[0]), differences, rtol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("f", [layer, square_roots])
def test_second_order_of_arrays_under_numba(f: Any) -> None:
    found, step = hessian(f, jit=True)(P), 1e-5
    slopes = [(grad(f)(P + e)[1][0] - grad(f)(P - e)[1][0]) / (2 * step) for e in step * np.eye(3)]
    np.testing.assert_allclose(found, slopes, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(found, hessian(f)(P), rtol=1e-10, atol=1e-13)
    v = np.array([0.3, -1.0, 0.5])
    np.testing.assert_allclose(hvp(f, jit=True)(v, P)[1], found @ v, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(jvp(derivative(f), jit=True)(v, P)[1], found @ v, rtol=1e-10, atol=1e-13)


@pytest.mark.slow
def test_a_loop_that_is_cut_short_raises_under_numba() -> None:
    def early(p: Any) -> Any:
        h = np.zeros(2)
        for _ in converging(range(2)):
            h = np.tanh(W @ h + p[:2]) + 0.9 * h
        return np.sum(h**2)

    with pytest.raises(ArithmeticError, match="has not converged"):
        grad(early, jit=True)(P)


@pytest.mark.slow
@pytest.mark.parametrize("start", [0.5, np.zeros(2)], ids=["number", "array"])
def test_fixed_points_under_numba(start: Any) -> None:
    settled = fixed_point(lambda x, a: np.cos(a * x))

    def at_rest(a: Any) -> Any:
        return np.sum(settled(start, a) ** 2)

    a = 0.8 * np.ones_like(start)[()]
    for made in (derivative, hessian):
        np.testing.assert_allclose(made(at_rest, jit=True)(a), made(at_rest)(a), rtol=1e-12)
    along = np.dot(hessian(at_rest)(a), a)
    np.testing.assert_allclose(hvp(at_rest, jit=True)(a, a)[1], along, rtol=1e-12)


def test_second_derivatives_of_a_loop_with_one_number_under_numba() -> None:
    def at_rest(a: Any) -> Any:
        x = 0.5
        while converging(abs(math.cos(a * x) - x) > 1e-13):
            x = math.cos(a * x)
        return x * x

    slope = derivative(at_rest)
    second = hessian(at_rest, jit=True)(0.8)
    assert second == pytest.approx((slope(0.8 + 1e-5) - slope(0.8 - 1e-5)) / 2e-5, rel=1e-6)
    assert second == pytest.approx(hessian(at_rest)(0.8), rel=1e-12)
