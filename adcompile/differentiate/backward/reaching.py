"""Where adjoints count: the reach of each, kept beside it through the backward sweep.

An adjoint is told by its variable: `state` has the reach of those that places have, `gone` that of those which were
taken from there. What a statement does to it is found once, by the row that applies or by the index that reads.
"""

from __future__ import annotations

import builtins
import functools
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import field, replace
from typing import TYPE_CHECKING

from adcompile.analyses.steep import is_single, is_steep_by_itself, steep_variables
from adcompile.analyses.typing.lattice import join
from adcompile.analyses.whole_numbers.subscripts import base_of
from adcompile.differentiate.linear.places import Path, Place, as_held, part, part_kind
from adcompile.differentiate.linear.selection import (
    NOWHERE,
    UNCLEAR,
    WHOLE,
    Bounds,
    Part,
    Reach,
    added,
    covers,
    mask_at,
    met,
    narrowed,
    negated,
    partly,
    run_over,
    truth,
)
from adcompile.ir import nodes as n
from adcompile.ir.algebra import counts_up, is_minus_one, number
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import BOOL, UNKNOWN, Array, Extent, Scalar, Struct, same_shape
from adcompile.ir.make import method, ref, together
from adcompile.ir.walk import all_blocks, binds, expressions, reads, statements, targets
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from adcompile.analyses.varied import Activity
    from adcompile.analyses.versions import Versions
    from adcompile.differentiate.linear.contributions import Rules
    from adcompile.differentiate.storage.sweep import Sweep
    from adcompile.ir.kinds import Kind


@value_class()
class Entry:
    """What is known of a place's adjoint that is not zero: the literal it is, or that its array is ours to change.

    `kind` is that of what it holds by now, `reach` says where the result depends on the place at all.
    """

    kind: Kind = field(compare=False)
    literal: n.Const | None = None
    owned: bool = False
    reach: Reach = field(default=WHOLE, compare=False)


State = dict[Place, Entry]


def adjoint_of(place: Place, kind: Kind | None) -> n.Variable:
    """A variable for the adjoint of a place in a variable of a kind."""
    found = None if kind is None else part_kind(kind, place[1])
    is_complex = isinstance(found, Scalar | Array) and (found.dtype or "").startswith("c")
    return n.Variable(place[0].name, n.Role.ADJOINT, of=place[0], path=place[1], is_complex=is_complex)


def of_all(kinds: Iterable[Kind]) -> Kind:
    """The kind of an adjoint that is of one of these."""
    return functools.reduce(lambda one, other: join(one, other, "held"), kinds)


