"""Functions that equations define: values to the bit, derivatives in both modes and to second order."""

from __future__ import annotations

import functools
import math
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.optimize
from scipy.optimize import brentq, fsolve, newton

from adcompile import ADError, derivative, fixed_point, grad, hessian, implicit, jvp, value_and_grad, vjp

TARGET = np.array([0.5, 0.3, 1.2])
MIXING = np.array([[0.3, 0.2], [-0.4, 0.1]])


def cubic(x: Any, a: Any) -> Any:
    return x**3 + a * x - 2.0


def system(x: Any, a: Any, b: Any) -> Any:
    return np.array([x[0] ** 2 + a * x[1] - 2.0, x[1] ** 3 + b[0] * x[0] - b[1]])


def cost(x: Any, a: Any) -> Any:
    return np.sum((x - a) ** 2) + 0.1 * np.sum(x**4)


cost_by_x = derivative(cost, wrt="x")


def find_root(a: Any) -> Any:
    return brentq(cubic, 0.0, 5.0, args=(a,), xtol=1e-15)


def find_solution(a: Any, b: Any) -> Any:
    return scipy.optimize.root(system, np.ones(2), args=(a, b), tol=1e-14).x


def find_minimum(a: Any) -> Any:
    x = scipy.optimize.minimize(cost, np.zeros(len(a)), args=(a,), jac=cost_by_x).x
    for _ in range(3):  # to more digits
        x = x - cost_by_x(x, a) / (2.0 + 1.2 * x**2)
    return x


root = implicit(find_root, solution_of=cubic)
solved = implicit(find_solution, solution_of=system, like=np.zeros(1))
lowest = implicit(find_minimum, solution_of=cost_by_x, like="a")
settled = fixed_point(lambda x, m, b: np.tanh(m @ x + b))
settled_by_products = fixed_point(lambda x, m, b: np.tanh(m @ x + b), matrix_free=True)
solved_by_products = implicit(find_solution, solution_of=system, like=np.zeros(1), matrix_free=True)


def of_a_root(p: Any) -> Any:
    return math.sin(root(p[0])) * root(a=p[1]) + p[2]


def of_a_system(p: Any) -> Any:
    x = solved(p[0], p[1:])
    return x @ x * p[0]


def of_a_minimum(p: Any) -> Any:
    return lowest(p[:2]) @ np.array([1.0, 2.0]) * p[2]


def of_a_whole_minimum(p: Any) -> Any:
    return lowest(p) @ p


def of_a_fixed_point(p: Any) -> Any:
    return np.sum(settled(np.zeros(2), MIXING * p[2], p[:2]) ** 2)


def of_a_fixed_point_by_products(p: Any) -> Any:
    return np.sum(settled_by_products(np.zeros(2), MIXING * p[2], p[:2]) ** 2)


def of_a_system_by_products(p: Any) -> Any:
    x = solved_by_products(p[0], p[1:])
    return x @ x * p[0]


def by_argument(p: Any) -> Any:
    return sum(brentq(cubic, 0.0, 5.0, args=(p[k],)) ** 2 for k in range(3))


def by_captured_parameter(p: Any) -> Any:
    return scipy.optimize.bisect(lambda x: x**3 + p[0] * x - p[1] - 1.0, 0.0, 5.0, xtol=1e-14) * p[2]


def by_newton(p: Any) -> Any:
    def left(x: Any) -> Any:
        return np.exp(-p * x) - x

    return np.sum(newton(left, np.full(3, 0.5), tol=1e-14) ** 2) + newton(cubic, 0.5, args=(p[2],), tol=1e-14)


def by_fsolve(p: Any) -> Any:
    def equations(x: Any) -> Any:
        return [x[0] ** 2 + p[0] * x[1] - 2.0, x[1] ** 3 + p[1] * x[0] - p[2]]

    x = fsolve(equations, np.ones(2), xtol=1e-13)
    return x[0] * x[1] + p[2]


