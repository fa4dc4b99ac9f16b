"""Arithmetic on matrices in loops over rows: sums along an axis, stretched vectors; the numbers are NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adcompile import grad

pytest.importorskip("numba")
RNG = np.random.default_rng(17)
A, V, W = RNG.random((5, 3)) + 0.5, RNG.random(3) + 0.5, RNG.random(5) + 0.5


def distances(a: Any, v: Any, w: Any) -> Any:
    return np.sum(np.sqrt(np.sum((a - v) ** 2, axis=1)) * w)


def columns(a: Any, v: Any, w: Any) -> Any:
    return np.sum(np.sum(a * w[:, None], axis=0) * v)


def shares(a: Any, v: Any, w: Any) -> Any:
    powers = np.exp(a * v - w[:, None])
    return np.sum(powers / np.sum(powers, axis=1, keepdims=True) * a)


def parts(a: Any, v: Any, w: Any) -> Any:
    b = a[1:, :2] * 2.0 - a[:-1, 1:]
    return np.sum(np.sum(b * b, axis=0) ** 2) + np.sum(np.sum(a.T * w, axis=1) * v)


def made_of_itself(a: Any, v: Any, w: Any) -> Any:
    b = a * 1.0
    for k in range(3):
        b = (b - v) * w[:, None] + b[k, k]
        b[k] = b[k + 1]
    return np.sum(np.sum(b, axis=1) ** 2) + np.sum(w)


def numbers_between(a: Any, v: Any, w: Any) -> Any:
    return np.sum(np.sum(2 * a**3 - a[0, 0] * v + len(w), axis=0) * np.sum(-a, axis=0))


def apart(a: Any, v: Any, w: Any) -> Any:
    gaps = a[:, None, :] - a[1:] * v
    return np.sum(np.exp(-np.sum(gaps**2, axis=2)) * w[:, None]) + np.sum(np.sum(gaps * gaps, axis=0) * a[:-1])


def of_three_axes(a: Any, v: Any, w: Any) -> Any:
    whole = (a * v)[:, :, None] * a[0] - w[:, None, None] * 0.5
    middle = np.sum(whole * whole, axis=1)
    return np.sum(middle * a) + np.sum(np.sum(np.sin(whole) * v, axis=-3) ** 2)


def stretched_factors(a: Any, v: Any, w: Any) -> Any:
    b = (a - v) @ (a * w[:, None]).T
    return np.sum(b * b) + np.sum((a - v).T @ (a + w[:, None]))


FUNCTIONS = [
    distances, columns, shares, parts, made_of_itself, numbers_between, apart, of_three_axes, stretched_factors,
]  # fmt: skip


TURNED = [parts, of_three_axes, stretched_factors]  # it is the same text: what differs is how Numba goes through memory


@pytest.mark.usefixtures("some_under_numba")
@pytest.mark.machine_code("parts-F", "made_of_itself-C")  # how Numba goes through memory
@pytest.mark.parametrize(("f", "order"), [*((f, "C") for f in FUNCTIONS), *((f, "F") for f in TURNED)])
def test_numbers(f: Any, order: Any) -> None:
    a = np.array(A, order=order)
    value, partials = grad(f)(a, V, W)
    native, found = grad(f, jit=True)(a, V, W)
    assert native == pytest.approx(value, rel=1e-13)
    assert value == pytest.approx(f(a.copy(), V, W), rel=1e-13)
    for mine, other in zip(found, partials, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-13)
    h = 1e-6
    for k, x in enumerate((a, V, W)):
        for place in np.ndindex(x.shape):
            step = np.zeros_like(x)
            step[place] = h
            up, down = (f(*(y + s if y is x else y.copy() for y in (a, V, W))) for s in (step, -step))
            assert found[k][place] == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-7)


@pytest.mark.usefixtures("some_under_numba")
@pytest.mark.parametrize(
    ("a", "v", "w"),
    [(RNG.random((5, 1)), V, W), (RNG.random((1, 3)), V, W), (A, RNG.random(1), W), (RNG.random((1, 1)), V, W[:1])],
)
def test_what_is_stretched_by_its_length(a: Any, v: Any, w: Any) -> None:
    def f(a: Any, v: Any, w: Any) -> Any:
        b = a - v
        return np.sum(np.sum(b * b, axis=1)) * np.sum(w) + np.sum(np.sum(b * w[:, None], axis=0))

    value, partials = grad(f)(a, v, w)
    native, found = grad(f, jit=True)(a, v, w)
    assert native == pytest.approx(value, rel=1e-13)
    for mine, other in zip(found, partials, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-13)


def test_lengths_that_do_not_fit_raise() -> None:
    gradient = grad(distances, jit=True)
    gradient(A, V, W)
    with pytest.raises(ValueError, match="broadcast"):
        gradient(A, RNG.random(4), W)
