"""Generators that `next` advances here and there: the lines between one `yield` and the next, each time.

    def steps(x):                         x = start
        while True:                       went_on = False
            yield x                       for _ in range(n):
            x = f(x)                          if went_on:
                                   ->             x = f(x)
    g = steps(start)                          went_on = True
    for _ in range(n):                        s += x
        s += next(g)

This is for generators that are one loop with one `yield`, with nothing before it but names for what they are given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adcompile.differentiate.desugar.iteration.counted import item_at, length_of
from adcompile.differentiate.desugar.iteration.listing import assigned
from adcompile.ir import nodes as n
from adcompile.ir.copying import copy_block
from adcompile.ir.kinds import BOOL, INT
from adcompile.ir.walk import blocks, set_in, statements, walk


@dataclass(slots=True)
class Resumed:
    """What comes next of a generator."""

    start: list[n.Stmt]  # what its parameters are, and what it does before its loop
    test: n.Expr | None  # whether the loop goes on; None where it always does
    before: list[n.Stmt]  # in each round, before the `yield`
    value: n.Expr
    behind: list[n.Stmt]
    went_on: n.Variable

    def begin(self) -> list[n.Stmt]:
        """The lines in place of making it."""
        off = n.Assign(self.went_on, n.Const(value=False, kind=BOOL))
        return [*self.start, *([off] if self.behind else [])]

    def resumed(self) -> list[n.Stmt]:
        """The lines that come behind the last `yield`, if there was one."""
        if not self.behind:
            return []
        on = n.Assign(self.went_on, n.Const(value=True, kind=BOOL))
        return [n.If(n.Read(self.went_on, kind=BOOL), copy_block(self.behind), []), on]

    def ended(self) -> list[n.Stmt]:
        """The lines for a generator that has come to its end, where it stays."""
        return [n.Assign(self.went_on, n.Const(value=False, kind=BOOL))] if self.behind else []

    def loop(self, stmt: n.For) -> list[n.Stmt] | None:
        """A loop over what is left, if nothing leaves it."""
        if any(isinstance(s, n.Break) for s in statements(stmt.body)):
            return None
        lines = [*copy_block(self.before), assigned(stmt.target, self.value), *stmt.body, *copy_block(self.resumed())]
        return [*self.resumed(), n.While(self.test or n.Const(value=True, kind=BOOL), lines, []), *self.ended()]

    def take(self, item: n.Variable, otherwise: list[n.Stmt]) -> list[n.Stmt]:
        """The lines that set a name to the next item."""
        found = [*copy_block(self.before), n.Assign(item, self.value)]
        if self.test is None:
            return [*self.resumed(), *found]
        if isinstance(otherwise[0], n.Raise):
            over = n.Unary("not", self.test, kind=BOOL)
            return [*self.resumed(), n.If(over, [*self.ended(), *otherwise], []), *found]
        return [*self.resumed(), n.If(self.test, found, [*self.ended(), *otherwise])]

    def settle(self, body: list[n.Stmt]) -> None:
        """Leave out the tests of whether it went on that are certain, in place."""
        self._settled(body, None)

    def _settled(self, body: list[n.Stmt], known: bool | None) -> bool | None:  # noqa: FBT001 - what is known
        new: list[n.Stmt] = []
        for stmt in body:
            match stmt:
                case n.Assign(target=target, value=n.Const(value=value)) if target is self.went_on:
                    known = bool(value)
                case n.If(test=n.Read(variable=variable), then=then) if variable is self.went_on and known is not None:
                    if known:
                        known = self._settled(then, known)
                        new += then
                    continue
                case n.If(then=then, orelse=orelse):
                    ends = {self._settled(then, known), self._settled(orelse, known)}
                    known = ends.pop() if len(ends) == 1 else None
                case _ if not set_in([stmt])[self.went_on] and not blocks(stmt):
                    pass
                case n.For() | n.While():
                    if self._settled(copy_block(stmt.body), known) is not known:
                        known = None
                    self._settled(stmt.body, known)
                case _:
                    known = None if set_in([stmt])[self.went_on] else known
                    for inner in blocks(stmt):
                        self._settled(inner, known)
            new.append(stmt)
        body[:] = new
        return known

    def rest(self) -> tuple[list[n.Stmt], n.Expr] | None:
        """All that is left, as a list."""
        if self.test is None:
            return None
        items = n.Variable("rest", n.Role.RESULT)
        each = n.Variable("item", n.Role.RESULT)
        append = n.Call(n.Attribute(n.Read(items), "append"), (n.Read(each),))
        loop = self.loop(n.For(n.Read(each), n.Read(items), [n.Evaluate(append)], []))
        return None if loop is None else ([n.Assign(items, n.Display("list", ())), *loop], n.Read(items))


def resumable(start: list[n.Stmt], body: list[n.Stmt]) -> Resumed | None:
    """What a generator's own lines come to, behind those that give its parameters values; None for others."""
    if body and isinstance(body[-1], n.Return):
        body = body[:-1]
    if not body or any(map(_yields, body[:-1])):
        return None
    *first, loop = body
    if not isinstance(loop, n.For | n.While):
        return None
    at = next((k for k, s in enumerate(loop.body) if isinstance(s, n.Yield)), None)
    inner = [s for s in statements(loop.body) if isinstance(s, n.Yield | n.Break | n.Return)]
    named = all(isinstance(s, n.Assign | n.Unpack) and _is_settled(s.value) for s in first)
    if at is None or len(inner) != 1 or not named:
        return None
    before, made, behind = loop.body[:at], loop.body[at], loop.body[at + 1 :]
    if not isinstance(made, n.Yield):
        return None
    begin = [*start, *first]
    test: n.Expr | None
    if isinstance(loop, n.While):
        test = None if isinstance(loop.test, n.Const) and loop.test.value else loop.test
        if test is not None and not _is_told_again(test):
            return None
    else:
        source = loop.iterable
        if not _is_settled(source):
            return None
        if not (isinstance(source, n.Call) and n.object_of(source.func) is range):
            items = n.Variable("items", n.Role.RESULT)
            begin.append(n.Assign(items, source))
            source = n.Read(items, kind=source.kind)
        length = length_of(source)
        if length is None:
            return None
        place = n.Read(n.Variable("place", n.Role.RESULT), kind=INT)
        begin.append(n.Assign(place.variable, n.Const(0, kind=INT)))
        test = n.Compare(("<",), (place, length), kind=BOOL)
        found: list[n.Stmt] = []
        item = item_at(source, place, found)
        before = [*found, assigned(loop.target, item), n.Augment(place, "+", n.Const(1, kind=INT)), *before]
    return Resumed(begin, test, before, made.value, behind, n.Variable("went_on", n.Role.FLAG))


def _is_told_again(test: n.Expr) -> bool:
    """Whether a test that fails goes on failing: it calls nothing but functions of numbers."""
    functions = [n.object_of(e.func) for e in walk(test) if isinstance(e, n.Call)]
    plain = all(isinstance(f, np.ufunc) or getattr(f, "__module__", "") in ("math", "builtins") for f in functions)
    return plain and not any(isinstance(e, n.Opaque | n.Lambda | n.Comprehension | n.Named) for e in walk(test))


def _yields(stmt: n.Stmt) -> bool:
    return any(isinstance(s, n.Yield) for s in statements([stmt])) or bool(blocks(stmt))


def _is_settled(expr: n.Expr) -> bool:
    """Whether it makes no difference when an expression is evaluated, as long as its names stay what they are."""
    for e in walk(expr):
        if isinstance(e, n.Call) and n.object_of(e.func) is not range:
            return False
        if isinstance(e, n.Subscript | n.Attribute | n.Lambda | n.Opaque | n.Comprehension | n.Named):
            return False
        if isinstance(e, n.Binary) and e.op not in ("+", "-", "*"):
            return False
    return True
