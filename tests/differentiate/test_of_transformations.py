"""What takes a seed, tangents or a vector in front, differentiated once more: it is called as it stands.

Each pair of an outer and an inner transformation is compared with differences of the inner one's calls, for functions
that loop, branch and change their arguments, with the arguments of one call and then of others.
"""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import derivative, grad, hvp, implicit, jacobian, jvp, vjp
from adcompile.errors import UnsupportedError

X = np.array([0.5, 1.0, 1.5])
V = np.array([1.0, -2.0, 3.0])
T = np.array([0.3, 0.1, -1.0])


def cubes(x: Any, n: int = 2) -> Any:
    return np.sum(x**3) * n


def stepped(x: Any, n: int = 2) -> Any:
    y = x.copy()
    for _ in range(n):
        y[1:] += y[:-1] * y[1:]
        if y[0] > 0.0:
            y[0] *= 0.5
    return np.sum(y**2)


def selected(x: Any, n: int = 2) -> Any:
    y = np.where(x > 0.8, x**3, np.sin(x)) * n
    y[x < 1.2] *= 2.0
    return np.sum(y) * np.max(x)


def squared(x: Any, *more: Any, n: int = 2, **named: Any) -> Any:
    return x**2 * n * more[0] + named["shift"] * x**3


FUNCTIONS = [cubes, stepped, selected]
CALLS = [(X, V, T, 2), (X[::-1] * 0.7, V, V * T, 1), (np.append(X, 0.2), np.ones(4), np.arange(4.0), 3)]


def directional(inner: Callable[..., Any], x: Any, along: Any, *more: Any, h: float = 1e-5) -> Any:
    return (inner(x + h * along, *more) - inner(x - h * along, *more)) / (2 * h)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("calls", [CALLS, CALLS[::-1]], ids=["in turn", "backward"])
