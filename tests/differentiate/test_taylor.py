"""Taylor series: closed forms, to high orders, and mixed partials."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, derivative, grad, hessian, jacobian, jvp, taylor, vjp

ORDER = 8
RADIUS = 0.3


def by_interpolation(fn: Any, x: float) -> Any:
    """Taylor coefficients as Cauchy's integral over a circle in the complex plane."""
    points = RADIUS * np.exp(2j * np.pi * np.arange(64) / 64)
    return (np.fft.fft(fn(x + points)) / 64 / RADIUS ** np.arange(64))[: ORDER + 1].real


@pytest.mark.parametrize(
    ("name", "x"),
    [
        *((name, 0.3) for name in ("exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan")),
        *((name, 0.3) for name in ("arcsinh", "arctanh", "log1p", "expm1", "exp2", "square")),
        *((name, 1.7) for name in ("log", "log2", "log10", "sqrt", "reciprocal", "arccosh")),
    ],
)
def test_elementary_functions(name: str, x: float) -> None:
    function = getattr(np, name)
    found = taylor(lambda z: function(z) * 1.0, order=ORDER)(1.0, x)
    np.testing.assert_allclose(found, by_interpolation(function, x), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("power", [2, 3.0, -2, 0.5, -1.5, 0])
def test_powers(power: float) -> None:
    found = taylor(lambda z: z**power, order=ORDER)(2.0, 1.5)
    chosen = [math.prod((power - j) / (j + 1) for j in range(k)) for k in range(ORDER + 1)]
    expected = [c * 1.5 ** (power - k) * 2.0**k for k, c in enumerate(chosen)]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def test_an_even_power_at_zero() -> None:
    np.testing.assert_array_equal(taylor(lambda z: z**4, order=5)(2.0, 0.0), [0, 0, 0, 0, 16.0, 0])


def in_loops(x: Any) -> Any:
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i] * math.sin(x[i - 1])
        if y[i] > 0.0:
            y[i] += y[i - 1] ** 2
    y[0], y[2] = y[2], y[0]
    return y @ y / (1.0 + np.sum(np.abs(x)))


def test_a_loop_agrees_with_derivatives_of_derivatives() -> None:
    x, v = np.array([0.3, -0.4, 0.8]), np.array([0.7, 1.2, -0.5])

    def along(t: float) -> Any:
        return in_loops(x + t * v)

    found = taylor(in_loops, order=4)(v, x)
    nested: Any = along
    for k in range(5):
        assert found[k] == pytest.approx(nested(0.0) / math.factorial(k), rel=1e-9), k
        nested = derivative(nested)
    assert found[1] == pytest.approx(jvp(in_loops)(v, x)[1], rel=1e-12)


def test_the_solution_of_a_linear_system() -> None:
    matrix = np.array([[2.0, 1.0], [0.5, 3.0]])

    def solved(s: float) -> Any:
        return np.linalg.solve(matrix + s * np.eye(2), np.array([1.0, s]))

    found = taylor(solved, order=3)(1.0, 0.0)
    inverse = np.linalg.inv(matrix)
    expected = [inverse @ [1.0, 0.0]]
    for k in range(1, 4):
        expected.append(inverse @ ((np.array([0.0, 1.0]) if k == 1 else 0.0) - expected[-1]))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_containers_in_and_out() -> None:
    def both(p: Any) -> Any:
        return {"sum": p["a"] + p["b"][0], "product": p["a"] * p["b"]}

    at = {"a": 2.0, "b": np.array([1.0, 3.0])}
    found = taylor(both, order=2)(({"a": 1.0, "b": np.array([0.0, 1.0])},), at)
    np.testing.assert_array_equal(found["sum"], [3.0, 1.0, 0.0])
    np.testing.assert_array_equal(found["product"], [[2.0, 6.0], [1.0, 5.0], [0.0, 1.0]])


def test_mixed_partials() -> None:
    def wave(x: float, y: float) -> Any:
        return x**3 * np.sin(x * y)

    third = derivative(derivative(derivative(wave, wrt="x"), wrt="x"), wrt="y")
    found = taylor(wave, order=3).mixed({"x": 2, "y": 1}, 0.7, 1.1)
    assert found == pytest.approx(third(0.7, 1.1), rel=1e-10)
    of_array = taylor(lambda v: v[0] ** 2 * v[1] ** 3, order=5).mixed({"v": [2, 3]}, np.array([2.0, 5.0]))
    assert of_array == pytest.approx(12.0)
    with pytest.raises(ADError, match="is no mixed partial of order 3"):
        taylor(wave, order=3).mixed({"x": 2}, 0.7, 1.1)


