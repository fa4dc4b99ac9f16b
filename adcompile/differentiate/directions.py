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

>>> import numpy as np
>>> from adcompile import jacobian
>>> def decayed(y, k):
...     return np.array([y[1], -k * y[0]])
>>> print(jacobian(decayed, mode="forward").source_for(np.ones(2), 3.0).partition("numbers.")[2])
"""

from __future__ import annotations

import builtins
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile import runtime
from adcompile.differentiate.columns import PRECISIONS, Columns, UnclearError, dtype_of, shape_of
from adcompile.differentiate.places import Place, place_of
from adcompile.ir import nodes as n
from adcompile.ir.algebra import is_number
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
    targets,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adcompile.analyses.kinds import Typed
    from adcompile.differentiate.jacobian import Input

_NP = n.Ref("np", np, "rule", kind=Static(np))
_FACTORS = (*PRECISIONS, "float16", "bool")  # and whole numbers


def by_directions(tangent: n.Function, typed: Typed, inputs: list[Input], name: str) -> n.Function | None:
    """The function that makes a Jacobian from a tangent function run once, for all directions; None where in doubt."""
    try:
        return _Directions(tangent, typed, inputs).function(name)
    except UnclearError:
        return None


class _Directions:
    def __init__(self, tangent: n.Function, typed: Typed, inputs: list[Input]) -> None:
        body = copy_block(tangent.body)
        self.typed = typed
        self.columns = Columns(tangent, typed, inputs, body)
        *self.body, self.last = body
        self.tangents = self._tangents()
        self.ranks = {leaf.tangent: leaf.axes for leaf in self.columns.leaves}
        self.exact = self.columns.exact
        self.changed: set[n.Variable] = set()

    def function(self, name: str) -> n.Function:
        match self.last:
            case n.Return(value=n.Display(items=(value, dot))):
                pass
            case _:
                raise UnclearError
        while self._rank_all(self.body):
            pass
        axes = self.rank(dot)
        expected = len(value.kind.dims or ()) if isinstance(value.kind, Array) else 0
        if axes != expected or (isinstance(value.kind, Array) and not value.kind.dims):
            raise UnclearError
        self.changed = self._changed()
        raising = self._raising(value)
        body = self.block(self.body)
        if raising:
            body += [n.Remark("nothing reads the value, but it may raise"), n.Evaluate(value)]
        lines, result = self.columns.results(self.dense(dot), exact=self.exact)
        params = [n.Param(v) for v in self.typed.params]
        whole = [*self.columns.start(), *body, *lines, n.Return(result)]
        return n.Function(name, params, whole, self.typed.function.source, docstring="")

    # ----------------------------------------------------------------------------------------------- what is a tangent

    def _tangents(self) -> set[n.Variable]:
        """The variables of tangents, and everything that one goes into."""
        everything = list(statements(self.body))
        found = {v for s in everything for v in binds(s) if v.role is n.Role.TANGENT}
        found.update(self.columns.given, (leaf.tangent for leaf in self.columns.leaves))
        while True:
            before = len(found)
            for s in everything:
                if isinstance(s, n.Unpack) and isinstance(s.value, n.Display):
                    pairs = zip(s.pattern.items, s.value.items, strict=False)
                    found.update(v for p, e in pairs if reads(e) & found for v in targets(p))
                elif isinstance(s, n.Assign) and reads(s.value) & found:
                    found.add(s.target)
            if len(found) == before:
                return found

    def fixed(self, *parts: n.Expr | None) -> None:
        """Insist that expressions do not depend on tangents."""
        if any(e is not None and reads(e) & self.tangents for e in parts):
            raise UnclearError

    def factor(self, e: n.Expr) -> None:
        """Insist that an expression is a real number that all directions share."""
        self.fixed(e)
        if not isinstance(e.kind, Scalar) or not (e.kind.dtype in _FACTORS or e.kind.dtype.startswith(("int", "uint"))):
            raise UnclearError

    def rank(self, e: n.Expr) -> int | None:
        """How many axes a tangent has beside that of the directions; None where that is not known yet."""
        match e:
            case n.Const() if is_number(e, 0.0):
                return 0
            case n.Read(variable=variable) if variable in self.tangents:
                return self.ranks.get(variable)
            case n.Subscript(value=value, index=index):
                whole = self.rank(value)
                axes = index.items if isinstance(index, n.Display) and index.form == "tuple" else (index,)
                self.fixed(*axes)
                if not all(isinstance(axis.kind, Scalar) and axis.kind.dtype[0] in "iu" for axis in axes):
                    raise UnclearError
                if whole is not None and whole < len(axes):
                    raise UnclearError
                return None if whole is None else whole - len(axes)
            case n.Binary(op="+" | "-", left=left, right=right):
                return self.numbers(left, right)
            case n.Binary(op="*", left=left, right=right):
                dot, other = (left, right) if reads(left) & self.tangents else (right, left)
                self.factor(other)
                return self.numbers(dot)
            case n.Binary(op="/", left=left, right=right):
                self.factor(right)
                return self.numbers(left)
            case n.Unary(op="-" | "+", operand=operand):
                return self.numbers(operand)
            case n.Conditional(test=test, then=then, orelse=orelse):
                self.fixed(test)
                return self.numbers(then, orelse)
            case n.Call():
                return self.rank_of_call(e)
            case _:
                raise UnclearError

    def numbers(self, *parts: n.Expr) -> int | None:
        """Zero axes: insist that these are tangents of numbers."""
        found = [self.rank(e) for e in parts]
        if any(rank not in (0, None) for rank in found):
            raise UnclearError
        return None if None in found else 0

    def rank_of_call(self, e: n.Call) -> int | None:
        match n.object_of(e.func), e.args:
            case np.where, (test, then, orelse) if isinstance(test.kind, Scalar) and not e.keywords:
                self.fixed(test)
                return self.numbers(then, orelse)
            case builtins.float | np.float64, (dot,) if not e.keywords:
                return self.numbers(dot)
            case np.zeros_like, (like,) if not e.keywords:
                self.fixed(like)
                if not isinstance(like.kind, Array) or not like.kind.dims or like.kind.dtype not in PRECISIONS:
                    raise UnclearError
                return len(like.kind.dims)
            case np.array, (n.Display() as rows,) if not e.keywords:
                return self.rank_of_rows(rows)
            case runtime.own_tangent, (dot, like):
                self.fixed(like)
                return self.rank(dot)
            case None, () if isinstance(e.func, n.Attribute) and e.func.name == "copy" and not e.keywords:
                return self.rank(e.func.value)
            case _:
                raise UnclearError

    def rank_of_rows(self, rows: n.Display) -> int | None:
        if not rows.items or rows.form == "set":
            raise UnclearError
        if not any(isinstance(row, n.Display) for row in rows.items):
            return None if self.numbers(*rows.items) is None else 1
        if len({len(row.items) if isinstance(row, n.Display) else None for row in rows.items}) > 1:
            raise UnclearError
        inner = [self.rank_of_rows(row) for row in rows.items if isinstance(row, n.Display)]
        if len(set(inner) - {None}) > 1:
            raise UnclearError
        return None if None in inner or inner[0] is None else 1 + inner[0]

    def _rank_all(self, body: list[n.Stmt]) -> bool:
        """Find out the ranks of tangents from what they are set to; whether anything is new."""
        before = len(self.ranks)
        for stmt in statements(body):
            for target, value, fewer in self._settings(stmt):
                if target not in self.tangents or (found := self.rank(value)) is None:
                    continue
                if self.ranks.setdefault(target, found - fewer) != found - fewer or found < fewer:
                    raise UnclearError
        return len(self.ranks) > before

    def _settings(self, stmt: n.Stmt) -> Iterator[tuple[n.Variable, n.Expr, int]]:
        """The variables that a statement sets to tangents, each with the expression, and how many axes less it has."""
        match stmt:
            case n.Assign(target=target, value=value):
                yield target, value, 0
            case n.Unpack(pattern=pattern, value=value):
                for target, part, fewer in self.pairs(pattern, value):
                    if isinstance(target, n.Read):
                        yield target.variable, part, fewer
            case n.For(target=target, iterable=iterable):
                for item, items in self.items(target, iterable):
                    yield item, items, 1
            case _:
                pass

    def pairs(self, pattern: n.Display, value: n.Expr) -> list[tuple[n.Expr, n.Expr, int]]:
        """The targets of an unpacking and what goes into each, or the array of which each gets a row."""
        if not isinstance(value, n.Display):
            if not reads(value) & self.tangents:
                if not self.tangents.isdisjoint(targets(pattern)):
                    raise UnclearError
                return []
            return [(target, value, 1) for target in pattern.items]
        parts = (*pattern.items, *value.items)
        if not reads(value) & self.tangents and self.tangents.isdisjoint(targets(pattern)):
            return [(target, value, 0) for target in pattern.items]
        if len(pattern.items) != len(value.items) or any(isinstance(e, n.Starred | n.Display) for e in parts):
            raise UnclearError
        return [(target, part, 0) for target, part in zip(pattern.items, value.items, strict=True)]

    def items(self, target: n.Expr, iterable: n.Expr) -> list[tuple[n.Variable, n.Expr]]:
        """The variables of a loop's header that take the items of tangents, each with that tangent."""
        match target, iterable:
            case _ if not reads(iterable) & self.tangents:
                if not self.tangents.isdisjoint(targets(target)):
                    raise UnclearError
                return []
            case n.Display(items=(_, inner)), n.Call(func=n.Ref(value=builtins.enumerate), args=(items, *start)):
                self.fixed(*start)
                return self.items(inner, items)
            case n.Display(items=parts), n.Call(func=n.Ref(value=builtins.zip), args=args) if len(parts) == len(args):
                return [found for p, a in zip(parts, args, strict=True) for found in self.items(p, a)]
            case _, n.Call(func=n.Ref(value=builtins.reversed), args=(items,)):
                return self.items(target, items)
            case n.Read(variable=variable), n.Read():
                return [(variable, iterable)]
            case _:
                raise UnclearError

    # -------------------------------------------------------------------------------------------- who shares with whom

    def _changed(self) -> set[n.Variable]:
        """The tangents of arrays that something writes to, under any of their names."""
        found: set[n.Variable] = set()
        same: list[set[n.Variable]] = []
        for stmt in statements(self.body):
            match stmt:
                case n.Store(target=target) | n.Augment(target=n.Subscript() as target):
                    found.update(_root(target))
                case n.Unpack(pattern=pattern):
                    found.update(v for e in pattern.items if not isinstance(e, n.Read) for v in _root(e))
                case _:
                    pass
            for target, value, _ in self._settings(stmt):
                if self.ranks.get(target):
                    same.append({target, *_root(value)})
        found &= self.tangents
        while any(found & pair and not found >= pair for pair in same):
            found.update(*(pair for pair in same if found & pair))
        return found

    def held(self, e: n.Expr) -> n.Expr:
        """What a name may hold: a copy of a row that may be written to later."""
        match e:
            case n.Conditional(then=then, orelse=orelse):
                return replace(e, then=self.held(then), orelse=self.held(orelse))
            case n.Subscript() if self.rank(e) == 0 and not self.changed.isdisjoint(_root(e)):
                return n.Call(n.Attribute(e, "copy"), (), kind=e.kind)
            case _:
                return e

    # --------------------------------------------------------------------------------------------------- the new lines

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
                for item, items in self.items(target, iterable):
                    if self.ranks.get(item) is None or (not self.ranks[item] and self.changed & reads(items)):
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
            case _:
                return e

    def is_vector(self, e: n.Expr) -> bool:
        return self.filled(e) is e or self.filled(e) == e

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


def _root(e: n.Expr) -> frozenset[n.Variable]:
    """The variable that an expression is, or is an item or row of."""
    while isinstance(e, n.Subscript):
        e = e.value
    return frozenset({e.variable}) if isinstance(e, n.Read) else frozenset()


def _may_raise(e: n.Expr, beside: set[Place]) -> bool:
    """Whether computing an expression may raise where its tangent does not; an item of `beside` is read with its own."""
    match e:
        case n.Read() | n.Const() | n.Ref():
            return False
        case n.Subscript(value=value) if place_of(value) in beside:
            return any(_may_raise(part, beside) for part in children(e.index))
        case n.Binary(op=op, kind=Scalar(python=python)) if op in ("+", "-", "*") or python is False:
            pass
        case n.Unary() | n.Display() | n.Conditional() | n.Compare() | n.Bool():
            pass
        case n.Call(func=func) if n.object_of(func) in (np.array, abs, min, max):
            return any(_may_raise(part, beside) for part in e.args)
        case _:
            return True
    return any(_may_raise(part, beside) for part in children(e))


def _zeros(*args: n.Expr, kind: Kind) -> n.Expr:
    return n.Call(n.Attribute(_NP, "zeros", kind=Static(np.zeros)), args, kind=kind)
