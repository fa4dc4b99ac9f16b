"""Stretching that the next addition would do itself.

    t = np.broadcast_to(s, np.shape(x[k]))     ->     x_bar[k] += s
    x_bar[k] += t

    x_bar = np.broadcast_to(s, np.shape(x))    ->     x_bar = s
    x_bar = x_bar + y                                 x_bar = x_bar + y

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> function = read(lambda x, s: x)
>>> x, s = (n.Read(p.variable) for p in function.params)
>>> x, s = replace(x, kind=Array("float64", (3,))), replace(s, kind=Scalar("float64"))
>>> broadcast_to = n.Attribute(n.Ref("np", np, "rule"), "broadcast_to", kind=Static(np.broadcast_to))
>>> function.body = [n.Augment(x, "+", n.Call(broadcast_to, (s, n.Const((3,))), kind=x.kind))]
>>> stretching(function), show(function.body)
(True, 'x += s')
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Scalar, Static
from adcompile.ir.walk import binds, blocks, expressions, read_in, reads, set_in, statements


def stretching(function: n.Function) -> bool:
    """Leave out needless stretching, in place; whether anything changed."""
    if not any(_stretched(s.value) for s in statements(function.body) if isinstance(s, n.Assign | n.Augment)):
        return False
    sets = set_in(function.body)
    once = {v for v, count in read_in(function.body).items() if count == sets[v] == 1}
    return _block(function.body, once)


def _block(body: list[n.Stmt], once: set[n.Variable]) -> bool:
    changed = False
    for k, stmt in enumerate(body):
        for inner in blocks(stmt):
            changed |= _block(inner, once)
        if isinstance(stmt, n.Augment) and (small := _stretched(stmt.value)) is not None and _is_place(stmt):
            stmt.value = small
            changed = True
        if isinstance(stmt, n.Assign) and (small := _stretched(stmt.value)) is not None:
            user = _reader(body[k + 1 :], stmt.target)
            match user:
                case n.Augment(value=n.Read() as read) if stmt.target in once and _is_place(user):
                    user.value = replace(read, kind=small.kind)
                case n.Assign(
                    target=target, value=n.Binary(op="+" | "-", left=n.Read() as read, right=rest) as total
                ) if (
                    target is stmt.target is read.variable
                    and target not in reads(rest)
                    and rest.kind == stmt.value.kind == total.kind
                ):
                    user.value = replace(total, left=replace(read, kind=small.kind))
                case _:
                    continue
            stmt.value = small
            stmt.target.is_unstretched = True
            changed = True
    return changed


def _stretched(value: n.Expr) -> n.Expr | None:
    """What is stretched to an array of the same dtype, of known rank; None where nothing is."""
    match value:
        case n.Call(
            func=n.Attribute(kind=Static(value=function)),
            args=(n.Expr(kind=Scalar(certain=own) | Array(dtype=own, dims=tuple())) as small, _),
            keywords=(),
            kind=Array(dtype=dtype, dims=tuple()),
        ) if function is np.broadcast_to and own == dtype:
            return small
        case _:
            return None


def _is_place(stmt: n.Augment) -> bool:
    """Whether this adds to an array in place: it keeps its shape, so what is added is stretched to it."""
    target = stmt.target.kind
    return (
        stmt.op in ("+", "-")
        and isinstance(target, Array)
        and isinstance(stmt.value.kind, Array)
        and bool(target.dims)
        and target.dtype == stmt.value.kind.dtype
    )


def _reader(later: list[n.Stmt], variable: n.Variable) -> n.Stmt | None:
    """The one statement that reads what a variable was set to before it is set again; None if in doubt."""
    for stmt in later:
        inside = [s for block in blocks(stmt) for s in statements(block)]
        if any(variable in reads(e) for s in inside for e in expressions(s)) or variable in {
            v for s in inside for v in binds(s)
        }:
            return None
        if any(variable in reads(e) for e in expressions(stmt)):
            return stmt
        if variable in binds(stmt):
            return None
    return None
