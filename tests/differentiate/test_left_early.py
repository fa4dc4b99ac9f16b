"""Loops that are left early, by `return`, `break`, `else` and exceptions, with what is set on the way, at random.

What is set right before a loop is left has no tape, and of what a function returns the adjoint is not cleared behind
the one assignment that was executed (`analyses/exclusive.py`): here are programs in which either would be wrong where
that is not seen, on several sets of arguments each.
"""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, grad, jvp

FORMS = {
    "number": ("{a}", "y"),
    "array": ("{a} * x[:2] + {b}", "np.sum(y * y) + y[0]"),
    "list": ("[{a} * k + {b} for k in range(n)]", "sum(v * v for v in y) + y[-1]"),
    "pair": ("({a} * x, {b})", "np.sum(y[0]) * y[1]"),
    "nested": ("([{a}, {b}], {{'u': x * {a}}})", "y[0][0] * y[0][1] + np.sum(y[1]['u'])"),
}
_NUMBERS = ("s", "s * t", "x[0] * s", "w[k % 3] * t", "np.sin(s)", "x[k % 3] + t", "2.0 * t", "u[1] * s")
_TESTS = ("s > 1.2", "t < 0.6", "w[k % 3] > 0.9", "k == 2", "s * t > 0.8", "np.sum(x) > 4.0", "k % 2 == 1 and s > 0.7")


class _Writer:
    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.form = self.draw.choice(list(FORMS))
        self.flags = 0

    def number(self) -> str:
        return self.draw.choice(_NUMBERS)

    def value(self) -> str:
        return FORMS[self.form][0].format(a=self.number(), b=self.number())

    def block(self, depth: int, *, in_loop: bool, indent: str) -> list[str]:
        lines: list[str] = []
        for _ in range(self.draw.randint(1, 3)):
            lines += self.statement(depth, in_loop=in_loop, indent=indent)
        return lines

    def leaving(self, indent: str, *, in_loop: bool) -> list[str]:
        ways = [f"return {self.value()}", f"return {self.value()}"]
        if in_loop:
            ways += ["break", "continue", f"y = {self.value()}; break", f"s = {self.number()}; break"]
        return [indent + part for part in self.draw.choice(ways).split("; ")]

    def statement(self, depth: int, *, in_loop: bool, indent: str) -> list[str]:
        kind = self.draw.choice(["set", "set", "set", "leave", "leave", "branch", "loop", "loop", "while", "try"])
        inner = indent + "    "
        if depth == 0 and kind in ("branch", "loop", "while", "try"):
            kind = "leave"
        match kind:
            case "leave":
                leaving = self.leaving(inner, in_loop=in_loop)
                return [f"{indent}if {self.draw.choice(_TESTS)}:", *leaving]
            case "branch":
                then = self.block(depth - 1, in_loop=in_loop, indent=inner)
                orelse = self.block(depth - 1, in_loop=in_loop, indent=inner)
                return [f"{indent}if {self.draw.choice(_TESTS)}:", *then, f"{indent}else:", *orelse]
            case "loop":
                name = self.draw.choice(["k", "j"])
                head = f"{indent}for {name} in range({self.draw.choice(['3', '4', 'n'])}):"
                lines = [head, *self.block(depth - 1, in_loop=True, indent=inner)]
                if self.draw.random() < 0.3:
                    lines += [f"{indent}else:", *self.block(0, in_loop=False, indent=inner)]
                return lines
            case "while":
                self.flags += 1
                count = f"c{self.flags}"
                body = self.block(depth - 1, in_loop=True, indent=inner)
                return [f"{indent}{count} = 0", f"{indent}while {count} < 4:", f"{inner}{count} += 1", *body]
            case "try":
                body = self.block(depth - 1, in_loop=in_loop, indent=inner)
                fails = [f"{inner}if {self.draw.choice(_TESTS)}:", f"{inner}    raise ValueError"]
                end = self.draw.choice(["except ValueError:", "finally:"])
                return [f"{indent}try:", *body, *(fails if end[0] == "e" else []), indent + end, f"{inner}t = t * 0.9"]
        lines = ["s = s * 1.1 + 0.1", "t = t + 0.3 * s", "t = t * 0.8", "x = x * 1.1", f"y = {self.value()}"]
        lines += ["s = s + y_of(y)", "u = u * 0.9 + x[:2]", "k = k + 1"]
        return [indent + self.draw.choice(lines)]

    def program(self) -> str:
        start, reduced = FORMS[self.form]
        own = self.block(3, in_loop=False, indent="    ")
        first = start.format(a="s", b="t")
        called = self.draw.choice(
            [
                "    y = g(x, w, n, 0)\n    return y_of(y)\n",
                (
                    "    total = 0.0\n    for i in range(3):\n        y = g(x + 0.2 * i, w, n, i)\n"
                    "        total = total * 0.7 + y_of(y)\n    return total\n"
                ),
            ]
        )
        return (
            f"def y_of(y):\n    return {reduced}\n\n\n"
            f"def g(x, w, n, k):\n    s = x[0]\n    t = w[1]\n    u = x[:2] * 0.5\n    y = {first}\n"
            + "\n".join(own)
            + f"\n    return {self.draw.choice(['y', self.value()])}\n\n\n"
            + f"def f(x, w, n):\n{called}"
        )


def _made(text: str, seed: int) -> Callable[..., Any]:
    name = f"<left early {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {"np": np, "__name__": "left_early"}
    exec(compile(text, name, "exec"), space)
    made: Callable[..., Any] = space["f"]
    return made


def _slope(f: Callable[..., Any], x: Any, w: Any, n: int, v: Any, u: Any) -> float | None:
    """The slope along a direction; None where two steps do not agree: at a step of the function."""

    def at(h: float) -> float:
        return float(f(x + h * v, w + h * u, n))

    near, far = ((at(h) - at(-h)) / (2 * h) for h in (1e-5, 4e-5))
    middle, sides = at(0.0), [at(1e-5), at(-1e-5)]
    is_smooth = abs(near - far) <= 1e-4 * max(1.0, abs(near)) and max(abs(e - middle) for e in sides) < 1e-2
    return near if is_smooth and abs(near) < 1e4 else None


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(150))
def test_left_early(seed: int) -> None:
    text = _Writer(seed).program()
    f = _made(text, seed)
    gradient, tangent = (made(f, wrt="x w", check=False, cache=False) for made in (grad, jvp))
    draw = np.random.default_rng(seed)
    for _ in range(4):
        x, w, v, u = (draw.uniform(0.3, 1.6, 3) for _ in range(4))
        try:
            expected = _slope(f, x, w, 2, v, u)
        except ValueError:
            continue
        try:
            value, partials = gradient(x.copy(), w.copy(), 2)
            along = tangent((v, u), x.copy(), w.copy(), 2)[1]
        except ADError as refusal:
            pytest.skip(f"refused: {str(refusal).splitlines()[0]}")
        assert np.array_equal(value, f(x, w, 2), equal_nan=True), text
        if expected is not None:
            found = float(np.sum(partials.x * v) + np.sum(partials.w * u))
            assert found == pytest.approx(expected, rel=2e-4, abs=2e-4), text
            assert float(along) == pytest.approx(found, rel=1e-9, abs=1e-9), text
