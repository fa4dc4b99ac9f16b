"""Programs of very many functions, and functions in which much is nested in each other."""

from __future__ import annotations

import linecache
import math
import sys
import threading
from typing import Any

import numpy as np
import pytest

import adcompile.depth
from adcompile import grad
from adcompile.depth import with_room
from adcompile.errors import UnsupportedError


def made(name: str, text: str) -> Any:
    """The function `f` of a text, which is kept where tracebacks look for it."""
    filename = f"<deep {name}>"
    linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
    space: dict[str, Any] = {"math": math, "np": np, "__name__": "deep"}
    exec(compile(text, filename, "exec"), space)
    return space["f"]


def slope(f: Any, x: float) -> float:
    """The central difference of a function of one number."""
    return float((f(x + 1e-6) - f(x - 1e-6)) / 2e-6)


def check(f: Any, x: float) -> None:
    """Compare value and partial with the function and its difference."""
    value, partials = grad(f)(x)
    assert value == f(x)
    assert partials.x == pytest.approx(slope(f, x), rel=1e-6, abs=1e-6)


def helpers(count: int, body: str) -> str:
    """So many functions of one number, and one that adds up what they return."""
    each = [f"def h{k}(x):\n{body.format(k)}\n" for k in range(count)]
    calls = [f"    s += h{k}(x)" for k in range(count)]
    return "\n".join([*each, "def f(x):", "    s = 0.0", *calls, "    return s\n"])


@pytest.mark.slow
def test_a_thousand_functions() -> None:
    check(made("thousand", helpers(1000, "    return x * {}.5")), 0.3)


def test_a_hundred_functions_that_are_no_expressions() -> None:
    body = "    y = math.sin(x)\n    if y > 0.{}:\n        y = y * x\n    return y * y"
    check(made("hundred", helpers(100, body)), 0.4)


def test_functions_that_call_each_other_in_a_row() -> None:
    first = "def h0(x):\n    return math.sin(x)\n"
    each = "def h{}(x):\n    y = h{}(x)\n    if y > 9.0:\n        y = y * x\n    return y * 1.01\n"
    rest = [each.format(k, k - 1) for k in range(1, 120)]
    check(made("row", "\n".join([first, *rest, "def f(x):\n    return h119(x)\n"])), 0.4)


