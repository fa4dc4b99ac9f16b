"""The order in which Python evaluates the parts of an expression, and what keeps it where one of them gets a line."""

from __future__ import annotations

import builtins
from collections.abc import Callable as Function

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Callable
from adcompile.ir.make import apply
from adcompile.ir.walk import children, rebuild


def in_turn(
    expr: n.Expr,
    visit: Function[[n.Expr], n.Expr],
    gets_a_line: Function[[n.Expr], bool],
    settle: Function[[n.Expr, n.Expr], n.Expr],
) -> n.Expr:
    """An expression with its parts visited, where some get a line: what comes before the last of these is settled.

    `settle` is given such a part as it is by then, and as it was.

        xs[0] + f(x) * 2    ->    first = xs[0]
                                  second = f(x)
                                  first + second * 2
    """
    parts = evaluated(expr)
    last = max((k for k, part in enumerate(parts) if gets_a_line(part)), default=-1)
    doubles = [v for name, v in expr.keywords if name is None] if isinstance(expr, n.Call) else []
    new: dict[int, n.Expr] = {}
    for k, part in enumerate(parts):
        visited = visit(part)
        if k < last and part in doubles:  # what is behind `**` is taken before
            visited = apply(builtins.dict, visited, span=part.span)
        new[id(part)] = settle(visited, part) if k < last else visited
    return exchanged(expr, new)


def exchanged(expr: n.Expr, new: dict[int, n.Expr]) -> n.Expr:
    """The expression with parts of it, by identity, replaced."""
    return new[id(expr)] if id(expr) in new else rebuild(expr, lambda e: exchanged(e, new))


def items_of(star: n.Starred) -> n.Expr:
    """The items behind a `*`, as they are now."""
    return apply(builtins.tuple, star.value, span=star.span)


def evaluated(expr: n.Expr) -> list[n.Expr]:
    """The parts of an expression in order of evaluation, seen through what only puts them together."""
    found: list[n.Expr] = []
    for child in children(expr):
        match child:
            case n.Slice() | n.Starred(value=n.Comprehension()):
                found += evaluated(child)
            case n.Display(form="tuple") if isinstance(expr, n.Subscript):
                found += evaluated(child)
            case n.Attribute() if (
                isinstance(expr, n.Call) and child is expr.func and not isinstance(child.kind, Callable)
            ):
                found += [child.value]
            case _:
                found.append(child)
    return found


def settled(expr: n.Expr) -> bool:
    """Whether evaluating an expression later makes no difference: names and literals of the program."""
    match expr:
        case n.Const() | n.Ref() | n.Lambda():
            return True
        case n.Read():
            return True
        case n.Attribute(value=n.Ref() | n.Attribute() as value):
            return settled(value)
        case _:
            return False
