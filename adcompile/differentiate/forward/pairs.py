"""Loops over `zip` whose items have one name: each part gets a name first, as its tangent has. And `a, b = [], 0`.

for pair in zip(x, w):            for pair_0, pair_1 in zip(x, w):
    s += pair[0] * pair[1]   ->       pair = (pair_0, pair_1)
                                      s += pair[0] * pair[1]
"""

from __future__ import annotations

import builtins
from dataclasses import replace

from adcompile.analyses.typing.identity import changeable
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Struct
from adcompile.ir.walk import all_blocks, reads, statements


def one_by_one(body: list[n.Stmt]) -> None:
    """Give names that are set beside one another lines of their own where a list, dict or object is among them."""
    for block in all_blocks(body):
        block[:] = [line for stmt in block for line in _lines(stmt)]


def _lines(stmt: n.Stmt) -> list[n.Stmt]:
    match stmt:
        case n.Unpack(pattern=n.Display(items=names), value=n.Display(items=values)) if len(names) == len(values):
            bound = {e.variable for e in names if isinstance(e, n.Read)}
            plain = len(bound) == len(names) and not any(isinstance(e, n.Starred) for e in values)
            held = any(changeable(e.kind) for e in values)
            if plain and held and not any(bound & reads(e) for e in values):
                pairs = zip(names, values, strict=True)
                return [n.Assign(e.variable, v, origin=stmt.origin) for e, v in pairs if isinstance(e, n.Read)]
    return [stmt]


def name_parts(body: list[n.Stmt]) -> None:
    """Name the parts of what loops over `zip` take whole, in place."""
    for stmt in statements(body):
        if isinstance(stmt, n.For):
            lines: list[n.Stmt] = []
            stmt.target = _named(stmt.target, stmt.iterable, lines, stmt.origin)
            stmt.body[:0] = lines


def _named(target: n.Expr, iterable: n.Expr, lines: list[n.Stmt], origin: n.Origin | None) -> n.Expr:
    match target, iterable:
        case n.Display(items=(index, inner)), n.Call(func=n.Ref(value=builtins.enumerate), args=(items, *_)):
            return replace(target, items=(index, _named(inner, items, lines, origin)))
        case n.Display(items=parts), n.Call(func=n.Ref(value=builtins.zip), args=args) if len(parts) == len(args):
            named = [_named(p, a, lines, origin) for p, a in zip(parts, args, strict=True)]
            return replace(target, items=tuple(named))
        case (
            n.Read(variable=whole, kind=Struct(form="tuple", items=kinds) as kind),
            n.Call(func=n.Ref(value=builtins.zip), args=args),
        ) if len(kinds) == len(args) and kind.cls is tuple:
            parts = tuple(
                n.Read(n.Variable(f"{whole.name}_{k}", n.Role.RESULT), kind=part) for k, part in enumerate(kinds)
            )
            below = tuple(_named(p, a, lines, origin) for p, a in zip(parts, args, strict=True))
            lines.append(n.Assign(whole, replace(n.Display("tuple", parts), kind=kind), origin=origin))
            return n.Display("tuple", below, kind=kind)
        case _:
            return target