def by_root(p: Any) -> Any:
    found = scipy.optimize.root(system, np.ones(2), args=(p[0], p[1:]), tol=1e-14)
    return found.x @ found.x


def differences(fn: Any, x: Any, step: float = 1e-4) -> Any:
    """Of fourth order."""
    made = []
    for k in range(x.size):
        offset = np.zeros(x.size)
        offset[k] = step
        near, far = (np.subtract(fn(x + h * offset), fn(x - h * offset)) for h in (1, 2))
        made.append((8 * near - far) / (12 * step))
    return np.array(made)


@pytest.mark.parametrize(
    "fn",
    [
        *(of_a_root, of_a_system, of_a_minimum, of_a_whole_minimum, of_a_fixed_point, by_argument),
        *(of_a_fixed_point_by_products, of_a_system_by_products, by_captured_parameter, by_newton, by_fsolve, by_root),
    ],
    ids=lambda fn: fn.__name__,
)
def test_derivatives_are_those_of_the_equation(fn: Any) -> None:
    v = np.array([0.7, -0.3, 1.0])
    value_and_gradient = value_and_grad(fn)
    value, gradient = value_and_gradient(TARGET)
    # from CPython 3.12 on `sum` compensates for rounding, and a loop that becomes no `sum` again does not
    assert value == (fn(TARGET) if sys.version_info < (3, 12) else pytest.approx(fn(TARGET), rel=1e-15))
    np.testing.assert_allclose(gradient, differences(fn, TARGET), rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(jvp(fn)(v, TARGET)[1], gradient @ v, rtol=1e-11)
    second = hessian(fn)(TARGET)
    np.testing.assert_allclose(second, differences(lambda p: value_and_gradient(p)[1], TARGET), rtol=1e-6, atol=1e-6)
    product = vjp(derivative(fn))(v, TARGET)[1][0]
    np.testing.assert_allclose(product, second @ v, rtol=1e-9, atol=1e-11)


def test_the_third_order_on_demand() -> None:
    cube_root = implicit(lambda a: a ** (1 / 3), solution_of=lambda x, a: x**3 - a, order=3)

    def f(a: float) -> Any:
        return cube_root(a)

    third = derivative(derivative(derivative(f)))
    assert third(2.0) == pytest.approx(10 / 27 * 2.0 ** (-8 / 3), rel=1e-12)


def test_a_sensitivity_in_closed_form() -> None:
    kepler = implicit(lambda e, m: brentq(lambda x: x - e * math.sin(x) - m, 0.0, 7.0), solution_of=anomaly)

    def f(e: float, m: float) -> Any:
        return kepler(e, m)

    value, partials = grad(f)(0.3, 1.0)
    assert partials.m == pytest.approx(1 / (1 - 0.3 * math.cos(value)), rel=1e-12)
    assert partials.e == pytest.approx(math.sin(value) / (1 - 0.3 * math.cos(value)), rel=1e-12)


def anomaly(x: Any, e: Any, m: Any) -> Any:
    return x - e * math.sin(x) - m


def valley(x: Any, s: Any, target: Any) -> Any:
    return np.sum((x - target) ** 4) + s * np.sum(x**2)


valley_slope = derivative(valley, wrt="x")
valley_both = value_and_grad(valley, wrt="x")


def least_by_slope(s: Any, t: Any) -> Any:
    return scipy.optimize.minimize(valley, np.zeros(2), args=(s, t), method="BFGS", jac=valley_slope, tol=1e-13).x


def least_of_both(s: Any, t: Any) -> Any:
    return scipy.optimize.minimize(valley_both, np.zeros(2), (s, t), None, True, tol=1e-13).x


def least_alone(s: Any, t: Any) -> Any:
    return scipy.optimize.minimize(valley, np.array([0.7, -1.4]), args=(s, t), tol=1e-12).x


def least_from_around(s: Any, t: Any) -> Any:
    found = scipy.optimize.minimize(
        lambda x: valley(x, s, t), np.zeros(2), jac=lambda x: valley_slope(x, s, t), tol=1e-13
    )
    return found.x


@pytest.mark.parametrize("least", [least_by_slope, least_of_both, least_alone, least_from_around])
def test_a_minimum_in_closed_form(least: Any) -> None:
    def measured(s: Any, t: Any) -> Any:
        return np.sum(least(s, t) ** 2)

    target = np.array([1.0, -2.0])
    value, partials = grad(measured)(0.1, target)
    x = least(0.1, target)
    assert value == np.sum(x**2)
    bend = 12.0 * (x - target) ** 2 + 0.2
    x_s, x_t = -2.0 * x / bend, 12.0 * (x - target) ** 2 / bend
    tolerance = 1e-5 if least is least_alone else 1e-9  # the solver differences its function
    np.testing.assert_allclose(partials.s, np.sum(2.0 * x * x_s), rtol=tolerance)
    np.testing.assert_allclose(partials.t, 2.0 * x * x_t, rtol=tolerance)
    np.testing.assert_allclose(jvp(measured, wrt="s")(1.0, 0.1, target)[1], partials.s, rtol=1e-12)
    bend_s = 24.0 * (x - target) * x_s + 2.0
    x_ss = -(2.0 * x_s * bend - 2.0 * x * bend_s) / bend**2
    second = derivative(derivative(measured, wrt="s"), wrt="s")(0.1, target)
    np.testing.assert_allclose(second, np.sum(2.0 * x_s**2 + 2.0 * x * x_ss), rtol=max(1e-6, 10 * tolerance))


def test_the_value_at_a_minimum() -> None:
    def lowest(s: Any, t: Any) -> Any:
        return scipy.optimize.minimize(valley, np.zeros(2), args=(s, t), jac=valley_slope, tol=1e-13).fun

    target = np.array([1.0, -2.0])
    x = least_by_slope(0.1, target)
    np.testing.assert_allclose(grad(lowest)(0.1, target)[1].s, np.sum(x**2), rtol=1e-8)  # the envelope theorem


def test_a_minimum_without_an_equation_is_refused() -> None:
    def bounded(s: Any) -> Any:
        return scipy.optimize.minimize(valley, np.zeros(2), args=(s, 1.0), bounds=[(0, s), (0, 1)]).x[0]

    with pytest.raises(ADError, match="bounds that vary"):
        grad(bounded)(0.1)


def test_a_minimum_on_a_line_is_that_along_it() -> None:
    target = np.array([1.0, -2.0])

    def on_a_line(s: Any) -> Any:
        line = {"type": "eq", "fun": lambda x: x[0] + x[1]}
        return scipy.optimize.minimize(valley, np.zeros(2), args=(s, target), constraints=line, tol=1e-12).x[0]

    def along_it(s: Any) -> Any:
        def height(z: Any) -> Any:
            return valley(np.array([z[0], -z[0]]), s, target)

        return scipy.optimize.minimize(height, np.zeros(1), tol=1e-12).x[0]

    (value, partials), (expected, slopes) = grad(on_a_line)(0.1), grad(along_it)(0.1)
    np.testing.assert_allclose(value, expected, rtol=1e-5)
    np.testing.assert_allclose(partials.s, slopes.s, rtol=1e-5)
    step = (on_a_line(0.11) - on_a_line(0.09)) / 0.02
    np.testing.assert_allclose(partials.s, step, rtol=1e-2)


@pytest.mark.parametrize("gtol", [1e-10, 1e-3])
def test_a_bound_holds_a_number_however_far_from_it_a_solver_stops(gtol: float) -> None:
    t = np.linspace(0.0, 1.0, 8)

    def level(y: Any) -> Any:
        options = {"xtol": gtol, "ftol": gtol, "gtol": gtol, "bounds": ([0.0, 0.0], [2.0, 0.8])}
        return scipy.optimize.least_squares(lambda p: p[0] + p[1] * t - y, [0.5, 0.5], **options).x[0]

    y = 0.4 + 1.3 * t  # steeper than the bound allows: what is left is the mean of y - 0.8 t
    np.testing.assert_allclose(grad(level)(y)[1].y, 1.0 / 8, rtol=1e-9)
    np.testing.assert_allclose(jvp(level)(t, y)[1], np.mean(t), rtol=1e-9)


def test_a_minimum_of_a_local_function_is_that_of_one_whose_slope_is_at_hand() -> None:
    """The slope is then taken by differences; here it is 2 (x - s) + 0.4 x^3."""
    def local(s: Any) -> Any:
        return np.sum(scipy.optimize.minimize(lambda x: np.sum((x - s) ** 2 + 0.1 * x**4), np.zeros(2)).x)

    def number(s: Any) -> Any:
        return scipy.optimize.minimize_scalar(lambda x: (x - s) ** 2 + 0.1 * x**4).x

    s = np.array([0.4, 1.3])
    x = np.array([number(one) for one in s])
    np.testing.assert_allclose(grad(local)(s)[1].s, 2 / (2 + 1.2 * x**2), rtol=1e-5)
    np.testing.assert_allclose(grad(number)(1.3)[1].s, 2 / (2 + 1.2 * x[1] ** 2), rtol=1e-7)


def test_what_does_not_fit_is_said() -> None:
    with pytest.raises(ADError, match="which is not what `find_solution` takes"):
        implicit(find_solution, solution_of=lambda x, c: x - c)
    with pytest.raises(TypeError, match="the solution has 1 axes, and 0 were expected"):
        grad(lambda p: halves(p) * p[0])(TARGET)
    with pytest.raises(ArithmeticError, match="has not converged after 3 steps"):
        fixed_point(lambda x, a: 2.0 * x + a, most=3)(1.0, 1.0)
    with pytest.raises(ADError, match=r"cannot read `nfev` of what `scipy\.optimize\.root` returns"):
        grad(lambda p: scipy.optimize.root(system, np.ones(2), args=(p[0], p[1:])).nfev * p[0])(TARGET)


halves = implicit(lambda a: a / 2, solution_of=lambda x, a: 2 * x - a[0])


def rod(u: Any, k: Any) -> Any:
    """The equations of a rod of many points: a residual whose Jacobian nobody would write down."""
    padded = np.concatenate((np.zeros(1), u, np.zeros(1)))
    return 0.3 * k * (2 * padded[1:-1] - padded[2:] - padded[:-2]) + u**3 + u - 1.0


def find_rod(k: Any) -> Any:
    u = np.zeros(500)
    for _ in range(100):
        u = u - rod(u, k) / (1 + 3 * u**2 + 1.2 * k)
    return u


def test_many_unknowns_by_products() -> None:
    by_products = implicit(find_rod, solution_of=rod, like=np.zeros(1), matrix_free=True)
    dense = implicit(find_rod, solution_of=rod, like=np.zeros(1))

    def energy(k: Any) -> Any:
        return np.sum(by_products(k) ** 2)

    def the_same(k: Any) -> Any:
        return np.sum(dense(k) ** 2)

    assert "jac" not in grad(energy).source_for(0.7)
    assert derivative(energy)(0.7) == pytest.approx(derivative(the_same)(0.7), rel=1e-12)
    assert jvp(energy)(1.0, 0.7)[1] == pytest.approx(derivative(the_same)(0.7), rel=1e-12)
    second = derivative(derivative(the_same))(0.7)
    assert derivative(derivative(energy))(0.7) == pytest.approx(second, rel=1e-10)
    step = 1e-4
    slope = derivative(energy)
    assert second == pytest.approx((slope(0.7 + step) - slope(0.7 - step)) / (2 * step), rel=1e-6)


def test_a_singular_slope_is_no_number() -> None:
    twice = implicit(lambda a: np.array([a, a]), solution_of=lambda x, a: np.array([x[0] + x[1] - 2 * a, 0.0 * x[0]]),
                     like=np.zeros(1), matrix_free=True)
    with pytest.raises(ArithmeticError, match="may be singular"):
        grad(lambda a: twice(a[0])[0])(np.ones(1))


@pytest.mark.parametrize("matrix_free", [False, True])
def test_a_coarse_solution_is_off_by_as_much_as_it_leaves(matrix_free: bool) -> None:
    """Of `x**3 = a`, what is left by `x` is a constant: its derivative is `1 / (3 x**2)` at the `x` that was found."""
    for coarse in (0.0, 1e-6, 1e-3, 1e-1):
        found = implicit(lambda a, coarse=coarse: np.array([np.cbrt(a) + coarse]),
                         solution_of=lambda x, a: x**3 - a, like=np.zeros(1), matrix_free=matrix_free)
        value, partials = grad(lambda a, found=found: found(a)[0], wrt="a")(8.0)
        assert value == 2.0 + coarse
        assert partials.a == pytest.approx(1 / (3 * (2.0 + coarse) ** 2), rel=1e-14)
        assert abs(partials.a - 1 / 12) <= 0.1 * coarse + 1e-16


def test_a_solver_is_not_written_out_as_its_step(tmp_path: Path) -> None:
    """What a module that stands alone would have in its place is one step alone, and the number a wrong one."""
    def step(h: float, a: float) -> float:
        return math.cos(a * h)

    class Repeated:
        def __init__(self) -> None:
            functools.update_wrapper(self, step)

        def __call__(self, h: float, a: float) -> float:
            for _ in range(100):
                h = step(h, a)
            return h

    settled = implicit(Repeated(), solution_of=lambda x, h, a: x - math.cos(a * x))

    def twice(a: float) -> Any:
        return 2.0 * settled(0.5, a)

    assert grad(twice)(0.8)[0] == twice(0.8)

    with pytest.raises(ADError, match="into a module of its own"):
        grad(twice).emit(tmp_path / "twice_grad.py", 1.0)


def test_the_steps_of_a_fixed_point_stand_in_the_text(tmp_path: Path) -> None:
    settled = fixed_point(lambda h, a: math.cos(a * h))

    def twice(a: float) -> Any:
        return 2.0 * settled(0.5, a)

    path = tmp_path / "twice_grad.py"
    grad(twice).emit(path, 0.8)
    assert "import adcompile" not in path.read_text() and "from adcompile" not in path.read_text()
    value, (slope,) = runpy.run_path(str(path))["twice_grad"](0.8)
    assert value == twice(0.8)
    assert slope == pytest.approx((twice(0.8 + 1e-5) - twice(0.8 - 1e-5)) / 2e-5, rel=1e-7)
    h = value / 2.0
    assert slope == pytest.approx(-2.0 * h * math.sin(0.8 * h) / (1.0 + 0.8 * math.sin(0.8 * h)), rel=1e-11)


def test_a_fixed_point_that_is_not_reached_raises() -> None:
    def wandering(a: float) -> Any:
        return fixed_point(lambda h, a: a * h * (1.0 - h), most=50)(0.3, a)

    with pytest.raises(ArithmeticError, match="has not converged after 50 steps"):
        grad(wandering)(3.9)


def test_defaults_of_a_step_are_those_of_the_fixed_point() -> None:
    settled = fixed_point(lambda h, a, k=0.5, *, m=0.9: m * math.cos(k * a * h))

    def both(a: float) -> Any:
        return settled(0.3, a) * settled(0.3, a, 0.7, m=0.8)

    value, partials = grad(both)(1.1)
    assert value == settled(0.3, 1.1) * settled(0.3, 1.1, 0.7, m=0.8)
    assert partials.a == pytest.approx((both(1.1 + 1e-5) - both(1.1 - 1e-5)) / 2e-5, rel=1e-7)
    first, second = settled(0.3, 1.1), settled(0.3, 1.1, 0.7, m=0.8)
    slopes = [
        -m * k * h * math.sin(k * 1.1 * h) / (1.0 + m * k * 1.1 * math.sin(k * 1.1 * h))
        for h, k, m in ((first, 0.5, 0.9), (second, 0.7, 0.8))
    ]
    assert partials.a == pytest.approx(slopes[0] * second + first * slopes[1], rel=1e-10)
