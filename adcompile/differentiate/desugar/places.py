"""What is unpacked into places of something, or run over by them, as names; behind, the places are set in their order.

a[i], s = s, a[i]    ->    value, s = s, a[i]          for a[i] in x:    ->    for value in x:
                           a[i] = value                    ...                     a[i] = value
                                                                                   ...

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
    match stmt:
        case n.Unpack(pattern=pattern):
            named, behind = _named(pattern, stmt.origin, read)
            if isinstance(named, n.Display) and named != pattern:
                return [replace(stmt, pattern=named), *behind]
        case n.For(target=n.Expr() as target) | n.With(target=n.Expr() as target):
            stmt.target, behind = _named(target, stmt.origin, read)
            stmt.body[:0] = behind
    return [stmt]


def _named(pattern: n.Expr, origin: n.Origin | None, read: Counter[n.Variable]) -> tuple[n.Expr, list[n.Stmt]]:
    """A target without places, and what sets them."""
    behind: list[n.Stmt] = []
    left = Counter(targets(pattern))

    def named(target: n.Expr) -> n.Expr:
        match target:
            case n.Subscript() | n.Attribute():
                name = n.Variable("value", n.Role.TEMPORARY)
                behind.append(n.Store(target, n.Read(name, span=target.span), origin=origin))
                return n.Read(name, span=target.span)
            case n.Read(variable=variable) if left[variable] > 1 and read[variable]:
                left[variable] -= 1
                return n.Read(n.Variable(variable.name, n.Role.TEMPORARY), span=target.span)
            case n.Read(variable=variable) if behind:  # a place before may be found by what it was
                name = n.Variable(variable.name, n.Role.TEMPORARY)
                behind.append(n.Assign(variable, n.Read(name, span=target.span), origin=origin))
                return n.Read(name, span=target.span)
            case n.Read():
                return target
            case _:
                return rebuild(target, named)

    return named(pattern), behind
