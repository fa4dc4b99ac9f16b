"""Hooks see each partial when it is finished, may replace it, and what they return goes on.

What comes of a hook that scales a partial is compared with differences of a function in which that is done forwards:
`u = c * u - stop_gradient(c * u - u)` has the value of `u` and c times its slope.
"""

import math
import traceback
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, derivative, grad, stop_gradient, value_and_grad, vjp

X = np.array([0.5, -1.2, 2.0])


def recurrent(x: Any, w: Any) -> Any:
    h = x
    for _ in range(3):
        h = np.tanh(h * w)
    v = h * h
    return np.sum(v)


def scaled_forwards(x: Any, w: Any, c: float) -> Any:
    h = c * x - stop_gradient(c * x - x)
    for _ in range(3):
        h = np.tanh(h * w)
        h = c * h - stop_gradient(c * h - h)
    return np.sum(h * h)


def helper(x: Any) -> Any:
    z = x * x
    return z * 3 + math.sin(z)


def calls(x: Any) -> Any:
    return helper(x) * helper(2 * x)


def test_a_hook_sees_what_intermediates_give() -> None:
    seen: list[Any] = []
    _, partials = grad(recurrent, intermediates="h[*] v")(X, 1.1)
    hooks = {"v": seen.append, "h[*]": seen.append}
    assert repr(grad(recurrent, hooks=hooks)(X, 1.1)) == repr(grad(recurrent)(X, 1.1))
    assert np.array_equal(seen, [partials.v, *partials["h[*]"][::-1]])  # in the order of the backward sweep


def test_of_a_name_alone_the_last_value() -> None:
    seen: list[Any] = []
    grad(recurrent, hooks={"h": seen.append})(X, 1.1)
    assert np.array_equal(seen, [grad(recurrent, intermediates="h")(X, 1.1)[1].h])


def test_what_a_hook_returns_goes_on() -> None:
    found = grad(recurrent, hooks={"h[*]": lambda g: 0.5 * g}, intermediates="h")(X, 1.1)[1]
    expected = grad(scaled_forwards, wrt="x w")(X, 1.1, 0.5)[1]
    assert found.x == pytest.approx(expected.x, rel=1e-13)
    assert found.w == pytest.approx(expected.w, rel=1e-13)
    assert np.array_equal(found.h, 0.5 * grad(recurrent, intermediates="h")(X, 1.1)[1].h)


def test_in_called_functions() -> None:
    seen: list[Any] = []
    partials = grad(calls, intermediates="helper.z[*]")(1.2)[1]["helper.z[*]"]
    grad(calls, hooks={"helper.z[*]": seen.append, "helper.z": seen.append})(1.2)
    assert seen == [partials[1], partials[1], partials[0]]
    assert [type(g) for g in seen] == [float] * 3
    assert derivative(calls, hooks={"helper.z[*]": lambda _: 0.0})(1.2) == 0.0


def test_structures_and_updates_in_place() -> None:
    def f(x: Any) -> Any:
        p = (np.sum(x), [x[0], x[1]])
        u = x * p[1][0]
        u[0] = p[0]
        return np.sum(u * u) * p[1][1]

    def doubled(p: Any) -> Any:
        return 2.0 * p[0], [2.0 * p[1][0], 2.0 * p[1][1]]

    plain, partials = grad(f)(X)[1].x, grad(f, intermediates="p u")(X)[1]
    through_p = plain - partials.u * X[0]
    both = grad(f, hooks={"p": doubled})(X)[1].x
    assert both == pytest.approx(2 * through_p + partials.u * X[0], rel=1e-13)
    gone = grad(f, hooks={"u": np.zeros_like})(X)[1].x
    by_p = np.array([0.0, np.sum(np.array([np.sum(X), *(X[1:] * X[0])]) ** 2), 0.0]) + 2 * np.sum(X) * X[1]
    assert gone == pytest.approx(by_p, rel=1e-13)


@dataclass
class Pair:
    a: Any
    b: Any


def through_a_pair(x: Any) -> Any:
    pair = Pair(x[0] * x, 2.0 * x[1])
    return np.sum(pair.a) * pair.b


def test_objects() -> None:
    plain = derivative(through_a_pair)(X)
    assert derivative(through_a_pair, hooks={"pair": lambda p: p})(X) == pytest.approx(plain, rel=1e-13)
    doubled = derivative(through_a_pair, hooks={"pair": lambda p: Pair(2.0 * p.a, 2.0 * p.b)})(X)
    assert doubled == pytest.approx(2.0 * plain, rel=1e-13)
    with pytest.raises(TypeError, match="for a partial that is a Pair"):
        derivative(through_a_pair, hooks={"pair": lambda p: (p.a, p.b)})(X)


def factors(a: Any, b: Any) -> Any:
    try:
        low = np.linalg.cholesky(a)
        m = np.linalg.cholesky(b + low @ low.T)
        return np.sum(low) + np.sum(m * low)
    except np.linalg.LinAlgError:
        return 3.0 * a[0, 0] * b[1, 1]


@pytest.mark.parametrize(
    "options", [{"hooks": {"low": lambda g: g, "m[*]": lambda g: g}}, {"intermediates": "low m[*]"}]
)
def test_what_an_exception_left_without_a_value(options: Any) -> None:
    good = np.array([[2.0, 0.3], [0.3, 1.5]])
    for a, b in [(good, good), (-good, good), (good, -4.0 * good)]:
        plain, found = (grad(factors, wrt="a b", **o)(a, b)[1] for o in ({}, options))
        assert found.a == pytest.approx(plain.a, rel=1e-12)
        assert found.b == pytest.approx(plain.b, rel=1e-12)


