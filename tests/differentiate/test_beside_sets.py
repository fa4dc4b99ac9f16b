"""Sets of what was seen, beside lists, dicts and objects: a method of a set made in the function changes it alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, grad, jvp

X = np.array([0.7, -0.4, 1.3, 0.2])
ALONG = np.array([0.3, -1.0, 0.7, 0.5])


@dataclass
class Tally:
    total: float
    parts: list[Any] = field(default_factory=list)


def search(x: Any, a: Any) -> Any:
    visited: set[int] = set()
    stack, order = [0], []
    after = {0: [1, 2], 1: [3], 2: [3], 3: [0]}
    while stack:
        k = stack.pop()
        if k in visited:
            continue
        visited.add(k)
        order.append(x[k] * a)
        stack.extend(after[k])
    return sum(v * (i + 1) for i, v in enumerate(order))


def by_key(x: Any, a: Any) -> Any:
    seen = {0}
    w = {0: x[0]}
    for i in range(1, len(x)):
        j = (i * i) % len(x)
        if j not in seen:
            seen.add(j)
            w[j] = x[j] * a
        else:
            w[j] = w.get(j, 0.0) + x[i]
    return sum(w[k] * w[k] for k in sorted(w))


def taken_off(x: Any, a: Any) -> Any:
    left: set[int] = set()
    found = []
    left.update(range(3))
    left.discard(0)
    for k in sorted(left):
        found.append(x[k] * a)  # noqa: PERF401 - a list that grows is what is tried
    while left:
        found.append(x[left.pop()] ** 2)
    return sum(found)


def of_an_object(x: Any, a: Any) -> Any:
    seen: set[int] = set()
    p = Tally(0.0, [x * a])
    for i, v in enumerate(x):
        seen.add(i)
        p.total += v * a
        p.parts.append(p.parts[-1] * v)
    return p.total**2 + np.sum(p.parts[-1] * p.parts[1])


def items_set(x: Any, a: Any) -> Any:
    seen: set[int] = set()
    t = [x * a, x]
    seen.add(1)
    t[0][1] = 5.0 * a
    t[1] = t[0] + t[1]
    t[0][2] += x[0]
    return np.sum(t[0] * t[1])


@pytest.mark.parametrize("f", [search, by_key, taken_off, of_an_object, items_set], ids=lambda f: f.__name__)
def test_a_set_changes_nothing_else(f: Any) -> None:
    gradient, tangent = grad(f, check=False), jvp(f, wrt="x a", check=False)
    for x, a in ((X, 0.4), (-X[::-1], 1.3)):
        value, partials = gradient(x, a)
        h = 1e-6
        slope = (f(x + h * ALONG, a + h * 0.3) - f(x - h * ALONG, a - h * 0.3)) / (2 * h)
        assert value == f(x, a)
        np.testing.assert_allclose(partials.x @ ALONG + 0.3 * partials.a, slope, rtol=1e-6)
        np.testing.assert_allclose(tangent((ALONG, 0.3), x, a)[1], slope, rtol=1e-6)


def named_in_an_expression(x: Any, a: Any) -> Any:
    s: Any = set()
    xs = [x[0], x[1] * a]
    if s := xs:
        s.pop()
    return sum(xs)


def bound_by_a_loop(x: Any, a: Any) -> Any:
    s: Any = set()
    d = {"u": x[0]}
    for s in [d]:
        s.update(u=x[1] * a)
    return d["u"]


def bound_by_a_function(x: Any, a: Any) -> Any:
    s: Any = set()
    d = {"u": x[0]}

    def change() -> None:
        nonlocal s
        s = d

    change()
    s.update(u=x[1] * a)
    return d["u"]


def a_parameter_first(x: Any, a: Any) -> Any:
    def put(s: Any, v: Any) -> Any:
        s.insert(0, v)
        s = set()
        s.add(1)
        return len(s)

    t = [x[1]]
    return put(t, x[0] * a) * t[0]


@pytest.mark.parametrize("f", [named_in_an_expression, bound_by_a_loop, bound_by_a_function, a_parameter_first],
                         ids=lambda f: f.__name__)  # fmt: skip
def test_what_may_be_another_thing_is_followed_or_refused(f: Any) -> None:
    slope = (f(X + 1e-6 * ALONG, 0.4) - f(X - 1e-6 * ALONG, 0.4)) / 2e-6
    backward, forward = grad(f, check=False), jvp(f, wrt="x", check=False)
    for call in (lambda: backward(X, 0.4)[1].x @ ALONG, lambda: forward(ALONG, X, 0.4)[1]):
        try:
            found = call()
        except ADError:
            continue
        np.testing.assert_allclose(found, slope, rtol=1e-6)
