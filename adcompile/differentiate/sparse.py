"""Sparse Jacobians: of a value that loops fill, a row of entries for each number, behind the lines that set it.

A number of the value is what was stored last at its place. So its row follows from the lines that lead to the store:
those before it in its step, and those before the loop. They are undone right where the number is set, once for each,
with 1.0 for its adjoint. What would be added to the adjoint of an input becomes an entry: its value, and its column,
read from an array that holds the number of each place of the input.

    x_bar[i, 0] += e    ->    x_jac.append(e)
                              x_columns.append(x_places[i, 0])

>>> import numpy as np
>>> from adcompile import jacobian
>>> def differences(x, a):
...     out = np.zeros(len(x) - 1)
...     for i in range(len(out)):
...         out[i] = a * (x[i + 1] - x[i])
...     return out
>>> print(jacobian(differences, wrt="x", sparse=True).source_for(np.ones(4), 2.0).partition("# Both")[2])
sweeps, a row for each number of the value
    out = np.zeros(len(x) - 1)
    out_places = np.arange(out.size)
    rows = []
    x_jac = []
    x_columns = []
    x_ends = []
    x_places = np.arange(x.size)
    for i in range(len(out)):
        out[i] = a * (x[i + 1] - x[i])
<BLANKLINE>
        # Backward sweep of the step
        # out[i] = a * (x[i + 1] - x[i])
        rows.append(out_places[i])
        x_jac.append(-a)
        x_columns.append(x_places[i])
        x_jac.append(a)
        x_columns.append(x_places[i + 1])
        x_ends.append(len(x_jac))
<BLANKLINE>
    return (
        out.size,
        np.asarray(rows, np.int64),
        (
            np.asarray(x_jac, np.float64),
            np.asarray(x_columns, np.int64),
            np.asarray(x_ends, np.int64),
        ),
    )
<BLANKLINE>
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.aliases import fresh
from adcompile.analyses.subscripts import base_of
from adcompile.differentiate.adjoint import Adjoint
from adcompile.differentiate.contributing import Entry, Sweep
from adcompile.differentiate.iterables import items_of
from adcompile.differentiate.jacobian import jacobian_kind, once_more
from adcompile.differentiate.places import at
from adcompile.differentiate.reverse import own_copies, reopen_groups
from adcompile.differentiate.shapes import gathers, steady_variables
from adcompile.differentiate.stepwise import counted
from adcompile.differentiate.storage import store
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.algebra import number, simplify
from adcompile.ir.kinds import FLOAT, INT, Array, Extent, Kind, Scalar, Sequence, Static
from adcompile.ir.walk import (
    binds,
    blocks,
    bound_in,
    expressions,
    reads,
    statements,
    substitute,
    targets,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Callable as Function

    from adcompile.analyses.kinds import Typed
    from adcompile.analyses.versions import Versions
    from adcompile.differentiate.jacobian import Input
    from adcompile.differentiate.places import Place
    from adcompile.differentiate.reverse import Reverse
    from adcompile.source import Span

_NP = n.Ref("np", np, "rule", kind=Static(np))
_NUMBERS = Array("int64", (Extent("entries"),))
_ELSE = "Leave `sparse` out, or write one loop whose steps each set their own part of the value."


@dataclass(eq=False, slots=True)
class Site:
    """A statement that sets numbers of the value: the blocks that it stands in, and the statements around it.

    `behind` is the statement, of its own block, behind which its rows are made.
    """

    stmt: n.Store | n.Augment
    blocks: tuple[list[n.Stmt], ...]  # outermost first
    around: tuple[n.Stmt, ...]
    behind: n.Stmt

    @property
    def loops(self) -> list[n.For | n.While]:
        """The loops around it, outermost first."""
        return [s for s in self.around if isinstance(s, n.For | n.While)]


@dataclass(eq=False, slots=True)
class Row:
    """The lines of the rows that a site makes, and what they were made from."""

    site: Site
    sweep: Sweep
    versions: Versions
    lines: list[n.Stmt]  # those within the loop over the numbers, where the site sets several


@dataclass(slots=True)
class Entries:
    """The entries of one input: lists of their values and columns, and how many there are at the end of each row."""

    original: n.Expr  # the input itself
    kind: Kind  # of the Jacobian
    values: n.Read
    columns: n.Read
    ends: n.Read
    places: n.Read
    made: bool = False  # whether there are any

    @property
    def is_array(self) -> bool:
        """Whether the input has several places, each with a column of its own."""
        return isinstance(self.original.kind, Array) and self.original.kind.dims != ()

    def put(self, column: n.Expr, value: n.Expr, origin: n.Origin | None) -> list[n.Stmt]:
        """The lines for one entry, or for an array of them."""
        self.made = True
        if isinstance(column.kind, Scalar):
            return [
                n.Push(self.values.variable, value, origin=origin),
                n.Push(self.columns.variable, column, origin=origin),
            ]
        dims = column.kind.dims if isinstance(column.kind, Array) else None
        if not isinstance(value.kind, Array) or dims is None or value.kind.dims != dims:
            shape = _call(np.shape, column, kind=Sequence(INT, tuple))
            value = _call(np.broadcast_to, value, shape, kind=Array("float64", dims))
        if dims is None or len(dims) != 1:
            value, column = (_call(np.ravel, e, kind=_NUMBERS) for e in (value, column))
        return [
            n.Evaluate(n.Call(n.Attribute(list_, "extend"), (e,), kind=Static(None)), origin=origin)
            for list_, e in ((self.values, value), (self.columns, column))
        ]

    def begin(self) -> list[n.Stmt]:
        """The lines that make the lists, and number the places."""
        variables = (self.values, self.columns, self.ends) if self.made else ()
        lines: list[n.Stmt] = [n.NewTape(read.variable) for read in variables]
        if self.made and self.is_array:
            lines.append(_numbered(self.places, self.original))
        return lines

    def end(self) -> list[n.Stmt]:
        """The line at the end of a row."""
        length = n.Call(n.Ref("len", builtins.len, "builtin"), (self.values,), kind=INT)
        return [n.Push(self.ends.variable, length)]

    def result(self, rows: n.Read) -> n.Expr:
        """Values, columns and ends as arrays."""
        dtype = self.kind.dtype if isinstance(self.kind, Scalar | Array) and self.kind.dtype else "float64"
        values, columns = Array(dtype, _NUMBERS.dims), _NUMBERS
        if self.made:
            made = (_array(self.values, values), _array(self.columns, columns), _array(self.ends, columns))
        else:
            nothing = n.Const(0, kind=INT)
            many = n.Call(n.Ref("len", builtins.len, "builtin"), (rows,), kind=INT)
            made = (
                _call(np.zeros, nothing, _dtype(dtype), kind=values),
                _call(np.zeros, nothing, _dtype("int64"), kind=columns),
                _call(np.zeros, many, _dtype("int64"), kind=columns),
            )
        return n.Display("tuple", made)


class Rows(Adjoint):
    """Makes the backward lines of one number of the value at a time."""

    once = True  # else an input's item would have several entries in a row
    typed: Typed
    filling: n.Variable  # the array that becomes the value
    entries: dict[Place, Entries]
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
                n.Read(n.Variable(f"{spelled}_places", n.Role.STEP), kind=_places_kind(kind)),
            )
        self.begin()
        self.find_last_sets()
        self.find_lists()
        self.filling = self.filled()
        self.rows = n.Read(n.Variable("rows", n.Role.STEP), kind=Sequence(INT, list))
        made = self.made(self.filling)
        numbers = _places_kind(made.kind if made is not None else typed.result)
        self.places = n.Read(n.Variable(f"{self.filling.name}_places", n.Role.STEP), kind=numbers)
        self.is_empty = 0 in (numbers.dims or ())  # then nothing is ever set in it

    def refusal(self, reason: str, span: Span | None, remedy: str = _ELSE) -> UnsupportedError:
        """What says that rows cannot be read off the function."""
        return UnsupportedError(
            f"cannot make a sparse Jacobian of `{self.typed.function.name}`",
            source=self.typed.function.source,
            span=span or (self.typed.function.origin.span if self.typed.function.origin else None),
            reason=reason,
            remedy=remedy,
        )

    # ------------------------------------------------------------------------------------------------ what is required

    def filled(self) -> n.Variable:
        """The array that becomes the value: made once, of nothing that varies, and then set part by part."""
        last = self.body[-1]
        if not isinstance(last, n.Return):
            raise TypeError
        value = _flattened(last.value)
        while isinstance(value, n.Read) and isinstance(made := _flattened(self.made(value.variable)), n.Read):
            value = made
        if not isinstance(value, n.Read) or value.variable.role is not n.Role.USER:
            raise self.refusal("Its value is not an array that it makes and then sets part by part.", _span(last))
        variable = value.variable
        setting = [s for s in statements(self.body) if variable in binds(s)]
        if len(setting) > 1:
            raise self.refusal(f"All of `{variable.name}` is set, or changed, more than once.", _span(setting[-1]))
        created = self.made(variable)
        if not isinstance(created, n.Expr) or not fresh(created):
            reason = f"`{variable.name}` is not made by it, before the loop, as an array of its own."
            raise self.refusal(reason, _span(last), "Make it with `np.zeros` or `np.empty`, and set it in one loop.")
        creation = self.creation(variable)
        if self.activity.varies(created, creation):
            raise self.refusal(f"All of `{variable.name}` varies from the start.", _span(creation))
        return variable

    def made(self, variable: n.Variable) -> n.Expr | None:
        """What a variable is assigned to, if that is done once, in no loop or branch."""
        creation = self.creation(variable)
        alone = sum(variable in binds(s) for s in statements(self.body)) == 1
        return creation.value if alone and isinstance(creation, n.Assign) else None

    def creation(self, variable: n.Variable) -> n.Stmt:
        """The first statement of the body itself that sets a variable; the last statement where none does."""
        return next((s for s in self.body if isinstance(s, n.Assign) and s.target is variable), self.body[-1])

    def require(self) -> None:
        """Refuse what makes more of the value, or of an input, than can be followed."""
        inputs = {variable for variable, _ in self.entries}
        for stmt in statements(self.body):
            if isinstance(stmt, n.Try):
                raise self.refusal("It has a `try` in it.", _span(stmt))
            changed = {*binds(stmt), *self.sharing.touched.get(stmt, ())}
            for variable in changed & inputs:
                reason = f"`{variable.name}`, which it is differentiated by, is changed."
                raise self.refusal(reason, _span(stmt), "Give what is computed from it another name.")
            if isinstance(stmt, n.For) and stmt.checkpoint is not None:
                raise self.refusal("A loop of it is marked as checkpointed.", _span(stmt), "Leave the mark out.")
        if self.mirror.buffers:
            names = ", ".join(sorted({f"`{v.name}`" for v, _ in self.mirror.buffers}))
            raise self.refusal(f"Several names stand for one array that is changed: {names}.", None)

    def sites(self) -> list[Site]:
        """Where the value is set, in order; what only makes it ready for that is left out."""
        found: list[Site] = []

        def visit(block: list[n.Stmt], blocks_: tuple[list[n.Stmt], ...], around: tuple[n.Stmt, ...]) -> None:
            for place, stmt in enumerate(block):
                if self.filling in self.sharing.touched.get(stmt, ()) and not blocks(stmt):
                    sets = self.checked(stmt, around)
                    if not found and not around and not self.moves(sets):
                        continue  # all of it that is set so far does not vary
                    site = Site(sets, (*blocks_, block), around, stmt)
                    site.behind = block[self.late(block, place) - 1]
                    found.append(site)
                for inner in blocks(stmt):
                    visit(inner, (*blocks_, block), (*around, stmt))

        visit(self.body, (), ())
        if not found:
            raise self.refusal(f"Nothing that varies is set in `{self.filling.name}`.", _span(self.body[-1]))
        kinds = {isinstance(site.stmt, n.Augment) for site in found}
        if len(kinds) > 1:
            reason = f"Parts of `{self.filling.name}` are set at one place, and added to at another."
            raise self.refusal(reason, _span(found[-1].stmt), "Set each number once, or add to all of them.")
        return found

    def late(self, block: list[n.Stmt], place: int) -> int:
        """How far down in its block the rows of a site may be made: nothing else sets or leaves anything until then."""
        for k in range(place + 1, len(block)):
            inside = list(statements([block[k]]))
            leaves = any(isinstance(s, n.Break | n.Continue | n.Return) for s in inside)
            sets = blocks(block[k]) and any(self.filling in self.sharing.touched.get(s, ()) for s in inside)
            if leaves or sets:
                return k
        return len(block)

    def moves(self, stmt: n.Store | n.Augment) -> bool:
        """Whether what a statement puts into the value varies."""
        return self.activity.varies(stmt.value, stmt)

    def checked(self, stmt: n.Stmt, around: tuple[n.Stmt, ...]) -> n.Store | n.Augment:
        """A statement that changes the value, as one that sets a part of it."""
        name = self.filling.name
        sets = isinstance(stmt, n.Store) or (isinstance(stmt, n.Augment) and stmt.op in "+-")
        if not isinstance(stmt, n.Store | n.Augment) or not sets or not isinstance(stmt.target, n.Subscript):
            raise self.refusal(f"This changes `{name}` in another way than by setting a part of it.", _span(stmt))
        if base_of(stmt.target) != n.Read(self.filling):
            raise self.refusal(f"This changes `{name}` under another name.", _span(stmt))
        everything: tuple[n.Expr, ...] = (n.Slice(None, None, None), n.Const(...))
        is_whole = stmt.target.index in everything and not isinstance(stmt.target.value, n.Subscript)
        match stmt.target.kind:
            case _ if self.is_empty:
                pass
            case Scalar() | Array(dims=() | (_,)) if not (is_whole and self.moves(stmt)):
                pass
            case _:
                raise self.refusal(f"This sets too much of `{name}` at once.", _span(stmt))
        for loop in around:
            if isinstance(loop, n.For | n.While) and loop.orelse:
                raise self.refusal("The loop has an `else`.", _span(loop))
        return stmt

    # ------------------------------------------------------------------------------------------------------------- rows

    def row(self, site: Site) -> Row:
        """The lines that make the rows of a site, in versions."""
        point = dict(self.numbered.after[site.behind])
        self.versions = replace(self.numbered, final=point)
        self.sweep = Sweep(self.body, kinds=self.kinds, references=self.mirror.references, mixed=set(self.mixed))
        self.sweep.steady = steady_variables(self.body, self.given)
        self.begin()
        self.state = {place: Entry(owned=True) for place, entries in self.entries.items() if entries.is_array}
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
            pair = n.Display("tuple", (j, row))
            several = n.Call(n.Ref("enumerate", builtins.enumerate, "builtin"), (replace(places, kind=_NUMBERS),))
            backward.append(n.For(pair, several, lines, [], origin=stmt.origin))
            many = n.Call(n.Ref("len", builtins.len, "builtin"), (replace(places, kind=_NUMBERS),), kind=INT)
            self.emit(n.Assign(seed.variable, _call(np.zeros, many, kind=seed.kind)))
            self.emit(n.Store(n.Subscript(seed, j, kind=FLOAT), one))
            self.emit(n.Push(self.rows.variable, row))
            incoming: n.Expr = self.fitted(seed, value)
        else:
            self.lines = lines = backward
            self.emit(n.Push(self.rows.variable, replace(places, kind=INT)))
            incoming = number(-1.0 if sign == "-" else 1.0)
        if self.moves(stmt):
            self.contribute(value, incoming, stmt)
            self.down(site, lines)
        for place, entries in self.entries.items():
            entry = self.state.get(place)
            if entry is not None and not entries.is_array:
                e = entry.literal or n.Read(self.adjoint(place), kind=entries.original.kind)
                lines += entries.put(n.Const(0, kind=INT), e, None)
        lines[:] = self.as_entries(lines)
        self.hand_over(site, point)
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
            raise self.refusal(f"It reads `{left[0][0].name}` before it is set.", _span(site.stmt))

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
                raise self.refusal(reason, _span(changed[variable]))
            if variable in changed:
                reason = f"`{name}` goes from one step to the next, so that a number depends on the steps before."
                raise self.refusal(reason, _span(changed[variable]))
            kind = at(n.Read(variable, kind=self.kinds.get(variable, INT)), path).kind
            if is_outermost and not isinstance(kind, Scalar):
                reason = f"`{name}` is an array that is computed before the loop from what it is differentiated by."
                remedy = f"Compute in the loop what a step needs of `{name}`, or leave `sparse` out."
                raise self.refusal(reason, _span(self.creation(variable)), remedy)

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
            added = _added(stmt)
            root = None if added is None else _root(added[0])
            if added is not None and root in adjoints:
                entries = adjoints[root]
                made = entries.put(_column(added[0], root, entries.places), added[1], stmt.origin)
            for line in made:
                if adjoints.keys() & {*binds(line), *(v for e in expressions(line) for v in reads(e))}:
                    raise self.refusal("What a number depends on cannot be followed.", _span(stmt))
            found += made
        return found

    def replaced(self, old: n.Stmt, new: n.Stmt) -> None:
        """A statement takes another's place."""
        super().replaced(old, new)
        self.stand_ins[old] = new

    def hand_over(self, site: Site, point: dict[n.Variable, n.Variable]) -> None:
        """Note which of the compiler's own variables are at hand where the rows are made."""
        for version, info in self.numbered.info.items():
            if info.variable not in point and any(info.block is block for block in site.blocks):
                point[info.variable] = version

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


