"""An unpacking into places of something, as one into names behind which the places are set, from left to right.

a[i], s = s, a[i]    ->    value, s = s, a[i]
a[i] = value
"""

from __future__ import annotations

from dataclasses import replace

from adcompile.ir import nodes as n
from adcompile.ir.walk import all_blocks, rebuild


def set_places_behind(function: n.Function) -> None:
    """Write unpackings so, in place."""
    for block in all_blocks(function.body):
        block[:] = [line for stmt in block for line in _lines(stmt)]


def _lines(stmt: n.Stmt) -> list[n.Stmt]:
    if not isinstance(stmt, n.Unpack):
        return [stmt]
    behind: list[n.Stmt] = []

    def named(target: n.Expr) -> n.Expr:
        match target:
            case n.Subscript() | n.Attribute():
                name = n.Variable("value", n.Role.TEMPORARY)
                behind.append(n.Store(target, n.Read(name, span=target.span), origin=stmt.origin))
                return n.Read(name, span=target.span)
            case n.Read(variable=variable) if behind:  # a place before may be found by what it was
                name = n.Variable(variable.name, n.Role.TEMPORARY)
                behind.append(n.Assign(variable, n.Read(name, span=target.span), origin=stmt.origin))
                return n.Read(name, span=target.span)
            case n.Read():
                return target
            case _:
                return rebuild(target, named)

    pattern = replace(stmt.pattern, items=tuple(map(named, stmt.pattern.items)))
    return [replace(stmt, pattern=pattern), *behind] if behind else [stmt]
