"""Of which numbers and arrays the tangents of a function are: what must be known to give each an axis of directions.

A tangent has the *rank* of what it belongs to: no axis for a number, one or more for an array. It follows from what a
variable is set to, and only from what is known to be linear: sums and multiples, parts of arrays, new arrays of zeros,
and the calls of `linear_calls.py`. A list has one axis more than the tangents in it; of a list of tuples each part has
a rank of its own. Anything else is unclear.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

import numpy as np

from adcompile.differentiate.jacobians.columns import PRECISIONS, Columns, UnclearError
from adcompile.differentiate.jacobians.linear_calls import linear, product
from adcompile.ir import nodes as n
from adcompile.ir.algebra import is_number, number
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import Array, Scalar
from adcompile.ir.walk import binds, reads, statements, targets
from adcompile.runtime import helpers as runtime

if TYPE_CHECKING:
    from collections.abc import Iterator

_FACTORS = (*PRECISIONS, "float16", "bool")  # and whole numbers
_VIEWS = ("reshape", "ravel", "transpose", "swapaxes")
_VIEWING = (np.reshape, np.ravel, np.transpose, np.swapaxes, np.expand_dims, np.broadcast_to)


class Ranks:
    """The tangents in a body, their ranks, and those of arrays that something writes to."""

    def __init__(self, body: list[n.Stmt], columns: Columns) -> None:
        self.body = body
        self.columns = columns
        self.tangents = self._tangents(columns)
        self.ranks = {leaf.tangent: leaf.axes for leaf in columns.leaves}
        self.parts: dict[n.Variable, tuple[int, ...]] = {}  # of lists of tuples: the rank of each part
        self.lists = {pushed[0] for s in statements(body) if (pushed := appended(s)) is not None} & self.tangents
        settings = [(target, value) for s in statements(body) for target, value, _ in self._settings(s)]
        self.filled_later = {target for target, value in settings if not is_number(value, 0.0)}
        for _ in range(2):  # a zero may be one of whatever rank; where nothing else says which, it is a number
            while self._rank_more():
                pass
            self.filled_later = set()
        self.changed = self.changed_in(body)

    def _tangents(self, columns: Columns) -> set[n.Variable]:
        """The variables of tangents, and everything that one goes into."""
        everything = list(statements(self.body))
        found = {v for s in everything for v in binds(s) if v.role is n.Role.TANGENT}
        found.update(columns.given, (leaf.tangent for leaf in columns.leaves))
        while True:
            before = len(found)
            for s in everything:
                if isinstance(s, n.Unpack) and isinstance(s.value, n.Display):
                    pairs = zip(s.pattern.items, s.value.items, strict=False)
                    found.update(v for p, e in pairs if reads(e) & found for v in targets(p))
                elif isinstance(s, n.Assign) and reads(s.value) & found:
                    found.add(s.target)
                elif (pushed := appended(s)) is not None and reads(pushed[1]) & found:
                    found.add(pushed[0])
            if len(found) == before:
                return found

    def fixed(self, *parts: n.Expr | None) -> None:
        """Insist that expressions do not depend on tangents."""
        if any(e is not None and reads(e) & self.tangents for e in parts):
            raise UnclearError

    def varies(self, e: n.Expr | None) -> bool:
        """Whether an expression reads a tangent."""
        return e is not None and not self.tangents.isdisjoint(reads(e))

    def factor(self, e: n.Expr) -> int:
        """How many axes an expression has: insist that it is real, and shared by all directions."""
        self.fixed(e)
        match e.kind:
            case Scalar(dtype=dtype):
                axes = 0
            case Array(dtype=str() as dtype, dims=tuple() as dims):
                axes = len(dims)
            case _:
                raise UnclearError
        if not (dtype in _FACTORS or dtype.startswith(("int", "uint"))):
            raise UnclearError
        return axes

    def rank(self, e: n.Expr) -> int | None:
        """How many axes a tangent has beside that of the directions; None where that is not known yet."""
        match e:
            case n.Const() if is_number(e, 0.0):
                return 0
            case n.Read(variable=variable) if variable in self.tangents:
                return self.ranks.get(variable)
            case _ if not self.varies(e) and isinstance(e.kind, Array) and not isinstance(e, n.Read):
                return self.factor(e) or _unclear()  # zeros, as a rule
            case n.Display(form="list", items=()):
                return None  # what is put into it says more
            case n.Subscript(value=value, index=n.Const(value=int() as k)) if (parts := self.tuple_of(value)):
                return parts[k]
            case _ if (held := self.taken(e)) is not None:
                return None if held not in self.ranks else self.ranks[held] - 1
            case n.Subscript(value=value, index=index):
                whole = self.rank(value)
                return None if whole is None else self.rank_of_item(whole, index)
            case n.Attribute(value=value, name="T" | "mT"):
                return self.rank(value)
            case n.Binary(op="+" | "-", left=left, right=right):
                return self.widest(left, right)
            case n.Binary(op="*", left=left, right=right):
                dot, other = (left, right) if self.varies(left) else (right, left)
                return self.widest(dot, axes=self.factor(other))
            case n.Binary(op="/", left=left, right=right):
                return self.widest(left, axes=self.factor(right))
            case n.Binary(op="@", left=left, right=right):
                found = product(self, left, right)
                return None if found is None else found.rank
            case n.Unary(op="-" | "+", operand=operand):
                return self.rank(operand)
            case n.Conditional(test=test, then=then, orelse=orelse):
                self.fixed(test)
                return self.numbers(then, orelse)
            case n.Call():
                return self.rank_of_call(e)
            case _:
                raise UnclearError

    def tuple_of(self, e: n.Expr) -> tuple[int, ...] | None:
        """The ranks of the parts of a tuple that was taken from a list; None where it is none, or not known yet."""
        held = self.taken(e)
        if held is None and isinstance(e, n.Read) and e.variable not in self.lists:
            held = e.variable
        return None if held is None else self.parts.get(held)

    def taken(self, e: n.Expr) -> n.Variable | None:
        """The list of which an expression is an item, taken off it or read."""
        match e:
            case n.Call(func=n.Attribute(value=n.Read(variable=variable), name="pop"), args=args):
                inner = args
            case n.Subscript(value=n.Read(variable=variable), index=index) if not isinstance(index, n.Slice):
                inner = (index,)
            case _:
                return None
        if variable not in self.lists:
            return None
        self.fixed(*inner)
        return variable

    def rank_of_item(self, whole: int, index: n.Expr) -> int:
        """How many axes an item or a part of an array has."""
        self.fixed(index)
        kept, picked = 0, 0
        for axis in index_parts(index):
            match axis:
                case n.Slice():
                    whole, kept = whole - 1, kept + 1
                case n.Const(value=None):
                    kept += 1
                case n.Const() if axis.value is ...:
                    pass
                case n.Expr(kind=Scalar(dtype=dtype)) if dtype[0] in "iu":
                    whole -= 1
                case n.Expr(kind=Array(dtype="bool", dims=tuple() as dims)) if dims:
                    whole, picked = whole - len(dims), max(picked, 1)
                case n.Expr(kind=Array(dtype=str() as dtype, dims=tuple() as dims)) if dims and dtype[0] in "iu":
                    whole, picked = whole - 1, max(picked, len(dims))
                case _:
                    raise UnclearError
        if whole < 0:
            raise UnclearError
        return whole + kept + picked

    def numbers(self, *parts: n.Expr) -> int | None:
        """Zero axes: insist that these are tangents of numbers."""
        found = [self.rank(e) for e in parts]
        if any(rank not in (0, None) for rank in found):
            raise UnclearError
        return None if None in found else 0

    def widest(self, *parts: n.Expr, axes: int = 0) -> int | None:
        """How many axes a sum of tangents has, or a product with a factor that has so many."""
        ranks = [axes]
        for e in parts:
            if (rank := self.rank(e)) is None:
                return None
            ranks.append(rank)
        return max(ranks)

    def rank_of_call(self, e: n.Call) -> int | None:
        """The rank of a tangent that a call makes."""
        match n.object_of(e.func), e.args:
            case np.where, (test, then, orelse) if not e.keywords:
                axes = self.factor(test)
                if axes and not self.varies(then) and not self.varies(orelse):
                    raise UnclearError
                return self.widest(then, orelse, axes=axes)
            case builtins.float | np.float64, (dot,) if not e.keywords:
                return self.numbers(dot)
            case np.array, (n.Display() as rows,) if not e.keywords:
                return self.rank_of_rows(rows)
            case runtime.own_tangent, (dot, like) if root(dot):
                self.fixed(like)
                return self.rank(dot)
            case None, () if isinstance(e.func, n.Attribute) and e.func.name == "copy":
                return self.rank(e.func.value)
            case _:
                found = linear(self, e)
                return None if found is None else found.rank

    def rank_of_rows(self, rows: n.Display) -> int | None:
        """The rank of an array that is written out, of the tangents of numbers."""
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

    def _rank_more(self) -> bool:
        """Find out the ranks of tangents from what they are set to; whether anything is new."""
        before = len(self.ranks) + len(self.parts)
        for stmt in statements(self.body):
            if (pushed := appended(stmt)) is not None and pushed[0] in self.lists:
                self._rank_list(*pushed)
                continue
            for target, value, fewer in self._settings(stmt):
                if (known := self.tuple_of(value)) is not None:
                    if self.parts.setdefault(target, known) != known or target in self.ranks:
                        raise UnclearError
                    continue
                if is_number(value, 0.0) and (target in self.filled_later or target in self.ranks):
                    continue  # a zero of whatever rank
                if target not in self.tangents or (found := self.rank(value)) is None:
                    continue
                if self.ranks.setdefault(target, found - fewer) != found - fewer or found < fewer:
                    raise UnclearError
        return len(self.ranks) + len(self.parts) > before

    def _rank_list(self, variable: n.Variable, item: n.Expr) -> None:
        """Find out the rank of a list from what is put into it."""
        if not isinstance(item, n.Display):
            if variable in self.parts:
                raise UnclearError
            if (found := self.rank(item)) is not None and self.ranks.setdefault(variable, found + 1) != found + 1:
                raise UnclearError
            return
        ranks = [self.rank(part) for part in item.items]
        if variable in self.ranks or item.form != "tuple":
            raise UnclearError
        known = tuple(rank for rank in ranks if rank is not None)
        if len(known) == len(ranks) and self.parts.setdefault(variable, known) != known:
            raise UnclearError

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
                yield from self.items(target, iterable)

    def pairs(self, pattern: n.Display, value: n.Expr) -> list[tuple[n.Expr, n.Expr, int]]:
        """The targets of an unpacking and what goes into each, or the array of which each gets a row."""
        if self.tuple_of(value) is not None:
            return [(target, n.Subscript(value, number(k)), 0) for k, target in enumerate(pattern.items)]
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

    def items(self, target: n.Expr, iterable: n.Expr) -> list[tuple[n.Variable, n.Expr, int]]:
        """The variables of a loop's header that take the items of tangents, each with that tangent.

        The third is how many axes less the variable has.
        """
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
            case n.Display(items=parts), n.Read(variable=variable) if variable in self.lists:
                item = n.Subscript(iterable, number(0))
                if not all(isinstance(part, n.Read) for part in parts):
                    raise UnclearError
                pairs = enumerate(part.variable for part in parts if isinstance(part, n.Read))
                return [(part, n.Subscript(item, number(k)), 0) for k, part in pairs]
            case n.Read(variable=variable), n.Read():
                return [(variable, iterable, 1)]
            case _:
                raise UnclearError

    # -------------------------------------------------------------------------------------------- who shares with whom

    def changed_in(self, body: list[n.Stmt]) -> set[n.Variable]:
        """The tangents of arrays that something in a body writes to, under any of their names."""
        found: set[n.Variable] = set()
        same: list[set[n.Variable]] = []
        for stmt in statements(body):
            match stmt:
                case n.Augment(target=n.Read(variable=variable)) if not self.ranks.get(variable):
                    pass  # a number is never changed in place
                case n.Evaluate() if (pushed := appended(stmt)) is not None:
                    same.append({pushed[0], *(v for part in _parts(pushed[1]) for v in root(part))})
                case n.Store(target=target) | n.Augment(target=target):
                    found.update(root(target))
                case n.Unpack(pattern=pattern):
                    found.update(v for e in pattern.items if not isinstance(e, n.Read) for v in root(e))
                case n.Evaluate(value=n.Call(args=(target, *_))):
                    found.update(root(target))
        for stmt in statements(self.body):
            for variable, value, _ in self._settings(stmt):
                if self.ranks.get(variable):
                    same.append({variable, *root(value)})
        found &= self.tangents
        while any(found & pair and not found >= pair for pair in same):
            found.update(*(pair for pair in same if found & pair))
        return found


def appended(stmt: n.Stmt) -> tuple[n.Variable, n.Expr] | None:
    """The list that a statement puts something at the end of, and what."""
    match stmt:
        case n.Evaluate(
            value=n.Call(func=n.Attribute(value=n.Read(variable=variable), name="append"), args=(item,), keywords=())
        ):
            return variable, item
        case _:
            return None


def _parts(item: n.Expr) -> tuple[n.Expr, ...]:
    return item.items if isinstance(item, n.Display) else (item,)


def _unclear() -> int:
    raise UnclearError


def root(e: n.Expr) -> frozenset[n.Variable]:
    """The variable that an expression is, or is an item or row of, or the same in another shape."""
    while True:
        match e:
            case n.Subscript(value=value) | n.Attribute(value=value, name="T" | "mT"):
                e = value
            case n.Read(variable=variable):
                return frozenset({variable})
            case n.Call(func=n.Attribute(value=value, name=name)) if n.object_of(e.func) is None and (
                name in _VIEWS or name == "pop"
            ):
                e = value
            case n.Call(args=(value, *_)) if n.object_of(e.func) in _VIEWING:
                e = value
            case _:
                return frozenset()
