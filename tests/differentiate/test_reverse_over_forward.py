"""Second derivatives where the gradient's text is refused: the gradient of a tangent; and what they refuse in turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from adcompile import derivative, hessian, hvp, jvp, value_grad_hessian, vjp
from adcompile.errors import ArgumentError


class State(NamedTuple):
    x: Any
    y: Any


def power(x: Any, n: int) -> Any:
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    return half * half * x if n % 2 else half * half


def fifth_power(x: Any) -> Any:
    return power(x, 5)


def quadrature(a: Any, b: Any) -> Any:
    def adaptive(low: Any, high: Any, depth: int) -> Any:
        mid = 0.5 * (low + high)
        rough = (high - low) * np.exp(-mid * mid)
        if depth == 0 or high - low < 0.1:
            return rough
        return adaptive(low, mid, depth - 1) + adaptive(mid, high, depth - 1)

    return adaptive(a, b, 3)


def last_of_two(x: Any) -> Any:
    runs = []
    for v in x:
        runs.append((v, v * x[0]))
        if len(runs) > 2:
            first, second = runs.pop()
            runs[0] = (first * second, second)
    return sum(one * other for one, other in runs)


def turned(state: State, h: Any) -> Any:
    for _ in range(4):
        state = State(state.x + h * state.y, state.y - h * np.sin(state.x))
    return state.x**2 + state.y


def in_place(a: Any, b: Any) -> Any:
    a[0] = a[0] * b[1]
    a[1] = b[0] * a[1] ** 2
    return np.sum(a * b)


X = np.array([1.3, 0.7, -0.4, 0.9])


@pytest.mark.parametrize(
    ("f", "args"), [(fifth_power, (1.3,)), (quadrature, (0.2, 1.1)), (last_of_two, (X,)), (in_place, (X[:2], X[2:]))]
)
def test_hessians_and_products(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Against differences of the gradient, one number of the inputs after the other."""
    sizes = [np.size(a) for a in args]
    flat = np.concatenate([np.ravel(a) for a in args])

    def nested(numbers: Any) -> tuple[Any, ...]:
        parts = np.split(numbers, np.cumsum(sizes)[:-1])
        return tuple(p if np.ndim(a) else float(p[0]) for p, a in zip(parts, args, strict=True))

    def gradient(numbers: Any) -> Any:
        found = derivative(f)(*nested(numbers))
        return np.concatenate([np.ravel(p) for p in (found if len(args) > 1 else (found,))])

    step = 1e-5
    expected = np.array(
        [(gradient(flat + step * e) - gradient(flat - step * e)) / (2 * step) for e in np.eye(len(flat))]
    )
    found = hessian(f)(*args)
    blocks = [[found]] if len(args) == 1 else [list(row) for row in found]
    whole = np.block(
        [[np.reshape(b, (m, n)) for b, n in zip(r, sizes, strict=True)] for r, m in zip(blocks, sizes, strict=True)]
    )
    np.testing.assert_allclose(whole, expected, atol=1e-7)
    vector = np.linspace(0.5, 1.5, len(flat))
    value, product = hvp(f)(nested(vector) if len(args) > 1 else nested(vector)[0], *args)
    assert value == f(*nested(flat.copy()))
    product = product if len(args) > 1 else (product,)
    np.testing.assert_allclose(np.concatenate([np.ravel(p) for p in product]), expected @ vector, atol=1e-7)


def test_of_several_calls() -> None:
    """Each call has its own arguments, numbers that are whole among them, and texts for other kinds."""
    product = hvp(fifth_power)
    assert product(1.0, 2.0) == (32.0, 160.0)
    assert product(2.0, 1.0) == (1.0, 40.0)
    assert product(1.0, 2) == (32.0, 160.0)
    assert value_grad_hessian(fifth_power)(2.0) == (32.0, 80.0, 160.0)
    assert "def power_jvp_backward" in product.source_for(2.0)


def test_a_batch() -> None:
    values, products = hvp(fifth_power).batch(np.ones(3), np.array([1.0, 2.0, 3.0]))
    assert values.tolist() == [1.0, 32.0, 243.0]
    assert products.tolist() == [20.0, 160.0, 540.0]


def test_named_tuples_in_a_loop() -> None:
    """The tangents of the tuples on a tape are taken apart as plain tuples."""
    along, at, h, step = State(0.3, -0.8), State(1.2, 0.7), 0.1, 1e-5
    _, (found, by_h) = hvp(turned)((along, 0.5), at, h)
    ends = [derivative(turned)(State(at.x + s * along.x, at.y + s * along.y), h + s * 0.5) for s in (-step, step)]
    (low, low_h), (high, high_h) = ends
    assert isinstance(found, State)
    assert found == pytest.approx(((high.x - low.x) / (2 * step), (high.y - low.y) / (2 * step)), rel=1e-7)
    assert by_h == pytest.approx((high_h - low_h) / (2 * step), rel=1e-7)


@pytest.mark.parametrize("call", [
    lambda x: hvp(in_place)((x, x), x, x),
    lambda x: hessian(in_place)(x, x),
    lambda x: vjp(derivative(in_place))((x, x), x, x),
    lambda x: derivative(lambda s, a, b: s * s * in_place(a, b), wrt="s")(2.0, x, x),
])  # fmt: skip
def test_arguments_that_share_memory(call: Callable[[Any], Any]) -> None:
    """What the gradient refuses, its derivatives refuse: the text has copies of both, and the function has not."""
    x = np.array([1.3, 0.7])
    with pytest.raises(ArgumentError, match="share memory"):
        call(x)
    np.testing.assert_array_equal(x, [1.3, 0.7])


@pytest.mark.parametrize("options", [
    {}, {"axis": 1}, {"axis": -1, "keepdims": True}, {"axis": 0, "initial": 0.4},
    {"axis": 1, "initial": 0.4, "keepdims": True},
])  # fmt: skip
def test_the_adjoint_of_the_tangent_of_an_extreme(options: dict[str, Any]) -> None:
    def f(x: Any) -> Any:
        return np.sum(np.max(x, **options) ** 3) + np.sum(np.min(x, **options) ** 2)

    x, v = np.array([[0.3, -1.2, 0.7], [1.5, 0.2, -0.4]]), np.array([[1.0, 2.0, -1.0], [0.5, 1.0, 3.0]])
    tangents, partial = vjp(jvp(f), check=False)((0.0, 1.0), (v,), x)[1]
    assert np.shape(tangents[0]) == np.shape(x)
    np.testing.assert_allclose(tangents[0], derivative(f)(x), rtol=1e-12)
    np.testing.assert_allclose(partial, hvp(f)(v, x)[1], rtol=1e-12)
