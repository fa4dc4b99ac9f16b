"""Updates in place in forward mode: each is made on the tangent as well.

    u[i] = v              ->    u_dot[i] = v_dot; u[i] = v
    u += v                ->    u_dot += v_dot; u += v
    xs.append(v)          ->    xs_dot.append(v_dot); xs.append(v)

So whatever is updated has a tangent of its own throughout, zeros included, laid out in memory as it is itself: a view
of it has the same view of the tangent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from adcompile.analyses.memory.regions import holds_memory, is_view
from adcompile.analyses.partners import merged
from adcompile.analyses.typing.calls import resolve
from adcompile.analyses.typing.identity import changeable
from adcompile.analyses.typing.lattice import as_sequence, as_table
from adcompile.analyses.typing.targets import LibraryCall, MethodCall, Scope
from adcompile.differentiate.backward.list_buffers import lists_with_names, outermost
from adcompile.differentiate.linear.places import (
    Path,
    Place,
    at,
    field_of,
    in_lists,
    leaves,
    part_kind,
    place_of,
    rebuilt,
)
from adcompile.differentiate.linear.shapes import (
    changing_lists,
    kinds_in_target,
    unclear_memory,
    unclear_update,
    with_list_kind,
)
from adcompile.differentiate.normal.statement_rows import scales, tangent_after
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.algebra import number, simplify
from adcompile.ir.kinds import (
    FLOAT,
    Array,
    Kind,
    Never,
    Scalar,
    Sequence,
    Static,
    Struct,
    Table,
    Unknown,
    is_continuous,
    within,
)
from adcompile.ir.make import apply, len_of, ref, together
from adcompile.ir.quote import NO_TEXT
from adcompile.ir.walk import expressions, statements
from adcompile.runtime import helpers as runtime

# The methods that are called of tangents as they are of what these belong to.
_FOLLOWED = {"append", "extend", "insert", "pop", "clear", "__delitem__"}

if TYPE_CHECKING:
    from adcompile.analyses.memory.sharing import Sharing
    from adcompile.differentiate.linear.contributions import Rules


class TangentUpdates(ABC):
    """Adds the updates in place to the tangents of one function."""

    scope: Scope
    rules: Rules
    have: set[Place]
    kinds: dict[n.Variable, Kind]
    out: list[n.Stmt]
    bound: set[n.Variable]
    named: dict[int, tuple[n.Variable, n.Expr]]
    related: set[n.Variable]  # what may share memory with something that is updated
    dense: set[n.Variable]  # what of that varies at some time

    def start(self, body: list[n.Stmt], sharing: Sharing, ever: set[n.Variable]) -> None:
        """Find what is updated: `ever` are the variables that vary at some time."""
        related = set(sharing.changed) | sharing.entangled
        flows = [
            {v for v, k in kinds_in_target(s) if holds_memory(k)} | set(sharing.sources(e))
            for s in statements(body)
            for e in expressions(s)
            if isinstance(s, n.Assign | n.Unpack | n.For)
        ]
        every = merged(sharing.before.values())
        flows += [{v, *every.of((v,))} for v in every]
        while any(flow & related and not flow <= related for flow in flows):
            related |= set().union(*(flow for flow in flows if flow & related))
        self.sharing = sharing
        self.related = related
        self.dense = {v for v in related if v in ever}
        self.lists = changing_lists(body, self.scope.captured)
        if sharing.tied:
            named = lists_with_names(body, list(self.kinds.items()), sharing.entangled)
            self.lists = outermost(self.lists | named)
        for place in self.lists:
            kind = self.kinds.get(place[0])
            if kind is not None and not is_fixed(part_kind(kind, place[1])):
                self.kinds[place[0]] = with_list_kind(place, kind, body)

    @abstractmethod
    def of(self, expr: n.Expr) -> n.Expr:
        """The tangent of an atom."""

    @abstractmethod
    def tangent(self, place: Place) -> n.Variable:
        """The variable that holds the tangent of a place."""

    @abstractmethod
    def varies(self, expr: n.Expr) -> bool:
        """Whether an expression has a tangent that is not zero."""

    @abstractmethod
    def emit(self, stmt: n.Stmt, origin: n.Origin | None) -> None:
        """Append a line."""

    def place(self, expr: n.Expr) -> Place | None:
        """The place that an expression denotes; an item of a list that changes its length is none of its own."""
        found = place_of(expr)
        if found is None or any((found[0], found[1][:k]) in self.lists for k in range(len(found[1]))):
            return None
        return found

    def places(self, variable: n.Variable, kind: Kind) -> list[tuple[Place, Kind]]:
        """The places of a variable of a kind, a list that changes its length as one."""
        if (variable, ()) in self.lists and isinstance(kind, Struct | Sequence | Table):
            whole = kind if is_fixed(kind) else as_sequence(kind, "") or as_table(kind, "") or Sequence(FLOAT, list)
            return [((variable, ()), whole)]
        return [((variable, path), leaf) for path, leaf in self.parts((variable, ()), kind)]

    def structure_of(self, expr: n.Expr, place: Place) -> n.Expr:
        """The tangent of a structure, built from those of its places; a list in it is one thing under all its names."""

        def held(path: Path) -> n.Expr | None:
            here = (place[0], (*place[1], *path))
            known = here in self.lists and here in self.have
            return n.Read(self.tangent(here), kind=at(expr, path).kind) if known else None

        # without the original: integers in it are fixed, so their tangents are zero
        return rebuilt(expr.kind, (), lambda path, _kind: self.of(at(expr, path)), held=held)

    def parts(self, place: Place, kind: Kind) -> list[tuple[Path, Kind]]:
        """The ways from a place to the leaves below it; a list within it that changes its length is one leaf."""
        root, start = place
        within = [path[len(start) :] for v, path in self.lists if v is root and path[: len(start)] == start]
        lists = {path: inner for path in within if isinstance(inner := part_kind(kind, path), Struct | Sequence)}
        found = [(path, leaf) for path, leaf in leaves(kind) if not any(path[: len(p)] == p for p in lists)]
        return found + [
            (path, as_sequence(inner, "") or Sequence(Scalar("float64"), list)) for path, inner in lists.items()
        ]

    def is_beside(self, expr: n.Expr) -> bool:
        """Whether an expression is or holds a list, dict or object beside which there is one of tangents."""
        if not changeable(expr.kind):
            return False
        if (place := self.place(expr)) is not None:
            below = {p for p in self.lists & self.have if p[0] is place[0]}
            return any(path[: len(place[1])] == place[1] for _, path in below)
        match expr:
            case n.Display(items=items):
                return any(map(self.is_beside, items))
            case n.Mapping(entries=entries):
                return any(self.is_beside(value) for _, value in entries)
            case n.Conditional(then=then, orelse=orelse):
                return self.is_beside(then) or self.is_beside(orelse)
            case n.Starred(value=value) | n.Subscript(value=value) | n.Attribute(value=value):
                return self.is_beside(value)
            case _:
                return False

    def entry_tangents(self, params: list[tuple[n.Variable, Kind]]) -> None:
        """Give the parameters that are updated tangents of their own."""
        for variable, kind in params:
            if variable not in self.dense:
                continue
            for place, leaf in self.places(variable, kind):
                if isinstance(leaf, Scalar):
                    continue
                read = at(n.Read(variable, kind=kind), place[1])
                below = len(place[1])
                given_apart = {p for p in self.have if p[0] is variable and p[1][:below] == place[1]} - {place}
                if given_apart:
                    own = rebuilt(read.kind, place[1], partial(self.own_part, n.Read(variable, kind=kind)))
                    self.emit(n.Assign(self.tangent(place), own), None)
                    self.have = self.have - given_apart | {place}
                elif place in self.have:
                    given = n.Read(self.tangent(place), kind=leaf)
                    own = apply(runtime.own_tangent, given, read, kind=leaf)
                    self.emit(n.Assign(self.tangent(place), own), None)
                else:
                    self.emit(n.Assign(self.tangent(place), self.zero_object(read)), None)
                    self.have.add(place)

    def own_part(self, whole: n.Read, path: Path, _kind: Kind) -> n.Expr:
        """The tangent that is given of a part of a parameter, as one of its own."""
        place, read = (whole.variable, path), at(whole, path)
        if place not in self.have:
            return self.zero_object(read)
        given = n.Read(self.tangent(place), kind=read.kind)
        return given if isinstance(read.kind, Scalar) else apply(runtime.own_tangent, given, read, kind=read.kind)

    def share(self, variable: n.Variable, value: n.Expr, origin: n.Origin | None) -> None:
        """Give another name of a list that holds nothing that varies yet the list of its tangents as well."""
        if isinstance(value, n.Call) and variable in self.dense and any(map(changeable, within(value.kind)[1:])):
            given = (value.func.value, *value.args) if isinstance(value.func, n.Attribute) else value.args
            if any(map(self.is_beside, given)):
                raise UnsupportedError(
                    "cannot differentiate a copy of what holds lists or dicts that are filled later",
                    span=value.span,
                    reason="What the copy holds is the same, and has no tangents yet.",
                    remedy="Fill them before, or go over the places of the first.",
                )
        source = self.place(value)
        if source in self.have and source is not None and {source, (variable, ())} <= self.lists:
            self.emit(n.Assign(self.tangent((variable, ())), n.Read(self.tangent(source), kind=value.kind)), origin)
            self.have.add((variable, ()))

    def fill(self, variable: n.Variable, kind: Kind, origin: n.Origin | None) -> None:
        """Zeros for the tangents of what is updated later and does not vary yet."""
        if variable not in self.dense:
            return
        for place, leaf in self.places(variable, kind):
            if place in self.have or isinstance(leaf, Scalar):
                continue
            self.emit(n.Assign(self.tangent(place), self.zero_like(n.Read(variable, kind=kind), place)), origin)
            self.have.add(place)

    def zero_like(self, whole: n.Expr, place: Place) -> n.Expr:
        """A zero like a place of a variable."""
        like = at(whole, place[1])
        if isinstance(like.kind, Struct) and like.kind.form == "list" and not like.kind.items:
            return n.Display("list", (), kind=like.kind)
        kinds = within(like.kind)
        empty = isinstance(like.kind, Table) and isinstance(like.kind.key, Never)
        alike = not empty and any(isinstance(kind, Array) or changeable(kind) for kind in kinds[1:])
        if alike and not any(map(_is_object, kinds)):
            return apply(runtime.zeros_alike, like, kind=like.kind)  # which of them are one array or list stays so
        return self.zero_object(like)

    def zero_object(self, like: n.Expr) -> n.Expr:
        """A zero like a value; the tangent of an object in a list, or of one with several names, is an object."""
        match like.kind:
            case Table(key=Never(), item=Sequence(item=Never()), cls=cls) if cls is not dict:
                return apply(cls, ref(list), kind=like.kind)  # there is nothing in it so far
        if is_fixed(like.kind) or (isinstance(like.kind, Struct) and any(map(_is_object, within(like.kind)))):
            return rebuilt(like.kind, (), lambda path, _kind: self.zero_object(at(like, path)))
        item = like.kind.item if isinstance(like.kind, Sequence) else None
        if item is None or not _is_object(item):
            return self.rules.zero(like)
        each = n.Read(n.Variable("item", n.Role.TEMPORARY), kind=item)
        made = rebuilt(item, (), lambda path, _kind: self.zero_object(at(each, path)))
        return n.Comprehension("list", made, (n.Clause(each, like),), NO_TEXT, kind=like.kind)

    def handed_out(self, value: n.Expr) -> n.Expr:
        """The tangent of what is returned, in which a list of objects has lists of their parts, as their zeros are."""
        return in_lists(self.of(value)) if self.varies(value) else self.of(value)

    # ------------------------------------------------------------------------------------------------------ statements

    def dot_of(self, value: n.Expr, kind: Kind) -> n.Expr:
        """The tangent of a value that is put into something; a plain zero for what does not vary."""
        if self.varies(value):
            return self.of(value)
        if isinstance(kind, Scalar | Array) and not isinstance(value.kind, Sequence | Struct):
            return number(0.0)
        return self.zero_object(value)

    def target(self, expr: n.Expr) -> n.Expr | None:
        """The part of a tangent that corresponds to the target of an update; None where there is no tangent."""
        place = self.place(expr)
        if place is not None:
            return n.Read(self.tangent(place), kind=expr.kind) if place in self.have else None
        match expr:
            case n.Subscript(value=value) | n.Attribute(value=value):
                inner = self.target(value)
                base = self.place(value) if inner is None else None
                if base is not None and any(v is base[0] and path[: len(base[1])] == base[1] for v, path in self.have):
                    raise unclear_update(expr.span)  # of parts that vary, one that only the run decides
                return None if inner is None else replace(expr, value=inner)
            case _:
                return None

    def store(self, stmt: n.Store) -> None:
        """`target = value` on the tangent too."""
        place = field_of(stmt.target, self.place, self.lists)
        if place is not None:
            self.store_field(place, stmt)
            return
        dot = self.target(stmt.target)
        match stmt.target:
            case n.Attribute(value=n.Expr(kind=Array()) as array) if not is_view(stmt.target) and self.varies(array):
                raise self.unclear(stmt)  # of `x.shape = ...` the tangent keeps its own
        if dot is None:
            self.require_still(stmt.value, stmt)
        else:
            holder = stmt.target.value if isinstance(stmt.target, n.Subscript | n.Attribute) else None
            in_list = holder is not None and not isinstance(holder.kind, Array)
            several = isinstance(stmt.target, n.Subscript) and isinstance(stmt.target.index, n.Slice)
            value = self.dot_of(stmt.value, stmt.target.kind)
            if in_list and not self.varies(stmt.value):
                kind = stmt.value.kind
                alike = is_continuous(kind) or isinstance(kind, Array | Struct | Sequence) or changeable(kind)
                value = self.zero_object(stmt.value) if several or alike else number(0.0)
                if several and not is_continuous(stmt.value.kind):
                    zeros = together(number(0.0), form="list")
                    value = n.Binary("*", zeros, len_of(stmt.value), kind=Sequence(FLOAT, list))
            if isinstance(stmt.target, n.Subscript):
                value = self.rules.through(value, stmt.target.value)
            if in_list or self.varies(stmt.value) or is_continuous(stmt.target.kind):
                self.emit(n.Store(dot, value), stmt.origin)
            if (held := self.named.get(id(stmt.value))) is not None:  # it was made for its tangent already
                stmt = replace(stmt, value=n.Read(held[0], kind=stmt.value.kind, span=stmt.value.span))
        self.out.append(stmt)

    def store_field(self, place: Place, stmt: n.Store) -> None:
        """Set the tangents of a place within a structure."""
        variable, path = place
        below = {p for p in self.have if p[0] is variable and p[1][: len(path)] == path}
        self.out.append(stmt)
        if self.varies(stmt.value):
            for inner, _ in self.parts(place, stmt.value.kind):
                part = at(stmt.value, inner)
                if self.varies(part):
                    here = (variable, (*path, *inner))
                    self.emit(n.Assign(self.tangent(here), self.of(part)), stmt.origin)
                    below.discard(here)
                    self.have.add(here)
        self.have -= below
        whole = [((), kind)] if isinstance(kind := stmt.value.kind, Array) else self.parts(place, kind)
        for inner, leaf in whole if variable in self.dense else ():
            here = (variable, (*path, *inner))
            if not isinstance(leaf, Scalar) and here not in self.have:
                self.emit(n.Assign(self.tangent(here), self.rules.zero(at(stmt.target, inner))), stmt.origin)
                self.have.add(here)

    def augment(self, stmt: n.Augment) -> None:
        """`target op= value` on the tangent too."""
        if isinstance(stmt.target.kind, Unknown) and not isinstance(stmt.value.kind, Scalar):
            self.require_still(stmt.value, stmt)  # it may be a list, which gets longer
        place = None if isinstance(stmt.target, n.Read) else field_of(stmt.target, self.place, self.lists)
        if place is not None and isinstance(stmt.target.kind, Scalar):
            if place not in self.have:
                if not self.varies(stmt.value):
                    self.out.append(stmt)
                    return
                self.have.add(place)
                if stmt.op in "+-":
                    change = self.of(stmt.value) if stmt.op == "+" else n.Unary("-", self.of(stmt.value))
                    self.emit(n.Assign(self.tangent(place), simplify(self.rules.typer(change))), stmt.origin)
                    self.out.append(stmt)
                    return
                self.emit(n.Assign(self.tangent(place), number(0.0)), stmt.origin)
            dot: n.Expr | None = n.Read(self.tangent(place), kind=stmt.target.kind)
        else:
            dot = self.target(stmt.target)
        if dot is None:
            self.require_still(stmt.value, stmt)
        elif isinstance(stmt.target.kind, Sequence | Struct):
            self.emit(n.Augment(dot, stmt.op, self.items_of(stmt.value)), stmt.origin)
        elif scales(stmt.op):
            if self.varies(stmt.value) and stmt.old is not None:
                whole = tangent_after(stmt.op, dot, stmt.value, self.of(stmt.value), stmt.old)
                into = dot
                held = not isinstance(dot, n.Subscript | n.Attribute) or not isinstance(dot.value.kind, Array)
                if held and isinstance(stmt.target.kind, Array):  # a name or a list holds it: others may as well
                    into = n.Subscript(dot, n.Const(..., kind=Static(...)), kind=dot.kind)
                new = self.rules.typer(whole)
                if isinstance(into, n.Read):
                    self.emit(n.Assign(into.variable, new), stmt.origin)
                else:
                    self.emit(n.Store(into, new), stmt.origin)
            else:
                self.emit(n.Augment(dot, stmt.op, stmt.value), stmt.origin)
        elif self.varies(stmt.value):
            into = stmt.target.value if isinstance(stmt.target, n.Subscript) else stmt.target
            self.emit(n.Augment(dot, stmt.op, self.rules.through(self.of(stmt.value), into)), stmt.origin)
        self.out.append(stmt)

    def items_of(self, value: n.Expr) -> n.Expr:
        """The tangent of an item, or those of items, that are added to a list."""
        return self.of(value) if self.varies(value) else self.zero_object(value)

    def effect(self, stmt: n.Evaluate) -> None:
        """A call that changes its receiver or its first argument, made on the tangent too."""
        if isinstance(stmt.value, n.Call) and stmt in self.sharing.touched:
            call = stmt.value
            match resolve(call, self.scope):
                case MethodCall(receiver=receiver, name=name, args=args) if isinstance(call.func, n.Attribute):
                    dot = self.target(receiver)
                    if dot is None:
                        for e in (*args, *(value for _, value in call.keywords)):
                            self.require_still(e, stmt)
                    elif name not in _FOLLOWED:
                        raise self.unclear(stmt)
                    else:
                        dots = list(args)
                        if name in ("append", "extend"):
                            dots = [self.items_of(args[0])]
                        elif name == "insert":
                            dots = [args[0], self.items_of(args[1])]
                        changed = replace(call, func=replace(call.func, value=dot), args=tuple(dots))
                        self.emit(n.Evaluate(changed), stmt.origin)
                case LibraryCall(args=(into, index, value)):
                    dot = self.target(into)
                    if dot is None:
                        self.require_still(value, stmt)
                    elif self.varies(value):
                        self.emit(n.Evaluate(replace(call, args=(dot, index, self.of(value)))), stmt.origin)
                case _:  # a method of what is not known, say
                    for e in (*call.args, *(value for _, value in call.keywords)):
                        self.require_still(e, stmt)
        self.out.append(stmt)

    def popped(self, stmt: n.Assign, call: n.Call) -> None:
        """`v = xs.pop()` on the tangent too."""
        if not isinstance(call.func, n.Attribute) or isinstance(call.func.kind, Static):
            raise self.unclear(stmt)
        dot = self.target(call.func.value)
        self.have = {p for p in self.have if p[0] is not stmt.target}
        if dot is not None:
            taken = replace(call, func=replace(call.func, value=dot))
            if isinstance(call.kind, Struct) and (stmt.target, ()) not in self.lists:
                held = n.Variable("dots", n.Role.RESULT)
                self.emit(n.Assign(held, taken), stmt.origin)
                for path, leaf in leaves(call.kind):
                    part = at(n.Read(held, kind=call.kind), path)
                    self.emit(n.Assign(self.tangent((stmt.target, path)), replace(part, kind=leaf)), stmt.origin)
                    self.have.add((stmt.target, path))
            else:
                self.emit(n.Assign(self.tangent((stmt.target, ())), taken), stmt.origin)
                self.have.add((stmt.target, ()))
        self.out.append(stmt)

    def require_still(self, value: n.Expr, stmt: n.Stmt) -> None:
        """Refuse to lose the tangent of a value that goes where none is kept."""
        filled = isinstance(value, n.Subscript) and isinstance(value.index, n.Const) and isinstance(value.kind, Never)
        if self.varies(value) or filled:  # an item that a list got under another name
            raise self.unclear(stmt)

    def unclear(self, stmt: n.Stmt) -> UnsupportedError:
        """The refusal of an update that cannot be followed."""
        return unclear_update(stmt.span)

    def own_memory(self, target: n.Variable, value: n.Expr, *, followed: bool) -> None:
        """Refuse a value that may share memory with something updated, where its tangent would not share likewise."""
        shared = target in self.related and is_continuous(value.kind) and self.sharing.sources(value) & self.dense
        if shared and not followed:
            raise unclear_memory(value.span)


def _is_object(kind: Kind) -> bool:
    return isinstance(kind, Struct) and kind.form == "record"


def is_fixed(kind: Kind | None) -> bool:
    """Whether a value is an object, or a dict with known keys."""
    return isinstance(kind, Struct) and kind.form in ("dict", "record")
