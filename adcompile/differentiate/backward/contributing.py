"""Adding to adjoints: what each place's adjoint is so far, and the lines that a contribution takes.

`state` tells of each place whether its adjoint is zero (absent), a literal, or in its variable. A contribution goes to
the places that its target denotes: of a structure to its parts, of an item to the array or list that holds it.

    to x, g              ->    x_bar = g           the first time, afterwards  x_bar = x_bar + g
    to xs[i], g          ->    xs_bar[i] += g      where xs_bar is an array of zeros at first
    to (x, y), (g, h)    ->    g to x, h to y
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.memory.regions import Regions, fresh
from adcompile.analyses.typing.lattice import as_sequence, as_table
from adcompile.analyses.varied import Activity, OfVersions, carries, varies
from adcompile.differentiate.backward.reaching import Entry, Reaching, State, adjoint_of
from adcompile.differentiate.desugar.mappings import constant
from adcompile.differentiate.linear.places import (
    Path,
    Place,
    as_held,
    at,
    buffer_kind,
    by_names,
    field_number,
    is_constant_part,
    leaves,
    loose,
    of_dtype,
    part,
    part_in_list,
    part_kind,
    place_of,
    read_by,
    with_items,
)
from adcompile.differentiate.linear.selection import WHOLE, added
from adcompile.differentiate.linear.shapes import (
    as_argument,
    atoms,
    changing_lists,
    chosen_part,
    exchange,
    gathers,
    kinds_in,
    mixed_variables,
    only_adds_axes,
    only_turns,
    part_of,
    variable_kinds,
    with_list_kind,
    without_new_axes,
    written,
)
from adcompile.differentiate.storage.sweep import Sweep
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.kinds import (
    BOOL,
    INT,
    Array,
    Callable,
    Kind,
    Scalar,
    Sequence,
    Static,
    Struct,
    Table,
    Unknown,
    item_of,
    same_shape,
)
from adcompile.ir.make import NP, apply, function_of, method, together
from adcompile.ir.walk import reads, revised, substitute
from adcompile.runtime import helpers as runtime

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcompile.analyses.versions import Versions
    from adcompile.differentiate.backward.list_buffers import Mirror
    from adcompile.differentiate.linear.contributions import Rules


class Contributing(Reaching):
    """Keeps what is known of each adjoint so far, and adds to it.

    `lines` are the backward lines at hand, `origin` is the statement that they are for. What is added to and with is
    written in versions.
    """

    def __init__(
        self,
        body: list[n.Stmt],
        activity: Activity,
        versions: Versions,
        rules: Rules,
        kinds: dict[n.Variable, Kind],
        mirror: Mirror,
    ) -> None:
        self.body = body
        self.activity = activity
        self.versions = versions
        self.rules = rules
        self.scope = rules.scope
        self.type = rules.typer
        self.given = kinds  # of what the function is given
        self.kinds = {**kinds, **variable_kinds(body)}
        self.mixed = mixed_variables(body, kinds)
        self.adjoints: dict[Place, n.Variable] = {}
        self.start_reaches()
        self.state: State = {}
        self.sweep = Sweep(body)
        self.lists: set[Place] = set()
        self.had_to_copy: dict[Place, Kind] = {}  # and of what kind it was there
        self.own_arrays: set[n.Variable] = set()  # adjoints taken at this statement that nobody else holds
        self.handed_over: set[n.Variable] = set()  # those of them that one contribution gets as they are
        self.mirror = mirror
        self.buffers = mirror.references  # they exist throughout, and share memory with each other
        self.stmt: n.Stmt = body[-1]
        self.lines: list[n.Stmt] = []
        self.origin: n.Origin | None = None

    def value(self, place: Place, kind: Kind, like: n.Expr) -> n.Expr:
        """The adjoint of a place as an expression: its variable, its literal, or a zero like the place."""
        if self.buffered(place, kind):
            return self.held(self.pointer(place, kind, after=True), kind)
        if (part := self.part_of_list(place, kind, read_by(like).kind)) is not None:
            return self.held(part, kind)
        entry = self.state.get(place)
        if entry is None:
            return self.rules.zero(like)
        return self.read(place, kind)

    def read(self, place: Place, kind: Kind) -> n.Expr:
        """What the adjoint of a place is that is not zero, where the place is of a kind."""
        entry = self.state[place]
        or_number = any(isinstance(other, Scalar) for other in self.mixed.get(place[0], ()))
        either = or_number and isinstance(entry.kind, Array) and entry.kind.dims is None
        return entry.literal or n.Read(self.adjoint(place), kind=entry.kind if either else as_held(kind, entry.kind))

    def buffered(self, place: Place, kind: Kind) -> bool:
        """Whether the adjoint of a place is a buffer made in the forward sweep."""
        if isinstance(kind, Scalar):
            return place in self.mirror.wide and place in self.mirror.buffers
        return place in self.mirror.buffers

    def part_of_list(self, place: Place, kind: Kind, root: Kind) -> n.Expr | None:
        """The buffer of a part of a list that has one as a whole, behind the statement at hand."""
        variable, path = place
        for k in range(len(path)):
            if (variable, path[:k]) in self.mirror.lists:
                found = self.pointer((variable, path[:k]), kind, after=True)
                return replace(part_in_list(found, part_kind(root, path[:k]), path[k:]), kind=kind)
        return None

    def held(self, buffer: n.Expr, kind: Kind) -> n.Expr:
        """What a buffer holds, as an adjoint of its own."""
        if isinstance(kind, Scalar):
            return n.Subscript(buffer, together(), kind=replace(kind, python=False))
        if isinstance(kind, Array) and kind.dims is not None:
            return n.Call(method(buffer, "copy"), (), kind=kind)
        return apply(runtime.held_in, buffer, kind=kind)

    def pointer(self, place: Place, kind: Kind, *, after: bool = False) -> n.Expr:
        """The buffer of a place as it was called before or after the statement at hand (in versions)."""
        behind = self.mirror.settled.get(self.stmt, self.stmt)
        env = self.versions.after[behind] if after else self.versions.before[self.stmt]
        version = env.get(self.mirror.buffers[place])
        if version is None:  # before it had that name, it was something without a buffer
            raise UnsupportedError(
                f"cannot differentiate an update of `{place[0].name}`, a list at one time and an array at another",
                span=self.origin.span if self.origin else None,
                reason="The array shares memory with one that is changed.",
                remedy="Give the list and the array different names.",
            )
        return n.Read(version, kind=buffer_kind(kind))

    def adjoint(self, place: Place) -> n.Variable:
        """The variable that holds the adjoint of a place."""
        if place not in self.adjoints:
            self.adjoints[place] = adjoint_of(place, self.kinds.get(place[0]))
            self.held_by[self.adjoints[place]] = place
        return self.adjoints[place]

    def past(self, expr: n.Expr, stmt: n.Stmt) -> n.Expr:
        """An expression of a statement in terms of versions: its value as of then."""
        return self.in_env(expr, self.versions.before[stmt])

    def in_env(self, expr: n.Expr, env: Mapping[n.Variable, n.Variable]) -> n.Expr:
        """An expression in terms of the versions of an environment."""
        kinds = kinds_in(expr)
        return substitute(
            expr,
            {
                v: n.Read(env[v], kind=kinds.get(v, INT))
                for v in reads(expr)
                if v in env and not isinstance(kinds.get(v), Callable)
            },
        )

    def emit(self, stmt: n.Stmt) -> None:
        """Append one backward line, on behalf of the statement at hand."""
        if isinstance(stmt, n.Assign) and stmt.target.role is n.Role.ADJOINT:
            self.gone[stmt.target] = self.reach_of(stmt.value)
        stmt.origin = self.origin
        self.lines.append(stmt)

    def original(self, version: n.Variable) -> n.Variable:
        """The variable that a version is of."""
        info = self.versions.info.get(version)
        return info.variable if info else version

    # ------------------------------------------------------------------------------------------ adding to an adjoint

    def wanted(self, expr: n.Expr, stmt: n.Stmt) -> bool:
        """Whether an argument (in versions) varies at a statement."""
        before = self.activity.before[stmt]
        if isinstance(expr.kind, Callable):
            return carries(expr, before, self.scope)
        return varies(expr, OfVersions(before, self.original), self.scope)

    def contribute(self, target: n.Expr, e: n.Expr, stmt: n.Stmt) -> None:
        """Add to the adjoint of what an expression (in versions) denotes."""
        match target:
            case n.Const() | n.Ref() | n.Lambda():
                return
            case n.Starred():
                raise UnsupportedError(
                    "cannot differentiate an unpacked `*` argument here",
                    span=target.span,
                    reason="How many items it has is not known when compiling.",
                    remedy="Write the items out.",
                )
            case n.Display(items=items) | n.Mapping(entries=items):
                self.distribute(target, items, e, stmt)
                return
        if not self.wanted(target, stmt):
            return
        if isinstance(target.kind, Struct) and target.kind.form == "record" and _is_of_list(e):
            e = self.by_attribute(e, target.kind)
        place = self.place(target)
        if place is not None and place in self.lists:
            self.accumulate(place, e, as_sequence(target.kind, "") or as_table(target.kind, "") or target.kind)
            return
        if place is not None:
            variable, reach = place[0], self.reach_of(e)
            if isinstance(target.kind, Struct) and not isinstance(e, n.Display | n.Mapping | n.Read):
                whole = n.Variable("parts", n.Role.RESULT)
                self.emit(n.Assign(whole, e))
                fits = all(part_kind(e.kind, path) is not None for path, _ in leaves(target.kind))
                e = n.Read(whole, kind=e.kind if fits or isinstance(e.kind, Array) else target.kind)
            for path, leaf in leaves(target.kind):
                piece = part_of(e, path, leaf)
                piece = self.part_noted(self.piece(piece, e, at(target, path)), e, reach, path)
                self.accumulate((variable, (*place[1], *path)), self.rules.of_real(piece, leaf), leaf)
            return
        chosen = chosen_part(target)
        if chosen is not None and self.place(chosen.value) not in self.lists:
            self.choose_part(target, chosen, e, stmt)
            return
        match target:
            case n.Subscript(value=value, index=n.Display(items=())) if getattr(value.kind, "dims", None) is None:
                self.contribute(value, e, stmt)  # all of it, be it a number, which has no items
            case n.Subscript() | n.Attribute():
                self.add_item(target, e)
            case _:
                message = f"cannot contribute to {target}"
                raise TypeError(message)

    def by_attribute(self, e: n.Expr, kind: Struct) -> n.Expr:
        """The adjoint of an object, which stands in a list as a list, by the names of the object's attributes."""
        if not isinstance(e, n.Read):
            whole = n.Variable("parts", n.Role.RESULT)
            self.emit(n.Assign(whole, e))
            e = n.Read(whole, kind=Unknown("the adjoint of an object"))
        return by_names(e, kind)

    def choose_part(self, target: n.Expr, chosen: n.Subscript, e: n.Expr, stmt: n.Stmt) -> None:
        """Contribute to one part of a tuple that is chosen by an index: to every part, if it is the one."""
        if not isinstance(chosen.value.kind, Struct):
            raise TypeError
        count = len(chosen.value.kind.keys)
        if chosen.value.kind.form == "dict":
            for key in chosen.value.kind.keys:
                here = n.Compare(("==",), (chosen.index, constant(key)), kind=BOOL)
                one = exchange(target, chosen, part(chosen.value, key))
                self.contribute(one, n.Conditional(here, e, self.rules.zero(one), kind=e.kind), stmt)
            return
        for k in range(count):
            wrapped = simplify(n.Binary("%", chosen.index, n.Const(count, kind=INT), kind=INT))
            here = n.Compare(("==",), (wrapped, n.Const(k, kind=INT)), kind=BOOL)
            one = exchange(target, chosen, part(chosen.value, k))
            self.contribute(one, n.Conditional(here, e, self.rules.zero(one), kind=e.kind), stmt)

    def distribute(self, target: n.Expr, items: tuple[object, ...], e: n.Expr, stmt: n.Stmt) -> None:
        """Split a contribution to a tuple, list or dict that is written out among its items."""
        reach = self.reach_of(e)
        if isinstance(e, n.Display | n.Mapping):
            for key, item in written(target, items):
                self.contribute(item, self.part_noted(part(e, key), e, reach, key), stmt)
            return
        wanted = [
            (key, item) for key, item in written(target, items) if any(self.wanted(leaf, stmt) for leaf in atoms(item))
        ]
        if len(wanted) > 1 and not isinstance(e, n.Read):
            whole = n.Variable("parts", n.Role.RESULT)
            self.emit(n.Assign(whole, e))
            e = n.Read(whole, kind=e.kind)
        for key, item in wanted:
            found = part_kind(e.kind, (key,)) or (
                item_of(e.kind) if isinstance(e.kind, Sequence | Unknown) else item.kind
            )
            piece = self.piece(n.Subscript(e, constant(key), kind=as_held(item.kind, found)), e, item)
            self.contribute(item, self.part_noted(piece, e, reach, key), stmt)

    def piece(self, piece: n.Expr, whole: n.Expr, item: n.Expr) -> n.Expr:
        """A part of an adjoint for an item: of an array, in which all are of one dtype, it is NumPy's."""
        if not isinstance(whole.kind, Array) or piece is whole:
            return piece
        found = item_of(whole.kind)
        if not isinstance(item.kind, Scalar | Array):
            return replace(piece, kind=found)
        held = of_dtype(item.kind, whole.kind.dtype) if isinstance(found, Unknown) else as_held(item.kind, found)
        return self.rules.fit(replace(piece, kind=held), item, whole.kind, elementwise=False)

    def accumulate(self, place: Place, e: n.Expr, kind: Kind) -> None:
        """Add an expression to the adjoint of a place: assign if it is zero so far."""
        if self.buffered(place, kind):
            if place in self.mirror.lists:
                self.add_into(self.pointer(place, kind), e)
                return
            op, amount = ("-", e.operand) if isinstance(e, n.Unary) and e.op == "-" else ("+", e)
            whole = n.Subscript(self.pointer(place, kind), n.Const(..., kind=Static(...)), kind=kind)
            self.emit(n.Augment(whole, op, amount))
            return
        entry = self.state.get(place)
        reach = added(None if entry is None else entry.reach, self.reach_of(e))
        if entry is None:
            if isinstance(e, n.Const) and isinstance(kind, Scalar):
                self.state[place] = Entry(e.kind, literal=e, reach=reach)
                return
            self.set(place, e, kind)
            self.reach(place, reach)
            return
        before = self.read(place, kind)
        if isinstance(kind, Sequence | Table | Unknown):  # of an object that is no number there may be no adjoint
            self.set(place, apply(runtime.add_like, before, e, kind=with_items(before.kind, e.kind)), kind)
        elif isinstance(total := simplify(self.type(n.Binary("+", before, e))), n.Const):
            self.state[place] = Entry(total.kind, literal=total)
        else:
            self.set(place, total, kind)
        self.reach(place, reach)

    def add_to_buffer(self, item: n.Expr, holder: Kind, e: n.Expr) -> None:
        """Add to the buffer of an item of a list, which stays the one that it is."""
        is_object = isinstance(holder, Struct) and holder.form == "record"  # whose buffers are a list
        exchangeable = is_object or (isinstance(holder, Sequence | Table | Struct) and holder.cls in (list, dict))
        if isinstance(item.kind, Scalar | Array) and exchangeable:
            self.emit(n.Augment(item, "+", e))
        else:
            self.add_into(item, e)

    def add_into(self, buffer: n.Expr, e: n.Expr) -> None:
        """Add to buffers in place, item by item."""
        self.emit(n.Evaluate(apply(runtime.add_into, buffer, e, kind=Static(None))))

    def set(self, place: Place, e: n.Expr, kind: Kind) -> None:
        """Set the adjoint of a place of a kind."""
        variable = self.adjoint(place)
        reach = self.state[place].reach if place in self.state else WHOLE
        if self.lent(e, place):
            e = self.copied(e, e.kind)
        whole = isinstance(e.kind, Array) and bool(e.kind.dims)  # without axes it may be a number
        numbers = isinstance(e, n.Binary) and isinstance(e.kind, Sequence) and isinstance(e.kind.item, Scalar)
        own = (whole or numbers) and fresh(e)
        if isinstance(e, n.Read) and e.variable in self.handed_over:
            self.handed_over.discard(e.variable)
            own = True
        own = own and not (isinstance(kind, Sequence) and isinstance(e.kind, Array))  # what changes it makes a list
        held = as_held(kind, e.kind)
        if not (isinstance(e, n.Read) and e.variable is variable):
            self.emit(n.Assign(variable, revised(e, kind=held)))
        self.state[place] = Entry(held, owned=own, reach=reach)

    def copied(self, e: n.Expr, kind: Kind) -> n.Expr:
        """A copy of an adjoint, that may be changed in place: of an array, in the dtype that it has."""
        if isinstance(kind, Array):
            held = e.kind if isinstance(e.kind, Array) else kind
            return n.Call(method(e, "copy"), (), kind=held) if kind.dims else apply(np.array, e, kind=held)
        if isinstance(kind, Scalar):
            return self.held(e, kind)
        if isinstance(kind, Sequence | Struct):
            listed = Sequence(item_of(e.kind)) if isinstance(e.kind, Array) else e.kind
            return apply(runtime.copied_list, e, kind=listed)
        return apply(runtime.copy_like, e, kind=kind)  # a dict, or not known

    def lent(self, e: n.Expr, place: Place) -> bool:
        """Whether an expression may be (a view of) a buffer that is changed while this adjoint still holds it."""
        if isinstance(e.kind, Scalar):  # in a list or object the buffer of a number is an array without axes
            in_list = isinstance(e, n.Subscript) and not isinstance(e.value.kind, Array)
            return in_list and any(self.original(v) in self.buffers for v in reads(e))
        held = {self.adjoints[p] for p in self.state if p != place and p in self.adjoints}
        return any(v in held or self.original(v) in self.buffers for v in Regions().of(e))

    # ----------------------------------------------------------------------------------------- lists that change length

    def find_lists(self) -> None:
        """Which places are lists of unknown length at some time: their items have no adjoints of their own."""
        self.lists = changing_lists(self.body, self.scope.captured) | self.mirror.lists
        for place in self.lists:
            if place[0] in self.kinds:
                self.kinds[place[0]] = with_list_kind(place, self.kinds[place[0]], self.body)

    def place(self, expr: n.Expr) -> Place | None:
        """The place that an expression (in versions) denotes; an item of a list that changes is none of its own."""
        if (found := place_of(expr)) is None:
            return None
        variable, path = self.original(found[0]), found[1]
        if any((variable, path[:k]) in self.lists for k in range(len(path))):
            return None
        return variable, path

    def add_item(self, target: n.Expr, e: n.Expr) -> None:  # noqa: PLR0915 - one way down to an item
        """Add to one item (or slice) of the adjoint of an array or list."""
        if isinstance(target, n.Subscript) and self.add_all(target, e):
            return
        chain: list[n.Expr] = []
        base: n.Expr = target
        while self.place(base) is None or isinstance(base.kind, Scalar):
            if not isinstance(base, n.Subscript | n.Attribute):
                raise self.unreadable(target)
            chain.append(base)
            base = base.value
            if self.place(base) is not None:
                break
        place = self.place(base)
        if place is None or (isinstance(base.kind, Struct) and place not in self.lists):
            raise self.unreadable(target)
        entry = self.state.get(place)
        before, came = None if entry is None else entry.reach, self.reach_of(e)
        first = entry is None
        if self.buffered(place, base.kind):
            buffer, first = self.pointer(place, base.kind), False
        elif entry is None:
            self.set(place, self.rules.zero(base), base.kind)
        elif entry.literal is not None or not entry.owned:
            self.had_to_copy[place] = base.kind
            self.set(place, self.copied(self.read(place, base.kind), base.kind), base.kind)
        if not self.buffered(place, base.kind):
            kind = self.state[place].kind
            kind = with_items(kind, Sequence(e.kind)) if len(chain) == 1 else kind
            self.state[place] = Entry(kind, owned=True, reach=self.picked(place, base, chain, before, came))
            buffer = self.read(place, base.kind)
        item: n.Expr = buffer
        for link in reversed(chain):
            match link:
                case n.Subscript(index=key):
                    in_list = place in self.mirror.lists and not isinstance(link.value.kind, Array)
                    item = n.Subscript(item, key, kind=buffer_kind(link.kind) if in_list else link.kind)
                case n.Attribute(value=n.Expr(kind=Array()), name="flat"):
                    item = n.Attribute(item, "flat", kind=link.kind)
                case n.Attribute(value=value, name=name) if (number := field_number(value.kind, name)) is not None:
                    # the adjoint of a list of records is a list of lists, field by field
                    item = n.Subscript(item, n.Const(number, kind=INT), kind=link.kind)
                case _:
                    raise self.unreadable(target)
        index = item.index if isinstance(item, n.Subscript) else n.Const(0, kind=INT)
        holder_kind = chain[0].value.kind if isinstance(chain[0], n.Subscript | n.Attribute) else base.kind
        known = isinstance(item.kind, Scalar | Array) and (item.kind.dtype is not None)
        if place in self.mirror.lists and not isinstance(holder_kind, Array):
            self.add_to_buffer(item, holder_kind, e)
        elif isinstance(item.kind, Sequence | Struct) or (not known and not isinstance(holder_kind, Array)):
            both = apply(runtime.add_like, item, e, kind=item.kind)
            self.emit(n.Store(item, both))
        elif gathers(index):
            add_at = function_of(function_of(NP, np.add), np.add.at)
            holder = item.value if isinstance(item, n.Subscript) else item
            places = as_argument(index)
            if isinstance(holder, n.Attribute) and holder.name == "flat":
                holder = holder.value
                places = apply(runtime.flat_places, places, holder, kind=Array("int64", None))
            self.emit(n.Evaluate(n.Call(add_at, (holder, places, e), kind=Static(None))))
        elif first and isinstance(base.kind, Array):
            self.emit(n.Store(item, e))
        else:
            op, amount = ("-", e.operand) if isinstance(e, n.Unary) and e.op == "-" else ("+", e)
            self.emit(n.Augment(item, op, amount))

    def add_all(self, target: n.Subscript, e: n.Expr) -> bool:
        """Add to the adjoint of an array of which every item is read; whether it is so."""
        kind, inner = target.kind, target.value.kind
        if not isinstance(inner, Array):
            return False
        if inner.dims == () and (isinstance(kind, Scalar) or getattr(kind, "dims", None) == ()):
            self.contribute(target.value, e, self.stmt)  # an array without axes is its one item
            return True
        whole = self.place(target.value)
        aside = whole is not None and not self.buffered(whole, inner)
        if aside and inner.dims is None and only_adds_axes(target.index):
            # of a number, too, of which no item can be set
            turned = self.rules.call(np.reshape, self.rules.stretch(e, target), self.rules.shape(target.value))
            self.contribute(target.value, self.noted(turned, self.reach_of(e).blurred), self.stmt)
            return True
        first = aside and whole not in self.state
        if not inner.dims or not isinstance(kind, Array) or not same_shape(e.kind, kind):
            return False
        if first and only_turns(target.index):
            index = target.index  # what is read the other way round
        elif aside and only_adds_axes(target.index):
            index = without_new_axes(target.index)
        else:
            return False
        dtype = e.kind.dtype if isinstance(e.kind, Array) else inner.dtype
        held = as_held(inner, replace(inner, dtype=dtype))
        turned = self.noted(n.Subscript(e, index, kind=held), self.reach_of(e).blurred)
        self.contribute(target.value, turned, self.stmt)
        return True

    def assembled(self, incoming: dict[Path, n.Expr], path: Path, like: n.Expr) -> n.Expr:
        """The adjoint of a part of a structure, put together from those of the places in it."""
        if path in incoming:
            return incoming[path]
        if not any(given[: len(path)] == path for given in incoming):
            return self.rules.zero(like)
        kind = like.kind
        if not isinstance(kind, Struct) or kind.form == "record":
            raise self.unreadable(like)
        parts = tuple(self.assembled(incoming, (*path, key), at(like, (key,))) for key in kind.keys)
        if kind.form == "dict":
            return n.Mapping(tuple(zip(map(constant, kind.keys), parts, strict=True)), kind=kind)
        return n.Display(kind.form, parts, kind=kind)

    def unreadable(self, target: n.Expr) -> UnsupportedError:
        """The refusal to follow a part of a container back to it."""
        return UnsupportedError(
            "cannot differentiate this way of reading a container",
            span=target.span,
            reason="Which of its parts is read is not known when compiling.",
            remedy="Give the container a name, and read the part by a literal index or key.",
        )

    # --------------------------------------------------------------------------------------------- taking an adjoint

    def items_of_list(self, place: Place, kind: Kind | None, under: list[tuple[Path, Kind]]) -> dict[Path, n.Expr]:
        """The adjoints of the items of a list of a kind within a structure, where they are known one by one."""
        adjoint = n.Read(self.adjoint(place), kind=Unknown("a list of adjoints"))
        start = len(place[1])
        return {path: replace(part_in_list(adjoint, kind, path[start:]), kind=leaf) for path, leaf in under}

    def take(self, variable: n.Variable, kind: Kind) -> dict[Path, n.Expr]:
        """The adjoints of the places of a variable that is being set; before that they are zero."""
        entries = {place[1]: self.state.pop(place) for place in list(self.state) if place[0] is variable}
        self.gone.update({self.adjoint((variable, path)): entry.reach for path, entry in entries.items()})
        self.own_arrays |= {self.adjoint((variable, path)) for path, entry in entries.items() if entry.owned}
        return self.by_places(variable, kind, entries)

    def by_places(self, variable: n.Variable, kind: Kind, entries: dict[Path, Entry]) -> dict[Path, n.Expr]:
        """The adjoints of the places of a variable of a kind, of those that it has: in a list they may be one list."""
        found: dict[Path, n.Expr] = {}
        for path, leaf in leaves(kind):
            if path in entries:
                literal = entries[path].literal
                found[path] = (
                    n.Read(self.adjoint((variable, path)), kind=as_held(leaf, entries[path].kind))
                    if literal is None
                    else self.noted(replace(literal), entries[path].reach)
                )
            elif () in entries and isinstance(self.kinds.get(variable), Sequence | Table):
                # known place by place here, as a list of unknown length elsewhere: its adjoint is one list
                whole_list = n.Read(self.adjoint((variable, ())), kind=self.kinds[variable])
                found[path] = replace(part_in_list(whole_list, kind, path), kind=loose(leaf))
        whole = {path for path, _ in leaves(kind)}
        others = set(entries)
        for path in [p for p in entries if p and p not in whole and (variable, p) in self.lists]:
            under = [(p, k) for p, k in leaves(kind) if p[: len(path)] == path]
            found |= self.items_of_list((variable, path), part_kind(kind, path), under)
            others.remove(path)
        as_list = () in others and isinstance(self.kinds.get(variable), Sequence | Table)
        if whole and not as_list and not all(path in whole or is_constant_part(kind, path) for path in others):
            raise UnsupportedError(
                f"cannot differentiate `{variable.name}`, whose structure changes",
                span=self.origin.span if self.origin else None,
                reason="What it holds has other parts, or another length, on another path.",
                remedy="Give the differently built values different names.",
            )
        return found


def _is_of_list(e: n.Expr) -> bool:
    """Whether an adjoint is (taken out of) one that the compiler keeps, and no seed that a user gave."""
    while isinstance(e, n.Subscript | n.Attribute | n.Call):
        e = e.func if isinstance(e, n.Call) else e.value
    return isinstance(e, n.Read) and e.variable.role is n.Role.ADJOINT
