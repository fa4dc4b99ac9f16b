"""What is evaluated when, and whether at all: calls with effects in defaults, by keyword and in displays, at random."""

from __future__ import annotations

import contextlib
import functools
import math
import random
from collections import namedtuple
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, grad, jvp

Pair = namedtuple("Pair", "a b")  # noqa: PYI024 - as many write it


@dataclass
class Held:
    a: Any
    b: Any = 1.0


def weighed(a: Any, b: Any = 2.0, *, c: Any = 3.0) -> Any:
    return a - 2.0 * b + 7.0 * c


def alternating(first: Any, *others: Any) -> Any:
    return first - sum(v * (-2.0) ** k for k, v in enumerate(others))


_TAKES = ("items.pop()", "items.pop(0)", "counted(x[1])", "counted(items[0])", "counted(2.0)")
_LINES = (
    "a = d.get('k', {t})", "a = d.get('z', {t})", "a = table.get(0, {t})", "a = table.get(9, {t})",
    "a = d.pop('k', {t}); d['k'] = a", "a = d.pop('z', {t})", "a = d.setdefault('k', {t})",
    "a = items[-1] * d.get('k', {t}) + items[-1]", "a = count[0] * d.get('z', {t}) - count[0] * x[0]",
    "p = Pair(x[0], x[1])._replace(b={t}, a={t}); a = p.a - 2.0 * p.b", "p = Pair(b={t}, a={t}); a = p.a - 2.0 * p.b",
    "p = replace(Held(x[0], x[1]), b={t}, a={t}); a = p.a - 2.0 * p.b", "p = Held(b={t}, a={t}); a = p.a - 2.0 * p.b",
    "a = weighed(c={t}, b={t}, a={t})", "a = weighed({t}, c={t})", "q = dict(b={t}, a={t}); a = q['a'] - 2.0 * q['b']",
    "a = max([v for v in x if v > 0.5], default={t})", "a = min([v for v in x if v > 9.0], default={t})",
    "a = functools.reduce(lambda u, v: u * v, x, {t})", "a = sum((v * v for v in x), {t})",
    "a = {t} - 2.0 * {t}", "a = [{t}, {t}][0]", "a = ({t}, x[0])[1]", "a = {t} if items[-1] > 0.4 else {t} * 2.0",
    "a = next((v for v in x if v > 0.9), d['k']) * {t}", "items[0] += {t}; a = items[0]",
    "for k, v in ((2.0, {t}), (x[0], items[0])): a = a * 0.5 + k * v; items[0] = v * 3.0",
    "for k, v in zip(('u', 'v'), ({t}, {t})): a = a * 0.5 + v if k == 'u' else a - v",
    "a, items[0] = {t}, items[-1]", "a = -1.0 < {t} < {t}; a = x[0] if a else x[1]",
    "a = x[0] if -5.0 < x[1] < {t} < {t} else x[1]", "a = x[0] if items[-1] > 0.4 and {t} > 0.2 else x[1]",
    "a = x[0] if items[-1] > 0.4 or {t} > 0.2 else x[1]", "while -1.0 < a < 2.0 and {t} > 0.0: a = a + 1.0",
    "while a < x[1] < {t}: a = a + 1.0", "a = x[0] + sum([v for v in (0.1, 0.2) if 0.1 < v < {t}])",
    "a = x[0] * any(v > {t} for v in x)", "a = x[0] * all(v < {t} for v in x)", "a = sum(v * {t} for v in x[:2])",
    "a = max(x[:2], key=lambda v: v * {t})", "a = sorted(x[:3], key=lambda v: -v)[0] * {t}",
    "q = [*x[:2], {t}, *x[2:]]; a = q[2] - q[3]", "(a, b), c = ({t}, x[0]), {t}; a = a - 2.0 * b * c",
    "a = (lambda u, w=2.0: u - w)({t}, {t})", "a = {t}; a -= {t} * items[-1]", "a = items[-1] * {t} - items[-1]",
    "items[-1], items[-2] = {t}, x[0]; a = items[-1]", "items[int(0 * {t})] = {t}; a = items[0]",
    "a = a - {t} if items[0] > 0.5 else a + x[0]", "q = {'u': {t}, 'v': {t}}; a = q['u'] - 2.0 * q['v']",
    "a = [{t} for _ in range(2)][0] - items[-1]", "a = (items[-1] and {t}) - 2.0", "a = (items[0] > 9.0 or {t}) * 1.0",
    "a = 0.5 * items.pop() ** 2 if 0.3 < {t} else {t}", "a = min({t}, {t}) - items[-1]", "a = abs({t}) * {t} - {t}",
    "q = [*items, {t}]; a = q[-1] - 2.0 * q[0] + q[-2]", "q = (*items, {t}, *items); a = q[1] - q[-1] * q[-2]",
    "a = alternating(*items[-3:], {t})", "a = alternating(*items, {t}) * 0.001", "a = weighed(*items[:2], c={t})",
    "a = alternating({t}, *items[:2], {t})", "a = alternating({t}, items[0], *items[:2], {t}, *items[:1])",
    "a = weighed(*items[-1:], {t})", "a = max(*items, {t}) - min(*items[:2], {t})",
    "q = {**d, 'z': {t}}; a = q['k'] - 2.0 * q['z']", "a = {t} - 2.0 * (b := {t}) * b", "a = max({t}, (b := {t})) - b",
    "q = [{t}, (b := {t}), {t}]; a = q[0] - 2.0 * q[1] + b * q[2]", "a = x[0] if {t} > (b := {t}) else b",
    "a = items[-1] - (b := {t}) * items[-1] + b", "a = alternating({t}, *items[:2], (b := {t})) - b",
    "a = d['k'] * weighed({t}, c=(b := {t})) - b", "q = np.zeros(2); np.add({t}, [{t}, 1.0], out=q); a = q[0] - q[1]",
    "q = np.array([{t}, {t}]); a = q[0] - 2.0 * q[1]", "a = np.dot(b=[{t}, 1.0], a=[2.0, {t}])",
)  # fmt: skip