def test_products_are_differentiated_as_they_are_called(f: Any, calls: Any) -> None:
    slope, product = jvp(f, wrt="x"), hvp(f, wrt="x")
    seeded = vjp(f, wrt="x")
    moved, bent, pulled = jvp(slope, wrt="x"), jvp(product, wrt="x"), vjp(product, wrt="x")
    transposed, rows, whole = vjp(slope, wrt="x"), jacobian(product, wrt="x"), grad(slope, has_aux=True, wrt="x")
    of_seeded = jvp(seeded, wrt="x")
    for x, v, t, n in calls:
        value, tangent = f(x, n), directional(f, x, v, n)
        second = directional(lambda z, v, n: slope(v, z, n)[1], x, t, v, n)
        third = directional(lambda z, v, n: product(v, z, n)[1], x, t, v, n)
        found, moving = moved(t, v, x, n)
        np.testing.assert_allclose([found[0], found[1]], [value, tangent], rtol=1e-5)
        np.testing.assert_allclose(moving[1], second, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(bent(t, v, x, n)[1][1], third, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(transposed((0.0, 1.0), v, x, n)[1].x @ t, second, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(whole(v, x, n)[1].x @ t, directional(f, x, t, n), rtol=1e-5)
        weights = np.cos(np.arange(len(x)))
        np.testing.assert_allclose(pulled((0.0, weights), v, x, n)[1].x @ t, weights @ third, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(rows(v, x, n)[1] @ t, third, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(of_seeded(t, 1.7, x, n)[1][1][0], 1.7 * product(t, x, n)[1], rtol=1e-6)


def test_what_stands_in_front_is_an_input_like_others() -> None:
    partials = vjp(jvp(cubes, wrt="x"))((0.0, 1.0), V, X, 2)[1]
    assert partials._fields[:2] == ("tangents", "x")
    np.testing.assert_allclose(partials.tangents, 3 * X**2 * 2)
    np.testing.assert_allclose(partials.x, 6 * X * V * 2)
    (of_one,) = vjp(jvp(cubes, wrt="x"), wrt="tangents")((0.0, 1.0), (V,), X)[1].tangents
    np.testing.assert_allclose(of_one, 3 * X**2 * 2)


def test_defaults_and_arguments_by_keyword_reach_the_inner_call() -> None:
    seeded = vjp(squared, wrt="x")
    (_, twice), partials = vjp(seeded, wrt="x")((np.zeros(3), (T,)), V, X, 3.0, shift=0.5)
    np.testing.assert_allclose(twice.x, V * (2 * X * 2 * 3.0 + 0.5 * 3 * X**2))
    np.testing.assert_allclose(partials.x, T * V * (12.0 + 0.5 * 6 * X))
    along = jvp(jvp(cubes, wrt="x"), wrt="x")
    np.testing.assert_allclose(along(T, V, X)[1][1], np.sum(12 * X * V * T))
    assert list(inspect.signature(along).parameters)[1:] == ["tangents", "x", "n"]


def test_copies_and_other_orders() -> None:
    thrice = jvp(jvp(jvp(cubes, wrt="x"), wrt="x"), wrt="x")
    for made in (thrice, copy.deepcopy(thrice), pickle.loads(pickle.dumps(thrice))):  # noqa: S301 - made here
        np.testing.assert_allclose(made(X, T, V, X, 2)[1][1][1], np.sum(12 * X * V * T))


def test_the_product_of_a_method_is_refused_where_its_object_is_not_given() -> None:
    class Model:
        k = 2.0

        def loss(self, x: Any) -> Any:
            return np.sum(x**3) * self.k

    with pytest.raises(UnsupportedError, match="the method `loss` of an object"):
        jvp(hvp(Model().loss))(T, V, X)


def local_slopes(x: Any, a: Any) -> Any:
    def wave(t: Any) -> Any:
        return np.sum(np.sin(t * x) * a)

    slope = derivative(wave)
    return slope(a) * derivative(slope)(a) + jvp(slope)(2.0, a)[1] + derivative(derivative(slope))(a)


def local_of_two(x: Any, a: Any) -> Any:
    def wave(t: Any, q: Any) -> Any:
        return np.sum(np.sin(t * x) * q * a)

    slope = derivative(wave, wrt="t")
    along = jvp(jvp(wave, wrt="t"), wrt="t")
    return derivative(slope, wrt="t")(a, 2.0) * derivative(slope, wrt="q")(a, x[1]) + along(1.0, 1.0, a, 2.0)[1][1]


def local_jacobians(x: Any, a: Any) -> Any:
    def curve(t: Any) -> Any:
        return t**4 * x

    return np.sum(jacobian(jacobian(curve))(a) ** 2)


@pytest.mark.parametrize("f", [local_slopes, local_of_two, local_jacobians], ids=lambda f: f.__name__)
def test_derivatives_of_derivatives_of_local_functions(f: Any) -> None:
    value, partials = grad(f)(X, 0.4)
    assert value == f(X, 0.4)
    np.testing.assert_allclose(partials.a, directional(lambda a: f(X, a), 0.4, 1.0), rtol=1e-5)
    np.testing.assert_allclose(partials.x @ T, directional(lambda x: f(x, 0.4), X, T), rtol=1e-5)
    np.testing.assert_allclose(jvp(f)((T, 1.0), X, 0.4)[1], partials.x @ T + partials.a)


def test_the_derivative_of_a_local_function_beside_another_is_refused() -> None:
    def f(x: Any) -> Any:
        def energy(y: Any) -> Any:
            return np.sum((y - x) ** 2 + y**4)

        def find() -> Any:
            y = x
            for _ in range(20):
                y = y - 0.05 * derivative(energy)(y)
            return y

        return np.sum(implicit(find, solution_of=derivative(energy))() ** 2)

    with pytest.raises(UnsupportedError, match="this call of `implicit`"):
        grad(f)(X)


def test_of_a_lambda() -> None:
    (value, slope), (moved, bent) = jvp(jvp(lambda x: np.sum(x**3)), wrt="x")((T,), V, X)
    assert (value, slope) == pytest.approx((np.sum(X**3), np.sum(3 * X**2 * V)), rel=1e-13)
    assert (moved, bent) == pytest.approx((np.sum(3 * X**2 * T), np.sum(6 * X * V * T)), rel=1e-13)
