"""What the backward sweep asks of an array's shape alone: it is decided and rewritten in one place.

    v_tape.append(v)                                    v_tape.append(v.shape)
    v = v_tape.pop()                             ->     v_shape = v_tape.pop()
    x_bar = np.broadcast_to(g / v.size, v.shape)        x_bar = np.broadcast_to(g / v_shape[0], v_shape)

A size is a product of lengths, as long as it is one of two at most: more are refused under Numba, as any that may
outgrow 64 bits.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile.differentiate.storage.work import in_versions, is_replayed, number_by_number
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Scalar, Sequence, Static, same_shape
from adcompile.ir.make import shape_operand
from adcompile.ir.walk import change_expressions, children, expressions, of_expression, reads, rebuild, statements, walk

if TYPE_CHECKING:
    from adcompile.analyses.versions import Versions
    from adcompile.differentiate.storage.sweep import Sweep

SHAPE = Sequence(INT, tuple)


def of_a_shape(expr: n.Expr) -> tuple[n.Read, n.Expr] | None:
    """An array of which an expression needs the shape alone, and the expression where its name stands for the shape.

    Of a list it is the length.

    >>> from adcompile.ir.show import show
    >>> v = n.Read(n.Variable("v"), kind=Array("float64", (3, 4)))
    >>> read, size = of_a_shape(n.Attribute(v, "size"))
    >>> show(size)
    '(v[0] * v[1])'
    """
    match expr:
        case _ if isinstance(read := shape_operand(expr), n.Read):
            if isinstance(read.kind, Sequence) and not isinstance(read.kind.item, Scalar):
                return None  # a list of lists has more axes than one
            return read, n.Read(read.variable, kind=SHAPE)
        case n.Call(func=n.Ref(value=builtins.len), args=(n.Read(kind=Array(rank=rank)) as read,), keywords=()) if rank:
            return read, _axis(read, 0)
        case n.Call(func=n.Ref(value=builtins.len), args=(n.Read(kind=Sequence()) as read,), keywords=()):
            return read, n.Read(read.variable, kind=INT)
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
    return {v for stmt in statements(body) for expr in expressions(stmt) for v in _read_whole(expr)}


@of_expression
def _read_whole(expr: n.Expr) -> frozenset[n.Variable]:
    inside = children(expr)
    if of_a_shape(expr) is not None:
        return frozenset()
    return frozenset().union(*map(_read_whole, inside)) if inside else reads(expr)


def read_for_length(body: list[n.Stmt]) -> set[n.Variable]:
    """The lists of which some lines read the length."""
    found = (of_a_shape(e) for s in statements(body) for expr in expressions(s) for e in walk(expr))
    return {pair[0].variable for pair in found if pair is not None and isinstance(pair[0].kind, Sequence)}


def without_arrays(expr: n.Expr, kept: set[n.Variable]) -> n.Expr:
    """An expression with the shapes that were kept, by these names, instead of arrays."""
    found = of_a_shape(expr)
    if found is not None and found[0].variable in kept:
        return found[1]
    return rebuild(expr, lambda e: without_arrays(e, kept))


@dataclass(slots=True)
class Shapes:
    """Where else a shape can be had than from the array that is asked for it, which may have to be kept for that.

    `free` says whether a version is simply there.
    """

    sweep: Sweep
    versions: Versions
    free: Callable[[n.Variable], bool]

    def take(self, body: list[n.Stmt]) -> None:
        """Take shapes from what an array is in the end: the updates in between leave them as they are."""

        def at_the_end(read: n.Read) -> n.Read:
            info = self.versions.info.get(read.variable)
            if info is None or self.free(read.variable) or info.variable not in self.sweep.steady:
                return read
            last = self.versions.final.get(info.variable)
            if last is None or info.variable not in self.versions.changed or not self.versions.info[last].certain:
                return read
            return replace(read, variable=last)

        whole = read_whole(body)

        def change(expr: n.Expr) -> n.Expr:
            match expr:
                case n.Call(func=n.Attribute(name="shape" | "size"), args=(n.Read(kind=Array()) as read,)) if (
                    other := self.in_use(read, whole)
                ) is not None:
                    return replace(expr, args=(other,))
                case n.Call(func=n.Attribute(name="shape"), args=(n.Read(kind=Array()) as read,)) if (
                    shaped := self.of_the_same_shape(read.variable)
                ) is not None:
                    return replace(expr, args=(shaped,))
                case n.Call(
                    func=n.Attribute(name="zeros_like" | "shape" | "size"), args=(n.Read(kind=Array()) as read,)
                ):
                    return replace(expr, args=(at_the_end(read),))
                case n.Call(func=n.Ref(value=builtins.len), args=(n.Read(kind=Array()) as read,)):
                    return replace(expr, args=(at_the_end(read),))
                case n.Attribute(value=n.Read(kind=Array()) as read, name="shape" | "size" | "ndim" | "dtype"):
                    return replace(expr, value=at_the_end(read))
                case _:
                    return rebuild(expr, change)

        for stmt in statements(body):
            change_expressions(stmt, change)

    def in_use(self, read: n.Read, whole: set[n.Variable]) -> n.Read | None:
        """What an array was computed of, number by number, if the backward sweep reads that, not the array itself."""
        version = read.variable
        while version not in whole:
            info = self.versions.info.get(version)
            if info is None or info.loops or info.birth != "assign" or not isinstance(info.stmt, n.Assign):
                return None
            inner = number_by_number(info.stmt.value)
            if inner is None or not self.free(version):
                return None
            version = self.versions.before[info.stmt].get(inner.variable, inner.variable)
            read = replace(inner, variable=version)
        return read if read.variable in self.versions.info and self.free(version) else None

    def of_the_same_shape(self, version: n.Variable) -> n.Expr | None:
        """What is there anyway, or a part of it, and has the shape of a version that would have to be kept for it."""
        info = self.versions.info.get(version)
        if info is None or self.free(version) or info.birth != "assign" or not isinstance(info.stmt, n.Assign):
            return None
        if is_replayed(info, self.sweep):
            return None
        env = self.versions.before[info.stmt]
        value = info.stmt.value
        while True:
            match value:
                case n.Binary(op="+" | "-" | "*" | "/" | "**", left=left, right=right) if isinstance(
                    right.kind, Scalar
                ):
                    value = left
                case n.Binary(op="+" | "-" | "*" | "/" | "**", left=left, right=right) if (
                    isinstance(left.kind, Scalar) or same_shape(left.kind, right.kind)
                ):
                    value = right
                case n.Unary(op="-", operand=operand):
                    value = operand
                case n.Read(variable=variable, kind=Array()) if variable in env and not self.free(env[variable]):
                    return self.of_the_same_shape(env[variable])
                case n.Subscript(value=n.Read(kind=Array()), kind=Array()) | n.Read(kind=Array()):
                    past = in_versions(value, env)
                    there = all(v not in self.versions.info or self.free(v) for v in reads(past))
                    return past if there and not any(isinstance(e, n.Call | n.Named) for e in walk(value)) else None
                case _:
                    return None
