"""Subscripts: what is known of the whole numbers that loops count with and arrays are indexed by.

Of a statement that is executed: the bounds of the ranges around it, and the branches taken. Of a part of an array:
which elements it has, axis by axis. Both are linear equalities and inequalities between symbols. A symbol is what it
stands for (a version of a variable, the length of an axis) and the number of loops in each of whose iterations it has
one value.

    for i in range(1, n):
        if i < 5:
            u[i - 1] = 0.0         i - 1 >= 0, n - i - 1 >= 0, 4 - i >= 0; the element i - 1, within the length of u
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.whole_numbers.inequalities import OPPOSITE, Affine, System
from adcompile.ir import nodes as n
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import INT, Array, Extent, Scalar, Sequence
from adcompile.ir.walk import binds, blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from adcompile.analyses.versions import Env, Version, Versions
    from adcompile.ir.kinds import Dim, Kind



@dataclass(slots=True)
class Interval:
    """Places along one axis: not below any of `lower`, not above any of `upper`."""

    lower: list[Affine] = field(default_factory=list)
    upper: list[Affine] = field(default_factory=list)

    def renamed(self, change: Callable[[Affine], Affine]) -> Interval:
        """The same of other symbols."""
        return Interval(list(map(change, self.lower)), list(map(change, self.upper)))

    def meet(self, other: Interval, common: Affine, system: System) -> None:
        """Let a place be in both: `common`, unless both are single places."""
        places = [e for i in (self, other) for e in i.lower if i.lower == i.upper and len(i.lower) == 1]
        if len(places) == 2:
            system.zeros.append(places[0] - places[1])
            return
        for interval in (self, other):
            system.not_negative += [common - e for e in interval.lower]
            system.not_negative += [e - common for e in interval.upper]


@dataclass(slots=True)
class Region:
    """The elements of a part of an array, axis by axis, and what holds because it was within the array."""

    axes: list[Interval] = field(default_factory=list)
    facts: System = field(default_factory=System)


class Subscripts:
    """The whole numbers of one body."""

    def __init__(self, body: list[n.Stmt], versions: Versions) -> None:
        self.versions = versions
        self.around: dict[n.Stmt, tuple[tuple[n.Stmt, int], ...]] = {}  # the blocks around, outside in
        self.tests: dict[n.Stmt, n.Expr] = {}  # as they are now: the forward sweep will name them
        self.bindings: dict[n.Variable, list[n.Stmt]] = {}
        self.params = {i.variable for i in versions.info.values() if i.birth == "param"}
        self.least: dict[Hashable, int] = {}  # of a symbol that is a length: what it is at least
        self.contexts: dict[n.Stmt, System] = {}
        self.regions: dict[tuple[n.Stmt, n.Expr], Region | None] = {}
        self.collect(body, ())

    def collect(self, body: list[n.Stmt], around: tuple[tuple[n.Stmt, int], ...]) -> None:
        """Take note of where each statement stands and what it sets."""
        for stmt in body:
            self.around[stmt] = around
            for variable in binds(stmt):
                self.bindings.setdefault(variable, []).append(stmt)
            if isinstance(stmt, n.If):
                self.tests[stmt] = stmt.test
            for branch, block in enumerate(blocks(stmt)):
                self.collect(block, (*around, (stmt, branch)))

    def steady(self, variable: n.Variable) -> bool:
        """Whether a name stands for one array or list throughout: a parameter, or set once and outside of loops."""
        found = self.bindings.get(variable, [])
        last = self.versions.final.get(variable)
        if last is None or not self.versions.info[last].certain:
            return False
        if variable in self.params:
            return not found
        return len(found) == 1 and isinstance(found[0], n.Assign) and not self.versions.where[found[0]][1]

    # ----------------------------------------------------------------------------------- where a statement is executed

    def context(self, stmt: n.Stmt) -> System:
        """What holds where a statement is executed."""
        if stmt not in self.contexts:
            found = self.contexts[stmt] = System()
            for outer, branch in self.around[stmt]:
                if isinstance(outer, n.For):
                    self.bound(outer, found)
                elif isinstance(outer, n.If):
                    self.assume(self.tests[outer], self.versions.before[outer], found, holds=branch == 0)
        return self.contexts[stmt]

    def bound(self, loop: n.For, system: System) -> None:
        """What the iterable says of the target of a loop."""
        counter = self.counter(loop)
        if counter is None:
            return
        env = self.versions.before[loop]
        match _unreversed(loop.iterable):
            case n.Call(func=n.Ref(value=function), args=args) if function is range:
                parts = [self.affine(e, env) for e in args]
                start, stop = (Affine(), parts[0]) if len(parts) == 1 else (parts[0], parts[1])
                step = _step(loop.iterable)
                sign = 1 if step > 0 else -1
                if start is not None:
                    system.not_negative.append((counter - start) * sign)
                if stop is not None:
                    system.not_negative.append((stop - counter) * sign - 1)
                if start is not None and abs(step) > 1:
                    trips = Affine.of((("trips", loop), len(self.versions.where[loop][1]) + 1))
                    system.zeros.append(counter - start - trips * step)
            case n.Call(func=n.Ref(value=function), args=(n.Read(kind=Array(), variable=items) as array,)) if (
                function is enumerate
            ):
                system.not_negative.append(counter)
                if self.steady(items):
                    system.not_negative.append(self.length(array, 0) - counter - 1)

    def counter(self, loop: n.Stmt) -> Affine | None:
        """The number that grows or falls from iteration to iteration, where a loop has one."""
        match loop:
            case n.For(target=n.Read(variable=variable)) if direction(loop) and not _counts_items(loop.iterable):
                pass
            case n.For(target=n.Display(items=(n.Read(variable=variable), *_))) if _counts_items(loop.iterable):
                pass
            case _:
                return None
        return self.value(self.versions.inside[loop][variable], INT)

    def assume(self, test: n.Expr, env: Env, system: System, *, holds: bool) -> None:
        """What follows from a test that turned out true or false."""
        match test:
            case n.Unary(op="not", operand=operand):
                self.assume(operand, env, system, holds=not holds)
            case n.Bool(op=op, operands=operands) if (op == "and") == holds:
                for operand in operands:
                    self.assume(operand, env, system, holds=holds)
            case n.Compare(ops=ops, operands=operands) if holds or len(ops) == 1:
                parts = [self.affine(e, env) for e in operands]
                for op, a, b in zip(ops, parts, parts[1:], strict=False):
                    if a is not None and b is not None:
                        _compare(op if holds else OPPOSITE.get(op, ""), a, b, system)

    # ------------------------------------------------------------------------------------------------- parts of arrays

    def region(self, stmt: n.Stmt, place: n.Expr) -> Region | None:
        """Which elements a part of an array has that a statement reads or sets; None where nothing is known."""
        if (stmt, place) not in self.regions:
            self.regions[stmt, place] = self.elements(stmt, place)
        return self.regions[stmt, place]

    def elements(self, stmt: n.Stmt, place: n.Expr) -> Region | None:
        """What `region` says, found out. The statement is executed, so every index is within its axis."""
        base = base_of(place)
        indices: list[n.Expr] = []
        inner = place
        while isinstance(inner, n.Subscript):
            here = index_parts(inner.index)
            if inner is not place and not all(isinstance(e.kind, Scalar) for e in here):
                return None  # an axis of a view is not that axis of the array
            indices[:0] = here
            inner = inner.value
        match base:
            case n.Read(kind=Array(dims=dims)) if dims is not None and len(indices) <= len(dims):
                pass
            case n.Read(kind=Sequence(item=Scalar())) if len(indices) == 1 and isinstance(indices[0].kind, Scalar):
                pass  # but a slice may change the length of a list, and a list may be in a list twice
            case _:
                return None
        env = self.versions.before[stmt]
        context = self.context(stmt)
        region = Region()
        for axis, index in enumerate(indices):
            size = self.length(base, axis)
            match index:
                case n.Slice():
                    region.axes.append(self.slice(index, env, context, size))
                case n.Expr(kind=Scalar(dtype="int64")):
                    region.facts.not_negative.append(size - 1)
                    place_there = self.counted(self.affine(index, env), context, size)
                    if place_there is not None:
                        region.facts.not_negative += [place_there, size - place_there - 1]
                        region.axes.append(Interval([place_there], [place_there]))
                    else:
                        region.axes.append(Interval())
                case _:
                    return None
        return region

    def counted(self, index: Affine | None, context: System, size: Affine) -> Affine | None:
        """An index, counted from the front; None where it is not certain from which end it counts."""
        if index is None:
            return None
        if not index.terms:
            return index if index.constant >= 0 else index + size
        known = self.with_lengths(context, index)
        return index if known.excludes(-index - 1) else index + size if known.excludes(index) else None

    def slice(self, index: n.Slice, env: Env, context: System, size: Affine) -> Interval:
        """The elements that a slice takes, none of them outside the axis."""
        found = Interval([Affine()], [size - 1])
        match index.step:
            case None | n.Const(value=None):
                pass
            case n.Const(value=int() as step) if step > 0:
                pass
            case _:
                return found
        if index.lower is not None:
            first = self.counted(self.affine(index.lower, env), context, size)
            found.lower += [] if first is None else [first]
        if index.upper is not None:
            last = self.counted(self.affine(index.upper, env), context, size)
            found.upper += [] if last is None else [last - 1]
        return found

    def length(self, array: n.Expr, axis: int) -> Affine:
        """The length of an axis of an array that a name stands for throughout."""
        if isinstance(array.kind, Array) and array.kind.dims is not None and axis < len(array.kind.dims):
            return self.extent(array.kind.dims[axis])
        symbol = (("length", array, axis), 0)
        self.least[symbol] = 0
        return Affine.of(symbol)

    def extent(self, dim: Dim) -> Affine:
        """An extent as a number."""
        if isinstance(dim, int):
            return Affine(dim)
        symbol = (("extent", dim.root), 0)
        self.least[symbol] = max(self.least.get(symbol, 0), dim.least, -dim.offset)
        return Affine.of(symbol) + dim.offset

    def with_lengths(self, system: System, *others: Affine) -> System:
        """A system, and that no length in it or in others is negative."""
        symbols = {s: None for e in (*system.zeros, *system.not_negative, *others) for s in e.terms}
        known = [Affine.of(s) - self.least[s] for s in symbols if s in self.least]
        return System(system.zeros, [*system.not_negative, *known], system.not_zero)

    # ------------------------------------------------------------------------------------------------- whole numbers

    def affine(self, expr: n.Expr, env: Env) -> Affine | None:
        """A whole number as a sum of symbols; None where it is something else."""
        match expr:
            case n.Const(value=bool()):
                return None
            case n.Const(value=int() as value):
                return Affine(value)
            case n.Read(variable=variable, kind=kind):
                version = env.get(variable)
                return None if version is None else self.value(version, kind)
            case n.Unary(op="-", operand=operand):
                inner = self.affine(operand, env)
                return None if inner is None else -inner
            case n.Binary(op="+" | "-" | "*" as op, left=left, right=right):
                a, b = self.affine(left, env), self.affine(right, env)
                if a is None or b is None:
                    return None
                if op != "*":
                    return a + b if op == "+" else a - b
                return a * b.constant if not b.terms else b * a.constant if not a.terms else None
            case _:
                return self.length_read(expr)

    def length_read(self, expr: n.Expr) -> Affine | None:
        """The length of an array that a name stands for throughout, as an expression reads it."""
        match expr:
            case n.Call(func=n.Ref(value=function), args=(n.Read(kind=Array()) as array,)) if function is len:
                axis = 0
            case n.Subscript(
                value=n.Attribute(value=n.Read(kind=Array()) as array, name="shape"), index=n.Const(value=int() as axis)
            ) if axis >= 0:
                pass
            case n.Subscript(
                value=n.Call(func=function, args=(n.Read(kind=Array()) as array,)), index=n.Const(value=int() as axis)
            ) if axis >= 0 and n.object_of(function) is np.shape:
                pass
            case _:
                return None
        return self.length(array, axis) if self.steady(array.variable) else None

    def value(self, version: n.Variable, kind: Kind) -> Affine | None:
        """The whole number that a version is: what it was set to, if that can be told, or a symbol."""
        info = self.versions.info.get(version)
        if info is None or not isinstance(kind, Scalar) or kind.dtype != "int64":
            return None
        if info.birth in ("assign", "param") and not info.loops and isinstance(kind.extent, Extent | int):
            return self.extent(kind.extent)
        known = self.assigned(info) if info.birth == "assign" else None
        return Affine.of((version, len(info.loops))) if known is None else known

    def assigned(self, info: Version) -> Affine | None:
        """What a version was set to, in the same iteration of the loops around it."""
        if info.stmt not in self.around:
            return None
        env = self.versions.before[info.stmt]
        match info.stmt:
            case n.Assign(target=target, value=value) if target is info.variable:
                return self.affine(value, env)
            case n.Unpack(
                pattern=n.Display(items=items), value=n.Attribute(value=n.Read(kind=Array()) as array, name="shape")
            ) if self.steady(array.variable) and all(isinstance(e, n.Read) for e in items):
                return self.length(array, items.index(n.Read(info.variable)))
            case _:
                return None


def base_of(place: n.Expr) -> n.Expr:
    """What a place is a part of.

    >>> u = n.Read(n.Variable("u"))
    >>> base_of(n.Subscript(n.Subscript(u, n.Const(0)), n.Const(1))) == u
    True
    """
    while isinstance(place, n.Subscript):
        place = place.value
    return place


def direction(loop: n.Stmt) -> int:
    """Whether the numbers that a loop counts with grow (1) or fall (-1); 0 where that is not known."""
    if not isinstance(loop, n.For):
        return 0
    if _counts_items(loop.iterable):
        return 1
    step = _step(loop.iterable)
    back = _unreversed(loop.iterable) is not loop.iterable
    return 0 if not step else 1 if (step > 0) != back else -1


def _counts_items(iterable: n.Expr) -> bool:
    """Whether a loop is over `enumerate(...)`, counted from zero."""
    match iterable:
        case n.Call(func=n.Ref(value=function), args=(_,), keywords=()):
            return function is enumerate
        case _:
            return False


def _unreversed(iterable: n.Expr) -> n.Expr:
    match iterable:
        case n.Call(func=n.Ref(value=function), args=(inner,)) if function is reversed:
            return inner
        case _:
            return iterable


def _step(iterable: n.Expr) -> int:
    """The step of a range (of one that is reversed, before that); 0 where it is not known."""
    match _unreversed(iterable):
        case n.Call(func=n.Ref(value=function), args=(_, _, step)) if function is range:
            pass
        case n.Call(func=n.Ref(value=function), args=(_,) | (_, _)) if function is range:
            return 1
        case _:
            return 0
    match step:
        case n.Const(value=int() as number):
            return number
        case n.Unary(op="-", operand=n.Const(value=int() as number)):
            return -number
        case _:
            return 0


def _compare(op: str, a: Affine, b: Affine, system: System) -> None:
    """Let a comparison hold."""
    match op:
        case "<":
            system.not_negative.append(b - a - 1)
        case "<=":
            system.not_negative.append(b - a)
        case ">":
            system.not_negative.append(a - b - 1)
        case ">=":
            system.not_negative.append(a - b)
        case "==":
            system.zeros.append(a - b)
        case "!=":
            system.not_zero.append(a - b)
