"""The loops that comprehensions stand for.

[e for x in xs if c]          items = []
->     for x in xs:
if c:
items.append(e)
"""

from __future__ import annotations

from adcompile.ir import nodes as n
from adcompile.ir.kinds import BOOL, Sequence
from adcompile.ir.walk import statements, walk


def loops(clauses: tuple[n.Clause, ...], body: list[n.Stmt]) -> list[n.Stmt]:
    """The loops and conditions of a comprehension around statements."""
    for clause in reversed(clauses):
        for condition in reversed(clause.conditions):
            body = [n.If(condition, body, [])]
        body = [n.For(clause.target, clause.iterable, body, [])]
    return body


def collected(found: n.Comprehension, held: n.Variable) -> list[n.Stmt]:
    """The lines that make a list (or a dict) of what a comprehension runs over."""
    read = n.Read(held, kind=Sequence(found.element.kind, list), span=found.span)
    if found.form == "dict" and found.key is not None:
        place = n.Subscript(n.Read(held, span=found.span), found.key, span=found.span)
        return [n.Assign(held, n.Mapping(())), *loops(found.clauses, [n.Store(place, found.element)])]
    append = n.Call(n.Attribute(read, "append"), (found.element,), span=found.span)
    return [n.Assign(held, n.Display("list", (), span=found.span)), *loops(found.clauses, [n.Evaluate(append)])]


def found_out(found: n.Comprehension, held: n.Variable, *, wanted: bool) -> list[n.Stmt]:
    """The lines of `any` (`all`): they stop at the first item that is (is not) true."""
    test = found.element if wanted else n.Unary("not", found.element, kind=BOOL, span=found.span)
    stop: list[n.Stmt] = [n.If(test, [n.Assign(held, n.Const(value=wanted, kind=BOOL)), n.Break()], [])]
    return [n.Assign(held, n.Const(value=not wanted, kind=BOOL)), *loops(found.clauses, stop)]


def assigned(target: n.Expr, value: n.Expr) -> n.Stmt:
    """`target = value` for the target of a loop."""
    match target:
        case n.Read(variable=variable):
            return n.Assign(variable, value)
        case n.Display():
            return n.Unpack(target, value)
        case _:
            return n.Store(target, value)


def give_origin(body: list[n.Stmt], origin: n.Origin | None) -> list[n.Stmt]:
    """Let new statements belong to a statement of the user's."""
    for stmt in statements(body):
        if stmt.origin is None:
            stmt.origin = origin
    return body


def names_inside(found: n.Comprehension) -> set[n.Variable]:
    """The variables that a comprehension sets by `:=`."""
    return {e.variable for e in walk(found) if isinstance(e, n.Named)}
