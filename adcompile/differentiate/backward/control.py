"""Branches and loops of the backward sweep, and what the forward sweep remembers of them.

A branch is taken again, a loop is run in reverse order. A test that cannot be told afterwards is remembered, and so is
how often a loop ran; `weave` puts the lines that do so into the forward sweep.

    if t: A                   ->    if t: A backwards
    for i in range(n): A      ->    for i in reversed(range(n)): A backwards
    while t: A                ->    for _ in range(trips): A backwards        (forwards: trips += 1)

Where two paths meet, or an iteration meets the one before, an adjoint that only one of them has is set on the other.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TYPE_CHECKING

from adcompile.analyses.exclusive import set_once
from adcompile.analyses.varied import Activity, iterable_varies
from adcompile.analyses.versions import stops
from adcompile.differentiate.backward.contributing import Contributing
from adcompile.differentiate.backward.reaching import Entry, State, of_all
from adcompile.differentiate.desugar.iteration.iterables import Items, items_of
from adcompile.differentiate.linear.places import Path, Place, as_held, at, leaves, part_kind, zero_if_set
from adcompile.differentiate.linear.selection import NOWHERE, Reach, met
from adcompile.differentiate.linear.shapes import item_at, kind_with, kinds_in, length, reshaped_variables
from adcompile.differentiate.normal.flat import cheap
from adcompile.errors import ADError, UnsupportedError, seen_from
from adcompile.ir import nodes as n
from adcompile.ir.algebra import number
from adcompile.ir.kinds import BOOL, INT, UNKNOWN, Array, Kind, Scalar, Sequence, Struct, Table
from adcompile.ir.make import apply, range_of
from adcompile.ir.walk import blocks, reads, statements, substitute, targets

if TYPE_CHECKING:
    from collections.abc import Callable as Function

    from adcompile.analyses.versions import Env, Versions
    from adcompile.differentiate.backward.list_buffers import Mirror
    from adcompile.differentiate.linear.contributions import Rules


class Control(Contributing, ABC):
    """Adds branches and loops to the backward sweep, and to the forward sweep the lines that remember their course."""

    def __init__(
        self,
        body: list[n.Stmt],
        activity: Activity,
        versions: Versions,
        rules: Rules,
        kinds: dict[n.Variable, Kind],
        mirror: Mirror,
    ) -> None:
        super().__init__(body, activity, versions, rules, kinds, mirror)
        self.reshaped = reshaped_variables(body, kinds)
        self.reshaped |= {
            v: self.kinds[v]
            for v in versions.changed
            if isinstance(self.kinds.get(v), Sequence | Struct | Table) and v not in self.reshaped
        }
        self.set_once = set_once(body) - versions.changed
        self.outcomes: dict[n.Stmt, n.Variable] = {}
        self.counts: dict[n.Stmt, n.Variable] = {}
        self.inserted: dict[n.Stmt, list[n.Stmt]] = {}
        self.zeros_as_of: Env | None = None  # the versions that zeros are like, where it matters
        self.homes: dict[int, list[n.Stmt]] = {}  # of blocks whose values are read behind them too
        self.is_doubtful = False  # whether an exception may have left the block at hand, and have been caught

    @abstractmethod
    def statement(self, stmt: n.Stmt) -> None:
        """Append the backward lines of a statement."""

    @abstractmethod
    def needs_steps(self, stmt: n.For | n.While, lines: list[n.Stmt]) -> bool:
        """Whether the backward lines of a step read anything that a step sets."""

    @abstractmethod
    def step_by_step(self, stmt: n.For | n.While, index: n.Variable | None, lines: list[n.Stmt]) -> n.Stmt | None:
        """The loop that undoes each step before the next, given the backward lines of a step; None if that is wrong."""

    @abstractmethod
    def from_snapshots(self, stmt: n.For, lines: list[n.Stmt]) -> n.Stmt:
        """The loop that undoes a checkpointed one, given the backward lines of a step."""

    def block_into(self, body: list[n.Stmt], lines: list[n.Stmt]) -> None:
        """Append the backward lines of a block."""
        saved, self.lines = self.lines, lines
        self.sweep.mirror[id(body)] = self.homes.get(id(body), lines)
        for stmt in reversed(body):
            self.origin, self.stmt = stmt.origin, stmt
            self.own_arrays, self.reaches = set(), {}
            try:
                self.statement(stmt)
            except ADError as refusal:
                raise seen_from(refusal, stmt.span) from refusal
        self.lines = saved

    # ------------------------------------------------------------------------------------------------------ branches

    def branch(self, stmt: n.If) -> None:
        """Backward lines of `if`: the same branch, backwards."""
        while True:
            before = dict(self.state)
            stale = {p for p, entry in before.items() if entry.literal is None and p[0] in self.set_once}
            copied_before, self.had_to_copy = self.had_to_copy, {}
            then: list[n.Stmt] = []
            orelse: list[n.Stmt] = []
            self.block_into(stmt.then, then)
            state_then, self.state = self.state, dict(before)
            self.block_into(stmt.orelse, orelse)
            state_else = self.state
            copied_here, self.had_to_copy = self.had_to_copy, copied_before | self.had_to_copy
            # A copy that is made on one path only would be made again and again in a loop: it goes before the branch.
            early = [p for p in before if p in copied_here and before[p].literal is None and not before[p].owned]
            if not early:
                break
            self.state = before
            self.origin, self.stmt = stmt.origin, stmt
            for place in early:
                held = n.Read(self.adjoint(place), kind=before[place].kind)
                copied = self.copied(held, copied_here[place])
                self.emit(n.Assign(self.adjoint(place), copied))
                self.state[place] = replace(before[place], kind=copied.kind, owned=True)
        self.origin, self.stmt = stmt.origin, stmt
        if stops(stmt.then) and not self.is_doubtful:
            self.state = state_else
        elif stops(stmt.orelse) and not self.is_doubtful:
            self.state = state_then
        else:
            self.state = self.meet(stmt, state_then, then, state_else, orelse, lambda: self.outcome(stmt), stale=stale)
        if then or orelse:
            self.emit(n.If(self.outcome(stmt), then, orelse))

    def outcome(self, stmt: n.If) -> n.Expr:
        """The outcome of a test, in the backward sweep: the test again where that is cheap, else remembered."""
        if stmt not in self.outcomes:
            test = self.past(stmt.test, stmt)
            if cheap(stmt.test) and all(self.remains(v) for v in reads(test)):
                return test
            taken = self.outcomes[stmt] = n.Variable("taken", n.Role.FLAG)
            truth = stmt.test
            if not isinstance(truth.kind, Scalar):
                # a list may be empty by then: its truth is kept, not the list
                truth = apply(bool, truth, kind=BOOL, span=truth.span)
            remember = n.Assign(taken, truth, origin=stmt.origin)
            self.inserted[stmt] = [remember]
            self.stands_for(remember, stmt)
            self.versions.info[self.versions.late(taken, stmt)].stmt = remember
        taken = self.outcomes[stmt]
        version = next(v for v, i in self.versions.info.items() if i.variable is taken)
        return n.Read(version, kind=BOOL)

    def remains(self, version: n.Variable) -> bool:
        """Whether a version can surely be read in the backward sweep at no cost."""
        info = self.versions.info.get(version)
        if info is None:
            return True
        if info.birth == "target" and isinstance(info.stmt, n.For) and items_of(info.stmt.iterable).by_range:
            return True
        return self.versions.final.get(info.variable) is version or info.variable in self.versions.once

    def meet(
        self,
        stmt: n.Stmt,
        a: State,
        lines_a: list[n.Stmt],
        b: State,
        lines_b: list[n.Stmt],
        test: Function[[], n.Expr] | None = None,
        *,
        stale: AbstractSet[Place] = frozenset(),
    ) -> State:
        """Bring the states of two paths together: what one path lacks is set to zero there.

        `test` is true where the first path was taken. Adjoints that are `stale` where a path has taken them may stay as
        they are: nobody takes them again.
        """
        merged: State = {}
        masks: dict[Place, tuple[n.Variable, n.Expr, n.Expr]] = {}  # that are set on both paths, and to what
        for place in [*a, *(p for p in b if p not in a)]:
            one, other = a.get(place), b.get(place)
            told = test() if test is not None and place[0] in self.steep and (one is None or other is None) else None
            reach = met([None if e is None else e.reach for e in (one, other)], told)
            kinds = [e.kind for e in (one, other) if e is not None]
            if one is None or one != other:
                kinds = [
                    self.settle(place, e, lines, stmt)
                    for e, lines in ((one, lines_a), (other, lines_b))
                    if e is not None or place not in stale
                ]
            held = of_all(kinds)
            if reach.mask is None:
                kind = self.kind_at(place)
                if self.meeting(place, [NOWHERE if e is None else e.reach for e in (one, other)], kind):
                    others = [e.reach.mask for state in (a, b) for p, e in state.items() if p != place]
                    taken = {v for mask in others if mask is not None for v in reads(mask)}
                    reach = self.in_one_mask(place, kind, (one, other), masks, taken)
            if one is not None and one == other:
                merged[place] = replace(one, kind=held, reach=reach)
                continue
            merged[place] = Entry(held, owned=all(e is None or e.owned for e in (one, other)), reach=reach)
        self.keep_masks(merged, masks)
        lines_a += self.at_once([(kept, mask) for kept, mask, _ in masks.values()])
        lines_b += self.at_once([(kept, mask) for kept, _, mask in masks.values()])
        return merged

    def settle(
        self, place: Place, entry: Entry | None, lines: list[n.Stmt], stmt: n.Stmt, *, inside: bool = False
    ) -> Kind:
        """Put an adjoint that is zero or literal into its variable; the kind of what that holds."""
        if entry is not None and entry.literal is None:
            return entry.kind
        saved, self.lines = self.lines, lines
        literal = None if entry is None else entry.literal
        value = literal or self.zero_at(place, stmt, inside=inside)
        self.emit(n.Assign(self.adjoint(place), value))
        self.lines = saved
        return value.kind

    def zero_at(self, place: Place, stmt: n.Stmt, *, inside: bool = False) -> n.Expr:
        """A zero like a place, where its value is that of before or after a statement."""
        variable, path = place
        own = isinstance(stmt, n.For) and variable in targets(stmt.target)
        kind = self.kinds.get(variable, INT) if own else self.kind_of(variable, path)
        every = self.reshaped.get(variable)
        if not own and every is not None and isinstance(part_kind(every, path), Array):
            kind = every  # which may be another one than the last
        kind = kind_with(variable, kind, path, self.body)
        env = self.versions.before[stmt] if variable in self.versions.before[stmt] else self.versions.after[stmt]
        is_set = False
        if inside and variable in self.reshaped and variable in self.versions.inside[stmt]:
            env = self.versions.inside[stmt]  # its shape at the head of this iteration, not before the loop
        elif variable in self.reshaped and not isinstance(stmt, n.If):
            env = self.versions.after[stmt]
        elif inside and isinstance(stmt, n.For | n.While) and not self.is_there(env.get(variable, variable)):
            end = self.versions.after.get(stmt.body[-1], env)
            if self.is_there(end.get(variable, variable)):  # an iteration has set it: it is as in the end
                env = end if self.is_deleted(variable) else self.versions.final
                is_set = True
        if self.zeros_as_of is not None and variable in self.zeros_as_of:
            env = self.zeros_as_of
        born = self.versions.info.get(env.get(variable, variable))
        if self.is_doubtful and variable.role is n.Role.TEMPORARY and not (born and born.certain):
            return number(0.0)  # it is there within an iteration only, if that got so far
        zero = self.rules.zero(at(n.Read(env.get(variable, variable), kind=kind), path))
        if not is_set and not self.is_there(env.get(variable, variable)) and not isinstance(zero, n.Const):
            self.sweep.unset[variable] = None
            zero = zero_if_set(n.Read(env[variable], kind=kind), path)
        if (
            self.is_doubtful
            and self.zeros_as_of is None
            and variable in self.reshaped
            and not all(map(self.stays, reads(zero)))
        ):
            raise UnsupportedError(
                f"cannot differentiate `{variable.name}` in this `try`",
                span=stmt.span,
                reason="It is of different shapes at different times, and which it has depends on where it is left.",
                remedy="Give the values of different shapes different names.",
            )
        return zero

    def is_there(self, version: n.Variable) -> bool:
        """Whether a version surely has a value."""
        info = self.versions.info.get(version)
        return info is None or info.certain or info.birth == "param"

    def is_deleted(self, variable: n.Variable) -> bool:
        """Whether a variable has no value any more behind some line."""
        return any(isinstance(s, n.Delete) and s.variable is variable for s in statements(self.body))

    def stays(self, version: n.Variable) -> bool:
        """Whether a variable has the value of a version to the end, wherever it is left."""
        while version in self.versions.alike:
            version = self.versions.alike[version]
        info = self.versions.info.get(version)
        return info is None or self.versions.final.get(info.variable) is version

    def kind_at(self, place: Place) -> Kind:
        """The kind of a place, as far as it is always the same."""
        if place[0] in self.mixed:
            return UNKNOWN
        return part_kind(self.reshaped.get(place[0]) or self.kind_of(*place), place[1]) or UNKNOWN

    def kind_of(self, variable: n.Variable, path: Path) -> Kind:
        """The kind of a variable that has a place: as it is set last, unless it is of several kinds by turns."""
        kind = self.kinds.get(variable, INT)
        if variable not in self.mixed:
            return kind_with(variable, kind, path, self.body)  # of a new object or dict, not every part is known
        if path:
            return next((k for k in self.mixed[variable] if path in dict(leaves(k))), kind)
        lists = [k for k in self.mixed[variable] if isinstance(k, Sequence | Table | Struct)]
        return next((k for k in lists if isinstance(k, Sequence | Table)), lists[0]) if lists else Array(None, None)

    # --------------------------------------------------------------------------------------------------------- loops

    def copied_place(self, place: Place, held: Kind) -> n.Expr:
        """A copy of what the adjoint of a place holds, where that is of a kind."""
        kind = part_kind(self.kind_of(*place), place[1]) or UNKNOWN
        whole = n.Read(self.adjoint(place), kind=as_held(kind, held))
        return self.copied(whole, kind)

    def loop(self, stmt: n.For | n.While) -> None:  # noqa: C901, PLR0912, PLR0915 - one fixed point
        """Backward lines of a loop: its iterations in reverse order."""
        breaks = any(isinstance(s, n.Break) for s in _own(stmt.body)) or self.is_doubtful
        items = items_of(stmt.iterable) if isinstance(stmt, n.For) else None
        inside = self.versions.inside[stmt]
        index: n.Variable | None = None
        binding: n.Expr | None = None
        if items is not None and not items.by_range and items.indexable:
            index = n.Variable("k")
            binding = items.item(n.Read(index, kind=INT))
        head = dict(self.state)
        start = dict(self.state)
        masks: dict[Place, n.Read] = {}  # of adjoints that count elsewhere from iteration to iteration
        covered: dict[Place, Reach] = {}  # of which all items are read
        begin: dict[Place, Entry | None] = {}
        owning: dict[Place, bool] = {}  # adjoints copied before the loop, to be changed in place in it
        counters = self.counters_of(stmt, index)
        self.counters |= counters
        while True:
            self.state = dict(head)
            lines: list[n.Stmt] = []
            copied_before, self.had_to_copy = self.had_to_copy, {}
            self.block_into(stmt.body, lines)
            self.origin, self.stmt = stmt.origin, stmt
            saved, self.lines = self.lines, lines
            if isinstance(stmt, n.For):
                self.bind_items(stmt, binding, inside)
            self.lines = saved
            copied_here, self.had_to_copy = self.had_to_copy, copied_before | self.had_to_copy
            changed = False
            for place in [*self.state, *(p for p in head if p not in self.state)]:
                now, then = self.state.get(place), head.get(place)
                if not breaks and now is not None and self.is_run_over(place, now, stmt, index):
                    changed |= place not in covered
                    covered[place] = Reach(fixed=now.reach.fixed)
                    self.covered.add(place)
                reach = self.head_reach(place, then, now, masks)
                if now is None and then is not None and then.literal is None and place[0] in self.set_once:
                    continue  # taken in the iteration that was the last
                end = self.zero_at(place, stmt, inside=True).kind if now is None else now.kind
                if then is None:
                    begin[place] = None
                    held = of_all((self.zero_at(place, stmt).kind, end))
                    head[place] = Entry(held, owned=now is not None and now.owned, reach=reach)
                    changed = True
                    continue
                held = of_all((then.kind, end))
                if held != then.kind and then.literal is None:
                    then = head[place] = replace(then, kind=held)
                    changed = True
                if reach != then.reach:
                    then = head[place] = replace(then, reach=reach)
                    changed = True
                if then.literal is not None and now != then:
                    begin[place] = then
                    head[place] = Entry(held, reach=reach)
                    changed = True
                elif then.owned and (now is None or not now.owned):
                    head[place] = Entry(held, reach=reach)
                    owning[place] = False
                    changed = True
                elif (
                    place in copied_here
                    and place not in owning
                    and then.literal is None
                    and not then.owned
                    and now is not None
                    and now.owned
                ):
                    copy = self.copied_place(place, start.get(place, then).kind)
                    head[place] = Entry(of_all((copy.kind, end)), owned=True, reach=reach)
                    owning[place] = True
                    changed = True
            if not changed:
                break
        for place, then in head.items():
            now = self.state.get(place)
            if now is None and place[0] in self.set_once:
                continue
            if then.literal is None and (now is None or now.literal is not None):
                self.settle(place, now, lines, stmt, inside=True)
        for place, entry in begin.items():
            self.settle(place, entry, self.lines, stmt)
        self.covered -= set(covered)
        self.carry_masks(masks, start, lines)
        for place in [p for p, own in owning.items() if own and p not in begin]:
            self.emit(n.Assign(self.adjoint(place), self.copied_place(place, start[place].kind)))
        self.state = {p: replace(e, reach=covered[p]) if p in covered else e for p, e in head.items()}
        self.counters -= counters
        self.behind_loop(counters)
        if not lines:
            return
        tied = self.needs_steps(stmt, lines)
        united = self.step_by_step(stmt, index, lines) if tied and not breaks else None
        if united is not None:
            self.emit(united)
        elif isinstance(stmt, n.For) and tied and stmt.checkpoint is not None:
            self.emit(self.from_snapshots(stmt, lines))
        else:
            self.emit(self.reversed_loop(stmt, items, index, breaks=breaks, lines=lines))

    def bind_items(self, stmt: n.For, binding: n.Expr | None, inside: Env) -> None:
        """At the top of an iteration: the targets' adjoints go to the items that they were bound to."""
        if binding is None:
            taken = [self.take(v, kinds_in(stmt.target).get(v, INT)) for v in targets(stmt.target)]
            if any(taken) and iterable_varies(stmt.iterable, self.activity.before[stmt], self.scope):
                raise UnsupportedError(
                    "cannot differentiate a loop over this",
                    span=stmt.iterable.span,
                    reason="Its items cannot be reached by index, so their adjoints have nowhere to go.",
                    remedy="Loop over a list or an array, or over `range(len(...))`.",
                )
            return
        item = self.past(binding, stmt)
        pending: list[tuple[n.Expr, n.Expr]] = []
        self.collect(stmt.target, item, pending)
        for target, e in pending:
            self.contribute(target, e, stmt)
        del inside

    def collect(self, pattern: n.Expr, value: n.Expr, pending: list[tuple[n.Expr, n.Expr]]) -> None:
        """Pair each adjoint of a target with the part of the value that it comes from.

        From right to left: a name that is set twice holds what it was set to last.
        """
        match pattern:
            case n.Read(variable=variable, kind=kind):
                for path, g in {**self.take(variable, kind), **self.made_here(variable, kind)}.items():
                    pending.append((at(value, path), g))
            case n.Display(items=items):
                star = next((k for k, item in enumerate(items) if isinstance(item, n.Starred)), None)
                size = length(value)
                found: list[list[tuple[n.Expr, n.Expr]]] = [[] for _ in items]
                for k, item in reversed(list(enumerate(items))):
                    if isinstance(item, n.Starred):
                        self.collect_rest(item, value, k, size, found[k])
                    else:
                        position = k if star is None or k < star else k - len(items)
                        self.collect(item, item_at(value, position, size), found[k])
                pending += itertools.chain.from_iterable(found)

    def made_here(self, variable: n.Variable, kind: Kind) -> dict[Path, n.Expr]:
        """The buffers of places of a variable whose arrays the statement at hand makes."""
        found: dict[Path, n.Expr] = {}
        for path, leaf in leaves(kind):
            if (self.stmt, (variable, path)) in self.mirror.fresh:
                buffer = self.pointer((variable, path), leaf, after=True)
                plain = isinstance(leaf, Array) and leaf.dims is not None
                found[path] = buffer if plain else self.held(buffer, leaf)
            elif any((self.stmt, (variable, path[:k])) in self.mirror.fresh for k in range(len(path))):
                part = self.part_of_list((variable, path), leaf, kind)
                if part is not None:
                    found[path] = self.held(part, leaf)
        return found

    def collect_rest(
        self, item: n.Starred, value: n.Expr, k: int, size: int | None, pending: list[tuple[n.Expr, n.Expr]]
    ) -> None:
        """Pair each adjoint of a starred target with the part of the value that it comes from."""
        rest = item.value
        incoming = self.take(rest.variable, rest.kind) if isinstance(rest, n.Read) else None
        if incoming is not None and not incoming:
            return
        if size is None or incoming is None:
            raise UnsupportedError(
                "cannot differentiate a starred target here",
                span=item.span,
                reason="How many items it takes is not known when compiling.",
                remedy="Read the items by index.",
            )
        for path, g in incoming.items():
            pending.append((at(item_at(value, k + path[0], size), path[1:]), g))

    def reversed_loop(
        self, stmt: n.For | n.While, items: Items | None, index: n.Variable | None, *, breaks: bool, lines: list[n.Stmt]
    ) -> n.Stmt:
        """The loop over the iterations in reverse order."""
        if items is None or breaks or not (items.by_range or items.indexable):
            count: n.Expr | None = self.count(stmt)
        else:
            count = None
        if items is not None and items.by_range and isinstance(stmt, n.For):
            iterable = self.past(stmt.iterable, stmt)
            if count is not None:
                iterable = n.Subscript(_sliceable(iterable), n.Slice(None, count, None), kind=iterable.kind)
            target = substitute(
                stmt.target, {v: n.Read(self.versions.inside[stmt][v], kind=INT) for v in targets(stmt.target)}
            )
            self.sweep.header.update(self.versions.inside[stmt][v] for v in targets(stmt.target))
            return n.For(target, _backwards(iterable), lines, [])
        if items is not None and index is not None and isinstance(stmt, n.For):
            self.regenerate(stmt, items, index)
            length = count or self.past(items.length(), stmt)
            return n.For(n.Read(index, kind=INT), _backwards(range_of(length)), lines, [])
        return n.For(n.Read(n.Variable("_"), kind=INT), range_of(count or n.Const(0, kind=INT)), lines, [])

    def regenerate(self, stmt: n.For, items: Items, index: n.Variable) -> None:
        """Say how the targets of a loop follow from the index of the reversed one."""

        def bind(target: n.Expr, item: n.Expr) -> None:
            match target:
                case n.Read(variable=variable):
                    self.sweep.regenerated[self.versions.inside[stmt][variable]] = self.past(item, stmt)
                case n.Display(items=parts) if not any(isinstance(p, n.Starred) for p in parts):
                    for k, inner in enumerate(parts):
                        bind(inner, item_at(item, k, len(parts)))

        bind(stmt.target, items.item(n.Read(index, kind=INT)))

    def count(self, stmt: n.Stmt) -> n.Expr:
        """How often a loop ran, counted in the forward sweep."""
        if stmt not in self.counts:
            trips = self.counts[stmt] = n.Variable("trips", n.Role.COUNT)
            self.controlled(self.versions.late(trips, stmt), stmt)
        version = next(v for v, i in self.versions.info.items() if i.variable is self.counts[stmt])
        return n.Read(version, kind=INT)

    # ---------------------------------------------------------------------------------------------- the forward lines

    def weave(self, body: list[n.Stmt]) -> None:
        """Put the lines that remember things into the forward sweep."""
        for stmt in list(body):
            match stmt:
                case n.If():
                    self.weave(stmt.then)
                    self.weave(stmt.orelse)
                    if stmt in self.outcomes:
                        stmt.test = n.Read(self.outcomes[stmt], kind=BOOL)
                case n.Try() | n.With():
                    for inner in blocks(stmt):
                        self.weave(inner)
                    self.announce(stmt, body)
                case n.For() | n.While():
                    self.weave(stmt.body)
                    if stmt in self.counts:
                        trips = self.counts[stmt]
                        body.insert(body.index(stmt), n.Assign(trips, n.Const(0, kind=INT), origin=stmt.origin))
                        one = n.Const(1, kind=INT)
                        stmt.body.insert(0, n.Augment(n.Read(trips, kind=INT), "+", one))
            lines = self.inserted.get(stmt)
            if lines:
                place = body.index(stmt)
                if isinstance(stmt, n.Assign):
                    self.replaced(stmt, lines[0])
                    body[place : place + 1] = lines
                else:
                    body[place:place] = lines

    @abstractmethod
    def announce(self, stmt: n.Stmt, block: list[n.Stmt]) -> None:
        """Put the lines that tell which handler ran into a `try` of a block."""

    def controlled(self, version: n.Variable, stmt: n.Stmt) -> None:
        """Take note of a number that the compiler keeps of a statement."""

    def stands_for(self, new: n.Stmt, old: n.Stmt) -> None:
        """Take note of a statement that is put before another, or in its place."""

    def replaced(self, old: n.Stmt, new: n.Stmt) -> None:
        """A statement takes another's place: versions born there are born at the new one."""
        self.stands_for(new, old)
        for info in self.versions.info.values():
            if info.stmt is old:
                info.stmt = new


def _own(body: list[n.Stmt]) -> list[n.Stmt]:
    """The statements of a loop's body that are not inside an inner loop."""
    found: list[n.Stmt] = []
    for stmt in body:
        found.append(stmt)
        if not isinstance(stmt, n.For | n.While):
            found += [inner for block in blocks(stmt) for inner in _own(block)]
    return found


def _sliceable(iterable: n.Expr) -> n.Expr:
    """A range as one that can be sliced: `reversed(...)` gives an iterator."""
    match iterable:
        case n.Call(func=n.Ref(value=function), args=(inner,)) if function is reversed:
            backwards = n.Slice(None, None, n.Const(-1, kind=INT))
            return n.Subscript(_sliceable(inner), backwards, kind=inner.kind)
        case _:
            return iterable


def _backwards(iterable: n.Expr) -> n.Expr:
    match iterable:
        case n.Call(func=n.Ref(value=function), args=(inner,)) if function is reversed:
            return inner
        case _:
            return apply(reversed, iterable, kind=Sequence(INT, reversed))
