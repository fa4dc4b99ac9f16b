"""Names of a function around: read as they are at each call, and refused where they are set, in whatever way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from adcompile import ADError, grad

READ = """
def around(k):
    def f(x):
        nonlocal k
        return x * k
    def change(value):
        nonlocal k
        k = value
    return f, change
"""
SET = """
def around(k):
    def f(x):
        nonlocal k
        {line}
        return x
    return f
"""


def made(text: str) -> Any:
    scope: dict[str, Any] = {}
    exec(text, scope)
    return scope["around"](1.5)


def inner(text: str) -> str:
    """The text of the function inside, which is given to the compiler."""
    lines = text.partition("    def f(x):\n")[2].partition("    def change")[0].partition("    return f")[0]
    return "def f(x):\n" + "\n".join(line[4:] for line in lines.splitlines()) + "\n"


def test_what_is_declared_and_only_read_is_read_at_each_call() -> None:
    f, change = made(READ)
    gradient: Callable[..., Any] = grad(f, source=inner(READ))
    for value in (1.5, 3.0, 4):
        change(value)
        assert gradient(2.0) == (2.0 * value, (value,))


@pytest.mark.parametrize("line", [
    "k = x", "k += x", "for k in (1.0, 2.0): x = x * k", "import math as k", "def k(t): return t",
    "try: x = x / 0\n        except ZeroDivisionError as k: x = 1.0 * x", "del k", "class k: pass",
    "x = x * (k := 2.0)", "match x:\n            case k: pass", "match [x]:\n            case [*k]: pass",
])  # fmt: skip
def test_whatever_sets_one_is_refused(line: str) -> None:
    text = SET.format(line=line)
    with pytest.raises(ADError, match=r"an assignment to `k`, which lives outside|cannot"):
        grad(made(text), source=inner(text))(2.0)