def row_by_row(work: Reverse, typed: Typed, inputs: list[Input], name: str) -> tuple[n.Function, bool]:
    """The function that makes the entries of a sparse Jacobian, and whether rows that are made twice add up.

    It returns the size of the value, the numbers of the rows in the order in which they are made, and for each input
    the values of the entries, their columns, and how many there are at the end of each row.
    """
    given = dict(zip(typed.params, typed.kinds, strict=True))
    roots = [(v, given[v]) for v in dict.fromkeys(v for _, v, _, _ in inputs)]
    made = work.adjoint(typed, roots, made=Rows)
    if not isinstance(made, Rows):
        raise TypeError
    groups = made.sweep.groups
    made.prepare(typed, inputs)
    made.require()
    rows = [made.row(site) for site in made.sites()]
    _refuse_to_repeat(made, rows)
    for row in rows:
        row.lines += [line for e in made.entries.values() if e.made for line in e.end()]
    made.weave(made.body)
    for loop, index in made.indices.items():
        lines = [line for row in rows for line in row.lines]
        if isinstance(loop, n.For) and index in {
            v for s in statements(lines) for e in expressions(s) for v in reads(e)
        }:
            loop.target, loop.iterable = counted(loop, index, lines)
    inside = {id(loop): loop for row in rows for loop in row.site.loops}
    resting = made.resting() - {v for loop in inside.values() if isinstance(loop, n.For) for v in targets(loop.target)}
    everything = frozenset(i.variable for i in made.numbered.info.values())
    for row in rows:
        _stored(made, row, everything - resting)
    _insert(made, rows)
    reopen_groups(Sweep(made.body, [line for row in rows for line in row.sweep.backward], groups=groups))
    return _function(made, name), isinstance(rows[0].site.stmt, n.Augment)


