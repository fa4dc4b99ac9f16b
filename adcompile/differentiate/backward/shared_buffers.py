"""Buffers for the adjoints of arrays that share memory while one of them is changed.

Each array of that sort gets its buffer in the forward sweep, where it is made; a view of the array has the same view
of the buffer, another name of it has the same buffer. So a write through one name reaches the adjoints of all others.

    a = x * 2.0                   a = x * 2.0
                                  a_bar = np.zeros_like(a)
    b = a[1:]             ->      b = a[1:]
                                  b_bar = a_bar[1:]
    u, w = w, u                   u, w = w, u
                                  u_bar, w_bar = w_bar, u_bar
"""

from __future__ import annotations

from collections.abc import Callable as Function
from dataclasses import replace
from typing import TYPE_CHECKING

from adcompile.analyses.memory.regions import copies, is_view, viewed
from adcompile.analyses.typing.calls import resolve
from adcompile.analyses.typing.identity import changeable
from adcompile.analyses.typing.targets import Construct, LibraryCall, MethodCall, Scope
from adcompile.differentiate.backward.list_buffers import ListBuffers, Mirror, kinds_met
from adcompile.differentiate.linear.places import Path, Place, at, buffer_kind, place_of
from adcompile.differentiate.linear.shapes import is_structure, item_at, length, unclear_memory
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.indices import index_parts, is_ellipsis, literal_key
from adcompile.ir.kinds import Array, Callable, Kind, Never, Scalar, Sequence, Static, Struct, Table, is_continuous
from adcompile.ir.make import apply, together
from adcompile.ir.walk import binds, blocks, expressions, reads, statements, targets, walk
from adcompile.runtime import helpers as runtime

if TYPE_CHECKING:
    from adcompile.analyses.memory.sharing import Sharing
    from adcompile.source import Span


def shared_buffers(
    body: list[n.Stmt],
    params: list[tuple[n.Variable, Kind]],
    sharing: Sharing,
    scope: Scope,
    zero: Function[[n.Expr], n.Expr],
) -> Mirror:
    """Add the lines that make buffers to a flat body, in place. `zero` is a zero like an expression."""
    if not sharing.entangled:
        return Mirror()
    refuse_tied_objects(body, params, sharing)
    work = _Mirror(body, params, sharing, scope, zero)
    new = work.block(body)
    first: list[n.Stmt] = []
    for variable, kind in params:
        for path, leaf in work.spots(variable, kind):
            if work.buffered(variable, leaf, path):
                whole = n.Read(variable, kind=kind)
                box = work.box(at(whole, path))
                if sharing.by_layout and not path and isinstance(box.kind, Array):  # an argument may have gaps
                    box = apply(runtime.own_tangent, box, whole, kind=box.kind)
                first.append(work.line(n.Assign(work.buffer((variable, path)), box)))
    if first:
        work.made.entry = first[-1]
    body[:] = [*first, *new]
    return work.made


def refuse_tied(sharing: Sharing) -> None:
    """Refuse lists and objects that are changed under several names, of which none could give way to another."""
    for variable, stmt in sharing.tied.items():
        raise UnsupportedError(
            f"cannot differentiate an update of `{variable.name}`, which has another name or is part of something",
            span=stmt.span,
            reason="Which of them holds what afterwards is followed for arrays only.",
            remedy="Use one name for it, or make a copy.",
        )


def _is_part(kind: Kind, index: n.Expr) -> bool:
    """Whether an item of an array is certainly a view of it, and not a number."""
    parts = index_parts(index)
    known = isinstance(kind, Array) and kind.dims is not None
    return known or any(isinstance(e, n.Slice) or is_ellipsis(e) for e in parts)


def refuse_tied_objects(body: list[n.Stmt], params: list[tuple[n.Variable, Kind]], sharing: Sharing) -> None:
    """Refuse what `refuse_tied` does, but for lists, dicts and objects: those have buffers under all their names."""
    for variable, kind in kinds_met(body, params):
        if variable in sharing.tied and not _of_lists(kind):
            refuse_tied(sharing)
    met = {v for v, _ in kinds_met(body, params)}
    captured = {v for _, kind in kinds_met(body, params) if isinstance(kind, Callable) for v in _captures(kind)}
    if not sharing.tied.keys() <= met or not captured.isdisjoint(sharing.tied):
        refuse_tied(sharing)


