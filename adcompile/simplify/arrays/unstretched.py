"""Stretching that what reads it would do itself: another touch at the end.

    e_bar = np.broadcast_to(1.0 / e.size, e.shape)         ->   e_bar = 1.0 / e.size
    x_bar = np.where(c, e_bar, 0) - e_bar * y                   x_bar = np.where(c, e_bar, 0) - e_bar * y

Each reader must meet something of the whole shape before the shape matters, in a product, a sum or a selection.

>>> import numpy as np
>>> from adcompile import grad
>>> def f(a, b):
...     error = np.abs(a - b)
...     return np.mean(np.where(error < 1.0, error, 1.0))
>>> print(grad(f).source_for(np.ones(3), np.zeros(3)).rpartition("1.0))")[2].partition("# error")[0])
<BLANKLINE>
    error_bar = np.where(error_below_one, 1.0 / error.size, 0)
<BLANKLINE>
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adcompile.analyses.typing.lattice import broadcast
from adcompile.ir import nodes as n
from adcompile.ir.algebra import negative, simplify
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import Array, Dim, Kind, Scalar, Static, may_be_one
from adcompile.ir.walk import (
    all_blocks,
    binds,
    change_expressions,
    expressions,
    reads,
    rebuild,
    statements,
    substitute,
    walk,
)
from adcompile.simplify.lines.copies import is_named
from adcompile.simplify.lines.dead import dead


class _ShapeMattersError(Exception):
    """What reads a value needs its whole shape."""


def unstretched(function: n.Function) -> None:
    """Leave out stretching that readers do themselves, in place."""
    for block in list(all_blocks(function.body)):
        for stmt in block:
            _inside(stmt)
    everything = list(statements(function.body))
    for stmt in everything:
        small = _small(stmt.value) if isinstance(stmt, n.Assign) else None
        if isinstance(stmt, n.Assign) and small is not None and stmt.target.role is not n.Role.USER:
            _by_its_readers(stmt, small, everything)
            if isinstance(small, n.Const) and stmt.target.is_unstretched and not is_named(stmt.target):
                _put(stmt.target, small, everything)
    if any(s.target.is_unstretched for s in everything if isinstance(s, n.Assign)):
        dead(function)


def _inside(stmt: n.Stmt) -> None:
    """Leave out stretching that the rest of the same expression does."""
    for expr in expressions(stmt):
        for call in [e for e in walk(expr) if isinstance(e, n.Call) and _small(e) is not None]:
            small = _small(call)
            if small is not None and call is not expr:
                try:
                    new = {id(e): _Reader(call, small).whole(e) for e in expressions(stmt)}
                except _ShapeMattersError:
                    continue
                change_expressions(stmt, lambda e, new=new: new.get(id(e), e))  # type: ignore[misc]
                return


def _by_its_readers(assign: n.Assign, small: n.Expr, everything: list[n.Stmt]) -> None:
    """Leave out the stretching of what is set, if each of those who read it does so."""
    target = assign.target
    readers = [s for s in everything if any(target in reads(e) for e in expressions(s))]
    if sum(target in binds(s) for s in everything) != 1 or any(
        isinstance(s, n.Push | n.Pop | n.Collect) or target in _changed(s) for s in readers
    ):
        return
    reader = _Reader(n.Read(target), replace(n.Read(target), kind=small.kind))
    try:
        found = [{id(e): reader.whole(e) for e in expressions(s)} for s in readers]
    except _ShapeMattersError:
        return
    for stmt, new in zip(readers, found, strict=True):
        change_expressions(stmt, lambda e, new=new: new.get(id(e), e))  # type: ignore[misc]
    assign.value = small
    target.is_unstretched = True


def _put(target: n.Variable, literal: n.Const, everything: list[n.Stmt]) -> None:
    """Let statements read a literal in place of a name."""
    for stmt in [s for s in everything if any(target in reads(e) for e in expressions(s))]:
        change_expressions(stmt, lambda e: simplify(substitute(e, {target: literal})) if target in reads(e) else e)
        if isinstance(stmt, n.Augment) and stmt.op in "+-" and (positive := negative(stmt.value)) is not None:
            stmt.op, stmt.value = "-" if stmt.op == "+" else "+", positive


def _changed(stmt: n.Stmt) -> frozenset[n.Variable]:
    return reads(stmt.target) if isinstance(stmt, n.Store | n.Augment) else frozenset()


class _Reader:
    """What an expression becomes in which one part is small instead of stretched."""

    def __init__(self, part: n.Expr, small: n.Expr) -> None:
        self.part = part
        self.small = small
        self.variables = reads(part)

    def whole(self, expr: n.Expr) -> n.Expr:
        """The expression, which is as large as before."""
        new, is_small = self.read(expr)
        if is_small:
            raise _ShapeMattersError
        return new

    def read(self, expr: n.Expr) -> tuple[n.Expr, bool]:
        """The expression, and whether it is small."""
        if expr == self.part:
            return self.small, True
        if not self.variables <= reads(expr):
            return expr, False
        match expr:
            case n.Binary(op="+" | "-" | "*" | "/", kind=Array(dtype="float64", dims=tuple())):
                return self.binary(expr)
            case n.Unary(op="-"):
                operand, is_small = self.read(expr.operand)
                return replace(expr, operand=operand, kind=operand.kind if is_small else expr.kind), is_small
            case n.Call(
                func=n.Attribute(kind=Static(value=np.where)),
                args=(test, *choices),
                keywords=(),
                kind=Array(dtype="float64", dims=tuple() as dims),
            ) if isinstance(test.kind, Array) and _meets(test.kind.dims, dims):
                chosen = [self.read(e)[0] for e in choices]
                return replace(expr, args=(self.whole(test), *chosen)), False
            case n.Call(args=(array, index, value), keywords=()) if n.object_of(expr.func) == np.add.at:
                return replace(expr, args=(self.whole(array), self.whole(index), self.read(value)[0])), False
            case n.Call(func=n.Attribute(kind=Static(value=np.broadcast_to)), args=(inner, shape), keywords=()):
                new = self.read(inner)[0]
                return replace(expr, args=(new, self.whole(shape))), False
            case n.Subscript(value=value, index=index) if isinstance(self.small.kind, Scalar) and _only_adds(index):
                new, is_small = self.read(value)
                if is_small:
                    return new, True
                return replace(expr, value=new), False
            case n.Opaque() | n.Lambda() | n.Comprehension():
                raise _ShapeMattersError
            case _:
                return rebuild(expr, self.whole), False

    def binary(self, expr: n.Binary) -> tuple[n.Expr, bool]:
        (left, left_small), (right, right_small) = self.read(expr.left), self.read(expr.right)
        new = replace(expr, left=left, right=right)
        if not (left_small or right_small):
            return new, False
        if left_small and right_small:
            return replace(new, kind=self.small.kind), True
        small, other = (left, right) if left_small else (right, left)
        match other.kind:
            case Array(dtype="float64", dims=tuple() as dims) if _meets(dims, _dims(expr.kind), _dims(small.kind)):
                positive = _positive(right) if expr.op == "+" and right_small else None
                return new if positive is None else replace(new, op="-", right=positive), False
            case Scalar(dtype="float64" | "int64") if (
                expr.op != "/" or (left_small and (isinstance(small.kind, Array) or _is_length(other)))
            ):
                return replace(new, kind=small.kind), True
            case _:
                raise _ShapeMattersError


def _small(value: n.Expr) -> n.Expr | None:
    """What is stretched to an array of double precision, of known rank; None where nothing is."""
    match value:
        case n.Call(
            func=n.Attribute(kind=Static(value=np.broadcast_to)),
            args=(n.Expr(kind=Scalar(dtype="float64") | Array(dtype="float64", dims=tuple())) as small, _),
            keywords=(),
            kind=Array(dtype="float64", dims=tuple()),
        ):
            return small
        case _:
            return None


def _positive(expr: n.Expr) -> n.Expr | None:
    """What is negated first of all in a product; None where nothing is."""
    match expr:
        case n.Unary(op="-", operand=operand):
            return operand
        case n.Binary(op="*" | "/", left=left):
            positive = _positive(left)
            return None if positive is None else replace(expr, left=positive)
        case _:
            return None


def _dims(kind: Kind) -> tuple[Dim, ...]:
    return (kind.dims or ()) if isinstance(kind, Array) else ()


def _meets(one: tuple[Dim, ...] | None, whole: tuple[Dim, ...], other: tuple[Dim, ...] = ()) -> bool:
    """Whether what has these shapes has the whole's when they meet.

    An axis that has no length 1 is not stretched: where it meets another they are equally long, whatever their names.
    """
    if one is None:
        return False
    reached = broadcast([one, other], "?")
    return len(reached) == len(whole) and all(
        d == e or (not may_be_one(d) and d != 0) for d, e in zip(reached, whole, strict=True)
    )


def _only_adds(index: n.Expr) -> bool:
    """Whether an index takes all there is, and adds axes."""
    items = index_parts(index)
    return all(e in (n.Const(None), n.Const(...), n.Slice()) for e in items)


def _is_length(expr: n.Expr) -> bool:
    """Whether this is the length of something that has items: no number of Python's is divided by 0."""
    match expr:
        case n.Attribute(value=n.Expr(kind=Array(dims=tuple() as dims)), name="size"):
            return all(_has_items(d) for d in dims)
        case n.Subscript(
            value=n.Attribute(value=n.Expr(kind=Array(dims=tuple() as dims)), name="shape"),
            index=n.Const(value=int() as axis),
        ):
            return -len(dims) <= axis < len(dims) and _has_items(dims[axis])
        case _:
            return False


def _has_items(dim: Dim) -> bool:
    return dim > 0 if isinstance(dim, int) else dim.least + dim.offset > 0