def _stored(made: Rows, row: Row, lives: frozenset[n.Variable]) -> None:
    """Bring the values that the lines of a row read to where they are read."""
    sweep, site = row.sweep, row.site
    sweep.lives = lives
    known = {*bound_in(made.body), *made.typed.params}
    several = sweep.backward is not row.lines
    store(sweep, row.versions, [])
    tapes = [s.tape for s in made.body if isinstance(s, n.NewTape)]
    popped = {s.tape: s.target for s in statements(sweep.backward) if isinstance(s, n.Pop)}
    own = [t for t in tapes if t in popped]
    made.body[:] = [s for s in made.body if not (isinstance(s, n.NewTape) and s.tape in own)]
    loops = [id(loop) for loop in site.loops]
    for tape in own:
        if not _in_own_loop(made.body, tape, loops):
            _second_name(made.body, tape, popped[tape])
            _drop_pop(sweep.backward, tape)
            continue
        for block in reversed(site.blocks):
            within = next(
                (s for s in block if any(isinstance(i, n.Push) and i.tape is tape for i in statements([s]))), None
            )
            if within is not None and (within not in site.around):
                block.insert(block.index(within), n.NewTape(tape))
                break
    if several:
        ahead, start = once_more(row.lines, known)
        row.lines[:0] = start
        sweep.backward[:0] = ahead