def _slope(g: Callable[[float], Any]) -> Callable[[float], Any]:
    return lambda t: jvp(g)(1.0, t)[1]


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.linalg.det(np.outer(x, np.sin(x)) + np.diag(x)),
        lambda x: np.sort(x)[::-1] * np.exp(x),
        lambda x: np.linalg.eigvalsh(np.outer(x, x) + np.diag(np.arange(3.0))),
        lambda x: np.trapezoid(np.exp(x), x=np.cumsum(x**2)),
        lambda x: x.reshape(3, 1) ** 2 @ np.ones((1, 2)) + np.prod(x),
    ],
)
def test_what_has_no_series_is_made_of_tangents(f: Callable[..., Any]) -> None:
    x, v = np.array([0.4, 0.9, 1.3]), np.array([0.7, 1.2, -0.5])
    found = taylor(f, order=3)(v, x)
    assert found.shape == (4, *np.shape(f(x)))
    nested: Any = lambda t: f(x + t * v)  # noqa: E731 - differentiated again and again
    for k in range(4):
        np.testing.assert_allclose(found[k], nested(0.0) / math.factorial(k), rtol=1e-9, atol=1e-12)
        nested = _slope(nested)


def cubic(x: Any) -> Any:
    return x[0] * x[1] ** 2 * x[2] - x[1] ** 3


def with_determinant(x: Any) -> Any:
    return np.linalg.det(np.outer(x, x) + np.diag(x)) * np.exp(x[0])


@pytest.mark.slow
@pytest.mark.parametrize(("f", "order"), [(cubic, 3), (with_determinant, 2), (lambda x: x**2 * np.sin(x[::-1]), 3)])
def test_derivatives_of_series(f: Callable[..., Any], order: int) -> None:
    x, v, step = np.array([0.4, 0.9, 1.3]), np.array([0.7, 1.2, -0.5]), 1e-5
    series = taylor(f, order=order)
    by_rows = jacobian(series, wrt="x")(v, x)
    for k, e in enumerate(np.eye(3) * step):
        slope = (series(v, x + e) - series(v, x - e)) / (2.0 * step)
        np.testing.assert_allclose(by_rows[..., k], slope, rtol=1e-7, atol=1e-7)
    by_mode = jvp(series, wrt="x")((v,), v, x)[1]
    np.testing.assert_allclose(by_rows @ v, by_mode, rtol=1e-12, atol=1e-12)
    # the coefficients along v of what is moved along v: those of f, shifted
    times = np.arange(1, order + 1).reshape(order, *(1,) * np.ndim(f(x)))
    np.testing.assert_allclose(by_mode[:-1], series(v, x)[1:] * times, rtol=1e-10, atol=1e-12)
    seed = np.sin(np.arange(by_mode.size)).reshape(by_mode.shape)
    np.testing.assert_allclose(vjp(series, wrt="x")(seed, v, x)[1].x @ v, np.sum(seed * by_mode), rtol=1e-12)


def of_value(value: Any) -> Any:
    return value**3 * np.sin(value)


def of_before(before: Any) -> Any:
    return np.sort(before)[0] ** 3 * before[1]


def of_slope(slope_1: Any) -> Any:
    return np.sort(slope_1)[0] ** 3 * slope_1[1]


def of_tangent(tangent_1: Any) -> Any:
    return np.sort(tangent_1)[0] ** 3 * tangent_1[1]


@pytest.mark.slow
@pytest.mark.parametrize("f", [of_value, of_before, of_slope, of_tangent])
def test_parameters_may_have_any_name(f: Callable[..., Any]) -> None:
    def by_x(x: Any) -> Any:
        return f(x)

    x, v = (1.3, 0.7) if f is of_value else (np.array([0.4, 0.9]), np.array([0.7, 1.2]))
    (name,) = f.__code__.co_varnames[:1]
    np.testing.assert_allclose(taylor(f, order=3)(v, x), taylor(by_x, order=3)(v, x), rtol=1e-12)
    found = jvp(taylor(f, order=3), wrt=name, check=False)((v,), v, x)[1]
    shifted = taylor(by_x, order=4)(v, x)[1:] * [1, 2, 3, 4]
    np.testing.assert_allclose(found, shifted, rtol=1e-10)