class Reaching(ABC):
    """Keeps the reach of each adjoint."""

    body: list[n.Stmt]
    rules: Rules
    state: State
    origin: n.Origin | None
    versions: Versions
    buffers: set[n.Variable]
    activity: Activity
    sweep: Sweep

    def start_reaches(self) -> None:
        """Make ready."""
        self.held_by: dict[n.Variable, Place] = {}  # whose adjoints variables are
        self.reaches: dict[int, tuple[n.Expr, Reach]] = {}  # of expressions (by identity) of the statement at hand
        self.gone: dict[n.Variable, Reach] = {}  # of adjoints that were taken, or set aside
        self.masks: set[n.Variable] = set()
        self.hands_masks = False
        self.marks: set[n.Variable] = set()  # those that are made item by item
        self.covered: set[Place] = set()  # of which the loop at hand reads every item
        self.counters: set[n.Variable] = set()  # of the loops at hand
        self.replaced_items: dict[Place, set[n.Variable]] = {}  # arrays set item by item, by which counters
        found = steep_variables(self.body, self.activity, self.rules.scope)
        self.steep, self.steep_arrays = found.everything, found.arrays
        self.rules.selecting.loose, self.rules.selecting.original = self.steep, self.original
        self.is_steep = bool(self.steep) or is_steep_by_itself(self.body, self.activity, self.rules.scope)

    def seeded(self, seeds: dict[n.Variable, tuple[Kind, Reach]]) -> list[n.Variable]:
        """Take note of where the adjoints count that a function is given; the masks that it is given as well."""
        given: list[n.Variable] = []
        for variable, (kind, reach) in seeds.items():
            self.gone[variable] = reach
            if reach.is_given:
                given.append(n.Variable("kept", n.Role.FLAG))
                self.gone[variable] = replace(reach, mask=n.Read(given[-1], kind=mask_kind(kind)))
        return given

    def follow(self, variables: set[n.Variable]) -> None:
        """Keep masks for inputs as well, of which others ask where they count."""
        self.hands_masks = True
        self.steep |= variables
        self.steep_arrays |= variables

    @abstractmethod
    def emit(self, stmt: n.Stmt) -> None:
        """Append one backward line, on behalf of the statement at hand."""

    @abstractmethod
    def original(self, version: n.Variable) -> n.Variable:
        """The variable that a version is of."""

    @abstractmethod
    def past(self, expr: n.Expr, stmt: n.Stmt) -> n.Expr:
        """An expression of a statement in terms of versions: its value as of then."""

    @abstractmethod
    def place(self, expr: n.Expr) -> Place | None:
        """The place that an expression (in versions) denotes."""

    @abstractmethod
    def kind_at(self, place: Place) -> Kind:
        """The kind of a place, as far as it is always the same."""

    @abstractmethod
    def adjoint(self, place: Place) -> n.Variable:
        """The variable that holds the adjoint of a place."""

    @abstractmethod
    def buffered(self, place: Place, kind: Kind) -> bool:
        """Whether the adjoint of a place is a buffer made in the forward sweep."""

    def noted(self, e: n.Expr, reach: Reach) -> n.Expr:
        """An adjoint, of which the reach is known."""
        self.reaches[id(e)] = e, reach
        return e

    def part_noted(self, piece: n.Expr, whole: n.Expr, reach: Reach, key: object) -> n.Expr:
        """A part of an adjoint of which the reach is known."""
        return piece if piece is whole or id(piece) in self.reaches else self.noted(piece, reach.of_part(key))

    def reach_of(self, e: n.Expr) -> Reach:
        """Where the result depends on what an expression is an adjoint of."""
        known = self.reaches.get(id(e))
        if known is not None:
            return known[1]
        found: Reach | None = None
        for v in reads(e):
            if v.role is n.Role.ADJOINT:
                entry = self.state.get(self.held_by[v]) if v in self.held_by else None
                reach = self.gone.get(v, UNCLEAR) if entry is None else entry.reach
                found = added(found, reach if isinstance(e, n.Read) else reach.blurred)
            elif v.role is n.Role.SEED:
                found = added(found, self.gone.get(v, WHOLE))
            elif self.original(v) in self.buffers:
                found = added(found, UNCLEAR)
        return found or WHOLE

    def reach(self, place: Place, reach: Reach) -> None:
        """Say of an adjoint where it counts."""
        entry = self.state.get(place)
        if entry is not None and entry.reach is not reach:
            self.state[place] = replace(entry, reach=reach)

    def end_reach(self, place: Place) -> Reach:
        """Where an input counts, when the backward sweep is made."""
        variable, path = place
        entry = next((e for k in range(len(path), -1, -1) if (e := self.state.get((variable, path[:k])))), None)
        if entry is None:
            return NOWHERE
        return entry.reach if place in self.state else UNCLEAR  # a part of a list whose adjoint is one list

    def reach_of_parts(self, incoming: dict[Path, n.Expr], ans: n.Expr) -> Reach:
        """The reach of a result that has several parts: what nobody read of it does not count."""
        if () in incoming:
            return self.reach_of(incoming[()])
        found = {path: self.reach_of(g) for path, g in incoming.items()}
        fixed = all(reach.fixed for reach in found.values())
        kind = ans.kind
        if not isinstance(kind, Struct) or any(len(path) != 1 for path in found):
            return partly(fixed=fixed)
        if len(found) == len(kind.keys) and all(reach.whole for reach in found.values()):
            return Reach(fixed=fixed)
        masks: list[n.Expr] = []
        for key, item in zip(kind.keys, kind.items, strict=True):
            reach = found.get((key,), NOWHERE)
            if not isinstance(item, Array) or not (reach.whole or reach.mask is not None):
                return partly(fixed=fixed)
            told = reach.mask is not None and reach != NOWHERE
            masks.append(reach.mask if told and reach.mask else self.full(part(ans, key), whole=reach.whole))
        return partly(n.Display("list", tuple(masks), kind=replace(kind, form="list", cls=list)), fixed=fixed)

    def new_mask(self) -> n.Variable:
        """A variable for a mask."""
        made = n.Variable("kept", n.Role.FLAG)
        self.masks.add(made)
        return made

    def drop_masks(self, lines: list[n.Stmt], wanted: set[n.Variable]) -> None:
        """Take out the lines that make masks which no other line asks for, given those that are wanted anyway."""
        making: list[tuple[set[n.Variable], set[n.Variable]]] = []  # of each line: the masks, and what it reads
        for stmt in statements(lines):
            made = _masks_made(stmt, self.masks)
            read = {v for e in expressions(stmt) for v in reads(e)}
            if made:
                making.append((made, read))
            else:
                wanted |= read & self.masks
        while any(made & wanted and not (read & self.masks) <= wanted for made, read in making):
            wanted |= {v for made, read in making if made & wanted for v in read & self.masks}
        if self.masks <= wanted:
            return
        for block in all_blocks(lines):
            block[:] = [s for s in block if not (made := _masks_made(s, self.masks)) or made & wanted]

    def witness(self, g: n.Expr) -> n.Expr:
        """What tells where an adjoint is zero that is scaled next, by a name of its own."""
        made = truth(g)
        kept = self.new_mask()
        self.emit(n.Assign(kept, made))
        return n.Read(kept, kind=made.kind)

    # ------------------------------------------------------------------------------------------------ item by item

    def picked(self, place: Place, base: n.Expr, chain: list[n.Expr], before: Reach | None, came: Reach) -> Reach:
        """The reach of an array of which a part is read (`chain` leads there, outermost first)."""
        if all(isinstance(link, n.Subscript) and _is_whole(link.index) for link in chain):
            return added(before, came.blurred)
        fixed = came.fixed and (before is None or before.fixed)
        dims = base.kind.dims if isinstance(base.kind, Array) and base.kind.dims is not None else ()
        own = before.parts if before is not None else ()
        part = _part(chain[0].index, len(dims)) if len(chain) == 1 and isinstance(chain[0], n.Subscript) else None
        parts = (part, *own) if part is not None and came.whole else own
        matters = place[0] in self.steep_arrays
        if (before is not None and before.whole) or (dims and covers(parts, dims[0], asks=matters)):
            return Reach(fixed=fixed)
        found = replace(self._picked(place, base, chain, before, came, fixed=fixed), parts=parts)
        if found.mask is not None:
            return found
        every = matters and came.whole and len(chain) == 1 and self.is_of_every_row(chain[0], base)
        return replace(found, every_row=every or (before is not None and before.every_row))

    def is_of_every_row(self, link: n.Expr, base: n.Expr) -> bool:
        """Whether an index takes one item of each row: `x[np.arange(len(x)), places]`."""
        match link, base.kind:
            case (
                n.Subscript(index=n.Display(form="tuple", items=(rows, n.Expr(kind=Array(dims=(own,)))))),
                Array(dims=(length, _)),
            ) if isinstance(rows.kind, Array) and rows.kind.dims == (own,):
                pass
            case _:
                return False
        if isinstance(rows, n.Read):
            of = self.original(rows.variable)
            if of in self.versions.changed or of in self.versions.passed:
                return False
            made = [s for s in statements(self.body) if of in binds(s)]
            rows = made[0].value if len(made) == 1 and isinstance(made[0], n.Assign) else rows
        if not counts_up(rows):
            return False
        return own.is_as_long(length) if isinstance(own, Extent) else own == length

    def _picked(
        self, place: Place, base: n.Expr, chain: list[n.Expr], before: Reach | None, came: Reach, *, fixed: bool
    ) -> Reach:
        own = before.mask if before is not None else None
        index = chain[0].index if len(chain) == 1 and isinstance(chain[0], n.Subscript) else None
        mask = mask_at(index, base.kind)
        if mask is not None and (before is None or own is not None):
            return replace(added(before, partly(mask, fixed=fixed, shown=True, exact=came.whole)), fixed=fixed)
        if fixed or index is None or place[0] not in self.steep_arrays or place in self.covered:
            return partly(fixed=fixed)
        if not came.whole and (came.mask is None or not (is_single(came.mask.kind) or _takes_once(index))):
            return partly(fixed=fixed)
        if before is None:
            own = self.marked(base, whole=False)
        if not isinstance(own, n.Read) or own.variable not in self.marks:
            return partly(fixed=fixed)
        item = n.Subscript(own, index, kind=mask_kind(chain[0].kind))
        mask = n.Const(value=True, kind=BOOL) if came.mask is None else came.mask
        one = before is None or came.mask is None
        self.spare_masks(own.variable, place)
        self.emit(n.Store(item, mask if one else n.Binary("|", item, mask, kind=item.kind)))
        return partly(own, fixed=fixed)

    def overwritten(self, place: Place, target: n.Expr, links: list[n.Expr], before: Reach) -> Reach:
        """The reach of an array before a part of it was set."""
        index = links[0].index if len(links) == 1 and isinstance(links[0], n.Subscript) else None
        if index is None:
            return partly(fixed=before.fixed)
        mask = mask_at(index, target.kind)
        if mask is not None:
            return narrowed(before, negated(mask))
        dims = target.kind.dims if isinstance(target.kind, Array) and target.kind.dims is not None else ()
        part = _part(index, len(dims))
        counters = {v for v in part if v in self.counters} if isinstance(part, tuple) else set()
        if counters and before.whole:  # each iteration sets another item: what was there counts behind the loop alone
            self.replaced_items[place] = counters | self.replaced_items.get(place, set())
            return before
        if before.fixed or not before.whole or place[0] not in self.steep_arrays:
            return partly(fixed=before.fixed)
        own = self.marked(target, whole=True)
        self.emit(n.Store(n.Subscript(own, index, kind=BOOL), n.Const(value=False, kind=BOOL)))
        return partly(own, fixed=before.fixed)

    def marked(self, like: n.Expr, *, whole: bool) -> n.Expr:
        """A mask of the shape of an array, all true or all false, to be changed item by item."""
        kept = self.new_mask()
        self.marks.add(kept)
        full = self.full(like, whole=whole)
        self.emit(n.Assign(kept, full))
        return n.Read(kept, kind=full.kind)

    def full(self, like: n.Expr, *, whole: bool) -> n.Expr:
        """A new mask of the shape of an array, all true or all false."""
        shape = n.Call(n.Attribute(self.rules.numpy, "shape"), (like,))
        dtype = n.Attribute(self.rules.numpy, "bool_")
        make = n.Call(n.Attribute(self.rules.numpy, "ones" if whole else "zeros"), (shape, dtype))
        return replace(self.rules.typer(make), kind=mask_kind(like.kind))

    # ------------------------------------------------------------------------------------------------ where paths meet

    def meeting(self, place: Place, reaches: list[Reach], kind: Kind) -> bool:
        """Whether it takes a mask of its own to tell where an adjoint counts behind several paths."""
        known = all(r.whole or r.mask is not None or r.fixed for r in reaches)
        told = not known or all(r.fixed for r in reaches) or all(r.whole for r in reaches)
        if told or not isinstance(kind, Scalar | Array):
            return False
        return place[0] in (self.steep if is_single(kind) else self.steep_arrays)

    def mask_of(self, place: Place, kind: Kind, reach: Reach, entry: Entry | None) -> n.Expr:
        """Where an adjoint counts, as a mask that nobody else holds."""
        known = kind if entry is None else as_held(kind, entry.kind)
        if place[0] in self.sweep.unset and isinstance(known, Array):
            known = replace(known, dims=None)  # or None
        held: n.Expr = n.Read(self.adjoint(place), kind=known)
        if reach.mask is not None and reach != NOWHERE:
            if isinstance(kind, Scalar):
                return reach.mask
            if is_single(reach.mask.kind):
                return n.Binary("&", self.full(held, whole=True), reach.mask, kind=mask_kind(kind))
            return _copied(reach.mask)
        if not reach.whole and reach != NOWHERE:  # zeros tell
            held = held if entry is None or entry.literal is None else entry.literal
            return n.Compare(("!=",), (held, number(0)), kind=mask_kind(kind))
        if isinstance(kind, Scalar):
            return n.Const(value=reach.whole, kind=BOOL)
        return self.full(held, whole=reach.whole)

    def in_one_mask(
        self,
        place: Place,
        kind: Kind,
        ways: tuple[Entry | None, Entry | None],
        masks: dict[Place, tuple[n.Variable, n.Expr, n.Expr]],
        taken: set[n.Variable],
    ) -> Reach:
        """Tell by a mask of its own where an adjoint counts behind two paths; what it is set to goes to `masks`.

        It may go on with the mark that it has, unless others have it, too: those are `taken`.
        """
        reaches = [NOWHERE if entry is None else entry.reach for entry in ways]
        marks = [r.mask for r in reaches if isinstance(r.mask, n.Read) and r.mask.variable in self.marks]
        plain = len(marks) > 0 and all(r == NOWHERE or r.mask == marks[0] for r in reaches)
        plain = plain and marks[0].variable not in taken
        kept = marks[0] if plain else n.Read(self.new_mask(), kind=mask_kind(kind))
        self.marks |= {kept.variable} if isinstance(kind, Array) else set()
        one, other = (
            kept if reach.mask == kept else self.mask_of(place, kind, reach, entry)
            for entry, reach in zip(ways, reaches, strict=True)
        )
        masks[place] = kept.variable, one, other
        return partly(kept, fixed=False)

    def keep_masks(self, state: State, masks: dict[Place, tuple[n.Variable, n.Expr, n.Expr]]) -> None:
        """Give a name to the masks of other adjoints that are made of those that are set anew."""
        anew = {kept for kept, *made in masks.values() if any(mask != n.Read(kept) for mask in made)}
        for place, entry in state.items():
            mask = entry.reach.mask
            if mask is not None and place not in masks and reads(mask) & anew:
                kept = self.new_mask()
                masks[place] = kept, _copied(mask), _copied(mask)
                state[place] = replace(entry, reach=replace(entry.reach, mask=n.Read(kept, kind=mask.kind)))

    def spare_masks(self, mark: n.Variable, of: Place) -> None:
        """Copy the masks of other adjoints that are made of one that is changed next."""
        for place, entry in list(self.state.items()):
            mask = entry.reach.mask
            if mask is not None and place != of and mark in reads(mask):
                kept = self.new_mask()
                self.emit(n.Assign(kept, _copied(mask)))
                self.state[place] = replace(entry, reach=replace(entry.reach, mask=n.Read(kept, kind=mask.kind)))

    def at_once(self, masks: list[tuple[n.Variable, n.Expr]]) -> list[n.Stmt]:
        """The lines that set masks, each made of what the others were before."""
        anew = [(kept, mask) for kept, mask in masks if mask != n.Read(kept)]
        if any(kept in reads(mask) for k, (kept, _) in enumerate(anew) for _, mask in anew[k + 1 :]):
            kind = Struct("tuple", tuple, tuple(range(len(anew))), tuple(mask.kind for _, mask in anew))
            whole = n.Display("tuple", tuple(mask for _, mask in anew), kind=kind)
            names = together(*(n.Read(kept, kind=mask.kind) for kept, mask in anew))
            return [n.Unpack(names, whole, origin=self.origin)]
        return [n.Assign(kept, mask, origin=self.origin) for kept, mask in anew]

    def head_reach(self, place: Place, then: Entry | None, now: Entry | None, masks: dict[Place, n.Read]) -> Reach:
        """Where an adjoint counts at the head of an iteration; by a mask of its own, where that changes."""
        if then is None and now is not None and now.reach.whole:
            return now.reach  # what the last iteration makes for the next one is no selection
        reach = met([None if e is None else e.reach for e in (then, now)])
        reaches = [NOWHERE if e is None else e.reach for e in (then, now)]
        kind = self.kind_at(place)
        others = {kept.variable for kept in masks.values()}
        stays = reach == reaches[0] or reach.mask is not None
        stays = stays and (reach.mask is None or not reads(reach.mask) & others)
        told = place in self.covered or (place not in masks and stays)
        if told or not self.meeting(place, reaches, kind):
            masks.pop(place, None)
            return reach
        if place not in masks:
            masks[place] = n.Read(self.new_mask(), kind=mask_kind(kind))
            self.marks |= {masks[place].variable} if isinstance(kind, Array) else set()
        return partly(masks[place], fixed=False)

    def carry_masks(self, masks: dict[Place, n.Read], start: State, lines: list[n.Stmt]) -> None:
        """Set the masks of a loop before it, and at the end of each iteration, given its lines."""
        ends: list[tuple[n.Variable, n.Expr]] = []
        for place, kept in masks.items():
            kind, entry, now = self.kind_at(place), start.get(place), self.state.get(place)
            self.emit(n.Assign(kept.variable, self.mask_of(place, kind, _reach(entry), entry)))
            if now is None or now.reach.mask != kept:
                ends.append((kept.variable, self.mask_of(place, kind, _reach(now), now)))
        lines += self.at_once(ends)

    def counters_of(self, stmt: n.For | n.While, index: n.Variable | None) -> set[n.Variable]:
        """What tells the iterations of a loop apart, as its backward lines call it."""
        counters = set() if index is None else {index}
        pairs: list[tuple[n.Expr, n.Expr]] = []
        match stmt:
            case n.For(iterable=n.Call(func=n.Ref(value=builtins.range)), target=n.Read() as target):
                pairs = [(target, stmt.iterable)]
            case n.For(iterable=n.Call(func=n.Ref(value=builtins.zip), args=args), target=n.Display(items=items)):
                pairs = [*zip(items, args, strict=False)]
            case n.For(iterable=n.Call(func=n.Ref(value=builtins.enumerate)), target=n.Display(items=(first, *_))):
                pairs = [(first, n.Call(ref(range), ()))]
        counts = [e.variable for e, source in pairs if isinstance(e, n.Read) and _is_range(source)]
        return counters | {self.versions.inside[stmt][v] for v in counts}

    def behind_loop(self, counters: set[n.Variable]) -> None:
        """What a loop has set item by item does not count any more as it was before."""
        for place, replaced in list(self.replaced_items.items()):
            replaced.difference_update(counters)
            if not replaced:
                del self.replaced_items[place]
                if place in self.state:
                    self.reach(place, partly(fixed=self.state[place].reach.fixed))

    def is_run_over(self, place: Place, now: Entry, stmt: n.For | n.While, index: n.Variable | None) -> bool:
        """Whether a loop reads every item of an array, whichever they are; its counter runs over the whole axis."""
        kind = self.kind_at(place)
        if not now.reach.parts or not isinstance(stmt, n.For) or not isinstance(kind, Array) or kind.dims is None:
            return False
        counter, dims = index, kind.dims
        match stmt.target, stmt.iterable:
            case n.Read(variable=variable), n.Call(func=n.Ref(value=builtins.range), args=(stop,)):
                counter = self.versions.inside[stmt][variable]
                length = stop.value if isinstance(stop, n.Const) else getattr(stop.kind, "extent", None)
                found = run_over(now.reach, counter, lambda axis: length is not None and dims[axis] == length)
            case _, iterable if counter is not None and self.place(self.past(iterable, stmt)) == place:
                found = run_over(now.reach, counter, lambda axis: axis == 0)
            case _:
                return False
        self.state[place] = replace(now, reach=found)
        return found.whole

    def stored(self, held: n.Expr, links: list[n.Expr], before: Reach) -> n.Expr:
        """The adjoint of a value that a part of an array was set to, or had added."""
        mask = before.mask
        link = links[0] if len(links) == 1 else None
        if mask is not None and isinstance(link, n.Subscript) and same_shape(mask.kind, link.value.kind):
            kind = replace(link.kind, dtype="bool") if isinstance(link.kind, Scalar | Array) else UNKNOWN
            return self.noted(held, replace(before, mask=n.Subscript(mask, link.index, kind=kind)))
        plain = before if mask is None or is_single(mask.kind) else before.blurred
        return self.noted(held, replace(plain, every_row=False))


