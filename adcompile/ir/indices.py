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
