"""The adjoint: one record per statement, in reverse order.

A statement's record is its forward lines, its backward lines, and the values that the latter carry across. The forward
lines are the statement itself (calls, loops and branches get a line that remembers what cannot be told afterwards).
The backward lines take the adjoint of what the statement sets and add to the adjoints of what it reads. Carried
values are reads of versions; `storage.py` decides how each gets from one sweep to the other.

    y = x * x            ->       x_bar = 2 * y_bar * x          (x as it was before the statement)

While the lines are made, `state` tells of each place whether its adjoint is zero (absent), a literal, or in its
variable. So a first contribution assigns, later ones add, and what has no adjoint gets no lines at all.

`contributing.py` has the state and what adds to it, `control.py` the branches and loops; both are bases of `Adjoint`.
"""

from __future__ import annotations

from collections.abc import Callable as Function
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.typing.calls import resolve
from adcompile.analyses.typing.targets import Construct, UserCall
from adcompile.analyses.varied import Activity, varies
from adcompile.differentiate.backward.pairs import RECORD, copied
from adcompile.differentiate.backward.reaching import Entry, mask_kind
from adcompile.differentiate.backward.scaling import Scaling
from adcompile.differentiate.backward.taps import Taps
from adcompile.differentiate.backward.updating import is_pop
from adcompile.differentiate.linear.places import Path, at, leaves, loose, part, part_in_list, place_of
from adcompile.differentiate.linear.selection import NOWHERE, Reach, added, partly
from adcompile.differentiate.linear.shapes import atoms, constructed, is_structure, kinds_in_target, steady_variables
from adcompile.differentiate.storage.checkpointing import Facts, checkpointed, entry, spanned, unset
from adcompile.differentiate.storage.stepwise import stepwise
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.kinds import BOOL, INT, Array, Kind, Scalar, Sequence, Static, Struct, Table, Unknown
from adcompile.ir.make import apply, generated, of_items, together
from adcompile.ir.walk import bound_in, expressions, reads, statements, targets, walk
from adcompile.runtime import helpers as runtime

if TYPE_CHECKING:
    from adcompile.analyses.memory.sharing import Sharing
    from adcompile.analyses.versions import Versions
    from adcompile.differentiate.backward.list_buffers import Mirror
    from adcompile.differentiate.backward.pairs import Pair, Pairs
    from adcompile.differentiate.desugar.taps import Hook, Sink
    from adcompile.differentiate.linear.contributions import Rules
    from adcompile.differentiate.storage.sweep import Span, Sweep


Seed = Function[[n.Expr], list[tuple[n.Expr, n.Expr]]]


