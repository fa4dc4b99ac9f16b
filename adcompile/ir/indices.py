"""The parts of an index."""

from __future__ import annotations

from adcompile.ir import nodes as n


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
