"""Jacobians by columns, all of them at once: tangents with an axis of directions behind their own.

By columns, a tangent function is called once for each number of the inputs. Where it works on numbers only, one item
of an array after the other, its lines are right for all columns at once: the tangent of a number becomes a vector, one
number for each direction, and that of an array has one axis more. So the function runs once, and NumPy does the rest.

    s_dot = 0.0                                        s_dot = np.zeros(x.size)
    for i in range(len(x)):                    ->      for i in range(len(x)):
        s_dot += x_dot[i] * math.cos(x[i])                 s_dot = s_dot + x_dot[i] * math.cos(x[i])

A vector that one name holds may be another's too, or a row of an array. So the tangents of numbers are never changed in
place, and a row that may be written to later is copied when it is read. All that is not certainly right so is left to
`jacobian.py`: operations on whole arrays, calls that take tangents, lists that grow, `try`.

>>> import math, numpy as np
>>> from adcompile import jacobian
>>> def running(x):
...     total, out = 0.0, np.zeros_like(x)
...     for i in range(len(x)):
...         total += math.sin(x[i])
...         out[i] = total
...     return out
>>> print(jacobian(running, mode="forward").source_for(np.ones(3)).rpartition('"' * 3)[2])
<BLANKLINE>
    x_dot = np.eye(x.size)
    total, out = 0.0, np.zeros_like(x)
    out_dot = np.zeros((len(out), x.size))
    total_dot = np.zeros(x.size)
    for i in range(len(x)):
        x_i = x[i]
        total_dot = total_dot + x_dot[i] * math.cos(x_i)
        total += math.sin(x_i)
        out_dot[i] = total_dot
        out[i] = total
    return out_dot
<BLANKLINE>
"""

from __future__ import annotations

import builtins
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile import runtime
from adcompile.differentiate.columns import Columns, UnclearError, dtype_of, shape_of
from adcompile.differentiate.places import Place, place_of
from adcompile.differentiate.ranks import Ranks, root
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Kind, Scalar, Static
from adcompile.ir.walk import (
    binds,
    blocks,
    bound_in,
    children,
    copy_block,
    expressions,
    reads,
    rebuild,
    statements,
    walk,
)

if TYPE_CHECKING:
    from adcompile.analyses.kinds import Typed
    from adcompile.differentiate.jacobian import Input

_NP = n.Ref("np", np, "rule", kind=Static(np))


def by_directions(tangent: n.Function, typed: Typed, inputs: list[Input], name: str) -> n.Function | None:
    """The function that makes a Jacobian from a tangent function run once, for all directions; None where in doubt."""
    try:
        return _Directions(tangent, typed, inputs).function(name)
    except UnclearError:
        return None


def is_item_by_item(body: list[n.Stmt]) -> bool:
    """Whether a function has no arithmetic on whole arrays, as far as a quick look tells."""
    found = (e for s in statements(body) for expr in expressions(s) for e in walk(expr))
    return not any(isinstance(e, n.Binary | n.Unary) and isinstance(e.kind, Array) for e in found)


