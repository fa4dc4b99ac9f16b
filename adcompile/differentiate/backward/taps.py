"""The partials of intermediates: taken where a name has just been set, for those that are asked for and for hooks."""

from __future__ import annotations

import builtins
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.typing.lattice import as_sequence, as_table
from adcompile.differentiate.backward.reaching import Entry
from adcompile.differentiate.desugar.mappings import constant
from adcompile.differentiate.linear.places import (
    Path,
    Place,
    as_held,
    at,
    keeps_original,
    leaves,
    loose,
    place_of,
    read_by,
    rebuilt,
)
from adcompile.differentiate.linear.selection import NOWHERE, UNCLEAR, Reach, either, partly, truth
from adcompile.differentiate.linear.shapes import part_of
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import BOOL, Array, Kind, Scalar, Sequence, Static, Struct, Table, is_continuous
from adcompile.ir.make import NP, apply, function_of, ref
from adcompile.ir.walk import statements
from adcompile.runtime import helpers as runtime

if TYPE_CHECKING:
    from adcompile.differentiate.backward.contributing import Contributing
    from adcompile.differentiate.desugar.taps import Hook, Sink


class Taps:
    """Takes the partials that are asked for in the backward sweep of one body."""

    def __init__(
        self,
        work: Contributing,
        sinks: dict[str, list[Sink]],
        hooks: dict[str, list[Hook]],
        changed: set[n.Variable],
    ) -> None:
        self.work = work
        self.sinks = sinks
        self.hooks = hooks
        self.changed = changed  # what is changed in place somewhere
        self.settled: dict[Sink, n.Read] = {}  # of which the partial is in variables of its own, and what it is of
        self.final: dict[Sink | Hook, n.Tap] = {}  # where each name is set for the last time, if that is certain
        for site, asked in sinks.items():
            last = self.last(site)
            if last is not None and isinstance(last.value, n.Read):
                self.final |= {sink: last for sink in asked if not sink.is_list}
        for site, called in hooks.items():
            last = self.last(site)
            if last is not None:
                self.final |= {hook: last for hook in called if not hook.is_every and not hook.is_shared}

    def last(self, site: str) -> n.Tap | None:
        """Where a name is set for the last time; None if that depends."""
        found = [s for s in statements(self.work.body) if isinstance(s, n.Tap) and s.site == site]
        return found[-1] if found and found[-1] in self.work.body else None

    def take(self, stmt: n.Tap) -> None:
        """Take the partial of what was just set."""
        place = place_of(stmt.value)
        kind = stmt.value.kind if place is None else self.as_lists(place, stmt.value.kind)
        if not is_continuous(kind):
            return
        like = self.work.past(stmt.value, stmt)
        for hook in self.hooks.get(stmt.site, ()):
            self.hook(hook, stmt, like)
        for sink in self.sinks.get(stmt.site, ()):
            final = self.final.get(sink)
            if final is not None and final is not stmt:
                continue
            lists = any(isinstance(leaf, Sequence | Table) for _, leaf in leaves(kind))  # they change on the way back
            if final is not None and isinstance(stmt.value, n.Read) and not lists:
                self.settled[sink] = stmt.value
                changes = stmt.value.variable in self.changed  # what went before changes it further
                for path, leaf in leaves(kind):
                    saved = n.Variable(sink.variable.name, n.Role.PARTIAL, of=stmt.value.variable, path=path)
                    value = self.tapped(stmt.value, path, leaf, at(like, path))
                    is_array = isinstance(leaf, Array) and leaf.dims is not None
                    self.work.emit(n.Assign(saved, self.work.copied(value, leaf) if changes and is_array else value))
                    self.work.sweep.partials[sink.variable, path] = n.Read(saved, kind=leaf)
                continue
            whole = rebuilt(kind, (), lambda path, leaf: self.tapped(stmt.value, path, leaf, at(like, path)), like)
            self.work.emit(n.Collect(sink.variable, whole, kind, like if keeps_original(kind) else None))

    def as_lists(self, place: Place, kind: Kind) -> Kind:
        """A kind in which lists that change their length, and have one adjoint as a whole, are no structures."""
        if place in self.work.lists:
            return as_sequence(kind, "") or as_table(kind, "") or kind
        if isinstance(kind, Struct):
            items = zip(kind.keys, kind.items, strict=True)
            return replace(kind, items=tuple(self.as_lists((place[0], (*place[1], k)), item) for k, item in items))
        return kind

    def hook(self, hook: Hook, stmt: n.Tap, like: n.Expr) -> None:
        """Let a function of the user's see the partial of what was just set, and go on with what it returns."""
        final = self.final.get(hook)
        whole_place = place_of(stmt.value)
        kind = stmt.value.kind if whole_place is None else self.as_lists(whole_place, stmt.value.kind)
        if final is not None and final is not stmt:
            return
        saved, self.work.lines = self.work.lines, []
        whole = rebuilt(kind, (), lambda path, leaf: self.plain(stmt, path, leaf, at(like, path)), like)
        unseen: list[n.Stmt] = []
        places = [(self.work.place(at(stmt.value, path)), path, leaf) for path, leaf in leaves(kind)]
        reaches: dict[Place, Reach] = {}
        for place, path, leaf in places:  # so that the hook's result has somewhere to go, on every path
            entry = None if place is None else self.work.state.get(place)
            if place is not None:
                reaches[place] = NOWHERE if entry is None else entry.reach
            named = entry is not None and entry.literal is None
            if place is not None and not named and not self.work.buffered(place, leaf):
                zero = self.tapped(stmt.value, path, leaf, at(like, path))
                saved.append(n.Assign(self.work.adjoint(place), zero))
                self.work.state[place] = Entry(as_held(leaf, zero.kind))
        called = n.Ref("hooked", runtime.hooked, "global", kind=Static(runtime.hooked))
        result: n.Expr = n.Call(called, (hook.name, whole, constant(stmt.site)), kind=kind)
        if isinstance(kind, Struct):
            held = n.Variable(hook.seen.name.replace("_seen", "_hooked"), n.Role.RESULT)
            self.work.emit(n.Assign(held, result))
            result = n.Read(held, kind=kind)
        for place, path, leaf in places:
            if place is None:
                continue
            new = part_of(result, path, leaf)
            if self.work.buffered(place, leaf):
                buffer = self.work.pointer(place, leaf, after=True)
                if isinstance(leaf, Scalar | Array):
                    everything = n.Const(..., kind=Static(...))
                    self.work.emit(n.Store(n.Subscript(buffer, everything, kind=leaf), new))
                else:
                    self.work.emit(n.Evaluate(apply(runtime.set_within, buffer, new, kind=Static(None))))
            else:
                self.work.emit(n.Assign(self.work.adjoint(place), new))
                self.work.state[place] = Entry(loose(leaf), reach=self.reached(place, leaf, reaches[place], unseen))
        lines, self.work.lines = self.work.lines, saved
        if final is not None or hook.is_every:
            self.work.lines += lines
            return
        first = n.Unary("not", n.Read(hook.seen, kind=Sequence(BOOL, list)), kind=BOOL)
        seen = n.Collect(hook.seen, n.Const(value=True, kind=BOOL), Static(value=True))
        self.work.emit(n.If(first, [seen, *lines], unseen))

    def reached(self, place: Place, leaf: Kind, before: Reach, unseen: list[n.Stmt]) -> Reach:
        """Where a partial counts behind a hook: where it did, and where the hook makes something of a zero.

        `unseen` gets what is done where the hook is not called.
        """
        if before.whole or before == UNCLEAR:
            return before
        if before.mask is None or before == NOWHERE or not isinstance(leaf, Scalar | Array):
            return partly(fixed=before.fixed)
        new = n.Read(self.work.adjoint(place), kind=loose(leaf))
        made = either(before.mask, truth(new))
        if made is None:
            return partly(fixed=before.fixed)
        kept = self.work.new_mask()
        self.work.emit(n.Assign(kept, made))
        unseen.append(n.Assign(kept, before.mask, origin=self.work.origin))
        return replace(before, mask=n.Read(kept, kind=made.kind), parts=())

    def plain(self, stmt: n.Tap, path: Path, leaf: Kind, like: n.Expr) -> n.Expr:
        """The partial of a place as a number of the place's own type."""
        value = self.tapped(stmt.value, path, leaf, like)
        if not isinstance(leaf, Scalar) or isinstance(value, n.Const):
            return value
        if leaf.python is False:
            return n.Call(function_of(NP, np.dtype(leaf.dtype).type), (value,), kind=leaf)
        name = "complex" if leaf.dtype[0] == "c" else "float"
        return n.Call(ref(getattr(builtins, name)), (value,), kind=leaf)

    def tapped(self, value: n.Expr, path: Path, leaf: Kind, like: n.Expr) -> n.Expr:
        """The partial of a place of what was just set."""
        place, within = self.work.place(at(value, path)), place_of(at(value, path))
        if place is None and within is not None:
            buffer = self.work.part_of_list(within, leaf, read_by(value).kind)
            if buffer is not None:
                return self.work.held(buffer, leaf)
        if place is None:
            raise UnsupportedError(
                "cannot take the partial of this",
                span=self.work.origin.span if self.work.origin else None,
                reason="It is a part of a list that changes its length, which has one adjoint as a whole.",
                remedy='Name what is wanted at another place: `watch(value, "name")`.',
            )
        return self.work.value(place, leaf, replace(like, kind=leaf))