def written(draw: random.Random) -> str:
    """A function of three lines in which items are taken off a list, and calls are counted."""
    lines = [
        "    items, d, table, count = [v * s for v in [*x, *x, *x, *x, *x]], {'k': x[0] * s}, {}, [1.0]",
        "    def counted(v):\n        count[0] += 1.0\n        return v * count[0]",
        "    for k, v in enumerate(x):\n        table[k % 2] = v * s",
        "    a, total = 0.0, 0.0",
    ]
    for _ in range(3):
        line = draw.choice(_LINES)
        while "{t}" in line:
            line = line.replace("{t}", draw.choice(_TAKES), 1)
        lines += [f"    {line}", "    total = total * 0.5 + a * a"]
    end = "    return total + sum(k * v for k, v in enumerate(items)) + count[0] * d['k']\n"
    return "\n".join(["def f(x, s):", *lines, end])


def outcome(number: int) -> str:
    """Whether a program raises, is refused or is right; anything else is an AssertionError."""
    text = written(random.Random(number))
    space: dict[str, Any] = {
        "functools": functools, "np": np, "Pair": Pair, "Held": Held, "replace": replace, "weighed": weighed,
        "alternating": alternating,
    }  # fmt: skip
    exec(compile(text, "<written>", "exec"), space)
    f = space["f"]
    gradient, tangent = grad(f, source=text, check=False), jvp(f, source=text, check=False)
    random_numbers = np.random.default_rng(number)
    s, said = 0.7, "right"
    for x in 0.8 * random_numbers.normal(size=(2, 4)) + 0.3:
        try:
            expected = f(x, s)
        except (IndexError, UnboundLocalError):
            return "raises"
        slopes = [(f(x + step, s) - f(x - step, s)) / 2e-6 for step in 1e-6 * np.eye(4)]
        try:
            value, partials = gradient(x, s)
            assert value == pytest.approx(expected, rel=1e-12), text
            assert list(partials.x) == pytest.approx(slopes, rel=1e-4, abs=1e-5), text
        except ADError:
            said = "refused"
        try:
            value, dot = tangent((np.ones(4), 0.0), x, s)
        except ADError:
            return f"{said}, refused in forward mode"
        assert value == pytest.approx(expected, rel=1e-12), text
        assert dot == pytest.approx(sum(slopes), rel=1e-4, abs=1e-5), text
    return said


