"""Rows of a sparse Jacobian: what leads to a site is undone, as if it were the last statement and its number the value.

It is undone up through the loops around the site. Where something is left at the head of a loop that the loop changes,
a step depends on the one before, which is refused.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.whole_numbers.subscripts import base_of
from adcompile.differentiate.backward.reaching import Entry
from adcompile.differentiate.desugar.iteration.iterables import items_of
from adcompile.differentiate.jacobians.jacobian import jacobian_kind
from adcompile.differentiate.jacobians.sparse_entries import (
    NUMBERS,
    Entries,
    added_by,
    columns_of,
    places_kind,
    root_of,
)
from adcompile.differentiate.jacobians.sparse_sites import Site, Sites
from adcompile.differentiate.linear.places import at
from adcompile.differentiate.linear.shapes import gathers, steady_variables
from adcompile.differentiate.storage.sweep import Sweep
from adcompile.ir import nodes as n
from adcompile.ir.algebra import number
from adcompile.ir.kinds import FLOAT, INT, Array, Scalar, Sequence, Struct
from adcompile.ir.make import apply, len_of, together
from adcompile.ir.walk import binds, blocks, expressions, reads, statements, substitute, targets, walk

if TYPE_CHECKING:
    from adcompile.analyses.typing.typed import Typed
    from adcompile.analyses.versions import Versions
    from adcompile.differentiate.jacobians.jacobian import Input


@dataclass(eq=False, slots=True)
class Row:
    """The lines of the rows that a site makes, and what they were made from."""

    site: Site
    sweep: Sweep
    versions: Versions
    lines: list[n.Stmt]  # those within the loop over the numbers, where the site sets several


class Rows(Sites):
    """Makes the backward lines of one number of the value at a time."""

    once = True  # else an input's item would have several entries in a row
    indices: dict[n.Stmt, n.Variable]  # where a step is among the items that a loop runs over

    def prepare(self, typed: Typed, inputs: list[Input]) -> None:
        """Make ready for the sites of a value."""
        self.typed = typed
        self.numbered = self.versions
        self.indices = {}
        self.stand_ins: dict[n.Stmt, n.Stmt] = {}  # for statements whose place they took
        self.entries = {}
        whole = dict(zip(typed.params, typed.kinds, strict=True))
        for name, variable, path, kind in inputs:
            spelled = name.replace(".", "_")
            self.entries[variable, path] = Entries(
                at(n.Read(variable, kind=whole[variable]), path),
                jacobian_kind(typed.result, kind),
                n.Read(n.Variable(spelled, n.Role.JACOBIAN, of=variable, path=path), kind=Sequence(FLOAT, list)),
                n.Read(n.Variable(f"{spelled}_columns", n.Role.STEP), kind=Sequence(INT, list)),
                n.Read(n.Variable(f"{spelled}_ends", n.Role.STEP), kind=Sequence(INT, list)),
                n.Read(n.Variable(f"{spelled}_places", n.Role.STEP), kind=places_kind(kind)),
            )
        self.begin()
        self.find_lists()
        self.filling = self.filled()
        self.rows = n.Read(n.Variable("rows", n.Role.STEP), kind=Sequence(INT, list))
        made = self.made(self.filling)
        numbers = places_kind(made.kind if made is not None else typed.result)
        self.places = n.Read(n.Variable(f"{self.filling.name}_places", n.Role.STEP), kind=numbers)
        self.is_empty = 0 in (numbers.dims or ())  # then nothing is ever set in it

    def row(self, site: Site) -> Row:
        """The lines that make the rows of a site, in versions."""
        self.versions = replace(self.numbered, final=self.numbered.after[site.behind])
        self.sweep = Sweep(self.body, kinds=self.kinds, references=self.mirror.references, mixed=set(self.mixed))
        self.sweep.steady = steady_variables(self.body, self.given)
        self.begin()
        self.state = {p: Entry(e.original.kind, owned=True) for p, e in self.entries.items() if e.is_array}
        stmt = site.stmt
        self.origin, self.stmt = stmt.origin, stmt
        target, value = self.past(stmt.target, stmt), self.past(stmt.value, stmt)
        sign = "-" if isinstance(stmt, n.Augment) and stmt.op == "-" else "+"
        places = substitute(target, {next(iter(reads(base_of(target)))): self.places})
        lines: list[n.Stmt] = []
        self.lines = lines
        backward = self.sweep.backward
        if self.is_empty:
            return Row(site, self.sweep, self.versions, backward)
        if isinstance(target.kind, Array):
            seed = n.Read(n.Variable("seed", n.Role.SEED), kind=replace(target.kind, dtype="float64"))
            one = number(-1.0 if sign == "-" else 1.0)
            j = n.Read(n.Variable("j", n.Role.STEP), kind=INT)
            row = n.Read(n.Variable("row", n.Role.STEP), kind=INT)
            pair = together(j, row)
            numbered = Sequence(Struct("tuple", tuple, (0, 1), (INT, INT)))
            several = apply(builtins.enumerate, replace(places, kind=NUMBERS), kind=numbered)
            backward.append(n.For(pair, several, lines, [], origin=stmt.origin))
            many = len_of(replace(places, kind=NUMBERS))
            self.emit(n.Assign(seed.variable, apply(np.zeros, many, kind=seed.kind)))
            self.emit(n.Store(n.Subscript(seed, j, kind=FLOAT), one))
            self.emit(n.Push(self.rows.variable, row))
            incoming: n.Expr = self.fitted(seed, target, value, self.reach_of(seed))
        else:
            self.lines = lines = backward
            self.emit(n.Push(self.rows.variable, replace(places, kind=INT)))
            incoming = number(-1.0 if sign == "-" else 1.0)
        if self.moves(stmt):
            self.contribute(value, incoming, stmt)
            self.down(site, lines)
        for place, entries in self.entries.items():
            if place in self.state and not entries.is_array:
                e = self.read(place, entries.original.kind)
                lines += entries.put(n.Const(0, kind=INT), e, None)
        lines[:] = self.as_entries(lines)
        self.hand_over(site)
        return Row(site, self.sweep, self.versions, lines)

    def down(self, site: Site, lines: list[n.Stmt]) -> None:
        """Append the backward lines of all that leads to a site."""
        within: n.Stmt = site.stmt
        for block, around in zip(reversed(site.blocks), (*reversed(site.around), None), strict=True):
            self.sweep.mirror[id(block)] = lines
            for stmt in reversed(block[: block.index(within)]):
                self.origin, self.stmt = stmt.origin, stmt
                self.own_arrays = set()
                self.lines = lines
                self.statement(stmt)
            if isinstance(around, n.For | n.While):
                self.leave(around, is_outermost=around is site.loops[0])
            if around is not None:
                within = around
        left = [place for place in self.state if place not in self.entries]
        if left:
            raise self.refusal(f"It reads `{left[0][0].name}` before it is set.", site.stmt)

    def leave(self, loop: n.For | n.While, *, is_outermost: bool) -> None:
        """At the head of a loop: what a step reads of the one before would be another number's business."""
        self.origin, self.stmt = loop.origin, loop
        if isinstance(loop, n.For):
            items = items_of(loop.iterable)
            binding: n.Expr | None = None
            if not items.by_range and items.indexable:
                index = self.indices.setdefault(loop, n.Variable("k", n.Role.STEP))
                binding = items.item(n.Read(index, kind=INT))
            self.bind_items(loop, binding, self.versions.inside[loop])
        changed: dict[n.Variable, n.Stmt] = {}
        for stmt in statements([loop]):
            changed.update(dict.fromkeys((*binds(stmt), *self.sharing.touched.get(stmt, ())), stmt))
        for variable, path in self.state:
            if (variable, path) in self.entries:
                continue
            name = variable.name
            if variable is self.filling:
                reason = f"A step reads from `{name}` what another one has set."
                raise self.refusal(reason, changed[variable])
            if variable in changed:
                reason = f"`{name}` goes from one step to the next, so that a number depends on the steps before."
                raise self.refusal(reason, changed[variable])
            kind = at(n.Read(variable, kind=self.kinds.get(variable, INT)), path).kind
            if is_outermost and not isinstance(kind, Scalar):
                reason = f"`{name}` is an array that is computed before the loop from what it is differentiated by."
                remedy = f"Compute in the loop what a step needs of `{name}`, or leave `sparse` out."
                raise self.refusal(reason, self.creation(variable), remedy)

    def contribute(self, target: n.Expr, e: n.Expr, stmt: n.Stmt) -> None:
        """Add to the adjoint of what an expression denotes: of the input itself, where it is a part of one."""
        super().contribute(self.seen_through(target), e, stmt)

    def seen_through(self, target: n.Expr) -> n.Expr:
        """A part of a view of an input, as a part of the input."""
        base = base_of(target)
        info = self.versions.info.get(base.variable) if isinstance(base, n.Read) else None
        match info.stmt if info is not None and info.birth == "assign" else None:
            case n.Assign(value=n.Subscript(kind=Array()) as view) as made if isinstance(base, n.Read):
                pass
            case _:
                return target
        root = base_of(view)
        found = self.seen_through(self.past(view, made))
        end = base_of(found)
        is_input = isinstance(end, n.Read) and any(self.original(end.variable) is v for v, _ in self.entries)
        links = [e for e in walk(view) if isinstance(e, n.Subscript)]
        if not is_input or not isinstance(root.kind, Array) or any(gathers(e.index) for e in links):
            return target
        return substitute(target, {base.variable: found})

    def as_entries(self, lines: list[n.Stmt]) -> list[n.Stmt]:
        """Backward lines with entries in place of additions to the adjoints of arrays that rows are made for."""
        adjoints = {self.adjoint(place): e for place, e in self.entries.items() if e.is_array}
        found: list[n.Stmt] = []
        for stmt in lines:
            for inner in blocks(stmt):
                inner[:] = self.as_entries(inner)
            made = [stmt]
            added = added_by(stmt)
            root = None if added is None else root_of(added[0])
            if added is not None and root in adjoints:
                entries = adjoints[root]
                made = entries.put(columns_of(added[0], root, entries.places), added[1], stmt.origin)
            for line in made:
                if adjoints.keys() & {*binds(line), *(v for e in expressions(line) for v in reads(e))}:
                    raise self.refusal("What a number depends on cannot be followed.", stmt)
            found += made
        return found

    def replaced(self, old: n.Stmt, new: n.Stmt) -> None:
        """A statement takes another's place."""
        super().replaced(old, new)
        self.stand_ins[old] = new

    def hand_over(self, site: Site) -> None:
        """Note which of the compiler's own variables are at hand where the rows are made."""
        found: dict[n.Variable, n.Variable] = {}
        for version, info in self.numbered.info.items():
            if info.variable not in self.versions.final and any(info.block is block for block in site.blocks):
                found.setdefault(info.variable, version)
        self.versions.final = self.versions.final.changed(found)

    def resting(self) -> frozenset[n.Variable]:
        """The variables that backward lines may set: those that are read in loops over them only."""
        inside: dict[n.Variable, set[n.Stmt]] = {}
        for stmt in statements(self.body):
            if isinstance(stmt, n.For):
                for variable in targets(stmt.target):
                    inside.setdefault(variable, set()).update(statements(stmt.body))
        for stmt in statements(self.body):
            for variable in {v for e in expressions(stmt) for v in reads(e)} & inside.keys():
                if stmt not in inside[variable]:
                    del inside[variable]
        return frozenset(inside)
