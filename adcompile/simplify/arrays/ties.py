"""The adjoint of a maximum or minimum of an array, written out where the kinds say all: another touch at the end.

    e_bar = share_ties(top_bar, e, top)   ->   e_is_top = e == top
                                               e_bar = np.where(e_is_top, top_bar, 0) / np.sum(e_is_top)

>>> import numpy as np
>>> from adcompile import grad
>>> def f(e):
...     top = np.max(e)
...     return top**2
>>> print(grad(f).source_for(np.ones(3)).partition("# top = ")[2])
np.max(e)
    e_is_top = e == top
    e_bar = np.where(e_is_top, top_bar, 0) / np.sum(e_is_top)
<BLANKLINE>
    return top**2, (e_bar,)
<BLANKLINE>
"""

from __future__ import annotations

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import BOOL, Array, Kind
from adcompile.ir.make import apply, named
from adcompile.ir.walk import all_blocks, change_expressions, rebuild
from adcompile.runtime import helpers as runtime
from adcompile.simplify.expressions.spelling import spelled


def ties(function: n.Function) -> None:
    """Write adjoints of extremes out, in place."""
    for block in list(all_blocks(function.body)):
        at = 0
        while at < len(block):
            stmt = block[at]
            if isinstance(stmt, n.Assign | n.Augment | n.Store):
                made: list[n.Stmt] = []
                change_expressions(stmt, lambda e, stmt=stmt, made=made: _written(e, stmt, made))  # type: ignore[misc]
                block[at:at] = made
                at += len(made)
            at += 1


def _written(expr: n.Expr, stmt: n.Stmt, made: list[n.Stmt]) -> n.Expr:
    if isinstance(expr, n.Conditional | n.Bool | n.Lambda | n.Comprehension):
        return expr  # what it computes may not be computed
    expr = rebuild(expr, lambda e: _written(e, stmt, made))
    match expr:
        case n.Call(func=n.Ref(value=runtime.share_ties), args=(g, n.Read() as x, n.Read() as top, *options)) if (
            _is_double(x.kind) and all(isinstance(e, n.Const) for e in options)
        ):
            return _shared(g, x, top, options, stmt, made) or expr
        case _:
            return expr


def _shared(
    g: n.Expr, x: n.Read, top: n.Read, options: list[n.Expr], stmt: n.Stmt, made: list[n.Stmt]
) -> n.Expr | None:
    """The share of each item, for whose comparison with the extreme a statement is made."""
    axis, keepdims, start = (*options, *[n.Const(None)] * 3)[:3]
    along = axis != n.Const(None)
    if start != n.Const(None) or (along and not _is_double(top.kind)):
        return None
    whole: n.Expr = top
    if along and keepdims != n.Const(value=True):
        g, whole = apply(np.expand_dims, g, axis, kind=x.kind), apply(np.expand_dims, top, axis, kind=x.kind)
    compared = n.Compare(("==",), (x, spelled(whole)), kind=BOOL)
    is_top = n.Variable("is_top", n.Role.TEMPORARY, holds=n.Compare(("==",), (x, top), kind=BOOL))
    made.append(n.Assign(is_top, compared, origin=stmt.origin))
    read = n.Read(is_top, kind=compared.kind)
    keywords = (("axis", axis), ("keepdims", n.Const(value=True))) if along else ()
    count = n.Call(named(np.sum), (read,), keywords)
    return n.Binary("/", apply(np.where, read, spelled(g), n.Const(0), kind=x.kind), count, kind=x.kind)


def _is_double(kind: Kind) -> bool:
    return isinstance(kind, Array) and kind.dtype == "float64" and bool(kind.rank)