class Adjoint(Scaling):
    """Makes the backward sweep of one flat body.

    `Contributing` adds to adjoints, `Control` does branches and loops; here are the assignments, the calls of the
    user's functions, and the partials of intermediates.
    """

    once = False  # whether it takes a body in which items that are read several times have one name

    def __init__(  # noqa: PLR0913 - the facts that the analyses found
        self,
        body: list[n.Stmt],
        activity: Activity,
        versions: Versions,
        rules: Rules,
        pairs: Pairs,
        *,
        sharing: Sharing,
        mirror: Mirror,
        sinks: dict[str, list[Sink]],
        hooks: dict[str, list[Hook]],
        kinds: dict[n.Variable, Kind] | None = None,
        unites: bool = False,
    ) -> None:
        super().__init__(body, activity, versions, rules, kinds or {}, mirror)
        self.pairs = pairs
        self.sharing = sharing
        self.records: dict[n.Stmt, n.Variable] = {}
        self.taps = Taps(self, sinks, hooks, sharing.changed)
        self.tapped_names = {v for s in statements(body) if isinstance(s, n.Tap) for v in reads(s.value)}
        self.unites = unites  # whether both sweeps run in one function, one after the other
        self.spans: dict[n.Stmt, tuple[Span, list[n.Stmt]]] = {}  # of checkpointed loops, and the lines before
        self.asked: list[Pair] = []  # of the functions that are called

    # --------------------------------------------------------------------------------------------------- the sweep

    def run(self, seed: Seed, inputs: list[tuple[n.Variable, Kind]]) -> Sweep:
        """Make the backward sweep.

        `seed` gives the adjoints of the result's places, from the returned expression; afterwards `partials` holds the
        adjoint of each place of each input.
        """
        self.begin()
        self.find_lists()
        *rest, last = self.body
        if not isinstance(last, n.Return):
            message = "a structured function ends in one return"
            raise TypeError(message)
        self.lines = self.sweep.backward
        value = self.past(last.value, last)
        self.origin, self.stmt = last.origin, last
        for target, e in seed(value):
            self.contribute(target, e, last)
        self.block_into(rest, self.sweep.backward)
        self.sweep.mirror[id(self.body)] = self.sweep.backward
        for variable, kind in inputs:
            self.stmt = self.mirror.entry or self.stmt
            found = self.by_places(variable, kind, {path: e for (v, path), e in self.state.items() if v is variable})
            for path, leaf in leaves(kind):
                place = variable, path
                in_list = path in found and place not in self.state
                value = self.value(place, leaf, self.entry_of(variable, kind, path))
                self.sweep.partials[place] = found[path] if in_list else value
        ends = [self.end_reach(place).mask for place in self.sweep.partials] if self.hands_masks else []
        self.drop_masks(self.sweep.backward, {v for mask in ends if mask is not None for v in reads(mask)})
        self._copy_what_may_be_unset()
        self.weave(self.body)
        self.sweep.steady = steady_variables(self.body, {**self.given, **dict(inputs)})
        return self.sweep

    def _copy_what_may_be_unset(self) -> None:
        """Copy adjoints so that a zero like nothing at all, which is None, is taken too."""
        unset = {info.variable if (info := self.versions.info.get(v)) else v for v in self.sweep.unset}
        for stmt in statements(self.sweep.backward) if unset else ():
            match stmt:
                case n.Assign(
                    target=target, value=n.Call(func=n.Attribute(value=n.Read(variable=copied), name="copy"))
                ) if target is copied and target.role is n.Role.ADJOINT and target.of in unset:
                    read = n.Read(target, kind=stmt.value.kind)
                    stmt.value = apply(runtime.copy_like, read, kind=read.kind)

    def entry_of(self, variable: n.Variable, kind: Kind, path: Path) -> n.Expr:
        """An input's place as it was at entry."""
        version = next(
            (v for v, i in self.versions.info.items() if i.variable is variable and i.birth == "param"), variable
        )
        return at(n.Read(version, kind=kind), path)

    def statement(self, stmt: n.Stmt) -> None:
        """Append the backward lines of a statement."""
        if stmt in self.mirror.lines:
            return
        for box in self.mirror.boxes.get(stmt, ()):
            self.contribute(self.past(box.item, stmt), self.held(self.reference(box.buffer), box.item.kind), stmt)
        if stmt in self.mirror.structural:
            self.change_of_list(stmt)
            return
        match stmt:
            case n.Assign(target=target, value=value):
                self.assign(target, value, stmt)
            case n.Unpack(pattern=pattern, value=value):
                self.unpack(pattern, self.past(value, stmt), stmt)
            case n.Store():
                self.store(stmt)
            case n.Augment():
                self.augment(stmt)
            case n.Evaluate():
                self.effect(stmt)
            case n.Tap():
                self.taps.take(stmt)
            case n.If():
                self.branch(stmt)
            case n.For() | n.While():
                self.loop(stmt)
            case n.Try():
                self.attempt(stmt)
            case n.With():
                self.context(stmt)
            case n.Delete(variable=variable):
                self.take(variable, self.kinds.get(variable, INT))

    def reference(self, buffer: n.Variable) -> n.Expr:
        """A buffer that the statement at hand makes or takes off a list, in versions."""
        version = self.versions.after[self.mirror.settled[self.stmt]][buffer]
        return n.Read(version, kind=self.kinds.get(buffer, Unknown("buffers")))

    def change_of_list(self, stmt: n.Stmt) -> None:
        """Backward lines of a change of a list with a buffer: what is taken off goes on to whatever made it."""
        if not isinstance(stmt, n.Assign):
            return
        for path, g in self.take(stmt.target, stmt.value.kind).items():
            leaf = dict(leaves(stmt.value.kind))[path]
            taken = part_in_list(self.reference(self.mirror.popped[stmt]), stmt.value.kind, path)
            self.add_into(replace(taken, kind=leaf), g)

    def needs_steps(self, stmt: n.For | n.While, lines: list[n.Stmt]) -> bool:
        """Whether the backward lines of a step read anything that a step sets, other than the loop's own variable."""
        read = {v for s in statements(lines) for e in expressions(s) for v in reads(e)}
        own = set(targets(stmt.target)) if isinstance(stmt, n.For) else set()
        found = [self.versions.info[v] for v in read if v in self.versions.info]
        return any(stmt in info.loops and info.variable not in own for info in found)

    def step_by_step(self, stmt: n.For | n.While, index: n.Variable | None, lines: list[n.Stmt]) -> n.Stmt | None:
        """The loop that undoes each step before the next, given the backward lines of a step; None if that is wrong."""
        if not self.unites or self.sweep.replayed or self.mirror.buffers or self.taps.hooks:
            return None
        outliving = {self.adjoint(place) for place in self.state}
        found = stepwise(stmt, index, lines, outliving, self.lines, self.body, self.versions)
        if found is None:
            return None
        self.sweep.united = found
        self.sweep.held |= {v for v in self.versions.ends[stmt].values() if stmt in self.versions.info[v].loops}
        if isinstance(stmt, n.For):
            own = set(targets(stmt.target)) - set(bound_in(stmt.body))
            self.sweep.held |= {self.versions.inside[stmt][v] for v in own}
        return found.undo

    def from_snapshots(self, stmt: n.For, lines: list[n.Stmt]) -> n.Stmt:
        """The loop that undoes a checkpointed one, given the backward lines of a step."""
        facts = Facts(
            self.versions,
            self.sharing,
            self.scope,
            self.pairs.program,
            self.kinds,
            self.mixed,
            frozenset(v for v, _ in self.mirror.buffers),
            self.is_doubtful,
            self.inserted,
        )
        if stmt not in self.spans:
            self.spans[stmt] = spanned(stmt, facts)
        span, lines_before = self.spans[stmt]
        past = replace(
            span, start=self.past(span.start, stmt), stop=self.past(span.stop, stmt), step=self.past(span.step, stmt)
        )
        found = self.sweep.replayed[stmt] = checkpointed(stmt, span, past, lines, facts)
        self.inserted[stmt] = [*lines_before, *entry(found, facts)]
        self.sweep.unset.update(dict.fromkeys(unset(found, facts)))
        self.sweep.held |= {v for v in self.versions.ends[stmt].values() if stmt in self.versions.info[v].loops}
        return found.undo

    def is_asked_for(self, group: list[n.Stmt]) -> bool:
        """Whether a partial or a hook's argument is taken at statements, or in what they call."""
        asked = {*self.taps.sinks, *self.taps.hooks}
        return any(
            (isinstance(s, n.Tap) and s.site in asked)
            or any(isinstance(e, n.Call) and self.is_tapped(e) for x in expressions(s) for e in walk(x))
            for s in statements(group)
        )

    # --------------------------------------------------------------------------------------------------- assignments

    def assign(self, target: n.Variable, value: n.Expr, stmt: n.Stmt) -> None:
        """Backward lines of `target = value`, one operation on atoms."""
        incoming = {**self.take(target, value.kind), **self.made_here(target, value.kind)}
        if stmt in self.sharing.touched and isinstance(value, n.Call) and isinstance(stmt, n.Assign):
            if is_pop(value):
                # what did not vary yet may have an adjoint, of what came into it later: that stays as long as it is
                moving = varies(value, self.activity.before[stmt], self.scope)
                self.popped(value, incoming if moving else {}, stmt)
                return
            self.require_still(stmt)
        is_tapped = isinstance(value, n.Call) and self.is_tapped(value)
        if not is_tapped and (not incoming or not varies(value, self.activity.before[stmt], self.scope)):
            return
        op = self.past(value, stmt)
        if target in reads(value) and not (
            isinstance(value, n.Binary | n.Unary) and isinstance(value.kind, Scalar | Array)
        ):
            incoming = self.set_aside(target, incoming)
        if place_of(op) is not None or is_structure(op):
            pending = [(at(op, path), self.real(g, at(op, path))) for path, g in incoming.items()]
            self.give_away(pending)
            self.hand_on(pending, [target], stmt)
            self.handed_over = set()
            return
        if isinstance(op, n.Call):
            match found := resolve(op, self.scope):
                case Construct():
                    structure = constructed(found, op.kind)
                    self.hand_on([(at(structure, path), g) for path, g in incoming.items()], [target], stmt)
                    return
                case UserCall():
                    self.user_call(found, incoming, value, op, stmt)
                    return
        if isinstance(op, n.Subscript) and stmt in self.mirror.doubtful:
            self.if_copied([(at(op, path), g) for path, g in incoming.items()], stmt)
            return
        holder = op.value.kind if isinstance(op, n.Subscript | n.Attribute) else None
        if isinstance(holder, Struct) or (isinstance(op, n.Subscript) and isinstance(holder, Array | Sequence | Table)):
            for path, g in incoming.items():
                self.contribute(at(op, path), g, stmt)
            return
        ans = n.Read(self.versions.after[stmt][target], kind=value.kind)

        def seed(k: int | None) -> n.Expr | None:
            if k is None:
                return self.assembled(incoming, (), ans)
            return self.assembled(incoming, (k,), part(ans, k)) if any(path[:1] == (k,) for path in incoming) else None

        def reach(k: int | None) -> Reach:
            mine = incoming if k is None else {path[1:]: g for path, g in incoming.items() if path[0] == k}
            return self.reach_of_parts(mine, ans)

        made = self.rules.contributions(op, ans, seed, lambda a: self.wanted(a, stmt), reach, self.witness)
        pending = [(argument, self.noted(e, counts)) for argument, e, counts in made]
        if stmt in self.mirror.doubtful:
            self.if_copied(pending, stmt)
        else:
            self.give_away(pending)
            self.hand_on(pending, [target], stmt)
            self.handed_over = set()

    def if_copied(self, pending: list[tuple[n.Expr, n.Expr]], stmt: n.Stmt) -> None:
        """Contributions of an operation that makes a view or a copy, as NumPy decides: a view's are there already."""
        doubtful = self.mirror.doubtful[stmt]
        saved, self.lines, before = self.lines, [], dict(self.state)
        self.hand_on(pending, [doubtful[0][0][0]], stmt)
        lines, self.lines = self.lines, saved
        if self.state != before:
            raise UnsupportedError(
                "cannot differentiate this: whether it makes a view or a copy depends on the run",
                span=stmt.span,
                reason="Something else than the array itself would get a contribution in one of the two cases.",
                remedy="Write `.copy()` behind it.",
            )
        tests: list[n.Expr] = []
        for place, buffer in doubtful:  # an empty part shares nothing, so one of the parts is enough
            old = self.in_env(buffer, self.versions.before[stmt])
            new = self.pointer(place, buffer.kind, after=True)
            tests.append(apply(np.may_share_memory, new, old, kind=BOOL))
        shared = tests[0] if len(tests) == 1 else n.Bool("or", tuple(tests), kind=BOOL)
        self.emit(n.If(n.Unary("not", shared, kind=BOOL), lines, []))

    def is_tapped(self, call: n.Call) -> bool:
        """Whether partials are asked of names that a called function sets."""
        found = resolve(call, self.scope)
        return isinstance(found, UserCall) and self.scope.is_tapped(found)

    def set_aside(self, target: n.Variable, incoming: dict[Path, n.Expr]) -> dict[Path, n.Expr]:
        """Give the adjoints of a variable that is made from its own old value a second name, free of the first."""
        held: dict[Path, n.Expr] = {}
        for path, g in incoming.items():
            if isinstance(g, n.Const):
                held[path] = g
                continue
            aside = n.Variable(target.name, n.Role.ADJOINT, of=n.Variable(target.name, n.Role.TEMPORARY), path=path)
            self.emit(n.Assign(aside, g))
            held[path] = n.Read(aside, kind=g.kind)
        return held

    def hand_on(self, pending: list[tuple[n.Expr, n.Expr]], own: list[n.Variable], stmt: n.Stmt) -> None:
        """Make contributions that all read the adjoints of `own`: those to `own` itself come last."""
        merged: list[tuple[n.Expr, n.Expr]] = []
        for t, e in pending:
            same = next(
                (
                    k
                    for k, (other, _) in enumerate(merged)
                    if other == t and place_of(t) is not None and isinstance(t.kind, Scalar | Array)
                ),
                None,
            )
            if same is None:
                merged.append((t, e))
            else:
                total = simplify(self.type(n.Binary("+", merged[same][1], e)))
                merged[same] = (t, self.noted(total, added(self.reach_of(merged[same][1]), self.reach_of(e))))
        later = [(t, e) for t, e in merged if any(self.original(v) in own for leaf in atoms(t) for v in reads(leaf))]
        if len(later) > 1 and len(own) > 1:
            # `a, b = b, a`: each adjoint is read before any is set
            for k, (t, e) in enumerate(later):
                temporary = n.Variable(own[0].name, n.Role.ADJOINT, of=n.Variable(own[0].name, n.Role.TEMPORARY))
                self.emit(n.Assign(temporary, e))
                if isinstance(e, n.Read) and e.variable in self.handed_over:
                    self.handed_over.add(temporary)
                later[k] = (t, n.Read(temporary, kind=e.kind))
            merged = [(t, e) for t, e in merged if not any(t is other for other, _ in later)] + later
        elif later:
            merged = [pair for pair in merged if pair not in later] + later
        for t, e in merged:
            self.contribute(t, e, stmt)

    def unpack(self, pattern: n.Display, value: n.Expr, stmt: n.Stmt) -> None:
        """Backward lines of `pattern = value`."""
        pending: list[tuple[n.Expr, n.Expr]] = []
        self.collect(pattern, value, pending)
        own = set(targets(pattern))
        if any(self.original(v) in own for v in reads(value)) and not is_structure(value):
            for k, (t, g) in enumerate(pending):
                pending[k] = (t, self.set_aside(next(iter(own)), {(): g})[()])
        self.give_away(pending)
        self.hand_on(pending, list(targets(pattern)), stmt)
        self.handed_over = set()

    def real(self, g: n.Expr, value: n.Expr) -> n.Expr:
        """An adjoint of a name that holds complex numbers at other times, for a real value."""
        if (
            not isinstance(value.kind, Scalar | Array)
            or (value.kind.dtype or "c")[0] == "c"
            or not isinstance(g, n.Read)
        ):
            return g
        of = g.variable.of
        kinds = [k for s in statements(self.body) for v, k in kinds_in_target(s) if v is of]
        if any(isinstance(k, Scalar | Array) and (k.dtype or "c")[0] == "c" for k in kinds):
            return self.rules.call(np.real, g)
        return g

    def give_away(self, pending: list[tuple[n.Expr, n.Expr]]) -> None:
        """Adjoints that pass to another name as they are: whoever gets one alone may change it in place."""
        held = [e.variable for _, g in pending for e in walk(g) if isinstance(e, n.Read)]
        # an adjoint that is a partial asked for as well must not be changed any more
        self.handed_over = {v for v in self.own_arrays if held.count(v) == 1 and v.of not in self.tapped_names}

    # ------------------------------------------------------------------------------------------------ calls of the user

    def user_call(self, found: UserCall, incoming: dict[Path, n.Expr], value: n.Expr, op: n.Call, stmt: n.Stmt) -> None:
        """Backward lines of a call of a function with an adjoint of its own: hand its record back to it."""
        args = [
            *found.args,
            *(
                self.in_env(n.Read(v, kind=self.scope.captured.get(v, INT)), self.versions.before[stmt])
                for v in found.captures
            ),
        ]
        wanted = [(k, path) for k, e in enumerate(args) for path, _ in leaves(e.kind) if self.wants_leaf(e, path, stmt)]
        if not wanted and not self.scope.is_tapped(found):
            return
        plain = resolve(value, self.scope) if isinstance(value, n.Call) else None
        if not isinstance(plain, UserCall):
            raise TypeError
        changed = isinstance(stmt, n.Assign) and stmt.target in self.sharing.changed | self.sharing.passed
        paths = [path for path, _ in leaves(value.kind)]
        counts = [self.reach_of(incoming[path]) if path in incoming else NOWHERE for path in paths]
        seeded = tuple(reach.handed for reach in counts)
        asks = any(v in self.steep for k, _ in wanted for v in map(self.original, reads(args[k])))
        pair = self.pairs.request(found, [e.kind for e in args], tuple(wanted), seeded, own=changed, asks=asks)
        self.asked.append(pair)
        record = self.recorded(pair, plain, args, value, stmt)
        version = next(v for v, i in self.versions.info.items() if i.variable is record)
        result = n.Read(self.versions.after[stmt][stmt.target], kind=value.kind) if isinstance(stmt, n.Assign) else op
        parts = [at(result, path) for path in paths]
        seeds = tuple(incoming.get(path) or self.rules.zero(e) for path, e in zip(paths, parts, strict=True))
        told = zip(counts, pair.seeds, parts, strict=True)
        given = [self.rules.full_mask(r.mask, e) for r, seed, e in told if seed.is_given and r.mask is not None]
        backward = n.Call(generated(pair.backward), (n.Read(version, kind=RECORD), *seeds, *given))
        goals = [at(args[k], path) for k, path in wanted]
        kept = {k: n.Read(n.Variable("kept", n.Role.FLAG), kind=mask_kind(goals[k].kind)) for k in pair.masked}
        if len(goals) == 1 and not kept:
            only = self.noted(replace(backward, kind=loose(goals[0].kind)), pair.reach(0, seeded))
            self.contribute(goals[0], only, stmt)
            return
        places = [place_of(goal) for goal in goals]
        set_here = {(self.original(p[0]), p[1]) for p in places if p is not None}
        direct = (
            len(set_here) == len(goals)
            and not any(p in self.state or p in self.mirror.buffers for p in set_here)
            and not any((v, path[:k]) in self.lists for v, path in set_here for k in range(len(path)))
            and not any(isinstance(goal.kind, Struct) for goal in goals)
        )
        names: list[n.Expr] = []
        for goal, place in zip(goals, places, strict=True):
            if direct and place is not None:
                key = (self.original(place[0]), place[1])
                names.append(n.Read(self.adjoint(key), kind=loose(goal.kind)))
            else:
                root = place[0] if place is not None else n.Variable("part")
                names.append(
                    n.Read(
                        n.Variable(root.name, n.Role.ADJOINT, of=n.Variable(root.name, n.Role.TEMPORARY)),
                        kind=loose(goal.kind),
                    )
                )
        made = [*(loose(goal.kind) for goal in goals), *(mask.kind for mask in kept.values())]
        if not goals:
            self.emit(n.Evaluate(replace(backward, kind=Static(None))))
            return
        self.emit(
            n.Unpack(
                together(*names, *kept.values()),
                replace(backward, kind=Struct("tuple", tuple, tuple(range(len(made))), tuple(made))),
            )
        )
        for k, (goal, place, name) in enumerate(zip(goals, places, names, strict=True)):
            reach = partly(kept[k], fixed=False) if k in kept else pair.reach(k, seeded)
            if direct and place is not None:
                self.state[self.original(place[0]), place[1]] = Entry(loose(goal.kind), reach=reach)
            else:
                self.contribute(goal, self.noted(name, reach), stmt)

    def recorded(self, pair: Pair, plain: UserCall, args: list[n.Expr], value: n.Expr, stmt: n.Stmt) -> n.Variable:
        """The variable for what a called function keeps; the call in the forward sweep gives it.

        A body may be undone again, with other adjoints: the function of the forward sweep goes with the last one.
        """
        known = self.records.get(stmt)
        record = self.records[stmt] = known or n.Variable(f"{pair.name}_tape", n.Role.RESULT)
        forward_args = (
            *(self.unchanging(e, stmt) for e in plain.args),
            *(
                self.unchanging(n.Read(v, kind=e.kind), stmt)
                for v, e in zip(plain.captures, args[len(plain.args) :], strict=True)
            ),
        )
        call = n.Call(generated(pair.forward), forward_args, kind=of_items(value.kind, RECORD), span=value.span)
        if isinstance(stmt, n.Assign):
            pattern = together(n.Read(stmt.target, kind=value.kind), n.Read(record, kind=RECORD))
            self.inserted[stmt] = [n.Unpack(pattern, call, origin=stmt.origin)]
        if known is None:
            self.versions.late(record, stmt)
        return record

    def unchanging(self, argument: n.Expr, stmt: n.Stmt) -> n.Expr:
        """An argument that the callee's record may hold on to: a copy of what is changed in place.

        It may be changed by a name that shares its memory at the call, and by its own not any more.
        """
        sources = self.sharing.sources(argument)
        shared = self.sharing.before.get(stmt)
        names = sources if shared is None else sources | shared.of(sources)
        return copied(argument) if names & self.sharing.changed else argument

    def wants_leaf(self, e: n.Expr, path: Path, stmt: n.Stmt) -> bool:
        """Whether a place within an argument varies."""
        try:
            leaf = at(e, path)
        except (TypeError, StopIteration):
            return False
        return self.wanted(leaf, stmt) and (place_of(leaf) is not None or not isinstance(leaf, n.Const | n.Ref))