def entries_kind(inputs: list[Input], value: Kind) -> tuple[object, ...]:
    """The kinds of what the function for a sparse Jacobian returns, nested as that is."""
    made = [jacobian_kind(value, kind) for *_, kind in inputs]
    values = [Array(kind.dtype if isinstance(kind, Array) else None, _NUMBERS.dims) for kind in made]
    return (INT, _NUMBERS, *((one, _NUMBERS, _NUMBERS) for one in values))


def _in_own_loop(body: list[n.Stmt], tape: n.Variable, loops: list[int]) -> bool:
    """Whether something is put on a tape in a loop other than those around the rows."""
    return any(
        isinstance(inner, n.Push) and inner.tape is tape
        for stmt in statements(body)
        if isinstance(stmt, n.For | n.While) and id(stmt) not in loops
        for inner in statements([stmt])
    )


def _second_name(body: list[n.Stmt], tape: n.Variable, name: n.Variable) -> None:
    """Let what a step would put on a tape of its own go to a second name instead."""
    for k, stmt in enumerate(body):
        if isinstance(stmt, n.Push) and stmt.tape is tape:
            body[k] = n.Assign(name, stmt.value, origin=stmt.origin)
        for block in blocks(stmt):
            _second_name(block, tape, name)


def _drop_pop(body: list[n.Stmt], tape: n.Variable) -> None:
    body[:] = [s for s in body if not (isinstance(s, n.Pop) and s.tape is tape)]
    for stmt in body:
        for block in blocks(stmt):
            _drop_pop(block, tape)


