"""Expressions: what is printed parses back to the same tree, and reads well."""

from __future__ import annotations

import ast
import math
import random

import pytest

from adcompile.emit.layout import wrap
from adcompile.emit.python import ExpressionPrinter
from adcompile.ir import nodes
from adcompile.ir.nodes import Const, Read, Variable

from .lowered import expression


def printed(text: str) -> str:
    printer = ExpressionPrinter(lambda variable: variable.name, lambda ref: ref.name)
    return printer.text(expression(text)[1])


@pytest.mark.parametrize(
    "text",
    [
        "u**2",
        "-(u**2)",
        "(-u) ** 2",
        "u**-n",
        "u[1:] ** 2",
        "a.b**2",
        "(a**b) ** c",
        "a - (b - c)",
        "a - b - c",
        "a / (b * c)",
        "-(x * y)",
        "-x * y",
        "not (a and b)",
        "not a == b",
        "a < b <= c",
        "(a < b) < c",
        "a if b else c if d else e",
        "(a if b else c) if d else e",
        "(lambda: 1)()",
        "lambda x, /, y=1, *a, k, **kw: x + y",
        "f(*a, k=1, **b)",
        "x[i + 1 :]",
        "x[::2, ..., None]",
        "x[:, 1:-1]",
        "x[()]",
        "x[i,]",
        "x[*i, 0]",
        "(1).real",
        "(-1) ** n",
        "(1,)",
        "{1: a, **b}",
        "[*a, b]",
        "{a, b}",
        "sum(i * j for i in xs)",
        "[i for i in range(n) if i > 2] + y",
        "(1 + 2j) * x",
        "a @ b.T",
        "a if (b, c) else ()",
        "a is not None and b not in c",
        '"it\'s" + \'say "hi"\'',
    ],
)
def test_prints_as_people_write_it(text):
    out = printed(text)
    assert ast.dump(ast.parse(out, mode="eval")) == ast.dump(ast.parse(text, mode="eval"))
    assert out == text or text in ("(-u) ** 2", "(1 + 2j) * x")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f'{x}'", 'f"{x}"'),
        ("f'{d[\"k\"]!r:>{width}}'", "f\"{d['k']!r:>{width}}\""),
        ("f'a{{b}}\\n{x:.3f}\"'", 'f"a{{b}}\\n{x:.3f}\\""'),
        ("f\"{f'{x}'}\"", "f\"{f'{x}'}\""),
        ("f'{ {1: 2}[x]}'", 'f"{ {1: 2}[x]}"'),
        ("f'{(lambda: x)()}'", 'f"{(lambda: x)()}"'),
        ("f\"{d['a']} {e}\"", "f\"{d['a']} {e}\""),
    ],
)
def test_f_strings_are_valid_on_311(text, expected):
    out = printed(text)
    assert out == expected
    assert ast.dump(ast.parse(out)) == ast.dump(ast.parse(text))


def test_nonfinite_numbers_are_names():
    printer = ExpressionPrinter(lambda v: v.name, lambda r: r.name)
    assert printer.text(Const(-math.inf)) == "-math.inf"


def test_a_walrus_has_parentheses_except_where_it_needs_none():
    printer = ExpressionPrinter(lambda v: v.name, lambda r: r.name)
    walrus = nodes.Named(Variable("n"), Const(1))
    assert printer.text(nodes.Binary("+", walrus, Const(2))) == "(n := 1) + 2"
    assert printer.text(nodes.Call(Read(Variable("f")), (walrus,), (("k", walrus),))) == "f(n := 1, k=(n := 1))"


def random_expression(draw: random.Random, depth: int) -> str:
    def inner() -> str:
        return f"({random_expression(draw, depth - 1)})"

    operator = draw.choice(["+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^"])
    if depth <= 0:
        return draw.choice(["x", "long_name", "1", "2.5", "-3", "2j", "'a'", '"it\'s"', "None", "(1,)"])
    return draw.choice([
        lambda: f"{inner()} {operator} {inner()}",
        lambda: f"{draw.choice(['-', '~', 'not '])}{inner()}",
        lambda: f"{inner()} {draw.choice(['<', 'is not', 'not in'])} {inner()} {draw.choice(['==', 'in'])} {inner()}",
        lambda: f"{inner()} {draw.choice(['and', 'or'])} {inner()}",
        lambda: f"{inner()} if {inner()} else {inner()}",
        lambda: f"{inner()}({inner()}, *{inner()}, k={inner()}, **{inner()})",
        lambda: f"{inner()}.attr[{inner()}:{inner()}, {inner()}]",
        lambda: f"[{inner()}, ({inner()}, *{inner()}), {{{inner()}: {inner()}}}]",
        lambda: f"lambda x, w={inner()}, *a, k={inner()}, **kw: {inner()}",
        lambda: f"[i for i in {inner()} if {inner()}]",
    ])()  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_random_expressions_come_back_whole_and_broken_into_lines(seed):
    draw = random.Random(seed)
    for _ in range(10):
        text = random_expression(draw, draw.randrange(1, 5))
        out = printed(text)
        assert ast.dump(ast.parse(out)) == ast.dump(ast.parse(text)), text
        for form in ("target = {}", "x[i] += {}", "if {}:", "assert {}, 'why'", "for i in {}:", "{}"):
            statement = form.format(out)
            end = " pass" if statement.endswith(":") else ""
            broken = "\n".join(wrap(statement, 0, draw.choice([20, 40, 60])))
            assert ast.dump(ast.parse(broken + end)) == ast.dump(ast.parse(statement + end)), statement
