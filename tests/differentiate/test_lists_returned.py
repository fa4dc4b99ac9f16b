"""Lists that a loop fills and the function returns: the seed of each item reaches what made it.

The adjoint of such a list comes from outside, and each step takes its own off the end. Each item has another seed, so
that it shows where one goes to the wrong step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, jvp, vjp

X = np.array([1.0, 2.0, 3.0])
ALONG = np.array([0.3, -1.0, 0.7])


def appended(x: Any, a: Any, n: int) -> Any:
    out = []
    for k in range(n):
        out.append(x * a**k)  # noqa: PERF401 - the loop is what is tried
    return out


def beside_a_number(x: Any, a: Any, n: int) -> Any:
    out = []
    for k in range(n):
        out.append(x * a**k)  # noqa: PERF401 - the loop is what is tried
    return out, a * 2


def two_in_each_step(x: Any, a: Any, n: int) -> Any:
    out = []
    for k in range(n):
        out.append(x * a**k)
        out.append(x[k] * a)
    return out


def pairs(x: Any, a: Any, n: int) -> Any:
    out = []
    for k in range(n):
        out.append((x * a**k, a * x[k]))  # noqa: PERF401 - the loop is what is tried
    return out


def in_a_dict(x: Any, a: Any, n: int) -> Any:
    out: dict[str, Any] = {"items": []}
    for k in range(n):
        out["items"].append(x * a**k)
    return out


def in_front(x: Any, a: Any, n: int) -> Any:
    out = [x[0]]
    for k in range(n):
        out.insert(0, a**k * x[k])
    return out


def joined(x: Any, a: Any, n: int) -> Any:
    out: list[Any] = []
    for k in range(n):
        out += [a**k * x]
    return tuple(out)


def stacked(x: Any, a: Any, n: int) -> Any:
    out = []
    for k in range(n):
        out.append(a**k * x)  # noqa: PERF401 - the loop is what is tried
    return np.stack(out)


def turned(x: Any, a: Any, n: int) -> Any:
    out = []
    for k in range(n):
        out.append(a**k * x)  # noqa: PERF401 - the loop is what is tried
    out.reverse()
    return out


def twice(x: Any, a: Any, n: int) -> Any:
    out = []
    for k in range(n):
        out.append(a**k * x)  # noqa: PERF401 - the loop is what is tried
    return out[1:], out


def some_of_them(x: Any, a: Any, n: int) -> Any:
    out = []
    for k in range(2 * n):
        if k % 2:
            out.append(a**k * x)  # noqa: PERF401 - the loop is what is tried
    return out


def comprehended(x: Any, a: Any, n: int) -> Any:
    return [v * a**k for k, v in enumerate(x[:n])], [x * a**k for k in range(n)]


def in_a_while_loop(x: Any, a: Any, n: int) -> Any:
    out, k = [], 0
    while k < n:
        out.append(a**k * x)
        k += 1
    return out


def numbers(value: Any) -> Any:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return np.concatenate([numbers(item) for item in value]) if value else np.zeros(0)
    return np.ravel(value)


def seed_like(value: Any, rng: np.random.Generator) -> Any:
    if isinstance(value, dict):
        return {key: seed_like(item, rng) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(seed_like(item, rng) for item in value)
    return rng.normal(size=np.shape(value)) if np.ndim(value) else float(rng.normal())


@pytest.mark.parametrize("f", [
    appended, beside_a_number, two_in_each_step, pairs, in_a_dict, in_front, joined, stacked, turned, twice,
    some_of_them, comprehended, in_a_while_loop,
], ids=lambda f: f.__name__)  # fmt: skip
def test_seeds_reach_the_step_that_made_the_item(f: Callable[..., Any]) -> None:
    pulled, moved, rng = vjp(f, check=False), jvp(f, wrt="x a", check=False), np.random.default_rng(1)
    for n in (3, 1, 2):
        value = f(X, 0.5, n)
        seed = seed_like(value, rng)
        partials = pulled(seed, X, 0.5, n)[1]
        _, tangent = moved((ALONG, 0.4), X, 0.5, n)
        h = 1e-6
        slope = (numbers(f(X + h * ALONG, 0.5 + h * 0.4, n)) - numbers(f(X - h * ALONG, 0.5 - h * 0.4, n))) / (2 * h)
        np.testing.assert_allclose(numbers(tangent), slope, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(partials.x @ ALONG + 0.4 * partials.a, numbers(seed) @ slope, rtol=1e-6)


def first_of_each(x: Any, a: Any) -> Any:
    seen: set[int] = set()
    kept = []
    for k, v in enumerate(x):
        if k % 2 not in seen:
            (seen.add if a > 0 else seen.discard)(k % 2)
            kept.append(v * a)
    return sum(kept)


def test_forward_mode_loses_no_list_of_which_nothing_is_known() -> None:
    """A call of what is not known may change any list. What is put into one then has a tangent, or is refused."""
    try:
        _, tangent = jvp(first_of_each, wrt="x a", check=False)((ALONG, 0.4), X, 0.5)
    except ADError as refusal:
        assert "cannot differentiate this update in place" in str(refusal)  # noqa: PT017 - or it is followed
    else:
        np.testing.assert_allclose(tangent, 0.5 * (ALONG[0] + ALONG[1]) + 0.4 * (X[0] + X[1]))