def test_series_within_a_function() -> None:
    def bent(x: Any) -> Any:
        found = taylor(cubic, order=2)(np.ones(3), x)
        return found[1] * found[2]

    def by_hand(x: Any) -> Any:
        slope = derivative(cubic)(x) @ np.ones(3)
        return slope * np.sum(hessian(cubic)(x)) / 2.0

    x = np.array([0.4, 0.9, 1.3])
    value, (partial,) = grad(bent)(x)
    assert value == pytest.approx(by_hand(x), rel=1e-13)
    slopes = [(by_hand(x + e) - by_hand(x - e)) / 2e-5 for e in np.eye(3) * 1e-5]
    np.testing.assert_allclose(partial, slopes, rtol=1e-7)


@pytest.mark.slow
def test_mixed_partials_without_series() -> None:
    found = taylor(lambda x, y: np.prod(x) * np.sort(y)[0], order=3).mixed({"x": [1, 1], "y": [0, 1]}, *np.eye(2))
    assert found == pytest.approx(0.0, abs=1e-12)
    found = taylor(lambda x, y: np.prod(x) * np.sort(y)[0], order=3).mixed({"x": [1, 1], "y": [1, 0]}, *np.eye(2))
    assert found == pytest.approx(1.0, rel=1e-12)


def test_what_has_neither_is_refused() -> None:
    with pytest.raises(ADError, match="cannot make a Taylor series of `det`") as caught:
        taylor(lambda a: {"det": np.linalg.det(a)}, order=2)(np.eye(2), np.eye(2))
    assert "np.linalg.det(a)" in str(caught.value)


def test_coefficients_of_one_series_are_of_one_run_or_refused() -> None:
    def noisy(x: Any, y: Any, rng: Any) -> Any:
        return x * y * rng.normal() + x**2

    def noisy_in_a_try(x: Any, rng: Any) -> Any:
        try:
            return x**2 * rng.normal()
        except ValueError:
            return x

    series = taylor(noisy, order=2, wrt="x y")
    draw = np.random.default_rng(3).normal()
    assert np.allclose(series((1.0, 1.0), 1.0, 2.0, np.random.default_rng(3)), [1 + 2 * draw, 2 + 3 * draw, 1 + draw])
    with pytest.raises(ADError, match="cannot put together what several runs of this give"):
        series.mixed({"x": 1, "y": 1}, 1.0, 2.0, np.random.default_rng(3))
    with pytest.raises(ADError):  # there are no series of what may raise, and tangents of tangents are several runs
        taylor(noisy_in_a_try, order=2, wrt="x")(1.0, 1.0, np.random.default_rng(3))


V = np.array([1.3, -0.7, 2.1, 0.4])


def one_and_the_same(x: Any, y: Any) -> Any:
    z = x
    return np.sum(z * y) if z is x else np.sum(y)


def base_of_a_view(x: Any) -> Any:
    part = x[1:]
    return np.sum(part**2) if part.base is x else np.sum(x)


def changed_under_another_name(x: Any) -> Any:
    z = np.ascontiguousarray(x)
    z[0] = 5.0
    return np.sum(x**2)


def rows_that_are_one(x: Any) -> Any:
    rows = [np.zeros(2)] * 2
    rows[0][0] = x
    return rows[1][0] * x


def lists_that_are_one(x: Any) -> Any:
    rows = [[0.0]] * 2
    rows[0][0] = x
    return rows[1][0] * x


def count_times_a_list(x: Any) -> Any:
    total = 0.0
    for row in 3 * [x * x]:
        total = total + row
    return total


def first_of_the_largest(x: Any) -> Any:
    return max(x)


@pytest.mark.parametrize(
    ("fn", "args", "coefficients"),
    [
        (one_and_the_same, (V, np.ones(4)), (3.1, 7.1, 4.0)),
        (base_of_a_view, (V,), (5.06, 3.6, 3.0)),
        (changed_under_another_name, (V,), (30.06, 3.6, 3.0)),
        (rows_that_are_one, (1.1,), (1.21, 2.2, 1.0)),
        (lists_that_are_one, (1.1,), (1.21, 2.2, 1.0)),
        (count_times_a_list, (1.1,), (3.63, 6.6, 3.0)),
        (first_of_the_largest, (np.array([2.0, 2.0, 1.0, 2.0]),), (2.0, 1.0, 0.0)),
        (first_of_the_largest, (np.array([1.0, np.nan, 3.0, 2.0]),), (3.0, 1.0, 0.0)),
    ],
)
def test_what_is_one_with_another(fn: Callable[..., Any], args: Any, coefficients: Any) -> None:
    tangent = tuple(np.ones_like(a) for a in args) if len(args) > 1 else np.ones_like(args[0])
    np.testing.assert_allclose(taylor(fn, order=2, check=False)(tangent, *args), coefficients, rtol=1e-12)
