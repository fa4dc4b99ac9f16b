"""`stop_gradient` and `no_grad`: what is cut is a constant, in both modes, to second order, and under Numba.

Against differences of the function with what is cut held at its value, and against forward mode.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import adcompile as ad
from adcompile import ADError, derivative, detach, grad, hessian, jvp, no_grad, stop_gradient

X = np.array([0.5, -1.2, 2.0])


@dataclass
class Pair:
    a: Any
    b: Any


def product(x: Any) -> Any:
    y = x * x
    u = detach(y)
    return np.sum(u * x)


def shifted(x: Any) -> Any:
    return np.sum(2 * x + (3 + ad.detach(x)))


def contained(x: Any) -> Any:
    p = stop_gradient({"a": x * 2.0, "b": [x, (x[0], 1.0)]})
    q = stop_gradient(Pair(x[0] * 3.0, x))
    return np.sum(p["a"] * x * p["b"][0]) + p["b"][1][0] * x[1] + q.a * np.sum(q.b * x)


def kept_apart(x: Any) -> Any:
    y = x * 2.0
    u = stop_gradient(y)
    y[0] = 7.0
    u[1] = x[2]
    return np.sum(y * u)


def block(x: Any) -> Any:
    with no_grad():
        s = x * x
        s += x
        top, low = np.max(s), np.min(s)
        total = 0.0
        for k in range(3):
            total += top * k
        if total > low:
            total = total * x[0]
    return np.sum(s * x) * (total + low * x[1])


def filled(x: Any) -> Any:
    u = x * x
    with no_grad():
        u[1] = x[0] * 3.0
        u[2] += x[1]
        found = []
        for item in x:
            found.append(item * 2.0)  # noqa: PERF401 - what is tried
    return np.sum(u * x) + found[0] * x[1] + found[2] * x[0]


def helper(x: Any) -> Any:
    with no_grad():
        scale = 1.0 / np.sum(x * x)
    return x * scale


def through_a_call(x: Any) -> Any:
    return np.sum(helper(x * 2.0) * x)


def in_a_loop(x: Any) -> Any:
    state = x
    for _ in range(3):
        state = state * x + detach(state)
    return np.sum(state)


def held(f: Callable[..., Any], x: Any) -> Callable[[Any], Any]:
    """The function with what it cuts held at what that is at `x`."""
    found: list[Any] = []

    def note(value: Any) -> Any:
        found.append(stop_gradient(value))
        return found[-1]

    space = {**f.__globals__, "detach": note, "stop_gradient": note}
    type(f)(f.__code__, space)(x)

    def fixed(at: Any) -> Any:
        values = iter(found)
        return type(f)(
            f.__code__, {**space, "detach": lambda _: next(values), "stop_gradient": lambda _: next(values)}
        )(at)

    return fixed


def differences(f: Callable[[Any], Any], x: Any) -> Any:
    h = 1e-6
    return np.array([(f(x + e) - f(x - e)) / (2 * h) for e in np.eye(len(x)) * h])


def slope_of_block(x: Any) -> Any:
    s = x * x + x
    total, low = 3 * np.max(s), np.min(s)
    total *= x[0] if total > low else 1.0
    return s * (total + low * x[1]) + np.sum(s * x) * np.array([0.0, low, 0.0])


EXPECTED = {
    block: slope_of_block,
    filled: lambda x: np.array([3 * x[0] ** 2, 3 * x[0], x[2] ** 2 + x[1]]) + np.array([2 * x[2], 2 * x[0], 0.0]),
    through_a_call: lambda x: 4.0 * x / np.sum(4 * x * x),
    shifted: lambda x: np.full(3, 2.0),
}


@pytest.mark.parametrize("f", [product, contained, kept_apart, in_a_loop, *EXPECTED])
def test_what_is_cut_is_a_constant(f: Any) -> None:
    expected = EXPECTED[f](X) if f in EXPECTED else differences(held(f, X), X)
    value, (partial,) = grad(f)(X)
    assert value == f(X)
    assert partial == pytest.approx(expected, rel=1e-8)
    tangents = [jvp(f)((row,), X)[1] for row in np.eye(3)]
    assert partial == pytest.approx(tangents, rel=1e-13)


def test_to_second_order() -> None:
    def cube(x: float) -> float:
        return x * detach(x * x)

    assert grad(cube)(3.0) == (27.0, (9.0,))
    assert derivative(derivative(cube))(3.0) == 0.0
    assert not hessian(product)(X).any()
    second = hessian(in_a_loop)(X)
    assert second.sum(axis=0) == pytest.approx(differences(lambda x: np.sum(slope_of_loop(x, X)), X), rel=1e-8)


def slope_of_loop(x: Any, at: Any) -> Any:
    """The slope of `in_a_loop`, with the detached states held at their values."""
    states = [at, at * at + at]
    states.append(states[1] * at + states[1])
    state, slope = x, np.ones(3)
    for k in range(3):
        state, slope = state * x + states[k], slope * x + state
    return slope


def test_under_numba() -> None:
    assert np.array_equal(grad(product, jit=True)(X)[1].x, X * X)


def test_outside_it_does_nothing() -> None:
    number, text, y = np.float32(2.0), "a", [X, {"k": X}]
    assert stop_gradient(number) is number
    assert stop_gradient(text) == text
    copied = stop_gradient(y)
    assert np.array_equal(copied[1]["k"], X)
    assert not np.shares_memory(copied[0], X)
    with no_grad() as nothing:
        assert nothing is None


def test_a_text_with_a_cut_stands_alone() -> None:
    space: dict[str, Any] = {}
    exec(grad(product).source_for(X), space)
    assert np.array_equal(space["product_grad"](X)[1][0], X * X)


@pytest.mark.parametrize("kind", ["a view", "a call"])
def test_what_cannot_be_cut_is_refused(kind: str) -> None:
    def view(x: Any) -> Any:
        w = x * 2.0
        with no_grad():
            v = w[1:]
        w[1] = 5.0
        return np.sum(w * v[0])

    def call(x: Any) -> Any:
        w = x * 2.0
        with no_grad():
            np.copyto(w, x)
        return np.sum(w * x)

    with pytest.raises(ADError, match="no_grad"):
        grad(view if kind == "a view" else call)(X)


def test_a_call_that_changes_something_besides_is_refused() -> None:
    def tripled(u: Any) -> Any:
        u *= 3.0
        return np.sum(u)

    def copied(u: Any) -> Any:
        v = u.copy()
        v *= 3.0
        return np.sum(v)

    def f(x: Any, helper: Any) -> Any:
        u = x * 2.0
        with no_grad():
            y = helper(u)
        return np.sum(u * x) + y * x[0]

    def tested(x: Any) -> Any:
        u = x * 2.0
        with no_grad():
            y = 1.0
            if tripled(u) > 0.0:
                y = 2.0
        return np.sum(u * x) * y

    with pytest.raises(ADError, match="cannot tell what this call changes within `no_grad`"):
        grad(f)(X, tripled)
    with pytest.raises(ADError, match="Give its result a name"):
        grad(tested)(X)
    constant = copied(X * 2.0)
    np.testing.assert_allclose(grad(f)(X, copied)[1].x, 4.0 * X + constant * (np.arange(X.size) == 0))