def _refuse_to_repeat(made: Rows, rows: list[Row]) -> None:
    """Refuse helpers whose backward function takes its tape to pieces, where it would be called several times."""
    taken: set[n.Variable] = set()
    for row in rows:
        here: set[n.Variable] = set()
        for call in _calls(row.lines):
            if _pops(call.func, set()):
                record = base_of(call.args[0])
                variable = made.original(record.variable) if isinstance(record, n.Read) else made.filling
                if variable in taken or row.lines is not row.sweep.backward:
                    reason = "A function with a loop in it is called for several numbers at once."
                    remedy = "Write its loop out where it is called, or leave `sparse` out."
                    raise made.refusal(reason, _span(row.site.stmt), remedy)
                here.add(variable)
        taken |= here


def _calls(lines: list[n.Stmt]) -> list[n.Call]:
    """The calls of functions of the compiler's in some lines."""
    found = (e for s in statements(lines) for x in expressions(s) for e in walk(x))
    return [e for e in found if isinstance(e, n.Call) and _called(e.func) is not None]


def _called(func: n.Expr) -> n.Function | None:
    return func.value if isinstance(func, n.Ref) and isinstance(func.value, n.Function) else None


def _pops(func: n.Expr, seen: set[n.Function]) -> bool:
    """Whether a function takes something off a tape that it is given, or calls one that does."""
    function = _called(func)
    if function is None or function in seen:
        return False
    seen.add(function)
    own = any(isinstance(s, n.Pop) for s in statements(function.body))
    return own or any(_pops(call.func, seen) for call in _calls(function.body))


