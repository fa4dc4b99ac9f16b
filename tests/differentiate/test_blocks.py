"""Jacobians in blocks of columns: lines that no direction has to do with run once; sums without their products."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, derivative, hessian, jacobian
from adcompile.calls.transformations import Jacobian
from adcompile.pipeline import ALL, Order

RNG = np.random.default_rng(5)
DATA = RNG.normal(size=(7, 3))


def stencil(x: Any) -> Any:
    return np.sum((x[2:] - 2.0 * x[1:-1] + x[:-2]) ** 2 * np.cos(x[1:-1]))


def particles(x: Any) -> Any:
    p = x.reshape(-1, 3)
    d = p[:, None, :] - p[None, :, :]
    return np.sum(np.exp(-np.sum(d**2, axis=2)))


def mixture(x: Any) -> Any:
    d = DATA[:, None, :] - x.reshape(-1, 3)[None, :, :]
    return -np.sum(np.log(np.sum(np.exp(-0.5 * np.sum(d**2, axis=2)), axis=1)))


def landmarks(x: Any) -> Any:
    c = x.reshape(-1, 3)
    squares = np.sum(c**2, axis=1)[:, None] + np.sum(DATA**2, axis=1)[None, :] - 2.0 * c @ DATA.T
    return np.sum(np.log1p(np.exp(-squares)))


def grams(x: Any) -> Any:
    a = x.reshape(-1, 3)
    return np.sum((a @ a.T) ** 2) + np.sum(np.tanh(a.T @ a))


def layers(x: Any) -> Any:
    hidden = np.tanh(DATA @ x[:9].reshape(3, 3))
    return np.sum((hidden @ x[9:12] - DATA[:, 0]) ** 2)


def rows_in_a_loop(x: Any) -> Any:
    total = 0.0
    for row in DATA:
        total = total + np.log(np.sum(np.exp(x * row[0]))) + np.sin(x @ x * row[1])
    return total


def chain(x: Any) -> Any:
    y = np.sin(x) * np.exp(x)
    z = np.tanh(y) * y + x
    return np.sum(z * np.cosh(y) * z)


def shares(x: Any) -> Any:
    a = x.reshape(-1, 3)
    e = np.exp(a)
    return np.sum((e / np.sum(e, axis=1, keepdims=True)) ** 2 * a) + np.sum(np.sum(a * a, axis=0) ** 2)


def regression(x: Any) -> Any:
    return np.sum(np.log1p(np.exp(-(DATA @ x[:3])))) + 0.5 * np.sum(x**2)


SMOOTH = [
    stencil, particles, mixture, landmarks, grams, layers, rows_in_a_loop, chain, shares, regression,
]  # fmt: skip
X = RNG.normal(size=12)


def changed_in_place(x: Any) -> Any:
    y = x * 2.0
    w = np.exp(y)
    x = x.copy()
    x[0] *= y[1]
    z = np.sin(y)
    z[1:] *= x[:-1]
    return z * w + x


def set_anew(x: Any) -> Any:
    y = np.sin(x)
    x = x * y
    z = np.cos(y)
    x = x * z
    return x + y


def two_names(x: Any) -> Any:
    a = x * x
    b = a
    b[0] = x[1]
    b = a * 2.0
    a += 1.0
    return a * b


def changed_behind(x: Any) -> Any:
    """A line that could go ahead reads what lines behind it change."""
    scale = np.ones(len(x))
    y = x * scale
    scale[1] = 3.0
    for k in range(len(x)):
        y[k] = y[k] * scale[k]
        scale[k] = 2.0
    return y * scale


def of_a_list(x: Any) -> Any:
    steps = []
    y = x * 1.0
    for k in range(3):
        steps.append(y)
        y = y * x + k
    for step in reversed(steps):
        y = y * step
    return y


def set_on_a_branch(x: Any) -> Any:
    scale = np.exp(np.ones(3))
    if x[0] > 0.0:
        y = x * scale[0]
    else:
        scale = np.ones(3)
        y = x * scale[1]
    return y * scale[2]


PLAIN = [changed_in_place, set_anew, two_names, changed_behind, of_a_list, set_on_a_branch]


FUNCTIONS = [*PLAIN, *map(derivative, SMOOTH)]


def without(f: Callable[..., Any], *names: str, **options: Any) -> Jacobian:
    """A Jacobian by columns without some rewrites."""

    class Without(Jacobian):
        def _order(self, **changes: Any) -> Order:
            return dataclasses.replace(super()._order(**changes), rewrites=ALL - {*names})

    return Without(f, jacobian(f, mode="forward", **options)._options, "jacobian")


def assert_same(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("chunk", [1, 5, 100])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_chunks(f: Callable[..., Any], chunk: int) -> None:
    x = X.copy()
    singly = without(f, "together")(x)
    assert_same(jacobian(f, mode="forward")(x), singly)
    assert_same(jacobian(f, mode="forward", chunk=chunk)(x), singly)
    assert_same(without(f, "ahead", chunk=chunk)(x), singly)
    np.testing.assert_array_equal(x, X)


def test_what_no_direction_has_to_do_with_runs_once() -> None:
    text = hessian(particles, chunk=5).source_for(X)
    ahead, _, block = text.partition("for first in range(0, max(x.size, 1), 5):")
    assert "= np.exp(" in ahead
    assert "= np.exp(" not in block
    assert "x_dot = np.eye(x.size, directions, -first)" in block
    assert "= np.exp(" in without(derivative(particles), "ahead", chunk=5).source_for(X).partition("for first in")[2]


def test_what_is_changed_behind_stays() -> None:
    block = jacobian(changed_behind, mode="forward", chunk=5).source_for(X).partition("for first in range(")[2]
    assert "scale = np.ones(len(x))" in block


def test_the_same_exception() -> None:
    def checked(x: Any, least: float) -> Any:
        y = x * 2.0
        for k in range(len(x)):
            y[k] = y[k] * x[k]
            if x[k] < least:
                message = "too small"
                raise ValueError(message)
        return y * 1.0 / np.array([1.0, 2.0])[int(least)]

    g = jacobian(checked, wrt="x", mode="forward", chunk=2)
    assert_same(g(np.ones(3), 1.0), np.eye(3) * 2.0)
    with pytest.raises(ValueError, match="too small"):  # ahead of which the last line would raise an IndexError
        g(np.ones(3), 3.0)


def test_what_cannot_be_run_again(capsys: pytest.CaptureFixture[str]) -> None:
    def told(x: Any) -> Any:
        print("squares")  # noqa: T201 - seen
        return x * x

    assert_same(jacobian(told, mode="forward", cache=False, check=False)(X), np.diag(2.0 * X))
    assert capsys.readouterr().out == "squares\n"
    with pytest.raises(ADError, match="cannot make this Jacobian column by column"):
        jacobian(told, mode="forward", chunk=2)(X)


def summed_all(x: Any) -> Any:
    a = x.reshape(-1, 3)
    return np.array([np.sum(a * np.sin(a)), np.sum(a * 3.0), (a * a).sum()])


def summed_by_rows(x: Any) -> Any:
    a = x.reshape(-1, 3)
    return np.sum(a * np.sin(a), axis=1) - np.sum(a / (2.0 + np.cos(a)), axis=-1)


def summed_by_columns(x: Any) -> Any:
    a = x.reshape(-1, 3)
    return np.sum(a * a[:, :1] - a * a[0], axis=0)


def summed_of_stretched(x: Any) -> Any:
    a = x.reshape(-1, 3)
    b = a[:, None, :] * DATA[None]
    return np.sum(b * b, axis=(0, 2)) + np.sum(b * DATA, axis=(0, 2))


def summed_where_it_was_stretched(x: Any) -> Any:
    a = np.sum(x.reshape(-1, 3) ** 2, axis=1)
    b = a[:, None] * DATA[:4]
    return np.sum(b, axis=1) * np.sum(b * b, axis=1)


def summed_twice(x: Any) -> Any:
    a = x.reshape(-1, 3)
    b = a * np.exp(a)
    return np.sum(b, axis=0)[None] - np.sum(b, axis=1)[:, None]


def summed_and_read(x: Any) -> Any:
    a = x.reshape(-1, 3)
    b = a * np.exp(a)
    return np.sum(b, axis=0) - b[0]


def summed_after_a_change(x: Any) -> Any:
    a = x.reshape(-1, 3) * 1.0
    w = np.ones(3)
    b = a * w
    w *= 2.0
    return np.sum(b, axis=0) * w


def summed_beside_a_sum_along_any_axis(x: Any) -> Any:
    a = x.reshape(-1, 3)
    b = a * np.cos(a)
    return np.sum(b, axis=1) * np.sum(np.sum(DATA[:4], axis=len(DATA) - 7)) - np.sum(b, axis=1)


def summed_with_axes_kept(x: Any) -> Any:
    a = x.reshape(-1, 3)
    return a * np.sum(a * a, axis=1, keepdims=True)


def summed_in_single_precision(x: Any) -> Any:
    a = x.reshape(-1, 3).astype(np.float32)
    return np.sum(a * a, axis=1)


def negative_sums(x: Any) -> Any:
    a = x.reshape(-1, 3)
    return -np.sum(-a * a - a * 2.0, axis=1) + 1.0


SUMS = [
    summed_all, summed_by_rows, summed_by_columns, summed_of_stretched, summed_where_it_was_stretched, summed_twice,
    summed_beside_a_sum_along_any_axis, summed_and_read, summed_after_a_change, summed_with_axes_kept,
    summed_in_single_precision, negative_sums,
]  # fmt: skip


@pytest.mark.parametrize("f", SUMS, ids=lambda f: f.__name__)
def test_sums(f: Callable[..., Any]) -> None:
    single = f is summed_in_single_precision
    found, singly = jacobian(f, mode="forward")(X), without(f, "together")(X)
    np.testing.assert_allclose(found, singly, rtol=1e-5 if single else 1e-12, atol=1e-13)
    h = 1e-6
    slopes = [(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(len(X))]
    np.testing.assert_allclose(found, np.moveaxis(slopes, 0, -1), atol=0.2 if single else 1e-8)


def test_products_that_are_summed_up_are_not_made() -> None:
    text = jacobian(summed_twice, mode="forward").source_for(X)
    assert text.count("np.einsum(") == 2
    assert "b_dot" not in text
    assert "b_dot" in jacobian(summed_and_read, mode="forward").source_for(X)