ENDLESS = {
    "itself": """
def f(x, rest):
    return x if x > 9 else f(x + 1.0, (rest, 1.0))
""",
    "others": """
def g(x, rest):
    return x if x > 9 else f(x + 1.0, (rest,))
def f(x, rest):
    return x if x > 9 else g(x + 1.0, [rest])
""",
    "inner": """
def f(x, rest):
    def g(y, rest):
        return y if y > 9 else g(y + 1.0, (rest, 1.0))
    return g(x, rest)
""",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_recursion_that_meets_ever_new_kinds_is_refused_as_one(name: str) -> None:
    with pytest.raises(UnsupportedError, match="It calls itself, perhaps through others, with arguments of ever"):
        grad(made(name, ENDLESS[name]))(1.0, (1.0,))


def test_a_recursion_over_tuples_in_tuples() -> None:
    f = made("tree", "def f(t):\n    return t if isinstance(t, float) else f(t[0]) * f(t[1])\n")
    tree: Any = 1.1
    for _ in range(30):
        tree = (tree, 1.2)
    value, partials = grad(f)(tree)
    assert value == pytest.approx(1.1 * 1.2**30)
    assert partials.t[1] == pytest.approx(value / 1.2)


# Python 3.12 has a limit of its own for what is called through C, which was low in its first versions.
MANY = 150 if sys.version_info[:2] == (3, 12) else 500


def chosen(count: int) -> str:
    """A chain of `elif`."""
    branches = [f"    elif x < {k}.0:\n        y = x * {k}\n" for k in range(1, count)]
    first, last = "def f(x):\n    if x < 0.0:\n        y = x\n", "    else:\n        y = x\n    return y\n"
    return "".join([first, *branches, last])


DEEP = {
    "terms": "def f(x):\n    return " + " + ".join(f"math.sin({k}.5 * x)" for k in range(MANY)) + "\n",
    "brackets": f"def f(x):\n    return {'math.sin(' * 90}x{')' * 90}\n",
    "elif": chosen(MANY),
    "returns": "def f(x):\n" + "".join(f"    if x < {k / 99}: return x * {k}\n" for k in range(150)) + "    return x\n",
    "conditionals": "def f(x):\n    return " + "".join(f"x * {k} if x < {k / 600} else " for k in range(300)) + "x\n",
    "signs": f"def f(x):\n    return {'-' * 300}x * x\n",
    "conditions": f"def f(x):\n    return x * x if {' and '.join(['x > 0.1'] * MANY)} else x\n",
}


@pytest.mark.parametrize("name", DEEP)
def test_what_is_nested_deeply(name: str) -> None:
    check(made(name, DEEP[name]), 0.4111)


@pytest.mark.slow
def test_chains_of_three_hundred_attributes_and_items() -> None:
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    f = made("attributes", f"def f(x):\n    return np.sum(x{'.T' * 300} * x)\n")
    np.testing.assert_array_equal(grad(f)(x)[1].x, 2 * x)
    f = made("items", f"def f(x):\n    return np.sum(x{'[0:]' * 300} * x)\n")
    np.testing.assert_array_equal(grad(f)(x)[1].x, 2 * x)


@pytest.mark.slow
def test_five_hundred_lines() -> None:
    lines = [f"    y = y * 0.999 + math.sin({k}.0 * x)\n" for k in range(500)]
    check(made("lines", "".join(["def f(x):\n    y = x\n", *lines, "    return y\n"])), 0.3)


def test_what_is_nested_too_deeply_is_refused_at_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adcompile.depth, "_LIMIT", sys.getrecursionlimit())
    terms = sys.getrecursionlimit() * 9 // 20
    text = "def f(x):\n    y = x\n    return " + " + ".join(["x * 2.5"] * terms) + "\n"
    with pytest.raises(UnsupportedError) as refusal:
        grad(made("too deep", text))(0.5)
    report = str(refusal.value).splitlines()
    assert report[0] == "<deep too deep>:3:5: cannot compile `f`: too much is nested in each other"
    assert report[1].startswith("    3 |     return x * 2.5 + x * 2.5")
    assert len(report[1]) < 200
    assert report[3:] == [
        f"Here are {terms + 3} levels.",
        "Give parts of the expression names of their own, or move inner blocks into functions.",
    ]


def test_room_is_in_a_thread_with_the_limit_of_before_afterwards() -> None:
    limit, stack = sys.getrecursionlimit(), threading.stack_size()
    where = []

    def depth(n: int) -> int:
        if n == 0:
            where.append(threading.current_thread())
            return 0
        return 1 + depth(n - 1)

    assert with_room(lambda: depth(10)) == 10
    assert with_room(lambda: depth(3 * limit)) == 3 * limit
    assert where[0] is threading.current_thread() is not where[1]
    assert (sys.getrecursionlimit(), threading.stack_size()) == (limit, stack)


def test_what_compiles_in_the_room_may_compile_more() -> None:
    def below(n: int) -> Any:
        return grad(lambda x: x * x)(3.0) if n == 0 else below(n - 1)

    assert with_room(lambda: below(5000)) == (9.0, (6.0,))


def test_what_the_room_raises_is_raised() -> None:
    def fall(n: int) -> None:
        if n == 0:
            message = "at the bottom"
            raise KeyError(message)
        fall(n - 1)

    def forever() -> None:
        forever()

    with pytest.raises(KeyError, match="at the bottom"):
        with_room(lambda: fall(5000))
    with pytest.raises(RecursionError):
        with_room(forever)