def _insert(made: Rows, rows: list[Row]) -> None:
    """Put the lines of the rows behind those that set the numbers."""
    groups: dict[n.Stmt, list[Row]] = {}
    for row in rows:
        behind = row.site.behind
        groups.setdefault(made.stand_ins.get(behind, behind), []).append(row)
    for behind, group in groups.items():
        block = group[0].site.blocks[-1]
        place = block.index(behind) + 1
        lines = [line for row in group for line in row.sweep.backward]
        step = " of the step" if group[0].site.around else ""
        follows = any(not isinstance(s, n.Return) for s in block[place:])
        block[place:place] = [
            n.heading(n.Section.BACKWARD, f"{step}, once for each number that it sets" if len(group) > 1 else step),
            *lines,
            *([n.heading(n.Section.FORWARD, ", from there on")] if follows else []),
        ]


def _function(made: Rows, name: str) -> n.Function:
    typed, value = made.typed, n.Read(made.filling, kind=made.typed.result)
    entries = list(made.entries.values())
    *body, last = made.body
    creation = body.index(made.creation(made.filling)) + 1
    begin = [
        _numbered(made.places, value),
        n.NewTape(made.rows.variable),
        *(line for e in entries for line in e.begin()),
    ]
    size = n.Attribute(value, "size", kind=INT)
    results = tuple(e.result(made.rows) for e in entries)
    returned = n.Display("tuple", (size, _array(made.rows, _NUMBERS), *results))
    params = [n.Param(v) for v in typed.params]
    whole = [
        *own_copies(typed, made.sharing.changed_params),
        n.heading(n.Section.BOTH, ", a row for each number of the value"),
        *body[:creation],
        *begin,
        *body[creation:],
        n.Return(returned, origin=last.origin),
    ]
    return n.Function(name, params, whole, typed.function.source, docstring="")