def _captures(kind: Callable) -> tuple[n.Variable, ...]:
    """The variables that a local function reads from outside."""
    return tuple(kind.target.captures) if isinstance(kind.target, n.Function) else ()


def _of_lists(kind: Kind) -> bool:
    """Whether there is nothing in a value but lists, tuples, dicts, objects, numbers and arrays."""
    match kind:
        case Sequence(item=item, cls=cls):
            return cls in (list, tuple) and _of_lists(item)
        case Table(item=item, cls=cls):
            return cls is dict and _of_lists(item)
        case Struct(form="list" | "tuple" | "dict", cls=cls, items=items):
            return cls in (list, tuple, dict) and all(map(_of_lists, items))
        case Struct(form="record", items=items):
            return all(map(_of_lists, items))
        case Static(value=value):
            return value is None or isinstance(value, str)
        case Scalar() | Array() | Never():
            return True
        case _:
            return False


class _Mirror(ListBuffers):
    def buffered(self, variable: n.Variable, leaf: Kind, path: Path) -> bool:
        """Whether a place of a variable has a buffer; a refusal where nobody could tell of what."""
        if not self.has_buffer(variable, path, leaf):
            return False
        if (variable, path) in self.made.wide or (
            isinstance(leaf, Array) and leaf.dims is not None and leaf.dtype is not None
        ):
            return True
        if (variable, path) in self.made.lists and (
            not isinstance(leaf, Sequence | Table) or leaf.cls in (list, tuple, dict)
        ):
            return True
        what = "an iterator" if isinstance(leaf, Sequence) else "a number on one path and an array on another"
        raise UnsupportedError(
            f"cannot differentiate an update in place of what `{variable.name}` shares",
            span=self.first_seen(variable),
            reason=f"`{variable.name}` is {what}, and shares memory with an array that is changed.",
            remedy="Make a copy before the update.",
        )

    def first_seen(self, variable: n.Variable) -> Span | None:
        """Where a variable is set, or, if it comes from elsewhere, first read."""
        found = [s for s in statements(self.body) if s.origin is not None]
        setting = [s for s in found if variable in binds(s)]
        reading = [s for s in found if any(variable in reads(e) for e in expressions(s))]
        return next((s.origin.span for s in (*setting, *reading) if s.origin is not None), None)

    def buffer(self, place: Place) -> n.Variable:
        if place not in self.made.buffers:
            buffer = n.Variable(place[0].name, n.Role.ADJOINT, of=place[0], path=place[1], is_buffer=True)
            self.made.buffers[place] = buffer
        return self.made.buffers[place]

    def block(self, body: list[n.Stmt]) -> list[n.Stmt]:
        result: list[n.Stmt] = []
        for stmt in body:
            lines = self.statement(stmt)
            self.made.settled[stmt] = lines[-1]
            result += lines
        return result

    def statement(self, stmt: n.Stmt) -> list[n.Stmt]:
        for inner in blocks(stmt):
            inner[:] = self.block(inner)
        changed = self.list_change(stmt)
        if changed is not None:
            return changed
        match stmt:
            case n.Assign(target=target, value=value) if target in self.sharing.entangled:
                return self.assign(stmt, target, value)
            case n.Unpack(pattern=pattern, value=value) if set(targets(pattern)) & self.sharing.entangled:
                return self.unpack(stmt, pattern, value)
            case n.Store(target=place, value=value) if (found := self.field(place)) and found[
                0
            ] in self.sharing.entangled:
                return self.store_field(stmt, found, value)
            case n.For(target=target, iterable=iterable) if set(targets(target)) & self.sharing.entangled:
                if any(
                    self.buffered(e.variable, leaf, path)
                    for e in walk(target)
                    if isinstance(e, n.Read)
                    for path, leaf in self.spots(e.variable, e.kind)
                ):
                    raise UnsupportedError(
                        "cannot differentiate an update in place of what this loop runs over",
                        span=iterable.span,
                        reason="Its items cannot be reached by index.",
                        remedy="Loop over `range(len(...))`, and read the items by index.",
                    )
        return [stmt]

    def list_change(self, stmt: n.Stmt) -> list[n.Stmt] | None:
        """A statement that changes a list with a buffer, with the lines that do so to the buffer."""
        match stmt:
            case n.Evaluate(value=n.Call() as call):
                return self.list_call(stmt, call)
            case n.Assign(value=n.Call() as call):
                return self.popped(stmt, call)
            case n.Store():
                return self.list_store(stmt)
            case n.Augment():
                return self.list_augment(stmt)
            case _:
                return None

    def assign(self, stmt: n.Assign, target: n.Variable, value: n.Expr) -> list[n.Stmt]:
        before: list[n.Stmt] = []
        after: list[n.Stmt] = []
        pairs: list[tuple[Place, n.Expr]] = []
        for path, leaf in self.spots(target, value.kind):
            if not self.buffered(target, leaf, path):
                continue
            place = (target, path)
            part = self.part_given(value, path)
            same = self.same(part) if not path or part is not value else None
            if isinstance(same, n.Attribute) and same.name == "flat" and not self.only_items(target):
                raise UnsupportedError(
                    "cannot differentiate an update in place of an array whose `flat` has a name",
                    span=value.span,
                    reason="It is no array, and reads what the array is by then.",
                    remedy="Write `x.flat[...]` where items are read or set, or `np.ravel(x)` for what they are now.",
                )
            made = at(n.Read(target, kind=value.kind), path)
            if same is None and part is value and path:
                same = self.item_part(value, path, leaf)
            if same is None and place in self.made.lists and self.is_list_of_items(part):
                same = self.mirrored(part, made, stmt, after)
                if target in reads(same):
                    raise unclear_memory(part.span)
            if same is not None:
                pairs.append((place, same))
            else:
                after.append(self.later(place, part, made, stmt, before))
        lines = self.at_once(pairs, stmt)
        if lines and any(target in reads(e) for _, e in pairs):
            return [*before, *lines, stmt, *after]
        boxes = [s for s in after if s in self.made.lines]  # what the buffers of lists are made of
        return [*before, stmt, *boxes, *lines, *(s for s in after if s not in boxes)]

    def only_items(self, variable: n.Variable) -> bool:
        """Whether nothing is read or set but items of what has a name, one by one."""
        found = [e for s in statements(self.body) for x in expressions(s) for e in walk(x)]
        read = [e.value for e in found if isinstance(e, n.Subscript) and isinstance(e.kind, Scalar)]
        read += [e.args[0] for e in found if isinstance(e, n.Call) and n.object_of(e.func) is len]
        read += [s.iterable for s in statements(self.body) if isinstance(s, n.For)]
        named = [e for e in found if isinstance(e, n.Read) and e.variable is variable]
        return len(named) == sum(isinstance(e, n.Read) and e.variable is variable for e in read)

    def part_given(self, value: n.Expr, path: Path) -> n.Expr:
        """The expression for a part of a value; the value itself where no expression says what stands there."""
        if path and isinstance(value, n.Call) and isinstance(found := resolve(value, self.scope), Construct):
            keys = range(len(found.fields)) if issubclass(found.cls, tuple) else found.fields
            return self.part_given(found.args[keys.index(path[0])], path[1:])
        return at(value, path) if path and (place_of(value) is not None or is_structure(value)) else value

    def is_list_of_items(self, part: n.Expr) -> bool:
        """Whether a new list is made of items whose buffers are known, or can be made one by one."""
        match part:
            case n.Display(form="list" | "tuple") | n.Mapping():
                return True
            case n.Binary(op="+" | "*", left=left, right=right):
                return all(isinstance(e.kind, Scalar) or self.is_list_of_items(e) for e in (left, right))
            case n.Subscript(value=value, index=n.Slice()):
                return self.is_list_of_items(value)
            case n.Call() if isinstance(resolve(part, self.scope), Construct):
                return True
            case n.Call():
                return self.copied_list(part) is not None
            case _:
                return self.same(part) is not None or (isinstance(part.kind, Struct) and place_of(part) is not None)

    def field(self, target: n.Expr) -> Place | None:
        """The place within a structure that an assignment to an attribute or a literal key sets."""
        if not isinstance(target, n.Subscript | n.Attribute) or not isinstance(target.value.kind, Struct):
            return None
        base = place_of(target.value)
        if base is None:
            return None
        if isinstance(target, n.Attribute):
            return base[0], (*base[1], target.name)
        known, key = literal_key(target.index)
        if not known:
            return None
        if isinstance(key, int) and key < 0 and target.value.kind.form != "dict":
            key += len(target.value.kind.keys)
        return base[0], (*base[1], key)

    def store_field(self, stmt: n.Store, place: Place, value: n.Expr) -> list[n.Stmt]:
        """An array in a structure is exchanged for another: so is its buffer."""
        before: list[n.Stmt] = []
        after: list[n.Stmt] = []
        for way, leaf in self.spots(place[0], value.kind, place[1]):
            whole, path = (place[0], way), way[len(place[1]) :]
            if not self.buffered(place[0], leaf, way):
                continue
            if whole in self.made.lists:
                raise unclear_memory(value.span)
            part = at(value, path)
            same = self.same(part)
            if same is not None:
                after.append(n.Assign(self.buffer(whole), same, origin=stmt.origin))
            else:
                after.append(self.later(whole, part, part, stmt, before))
        return [*before, stmt, *after]

    def later(self, place: Place, part: n.Expr, made: n.Expr, stmt: n.Stmt, before: list[n.Stmt]) -> n.Stmt:
        """The line behind a statement that makes the buffer of what it made: a view only if that is one."""
        if isinstance(part, n.Subscript) and isinstance(part.value.kind, Array) and place[0] not in reads(part):
            whole = self.same(part.value)
            if whole is not None and is_view(part):
                view = apply(runtime.view_like, whole, part.value, made, kind=made.kind)
                self.made.fresh.add((stmt, place))
                self.made.doubtful.setdefault(stmt, []).append((place, whole))
                return n.Assign(self.buffer(place), view, origin=stmt.origin)
        origin = self.viewed(part) if isinstance(made.kind, Array) else None
        if origin is not None:
            array, buffer = origin
            if place[0] in reads(array):  # gone once the name stands for the view
                held = n.Variable(place[0].name, n.Role.TEMPORARY)
                held_bar = n.Variable(place[0].name, n.Role.ADJOINT, of=held, is_buffer=True)
                before += [n.Assign(held, array, origin=stmt.origin), n.Assign(held_bar, buffer, origin=stmt.origin)]
                array, buffer = n.Read(held, kind=array.kind), n.Read(held_bar, kind=buffer.kind)
            view = apply(runtime.view_like, buffer, array, made, kind=made.kind)
            self.made.fresh.add((stmt, place))
            self.made.doubtful.setdefault(stmt, []).append((place, buffer))
            return n.Assign(self.buffer(place), view, origin=stmt.origin)
        if (is_continuous(part.kind) or changeable(part.kind)) and self.sharing.sources(part) & self.sharing.entangled:
            raise unclear_memory(part.span)
        self.made.fresh.add((stmt, place))
        return n.Assign(self.buffer(place), self.box(made), origin=stmt.origin)

    def same(self, expr: n.Expr) -> n.Expr | None:
        """The buffer that certainly corresponds to an expression: of a name, or of a view of one."""
        place = place_of(expr)
        if place is not None:
            if place[0] not in self.sharing.entangled:
                return None
            found = self.item_of_list(place, expr)
            if found is not None:
                return found
            real = is_continuous(expr.kind) or place in self.real
            if place in self.made.wide or (isinstance(expr.kind, Array) and real):
                return n.Read(self.buffer(place), kind=buffer_kind(expr.kind))
            return None
        found = self.in_list(expr)
        if found is not None:
            return found
        match expr:
            case n.Conditional(then=then, orelse=orelse):
                a, b = self.same(then), self.same(orelse)
                return None if a is None or b is None else replace(expr, then=a, orelse=b)
            case n.Subscript(value=value, index=index) if isinstance(value.kind, Struct) and isinstance(
                index.kind, Scalar
            ):
                base = place_of(value)
                parts = None if base is None else [self.same(at(value, (k,))) for k in value.kind.keys]
                if parts is None or any(p is None for p in parts):
                    return None
                return n.Subscript(together(*(p for p in parts if p)), index, kind=buffer_kind(expr.kind))
            case n.Subscript(value=value, index=index) if isinstance(value.kind, Array) and not copies(index):
                if isinstance(expr.kind, Scalar) or getattr(value, "name", None) == "flat":
                    return None  # a number, or an array, of its own
                if not _is_part(expr.kind, index):
                    return None  # a view, or a number of its own
                inner = self.same(value)
                return None if inner is None else replace(expr, value=inner)
            case n.Attribute(value=value) if isinstance(value.kind, Array) and is_view(expr):
                inner = self.same(value)
                return None if inner is None else replace(expr, value=inner)
            case n.Call(func=n.Attribute(value=value, name="transpose" | "swapaxes"), args=args) if isinstance(
                value.kind, Array
            ):
                inner = self.same(value)
                if inner is None or not isinstance(expr.func, n.Attribute):
                    return None
                del args
                return replace(expr, func=replace(expr.func, value=inner))
            case _:
                return None

    def viewed(self, expr: n.Expr) -> tuple[n.Expr, n.Expr] | None:
        """The one array with a buffer that an expression may or may not be a view of, and that buffer.

        None where there are several, or where several items of the view may be one: what is added to them would get
        lost.
        """
        if not self.sharing.sources(expr):
            return None
        match expr:
            case n.Subscript(value=value) | n.Attribute(value=value) if isinstance(value.kind, Array):
                same = self.same(value)
                return self.viewed(value) if same is None else (value, same)
            case n.Call() if isinstance(found := resolve(expr, self.scope), LibraryCall | MethodCall):
                shared = viewed(found)
                given = {id(e): e for e in (*shared.arguments, *shared.items) if self.sharing.sources(e)}
            case _:
                return None
        if len(given) != 1 or shared.repeats:
            return None
        (array,) = given.values()
        same = self.same(array) if isinstance(array.kind, Array) else None
        return None if same is None else (array, same)

    def at_once(self, pairs: list[tuple[Place, n.Expr]], stmt: n.Stmt) -> list[n.Stmt]:
        """Set buffers at once, as `u, w = w, u` does."""
        if not pairs:
            return []
        if len(pairs) == 1:
            return [n.Assign(self.buffer(pairs[0][0]), pairs[0][1], origin=stmt.origin)]
        names = together(*(n.Read(self.buffer(p), kind=e.kind) for p, e in pairs))
        values = together(*(e for _, e in pairs))
        return [n.Unpack(names, values, origin=stmt.origin)]

    def unpack(self, stmt: n.Unpack, pattern: n.Display, value: n.Expr) -> list[n.Stmt]:
        pairs: list[tuple[Place, n.Expr]] = []
        after: list[n.Stmt] = []
        boxes: list[n.Stmt] = []

        def visit(target: n.Expr, item: n.Expr) -> None:
            match target:
                case n.Display(items=items) if not any(isinstance(e, n.Starred) for e in items):
                    size = length(item)
                    for k, inner in enumerate(items):
                        visit(inner, item_at(item, k, size))
                case n.Read(variable=variable, kind=kind):
                    for path, leaf in self.spots(variable, kind):
                        if self.buffered(variable, leaf, path):
                            pair((variable, path), at(item, path), target)
                case _:
                    if set(targets(target)) & self.sharing.entangled:
                        raise UnsupportedError(
                            "cannot differentiate an update in place of what is unpacked here",
                            span=target.span,
                            reason="Which part of the value a name stands for is not known when compiling.",
                            remedy="Read the parts by index.",
                        )

        def pair(place: Place, part: n.Expr, target: n.Expr) -> None:
            same = self.same(part)
            made = at(target, place[1])
            if same is None and place in self.made.lists and self.is_list_of_items(part):
                same = self.mirrored(part, made, stmt, boxes)
            if same is not None:
                pairs.append((place, same))
                return
            holds = is_continuous(part.kind) or changeable(part.kind)
            if holds and self.sharing.sources(part) & self.sharing.entangled:
                raise unclear_memory(part.span)
            self.made.fresh.add((stmt, place))
            after.append(n.Assign(self.buffer(place), self.box(made), origin=stmt.origin))

        visit(pattern, value)
        return [stmt, *boxes, *self.at_once(pairs, stmt), *after]
