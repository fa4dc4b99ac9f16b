"""Lines of arithmetic on vectors that share a loop give what they give one by one: value, partials, exceptions."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompile import grad

from .run_by_python import texts_of

pytest.importorskip("numba")

Function = Callable[..., Any]
PROGRAMS: list[Function] = []
X = np.array([0.4, -1.25, 0.75, 1.5, -0.5])
Y = np.array([1.1, 0.3, -0.8, 0.6, 1.7])
M = np.arange(1.0, 16.0).reshape(3, 5) / 9.0
PLACES = np.array([3, 0, 3, -1, 1])
ROWS = np.array([2, 0, -1, 2, 1])


def assert_same(function: Function, *more: Any) -> None:
    with np.errstate(all="ignore"):
        value, partials = grad(function)(X, Y, M, 0.3, *more)
        found, compiled = grad(function, jit=True)(X, Y, M, 0.3, *more)
    assert np.allclose(found, value, rtol=1e-12, equal_nan=True)
    for name in ("x", "y", "m", "a"):
        assert np.allclose(compiled[name], partials[name], rtol=1e-10, atol=1e-12, equal_nan=True), name


def program(function: Function) -> Function:
    """Take note of a function of two vectors, a matrix and a number."""
    PROGRAMS.append(function)
    return function


@program
def scaled_in_place(x, y, m, a):
    total = 0.0
    v = x * y
    for k in range(3):
        v = v * a + m[k]
        s = np.sum(v * v)
        v = v / s
        total += np.log(s)
    return total + np.sum(v * y)


@program
def twice_as_long_under_the_same_name(x, y, m, a):
    v = np.arctan2(x, x**2 + a)
    v = np.concatenate([v, v])
    return np.sum(v * v) + np.sum(y) + m[0, 0]


@program
def turned_and_added_to_itself(x, y, m, a):
    v = x * y
    v = v + v[::-1] * a
    w = v * 2.0 - v[::-1]
    return np.sum(w * w)


@program
def another_name_that_is_read_later(x, y, m, a):
    v = x * y
    u = v
    v = v * a + 1.0
    w = v * u
    return np.sum(u * w) + v[0]


@program
def an_old_array_in_a_list(x, y, m, a):
    v = x * y
    held = [v, y * a]
    v = v * a
    v = v + held[1]
    return np.sum(held[0] * v)


@program
def a_part_of_what_is_computed_anew(x, y, m, a):
    v = x * y
    part = v[1:]
    v = v * a
    return np.sum(part * part) + np.sum(v * v * y)


@program
def swapped(x, y, m, a):
    u, v = x * a, y * a
    for _ in range(3):
        u, v = v * 1.5, u + v
        u = u * v
        v = v * a
    return np.sum(u * v)


@program
def one_chain(x, y, m, a):
    t = a * x
    u = np.exp(t) * y
    w = u * u - t / y
    return np.sum(w * w)


@program
def made_and_changed_by_item(x, y, m, a):
    u = x * y
    u[1] = a
    w = u * x
    u[0] += w[2]
    return np.sum(u * w)


@program
def summed_up_in_between(x, y, m, a):
    u = x * y
    s = np.sum(u)
    u = u / s
    u += np.sum(u * u) * x
    return np.sum(u * y) + s


@program
def set_anew_in_between(x, y, m, a):
    u = x * y
    w = u
    u = w * a
    w = u * u
    v = u + w
    u = v
    return np.sum(u * w)


@program
def another_name_for_what_changes(x, y, m, a):
    u = x * y
    w = u
    u += a * x
    return np.sum(w * x) + np.sum(u)


@program
def rows_of_one_matrix(x, y, m, a):
    q = np.zeros((3, 5))
    q[0] = x * y
    q[1] = q[0] * a
    k = 0
    q[k] += q[1] * q[1]
    q[2] = q[0] - q[k + 1]
    q[-1] += x
    return np.sum(q * m)


@program
def a_row_by_another_name(x, y, m, a):
    q = 1.0 * m
    w = q[1]
    u = w * x
    q[1] = u * a
    v = w * y
    w += v
    return np.sum(q * q) + np.sum(v * u)


@program
def neighbours(x, y, m, a):
    u = x * y
    u[1:] += a * u[:-1]
    w = u * x
    u[:-1] = w[1:] * u[1:]
    return np.sum(u * w)


@program
def items_of_a_list_are_exchanged(x, y, m, a):
    w = x * y
    ws = [w, w]
    ws[0] = np.sin(w * w)
    return np.sum(ws[1] * ws[0]) + np.sum(w * x)


@program
def captured_by_a_function(x, y, m, a):
    u = x * y

    def total():
        return np.sum(u)

    s = total()
    u = u * a
    t = total()
    u = np.ones(5) * x[2]
    return s * t + total()


@program
def in_a_loop(x, y, m, a):
    u = x.copy()
    w = y.copy()
    for k in range(3):
        t = u * w + m[k]
        u = np.tanh(t) * a
        w += u * t
        s = np.sum(w)
        u[0] = s
    return np.sum(u * w)


@program
def in_a_branch(x, y, m, a):
    u = x * y
    if a > 0.1:
        u = u * a
        w = u + x
    else:
        w = u - x
    return np.sum(u * w)


@program
def read_in_the_next_iteration(x, y, m, a):
    u = x * y
    total = 0.0
    for k in range(3):
        total += np.sum(u * m[k])
        w = a * u
        u = w * w + x
    return total


@program
def counted_and_measured(x, y, m, a):
    u = x * y
    n = len(u) + u.size
    w = u / n
    return np.sum(w) * n


@program
def outer_product(x, y, m, a):
    q = np.zeros((5, 5))
    for k in range(3):
        u = x * m[k]
        q += np.outer(u, y)
        q -= np.outer(q[k] * a, q[k])
    return np.sum(q * q)


@program
def item_of_a_list_that_is_set_before(x, y, m, a):
    vectors = [x * 1.0, x * 2.0]
    v = y * a
    vectors[1] = v
    u = vectors[1]
    vectors[0][0] = a
    return np.sum(u * u) * a + vectors[0][0] + np.sum(m)


@pytest.mark.usefixtures("some_under_numba")
@pytest.mark.machine_code("turned_and_added_to_itself")  # Numba reads what it has just written
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_numpy(function: Function) -> None:
    assert_same(function)


def test_a_chain_is_one_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = texts_of(monkeypatch)
    assert_same(one_chain)
    assert texts[0].count("for i") == 1
    assert texts[0].count("np.empty(") == 2  # the two partials that are vectors


def test_the_text_of_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = texts_of(monkeypatch)

    def f(x, y, a):
        t = a * x
        u = np.exp(t) * y
        return np.sum(u)

    grad(f, wrt="a", jit=True)(X, Y, 0.3)
    assert texts[0].partition('"""\n')[2].partition('    """\n')[2] == (
        "    # Forward sweep\n"
        "    total = 0.0\n"
        "    total_1 = 0.0\n"
        "    if len(x) != len(y):\n"
        '        raise ValueError("operands could not be broadcast together")\n'
        "    for i in range(len(x)):\n"
        "        exp_t_item = np.exp(a * x[i])\n"
        "        u_item = exp_t_item * y[i]\n"
        "        total += u_item\n"
        "        t_bar_item = y[i] * exp_t_item\n"
        "        total_1 += t_bar_item * x[i]\n"
        "    value = total\n"
        "    a_bar = total_1\n"
        "\n"
        "    return value, (float(a_bar),)\n"
    )


def test_vectors_of_different_length_are_not_forced_together(monkeypatch: pytest.MonkeyPatch) -> None:
    texts_of(monkeypatch)

    def f(x, y):
        u = x * x
        w = y * y
        return np.sum(u) + np.sum(w * w)

    value, partials = grad(f, jit=True)(X, Y[:3])
    assert value == pytest.approx(f(X, Y[:3]), rel=1e-14)
    assert np.allclose(partials.x, 2 * X)
    assert np.allclose(partials.y, 4 * Y[:3] ** 3)


def test_different_lengths_raise_where_numpy_does(monkeypatch: pytest.MonkeyPatch) -> None:
    texts_of(monkeypatch)

    def f(x, y):
        u = x * x
        w = y * y
        return np.sum(u * w)

    with pytest.raises(ValueError, match="broadcast"):
        grad(f, jit=True)(X, Y[:3])


# -------------------------------------------------------------------------------------------------- written at random


class Writer:
    """Writes functions of vectors: arithmetic, rows, slices, sums, lists of places, other names, loops and branches."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.vectors, self.numbers = ["x", "y", "p"], ["a"]
        self.own = ["p"]  # arrays that may be changed
        self.count = 0
        self.in_loop = False
        self.lines = [self.one_of("q = np.zeros((3, len(x)))", "q = 0.5 * m"), "p = x.copy()"]
        self.picked = self.one_of("", "c = m[rows].T", "c = m[rows]", "c = q[rows].T")
        self.lines += [self.picked] if self.picked else []
        for _ in range(self.random.randint(4, 12)):
            self.statement("")

    def one_of(self, *options: str) -> str:
        return self.random.choice(options)

    def new(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def number(self) -> str:
        vector = self.one_of(*self.vectors)
        item = f"{vector}[{self.one_of('0', '1', '-1', '2')}]"
        return self.one_of(*self.numbers, "0.5", "2.0", "0.25", item, f"np.sum({vector})")

    def row(self) -> str:
        return self.one_of("0", "1", "2", *(["k", "k"] if self.in_loop else []))

    def vector(self, depth: int) -> str:
        if self.random.random() < 0.1:
            return f"{self.one_of(*self.vectors)}[places]"
        if self.picked and self.random.random() < 0.15:
            return f"c[{self.row()}]" if self.picked.endswith("T") else f"c[:, {self.row()}]"
        if depth == 0 or self.random.random() < 0.2:
            return self.one_of(*self.vectors, *self.vectors, f"m[{self.row()}]")
        one, two = f"({self.vector(depth - 1)})", f"({self.vector(depth - 1)})"
        return self.one_of(
            f"np.{self.one_of('sin', 'tanh', 'cos')}{one}",
            f"{self.number()} * {one}",
            f"-{one}",
            f"({one} @ {self.one_of('m', 'q')}.T) @ {self.one_of('m', 'q')}",
            *(f"{one} {self.one_of('+', '-', '*')} {two}" for _ in range(4)),
        )

    def slice(self, name: str) -> str:
        return self.one_of(f"{name}[1:]", f"{name}[:-1]")

    def named(self, name: str, names: list[str]) -> str:
        if name not in names:
            names.append(name)
        return name

    def statement(self, indent: str) -> None:
        kind = self.random.random()
        own = self.one_of(*self.own)
        if kind < 0.33:
            again = self.random.random() < 0.3 and len(self.vectors) > 3
            value = f"({self.vector(2)}) * {self.one_of('1.5', 'a')}"
            line = f"{self.named(self.one_of(*self.vectors[3:]) if again else self.new('v'), self.vectors)} = {value}"
        elif kind < 0.36:
            line = f"np.add.at({own}, places, {self.vector(1)})"
        elif kind < 0.48:
            line = f"{own} {self.one_of('+=', '-=', '*=')} {self.one_of(self.vector(1), self.number())}"
        elif kind < 0.58:
            value = self.one_of(self.vector(1), self.vector(1), "0.0")
            line = f"q[{self.row()}] {self.one_of('=', '+=', '-=')} {value}"
        elif kind < 0.66:
            line = f"{self.named(self.new('w'), self.vectors)} = q[{self.row()}]"
        elif kind < 0.73:
            other = self.slice(self.one_of(*self.vectors))
            value = self.one_of(other, f"{self.number()} * {other}", f"{other} * {self.slice(own)}")
            line = f"{self.slice(own)} {self.one_of('=', '+=', '-=')} {value}"
        elif kind < 0.81:
            value = self.one_of(f"np.sum({self.vector(1)})", f"{self.number()} * {self.number()}")
            line = f"{self.named(self.new('s'), self.numbers)} = {value}"
        elif kind < 0.86:
            line = f"{own}[{self.one_of('0', '1', '-1')}] {self.one_of('=', '+=')} {self.number()}"
        elif kind < 0.93 and not indent:
            self.block()
            return
        else:
            name = self.new("u")
            line = f"{name} = {self.one_of(*self.vectors)}.copy()"
            self.vectors.append(name)
            if not indent:
                self.own.append(name)
        self.lines.append(indent + line)

    def block(self) -> None:
        self.in_loop = self.random.random() < 0.7
        self.lines.append("for k in range(3):" if self.in_loop else f"if {self.number()} > 0.3:")
        known = list(self.vectors), list(self.numbers), list(self.own)
        for _ in range(self.random.randint(2, 6)):
            self.statement("    ")
        self.vectors, self.numbers, self.own = known
        self.in_loop = False

    def text(self) -> str:
        ends = " + ".join(f"np.sum({name} * {name})" for name in self.random.sample(self.vectors, 3))
        body = "".join(f"    {line}\n" for line in [*self.lines, f"return {ends} + np.sum(q * q * a)"])
        return f"import numpy as np\n\n\ndef f(x, y, m, a, places, rows):\n{body}"


@pytest.mark.parametrize("seed", range(60))
def test_written_at_random(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts_of(monkeypatch)
    path = tmp_path / "program.py"
    path.write_text(Writer(seed).text())
    spec = importlib.util.spec_from_file_location(f"program_{seed}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert_same(module.f, PLACES, ROWS)
