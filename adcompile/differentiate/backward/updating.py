"""Backward lines of updates in place.

The adjoint of something that is updated is a buffer of the same shape. Going back through an update, what the buffer
holds at that place belongs to the value that was put there, and the place itself did not matter before:

    u[i] = v              ->    v_bar += u_bar[i]; u_bar[i] = 0.0
    u[i] += v             ->    v_bar += u_bar[i]
    u[i] *= 2.0           ->    u_bar[i] *= 2.0
    xs.append(v)          ->    v_bar += xs_bar.pop()
    v = xs.pop()          ->    xs_bar.append(v_bar)
"""

from __future__ import annotations

from abc import ABC
from dataclasses import replace

import numpy as np

from adcompile.analyses.memory.regions import is_view
from adcompile.analyses.steep import is_single
from adcompile.analyses.typing.calls import resolve
from adcompile.analyses.typing.lattice import as_sequence
from adcompile.analyses.typing.targets import LibraryCall, MethodCall
from adcompile.analyses.varied import varies
from adcompile.differentiate.backward.exceptions import Exceptions
from adcompile.differentiate.backward.new_lists import check_new_list
from adcompile.differentiate.desugar.mappings import is_dict
from adcompile.differentiate.linear.places import (
    Path,
    Place,
    as_held,
    as_item,
    at,
    field_of,
    is_constant_part,
    leaves,
    loose,
    part_in_list,
    part_kind,
)
from adcompile.differentiate.linear.selection import UNCLEAR, WHOLE, Reach, partly
from adcompile.differentiate.linear.shapes import as_argument, gathers, may_be_empty, unclear_update
from adcompile.differentiate.normal.targets import base_of_place
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.indices import literal_key
from adcompile.ir.kinds import (
    BOOL,
    FLOAT,
    INT,
    Array,
    Kind,
    Scalar,
    Sequence,
    Static,
    Struct,
    Table,
    item_of,
    same_shape,
)
from adcompile.ir.make import apply, len_of, method, ref
from adcompile.ir.walk import reads, walk
from adcompile.runtime import helpers as runtime