def weights_by_keyword(x: Any, rng: Any) -> Any:
    return np.sum(weighed(c=rng.normal(), b=rng.uniform() * x, a=x * rng.normal()))


def number_put_where_a_draw_says(x: Any, rng: Any) -> Any:
    y = x * 1.0
    y[y > rng.normal()] = rng.normal()
    y[rng.integers(0, 3)] += rng.normal() * x[rng.integers(0, 3)]
    y[rng.integers(0, 3)] = rng.normal() * x[rng.integers(0, 3)]
    return np.sum(y * x)


def items_exchanged_by_draws(x: Any, rng: Any) -> Any:
    y = x * 1.0
    y[rng.integers(0, 3)], y[rng.integers(0, 3)] = x[rng.integers(0, 3)] * rng.normal(), rng.normal()
    return np.sum(y * x)


def written_where_a_draw_says(x: Any, rng: Any) -> Any:
    y = np.add(x * rng.normal(), rng.normal(), where=rng.uniform(size=3) > 0.5, out=np.zeros(3))
    np.exp(x * rng.normal(), out=y, where=rng.uniform(size=3) > 0.5)
    return np.sum(y * np.multiply(x, x + rng.normal(), out=rng.normal(size=3)))


def draws_within_draws(x: Any, rng: Any) -> Any:
    largest = max([rng.normal() for _ in range(3)], key=lambda v: v * rng.normal())
    chain = rng.normal() < rng.normal() < rng.normal()
    either = rng.normal() if rng.uniform() > 0.5 or rng.uniform() > 0.5 else rng.uniform()
    return np.sum(x * largest) * rng.normal() + chain * x[0] * either


def draws_beside_a_helper_that_draws(x: Any, rng: Any) -> Any:
    return np.sum(weighed(noisy(x, rng), c=rng.normal(), b=noisy(x, rng)) * rng.uniform())


def noisy(x: Any, rng: Any) -> Any:
    return x * rng.normal() if rng.uniform() > 0.3 else x + rng.normal()


def sums_of_draws(x: Any, rng: Any) -> Any:
    plain = np.sum(x) * rng.normal() + sum(v * rng.normal() for v in x) * rng.normal()
    mapped = x[0] * rng.normal() + max(map(functools.partial(noisy, rng=rng), x)) * rng.normal()
    from_a_draw = sum((v * rng.normal() for v in x * rng.normal()), rng.normal() * x[0])
    either = x[1] * rng.normal() + (sum([v * rng.normal() for v in x]) if rng.normal() < 0 else max(x * rng.normal()))
    return plain * mapped + from_a_draw * either


def lists_and_dicts_of_draws(x: Any, rng: Any) -> Any:
    others = {"q": x[0], "r": x[1]}
    a = [x[0] * rng.normal(), *[v * rng.normal() for v in x], x[1] * rng.normal()]
    b = [x[2] * rng.normal(), *x, sum(v * rng.normal() for v in x)]
    d = {"a": x[0] * rng.normal(), "b": sum(v * rng.normal() for v in x), **others, "c": x[1] * rng.normal()}
    length = math.hypot(x[0] * rng.normal(), *[v * rng.normal() for v in x]) * rng.normal()
    return a[0] * 3 + a[1] - a[2] * a[3] * a[4] + b[0] * b[-1] + d["a"] * 3 + d["b"] * d["c"] * d["q"] + length


def sums_of_draws_put_where_a_draw_says(x: Any, rng: Any) -> Any:
    y = x * 1.0
    y[rng.integers(0, 3)] += sum(v * rng.normal() for v in x)
    y[int(sum(abs(rng.normal()) for v in x)) % 3] = rng.normal() * x[0]
    y[rng.integers(0, 3)] = sum(v * rng.normal() for v in x)
    return np.sum(y * x)


