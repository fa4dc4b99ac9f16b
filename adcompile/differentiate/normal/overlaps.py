"""Stores of one part of an array into another where NumPy reads what it has just written.

    A[:, 2] = A[1]        the item A[1, 2] is set, and then read

NumPy copies what is stored first, but not between two lines of items (views of one axis) whose steps go the same way,
nor into `flat` or a mask. What comes of those depends on how far apart the items lie, and on NumPy's version: they are
refused, unless both lines run along one axis of one array in equal steps, meet in an item of the same number of both,
or have no item in common.

Before this, `updates.py` has made assignments of all updates; afterwards `flatten.py` gives what is stored a name.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.memory.regions import copies, target_here, viewed
from adcompile.analyses.typing.targets import LibraryCall
from adcompile.analyses.varied import varies
from adcompile.analyses.versions import Versions, number
from adcompile.analyses.whole_numbers.inequalities import Affine, System
from adcompile.analyses.whole_numbers.subscripts import Subscripts, base_of
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.indices import index_parts, is_ellipsis, is_none
from adcompile.ir.kinds import Array, Scalar, Sequence, Static, Struct
from adcompile.ir.walk import binds, blocks, expressions, reads, statements, walk
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from adcompile.analyses.memory.sharing import Sharing
    from adcompile.analyses.typing.targets import Scope
    from adcompile.analyses.typing.typed import Typed
    from adcompile.analyses.varied import Activity

_WHOLE = {
    *("array", "asarray", "asanyarray", "ascontiguousarray", "atleast_1d", "ravel", "reshape", "squeeze", "diff"),
    *("transpose", "swapaxes", "moveaxis", "rollaxis", "conj", "conjugate", "real", "require", "atleast_2d"),
}


def check_overlaps(typed: Typed, sharing: Sharing, activity: Activity, scope: Scope) -> None:
    """Refuse to differentiate a store whose outcome depends on the order in which NumPy goes about it.

    So does a change of what has one item at many places: NumPy refuses a store, but not each `np.add.at`.
    """
    work = _Overlaps(typed, sharing)
    for stmt in statements(typed.body):
        if not isinstance(stmt, n.Store | n.Augment) and work.shows_again(stmt):
            raise UnsupportedError(
                "cannot differentiate an update in place of an array that shows one item at many places",
                span=stmt.origin.span if stmt.origin else None,
                reason="What `np.broadcast_to` and the like return is meant to be read alone.",
                remedy="Write `.copy()` behind what is stretched.",
            )
        if (
            isinstance(stmt, n.Store)
            and isinstance(stmt.target, n.Subscript)
            and isinstance(stmt.target.value.kind, Array)
            and work.may_meet(stmt, stmt.target)
            and varies(stmt.value, activity.before[stmt], scope)
            and not work.is_harmless(stmt, stmt.target)
        ):
            raise UnsupportedError(
                "cannot differentiate a store of one part of an array into another that it may overlap",
                span=stmt.target.span,
                reason="Where they overlap, it depends on NumPy's version whether it reads what it has just written.",
                remedy="Write `.copy()` behind what is stored.",
            )


@value_class()
class View:
    """A view of the array of a variable: for each of its axes, which one of the array's it is, and its step."""

    root: n.Variable | n.Expr  # an expression for an item of a container
    axes: tuple[tuple[int, object], ...]
    fixed: tuple[tuple[int, n.Expr], ...] = ()  # the array's other axes, with the place on each


