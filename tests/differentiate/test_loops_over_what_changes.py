"""Loops over lists, dicts, objects and arrays that the loop itself changes or replaces, at random, in both modes."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, GradientMismatchError, grad, jvp


class Held:
    def __init__(self, w: Any) -> None:
        self.w = w


def replaced_in_a_helper(held: Any, v: Any) -> None:
    held.w = [v, v * 2.0]


_MAKING = (
    "[x[0], x[1], x[2]]", "[x[0], 2.0, x[1]]", "(x[0], x[1], 3.0)", "[x[0], 2, x[1] * x[2]]", "x * s", "[s]", "list(x)",
)  # fmt: skip
_OVER = (
    ("for v in xs:", "xs"), ("for k, v in enumerate(xs):", "xs"), ("for v in held.w:", "held.w"),
    ("for v in xs[:2]:", "xs"), ("for v in list(xs):", "xs"), ("for v, u in zip(xs, xs[1:]):", "xs"),
    ("for name, v in zip('abc', held.w):", "held.w"), ("for k, v in d.items():", "d"), ("for v in d.values():", "d"),
    ("for k, v in enumerate(d.values()):", "d"), ("for v in list(d.values()):", "d"),
    ("for v in (d['a'], 2, d['b']):", "d"),
    ("for k in d:\n        v = d[k]", "d"), ("for k in range(len(xs)):\n        v = xs[k]", "xs"),
    ("for v in reversed(xs):", "xs"), ("for v in [xs[0], xs[-1], held.w[0]]:", "xs"),
    ("for k, v in ((1, xs[0]), (s, xs[-1] * s)):", "xs"), ("for k, v in ((2, held.w[0]), (s, held.w[1])):", "held.w"),
    ("for k, (v, u) in ((1, (d['a'], t)), (s, (d['b'], t * s))):", "d"), ("for k, v in ((s, y[0]), (2, y[1])):", "y"),
    ("for v, u in zip((y[0], y[1] * t), (1, s)):", "y"), ("for k, v in enumerate((2, y[0], t * s, y[2])):", "y"),
    ("for held, v in ((held, y[1]), (Held([s, t]), y[2] * t)):", "y"), ("for k, v in ((1, a), (s, a)):", "y"),
)  # fmt: skip
_CHANGES = {
    "xs": ("xs[-1] = v * s", "xs = xs[:2]", "xs = [v, v * 0.5]", "xs[0] = t", "ys = xs; ys[-1] = v", "held.w[0] = v"),
    "held.w": (
        "held.w = [v, s]", "held.w[-1] = v * s", "held = Held([s, v])", "replaced_in_a_helper(held, v)", "xs = [v]",
    ),
    "d": (
        "d['b'] = v * s", "d['c'] = t", "d = {'a': v, 'b': s, 'c': t}", "e = d; e['b'] = v",
        "d['a'], d['b'] = d['b'], v",
    ),
    "y": ("y *= s", "y[1:] = v", "np.multiply(y, s, out=y)", "z = y; z += t", "y = y * v", "a = a * s; y[0] = a"),
}  # fmt: skip


def written(draw: random.Random) -> str:
    """A function with two loops over what they change, by themselves or under another name."""
    lines = [
        f"    xs, held = {draw.choice(_MAKING)}, Held({draw.choice(_MAKING)})",
        "    y, a = x * s, s * s",
        f"    d, t = {{'a': x[0], 'b': {draw.choice(['x[1]', '2.0', 's'])}, 'c': x[2]}}, 0.0",
    ]
    for _ in range(2):
        header, over = draw.choice(_OVER)
        change = draw.choice(_CHANGES[over if draw.random() < 0.8 else draw.choice(list(_CHANGES))])
        body = [f"t = t + v * v * {draw.choice(['s', '2.0', '1.0'])}", *change.split("; ")]
        if draw.random() < 0.3:
            body.insert(draw.randrange(3), "if t > 4.0: break")
        lines += [f"    {header}", *(f"        {line}" for line in body)]
    end = "    return t + sum(d.values()) + sum(xs) + 2.0 * sum(held.w) + y[0] * y[1] * a\n"
    return "\n".join(["def f(x, s):", *lines, end])


def outcome(number: int) -> str:
    """Whether a program raises, is refused, or is right; anything else is an AssertionError."""
    text = written(random.Random(number))
    space: dict[str, Any] = {"np": np, "Held": Held, "replaced_in_a_helper": replaced_in_a_helper}
    exec(compile(text, "<written>", "exec"), space)
    f = space["f"]
    gradient, tangent = grad(f, source=text, check=False), jvp(f, source=text, check=False)
    random_numbers = np.random.default_rng(number)
    s, said = 0.7, "right"
    for x in 0.8 * random_numbers.normal(size=(2, 4)) + 0.3:
        try:
            expected = f(x, s)
        except (KeyError, IndexError, TypeError, RuntimeError, ValueError):
            return "raises"
        slopes = [(f(x + step, s) - f(x - step, s)) / 2e-6 for step in 1e-6 * np.eye(4)]
        try:
            value, partials = gradient(x, s)
            assert value == pytest.approx(expected, rel=1e-12), text
            assert list(partials.x) == pytest.approx(slopes, rel=1e-4, abs=1e-5), text
        except GradientMismatchError:
            raise
        except ADError:
            said = "refused"
        try:
            value, dot = tangent((np.ones(4), 0.0), x, s)
        except ADError:
            return f"{said}, refused in forward mode"
        assert value == pytest.approx(expected, rel=1e-12), text
        assert dot == pytest.approx(sum(slopes), rel=1e-4, abs=1e-5), text
    return said


@pytest.mark.parametrize("first", range(0, 80, 4))
def test_programs_at_random(first: int) -> None:
    for number in range(first, first + 4):
        outcome(number)


@pytest.mark.slow
def test_many_are_differentiated() -> None:
    assert sum(outcome(number) == "right" for number in range(100, 140)) >= 12