@pytest.mark.parametrize("way", [value_and_grad, vjp])
def test_in_other_transformations(way: Any) -> None:
    seen: list[Any] = []
    g = way(lambda x: helper(x) * x, hooks={"helper.z": seen.append})
    g(1.0, 1.2) if way is vjp else g(1.2)
    assert seen == pytest.approx([(3 + math.cos(1.44)) * 1.2])


def test_an_exception_in_a_hook_shows_the_users_line() -> None:
    def fails(_: Any) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        grad(calls, hooks={"helper.z": fails})(1.2)
    lines = [frame.line for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert "z = x * x" in lines
    assert "raise ZeroDivisionError" in lines


@pytest.mark.parametrize(
    ("hook", "error", "words"),
    [
        (np.sum, ValueError, r"the hook of `v` returned shape \(\) for a partial of shape \(3,\)"),
        (lambda g: g * 1j, TypeError, "the hook of `v` returned complex128 for a partial of float64"),
    ],
)
def test_what_does_not_fit_is_an_error(hook: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        grad(recurrent, hooks={"v": hook})(X, 1.1)


def test_what_cannot_be_hooked() -> None:
    with pytest.raises(ADError, match="has no intermediate `k`"):
        grad(recurrent, hooks={"k": print})(X, 1.1)
    with pytest.raises(ADError, match="a hook cannot be called from machine code"):
        grad(recurrent, hooks={"v": print}, jit=True)
    with pytest.raises(ADError, match="hooks takes functions by the names of locals"):
        grad(recurrent, hooks="v")


def square(z: float) -> float:
    q = z * z
    return 3.0 * q


def test_hook_of_a_function_called_in_one_sum_sees_the_last_call() -> None:
    def twice(x: float) -> float:
        return square(x) + square(2.0 * x)

    value, partials = grad(twice, hooks={"square.q": lambda g: 2.0 * g})(1.5)
    assert (value, partials.x) == (twice(1.5), 6.0 * 1.5 + 2.0 * 24.0 * 1.5)
    assert grad(twice, hooks={"square.q": lambda _: None})(1.5)[1].x == derivative(twice)(1.5)


def lists_of_lists_with_one_name_more(x: Any) -> Any:
    rows = [x * 2.0, x**2]
    copied = list(rows)
    copied.append(rows[1] * 3.0)
    copied[0][0] = 4.0
    return np.sum(copied[0] * copied[1] + copied[2])


def numbers_set_by_a_helper(x: Any) -> Any:
    rows = [x[0] * 2.0, x[1]]
    pair = (rows, x[2])
    set_first(pair)
    return rows[0] * rows[1]


def set_first(pair: Any) -> None:
    rows, v = pair
    rows[0] = rows[0] * rows[1] * 2.0 + 0.0 * v


@pytest.mark.parametrize("function", [lists_of_lists_with_one_name_more, numbers_set_by_a_helper])
@pytest.mark.parametrize("name", ["rows", "rows[*]"])
def test_hook_of_a_list_whose_items_have_memory_of_their_own(function: Any, name: str) -> None:
    without = derivative(function)(X)
    seen: list[Any] = []
    assert np.allclose(derivative(function, hooks={name: seen.append})(X), without)
    assert len(seen) == 1
    assert len(seen[0]) == 2
    twice = derivative(function, hooks={name: lambda g: [2.0 * e for e in g]})(X)
    assert np.allclose(twice, 2.0 * without)


def root_left_out(x: Any) -> Any:
    r = np.sqrt(x)
    return np.sum(np.where(x == 0.0, 0.0, r))


def cube_left_out(x: Any) -> Any:
    r = np.sqrt(x)
    q = r * r * r
    return np.sum(np.where(x > 0.0, q, 0.0))


def entropy_with_zeros_set(x: Any) -> Any:
    r = np.log(x)
    q = r * x
    q[x <= 0.0] = 0.0
    return np.sum(q)


def item_by_item(x: Any) -> Any:
    total = 0.0
    for v in x:
        r = np.sqrt(v)
        q = r * np.sin(r) if v > 0.0 else 0.0
        total = total + q
    return total


def called_twice(x: Any) -> Any:
    return np.sum(np.where(x > 0.0, powers(x) * powers(2.0 * x), 0.0))


def powers(x: Any) -> Any:
    r = np.sqrt(x)
    q = r * x
    return q * r


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning", "ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize(
    ("function", "names"),
    [
        (root_left_out, "r"),
        (cube_left_out, "r q"),
        (entropy_with_zeros_set, "r q"),
        (item_by_item, "r r[*] q q[*]"),
        (called_twice, "powers.r powers.r[*] powers.q powers.q[*]"),
    ],
)
def test_what_is_left_out_has_no_part_behind_a_hook(function: Any, names: str) -> None:
    x = np.array([0.0, 1.0, 4.0])
    without = derivative(function)(x)
    assert np.isfinite(without).all()
    for name in names.split():
        for hook in (lambda _: None, lambda g: g * 1.0):
            assert np.array_equal(derivative(function, hooks={name: hook})(x), without), name


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
def test_what_a_hook_makes_of_a_zero_counts() -> None:
    found = derivative(root_left_out, hooks={"r": lambda g: g + 1.0})(np.array([0.0, 1.0, 4.0]))
    assert list(found) == [np.inf, 1.0, 0.5]
