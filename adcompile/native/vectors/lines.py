"""The lines of arithmetic on vectors that become loops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.algebra import is_minus_one
from adcompile.ir.kinds import Array, Kind, Scalar, Static, same_shape
from adcompile.ir.make import shape_operand
from adcompile.ir.walk import children, expressions, rebuild, walk
from adcompile.native.vectors.effects import is_known
from adcompile.native.vectors.loops import as_long, is_list_of_places, is_picked, is_vector, is_written_out
from adcompile.runtime import native as runtime_native

_OPERATORS = ("+", "-", "*", "/")


@dataclass(eq=False)
class VectorLine:
    """A statement of arithmetic on vectors: what it sets, or where it is put (with which operator), and the value."""

    stmt: n.Assign | n.Store | n.Augment | n.Evaluate
    place: n.Expr | None
    op: str | None
    value: n.Expr
    like: n.Expr | None = None  # a vector that only says how many items there are

    @property
    def is_filled_with_number(self) -> bool:
        """Whether each item is given, or has added to it, the same number."""
        return isinstance(self.value.kind, Scalar)

    @property
    def adds_at_places(self) -> bool:
        """Whether each item is added where a list of places says."""
        return isinstance(self.stmt, n.Evaluate)

    def vectors(self, *, value_only: bool = False) -> list[n.Expr]:
        """The vectors that are read, and the one that is written."""
        found = vectors_in(self.value) if self.like is None else [self.like]
        return found if value_only or self.place is None else [self.place, *found]

    def numbers(self) -> list[n.Expr]:
        """The numbers that take part."""
        return numbers_in(self.value)


def vector_line(stmt: n.Stmt) -> VectorLine | None:
    """A statement as arithmetic on vectors, if it is that."""
    match stmt:
        case n.Assign(value=value) if is_written_out(value, picked=True):
            return VectorLine(stmt, None, None, value)
        case n.Assign(
            value=n.Call(
                func=n.Expr(kind=Static(value=np.full)), args=(shape, n.Expr(kind=Scalar()) as number), keywords=()
            )
        ) if (
            (like := shape_operand(shape)) is not None
            and is_vector(like)
            and is_vector(n.Read(stmt.target, kind=stmt.value.kind))
        ):
            return VectorLine(stmt, None, None, number, like)
        case n.Assign(value=n.Call(func=n.Attribute(value=held, name="copy"), args=(), keywords=())) if is_vector(held):
            return VectorLine(stmt, None, None, held)
        case n.Store(target=n.Subscript() as place, value=value) if is_vector(place) and _fills(place, value):
            return VectorLine(stmt, place, None, value)
        case n.Augment(target=n.Subscript() | n.Read() as place, op=op, value=value) if (
            op in _OPERATORS and is_vector(place) and _fills(place, value)
        ):
            return VectorLine(stmt, place, op, value)
        case n.Assign(value=value) if is_picked(value):
            return VectorLine(stmt, None, None, value)
        case n.Evaluate(value=n.Call(func=n.Ref(value=runtime_native.add_at), args=(whole, places, value))) if (
            is_vector(whole)
            and is_list_of_places(places)
            and (_are_as_many(value.kind, places.kind))
            and (is_written_out(value, picked=True) or is_vector(value) or is_picked(value))
        ):
            return VectorLine(stmt, n.Subscript(whole, places, kind=value.kind), "+", value)
        case _:
            return None


def sums_in(stmt: n.Stmt) -> list[tuple[n.Expr, n.Expr]]:
    """The sums of all items of a vector that a statement is certain to ask for, each with the vector."""
    found: list[tuple[n.Expr, n.Expr]] = []

    def visit(e: n.Expr) -> bool:
        """Whether nothing in an expression changes anything."""
        match e:
            case n.Call(func=n.Expr(kind=Static(value=np.sum)), args=(vector,), keywords=()) if is_vector(
                vector
            ) or is_written_out(vector, picked=True):
                found.append((e, vector))
                return True
            case (
                n.Call(func=n.Expr(kind=Static(value=np.dot)), args=(left, right), keywords=())
                | n.Binary(op="@", left=left, right=right)
            ) if _is_product(left, right):
                found.append((e, n.Binary("*", left, right, kind=left.kind)))
                return True
            case n.Conditional() | n.Bool() | n.Compare():
                return all(map(is_known, walk(e)))
            case _:
                return is_known(e) and all(visit(child) for child in children(e))

    return found if all(visit(e) for e in expressions(stmt)) else []


def _is_product(left: n.Expr, right: n.Expr) -> bool:
    """Whether two vectors can be multiplied item by item."""
    return is_vector(left) and is_vector(right) and as_long(left.kind, right.kind)


def _are_as_many(values: Kind, places: Kind) -> bool:
    """Whether there is a value for each place, and not one for all."""
    return (
        isinstance(values, Array)
        and isinstance(places, Array)
        and ((values.dims is not None and values.dims == places.dims) or same_shape(values, places))
    )


def has_step(e: n.Expr) -> bool:
    """Whether a vector is not one item next to the other in memory."""
    return isinstance(e, n.Subscript) and (
        (isinstance(e.index, n.Slice) and e.index.step is not None) or has_step(e.value)
    )


def spread(e: n.Expr) -> n.Expr:
    """Arithmetic on vectors turned round: of which the vectors are."""
    match e:
        case n.Subscript(value=whole, index=n.Slice(lower=None, upper=None, step=step) as turn) if is_minus_one(
            step
        ) and is_written_out(whole, picked=True):
            return _of_turned(whole, turn)
        case _:
            return rebuild(e, spread)


def _of_turned(e: n.Expr, turn: n.Slice) -> n.Expr:
    match e:
        case n.Expr(kind=Scalar()):
            return e
        case n.Binary(left=left, right=right):
            return replace(e, left=_of_turned(left, turn), right=_of_turned(right, turn))
        case n.Unary(operand=operand):
            return replace(e, operand=_of_turned(operand, turn))
        case n.Call(args=args):
            return replace(e, args=tuple(_of_turned(a, turn) for a in args))
        case _:
            return n.Subscript(e, turn, kind=e.kind)


def exchanged(e: n.Expr, old: n.Expr, new: n.Expr) -> n.Expr:
    """An expression with a part of it exchanged for another."""
    return new if e is old else rebuild(e, partial(exchanged, old=old, new=new))


def _fills(place: n.Expr, value: n.Expr) -> bool:
    if isinstance(value, n.Const | n.Read) and isinstance(value.kind, Scalar):
        return value.kind.dtype in ("float64", "int64")
    return (is_written_out(value, picked=True) or is_vector(value)) and as_long(place.kind, value.kind)


def _leaves(e: n.Expr) -> Iterator[n.Expr]:
    """The vectors and the numbers that arithmetic on vectors reads."""
    match e:
        case n.Expr(kind=Scalar()):
            yield e
        case n.Binary(left=left, right=right):
            yield from _leaves(left)
            yield from _leaves(right)
        case n.Unary(operand=operand):
            yield from _leaves(operand)
        case n.Call(args=args):
            for a in args:
                yield from _leaves(a)
        case _:
            yield e


def vectors_in(e: n.Expr) -> list[n.Expr]:
    """The vectors of which an expression is arithmetic."""
    return [leaf for leaf in _leaves(e) if not isinstance(leaf.kind, Scalar)]


def numbers_in(e: n.Expr) -> list[n.Expr]:
    """The numbers that take part in it."""
    return [leaf for leaf in _leaves(e) if isinstance(leaf.kind, Scalar)]
