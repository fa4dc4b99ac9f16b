"""An unpacking into places of something, as one into names behind which the places are set, from left to right.

a[i], s = s, a[i]    ->    value, s = s, a[i]
                           a[i] = value

What one name is given before it is given something else gets a name of its own, unless nobody reads that.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from adcompile.ir import nodes as n
from adcompile.ir.walk import all_blocks, read_in, rebuild, targets


def set_places_behind(function: n.Function) -> None:
    """Write unpackings so, in place."""
    read = read_in(function.body)
    for block in all_blocks(function.body):
        block[:] = [line for stmt in block for line in _lines(stmt, read)]


def _lines(stmt: n.Stmt, read: Counter[n.Variable]) -> list[n.Stmt]:
    if not isinstance(stmt, n.Unpack):
        return [stmt]
    behind: list[n.Stmt] = []
    left = Counter(targets(stmt.pattern))

    def named(target: n.Expr) -> n.Expr:
        match target:
            case n.Subscript() | n.Attribute():
                name = n.Variable("value", n.Role.TEMPORARY)
                behind.append(n.Store(target, n.Read(name, span=target.span), origin=stmt.origin))
                return n.Read(name, span=target.span)
            case n.Read(variable=variable) if left[variable] > 1 and read[variable]:
                left[variable] -= 1
                return n.Read(n.Variable(variable.name, n.Role.TEMPORARY), span=target.span)
            case n.Read(variable=variable) if behind:  # a place before may be found by what it was
                name = n.Variable(variable.name, n.Role.TEMPORARY)
                behind.append(n.Assign(variable, n.Read(name, span=target.span), origin=stmt.origin))
                return n.Read(name, span=target.span)
            case n.Read():
                return target
            case _:
                return rebuild(target, named)

    pattern = replace(stmt.pattern, items=tuple(map(named, stmt.pattern.items)))
    return [replace(stmt, pattern=pattern), *behind] if pattern != stmt.pattern else [stmt]
