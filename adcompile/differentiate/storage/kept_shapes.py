"""What the backward sweep asks of an array's shape alone: it is decided and rewritten in one place.

    v_tape.append(v)                                    v_tape.append(v.shape)
    v = v_tape.pop()                             ->     v_shape = v_tape.pop()
    x_bar = np.broadcast_to(g / v.size, v.shape)        x_bar = np.broadcast_to(g / v_shape[0], v_shape)

A size is a product of lengths, as long as it is one of two at most: more are refused under Numba, as any that may
outgrow 64 bits.
"""

from __future__ import annotations

import builtins

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Sequence, Static
from adcompile.ir.walk import children, expressions, reads, rebuild, statements

SHAPE = Sequence(INT, tuple)


def of_a_shape(expr: n.Expr) -> tuple[n.Read, n.Expr] | None:
    """An array of which an expression needs the shape alone, and the expression where its name stands for the shape.

    >>> from adcompile.ir.show import show
    >>> v = n.Read(n.Variable("v"), kind=Array("float64", (3, 4)))
    >>> read, size = of_a_shape(n.Attribute(v, "size"))
    >>> show(size)
    '(v[0] * v[1])'
    """
    match expr:
        case _ if isinstance(read := n.shape_operand(expr), n.Read):
            return read, n.Read(read.variable, kind=SHAPE)
        case n.Call(func=n.Ref(value=builtins.len), args=(n.Read(kind=Array(rank=rank)) as read,), keywords=()) if rank:
            return read, _axis(read, 0)
        case (
            n.Call(func=n.Expr(kind=Static(value=np.size)), args=(n.Read(kind=Array(rank=rank)) as read,), keywords=())
            | n.Attribute(value=n.Read(kind=Array(rank=rank)) as read, name="size")
        ) if rank == 1:
            return read, _axis(read, 0)
        case (
            n.Call(func=n.Expr(kind=Static(value=np.size)), args=(n.Read(kind=Array(rank=2)) as read,), keywords=())
            | n.Attribute(value=n.Read(kind=Array(rank=2)) as read, name="size")
        ):
            return read, n.Binary("*", _axis(read, 0), _axis(read, 1), kind=INT)
        case _:
            return None


def _axis(read: n.Read, axis: int) -> n.Expr:
    return n.Subscript(n.Read(read.variable, kind=SHAPE), n.Const(axis, kind=INT), kind=INT)


def read_whole(body: list[n.Stmt]) -> set[n.Variable]:
    """The variables of which some lines read more than the shape."""
    whole: set[n.Variable] = set()

    def look(expr: n.Expr) -> n.Expr:
        if of_a_shape(expr) is not None:
            return expr
        match expr:
            case n.Read(variable=variable):
                whole.add(variable)
            case _ if not children(expr):
                whole.update(reads(expr))
        return rebuild(expr, look)

    for stmt in statements(body):
        for expr in expressions(stmt):
            look(expr)
    return whole