def _copied(mask: n.Expr) -> n.Expr:
    """A mask that nobody else holds."""
    of_its_own = isinstance(mask, n.Binary | n.Compare | n.Unary) or isinstance(mask.kind, Scalar)
    return mask if of_its_own else n.Call(method(mask, "copy"), (), kind=mask.kind)


def _is_range(source: n.Expr) -> bool:
    return isinstance(source, n.Call) and n.object_of(source.func) is range


def _part(index: n.Expr, axes: int) -> Part | None:
    """The part of an array that an index reads, where it is one that may make up the whole with others."""
    items = index_parts(index)
    if all(isinstance(item, n.Read) and isinstance(item.kind, Scalar) for item in items) and len(items) <= axes:
        return (*(item.variable for item in items if isinstance(item, n.Read)), *[None] * (axes - len(items)))
    first, *others = items
    if not isinstance(first, n.Slice) or first.step is not None or any(item != n.Slice() for item in others):
        return None
    start = 0 if first.lower is None else getattr(first.lower, "value", None)
    if type(start) is not int or start < 0:
        return None
    match first.upper:
        case None:
            return Bounds(start, None)
        case n.Unary(op="-", operand=n.Const(value=int() as back)) if back > 0:
            return Bounds(start, -back)
        case n.Const(value=int() as stop) if stop < 0:
            return Bounds(start, stop)
        case _:
            return None