class _Overlaps:
    def __init__(self, typed: Typed, sharing: Sharing) -> None:
        self.typed = typed
        self.sharing = sharing
        self.at: n.Stmt | None = None  # the store that is looked at

    @cached_property
    def places(self) -> dict[n.Stmt, tuple[int, n.Stmt | None]]:
        """Where each statement stands in the text, and the outermost loop around it."""
        found: dict[n.Stmt, tuple[int, n.Stmt | None]] = {}

        def visit(block: list[n.Stmt], loop: n.Stmt | None) -> None:
            for stmt in block:
                around = stmt if loop is None and isinstance(stmt, n.For | n.While) else loop
                found[stmt] = len(found), around
                for inner in blocks(stmt):
                    visit(inner, around)

        visit(self.typed.body, None)
        return found

    @cached_property
    def order(self) -> dict[n.Variable, list[tuple[int, n.Stmt | None]]]:
        """Where each variable is set, and the outermost loop around that."""
        found: dict[n.Variable, list[tuple[int, n.Stmt | None]]] = {}
        for stmt, place in self.places.items():
            for variable in binds(stmt) if not isinstance(stmt, n.Augment) else ():
                found.setdefault(variable, []).append(place)
        return found

    @cached_property
    def definitions(self) -> dict[n.Variable, list[n.Expr | None]]:
        """What each variable is set to; None for what is not an expression."""
        found: dict[n.Variable, list[n.Expr | None]] = {v: [None] for v in self.typed.params}
        for stmt in statements(self.typed.body):
            match stmt:
                case n.Assign(target=target, value=value):
                    found.setdefault(target, []).append(value)
                case n.Unpack(pattern=n.Display(items=names), value=n.Display(items=values)) if len(names) == len(
                    values
                ) and all(isinstance(e, n.Read) for e in names):
                    for name, value in zip(names, values, strict=True):
                        if isinstance(name, n.Read):
                            found.setdefault(name.variable, []).append(value)
                case _:
                    for variable in binds(stmt) if not isinstance(stmt, n.Augment) else ():
                        found.setdefault(variable, []).append(None)
        return found

    @cached_property
    def subscripts(self) -> Subscripts:
        """What is known of indices and bounds, in versions of the body as it is now."""
        return Subscripts(self.typed.body, self.versions)

    @cached_property
    def versions(self) -> Versions:
        """Which assignment each variable's value comes from."""
        return number(self.typed.body, self.typed.params, self.sharing.touched)

    @cached_property
    def given(self) -> frozenset[n.Expr]:
        """Vectors in containers of the caller's that stay what they were: two of them are one array, or apart."""
        inside = {
            e
            for stmt in statements(self.typed.body)
            for x in expressions(stmt)
            for e in walk(x)
            if isinstance(e, n.Subscript) and isinstance(e.value.kind, Struct) and isinstance(e.index, n.Const)
        }
        vectors = [e for e in inside if isinstance(e.kind, Array) and e.kind.rank == 1]
        roots = {base.variable for e in vectors if isinstance(base := base_of(e), n.Read)}
        for stmt in statements(self.typed.body):
            roots.difference_update(binds(stmt))
            for x in expressions(stmt):  # a container that is named by itself may be changed elsewhere
                whole = [e for e in walk(x) if isinstance(e, n.Expr) and isinstance(e.kind, Struct | Sequence)]
                whole += [e for e in walk(x) if isinstance(e, n.Lambda | n.Opaque)]
                used = {id(e.value) for e in walk(x) if isinstance(e, n.Subscript)}
                roots.difference_update(v for e in whole if id(e) not in used for v in reads(e))
            if isinstance(stmt, n.Store) and isinstance(stmt.target, n.Subscript) and not (
                isinstance(stmt.target.value.kind, Array) or isinstance(stmt.value.kind, Scalar)
            ):
                roots.difference_update(reads(stmt.target))
        roots.intersection_update(self.typed.params)
        return frozenset(e for e in vectors if isinstance(base := base_of(e), n.Read) and base.variable in roots)

    def may_meet(self, stmt: n.Store, target: n.Subscript) -> bool:
        """Whether a store may read what it has written: NumPy makes no copy first, and both may share memory."""
        value, pairs = stmt.value, self.sharing.before.get(stmt)
        if _rank(value) == 0 or _is_stretched(value) or pairs is None or not _is_direct(target):
            return False
        into, out_of = self.sharing.sources(target.value), self.sharing.sources(value)
        around = into | pairs.of(into)
        return not around.isdisjoint(out_of)

    def shows_again(self, stmt: n.Stmt) -> bool:
        """Whether a statement changes what has one item at many places; of what a call is given, only if it must."""
        called = target_here(stmt.value) if isinstance(stmt, n.Evaluate) else None
        must = not (isinstance(called, LibraryCall) and getattr(called.function, "__name__", "") == "at")
        return any(self.is_shown_again(n.Read(v), stmt, must=must) for v in self.sharing.roots.get(stmt, ()))

    def is_shown_again(
        self, expr: n.Expr, at: n.Stmt | None, *, must: bool, seen: frozenset[n.Variable] = frozenset()
    ) -> bool:
        """Whether an array may have one item at many places before a statement; for `must`, whether it always has."""
        match expr:
            case n.Read(variable=variable):
                sources = self.sources_of(variable, at, seen)
                seen |= {variable}
                found = [e is not None and self.is_shown_again(e, where, must=must, seen=seen) for e, where in sources]
                return all(found) and bool(found) if must else any(found)
            case n.Call() if (called := target_here(expr)) is not None and not (view := viewed(called)).by_layout:
                return view.repeats or any(self.is_shown_again(e, at, must=must, seen=seen) for e in view.arguments)
            case n.Subscript(value=value, index=index) if isinstance(value.kind, Array) and not copies(index):
                return self.is_shown_again(value, at, must=must, seen=seen)
            case n.Attribute(value=value, name="T" | "real" | "imag"):
                return self.is_shown_again(value, at, must=must, seen=seen)
            case _:
                return False

    def sources_of(
        self, variable: n.Variable, at: n.Stmt | None, seen: frozenset[n.Variable]
    ) -> list[tuple[n.Expr | None, n.Stmt | None]]:
        """What a variable may have been set to before a statement, and by which one where that is certain."""
        while at is not None and variable in self.versions.before[at]:
            version = self.versions.info[self.versions.before[at][variable]]
            if version.birth == "assign" and isinstance(version.stmt, n.Assign):
                return [(version.stmt.value, version.stmt)]
            at = version.stmt if version.birth == "touch" else None
        found = self.definitions.get(variable, [None])
        return [(e, None) for e in found if e is None or seen.isdisjoint(reads(e))]

    def is_harmless(self, stmt: n.Store, target: n.Subscript) -> bool:
        """Whether what is read is certainly what was there before."""
        if stmt.value in (target, target.value):
            return isinstance(stmt.value, n.Read) or not reads(target.index)  # each item is stored into itself
        if _is_flat(target) or copies(target.index):
            return False
        self.at = stmt
        into, out_of = self.view(target), self.view(stmt.value)
        if into is None or out_of is None or len(into.axes) != 1:
            return False
        if into.root is not out_of.root and not self.given.issuperset((into.root, out_of.root)):
            return False
        lines = [line for line in out_of.axes if line != _NEW]
        if len(lines) != 1:
            return False
        (axis, step), (other, other_step) = into.axes[0], lines[0]
        if axis == other:
            opposite = isinstance(step, int) and isinstance(other_step, int) and step * other_step < 0
            return step == other_step or opposite  # for opposite steps NumPy makes a copy
        here, there = dict(into.fixed).get(other), dict(out_of.fixed).get(axis)
        crossing = here is not None and here == there and step == other_step == 1
        if crossing and self.from_start(target) and self.from_start(stmt.value):
            return True  # at the same time, so that an item is stored into itself
        return self.are_apart(stmt, target, stmt.value)

    def from_start(self, expr: n.Expr) -> bool:
        """Whether a line of items has all of an axis, so that its items are counted as the axis is."""
        match expr:
            case n.Subscript(value=value, index=index):
                slices = [e for e in index_parts(index) if isinstance(e, n.Slice)]
                return all(e.lower is None and e.upper is None for e in slices) and self.from_start(value)
            case n.Attribute(value=value):
                return self.from_start(value)
            case n.Read(variable=variable):
                found = self.definitions.get(variable, [None])[-1]
                return self.named(variable, 1).root is variable or (found is not None and self.from_start(found))
            case _:
                return False

    def are_apart(self, stmt: n.Stmt, one: n.Expr, other: n.Expr) -> bool:
        """Whether two parts of an array have certainly no item in common."""
        here, there = self.subscripts.region(stmt, one), self.subscripts.region(stmt, other)
        if here is None or there is None or base_of(one) != base_of(other):
            return False
        system = System()
        for held in (self.subscripts.context(stmt), here.facts, there.facts):
            system.add(held, lambda e: e)
        for axis, (a, b) in enumerate(zip(here.axes, there.axes, strict=False)):
            a.meet(b, Affine.of(("element", axis)), system)
        return self.subscripts.with_lengths(system).excludes()

    # ----------------------------------------------------------------------------------------------------- which axes

    def view(self, expr: n.Expr) -> View | None:
        """Which axes of which array an expression has, as a view of it; None where that is not seen."""
        match expr:
            case n.Read(variable=variable, kind=Array(dims=dims)) if dims is not None:
                return self.named(variable, len(dims))
            case n.Subscript(value=n.Expr(kind=Struct()), kind=Array(dims=(_,))) if expr in self.given:
                return View(expr, ((0, 1),))
            case n.Attribute(value=value, name="T"):
                inner = self.view(value)
                return None if inner is None else View(inner.root, inner.axes[::-1], inner.fixed)
            case n.Attribute(value=n.Expr(kind=Array(dtype=str() as dtype)) as value, name="real") if dtype[0] != "c":
                return self.view(value)
            case n.Subscript(value=value, index=index) if isinstance(value.kind, Array) and not copies(index):
                inner = self.view(value)
                return None if inner is None else _part(inner, [*index_parts(index)])
            case n.Call() if (given := _as_it_is(expr)) is not None:
                inner = self.view(given)
                new = 0 if inner is None else (_rank(expr) or 0) - len(inner.axes)
                return None if inner is None else View(inner.root, (*[_NEW] * new, *inner.axes), inner.fixed)
            case _:
                return None

    def is_set_before(self, root: n.Variable, variable: n.Variable) -> bool:
        """Whether a variable stands for one array from where another is set, as far as the store that is looked at."""
        if self.at is None:
            return False
        (first, loop), (last, end) = self.order[variable][0], self.places[self.at]
        return all(
            (place < first or place > last) and (around is None or around not in (loop, end))
            for place, around in self.order.get(root, ())
        )

    def named(self, variable: n.Variable, rank: int) -> View:
        """What a name stands for: a view of another one that is set once, or an array for itself."""
        values = self.definitions.get(variable, [None])
        if len(values) == 1 and values[0] is not None:
            inner = self.view(values[0])
            if inner is not None and (
                isinstance(inner.root, n.Expr)
                or (inner.root is not variable and self.is_set_before(inner.root, variable))
            ):
                # the place on an axis may be another by now
                return View(inner.root, inner.axes, tuple((a, e) for a, e in inner.fixed if isinstance(e, n.Const)))
        return View(variable, tuple((axis, 1) for axis in range(rank)))


