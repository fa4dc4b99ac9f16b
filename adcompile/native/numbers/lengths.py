"""Adjoints of vectors summed down to their length, in a form that Numba takes.

    unbroadcast(g, np.shape(x))             ->      sum_to_length(g, len(x))
    np.sum(g, axis=0, keepdims=True)        ->      sum_to_length(g, 1)

`unbroadcast` is for arrays of any rank, which it asks for as it runs; under Numba the rank is part of the type.

>>> from adcompile.ir.kinds import Extent
>>> from adcompile.ir.show import show
>>> x = n.Read(n.Variable("x"), kind=Array("float64", (Extent("x.0"),)))
>>> shape = n.Call(n.Attribute(n.Ref("np", np, "rule"), "shape", kind=Static(np.shape)), (x,))
>>> call = n.Call(n.Ref("unbroadcast", runtime.unbroadcast, "rule"), (x, shape), kind=x.kind)
>>> print(show([n.Evaluate(_changed(call))]))
sum_to_length@rule(x, len@builtin(x))
"""

from __future__ import annotations

from collections.abc import Callable as Function

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, UNKNOWN, Array, Kind, Static
from adcompile.ir.make import apply, len_of
from adcompile.ir.walk import change_expressions, rebuild, statements
from adcompile.native.numbers.literals import as_dtype
from adcompile.runtime import helpers as runtime


def lengths(function: n.Function) -> None:
    """Rewrite the sums of a function's adjoints of vectors, in place."""
    for stmt in statements(function.body):
        change_expressions(stmt, _changed)


def _changed(expr: n.Expr) -> n.Expr:
    expr = rebuild(expr, _changed)
    match expr:
        case n.Call(func=n.Ref(value=runtime.unbroadcast), args=(g, shape)):
            x = n.shape_operand(shape)
            kind = x.kind if x is not None else expr.kind if isinstance(shape, n.Read) else UNKNOWN
            rank = kind.rank if isinstance(kind, Array) else None
            if rank not in (1, 2) or not _has_axes(g.kind, rank):
                return expr
            own = shape if x is None else n.Attribute(x, "shape")
            sizes = [n.Subscript(own, n.Const(axis, kind=INT), kind=INT) for axis in range(rank)]
            if rank == 1:
                size = sizes[0] if x is None else len_of(x)
                return _call(runtime.sum_to_length, (g, size), kind)
            return _call(runtime.sum_to_matrix, (g, *sizes), kind)
        case n.Call(
            func=n.Expr(kind=Static(value=np.sum)),
            args=(g,),
            keywords=(("axis", n.Const(value=0)), ("keepdims", n.Const(value=True))),
        ) if _has_axes(g.kind, 1):
            return _call(runtime.sum_to_length, (g, n.Const(1, kind=INT)), expr.kind)
        case _:
            return expr


def _call(function: Function[..., object], args: tuple[n.Expr, ...], kind: Kind) -> n.Expr:
    """A sum, which float32 would lose digits of."""
    g = args[0]
    if isinstance(g.kind, Array) and g.kind.dtype == "float32":
        return as_dtype(apply(function, as_dtype(g, "float64"), *args[1:], kind=g.kind), "float32")
    return apply(function, *args, kind=kind)


def _has_axes(kind: Kind, many: int) -> bool:
    return isinstance(kind, Array) and kind.rank == many
