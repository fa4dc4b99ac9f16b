"""Code written as text: what becomes of holes, of tests whose outcome is plain, and of what is left out."""

from __future__ import annotations

import re

import pytest

from adcompile.differentiate.desugar.iteration import prelude
from adcompile.ir import nodes as n
from adcompile.ir.kinds import BOOL, FLOAT, INT, Array, Kind, Sequence, Struct
from adcompile.ir.quote import Quoted, inlined, quote, quote_lines
from adcompile.ir.show import show as show_with_roles


def show(node: n.Expr | n.Stmt) -> str:
    return re.sub(r"<result (\w+)>", r"\1", show_with_roles(node))


def name(spelt: str, kind: Kind = FLOAT) -> n.Read:
    return n.Read(n.Variable(spelt), kind=kind)


V = name("v", Sequence(FLOAT, list))
F = name("f")


def shown(function: object, **holes: n.Expr) -> list[str]:
    left_out = frozenset({"key", "reverse", "func", "initial"} - holes.keys())
    missing = dict.fromkeys(left_out, n.Const(None))
    lines, value = inlined(function, Quoted({**missing, **holes}, left_out=left_out))  # type: ignore[arg-type]
    return [*(line for stmt in lines for line in show(stmt).splitlines()), show(value)]


def test_a_test_of_none_leaves_one_side() -> None:
    assert shown(prelude.accumulated, items=V, func=F, initial=name("x")) == [
        "total = x",
        "running = [total]",
        "for item in v:",
        "    total = f(total, item)",
        "    running.append(total)",
        "running",
    ]


def test_what_is_left_out_is_not_passed_on() -> None:
    order = shown(prelude.ordered, items=V)[0]
    assert order == "order = sorted@builtin(range@builtin(len@builtin(v)), key=v.__getitem__)"
    assert "reverse=r" in shown(prelude.ordered, items=V, reverse=name("r", BOOL))[0]


def test_items_that_are_passed_on_get_names() -> None:
    both = n.Display("tuple", (V, name("w", Sequence(FLOAT, list))))
    _, made = inlined(prelude.mapped, Quoted({"function": F, "iterables": both}))
    assert isinstance(made, n.Comprehension)
    assert show(made.clauses[0].target) == "(item, item)"
    assert show(made.element) == "f(item, item)"
    assert show(made.clauses[0].iterable) == "zip@builtin(v, w)"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("len(v) - 1", INT),
        ("range(len(v))", Sequence(INT, range)),
        ("v[0]", FLOAT),
        ("v[1:]", V.kind),
        ("v[0] > 2.0", BOOL),
        ("t[1]", INT),
        ("(v[0], 1)", Struct("tuple", tuple, (0, 1), (FLOAT, INT))),
        ("rows[0]", Array("float64", (3,))),
    ],
)
def test_kinds(text: str, kind: Kind) -> None:
    t = name("t", Struct("tuple", tuple, (0, 1), (FLOAT, INT)))
    rows = name("rows", Array("float64", (2, 3)))
    assert quote(text, v=V, t=t, rows=rows).kind == kind


def test_each_text_has_variables_of_its_own() -> None:
    (first,), (second,) = quote_lines("y = 2.0 * x", x=F), quote_lines("y = 2.0 * x", x=F)
    assert isinstance(first, n.Assign)
    assert isinstance(second, n.Assign)
    assert first.target is not second.target
    assert first.target.name == second.target.name == "y"


def test_what_is_not_written_so_is_refused() -> None:
    with pytest.raises(TypeError, match="while x"):
        quote_lines("while x:\n    y = x", x=F)