class Updating(Exceptions, ABC):
    """Adds the updates in place to the backward sweep."""

    def buffer(self, base: n.Expr) -> n.Expr | None:
        """The adjoint of an array or list (in versions) as a buffer that may be changed; None where it is zero."""
        place = self.owner(base)
        if self.buffered(place, base.kind):
            return self.pointer(place, base.kind)
        entry = self.state.get(place)
        if entry is None:
            return None
        if entry.literal is not None or not entry.owned:
            self.had_to_copy[place] = base.kind
            self.set(place, self.copied(self.read(place, base.kind), base.kind), base.kind)
            self.state[place] = replace(self.state[place], owned=True, reach=entry.reach)
        return self.read(place, base.kind)

    def owner(self, base: n.Expr) -> Place:
        """The place whose adjoint the adjoint of an array or list is."""
        found = self.place(base)
        if found is None:
            raise TypeError
        return found

    def chain(self, target: n.Expr) -> tuple[n.Expr, list[n.Expr]]:
        """A target as what it is a part of, and the reads that lead from there to it, outermost last."""
        links: list[n.Expr] = []
        base = target
        while self.place(base) is None or base is target:
            if not isinstance(base, n.Subscript | n.Attribute):
                raise self.cannot_update(target)
            links.insert(0, as_item(base))
            base = base.value
        if not isinstance(base.kind, Array | Sequence | Table) and self.place(base) not in self.lists:
            raise self.cannot_update(target)
        for link in links:
            if isinstance(link, n.Attribute) and not is_view(link):
                raise self.cannot_update(target)
        return base, links

    def cannot_update(self, target: n.Expr) -> UnsupportedError:
        """The refusal of an update that cannot be followed."""
        return unclear_update(target.span or (self.origin.span if self.origin else None))

    def part_of_buffer(self, buffer: n.Expr, links: list[n.Expr]) -> n.Expr:
        """The part of a buffer that corresponds to a part of the array."""
        for link in links:
            match link:
                case n.Subscript():
                    buffer = n.Subscript(buffer, link.index, kind=loose(link.kind))
                case n.Attribute(name=name):
                    buffer = n.Attribute(buffer, name, kind=link.kind)
        return buffer

    # ------------------------------------------------------------------------------------------------------ assignments

    def store(self, stmt: n.Store) -> None:
        """Backward lines of `target = value`."""
        is_new = check_new_list(stmt, self.body)
        target, value = self.past(stmt.target, stmt), self.past(stmt.value, stmt)
        moving = varies(stmt.value, self.activity.before[stmt], self.scope)
        field = field_of(target, self.place, self.lists)
        if field is not None:
            self.store_field(field, value, stmt, moving=moving)
            return
        still = not moving and not varies(base_of_place(stmt.target), self.activity.before[stmt], self.scope)
        if still and not self.resizes(target):
            return
        inside = as_item(target)
        if not isinstance(inside, n.Subscript):
            raise self.cannot_update(target)
        base, links = self.chain(target)
        place = self.owner(base)
        if len(links) == 1 and _is_whole(inside.index) and place not in self.mirror.buffers:
            if place in self.state:
                self.store_whole(base, self.read(place, base.kind), value, stmt, moving=moving)
            return
        buffer = self.buffer(base)
        if buffer is None:
            return
        item = self.part_of_buffer(buffer, links)
        if isinstance(inside.index, n.Slice) and isinstance(inside.value.kind, Sequence | Struct):
            self.store_slice(item, inside, value, stmt, moving=moving)
            return

        def clear() -> None:
            if not is_new:
                self.emit(n.Store(item, self.nothing(target, item)))

        before = self.state[place].reach if place in self.state else UNCLEAR
        self.reach(place, self.overwritten(place, base, links, before))
        if not moving:
            clear()
            return
        taken = self.taken(item, target)
        if _may_be_cleared_to_a_number(target, value.kind):
            taken = apply(runtime.owned_like, item, value, kind=item.kind)
        held: n.Expr = self.stored(taken, links, before)
        if self.shares(value, base):  # what is put there comes out of the same memory
            held = self.set_apart(held, target)
            clear()
            self.contribute(value, self.fitted(held, base, value, self.reach_of(held)), stmt)
        else:
            self.contribute(value, self.fitted(held, base, value, self.reach_of(held)), stmt)
            clear()

    def store_slice(self, item: n.Expr, target: n.Subscript, value: n.Expr, stmt: n.Stmt, *, moving: bool) -> None:
        """Backward lines of `xs[a:b] = value`, which may change the length of the list."""
        if not isinstance(item, n.Subscript) or not _of_numbers(target.kind) or not _of_numbers(value.kind):
            raise self.cannot_update(target)
        count = len_of(value)
        old = replace(target, kind=as_sequence(target.kind, "") or target.kind)
        helper = ref(runtime.slice_taken)
        args = (item.value, as_argument(target.index), old, count)
        taken = n.Call(helper, args, kind=Sequence(Scalar("float64"), list))
        if moving:
            self.hand_out(taken, value, stmt)
        else:
            self.emit(n.Evaluate(taken))

    def taken(self, item: n.Expr, target: n.Expr) -> n.Expr:
        """What a buffer holds at a place, free of the buffer."""
        if isinstance(target, n.Subscript) and gathers(target.index):
            # of several values put in one place the last one counts
            whole = item.value if isinstance(item, n.Subscript) else item
            args = (whole, as_argument(target.index))
            return apply(runtime.taken_last, *args, kind=item.kind)
        return self.copied(item, item.kind) if isinstance(item.kind, Array) else item

    def shares(self, value: n.Expr, base: n.Expr) -> bool:
        """Whether a value has its adjoint in the same memory as what it is put into."""
        own = self.owner(base)
        mirrored = {p[0] for p in self.mirror.buffers} if own in self.mirror.buffers else set()
        return any(self.original(v) is own[0] or self.original(v) in mirrored for v in reads(value))

    def set_apart(self, item: n.Expr, target: n.Expr) -> n.Expr:
        """Give an adjoint a name before its place is cleared."""
        base = base_of_place(target)
        name = self.original(base.variable).name if isinstance(base, n.Read) else "value"
        aside = n.Variable(name, n.Role.ADJOINT, of=n.Variable(name, n.Role.TEMPORARY))
        self.emit(n.Assign(aside, item))
        return n.Read(aside, kind=item.kind)

    def fitted(self, item: n.Expr, base: n.Expr, value: n.Expr, reach: Reach) -> n.Expr:
        """What a place of `base` holds, in the shape and type of the value put there, and where that counts."""
        item = self.rules.through(item, base)
        if not isinstance(value.kind, Scalar | Array):
            return self.noted(item, reach)
        if reach.whole and isinstance(item.kind, Array) and is_single(value.kind) and may_be_empty(item.kind):
            reach = self.put_somewhere(item, reach)
        known = reach.mask is None or is_single(reach.mask.kind) or same_shape(reach.mask.kind, item.kind)
        fits = self.rules.selecting.fitted(reach if known else reach.blurred, value, item)
        return self.noted(self.rules.fit(item, value, item.kind, elementwise=True), fits)

    def put_somewhere(self, item: n.Expr, reach: Reach) -> Reach:
        """The reach of one number that is put into all places that an index picks: there may be none."""
        if reach.fixed:
            return partly(fixed=True)
        kept = self.new_mask()
        size = apply(np.size, item, kind=INT)
        self.emit(n.Assign(kept, n.Compare((">",), (size, n.Const(0, kind=INT)), kind=BOOL)))
        return partly(n.Read(kept, kind=BOOL), fixed=False)

    def nothing(self, target: n.Expr, item: n.Expr) -> n.Expr:
        """What a place holds that does not matter, where the buffer has an item: zero."""
        if not isinstance(target, n.Subscript):
            return self.rules.zero(target)
        if isinstance(target.value.kind, Table | Sequence) and _is_of_given_shape(target.value.kind.item):
            return apply(np.zeros_like, item, kind=item.kind)
        if isinstance(target.value.kind, Table):
            return _no_number(target.value.kind.item)
        if is_dict(target.value.kind):
            return n.Const(0.0, kind=Scalar("float64"))
        known, key = literal_key(target.index)
        before = target.value.kind.item(key) if known and isinstance(target.value.kind, Struct) else None
        if isinstance(before, Array | Sequence | Struct):
            return self.rules.zero(replace(target, kind=before))
        if isinstance(target.kind, Sequence | Struct) or (
            isinstance(target.kind, Array) and isinstance(target.value.kind, Sequence)
        ):
            return self.rules.zero(target)
        return n.Const(0.0, kind=Scalar("float64"))

    def store_whole(self, base: n.Expr, buffer: n.Expr, value: n.Expr, stmt: n.Stmt, *, moving: bool) -> None:
        """`u[...] = value`: everything that `u` was before is gone."""
        place = self.owner(base)
        if moving:
            held = self.noted(buffer, self.reach_of(buffer))
            if any(self.original(v) is place[0] for v in reads(value)):
                held = self.set_apart(buffer, base)
            self.state.pop(place)
            if isinstance(base.kind, Sequence) and isinstance(value.kind, Array):
                held = apply(np.array, held, kind=value.kind)
            self.contribute(value, self.fitted(held, base, value, self.reach_of(held)), stmt)
        else:
            self.state.pop(place, None)

    # ------------------------------------------------------------------------------------------- fields of structures

    def store_field(self, place: Place, value: n.Expr, stmt: n.Stmt, *, moving: bool) -> None:
        """Backward lines of setting one place of a structure: its adjoint goes to the value, as for a variable."""
        incoming = self.take_field(place, value.kind)
        for path, leaf in leaves(value.kind):
            whole = (place[0], (*place[1], *path))
            if (stmt, whole) in self.mirror.fresh:
                incoming[path] = self.pointer(whole, leaf, after=True)
        if not moving:
            return
        for path, g in incoming.items():
            self.contribute(at(value, path), g, stmt)

    def take_field(self, place: Place, kind: Kind) -> dict[Path, n.Expr]:
        """The adjoints of the places below a place that is being set; before that they are zero."""
        variable, prefix = place
        found: dict[Path, n.Expr] = {}
        for path, leaf in leaves(kind):
            entry = self.state.pop((variable, (*prefix, *path)), None)
            if entry is not None:
                adjoint = self.adjoint((variable, (*prefix, *path)))
                held = entry.literal or n.Read(adjoint, kind=as_held(leaf, entry.kind))
                found[path] = self.noted(replace(held), entry.reach)
        for other in [p for p in self.state if p[0] is variable and p[1][: len(prefix)] == prefix]:
            if other in self.lists:  # known item by item here, and as a list of unknown length elsewhere
                under = [((*prefix, *path), leaf) for path, leaf in leaves(kind)]
                below = [(p, leaf) for p, leaf in under if p[: len(other[1])] == other[1]]
                items = self.items_of_list(other, part_kind(kind, other[1][len(prefix) :]), below)
                found |= {path[len(prefix) :]: item for path, item in items.items()}
                del self.state[other]
                continue
            if is_constant_part(kind, other[1][len(prefix) :]):
                del self.state[other]
                continue
            raise UnsupportedError(
                f"cannot differentiate `{variable.name}`, whose structure changes",
                span=self.origin.span if self.origin else None,
                reason=f"Its part {other[1]!r} has other parts, or another length, at another time.",
                remedy="Give the differently built values different names.",
            )
        return found

    # ---------------------------------------------------------------------------------------------- calls that change

    def effect(self, stmt: n.Evaluate) -> None:
        """Backward lines of a call that changes its receiver or its first argument."""
        if not isinstance(stmt.value, n.Call):
            return
        before = self.activity.before[stmt]
        call = self.past(stmt.value, stmt)
        if not isinstance(call, n.Call):
            raise TypeError
        match resolve(call, self.scope):
            case MethodCall(receiver=receiver, name=name, args=args) if isinstance(receiver.kind, Sequence | Struct):
                original = stmt.value.func.value if isinstance(stmt.value.func, n.Attribute) else receiver
                moving = any(varies(e, before, self.scope) for e in stmt.value.args)
                if moving or varies(original, before, self.scope) or self.has_adjoint(receiver):
                    self.list_method(receiver, name, args, stmt, moving=moving)
            case LibraryCall(function=function, args=(into, index, value)) if getattr(function, "__name__", "") == "at":
                if varies(stmt.value.args[2], before, self.scope):
                    self.added_at(into, index, value, stmt, minus=function.__self__ is np.subtract)
            case _:
                self.require_still(stmt)

    def require_still(self, stmt: n.Stmt) -> None:
        """Refuse a statement that changes what varies in a way that is not known."""
        touched = self.sharing.touched.get(stmt, frozenset())
        later = self.activity.after_of(stmt)
        if touched & self.activity.before[stmt] or touched & later or any(p[0] in touched for p in self.state):
            raise self.cannot_update(n.Const(None))

    def has_adjoint(self, expr: n.Expr) -> bool:
        """Whether anything of a container has an adjoint so far."""
        place = self.place(expr)
        return place is not None and place in self.state

    def resizes(self, target: n.Expr) -> bool:
        """Whether a store makes a list longer or shorter, and its adjoint with it."""
        match target:
            case n.Subscript(value=n.Expr(kind=Sequence() | Struct()), index=n.Slice()):
                return self.has_adjoint(base_of_place(target))
            case _:
                return False

    def added_at(self, into: n.Expr, index: n.Expr, value: n.Expr, stmt: n.Stmt, *, minus: bool) -> None:
        """`np.add.at(u, index, v)`: every addition counts."""
        base, links = self.chain(n.Subscript(into, index, kind=Array(None, None)))
        buffer = self.buffer(base)
        if buffer is None:
            return
        item = self.part_of_buffer(buffer, links)
        item = self.rules.typer(item)
        g = simplify(self.rules.typer(n.Unary("-", item, kind=item.kind))) if minus else item
        if isinstance(value.kind, Scalar):
            g = self.rules.call(np.sum, g)
        self.contribute(value, self.fitted(g, base, value, self.reach_of(g)), stmt)

    def list_method(self, receiver: n.Expr, name: str, args: tuple[n.Expr, ...], stmt: n.Stmt, *, moving: bool) -> None:
        """Backward lines of a list method that returns nothing of interest."""
        base, links = (receiver, []) if self.place(receiver) is not None else self.chain(receiver)
        match name, args:
            case "append", (value,):
                self.removed(base, links, value, (), stmt, moving=moving)
            case "insert", (index, value):
                self.removed(base, links, value, (index,), stmt, moving=moving)
            case "extend", (value,):
                self.extended(base, links, value, stmt, moving=moving)
            case "clear", ():
                if not links:
                    self.state.pop(self.owner(base), None)
                else:
                    raise self.cannot_update(receiver)
            case "pop", _:
                self.put_back(base, links, self.item_zero(receiver, args, stmt), args, stmt)
            case "__delitem__", _ if is_dict(receiver.kind):
                pass  # a key that is gone has no adjoint
            case _:
                raise self.cannot_update(receiver)

    def removed(
        self, base: n.Expr, links: list[n.Expr], value: n.Expr, index: tuple[n.Expr, ...], stmt: n.Stmt, *, moving: bool
    ) -> None:
        """Take the adjoint of an item that was added off the list's, for the value."""
        buffer = self.buffer(base)
        if buffer is None:
            return
        whole = self.part_of_buffer(buffer, links)
        literal = not index or (isinstance(index[0], n.Const) and index[0].value == 0)
        kind = as_held(value.kind, item_of(whole.kind))
        taken: n.Expr = (
            n.Call(method(whole, "pop"), index, kind=kind)
            if literal
            else apply(runtime.uninserted, whole, *index, kind=kind)
        )
        if not moving:
            self.emit(n.Evaluate(taken))
            return
        aside = n.Variable("item", n.Role.ADJOINT, of=n.Variable(_named(value, self), n.Role.TEMPORARY))
        self.emit(n.Assign(aside, taken))
        held = n.Read(aside, kind=kind)
        if isinstance(value.kind, Struct):
            for path, leaf in leaves(value.kind):
                self.contribute(at(value, path), replace(part_in_list(held, value.kind, path), kind=loose(leaf)), stmt)
            return
        self.contribute(value, held, stmt)

    def extended(self, base: n.Expr, links: list[n.Expr], value: n.Expr, stmt: n.Stmt, *, moving: bool) -> None:
        """`xs.extend(value)`: the last items of the adjoint are the value's."""
        buffer = self.buffer(base)
        if buffer is None:
            return
        count = len_of(value)
        whole = self.part_of_buffer(buffer, links)
        taken = apply(runtime.split_off, whole, count, kind=Sequence(item_of(whole.kind)))
        if not moving:
            self.emit(n.Evaluate(taken))
            return
        self.hand_out(taken, value, stmt)

    def hand_out(self, taken: n.Expr, value: n.Expr, stmt: n.Stmt) -> None:
        """Contribute a list of adjoints to the items of a value."""
        aside = n.Variable("items", n.Role.ADJOINT, of=n.Variable(_named(value, self), n.Role.TEMPORARY))
        self.emit(n.Assign(aside, taken))
        held: n.Expr = n.Read(aside, kind=taken.kind)
        if isinstance(value.kind, Array):
            held = apply(np.array, held, kind=value.kind)
        if isinstance(value.kind, Struct):
            for path, leaf in leaves(value.kind):
                item = part_in_list(n.Read(aside, kind=taken.kind), value.kind, path)
                self.contribute(at(value, path), replace(item, kind=loose(leaf)), stmt)
            return
        self.contribute(value, held, stmt)

    def popped(self, value: n.Call, incoming: dict[Path, n.Expr], stmt: n.Assign) -> None:
        """Backward lines of `v = xs.pop()`: the adjoint of `v` goes back where `v` was."""
        call = self.past(value, stmt)
        if not isinstance(call, n.Call) or not isinstance(call.func, n.Attribute):
            raise TypeError
        receiver = call.func.value
        base, links = (receiver, []) if self.place(receiver) is not None else self.chain(receiver)
        if not incoming and not self.has_adjoint(base):
            return
        zero = self.item_zero(receiver, call.args, stmt)
        if isinstance(value.kind, Struct):
            given: n.Expr = self.rules.zero(replace(self.after(stmt), kind=value.kind))
            if incoming:
                parts = [self.assembled(incoming, (k,), at(self.after(stmt), (k,))) for k in value.kind.keys]
                given = n.Display("list", tuple(parts), kind=value.kind)
        else:
            given = incoming.get((), zero)
        self.put_back(base, links, given, call.args, stmt)

    def after(self, stmt: n.Assign) -> n.Expr:
        """What an assignment sets its target to."""
        return n.Read(self.versions.after[stmt][stmt.target], kind=stmt.value.kind)

    def item_zero(self, receiver: n.Expr, args: tuple[n.Expr, ...], stmt: n.Stmt) -> n.Expr:
        """A zero like the item that a `pop` takes."""
        if isinstance(stmt, n.Assign):
            return self.rules.zero(self.after(stmt))
        index = args[0] if args else n.Const(-1, kind=INT)
        whole = as_sequence(receiver.kind, "popped")
        return self.rules.zero(n.Subscript(receiver, index, kind=FLOAT if whole is None else whole.item))

    def put_back(self, base: n.Expr, links: list[n.Expr], g: n.Expr, args: tuple[n.Expr, ...], stmt: n.Stmt) -> None:
        """Put an adjoint where the item was that a `pop` took."""
        place = self.owner(base)
        if place not in self.state:
            whole_kind = base.kind if not place[1] else self.kinds.get(place[0], base.kind)
            later = self.in_env(n.Read(place[0], kind=whole_kind), self.versions.after[stmt])
            item = later if not place[1] else replace(at(later, place[1]), kind=base.kind)
            self.set(place, self.rules.zero(item), item.kind)
            self.state[place] = replace(self.state[place], owned=True, reach=WHOLE)
        buffer = self.buffer(base)
        if buffer is None:
            raise TypeError
        whole = self.part_of_buffer(buffer, links)
        if isinstance(g.kind, Array | Sequence):
            g = self.copied(g, g.kind)
        if not args or (isinstance(args[0], n.Const) and args[0].value == -1):
            self.emit(n.Evaluate(n.Call(method(whole, "append"), (g,), kind=Static(None))))
        elif isinstance(args[0], n.Const) and args[0].value >= 0:
            self.emit(n.Evaluate(n.Call(method(whole, "insert"), (args[0], g), kind=Static(None))))
        else:
            self.emit(n.Evaluate(apply(runtime.unpopped, whole, args[0], g, kind=Static(None))))