class _Directions(Ranks):
    def __init__(self, tangent: n.Function, typed: Typed, inputs: list[Input]) -> None:
        body = copy_block(tangent.body)
        self.typed = typed
        self.columns = Columns(tangent, typed, inputs, body)
        *before, self.last = body
        self.exact = self.columns.exact
        super().__init__(before, self.columns)

    def function(self, name: str) -> n.Function:
        match self.last, self.typed.result:
            case n.Return(value=n.Display(items=(value, dot))), Scalar():
                self.require(dot, 0)
            case n.Return(value=n.Display(items=(value, dot))), Array(dims=tuple() as dims) if dims:
                self.require(dot, len(dims))
            case _:
                raise UnclearError
        raising = self._raising(value)
        body = self.block(self.body)
        if raising:
            body += [n.Remark("nothing reads the value, but it may raise"), n.Evaluate(value)]
        lines, result = self.columns.results(self.dense(dot), exact=self.exact)
        for variable in self.tangents:
            variable.has_directions = True
        params = [n.Param(v) for v in self.typed.params]
        whole = [*self.columns.start(), *body, *lines, n.Return(result)]
        return n.Function(name, params, whole, self.typed.function.source, docstring="")

    # --------------------------------------------------------------------------------------------------- the new lines

    def held(self, e: n.Expr) -> n.Expr:
        """What a name may hold: a copy of a row that may be written to later."""
        match e:
            case n.Conditional(then=then, orelse=orelse):
                return replace(e, then=self.held(then), orelse=self.held(orelse))
            case n.Subscript() if self.rank(e) == 0 and not self.changed.isdisjoint(root(e)):
                return n.Call(n.Attribute(e, "copy"), (), kind=e.kind)
            case _:
                return e

    def block(self, body: list[n.Stmt]) -> list[n.Stmt]:
        return list(map(self.statement, body))

    def statement(self, stmt: n.Stmt) -> n.Stmt:
        """A statement, for all directions."""
        match stmt:
            case n.Assign(target=target, value=value) if target in self.tangents:
                stmt.value = self.held(self.dense(value))
            case n.Augment(target=n.Read(variable=variable) as read, op=op, value=value) if variable in self.tangents:
                whole = n.Binary(op, read, value, kind=read.kind)
                return n.Assign(variable, self.dense(whole), origin=stmt.origin)
            case n.Augment(target=target, op=op, value=value) if reads(target) & self.tangents:
                if self.rank(target) != 0:
                    raise UnclearError
                if op in ("+", "-"):
                    self.require(value, 0)
                    stmt.value = self.loose(value)
                elif op in ("*", "/"):
                    self.factor(value)
                else:
                    raise UnclearError
            case n.Store(target=target, value=value) if reads(target) & self.tangents:
                self.require(value, 0, self.rank(target))
                stmt.value = self.loose(value)
            case n.Unpack(pattern=pattern, value=value):
                self.unpack(stmt, pattern, value)
            case n.For(target=target, iterable=iterable):
                for variable, items in self.items(target, iterable):
                    if self.ranks.get(variable) is None or (not self.ranks[variable] and self.changed & reads(items)):
                        raise UnclearError
            case n.Try() | n.With() if any(
                reads(e) & self.tangents for s in statements([stmt]) for e in expressions(s)
            ) or not self.tangents.isdisjoint(bound_in([stmt])):
                raise UnclearError  # where it stops may be another place
            case _:
                self.fixed(*expressions(stmt))
                if not self.tangents.isdisjoint(binds(stmt)) or isinstance(stmt, n.Push | n.Pop | n.NewTape | n.Yield):
                    raise UnclearError
        for inner in () if isinstance(stmt, n.Try | n.With) else blocks(stmt):
            inner[:] = self.block(inner)
        return stmt

    def unpack(self, stmt: n.Unpack, pattern: n.Display, value: n.Expr) -> None:
        new: list[n.Expr] = []
        for target, part, fewer in self.pairs(pattern, value):
            if not reads(target) & self.tangents:
                self.fixed(part)
                new.append(part)
                continue
            if fewer:
                if not isinstance(part, n.Read) or not isinstance(target, n.Read) or self.changed & reads(part):
                    raise UnclearError
                self.require(target, 0)
                continue
            axes = self.rank(target)
            self.require(part, axes)
            new.append(self.held(self.dense(part)))
        if new and isinstance(value, n.Display) and reads(value) & self.tangents:
            stmt.value = replace(value, items=tuple(new))

    def require(self, e: n.Expr, *ranks: int | None) -> None:
        if (found := self.rank(e)) is None or found not in ranks:
            raise UnclearError

    def loose(self, e: n.Expr) -> n.Expr:
        """A tangent for all directions; where it is zero in all of them, it may be a plain zero."""
        match e:
            case n.Call(args=(like,)) if n.object_of(e.func) is np.zeros_like:
                return self.zeros(like)
            case n.Call(args=(dot,)) if n.object_of(e.func) in (float, np.float64):
                return self.loose(dot)
            case n.Call(args=(dot, _)) if n.object_of(e.func) is runtime.own_tangent:
                return n.Call(n.Attribute(dot, "copy"), (), kind=e.kind)
            case n.Call(args=(n.Display() as rows,)):
                return replace(e, args=(self.rows(rows),))
            case n.Binary(
                op="+",
                left=n.Conditional(test=test, then=then, orelse=n.Const()),
                right=n.Conditional(test=again, then=n.Const(), orelse=orelse),
            ) if test == again:  # of `max(x, y)`
                return n.Conditional(test, self.loose(then), self.loose(orelse), kind=e.kind)
            case n.Subscript() | n.Call(func=n.Attribute(name="copy")):
                return e
            case _:
                return rebuild(e, lambda part: self.loose(part) if reads(part) & self.tangents else part)

    def rows(self, rows: n.Display) -> n.Display:
        return replace(
            rows, items=tuple(self.rows(row) if isinstance(row, n.Display) else self.dense(row) for row in rows.items)
        )

    def dense(self, e: n.Expr) -> n.Expr:
        """A tangent for all directions, a vector or array even where it is zero in all of them."""
        if self.rank(e) is None:
            raise UnclearError
        return self.filled(self.loose(e))

    def filled(self, e: n.Expr) -> n.Expr:
        """The same with vectors of zeros for plain zeros, as many as it takes."""
        match e:
            case n.Const():
                return _zeros(self.columns.many, kind=e.kind)
            case n.Binary(op="+" | "-", left=left, right=right):
                if self.is_vector(left) or self.is_vector(right):
                    return e
                return replace(e, left=self.filled(left))
            case n.Binary(op="*", left=left, right=right) if not reads(left) & self.tangents:
                return replace(e, right=self.filled(right))
            case n.Binary(left=left):
                return replace(e, left=self.filled(left))
            case n.Unary(operand=operand):
                return replace(e, operand=self.filled(operand))
            case n.Conditional(then=then, orelse=orelse):
                return replace(e, then=self.filled(then), orelse=self.filled(orelse))
            case n.Call(args=(test, then, orelse)):  # np.where
                one = self.is_vector(then) or self.is_vector(orelse)
                return e if one else replace(e, args=(test, self.filled(then), orelse))
            case _:
                return e

    def is_vector(self, e: n.Expr) -> bool:
        """Whether a tangent comes out as a vector without that."""
        return self.filled(e) == e

    def zeros(self, like: n.Expr) -> n.Expr:
        """Zeros for all directions of an array."""
        if not isinstance(like.kind, Array):
            raise UnclearError
        self.exact &= like.kind.dtype == "float64"
        shape = (
            (n.Call(n.Ref("len", builtins.len, "builtin"), (like,), kind=INT),)
            if len(like.kind.dims or ()) == 1
            else (n.Starred(shape_of(like)),)
        )
        several = n.Display("tuple", (*shape, self.columns.many))
        precision = () if like.kind.dtype == "float64" else (dtype_of(like.kind.dtype),)
        return _zeros(several, *precision, kind=like.kind)

    # ------------------------------------------------------------------------------------------------ what would raise

    def _raising(self, value: n.Expr) -> bool:
        """Whether the value, or what only it reads, may raise where the lines of the tangents do not."""
        settings = [s for s in statements(self.body) if isinstance(s, n.Assign)]
        aside = [s for s in settings if s.target.role is not n.Role.USER and s.target not in self.tangents]
        needed = {v for s in statements(self.body) if s not in aside for e in expressions(s) for v in reads(e)}
        while more := {v for s in aside if s.target in needed for v in reads(s.value)} - needed:
            needed |= more
        beside: set[Place] = {(v.of, v.path) for v in self.ranks if v.of is not None}
        return any(_may_raise(e, beside) for e in [value, *(s.value for s in aside if s.target not in needed)])


def _may_raise(e: n.Expr, beside: set[Place]) -> bool:
    """Whether computing an expression may raise; an item of `beside` is read with its tangent, which raises too."""
    match e:
        case n.Read() | n.Const() | n.Ref():
            return False
        case n.Subscript(value=value) if place_of(value) in beside:
            return any(_may_raise(part, beside) for part in children(e.index))
        case n.Binary(op=op, kind=Scalar(python=python)) if op in ("+", "-", "*") or python is False:
            pass
        case n.Unary() | n.Display() | n.Conditional() | n.Compare() | n.Bool():
            pass
        case n.Call(func=func) if n.object_of(func) in (np.array, abs, min, max, float):
            return any(_may_raise(part, beside) for part in e.args)
        case _:
            return True
    return any(_may_raise(part, beside) for part in children(e))


def _zeros(*args: n.Expr, kind: Kind) -> n.Expr:
    return n.Call(n.Attribute(_NP, "zeros", kind=Static(np.zeros)), args, kind=kind)