_NEW = (-1, 0)  # an axis of a view that its array does not have


def _as_it_is(call: n.Call) -> n.Expr | None:
    """The vector of which a call returns all items in order, as a row or as it is, whether it makes a copy or not."""
    match call.func:
        case n.Attribute(value=n.Expr(kind=Array()) as given, name=name) if name in _WHOLE:
            pass
        case n.Attribute(value=n.Expr(kind=Static(value=module)), name=name) if (
            module is np and name in _WHOLE and call.args
        ):
            given = call.args[0]
        case _:
            return None
    if not isinstance(given.kind, Array) or _rank(given) != 1 or not isinstance(call.kind, Array):
        return None
    return given if call.kind.dims in (given.kind.dims, (1, *(given.kind.dims or ()))) else None


def _part(inner: View, parts: list[n.Expr]) -> View | None:
    """A part of a view, by the parts of an index without arrays."""
    count = sum(not is_ellipsis(e) and not is_none(e) for e in parts)
    rest = len(inner.axes) - count
    if rest < 0:
        return None
    if not any(map(is_ellipsis, parts)):
        parts = [*parts, n.Const(...)]
    axes: list[tuple[int, object]] = []
    fixed, at = list(inner.fixed), 0
    for part in parts:
        if is_ellipsis(part):
            axes += inner.axes[at : at + rest]
            at += rest
            continue
        if is_none(part):
            axes.append(_NEW)
            continue
        axis, step = inner.axes[at]
        at += 1
        match part:
            case n.Slice(step=None | n.Const(value=None)):
                axes.append((axis, step))
            case n.Slice(step=n.Const(value=int() as by)) if isinstance(step, int):
                axes.append((axis, step * by))
            case n.Slice(step=by) if step == 1:
                axes.append((axis, by))
            case n.Expr(kind=Scalar()):
                fixed.append((axis, part))
            case _:
                return None
    return View(inner.root, tuple(axes), tuple(fixed))


def _is_direct(target: n.Subscript) -> bool:
    """Whether NumPy writes one item after the other where a part of the array itself is stored there."""
    if _is_flat(target):
        return True
    if copies(target.index):  # of places it makes a copy, of a mask it does not
        return any(
            not isinstance(e.kind, Scalar) and getattr(e.kind, "dtype", None) in ("bool", None)
            for e in index_parts(target.index)
            if not isinstance(e, n.Slice)
        )
    return _rank(target) in (1, None)


def _rank(expr: n.Expr) -> int | None:
    match expr.kind:
        case Scalar():
            return 0
        case Array(dims=dims) if dims is not None:
            return len(dims)
        case _:
            return None


def _is_stretched(value: n.Expr) -> bool:
    """Whether what is stored is a single item, which stays what it is when it is written over itself."""
    return isinstance(value.kind, Array) and value.kind.dims == (1,)


def _is_flat(target: n.Subscript) -> bool:
    return isinstance(target.value, n.Attribute) and target.value.name == "flat"