def _named(value: n.Expr, work: Updating) -> str:
    for e in walk(value):
        if isinstance(e, n.Read):
            return work.original(e.variable).name
    return "item"


def _of_numbers(kind: Kind) -> bool:
    """Whether a list or an array holds numbers and nothing else."""
    match kind:
        case Sequence(item=item):
            return isinstance(item, Scalar)
        case Struct(items=items):
            return all(isinstance(item, Scalar) for item in items)
        case Array(dims=dims):
            return dims is not None and len(dims) == 1
        case _:
            return False


def _is_whole(index: n.Expr) -> bool:
    match index:
        case n.Const(value=value):
            return value is ...
        case n.Slice(lower=None, upper=None, step=None) | n.Display(form="tuple", items=()):
            return True
        case _:
            return False


def is_pop(call: n.Call) -> bool:
    """Whether a call takes an item off a list."""
    return (
        isinstance(call.func, n.Attribute)
        and call.func.name == "pop"
        and isinstance(call.func.value.kind, Sequence | Struct)
        and getattr(call.func.value.kind, "form", "list") == "list"
    )


def _is_of_given_shape(kind: Kind) -> bool:
    """Whether all items of a kind are arrays of one shape: lengths of the arguments, or known ones."""
    if not isinstance(kind, Array) or kind.dtype is None or kind.dims is None:
        return False
    return all(isinstance(d, int) or d.given is not None for d in kind.dims)


def _may_be_cleared_to_a_number(target: n.Expr, value: Kind) -> bool:
    """Whether the adjoint of an array that is put into a dict may be the number 0 there."""
    holder = target.value.kind if isinstance(target, n.Subscript) else None
    return isinstance(value, Array) and isinstance(holder, Table) and not _is_of_given_shape(holder.item)


def _no_number(kind: Kind) -> n.Expr:
    """The adjoint of an item of a dict that there is none of: zero, in a list for each tuple."""
    if isinstance(kind, Struct) and kind.form == "tuple":
        items = tuple(map(_no_number, kind.items))
        kinds = tuple(e.kind for e in items)
        return n.Display("list", items, kind=Struct("list", list, tuple(range(len(items))), kinds))
    return n.Const(0.0, kind=Scalar("float64"))