def drawn_in_turn(x: Any, rng: Any) -> Any:
    total = x[0]
    for k, v in enumerate(v * rng.normal() for v in x):
        total = total + k * v * rng.normal()
    return total


def some_drawn_in_turn(x: Any, rng: Any) -> Any:
    total = x[0]
    for k, v in enumerate(v * rng.normal() for v in x if v > 0.1):
        total = total + k * v * rng.normal()
    return total


def drawn_by_a_loop_alone(x: Any, rng: Any) -> Any:
    total = x[0]
    for k, v in enumerate(v * rng.normal() for v in x):
        total = total + k * v * v
    for a, b in zip((v * v for v in x), map(np.exp, x), strict=True):
        total = total + a * b * rng.normal()
    return total


def default_drawn_in_vain(x: Any, rng: Any) -> Any:
    d = {"a": x[0]}
    return d.get("a", rng.normal()) * x[1] * rng.normal() + d.get("b", x[2] * rng.normal())


def caught_between_draws(x: Any, rng: Any) -> Any:
    try:
        first = x[rng.integers(0, 6)] * rng.normal()
    except IndexError:
        first = x[0] * rng.normal() * 3
    second = first * rng.normal()
    with contextlib.suppress(IndexError):
        if second < 1.0:
            second = x[rng.integers(0, 6)] * rng.normal() * x[rng.integers(0, 6)]
    return first * second * rng.normal()


def caught_around_a_helper(x: Any, rng: Any) -> Any:
    try:
        return item_drawn(x, rng) * rng.normal()
    except IndexError:
        return np.sum(x * x) * rng.normal()


def item_drawn(x: Any, rng: Any) -> Any:
    total = 0.0
    for v in x:
        total = total + x[rng.integers(0, 4)] * rng.normal() * np.sin(v)
    return total * x[rng.integers(0, 4)] * noisy(x[0], rng)


def test_a_loop_that_draws_in_turn_with_its_items_is_refused() -> None:
    with pytest.raises(ADError, match="draws in turn"):
        grad(some_drawn_in_turn, wrt="x")(np.array([0.3, 0.8]), np.random.default_rng(0))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "function",
    [
        sums_of_draws,
        drawn_in_turn,
        lists_and_dicts_of_draws,
        sums_of_draws_put_where_a_draw_says,
        drawn_by_a_loop_alone,
        default_drawn_in_vain,
        caught_between_draws,
        caught_around_a_helper,
        weights_by_keyword,
        number_put_where_a_draw_says,
        items_exchanged_by_draws,
        written_where_a_draw_says,
        draws_within_draws,
        draws_beside_a_helper_that_draws,
    ],
)
def test_random_numbers_are_drawn_in_the_order_of_the_function(function: Any, seed: int) -> None:
    x, direction = np.array([0.3, 0.8, 1.2]), np.array([0.4, -0.5, 0.9])

    def along(t: float) -> Any:
        return function(x + t * direction, np.random.default_rng(seed))

    own, in_reverse, forward = (np.random.default_rng(seed) for _ in range(3))
    expected = function(x, own)
    slope = (along(1e-5) - along(-1e-5)) / 2e-5
    value, partials = grad(function, wrt="x", check=False, cache=False)(x, in_reverse)
    tangent = jvp(function, wrt="x", check=False, cache=False)(direction, x, forward)
    assert value == pytest.approx(expected, rel=1e-12)
    assert tangent[0] == pytest.approx(expected, rel=1e-12)
    assert partials.x @ direction == pytest.approx(slope, rel=1e-6, abs=1e-8)
    assert tangent[1] == pytest.approx(slope, rel=1e-6, abs=1e-8)
    assert in_reverse.bit_generator.state == own.bit_generator.state == forward.bit_generator.state


@pytest.mark.parametrize("first", range(0, 80, 4))
def test_programs_at_random(first: int) -> None:
    for number in range(first, first + 4):
        outcome(number)


@pytest.mark.slow
def test_many_are_differentiated() -> None:
    assert sum(outcome(number) == "right" for number in range(100, 140)) >= 20