# ---------------------------------------------------------------------------------------------------------- small parts


def _added(stmt: n.Stmt) -> tuple[n.Expr, n.Expr] | None:
    """What a line adds to, and what it adds; None for any other line."""
    match stmt:
        case n.Augment(target=target, op="+" | "-" as op, value=e):
            return target, e if op == "+" else _minus(e)
        case n.Assign(
            target=variable, value=n.Binary(op="+" | "-" as op, left=n.Read(variable=same) as place, right=e)
        ):
            return (place, e if op == "+" else _minus(e)) if same is variable else None
        case n.Evaluate(
            value=n.Call(func=n.Attribute(value=n.Attribute(name="add"), name="at"), args=(whole, index, e))
        ):
            return n.Subscript(whole, index, kind=Array(None, None)), e
        case _:
            return None


def _minus(e: n.Expr) -> n.Expr:
    return simplify(n.Unary("-", e, kind=e.kind))


def _root(target: n.Expr) -> n.Variable | None:
    while isinstance(target, n.Subscript | n.Attribute):
        target = target.value
    return target.variable if isinstance(target, n.Read) else None


def _column(target: n.Expr, root: n.Variable, places: n.Read) -> n.Expr:
    """The columns of a part of an input."""
    kind: Kind = INT if isinstance(target.kind, Scalar) else _places_kind(target.kind)
    if isinstance(target, n.Read):
        return places
    return replace(_at_once(substitute(target, {root: places})), kind=kind)


def _at_once(place: n.Expr) -> n.Expr:
    """A place with as few subscripts as it takes: `x[i, j]` for `x[i][j]`.

    >>> x, i = n.Read(n.Variable("x"), kind=Array("int64", None)), n.Const(0, kind=INT)
    >>> _at_once(n.Subscript(n.Subscript(x, i), n.Const(1))).index.items
    (Const(value=0), Const(value=1))
    """
    if not isinstance(place, n.Subscript):
        return place
    inner = _at_once(place.value)
    if not isinstance(inner, n.Subscript) or gathers(place.index):
        return replace(place, value=inner)
    first, second = (
        e.items if isinstance(e, n.Display) and e.form == "tuple" else (e,) for e in (inner.index, place.index)
    )
    if not all(isinstance(e.kind, Scalar) and e.kind.dtype != "bool" for e in first):
        return replace(place, value=inner)  # a slice leaves its axis, of which the second subscript takes a part
    return replace(place, value=inner.value, index=n.Display("tuple", (*first, *second)))


def _flattened(value: n.Expr | None) -> n.Expr | None:
    """What an array is flattened or reshaped from, in the order in which it lies."""
    match value:
        case n.Call(func=n.Attribute(value=inner, name="ravel" | "flatten"), args=(), keywords=()):
            return inner
        case n.Call(func=n.Attribute(value=inner, name="reshape"), keywords=()):
            return inner
        case _:
            return value


def _places_kind(kind: Kind) -> Array:
    return Array("int64", kind.dims if isinstance(kind, Array) else ())


def _numbered(places: n.Read, array: n.Expr) -> n.Stmt:
    """The line that numbers the places of an array."""
    size, shape = n.Attribute(array, "size", kind=INT), n.Attribute(array, "shape", kind=Sequence(INT, tuple))
    counted_up = _call(np.arange, size, kind=_NUMBERS)
    flat = isinstance(places.kind, Array) and places.kind.dims is not None and len(places.kind.dims) == 1
    whole = counted_up if flat else n.Call(n.Attribute(counted_up, "reshape"), (shape,), kind=places.kind)
    return n.Assign(places.variable, whole)


def _array(numbers: n.Read, kind: Array) -> n.Expr:
    return _call(np.asarray, numbers, _dtype(kind.dtype or "float64"), kind=kind)


def _dtype(name: str) -> n.Expr:
    return n.Attribute(_NP, name, kind=Static(np.dtype(name).type))


def _call(function: Function[..., object], *args: n.Expr, kind: Kind) -> n.Expr:
    return n.Call(n.Attribute(_NP, function.__name__, kind=Static(function)), args, kind=kind)


def _span(stmt: n.Stmt) -> Span | None:
    return stmt.origin.span if stmt.origin else None
