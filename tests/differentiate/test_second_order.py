"""Second derivatives of what a gradient's text does with lists, helpers and branches, against differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import derivative, grad, hessian, hvp, jacobian, value_grad_hessian, vjp
from adcompile.errors import UnsupportedError

X = np.array([1.4, 0.6, 0.3])


def averages(x: Any) -> Any:
    fast, slow, gaps = x[0], x[0], []
    for v in x[1:]:
        fast = 0.3 * v * v + 0.7 * fast
        slow = 0.1 * v + 0.9 * slow
        gaps.append(fast - slow)
    return np.array(gaps) @ np.array(gaps[::-1])


def trajectory(x: Any) -> Any:
    y, path = x, [x]
    for _ in range(4):
        y = y + 0.1 * np.array([y[1], -np.sin(y[0]), y[0] * y[2]])
        path.append(y)
    steps = np.array(path)
    return np.sum(steps[:, 0] ** 2 * steps[:, 2]) + max(step[1] for step in path)


def running(x: Any) -> Any:
    return np.cumsum(x**2) @ np.cumprod(x)


def norms(x: Any) -> Any:
    return np.linalg.norm(x, 3) * x[0] + np.linalg.norm(np.outer(x, x * x), 2) + np.linalg.norm(x, 1) * x[1]


def crossed(x: Any) -> Any:
    return np.cross(x, x * x) @ x**2


def _same_or_new(a: Any) -> Any:
    if a[0] > 1.0:
        return a
    return a * 2.0


def same_or_new(x: Any) -> Any:
    a = x * 1.0
    b = _same_or_new(a)
    b[1] = x[0] * x[2]
    a[2] *= 3.0
    return np.sum(a * b)


def chosen(x: Any) -> Any:
    a = x * x
    b = a if x[0] > 5.0 else a.copy()
    b[0] = x[1] * x[2]
    a[1] += b[0]
    return np.sum(a * b)


def _cleared(a: Any) -> Any:
    a = np.zeros_like(a)
    a[0] = 3.0
    return a


def helper_of_zeros(x: Any) -> Any:
    y = _cleared(x)
    return np.sum(x * x) + np.sum(y * x)


def viewed(x: Any) -> Any:
    y = np.zeros((3, 3))
    y[:] = x
    d = y.diagonal()
    w = y.reshape(-1)
    w[::4] = w[::4] ** 2
    return (y**2).sum() + d.sum() ** 2


def _layer(w: Any, x: Any) -> Any:
    return np.log1p(np.exp(2.0 * (w @ x))) / 2.0


def _net(w: Any, x: Any) -> Any:
    for _ in range(3):
        x = _layer(w, x)
    return x


def helper_with_two_tapes(x: Any) -> Any:
    return np.sum(_net(np.outer(x, x), x) ** 2)


def _left(u: Any, p: Any) -> Any:
    return np.array([u[0] ** 2 + u[1] - p[0], u[0] - p[1] * u[1] ** 3, u[2] - p[2] * u[0]])


_slope = jacobian(_left, wrt="u")


def newton_of_a_system(x: Any) -> Any:
    u = np.ones(3)
    for _ in range(12):
        u = u - np.linalg.solve(_slope(u, x + 0.5), _left(u, x + 0.5))
    return u[0] * u[1] + u[2] ** 2


def lists_of_several_kinds(x: Any) -> Any:
    arrays: list[Any] = []
    numbers: list[Any] = []
    both = (arrays, numbers)
    for i in range(3):
        arrays.append(x * i)
        numbers.append(x[i] ** 2)
    both[0][1][0] = numbers[2]
    both[1].append(arrays[2][1])
    return np.sum(arrays[1]) * numbers[3] + numbers[0]


def filtered(x: Any) -> Any:
    """The slope of a determinant is a helper whose rank its kind does not have, and so is the adjoint of `p`."""
    h = np.array([[1.0, 0.0]])
    p = np.eye(2)
    total = 0.0
    for v in x:
        s = h @ p @ h.T + v
        p = (np.eye(2) - 0.1 * p @ h.T @ s @ h) @ p
        total += np.linalg.det(s) * v
    return total


def one_list_with_two_names(x: Any) -> Any:
    first: list[Any] = []
    second = first
    first.append(x[0] * x[0])
    second.append(x[1])
    return first[1] * second[0] * x[2]


def blocks(x: Any) -> Any:
    a, b = np.outer(x, x), x[:2, np.newaxis] * x
    whole = np.block([[a, a.T], [b, b * x[0]]])
    return np.sum(whole**3)


def number_or_array_by_turns(x: Any) -> Any:
    total = x[0]
    for a, b in [(x, x[1]), (x[2], x), (x[0], x[1])]:
        if np.sum(total) > 1.5:
            break
        total = total + np.sum(a * b * a)
    else:
        total = total * 2.0
    return total


def tidied_up(x: Any) -> Any:
    y = x * x
    try:
        return y @ x * y[0]
    finally:
        y = 0.0
        x = y


FUNCTIONS = [
    *(tidied_up, blocks, number_or_array_by_turns),
    *(helper_with_two_tapes, newton_of_a_system, lists_of_several_kinds, one_list_with_two_names, filtered),
    *(averages, trajectory, running, norms, crossed, same_or_new, chosen, helper_of_zeros, viewed),
]


def differences(f: Callable[..., Any]) -> Any:
    """The Hessian by central differences of the gradient."""
    slope = derivative(f)
    return np.array([(slope(X + 1e-5 * v) - slope(X - 1e-5 * v)) / 2e-5 for v in np.eye(3)])


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_reverse_over_reverse(f: Callable[..., Any]) -> None:
    along = np.array([0.3, -0.7, 1.1])
    _, partials = vjp(derivative(f))(along, X)
    np.testing.assert_allclose(partials[0], differences(f) @ along, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_hessians_and_products(f: Callable[..., Any]) -> None:
    want, v = differences(f), np.array([0.3, -1.0, 0.7])
    np.testing.assert_allclose(hessian(f)(X), want, atol=1e-8, rtol=1e-6)
    np.testing.assert_allclose(hvp(f)(v, X)[1], want @ v, atol=1e-8, rtol=1e-6)
    np.testing.assert_allclose(jacobian(derivative(f))(X), want, atol=1e-8, rtol=1e-6)


def test_the_pattern_of_a_helper_whose_tangent_is_zero() -> None:
    found = hessian(helper_of_zeros, sparse=True)(X)
    assert found.nnz == 3
    np.testing.assert_array_equal(found.toarray(), 2.0 * np.eye(3))


def test_a_text_that_reads_a_helper_of_another_is_compiled_once() -> None:
    second = hessian(trajectory)
    for x in (X, 2 * X, 3 * X):
        second(x)
    assert second.cache_info().misses == 1


def test_products_for_lists_of_lists() -> None:
    def cubes(rows: Any) -> Any:
        total = 0.0
        for row in rows:
            for v in row:
                total += v * v * v
        return total

    value, product = hvp(cubes)([[1.0, 0.0], [0.5, 2.0]], [[1.0, 2.0], [3.0, 4.0]])
    assert value == 100.0
    assert product == [[6.0, 0.0], [9.0, 48.0]]


def test_the_norm_of_a_singular_matrix() -> None:
    def largest(x: Any) -> Any:  # (a + sqrt(a**2 + 4 * b**2)) / 2
        return np.linalg.norm(np.array([[x[0], x[1]], [x[1], 0.0]]), 2)

    np.testing.assert_allclose(hessian(largest)(np.array([3.0, 0.0])), [[0.0, 0.0], [0.0, 2.0 / 3.0]], atol=1e-12)


def test_the_sign_of_what_may_be_complex_varies() -> None:
    def f(x: Any, turned: Any) -> Any:
        h = x * np.exp(1j * x) + x[0] if turned else 2.0 * x
        return np.sum(np.cos(np.abs(h)))

    x, along, step = np.array([0.7, 2.0, 0.4]), np.array([1.0, -0.5, 0.3]), 1e-5
    product = hvp(f, wrt="x")(along, x, 1)[1]
    up, down = (np.asarray(grad(f, wrt="x")(x + h * along, 1)[1][0]) for h in (step, -step))
    np.testing.assert_allclose(product, (up - down) / (2 * step), rtol=1e-6)


def test_value_gradient_and_hessian_are_those_of_one_run_or_refused() -> None:
    def noisy(x: Any, rng: Any) -> Any:
        return np.sum(x**2) * rng.normal()

    def noisy_from_a_seed(x: Any) -> Any:
        rng = np.random.default_rng(3)
        return np.sum(x**2) * rng.normal()

    x = np.array([1.0, 2.0])
    with pytest.raises(UnsupportedError, match="cannot put together what several runs of this give"):
        value_grad_hessian(noisy, wrt="x", check=False)(x, np.random.default_rng(3))
    value, gradient, second = value_grad_hessian(noisy_from_a_seed)(x)
    assert value == noisy_from_a_seed(x)
    assert np.allclose(gradient, 2.0 * x * value / 5.0)
    assert np.allclose(second, np.eye(2) * 2.0 * value / 5.0)


@pytest.mark.parametrize("made", [jacobian, hessian])
def test_groups_of_columns_of_several_draws_are_refused(made: Any) -> None:
    def noisy(x: Any, rng: Any) -> Any:
        values = np.sin(x * rng.normal()) + x[::-1] * rng.normal()
        return values if made is jacobian else np.sum(values**2)

    with pytest.raises(UnsupportedError, match="cannot make a sparse Jacobian"):
        made(noisy, wrt="x", sparse=True, check=False, cache=False)(np.ones(4), np.random.default_rng(1))
