"""Dependence: whether a part of an array that a statement reads is overwritten afterwards.

Two executions are looked at together: one of the statement that reads, one of a statement that writes to the array, in
the same iteration of the outermost loops and a later iteration of the next (or in the same of all that they have in
common, and further down). That both happen, in this order, at one element, is a system of linear equations and
inequalities in whole numbers: the bounds of the ranges, the branches taken, the order, the subscripts. Where each such
system is contradictory, the element keeps its value to the end of the function.

>>> from adcompile.analyses.kinds import Inference, Typed
>>> from adcompile.analyses.program import Program
>>> from adcompile.analyses.versions import number
>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import FLOAT, INT, Array, Extent
>>> def lasting(f):
...     function = read(f)
...     a, m = params = [p.variable for p in function.params]
...     typed = Typed(function, params, (Array("float64", (Extent("a.0", least=2),)), INT))
...     Inference(Program(read, lambda _: None), typed).run()
...     reading, writing = typed.body[0].body
...     touched = {writing: frozenset({a})}
...     return Dependence(typed.body, number(typed.body, params, touched), touched).lasts(reading, reading.value)
>>> def sums(a, m):
...     for i in range(1, m):
...         before = a[i - 1]
...         a[i] = a[i] + before
>>> def differences(a, m):
...     for i in range(1, m):
...         next = a[i + 1]
...         a[i] = next - a[i]
>>> lasting(sums), lasting(differences)
(True, False)

What is not known, the other names of an array, indices that are arrays, bounds that are not linear, counts as
"may be overwritten"; so `lasts` is certain, and its opposite is not. An index may count from the end: unless the bounds
tell which, `a[i]` may be `a[i + len(a)]` as well.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.inequalities import Affine, contradictory
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Extent, Scalar, Sequence
from adcompile.ir.walk import binds, blocks

if TYPE_CHECKING:
    from adcompile.analyses.versions import Env, Version, Versions
    from adcompile.ir.kinds import Dim, Kind

Path = tuple[tuple[int, int], ...]  # of a statement: block and position, from the outside in
_MOST_SPLIT = 4  # inequalities of the form `i != j` that are looked at from both sides
_FLIPPED = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}


@dataclass(frozen=True, slots=True)
class Execution:
    """One execution of a statement. It is in the same iteration as another of the `shared` outermost loops."""

    name: str
    stmt: n.Stmt
    shared: int

    def symbol(self, of: Hashable, depth: int) -> Affine:
        """What has one value in each iteration of `depth` loops."""
        return Affine.of((of, "" if depth <= self.shared else self.name))


@dataclass(slots=True)
class System:
    """What holds: each of `zeros` is zero, none of `not_negative` is below, none of `not_zero` is zero."""

    zeros: list[Affine] = field(default_factory=list)
    not_negative: list[Affine] = field(default_factory=list)
    not_zero: list[Affine] = field(default_factory=list)

    def add(self, other: System) -> None:
        """Let what holds in another hold here too."""
        self.zeros += other.zeros
        self.not_negative += other.not_negative
        self.not_zero += other.not_zero

    def excludes(self, *not_negative: Affine) -> bool:
        """Whether it is certain that one of these is negative."""
        return self.none_fits([*self.not_negative, *not_negative], self.not_zero[:_MOST_SPLIT])

    def none_fits(self, not_negative: list[Affine], not_zero: list[Affine]) -> bool:
        """Whether nothing fits, with each of `not_zero` above zero or below it."""
        if contradictory(self.zeros, not_negative):
            return True
        if not not_zero:
            return False
        first, *rest = not_zero
        return self.none_fits([*not_negative, first - 1], rest) and self.none_fits([*not_negative, -first - 1], rest)


@dataclass(frozen=True, slots=True)
class Interval:
    """Places along one axis: not below any of `lower`, not above any of `upper`."""

    lower: tuple[Affine, ...] = ()
    upper: tuple[Affine, ...] = ()


class Dependence:
    """The dependences in one body: which statement changes what where, and when."""

    def __init__(self, body: list[n.Stmt], versions: Versions, touched: dict[n.Stmt, frozenset[n.Variable]]) -> None:
        self.versions = versions
        self.touched = touched
        self.paths: dict[n.Stmt, Path] = {}
        self.around: dict[n.Stmt, tuple[tuple[n.Stmt, int], ...]] = {}  # the blocks around, outside in
        self.tests: dict[n.Stmt, n.Expr] = {}  # as they are now: the forward sweep will name them
        self.writes: dict[n.Variable, list[n.Stmt]] = {}
        self.bindings: dict[n.Variable, list[n.Stmt]] = {}
        self.least: dict[Hashable, int] = {}  # of a symbol that is a length: what it is at least
        self.contexts: dict[Execution, System] = {}
        self.known: dict[n.Variable, bool] = {}  # of names: whether they are steady
        self.collect(body, (), (), 0)

    def collect(self, body: list[n.Stmt], path: Path, around: tuple[tuple[n.Stmt, int], ...], branch: int) -> None:
        """Take note of where each statement stands and what it sets and changes."""
        for k, stmt in enumerate(body):
            self.paths[stmt] = here = (*path, (branch, k))
            self.around[stmt] = around
            for variable in self.touched.get(stmt, ()):
                self.writes.setdefault(variable, []).append(stmt)
            for variable in binds(stmt):
                self.bindings.setdefault(variable, []).append(stmt)
            if isinstance(stmt, n.If):
                self.tests[stmt] = stmt.test
            for inner, block in enumerate(blocks(stmt)):
                self.collect(block, here, (*around, (stmt, inner)), inner)

    # ------------------------------------------------------------------------------------------------- the question

    def lasts(self, stmt: n.Stmt, place: n.Expr) -> bool:
        """Whether what `place` holds at a statement that reads or sets it is there to the end of the function.

        Args:
            stmt: a statement of the body.
            place: a part of an array or list, as the statement reads it or stores to it: `u[i - 1]`, `a[j:, k]`.

        Returns:
            True only where it is certain that no later execution of any statement changes any element of it.
        """
        base = _base(place)
        if not isinstance(base, n.Read) or not self.steady(base.variable) or not self.plain(stmt):
            return False
        own = isinstance(stmt, n.Store) and stmt.target is place
        if base.variable in self.touched.get(stmt, ()) and not own:
            return False
        return not any(self.may_overwrite(w, stmt, place) for w in self.writes.get(base.variable, []))

    def steady(self, variable: n.Variable) -> bool:
        """Whether a name stands for one array or list throughout: a parameter, or set once and outside of loops."""
        if variable not in self.known:
            self.known[variable] = self.stays(variable)
        return self.known[variable]

    def stays(self, variable: n.Variable) -> bool:
        """What `steady` says, found out."""
        found = self.bindings.get(variable, [])
        last = self.versions.final.get(variable)
        if last is None or not self.versions.info[last].certain:
            return False
        if any(i.variable is variable and i.birth == "param" for i in self.versions.info.values()):
            return not found
        return len(found) == 1 and isinstance(found[0], n.Assign) and not self.versions.where[found[0]][1]

    def plain(self, stmt: n.Stmt) -> bool:
        """Whether a statement is done as the program has it, and no exception leads elsewhere."""
        return not any(isinstance(s, n.Try | n.With) or (_is_loop(s) and b) for s, b in self.around[stmt])

    def may_overwrite(self, write: n.Stmt, read: n.Stmt, place: n.Expr) -> bool:
        """Whether an execution of `write` may change a place behind an execution of `read` that reads or sets it."""
        first, second = self.versions.where[read][1], self.versions.where[write][1]
        common = 0
        while common < min(len(first), len(second)) and first[common] is second[common]:
            common += 1
        if blocks(write) or not self.plain(write):
            return bool(common) or not self.precedes(write, read)
        if any(self.meet(write, read, place, shared) for shared in range(common)):
            return True
        return self.precedes(read, write) and self.meet(write, read, place, common)

    def precedes(self, first: n.Stmt, second: n.Stmt) -> bool:
        """Whether, in one iteration of the loops around both, `second` may come behind `first`."""
        for k, (a, b) in enumerate(zip(self.paths[first], self.paths[second], strict=False)):
            if a[0] != b[0]:
                return not isinstance(self.around[first][k - 1][0], n.If)
            if a[1] != b[1]:
                return a[1] < b[1]
        return False

    def meet(self, write: n.Stmt, read: n.Stmt, place: n.Expr, shared: int) -> bool:
        """Whether both may happen at one element, in the same iteration of the `shared` outermost loops.

        The writing one is in a later iteration of the next loop around both, if there is one more.
        """
        reading, writing = Execution("read", read, shared), Execution("write", write, shared)
        system = System()
        system.add(self.context(reading))
        system.add(self.context(writing))
        loops = self.versions.where[read][1]
        if shared < len(loops) and loops[shared] in self.versions.where[write][1]:
            system.add(self.later(loops[shared], reading, writing))
        here, there = self.region(place, reading, system), None
        match write:
            case n.Store(target=n.Subscript() as target) | n.Augment(target=n.Subscript() as target):
                if isinstance(_base(target), n.Read) and _base(target) == _base(place):
                    there = self.region(target, writing, system)
        for axis, a, b in zip(range(len(here or ())), here or (), there or (), strict=False):
            element = Affine.of(("element", axis))
            for interval in (a, b):
                system.not_negative += [element - e for e in interval.lower]
                system.not_negative += [e - element for e in interval.upper]
        return not self.with_lengths(system).excludes()

    # ------------------------------------------------------------------------------------------- what is known of a run

    def context(self, execution: Execution) -> System:
        """What holds where a statement is executed: the bounds of the loops around, and the branches taken."""
        if execution not in self.contexts:
            found = self.contexts[execution] = System()
            for stmt, branch in self.around[execution.stmt]:
                if isinstance(stmt, n.For):
                    self.bound(stmt, execution, found)
                elif isinstance(stmt, n.If):
                    self.assume(self.tests[stmt], self.versions.before[stmt], execution, found, holds=branch == 0)
        return self.contexts[execution]

    def bound(self, loop: n.For, execution: Execution, system: System) -> None:
        """What the iterable says of the target of a loop."""
        counter = self.counter(loop, execution)
        if counter is None:
            return
        env = self.versions.before[loop]
        match _unreversed(loop.iterable):
            case n.Call(func=n.Ref(value=function), args=args) if function is range:
                parts = [self.affine(e, env, execution) for e in args]
                start, stop = (Affine(), parts[0]) if len(parts) == 1 else (parts[0], parts[1])
                step = _step(loop.iterable)
                if not step:
                    return
                sign = 1 if step > 0 else -1
                if start is not None:
                    system.not_negative.append((counter - start) * sign)
                if stop is not None:
                    system.not_negative.append((stop - counter) * sign - 1)
                if start is not None and abs(step) > 1:
                    depth = len(self.versions.where[loop][1]) + 1
                    trips = execution.symbol(("trips", loop), depth)
                    system.zeros.append(counter - start - trips * step)
            case n.Call(func=n.Ref(value=function), args=(n.Read(kind=Array(), variable=items) as read,)) if (
                function is enumerate
            ):
                system.not_negative.append(counter)
                if self.steady(items):
                    system.not_negative.append(self.length(read, 0) - counter - 1)
            case _:
                pass

    def counter(self, loop: n.For, execution: Execution) -> Affine | None:
        """The number that grows or falls from iteration to iteration, where a loop has one."""
        match loop:
            case n.For(target=n.Read(variable=variable)) if _direction(loop.iterable):
                pass
            case n.For(target=n.Display(items=(n.Read(variable=variable), *_))) if _direction(loop.iterable):
                pass
            case _:
                return None
        return self.value(self.versions.inside[loop][variable], INT, execution)

    def later(self, loop: n.Stmt, reading: Execution, writing: Execution) -> System:
        """What it means that the one execution is in a later iteration than the other."""
        if not isinstance(loop, n.For):
            return System()
        before, behind = self.counter(loop, reading), self.counter(loop, writing)
        if before is None or behind is None:
            return System()
        return System([], [(behind - before) * _direction(loop.iterable) - 1])

    def assume(self, test: n.Expr, env: Env, execution: Execution, system: System, *, holds: bool) -> None:
        """What follows from a test that turned out true or false."""
        match test:
            case n.Unary(op="not", operand=operand):
                self.assume(operand, env, execution, system, holds=not holds)
            case n.Bool(op=op, operands=operands) if (op == "and") == holds:
                for operand in operands:
                    self.assume(operand, env, execution, system, holds=holds)
            case n.Compare(ops=ops, operands=operands) if holds or len(ops) == 1:
                parts = [self.affine(e, env, execution) for e in operands]
                for op, a, b in zip(ops, parts, parts[1:], strict=False):
                    if a is None or b is None:
                        continue
                    match op if holds else _FLIPPED.get(op):
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
                        case _:
                            pass
            case _:
                pass

    def with_lengths(self, system: System) -> System:
        """A system, and that no length is negative."""
        symbols = {s: None for e in (*system.zeros, *system.not_negative) for s in e.terms}
        known = [Affine.of(s) - self.least[s] for s in symbols if s in self.least]
        return System(system.zeros, [*system.not_negative, *known], system.not_zero)

    # ------------------------------------------------------------------------------------------------------ subscripts

    def region(self, place: n.Expr, execution: Execution, system: System) -> list[Interval] | None:
        """Which elements a place has, axis by axis; None where nothing is known. What follows goes into `system`.

        The statement is executed, so every index is within its axis.
        """
        base = _base(place)
        indices: list[n.Expr] = []
        inner = place
        while isinstance(inner, n.Subscript):
            here = inner.index.items if isinstance(inner.index, n.Display) else (inner.index,)
            if inner is not place and not all(isinstance(e.kind, Scalar) for e in here):
                return None  # an axis of a view is not that axis of the array
            indices[:0] = here
            inner = inner.value
        if inner is not base or not isinstance(base, n.Read):
            return None
        rank = base.kind.rank if isinstance(base.kind, Array) else 1 if isinstance(base.kind, Sequence) else None
        if rank is None or len(indices) > rank:
            return None
        if isinstance(base.kind, Sequence) and not (
            len(indices) == 1 and isinstance(indices[0].kind, Scalar) and isinstance(base.kind.item, Scalar)
        ):
            return None  # a slice may change the length of a list, and a list in a list may be there twice
        env = self.versions.before[execution.stmt]
        found: list[Interval] = []
        for axis, index in enumerate(indices):
            size = self.length(base, axis)
            match index:
                case n.Slice():
                    found.append(self.slice(index, env, execution, system, size))
                case n.Expr(kind=Scalar(dtype="int64")):
                    system.not_negative.append(size - 1)
                    found.append(self.item(self.affine(index, env, execution), system, size))
                case _:
                    return None
        return found

    def item(self, index: Affine | None, system: System, size: Affine) -> Interval:
        """The element that an index stands for."""
        if index is None:
            return Interval()
        known = self.with_lengths(system)
        if known.excludes(-index - 1):
            system.not_negative += [index, size - index - 1]
            return Interval((index,), (index,))
        if known.excludes(index):
            return Interval((index + size,), (index + size,))
        return Interval()

    def slice(self, index: n.Slice, env: Env, execution: Execution, system: System, size: Affine) -> Interval:
        """The elements that a slice takes, none of them outside the axis."""
        known = self.with_lengths(system)
        lower, upper = [Affine()], [size - 1]
        match index.step:
            case None | n.Const(value=None):
                pass
            case n.Const(value=int() as step) if step > 0:
                pass
            case _:
                return Interval(tuple(lower), tuple(upper))

        def end(bound: n.Expr | None) -> Affine | None:
            place = None if bound is None else self.affine(bound, env, execution)
            if place is None:
                return None
            return place if known.excludes(-place - 1) else place + size if known.excludes(place) else None

        first, last = end(index.lower), end(index.upper)
        if first is not None:
            lower.append(first)
        if last is not None:
            upper.append(last - 1)
        return Interval(tuple(lower), tuple(upper))

    def length(self, array: n.Read, axis: int) -> Affine:
        """The length of an axis of an array that a name stands for throughout."""
        if isinstance(array.kind, Array) and array.kind.dims is not None and axis < len(array.kind.dims):
            return self.extent(array.kind.dims[axis])
        symbol = ("", ("length", array.variable, axis))
        self.least[symbol] = 0
        return Affine.of(symbol)

    def extent(self, dim: Dim) -> Affine:
        """An extent as a number."""
        if isinstance(dim, int):
            return Affine(dim)
        symbol = ("", ("extent", dim.root))
        self.least[symbol] = max(dim.least, -dim.offset)
        return Affine.of(symbol) + dim.offset

    # ------------------------------------------------------------------------------------------------- whole numbers

    def affine(self, expr: n.Expr, env: Env, execution: Execution) -> Affine | None:
        """A whole number as a sum of symbols; None where it is something else."""
        match expr:
            case n.Const(value=bool()):
                return None
            case n.Const(value=int() as value):
                return Affine(value)
            case n.Read(variable=variable, kind=kind):
                version = env.get(variable)
                return None if version is None else self.value(version, kind, execution)
            case n.Unary(op="-", operand=operand):
                inner = self.affine(operand, env, execution)
                return None if inner is None else -inner
            case n.Binary(op="+" | "-" | "*" as op, left=left, right=right):
                a, b = self.affine(left, env, execution), self.affine(right, env, execution)
                if a is None or b is None:
                    return None
                if op != "*":
                    return a + b if op == "+" else a - b
                return a * b.constant if not b.terms else b * a.constant if not a.terms else None
            case _:
                return self.length_read(expr)

    def length_read(self, expr: n.Expr) -> Affine | None:
        """The length of an array that never changes, as an expression reads it."""
        match expr:
            case n.Call(func=n.Ref(value=function), args=(n.Read(kind=Array()) as array,)) if function is len:
                axis = 0
            case n.Subscript(
                value=n.Attribute(value=n.Read(kind=Array()) as array, name="shape"), index=n.Const(value=int() as axis)
            ) if axis >= 0:
                pass
            case n.Subscript(
                value=n.Call(func=n.Attribute(name="shape") as func, args=(n.Read(kind=Array()) as array,)),
                index=n.Const(value=int() as axis),
            ) if axis >= 0 and n.object_of(func) is np.shape:
                pass
            case _:
                return None
        return self.length(array, axis) if self.steady(array.variable) else None

    def value(self, version: n.Variable, kind: Kind, execution: Execution) -> Affine | None:
        """The whole number that a version is: what it was set to, if that can be told, or a symbol."""
        info = self.versions.info.get(version)
        if info is None or not isinstance(kind, Scalar) or kind.dtype != "int64":
            return None
        if info.birth in ("assign", "param") and not info.loops and isinstance(kind.extent, Extent | int):
            return self.extent(kind.extent)
        if info.birth == "assign":
            known = self.assigned(info, execution)
            if known is not None:
                return known
        return execution.symbol(("value", version), len(info.loops))

    def assigned(self, info: Version, execution: Execution) -> Affine | None:
        """What a version was set to, in the same iteration of the loops around it."""
        if info.stmt not in self.versions.before:
            return None
        env = self.versions.before[info.stmt]
        match info.stmt:
            case n.Assign(target=target, value=value) if target is info.variable:
                return self.affine(value, env, execution)
            case n.Unpack(
                pattern=n.Display(items=items), value=n.Attribute(value=n.Read(kind=Array()) as array, name="shape")
            ) if self.steady(array.variable):
                axis = next((k for k, e in enumerate(items) if e == n.Read(info.variable)), None)
                plain = all(isinstance(e, n.Read) for e in items)
                return self.length(array, axis) if axis is not None and plain else None
            case _:
                return None


def _base(place: n.Expr) -> n.Expr:
    """What a place is a part of."""
    while isinstance(place, n.Subscript):
        place = place.value
    return place


def _is_loop(stmt: n.Stmt) -> bool:
    return isinstance(stmt, n.For | n.While)


def _unreversed(iterable: n.Expr) -> n.Expr:
    match iterable:
        case n.Call(func=n.Ref(value=function), args=(inner,)) if function is reversed:
            return inner
        case _:
            return iterable


def _step(iterable: n.Expr) -> int:
    """The step of a range (of one that is reversed, before that); 0 where it is not known."""
    match _unreversed(iterable):
        case n.Call(func=n.Ref(value=function), args=args, keywords=()) if function is range and args:
            match args[2] if len(args) == 3 else n.Const(1):
                case n.Const(value=int() as step):
                    return step
                case n.Unary(op="-", operand=n.Const(value=int() as step)):
                    return -step
    return 0


def _direction(iterable: n.Expr) -> int:
    """Whether the numbers that a loop counts with grow (1) or fall (-1); 0 where that is not known."""
    match iterable:
        case n.Call(func=n.Ref(value=function), args=(_,), keywords=()) if function is enumerate:
            return 1
        case _:
            step = _step(iterable)
            back = _unreversed(iterable) is not iterable
            return 0 if not step else 1 if (step > 0) != back else -1
