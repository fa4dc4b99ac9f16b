"""Buffers for the adjoints of lists and dicts whose arrays share memory while one of them is changed.

The buffer of a list is a list of the very buffers of its items, changed in step with the list. A number in it has an
array without axes as its buffer, so that whoever holds the number can add to the same adjoint.

    xs = [x, a]                  xs = [x, a]
                                 xs_bar = [np.zeros(()), a_bar]
    xs.append(a[1:])      ->     xs.append(a[1:])
                                 xs_bar.append(a_bar[1:])
    u = xs.pop(1)                u = xs.pop(1)
                                 u_bar = xs_bar.pop(1)

Nothing of this is undone in the backward sweep: it reads the references as they were, and what it adds to a buffer is
there under all names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable as Function
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.memory.regions import fresh, holds_memory
from adcompile.analyses.typing.calls import resolve
from adcompile.analyses.typing.targets import Construct, LibraryCall, MethodCall, Scope
from adcompile.differentiate.desugar.mappings import constant
from adcompile.differentiate.linear.places import (
    Path,
    Place,
    as_item,
    buffer_kind,
    by_parts,
    part,
    part_in_list,
    part_kind,
    place_of,
    read_by,
)
from adcompile.differentiate.linear.shapes import changing_lists, kinds_in, kinds_in_target, unclear_memory
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.indices import literal_key
from adcompile.ir.kinds import (
    FLOAT,
    INT,
    Array,
    Kind,
    Scalar,
    Sequence,
    Static,
    Struct,
    Table,
    Unknown,
    is_continuous,
)
from adcompile.ir.make import apply, method, ref, together
from adcompile.ir.walk import expressions, reads, statements, walk
from adcompile.runtime import helpers as runtime
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from adcompile.analyses.memory.sharing import Sharing

_CONTAINER = Sequence | Table | Struct


@value_class()
class Box:
    """The buffer of something that is put into a list: what it is put there for, and where the buffer is made."""

    item: n.Expr
    buffer: n.Variable


@dataclass(slots=True)
class Mirror:
    """The buffers of a function: of which places, and which statements make one that starts as zeros."""

    buffers: dict[Place, n.Variable] = field(default_factory=dict)
    fresh: set[tuple[n.Stmt, Place]] = field(default_factory=set)
    doubtful: dict[n.Stmt, list[tuple[Place, n.Expr]]] = field(default_factory=dict)  # views of an array, or copies
    settled: dict[n.Stmt, n.Stmt] = field(default_factory=dict)  # behind which a statement's buffers are made
    entry: n.Stmt | None = None  # the last statement before the function's own
    lists: set[Place] = field(default_factory=set)  # whose buffers are lists or dicts of buffers
    wide: set[Place] = field(default_factory=set)  # a number at one time, an array at another: with a buffer always
    lines: set[n.Stmt] = field(default_factory=set)  # that were added
    structural: set[n.Stmt] = field(default_factory=set)  # that only change which items a list has
    boxes: dict[n.Stmt, list[Box]] = field(default_factory=dict)
    popped: dict[n.Stmt, n.Variable] = field(default_factory=dict)  # what held the buffer of the item that was taken

    @property
    def references(self) -> set[n.Variable]:
        """Every variable that holds a buffer, or a list of them."""
        made = {box.buffer for boxes in self.boxes.values() for box in boxes}
        return {*self.buffers.values(), *made, *self.popped.values()}


class ListBuffers(ABC):
    """Keeps the buffers of lists and dicts in step with them. `Mirror` has those of arrays."""

    def __init__(
        self,
        body: list[n.Stmt],
        params: list[tuple[n.Variable, Kind]],
        sharing: Sharing,
        scope: Scope,
        zero: Function[[n.Expr], n.Expr],
    ) -> None:
        self.body = body
        self.sharing = sharing
        self.scope = scope
        self.zero = zero
        self.made = Mirror()
        entangled = sharing.entangled
        self.made.lists = {place for place in changing_lists(body, scope.captured) if place[0] in entangled}
        if sharing.tied:  # a list that has several names is one thing under all of them
            self.made.lists = outermost(self.made.lists | lists_with_names(body, params, entangled))
        self.real: set[Place] = set()  # what is real at some time: it has a buffer when it holds whole numbers, too
        self.real = {(v, p) for v, kind in kinds_met(body, params) if v in entangled for p, _ in self.spots(v, kind)}
        found: dict[Place, list[Kind]] = {}
        for variable, kind in kinds_met(body, params):
            if variable in entangled:
                for path, leaf in self.spots(variable, kind):
                    found.setdefault((variable, path), []).append(leaf)
        self.made.wide = {
            place
            for place, kinds in found.items()
            if place not in self.made.lists
            and all(isinstance(k, Scalar | Array) for k in kinds)
            and (
                any(isinstance(k, Array) and (k.dims is None or k.dtype is None) for k in kinds)
                or len({type(k) for k in kinds}) > 1
            )
        }

    @abstractmethod
    def same(self, expr: n.Expr) -> n.Expr | None:
        """The buffer that certainly corresponds to an expression."""

    @abstractmethod
    def buffer(self, place: Place) -> n.Variable:
        """The variable that holds the buffer of a place."""

    def spots(self, variable: n.Variable, kind: Kind, path: Path = ()) -> Iterator[tuple[Path, Kind]]:
        """The places of a variable that have a buffer each: a list that changes has one as a whole."""
        if (variable, path) in self.made.lists and isinstance(kind, _CONTAINER):
            yield path, kind
        elif isinstance(kind, Struct):
            for key, item in zip(kind.keys, kind.items, strict=True):
                yield from self.spots(variable, item, (*path, key))
        elif is_continuous(kind) or (isinstance(kind, Scalar | Array) and (variable, path) in self.real):
            yield path, kind

    # ---------------------------------------------------------------------------------------------- reading a buffer

    def item_of_list(self, place: Place, expr: n.Expr) -> n.Expr | None:
        """The buffer of an expression that reads a part of a list that changes, reached by literal keys."""
        variable, path = place
        for k in range(len(path) + 1):
            if (variable, path[:k]) in self.made.lists:
                whole = n.Read(self.buffer((variable, path[:k])), kind=Unknown("buffers"))
                found = part_in_list(whole, part_kind(read_by(expr).kind, path[:k]), path[k:])
                return replace(found, kind=buffer_kind(expr.kind))
        return None

    def item_part(self, item: n.Expr, path: Path, kind: Kind) -> n.Expr | None:
        """The buffer of a part of an item of a list: `xs[i]` is a pair, say."""
        found = self.in_list(item)
        if found is None:
            return None
        return replace(part_in_list(found, item.kind, path), kind=buffer_kind(kind))

    def in_list(self, expr: n.Expr) -> n.Expr | None:
        """The buffer of an item or a slice of a list, or of a field of a record in one."""
        match expr:
            case n.Subscript(value=value, index=index) if isinstance(value.kind, _CONTAINER):
                holder = self.same(value)
                if holder is not None and any(isinstance(e, n.Call) and not _harmless(e) for e in walk(index)):
                    raise unclear_memory(expr.span)
                return None if holder is None else n.Subscript(holder, index, kind=buffer_kind(expr.kind))
            case n.Attribute() if isinstance(item := as_item(expr), n.Subscript):
                return self.in_list(item)
            case _:
                return None

    # ---------------------------------------------------------------------------------------------- making a buffer

    def box(self, like: n.Expr) -> n.Expr:
        """A new buffer of zeros for a number, an array, or a structure of them."""
        match like.kind:
            case Scalar(dtype="float64" | "bool") | Scalar(python=True):
                dtype = like.kind.dtype
                extra = (ref(complex),) if dtype[0] == "c" else ()
                return apply(np.zeros, together(), *extra, kind=Array(dtype, ()))
            case Array(dtype=dtype, dims=dims) if dtype is not None and dims is not None and dtype[0] in "fc":
                return self.zero(like)
            case Array(dtype=dtype, dims=dims) if dtype is not None and dims is not None:  # whole numbers, or flags
                return apply(np.zeros, apply(np.shape, like), kind=Array("float64", dims))
            case _:
                return by_parts(like, _buffers)

    def boxed(self, item: n.Expr, like: n.Expr | None, stmt: n.Stmt, lines: list[n.Stmt]) -> n.Expr:
        """A new buffer of something that is put into a list, under a name if it may vary."""
        if self.sharing.sources(item) & self.sharing.entangled:
            raise unclear_memory(item.span)
        if like is None:
            plain = isinstance(item, n.Read | n.Const) or (
                isinstance(item, n.Call) and fresh(item) and sum(isinstance(e, n.Call) for e in walk(item)) == 1
            )
            if not isinstance(item.kind, Scalar) and not plain:
                raise unclear_memory(item.span)
            like = item
        if not is_continuous(item.kind) and not holds_memory(item.kind):
            is_number = isinstance(item.kind, Scalar)
            return self.box(n.Const(0.0, kind=FLOAT)) if is_number else n.Const(None, kind=Static(None))
        if not reads(item) and not reads(like):
            return self.box(like)
        root = next((e.variable.name for e in walk(item) if isinstance(e, n.Read)), "item")
        held = n.Variable(root, n.Role.ADJOINT, of=n.Variable(root, n.Role.TEMPORARY), is_buffer=True)
        lines.append(self.line(n.Assign(held, self.box(like), origin=stmt.origin)))
        if reads(item):
            self.made.boxes.setdefault(stmt, []).append(Box(item, held))
        return n.Read(held, kind=buffer_kind(item.kind))

    def line(self, stmt: n.Stmt) -> n.Stmt:
        """Take note of a line that is added."""
        self.made.lines.add(stmt)
        return stmt

    def mirrored(self, expr: n.Expr, made: n.Expr | None, stmt: n.Stmt, lines: list[n.Stmt]) -> n.Expr:
        """The buffer of a value that a statement puts into a list or makes a list of.

        `made` reads the value once the statement is done; `lines` gets the lines that make new buffers.
        """
        # A number of an object gets a buffer of its own in a copy: `c.s += v` adds to what `c` holds alone.
        own = isinstance(expr, n.Attribute) and isinstance(expr.kind, Scalar)
        same = None if own else self.same(expr)
        if same is not None:
            return same
        kind = buffer_kind(expr.kind)
        match expr:
            case n.Display(form="list" | "tuple", items=items):
                plain = not any(isinstance(e, n.Starred) for e in items)
                parts = tuple(
                    replace(e, value=self.mirrored(e.value, None, stmt, lines))
                    if isinstance(e, n.Starred)
                    else self.mirrored(e, self.part_made(made, k, e.kind) if plain else None, stmt, lines)
                    for k, e in enumerate(items)
                )
                return replace(expr, items=parts, kind=kind)
            case n.Mapping(entries=entries) if all(k is not None and literal_key(k)[0] for k, _ in entries):
                pairs = tuple(
                    (k, self.mirrored(v, self.part_made(made, literal_key(k)[1], v.kind), stmt, lines))
                    for k, v in entries
                    if k is not None
                )
                return replace(expr, entries=pairs, kind=kind)
            case n.Binary(op="+", left=left, right=right) if isinstance(expr.kind, Sequence | Struct):
                first = self.mirrored(left, None, stmt, lines)
                return replace(expr, left=first, right=self.mirrored(right, None, stmt, lines), kind=kind)
            case n.Binary(op="*", left=left, right=right) if isinstance(expr.kind, Sequence | Struct):
                if isinstance(right.kind, Scalar):
                    return replace(expr, left=self.mirrored(left, None, stmt, lines), kind=kind)
                return replace(expr, right=self.mirrored(right, None, stmt, lines), kind=kind)
            case n.Subscript(value=value, index=n.Slice()) if isinstance(value.kind, Sequence | Struct):
                return replace(expr, value=self.mirrored(value, None, stmt, lines), kind=kind)
            case n.Call() if isinstance(found := resolve(expr, self.scope), Construct):
                values = zip(found.fields, found.args, strict=True)
                parts = tuple(self.mirrored(v, self.part_made(made, k, v.kind), stmt, lines) for k, v in values)
                return n.Display("list", parts, kind=kind)
            case n.Call() if (inner := self.copied_list(expr)) is not None:
                return replace(expr, args=(inner,)) if expr.args else inner
            case _ if isinstance(expr.kind, Struct) and place_of(expr) is not None:
                return self.structure(expr, made, stmt, lines)
            case _:
                return self.boxed(expr, made, stmt, lines)

    def structure(self, expr: n.Expr, made: n.Expr | None, stmt: n.Stmt, lines: list[n.Stmt]) -> n.Expr:
        """The buffers of a structure that is kept place by place, as a structure; of a record as a list."""
        kind = expr.kind
        if not isinstance(kind, Struct) or not holds_memory(kind):
            return self.boxed(expr, made, stmt, lines)
        parts = [
            self.mirrored(part(expr, key), self.part_made(made, key, item), stmt, lines)
            for key, item in zip(kind.keys, kind.items, strict=True)
        ]
        if kind.form == "dict":
            return n.Mapping(tuple(zip(map(constant, kind.keys), parts, strict=True)), kind=buffer_kind(kind))
        form = "list" if kind.form == "record" else kind.form
        return n.Display(form, tuple(parts), kind=buffer_kind(kind))

    def part_made(self, made: n.Expr | None, key: object, kind: Kind) -> n.Expr | None:
        """The expression that reads a part of what a statement makes."""
        match made:
            case None:
                return None
            case n.Expr(kind=Struct(form="record")):
                return n.Attribute(made, str(key), kind=kind)
            case _:
                return n.Subscript(made, constant(key), kind=kind)

    def copied_list(self, call: n.Call) -> n.Expr | None:
        """The buffer of what `list(xs)`, `tuple(xs)` or `xs.copy()` copies, or of the rows that `list(a)` lists."""
        match resolve(call, self.scope):
            case LibraryCall(function=function, args=(items,), keywords=()) if function in (list, tuple):
                inner = self.same(items)
                rows = isinstance(items.kind, Array) and items.kind.dims is not None and len(items.kind.dims) > 1
                return inner if rows or isinstance(items.kind, Sequence | Struct) else None
            case MethodCall(receiver=receiver, name="copy", args=(), keywords=()) if isinstance(
                receiver.kind, Sequence | Table
            ):
                inner = self.same(receiver)
                return None if inner is None else replace(call, func=method(inner, "copy"))
            case _:
                return None

    # ------------------------------------------------------------------------------------------- changes of a list

    def changing(self, line: n.Stmt, stmt: n.Stmt) -> n.Stmt:
        """A line that changes the buffer of a list in place: under all the names that the list may have."""
        touched = self.sharing.touched.get(stmt, frozenset())
        self.sharing.touched[line] = frozenset(self.buffer(place) for place in self.made.lists if place[0] in touched)
        line.origin = stmt.origin
        return self.line(line)

    def list_call(self, stmt: n.Evaluate, call: n.Call) -> list[n.Stmt] | None:
        """`xs.append(v)` and its like, for the buffer as well; None where the receiver has none."""
        match resolve(call, self.scope):
            case MethodCall(receiver=receiver, name=name, args=args, keywords=()) if isinstance(
                receiver.kind, _CONTAINER
            ):
                buffer = self.same(receiver)
            case _:
                return None
        if buffer is None:
            return None
        lines: list[n.Stmt] = []
        match name, args:
            case "append", (value,):
                last = n.Subscript(receiver, n.Const(-1, kind=INT), kind=value.kind)
                given: tuple[n.Expr, ...] = (self.mirrored(value, last, stmt, lines),)
            case "insert", (index, value):
                given = (index, self.mirrored(value, None, stmt, lines))
            case "extend", (value,):
                given = (self.several(value, stmt, lines),)
            case ("pop", (_,) | ()) | ("clear" | "reverse", ()) | ("__delitem__", (_,)):
                given = args
            case _:
                raise unclear_memory(receiver.span)
        before: list[n.Stmt] = []
        if name in ("insert", "pop", "__delitem__") and args:
            given = (self.index(args[0], stmt, before), *given[1:])
        self.check_value(given, stmt, receiver)
        self.made.structural.add(stmt)
        changed = n.Evaluate(n.Call(method(buffer, name), given, kind=Static(None)))
        return [*before, stmt, *lines, self.changing(changed, stmt)]

    def index(self, index: n.Expr, stmt: n.Stmt, before: list[n.Stmt]) -> n.Expr:
        """An index, as it was before the statement where that changes what it is computed from."""
        match index:
            case n.Slice(lower=lower, upper=upper, step=step):
                ends = [e and self.index(e, stmt, before) for e in (lower, upper, step)]
                return replace(index, lower=ends[0], upper=ends[1], step=ends[2])
            case _ if any(isinstance(e, n.Call) and not _harmless(e) for e in walk(index)):
                raise unclear_memory(index.span)
            case _ if reads(index) & self.sharing.touched.get(stmt, frozenset()):
                held = n.Variable("place", n.Role.TEMPORARY)
                before.append(self.line(n.Assign(held, index, origin=stmt.origin)))
                return n.Read(held, kind=index.kind)
            case _:
                return index

    def check_value(self, values: tuple[n.Expr, ...], stmt: n.Stmt, where: n.Expr) -> None:
        """Refuse a buffer that would be looked up by what the statement has changed by then."""
        if any(reads(e) & self.sharing.touched.get(stmt, frozenset()) for e in values):
            raise unclear_memory(where.span)

    def several(self, value: n.Expr, stmt: n.Stmt, lines: list[n.Stmt]) -> n.Expr:
        """The buffers of what `xs.extend(value)` adds: items of a list, or rows of an array."""
        match value.kind:
            case Sequence(cls=cls) if cls in (list, tuple):
                return self.mirrored(value, None, stmt, lines)
            case Struct(form="list" | "tuple"):
                return self.mirrored(value, None, stmt, lines)
            case Array(dims=dims) if dims is not None and len(dims) > 1 and (rows := self.same(value)) is not None:
                return rows
            case _:
                raise unclear_memory(value.span)

    def popped(self, stmt: n.Assign, call: n.Call) -> list[n.Stmt] | None:
        """`v = xs.pop(i)`, for the buffer as well."""
        if not isinstance(call.func, n.Attribute) or call.func.name != "pop" or call.keywords:
            return None
        receiver = call.func.value
        if not isinstance(receiver.kind, _CONTAINER) or (buffer := self.same(receiver)) is None:
            return None
        target = stmt.target
        before: list[n.Stmt] = []
        args = tuple(self.index(e, stmt, before) for e in call.args)
        if target in reads(buffer) or any(target in reads(e) for e in args):
            raise unclear_memory(call.span)
        taken = n.Call(method(buffer, "pop"), args, kind=call.kind)
        self.check_value((taken,), stmt, call)
        self.made.structural.add(stmt)
        whole = [path for path, leaf in self.spots(target, call.kind) if self.has_buffer(target, path, leaf)] == [()]
        if whole:
            return [*before, stmt, self.changing(n.Assign(self.buffer((target, ())), taken), stmt)]
        popped = n.Variable(target.name, n.Role.TEMPORARY)
        held = n.Variable(target.name, n.Role.ADJOINT, of=popped, is_buffer=True)
        spots = [(path, leaf) for path, leaf in self.spots(target, call.kind) if self.has_buffer(target, path, leaf)]
        lines = [self.changing(n.Assign(held, taken), stmt)]
        self.made.popped[stmt] = held
        for path, leaf in spots:
            found = part_in_list(n.Read(held, kind=call.kind), call.kind, path)
            assigned = n.Assign(self.buffer((target, path)), replace(found, kind=leaf), origin=stmt.origin)
            lines.append(self.line(assigned))
        return [*before, stmt, *lines]

    def has_buffer(self, variable: n.Variable, path: Path, leaf: Kind) -> bool:
        """Whether a place of a variable has a buffer."""
        if variable not in self.sharing.entangled:
            return False
        return not isinstance(leaf, Scalar) or (variable, path) in self.made.wide

    def list_store(self, stmt: n.Store) -> list[n.Stmt] | None:
        """`xs[i] = v` and `xs[a:b] = ys`, for the buffer as well; None where no list with a buffer is changed."""
        target = as_item(stmt.target)
        if isinstance(target, n.Attribute) and isinstance(target.value.kind, Struct):
            return self.new_field(stmt, target)
        if not isinstance(target, n.Subscript) or not isinstance(target.value.kind, _CONTAINER):
            return None
        buffer = self.same(target.value)
        if buffer is None:
            return None
        before: list[n.Stmt] = []
        lines: list[n.Stmt] = []
        place = n.Subscript(buffer, self.index(target.index, stmt, before), kind=target.kind)
        if isinstance(target.index, n.Slice):
            value = self.several(stmt.value, stmt, lines)
        else:
            made = None if before else replace(stmt.target, kind=stmt.value.kind)
            value = self.mirrored(stmt.value, made, stmt, lines)
        self.check_value((value, place), stmt, target)
        self.made.structural.add(stmt)
        return [*before, stmt, *lines, self.changing(n.Store(place, value), stmt)]

    def new_field(self, stmt: n.Store, target: n.Attribute) -> list[n.Stmt] | None:
        """`p.v = v` where the object has no such field so far: its buffers are a list, which gets longer."""
        buffer = self.same(target.value)
        if buffer is None:
            return None
        lines: list[n.Stmt] = []
        value = self.mirrored(stmt.value, replace(target, kind=stmt.value.kind), stmt, lines)
        self.check_value((value,), stmt, target)
        self.made.structural.add(stmt)
        added = n.Evaluate(n.Call(method(buffer, "append"), (value,), kind=Static(None)))
        return [stmt, *lines, self.changing(added, stmt)]

    def list_augment(self, stmt: n.Augment) -> list[n.Stmt] | None:
        """`xs += ys` and `xs *= 2`, for the buffer as well; None where no list with a buffer is changed."""
        target = stmt.target
        if not isinstance(target.kind, _CONTAINER):
            if isinstance(target, n.Subscript) and isinstance(target.value.kind, _CONTAINER):
                self.check_item(target)
            return None
        buffer = self.same(target)
        if buffer is None:
            return None
        lines: list[n.Stmt] = []
        if stmt.op == "+":
            value = self.several(stmt.value, stmt, lines)
            change: n.Stmt = n.Evaluate(n.Call(method(buffer, "extend"), (value,), kind=Static(None)))
        else:
            raise unclear_memory(target.span)
        self.check_value((value, buffer), stmt, target)
        self.made.structural.add(stmt)
        return [stmt, *lines, self.changing(change, stmt)]

    def check_item(self, target: n.Subscript) -> None:
        """Refuse `xs[i] += v` where a number would be exchanged, and an array be changed."""
        known = isinstance(target.kind, Array) and target.kind.dims is not None and target.kind.dtype is not None
        if not known and self.same(target.value) is not None:
            raise UnsupportedError(
                "cannot tell what this changes in place",
                span=target.span,
                reason="It is a number that is exchanged for another, or an array that has other names.",
                remedy="Write `xs[i] = xs[i] + ...`.",
            )


def kinds_met(body: list[n.Stmt], params: list[tuple[n.Variable, Kind]]) -> Iterator[tuple[n.Variable, Kind]]:
    """The kinds that variables have, wherever they are set or read."""
    yield from params
    for stmt in statements(body):
        yield from kinds_in_target(stmt)
        for expr in expressions(stmt):
            yield from kinds_in(expr).items()


def lists_with_names(
    body: list[n.Stmt], params: list[tuple[n.Variable, Kind]], variables: AbstractSet[n.Variable]
) -> set[Place]:
    """The places of variables that are lists or dicts: one thing under all of its names, not many places."""
    return {(v, path) for v, kind in kinds_met(body, params) if v in variables for path in _changeable(kind)}


def outermost(places: set[Place]) -> set[Place]:
    """The places that are within no other one of them."""
    return {(v, path) for v, path in places if not any((v, path[:k]) in places for k in range(len(path)))}


def _changeable(kind: Kind) -> Iterator[Path]:
    """The ways to the lists, dicts and objects in a kind, the outermost ones."""
    match kind:
        case Sequence() | Table() | Struct(form="list" | "dict" | "record"):
            yield ()
        case Struct(keys=keys, items=items):
            for key, item in zip(keys, items, strict=True):
                yield from ((key, *path) for path in _changeable(item))


def _harmless(call: n.Call) -> bool:
    """Whether a call in an index may be made twice: `len(xs)`, `int(k)`."""
    return isinstance(call.func, n.Ref) and call.func.value in (len, int, abs, min, max, range, slice)


def _buffers(like: n.Expr) -> n.Expr:
    return apply(runtime.buffers_like, like, kind=like.kind)
