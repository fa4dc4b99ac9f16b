"""Ways out of loops and of `try`: random programs of `break`, `continue`, `return` and `raise` at every depth.

Each is called with the arguments of several paths in turn, and compared with the function and its differences.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, grad, jvp

GIVEN = [(0.4, -0.7, 0.8), (1.9, 0.3, -0.6), (-1.2, 1.4, 1.1), (0.1, 0.2, 0.3)]
ALONG = np.array([0.7, -0.4, 0.9])
REFUSED = ["different shapes at different times", "Which part of which value is changed"]  # lists beside a way out
Lines = Iterator[str]


class Writer:
    """Writes the body of one program."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.loops = 0

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def number(self) -> str:
        return f"{self.rng.uniform(-1.5, 2.0):.2f}"

    def test(self) -> str:
        c = self.number()
        return self.pick(f"u > {c}", f"v < {c}", f"u * v > {c}", "k % 2 == 0", "k % 3 == 1", "len(xs) > 2")

    def effect(self) -> str:
        u, v = self.pick("uv", "vu")
        c = self.number()
        return self.pick(
            *(f"{u} = {u} * a + {c}", f"{u} = 0.5 * {u} - 0.3 * {v}", f"{u} += 0.2 * {v} * a", f"xs.append({u} * a)"),
            *(f"{u} = np.sin({u}) + 0.1 * {v}", f"{v} = 0.7 * {u} + 0.4", f"{u} += (xs.pop() if xs else a) * 0.3"),
        )

    def way_out(self, *, in_loop: bool, in_try: bool) -> str:
        ways = [f"return {self.pick('u', 'v')} * {self.pick('a', 'u', 'v')}", "pass"]
        ways += ["break", "break", "continue"] * in_loop + ["raise ValueError(k)"] * in_try
        return self.pick(*ways)

    def block(self, depth: int, *, in_loop: bool = False, in_try: bool = False) -> Lines:
        for _ in range(self.rng.randrange(1, 4)):
            within = {"in_loop": in_loop, "in_try": in_try}
            kind = self.rng.random() if depth < 4 else 0.0
            if kind < 0.35:
                yield self.effect()
            elif kind < 0.6:
                yield f"if {self.test()}:"
                yield from self.inside(self.effect(), self.way_out(**within))
                if self.rng.random() < 0.3:
                    yield "else:"
                    yield from self.inside(*self.block(depth + 1, **within))
            elif kind < 0.8 and depth < 3:
                yield from self.loop(depth, **within)
            else:
                yield from self.attempt(depth, **within)

    def loop(self, depth: int, *, in_loop: bool, in_try: bool) -> Lines:
        self.loops += 1
        counted = f"for i{self.loops} in range({self.rng.randrange(1, 4)}):"
        head = self.pick(counted, f"while {self.test()} and k < 25:", "while True:")
        yield head
        end = ["k += 1", "if k > 30:", f"    {self.pick('break', 'return u + v')}"]  # it may not end by itself
        body = [*end, *self.block(depth + 1, in_loop=True, in_try=in_try)]
        if self.rng.random() < 0.4:
            body = ["try:", *self.inside(*body), "finally:", f"    {self.effect()}"]
        yield from self.inside(*body)
        if head != "while True:" and self.rng.random() < 0.3:
            yield "else:"
            yield from self.inside(*self.block(depth + 1, in_loop=in_loop, in_try=in_try))

    def attempt(self, depth: int, *, in_loop: bool, in_try: bool) -> Lines:
        if self.rng.random() < 0.2:
            yield "with np.errstate(all='ignore'):"
            yield from self.inside(*self.block(depth + 1, in_loop=in_loop, in_try=in_try))
            return
        handled, settled = self.rng.random() < 0.6, self.rng.random() < 0.6
        yield "try:"
        yield from self.inside(*self.block(depth + 1, in_loop=in_loop, in_try=handled or in_try))
        if handled:
            yield "except ValueError:"
            yield from self.inside(*self.block(depth + 1, in_loop=in_loop, in_try=in_try))
        if settled or not handled:
            yield "finally:"
            yield from self.inside(self.effect(), f"if {self.test()}:", f"    {self.effect()}")

    @staticmethod
    def inside(*lines: str) -> Lines:
        return (f"    {line}" for line in lines)

    def program(self) -> str:
        start, end = "k, xs = 0, [u * 1.0, v]", "return u + v * a + sum(xs)"
        lines = self.inside(start, *self.loop(0, in_loop=False, in_try=False), *self.block(2), end)
        return "\n".join(["def f(u, v, a):", *lines, ""])


def called(call: Any, *args: Any) -> Any:
    try:
        return call(*args)
    except ValueError as error:
        return error


@pytest.mark.parametrize("seed", range(32))
def test_ways_out(seed: int) -> None:
    text = Writer(seed).program()
    scope: dict[str, Any] = {"np": np}
    exec(text, scope)
    f = scope["f"]
    gradient, tangent = grad(f, source=text, check=False), jvp(f, source=text, check=False)
    for given in GIVEN:
        wanted = called(f, *given)
        try:
            made = called(gradient, *given)
        except ADError as refusal:
            assert any(reason in str(refusal) for reason in REFUSED), refusal  # noqa: PT017 - not what is looked for
            return
        if isinstance(wanted, ValueError):
            assert isinstance(made, ValueError), text
            assert isinstance(called(tangent, tuple(ALONG), *given), ValueError), text
            continue
        value, partials = made
        slope = sum(p * d for p, d in zip(partials, ALONG, strict=True))
        np.testing.assert_allclose(value, wanted, rtol=1e-9, err_msg=text)
        np.testing.assert_allclose(tangent(tuple(ALONG), *given)[1], slope, rtol=1e-9, atol=1e-12, err_msg=text)
        ends = [called(f, *(float(t) for t in np.array(given) + h * ALONG)) for h in (1e-6, -1e-6, 3e-6, -3e-6)]
        if any(isinstance(end, ValueError) for end in ends):
            continue
        near, far = (ends[0] - ends[1]) / 2e-6, (ends[2] - ends[3]) / 6e-6
        if abs(near - far) < 1e-5 * (1 + abs(near)):  # else a path ends here
            np.testing.assert_allclose(slope, near, rtol=1e-4, atol=1e-4, err_msg=text)
