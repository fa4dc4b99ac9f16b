"""Iterators that are advanced here and there: what they run over, and how far they have got.

    it = iter(v)                  items = v
                                  place = 0
    for _ in range(n):            for _ in range(n):
        s += next(it)       ->        if place >= len(items):
                                          raise StopIteration
                                      item = items[place]
                                      place += 1
                                      s += item

So does Python's own iterator over a list or an array: it sees what is there by the time it is asked.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable as Function
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from adcompile.differentiate.desugar.iteration.counted import item_at, length_of, rest_of
from adcompile.differentiate.desugar.iteration.firsts import certain, is_fixed, may_matter
from adcompile.differentiate.desugar.iteration.idioms import exhausts
from adcompile.differentiate.desugar.iteration.lengths import may_change_length
from adcompile.differentiate.desugar.iteration.listing import assigned, give_origin
from adcompile.ir import nodes as n
from adcompile.ir.copying import copy_block
from adcompile.ir.kinds import INT
from adcompile.ir.walk import blocks, expressions, read_in, reads, rebuild, statements, walk

Keeping = Function[[n.Expr], tuple[n.Expr, list[n.Stmt]]]


def count_along(body: list[n.Stmt], made: n.Assign, source: n.Expr, keep: Keeping) -> bool:
    """Write an iterator that `made` gives a name to as what it runs over and a place, in place; whether it can be.

    `keep` says what the iterator runs over is called, and the lines that give it that name.
    """
    if length_of(source) is None or _goes_on_behind_its_end(body, made, source):
        return False
    source, lines = keep(source)
    return advance(body, made, Counted(source, n.Read(n.Variable("place", n.Role.RESULT), kind=INT), lines))


def _goes_on_behind_its_end(body: list[n.Stmt], made: n.Assign, source: n.Expr) -> bool:
    """Whether an iterator may be asked again behind its end, where a place would find what has been added meanwhile."""
    inside = list(statements(body))
    ends = any(isinstance(s, n.Try | n.For) for s in inside) or any(
        isinstance(e, n.Call) and made.target in reads(e) and (len(e.args) > 1 or n.object_of(e.func) is not next)
        for s in inside
        for whole in expressions(s)
        for e in walk(whole)
    )
    return ends and may_change_length(body, _behind(body, made), source)


def _behind(body: list[n.Stmt], made: n.Assign) -> list[n.Stmt]:
    """What may run between the line that makes an iterator and its last use."""
    if made not in body:
        inner = next((b for s in body for b in blocks(s) if made in statements(b)), [])
        return _behind(inner, made) if read_in(inner)[made.target] == read_in(body)[made.target] else body
    return up_to_last_use(body[body.index(made) + 1 :], made.target)


def up_to_last_use(body: list[n.Stmt], name: n.Variable) -> list[n.Stmt]:
    """The statements of a block up to the last one that reads a name."""
    last = max((k for k, s in enumerate(body) if read_in([s])[name]), default=-1)
    return body[: last + 1]


def advance(body: list[n.Stmt], made: n.Assign, items: Items) -> bool:
    """Write the uses of an iterator in other words, in place; whether that can be done with all of them."""
    if not read_in(body)[made.target]:
        return False
    work = _Advancing(made, items)
    new = work.block(copy_block(body))
    if work.failed or read_in(new)[made.target]:
        return False
    body[:] = new
    items.settle(body)
    return True


class Items(Protocol):
    """How the items of an iterator are come by."""

    def begin(self) -> list[n.Stmt]:
        """The lines in place of making it."""

    def loop(self, stmt: n.For) -> list[n.Stmt] | None:
        """A loop over what is left; None where there is no such."""

    def take(self, item: n.Variable, otherwise: list[n.Stmt]) -> list[n.Stmt]:
        """The lines that set a name to the next item; `otherwise` is what happens where there is none."""

    def rest(self) -> tuple[list[n.Stmt], n.Expr] | None:
        """All that is left, which is used up hereby, behind lines that it takes; None where that is not known."""

    def settle(self, body: list[n.Stmt]) -> None:
        """Leave out what turns out to be certain, in place."""


@dataclass(slots=True)
class Counted:
    """Items that have places."""

    source: n.Expr
    place: n.Read
    start: list[n.Stmt]

    @property
    def length(self) -> n.Expr:
        """How many there are."""
        return length_of(self.source) or n.Const(0, kind=INT)

    def begin(self) -> list[n.Stmt]:
        """The lines in place of making it."""
        return [*self.start, n.Assign(self.place.variable, n.Const(0, kind=INT))]

    def loop(self, stmt: n.For) -> list[n.Stmt]:
        """A loop over what is left, which goes on wherever its body leaves it."""
        lines: list[n.Stmt] = []
        item = item_at(self.source, self.place, lines)
        goes_on = n.Compare(("<",), (self.place, self.length))
        return [n.While(goes_on, [*lines, assigned(stmt.target, item), self.step(), *stmt.body], [])]

    def settle(self, body: list[n.Stmt]) -> None:
        """Nothing is certain about a place."""

    def step(self) -> n.Stmt:
        """The line that gets one further."""
        return n.Augment(self.place, "+", n.Const(1, kind=INT))

    def take(self, item: n.Variable, otherwise: list[n.Stmt]) -> list[n.Stmt]:
        """The lines that set a name to the next item."""
        lines: list[n.Stmt] = []
        found = item_at(self.source, self.place, lines)
        take = [*lines, n.Assign(item, found), self.step()]
        if isinstance(otherwise[0], n.Raise):
            return [n.If(n.Compare((">=",), (self.place, self.length)), otherwise, []), *take]
        return [n.If(n.Compare(("<",), (self.place, self.length)), take, otherwise)]

    def rest(self) -> tuple[list[n.Stmt], n.Expr]:
        """All that is left."""
        start = n.Variable("start", n.Role.RESULT)
        lines: list[n.Stmt] = [n.Assign(start, self.place), n.Assign(self.place.variable, self.length)]
        return lines, rest_of(self.source, n.Read(start, kind=INT))


def _advances(expr: n.Expr, name: n.Variable) -> bool:
    match expr:
        case n.Call(func=n.Ref(value=builtins.next), args=(n.Read(variable=variable), *_), keywords=()):
            return variable is name
        case _:
            return False


@dataclass(slots=True)
class _Advancing:
    """The uses of one iterator, wherever they are."""

    made: n.Assign
    items: Items
    lines: list[n.Stmt] = field(default_factory=list)
    failed: bool = False

    def block(self, body: list[n.Stmt]) -> list[n.Stmt]:
        new: list[n.Stmt] = []
        for stmt in body:
            if self.is_made(stmt):
                new += give_origin(self.items.begin(), stmt.origin)
                continue
            for inner in blocks(stmt):
                inner[:] = self.block(inner)
            self.lines = []
            line = self.statement(stmt)
            new += give_origin(self.lines, stmt.origin)
            new += line
        return new

    def is_made(self, stmt: n.Stmt) -> bool:
        return isinstance(stmt, n.Assign) and stmt.target is self.made.target

    def is_it(self, expr: n.Expr) -> bool:
        return isinstance(expr, n.Read) and expr.variable is self.made.target

    def statement(self, stmt: n.Stmt) -> list[n.Stmt]:
        """A statement without the iterator, with the lines before it in `lines`."""
        if not any(self.made.target in reads(e) for e in expressions(stmt)):
            return [stmt]
        match stmt:
            case n.For(iterable=iterable) if self.is_it(iterable) and not stmt.orelse:
                return self.loop(stmt)
            case n.For(iterable=n.Call(func=n.Ref(value=builtins.enumerate), args=(items, *start), keywords=words)) if (
                self.is_it(items) and not stmt.orelse
            ):
                number = n.Read(n.Variable("number", n.Role.RESULT), kind=INT)
                item = n.Read(n.Variable("item", n.Role.RESULT))
                first = [*start, *dict(words).values(), n.Const(0, kind=INT)][0]
                self.failed |= self.made.target in reads(first)
                target = assigned(stmt.target, n.Display("tuple", (number, item)))
                step = n.Augment(number, "+", n.Const(1, kind=INT))
                stmt.target, stmt.iterable, stmt.body = item, items, [target, step, *stmt.body]
                return [*give_origin([n.Assign(number.variable, first)], stmt.origin), *self.loop(stmt)]
            case n.If():
                stmt.test = self.visit(stmt.test)
            case n.Assign(target=target, value=n.Call() as call) if _advances(call, self.made.target):
                self.take(call, target)
                return []
            case n.Assign() | n.Unpack() | n.Evaluate() | n.Return():
                stmt.value = self.visit(stmt.value)
            case n.Augment(target=n.Read()):
                stmt.value = self.visit(stmt.value)
            case n.Store(target=target) if self.made.target not in reads(target):
                stmt.value = self.visit(stmt.value)
            case n.For(iterable=iterable):
                stmt.iterable = self.visit(iterable)
            case _:
                self.failed = True
        return [stmt]

    def loop(self, stmt: n.For) -> list[n.Stmt]:
        """A loop over what is left."""
        loop = self.items.loop(stmt)
        self.failed |= loop is None
        return give_origin(loop or [], stmt.origin)

    def visit(self, expr: n.Expr) -> n.Expr:
        """An expression with what is taken off the iterator on lines before it."""
        used = [e for e in certain(expr) if _advances(e, self.made.target) or self.is_used_up(e)]
        around = {id(e) for e in walk(expr) if any(e is not u and any(u is x for x in walk(e)) for u in used)}
        within = {id(x) for u in used for x in walk(u)}
        if any(may_matter(e) for e in walk(expr) if id(e) not in around and id(e) not in within):
            self.failed = True
            return expr
        held: dict[int, n.Expr] = {}
        for e in used:
            if isinstance(e, n.Call):
                held[id(e)] = self.taken(e)

        def exchanged(e: n.Expr) -> n.Expr:
            return held[id(e)] if id(e) in held else rebuild(e, exchanged)

        return exchanged(expr)

    def is_used_up(self, expr: n.Expr) -> bool:
        match expr:
            case n.Call(func=n.Ref(value=function), args=(items, *_)):
                return self.is_it(items) and exhausts(function)
            case _:
                return False

    def taken(self, call: n.Call) -> n.Expr:
        """The next item, or a call of all that is left."""
        if not _advances(call, self.made.target):
            found = self.items.rest()
            if found is None:
                self.failed = True
                return call
            self.lines += found[0]
            return replace(call, args=(found[1], *call.args[1:]))
        item = n.Variable("item", n.Role.RESULT)
        self.take(call, item)
        return n.Read(item, span=call.span)

    def take(self, call: n.Call, item: n.Variable) -> None:
        """The lines that set a name to the next item, or to the default."""
        default = call.args[1:]
        self.failed |= any(not (is_fixed(e) or isinstance(e, n.Read)) for e in default)
        error: Any = n.Call(n.Ref("StopIteration", StopIteration, "builtin"), (), span=call.span)
        otherwise: list[n.Stmt] = [n.Assign(item, default[0]) if default else n.Raise(error, None)]
        self.lines += self.items.take(item, otherwise)
