"""The parts of an index, and what is known of them."""

from __future__ import annotations

from typing import Any

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Static


def index_parts(index: n.Expr) -> tuple[n.Expr, ...]:
    """What an index says of one axis after the other. A list is one part: it picks rows.

    >>> zero, one = n.Const(0), n.Const(1)
    >>> index_parts(n.Display("tuple", (zero, one))) == (zero, one)
    True
    >>> rows = n.Display("list", (zero, one))
    >>> index_parts(rows) == (rows,)
    True
    """
    return index.items if isinstance(index, n.Display) and index.form == "tuple" else (index,)


def is_none(e: n.Expr) -> bool:
    """Whether an expression is a literal `None`: an axis more, or an end that is left open."""
    return isinstance(e, n.Const) and e.value is None


def is_ellipsis(e: n.Expr) -> bool:
    """Whether an expression is a literal `...`: all the axes that no other part is about."""
    return isinstance(e, n.Const) and e.value is ...


def whole_literal(e: n.Expr) -> int | None:
    """The whole number that a literal is, with its sign."""
    match e:
        case n.Const(value=value) if type(value) is int:
            return value
        case n.Unary(op="-", operand=n.Const(value=value)) if type(value) is int:
            return -value
        case _:
            return None


def literal_key(index: n.Expr) -> tuple[bool, Any]:
    """The key that an index is for certain, as (True, key): a literal, or a string known from its kind."""
    match index:
        case n.Const(value=value):
            return True, value
        case n.Display(form="tuple", items=items):
            parts = [literal_key(e) for e in items]
            return all(known for known, _ in parts), tuple(key for _, key in parts)
        case n.Expr(kind=Static(value=str() as value)) if value:
            return True, value
        case _:
            return False, None


def is_chain(expr: n.Expr) -> bool:
    """Whether an expression only reads parts of a variable, so that it may be written again for each item."""
    while isinstance(expr, n.Attribute) or (isinstance(expr, n.Subscript) and literal_key(expr.index)[0]):
        expr = expr.value
    return isinstance(expr, n.Read | n.Ref)