def _masks_made(stmt: n.Stmt, masks: set[n.Variable]) -> set[n.Variable]:
    """The masks that a line makes, or makes a part of."""
    match stmt:
        case n.Assign(target=target):
            return {target} & masks
        case n.Store(target=target):
            return set(reads(base_of(target))) & masks
        case n.Unpack(pattern=pattern):
            found = set(targets(pattern))
            return found if found <= masks else set()
        case _:
            return set()


def _reach(entry: Entry | None) -> Reach:
    return NOWHERE if entry is None else entry.reach


def mask_kind(kind: Kind) -> Kind:
    """The kind of a mask for a number, an array, or what may be either."""
    return BOOL if isinstance(kind, Scalar) else Array("bool", kind.dims if isinstance(kind, Array) else None)


def _takes_once(index: n.Expr) -> bool:
    """Whether an index has no item twice: slices and numbers."""
    return all(isinstance(e, n.Slice | n.Const) or isinstance(e.kind, Scalar) for e in index_parts(index))


def _is_whole(index: n.Expr) -> bool:
    """Whether an index reads every item: `x[:, None]`, `x[::-1]`."""
    match index:
        case n.Display(form="tuple", items=items):
            return all(map(_is_whole, items))
        case n.Slice(lower=None, upper=None, step=step):
            return step is None or is_minus_one(step)
        case n.Const(value=value):
            return value is None or value is ...
        case _:
            return False
