"""The adjoint: one record per statement, in reverse order.

A statement's record is its forward lines, its backward lines, and the values that the latter carry across. The forward
lines are the statement itself (calls, loops and branches get a line that remembers what cannot be told afterwards).
The backward lines take the adjoint of what the statement sets and add to the adjoints of what it reads. Carried
values are reads of versions; `storage.py` decides how each gets from one sweep to the other.

    y = x * x            ->       x_bar = 2 * y_bar * x          (x as it was before the statement)

While the lines are made, `state` tells of each place whether its adjoint is zero (absent), a literal, or in its
variable. So a first contribution assigns, later ones add, and what has no adjoint gets no lines at all.
"""

from __future__ import annotations

from collections.abc import Callable as Function
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from adcompile import runtime
from adcompile.analyses.calls import Construct, UserCall, resolve
from adcompile.analyses.varied import Activity, carries, iterable_varies, varies
from adcompile.differentiate.flatten import Group, cheap
from adcompile.differentiate.iterables import Items, items_of
from adcompile.differentiate.places import Path, Place, at, cut, leaves, part, place_of
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.kinds import BOOL, INT, Array, Callable, Kind, Scalar, Sequence, Static, Struct
from adcompile.ir.walk import binds, bound_in, reads, statements, substitute, targets, walk

if TYPE_CHECKING:
    from adcompile.analyses.versions import Versions
    from adcompile.differentiate.contributions import Rules
    from adcompile.differentiate.pairs import Pairs


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of a place's adjoint that is not zero: the literal it is, or that its array is ours to change."""

    literal: n.Const | None = None
    owned: bool = False


State = dict[Place, Entry]
Seed = Function[[n.Expr], list[tuple[n.Expr, n.Expr]]]


@dataclass(slots=True)
class Sweep:
    """Both sweeps of a function.

    `mirror` maps a forward block (by identity) to the backward lines that undo it; `regenerated` are versions of loop
    targets that can be read off the iterable again.
    """

    forward: list[n.Stmt]
    backward: list[n.Stmt] = field(default_factory=list)
    partials: dict[Place, n.Expr] = field(default_factory=dict)
    mirror: dict[int, list[n.Stmt]] = field(default_factory=dict)
    regenerated: dict[n.Variable, n.Expr] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)
    kinds: dict[n.Variable, Kind] = field(default_factory=dict)
    header: set[n.Variable] = field(default_factory=set)  # versions that a reversed loop's header binds


class Adjoint:
    """Makes the backward sweep of one flat body."""

    def __init__(
        self,
        body: list[n.Stmt],
        activity: Activity,
        versions: Versions,
        rules: Rules,
        pairs: Pairs,
        *,
        watched: tuple[n.Variable, ...] = (),
        kinds: dict[n.Variable, Kind] | None = None,
    ) -> None:
        self.body = body
        self.activity = activity
        self.versions = versions
        self.rules = rules
        self.pairs = pairs
        self.scope = rules.scope
        self.type = rules.typer
        self.adjoints: dict[Place, n.Variable] = {}
        self.sweep = Sweep(body)
        self.state: State = {}
        self.lines: list[n.Stmt] = []
        self.origin: n.Origin | None = None
        self.last_set: dict[n.Variable, n.Stmt | None] = {}
        self.partial_variables: dict[Place, n.Variable] = {}
        self.open_partials: dict[n.Variable, Kind] = {}
        self.kinds = {**(kinds or {}), **variable_kinds(body)}
        self.reshaped = reshaped_variables(body, kinds or {})
        self.outcomes: dict[n.Stmt, n.Variable] = {}
        self.counts: dict[n.Stmt, n.Variable] = {}
        self.records: dict[n.Stmt, n.Variable] = {}
        self.inserted: dict[n.Stmt, list[n.Stmt]] = {}
        self.watched = watched

    # --------------------------------------------------------------------------------------------------- the sweep

    def run(self, seed: Seed, inputs: list[tuple[n.Variable, Kind]]) -> Sweep:
        """Make the backward sweep.

        `seed` gives the adjoints of the result's places, from the returned expression; afterwards `partials` holds the
        adjoint of each place of each input.
        """
        self.find_last_sets()
        *rest, last = self.body
        if not isinstance(last, n.Return):
            message = "a structured function ends in one return"
            raise TypeError(message)
        self.lines = self.sweep.backward
        value = self.past(last.value, last)
        self.origin = last.origin
        for target, e in seed(value):
            self.contribute(target, e, last)
        self.block_into(rest, self.sweep.backward)
        self.sweep.mirror[id(self.body)] = self.sweep.backward
        for saved in reversed(self.open_partials):
            self.sweep.backward.insert(0, n.Assign(saved, n.Const(None)))
        for variable, kind in inputs:
            for path, leaf in leaves(kind):
                self.sweep.partials[variable, path] = self.value(
                    (variable, path), leaf, self.entry_of(variable, kind, path)
                )
        self.weave(self.body)
        return self.sweep

    def entry_of(self, variable: n.Variable, kind: Kind, path: Path) -> n.Expr:
        """An input's place as it was at entry."""
        version = next(
            (v for v, i in self.versions.info.items() if i.variable is variable and i.birth == "param"), variable
        )
        return at(n.Read(version, kind=kind), path)

    def value(self, place: Place, kind: Kind, like: n.Expr) -> n.Expr:
        """The adjoint of a place as an expression: its variable, its literal, or a zero like the place."""
        entry = self.state.get(place)
        if entry is None:
            return self.rules.zero(like)
        return entry.literal or n.Read(self.adjoint(place), kind=kind)

    def adjoint(self, place: Place) -> n.Variable:
        """The variable that holds the adjoint of a place."""
        if place not in self.adjoints:
            self.adjoints[place] = n.Variable(place[0].name, n.Role.ADJOINT, of=place[0], path=place[1])
        return self.adjoints[place]

    def past(self, expr: n.Expr, stmt: n.Stmt) -> n.Expr:
        """An expression of a statement in terms of versions: its value as of then."""
        return self.in_env(expr, self.versions.before[stmt])

    def in_env(self, expr: n.Expr, env: dict[n.Variable, n.Variable]) -> n.Expr:
        """An expression in terms of the versions of an environment."""
        kinds = _kinds(expr)
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
        stmt.origin = self.origin
        self.lines.append(stmt)

    def block_into(self, body: list[n.Stmt], lines: list[n.Stmt]) -> None:
        """Append the backward lines of a block."""
        saved, self.lines = self.lines, lines
        self.sweep.mirror[id(body)] = lines
        for stmt in reversed(body):
            self.origin = stmt.origin
            self.statement(stmt)
        self.lines = saved

    def statement(self, stmt: n.Stmt) -> None:
        """Append the backward lines of a statement."""
        match stmt:
            case n.Assign(target=target, value=value):
                self.watch({target: value.kind}, stmt)
                self.assign(target, value, stmt)
            case n.Unpack(pattern=pattern, value=value):
                self.watch(_kinds(pattern), stmt)
                self.unpack(pattern, self.past(value, stmt), stmt)
            case n.If():
                self.branch(stmt)
            case n.For():
                self.loop(stmt)
            case n.While():
                self.loop(stmt)
            case _:
                pass

    # -------------------------------------------------------------------------------------- the intermediates asked for

    def watch(self, bound: dict[n.Variable, Kind], stmt: n.Stmt) -> None:
        """Save the partials of the intermediates among these variables: complete here, if this sets them last."""
        for variable, kind in bound.items():
            if variable not in self.watched:
                continue
            last = self.last_set[variable]
            if last is stmt:
                for path, leaf in leaves(kind):
                    saved = self.saved((variable, path))
                    self.emit(n.Assign(saved, self.value((variable, path), leaf, self.now(variable, kind, path, stmt))))
                    self.sweep.partials[variable, path] = n.Read(saved, kind=leaf)
            elif last is None:
                self.save_first(variable, kind, stmt)

    def save_first(self, variable: n.Variable, kind: Kind, stmt: n.Stmt) -> None:
        """In a loop or branch, only the run decides which assignment is the last: the first one met on the way back."""
        for path, leaf in leaves(kind):
            saved = self.saved((variable, path))
            value = self.value((variable, path), leaf, self.now(variable, kind, path, stmt))
            unset = n.Compare(("is",), (n.Read(saved), n.Const(None)), kind=BOOL)
            self.emit(n.If(unset, [n.Assign(saved, value, origin=self.origin)], []))
            self.sweep.partials[variable, path] = n.Read(saved, kind=leaf)
            self.open_partials[saved] = leaf

    def saved(self, place: Place) -> n.Variable:
        """The variable that keeps the partial of a place that is asked for."""
        if place not in self.partial_variables:
            self.partial_variables[place] = n.Variable(place[0].name, n.Role.PARTIAL, of=place[0], path=place[1])
        return self.partial_variables[place]

    def now(self, variable: n.Variable, kind: Kind, path: Path, stmt: n.Stmt) -> n.Expr:
        """A place of a variable as a statement sets it."""
        env = self.versions.inside[stmt] if isinstance(stmt, n.For) else self.versions.after[stmt]
        return at(n.Read(env[variable], kind=kind), path)

    def find_last_sets(self) -> None:
        """Where each intermediate is set last: a statement, or None where only the run can tell."""
        for variable in self.watched:
            last: n.Stmt | None = None
            for stmt in self.body:
                if variable in bound_in([stmt]):
                    last = stmt if variable in set(binds(stmt)) and not isinstance(stmt, n.For) else None
            self.last_set[variable] = last

    # ------------------------------------------------------------------------------------------------- contributions

    def wanted(self, expr: n.Expr, stmt: n.Stmt) -> bool:
        """Whether an argument (in versions) varies at a statement."""
        if isinstance(expr.kind, Callable):
            return carries(expr, self.activity.before[stmt], self.scope)
        original = substitute(expr, {v: n.Read(self.original(v), kind=_kinds(expr).get(v, INT)) for v in reads(expr)})
        return varies(original, self.activity.before[stmt], self.scope)

    def original(self, version: n.Variable) -> n.Variable:
        """The variable that a version is of."""
        info = self.versions.info.get(version)
        return info.variable if info else version

    def contribute(self, target: n.Expr, e: n.Expr, stmt: n.Stmt) -> None:
        """Add to the adjoint of what an expression (in versions) denotes."""
        match target:
            case n.Const() | n.Ref() | n.Lambda():
                return
            case n.Starred():
                raise UnsupportedError(
                    "cannot differentiate an unpacked `*` argument here",
                    source=self.scope.source,
                    span=target.span,
                    reason="How many items it has is not known when compiling.",
                    remedy="Write the items out.",
                )
            case n.Display(items=items) | n.Mapping(entries=items):
                self.distribute(target, items, e, stmt)
                return
        if not self.wanted(target, stmt):
            return
        place = place_of(target)
        if place is not None:
            variable = self.original(place[0])
            if isinstance(target.kind, Struct) and not isinstance(e, n.Display | n.Mapping | n.Read):
                whole = n.Variable("parts", n.Role.RESULT)
                self.emit(n.Assign(whole, e))
                e = n.Read(whole, kind=target.kind)
            for path, leaf in leaves(target.kind):
                self.accumulate((variable, (*place[1], *path)), _part_of(e, path, leaf), leaf)
            return
        chosen = _chosen_part(target)
        if chosen is not None:
            self.choose_part(target, chosen, e, stmt)
            return
        match target:
            case n.Subscript() | n.Attribute():
                self.add_item(target, e)
            case _:
                message = f"cannot contribute to {target}"
                raise TypeError(message)

    def choose_part(self, target: n.Expr, chosen: n.Subscript, e: n.Expr, stmt: n.Stmt) -> None:
        """Contribute to one part of a tuple that is chosen by an index: to every part, if it is the one."""
        if not isinstance(chosen.value.kind, Struct):
            raise TypeError
        count = len(chosen.value.kind.keys)
        for k in range(count):
            wrapped = simplify(n.Binary("%", chosen.index, n.Const(count, kind=INT), kind=INT))
            here = n.Compare(("==",), (wrapped, n.Const(k, kind=INT)), kind=BOOL)
            one = _exchange(target, chosen, part(chosen.value, k))
            self.contribute(one, n.Conditional(here, e, self.rules.zero(one), kind=e.kind), stmt)

    def distribute(self, target: n.Expr, items: tuple[object, ...], e: n.Expr, stmt: n.Stmt) -> None:
        """Split a contribution to a tuple, list or dict that is written out among its items."""
        if isinstance(e, n.Display | n.Mapping):
            for key, item in _written(target, items):
                self.contribute(item, part(e, key), stmt)
            return
        wanted = [
            (key, item)
            for key, item in _written(target, items)
            if any(self.wanted(leaf, stmt) for leaf in _atoms(item))
        ]
        if len(wanted) > 1 and not isinstance(e, n.Read):
            whole = n.Variable("parts", n.Role.RESULT)
            self.emit(n.Assign(whole, e))
            e = n.Read(whole, kind=e.kind)
        for key, item in wanted:
            literal = n.Const(key, kind=INT if isinstance(key, int) else Static(key))
            self.contribute(item, n.Subscript(e, literal, kind=item.kind), stmt)

    def accumulate(self, place: Place, e: n.Expr, kind: Kind) -> None:
        """Add an expression to the adjoint of a place: assign if it is zero so far."""
        entry = self.state.get(place)
        if entry is None:
            if isinstance(e, n.Const) and isinstance(kind, Scalar):
                self.state[place] = Entry(literal=e)
                return
            self.set(place, e)
            return
        before = entry.literal or n.Read(self.adjoint(place), kind=kind)
        if isinstance(kind, Sequence):
            self.set(place, n.Call(n.Ref("add_like", runtime.add_like, "rule"), (before, e), kind=kind))
            return
        total = simplify(self.type(n.Binary("+", before, e)))
        if isinstance(total, n.Const):
            self.state[place] = Entry(literal=total)
        else:
            self.set(place, total)

    def set(self, place: Place, e: n.Expr) -> None:
        """Set the adjoint of a place."""
        variable = self.adjoint(place)
        if not (isinstance(e, n.Read) and e.variable is variable):
            self.emit(n.Assign(variable, e))
        self.state[place] = Entry()

    def add_item(self, target: n.Expr, e: n.Expr) -> None:
        """Add to one item (or slice) of the adjoint of an array or list."""
        chain: list[n.Expr] = []
        base: n.Expr = target
        while place_of(base) is None or isinstance(base.kind, Scalar):
            if not isinstance(base, n.Subscript | n.Attribute):
                message = f"cannot contribute to {target}"
                raise TypeError(message)
            chain.append(base)
            base = base.value
            if place_of(base) is not None:
                break
        found = place_of(base)
        if found is None or isinstance(base.kind, Struct):
            raise UnsupportedError(
                "cannot differentiate this way of reading a container",
                source=self.scope.source,
                span=target.span,
                reason="Which of its parts is read is not known when compiling.",
                remedy="Read the part by a literal index or key.",
            )
        place = (self.original(found[0]), found[1])
        entry = self.state.get(place)
        buffer = n.Read(self.adjoint(place), kind=base.kind)
        fresh = entry is None
        if entry is None:
            self.set(place, self.rules.zero(base))
        elif entry.literal is not None or not entry.owned:
            current = entry.literal or buffer
            copied = (
                n.Call(n.Attribute(current, "copy"), (), kind=base.kind)
                if isinstance(base.kind, Array)
                else n.Call(n.Ref("copy_like", runtime.copy_like, "rule"), (current,), kind=base.kind)
            )
            self.set(place, copied)
        self.state[place] = Entry(owned=True)
        item: n.Expr = buffer
        for link in reversed(chain):
            match link:
                case n.Subscript(index=key):
                    item = n.Subscript(item, key, kind=link.kind)
                case n.Attribute(value=n.Expr(kind=Struct(keys=fields)), name=name):
                    # the adjoint of a list of records is a list of lists, field by field
                    item = n.Subscript(item, n.Const(fields.index(name), kind=INT), kind=link.kind)
                case _:
                    message = f"cannot contribute to {target}"
                    raise ValueError(message)
        index = item.index if isinstance(item, n.Subscript) else n.Const(0)
        if isinstance(item.kind, Sequence | Struct):
            both = n.Call(n.Ref("add_like", runtime.add_like, "rule"), (item, e), kind=item.kind)
            self.emit(n.Store(item, both))
        elif _gathers(index):
            add_at = n.Attribute(n.Attribute(self.rules.numpy, "add"), "at")
            holder = item.value if isinstance(item, n.Subscript) else item
            self.emit(n.Evaluate(n.Call(add_at, (holder, _as_argument(index), e))))
        elif fresh and isinstance(base.kind, Array):
            self.emit(n.Store(item, e))
        else:
            op, amount = ("-", e.operand) if isinstance(e, n.Unary) and e.op == "-" else ("+", e)
            self.emit(n.Augment(item, op, amount))

    # --------------------------------------------------------------------------------------------------- assignments

    def take(self, variable: n.Variable, kind: Kind) -> dict[Path, n.Expr]:
        """The adjoints of the places of a variable that is being set; before that they are zero."""
        found: dict[Path, n.Expr] = {}
        entries = {place[1]: self.state.pop(place) for place in list(self.state) if place[0] is variable}
        for path, leaf in leaves(kind):
            if path in entries:
                found[path] = entries[path].literal or n.Read(self.adjoint((variable, path)), kind=leaf)
            elif () in entries and isinstance(self.kinds.get(variable), Sequence):
                # known place by place here, as a list of unknown length elsewhere: its adjoint is one list
                item: n.Expr = n.Read(self.adjoint((variable, ())))
                for key in path:
                    item = n.Subscript(item, n.Const(key, kind=INT))
                found[path] = replace(item, kind=leaf)
        whole = {path for path, _ in leaves(kind)}
        as_list = () in entries and isinstance(self.kinds.get(variable), Sequence)
        if whole and not as_list and any(path not in whole for path in entries):
            raise UnsupportedError(
                f"cannot differentiate `{variable.name}`, whose structure changes",
                source=self.scope.source,
                span=self.origin.span if self.origin else None,
                reason="What it holds has other parts, or another length, on another path.",
                remedy="Give the differently built values different names.",
            )
        return found

    def assign(self, target: n.Variable, value: n.Expr, stmt: n.Stmt) -> None:
        """Backward lines of `target = value`, one operation on atoms."""
        incoming = self.take(target, value.kind)
        if not incoming or not varies(value, self.activity.before[stmt], self.scope):
            return
        op = self.past(value, stmt)
        if target in reads(value) and not (
            isinstance(value, n.Binary | n.Unary) and isinstance(value.kind, Scalar | Array)
        ):
            incoming = self.set_aside(target, incoming)
        if place_of(op) is not None or is_structure(op):
            self.hand_on([(at(op, path), g) for path, g in incoming.items()], [target], stmt)
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
        if isinstance(op, n.Subscript) and isinstance(op.value.kind, Array | Sequence | Struct):
            for path, g in incoming.items():
                self.contribute(at(op, path), g, stmt)
            return
        if isinstance(op, n.Attribute) and isinstance(op.value.kind, Struct):
            for path, g in incoming.items():
                self.contribute(at(op, path), g, stmt)
            return
        ans = n.Read(self.versions.after[stmt][target], kind=value.kind)

        def seed(k: int | None) -> n.Expr | None:
            if k is None:
                if () in incoming:
                    return incoming[()]
                if not isinstance(value.kind, Struct):
                    raise TypeError
                parts = [incoming.get((i,)) or self.rules.zero(part(ans, i)) for i in range(len(value.kind.keys))]
                return n.Display("tuple", tuple(parts), kind=value.kind)
            return incoming.get((k,))

        pending: list[tuple[n.Expr, n.Expr]] = []
        for argument, e in self.rules.contributions(op, ans, seed, lambda a: self.wanted(a, stmt)):
            pending.append((argument, e))
        self.hand_on(pending, [target], stmt)

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
                merged[same] = (t, simplify(self.type(n.Binary("+", merged[same][1], e))))
        later = [(t, e) for t, e in merged if any(self.original(v) in own for leaf in _atoms(t) for v in reads(leaf))]
        if len(later) > 1 and len(own) > 1:
            # `a, b = b, a`: each adjoint is read before any is set
            for k, (t, e) in enumerate(later):
                temporary = n.Variable(own[0].name, n.Role.ADJOINT, of=n.Variable(own[0].name, n.Role.TEMPORARY))
                self.emit(n.Assign(temporary, e))
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
        self.hand_on(pending, list(targets(pattern)), stmt)

    def collect(self, pattern: n.Expr, value: n.Expr, pending: list[tuple[n.Expr, n.Expr]]) -> None:
        """Pair each adjoint of a target with the part of the value that it comes from."""
        match pattern:
            case n.Read(variable=variable, kind=kind):
                for path, g in self.take(variable, kind).items():
                    pending.append((at(value, path), g))
            case n.Display(items=items):
                star = next((k for k, item in enumerate(items) if isinstance(item, n.Starred)), None)
                size = _length(value)
                for k, item in enumerate(items):
                    if isinstance(item, n.Starred):
                        self.collect_rest(item, value, k, size, pending)
                    else:
                        position = k if star is None or k < star else k - len(items)
                        self.collect(item, item_at(value, position, size), pending)

    def collect_rest(
        self,
        item: n.Starred,
        value: n.Expr,
        k: int,
        size: int | None,
        pending: list[tuple[n.Expr, n.Expr]],
    ) -> None:
        """Pair each adjoint of a starred target with the part of the value that it comes from."""
        if not isinstance(item.value, n.Read):
            return
        incoming = self.take(item.value.variable, item.value.kind)
        if not incoming:
            return
        if size is None:
            raise UnsupportedError(
                "cannot differentiate a starred target here",
                source=self.scope.source,
                span=item.span,
                reason="How many items it takes is not known when compiling.",
                remedy="Read the items by index.",
            )
        for path, g in incoming.items():
            pending.append((at(item_at(value, k + path[0], size), path[1:]), g))

    # ------------------------------------------------------------------------------------------------ calls of the user

    def user_call(self, found: UserCall, incoming: dict[Path, n.Expr], value: n.Expr, op: n.Call, stmt: n.Stmt) -> None:
        """Backward lines of a call of a function with an adjoint of its own: hand its record back to it."""
        args = [
            *found.args,
            *(self.in_env(n.Read(v, kind=self.kinds.get(v, INT)), self.versions.before[stmt]) for v in found.captures),
        ]
        wanted = [(k, path) for k, e in enumerate(args) for path, _ in leaves(e.kind) if self.wants_leaf(e, path, stmt)]
        if not wanted:
            return
        plain = resolve(value, self.scope) if isinstance(value, n.Call) else None
        if not isinstance(plain, UserCall):
            raise TypeError
        pair = self.pairs.request(found, [e.kind for e in args], tuple(wanted))
        record = self.records.get(stmt)
        if record is None:
            record = self.records[stmt] = n.Variable(f"{pair.name}_tape", n.Role.RESULT)
            forward_args = (
                *plain.args,
                *(n.Read(v, kind=e.kind) for v, e in zip(plain.captures, args[len(plain.args) :], strict=True)),
            )
            call = n.Call(
                n.Ref(pair.forward.name, pair.forward),
                forward_args,
                kind=Struct("tuple", tuple, (0, 1), (value.kind, Sequence(INT, tuple))),
                span=value.span,
            )
            if isinstance(stmt, n.Assign):
                pattern = n.Display("tuple", (n.Read(stmt.target, kind=value.kind), n.Read(record)))
                self.inserted[stmt] = [n.Unpack(pattern, call, origin=stmt.origin)]
            self.versions.late(record, stmt)
        version = next(v for v, i in self.versions.info.items() if i.variable is record)
        result = n.Read(self.versions.after[stmt][stmt.target], kind=value.kind) if isinstance(stmt, n.Assign) else op
        seeds = tuple(incoming.get(path) or self.rules.zero(at(result, path)) for path, _ in leaves(value.kind))
        backward = n.Call(n.Ref(pair.backward.name, pair.backward), (n.Read(version), *seeds))
        goals = [at(args[k], path) for k, path in wanted]
        if len(goals) == 1:
            self.contribute(goals[0], replace(backward, kind=goals[0].kind), stmt)
            return
        places = [place_of(goal) for goal in goals]
        own = {(self.original(p[0]), p[1]) for p in places if p is not None}
        direct = (
            len(own) == len(goals)
            and not any(p in self.state for p in own)
            and not any(isinstance(goal.kind, Struct) for goal in goals)
        )
        names: list[n.Expr] = []
        for goal, place in zip(goals, places, strict=True):
            if direct and place is not None:
                key = (self.original(place[0]), place[1])
                names.append(n.Read(self.adjoint(key), kind=goal.kind))
            else:
                root = place[0] if place is not None else n.Variable("part")
                names.append(
                    n.Read(
                        n.Variable(root.name, n.Role.ADJOINT, of=n.Variable(root.name, n.Role.TEMPORARY)),
                        kind=goal.kind,
                    )
                )
        self.emit(
            n.Unpack(
                n.Display("tuple", tuple(names)),
                replace(
                    backward, kind=Struct("tuple", tuple, tuple(range(len(goals))), tuple(goal.kind for goal in goals))
                ),
            )
        )
        for goal, place, name in zip(goals, places, names, strict=True):
            if direct and place is not None:
                self.state[self.original(place[0]), place[1]] = Entry()
            else:
                self.contribute(goal, name, stmt)

    def wants_leaf(self, e: n.Expr, path: Path, stmt: n.Stmt) -> bool:
        """Whether a place within an argument varies."""
        try:
            leaf = at(e, path)
        except (TypeError, StopIteration):
            return False
        return self.wanted(leaf, stmt) and (place_of(leaf) is not None or not isinstance(leaf, n.Const | n.Ref))

    # ------------------------------------------------------------------------------------------------------- control

    def branch(self, stmt: n.If) -> None:
        """Backward lines of `if`: the same branch, backwards."""
        before = dict(self.state)
        then: list[n.Stmt] = []
        orelse: list[n.Stmt] = []
        self.block_into(stmt.then, then)
        state_then, self.state = self.state, dict(before)
        self.block_into(stmt.orelse, orelse)
        state_else = self.state
        self.origin = stmt.origin
        if _stops(stmt.then):
            self.state = state_else
        elif _stops(stmt.orelse):
            self.state = state_then
        else:
            self.state = self.meet(stmt, state_then, then, state_else, orelse)
        if then or orelse:
            self.emit(n.If(self.outcome(stmt), then, orelse))

    def outcome(self, stmt: n.If) -> n.Expr:
        """The outcome of a test, in the backward sweep: the test again where that is cheap, else remembered."""
        if stmt not in self.outcomes:
            test = self.past(stmt.test, stmt)
            if cheap(stmt.test) and all(self.remains(v) for v in reads(test)):
                return test
            taken = self.outcomes[stmt] = n.Variable("taken", n.Role.FLAG)
            remember = n.Assign(taken, stmt.test, origin=stmt.origin)
            self.inserted[stmt] = [remember]
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

    def meet(self, stmt: n.Stmt, a: State, lines_a: list[n.Stmt], b: State, lines_b: list[n.Stmt]) -> State:
        """Bring the states of two paths together: what one path lacks is set to zero there."""
        merged: State = {}
        for place in [*a, *(p for p in b if p not in a)]:
            one, other = a.get(place), b.get(place)
            if one is not None and one == other:
                merged[place] = one
                continue
            for entry, lines in ((one, lines_a), (other, lines_b)):
                self.settle(place, entry, lines, stmt)
            merged[place] = Entry(owned=all(e is None or e.owned for e in (one, other)))
        return merged

    def settle(
        self, place: Place, entry: Entry | None, lines: list[n.Stmt], stmt: n.Stmt, *, inside: bool = False
    ) -> None:
        """Put an adjoint that is zero or literal into its variable."""
        saved, self.lines = self.lines, lines
        if entry is None:
            self.emit(n.Assign(self.adjoint(place), self.zero_at(place, stmt, inside=inside)))
        elif entry.literal is not None:
            self.emit(n.Assign(self.adjoint(place), entry.literal))
        self.lines = saved

    def zero_at(self, place: Place, stmt: n.Stmt, *, inside: bool = False) -> n.Expr:
        """A zero like a place, where its value is that of before or after a statement."""
        variable, path = place
        kind = self.kinds.get(variable, INT)
        env = self.versions.before[stmt] if variable in self.versions.before[stmt] else self.versions.after[stmt]
        if inside and variable in self.reshaped and variable in self.versions.inside[stmt]:
            env = self.versions.inside[stmt]  # its shape at the head of this iteration, not before the loop
        elif variable in self.reshaped and not isinstance(stmt, n.If):
            env = self.versions.after[stmt]
        return self.rules.zero(at(n.Read(env.get(variable, variable), kind=kind), path))

    def loop(self, stmt: n.For | n.While) -> None:
        """Backward lines of a loop: its iterations in reverse order."""
        breaks = any(isinstance(s, n.Break) for s in _own(stmt.body))
        items = items_of(stmt.iterable) if isinstance(stmt, n.For) else None
        inside = self.versions.inside[stmt]
        index: n.Variable | None = None
        binding: n.Expr | None = None
        if items is not None and not items.by_range and items.indexable:
            index = n.Variable("k")
            binding = items.item(n.Read(index, kind=INT))
        head = dict(self.state)
        begin: dict[Place, Entry | None] = {}
        while True:
            self.state = dict(head)
            lines: list[n.Stmt] = []
            self.block_into(stmt.body, lines)
            self.origin = stmt.origin
            saved, self.lines = self.lines, lines
            if isinstance(stmt, n.For):
                self.watch(_kinds(stmt.target), stmt)
                self.bind_items(stmt, binding, inside)
            self.lines = saved
            changed = False
            for place in [*self.state, *(p for p in head if p not in self.state)]:
                now, then = self.state.get(place), head.get(place)
                if then is None:
                    begin[place] = None
                    head[place] = Entry(owned=now is not None and now.owned)
                    changed = True
                elif then.literal is not None and now != then:
                    begin[place] = then
                    head[place] = Entry()
                    changed = True
                elif then.owned and (now is None or not now.owned):
                    head[place] = Entry()
                    changed = True
            if not changed:
                break
        for place, then in head.items():
            now = self.state.get(place)
            if then.literal is None and (now is None or now.literal is not None):
                self.settle(place, now, lines, stmt, inside=True)
        for place, entry in begin.items():
            self.settle(place, entry, self.lines, stmt)
        self.state = head
        if lines:
            self.emit(self.reversed_loop(stmt, items, index, breaks=breaks, lines=lines))

    def bind_items(self, stmt: n.For, binding: n.Expr | None, inside: dict[n.Variable, n.Variable]) -> None:
        """At the top of an iteration: the targets' adjoints go to the items that they were bound to."""
        if binding is None:
            taken = [self.take(v, _kinds(stmt.target).get(v, INT)) for v in targets(stmt.target)]
            if any(taken) and iterable_varies(stmt.iterable, self.activity.before[stmt], self.scope):
                raise UnsupportedError(
                    "cannot differentiate a loop over this",
                    source=self.scope.source,
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
                iterable = n.Subscript(iterable, n.Slice(None, count, None), kind=iterable.kind)
            target = substitute(
                stmt.target, {v: n.Read(self.versions.inside[stmt][v], kind=INT) for v in targets(stmt.target)}
            )
            self.sweep.header.update(self.versions.inside[stmt][v] for v in targets(stmt.target))
            return n.For(target, _backwards(iterable), lines, [])
        if items is not None and index is not None and isinstance(stmt, n.For):
            self.regenerate(stmt, items, index)
            length = count or self.past(items.length(), stmt)
            return n.For(n.Read(index, kind=INT), _backwards(_range(length)), lines, [])
        return n.For(n.Read(n.Variable("_"), kind=INT), _range(count or n.Const(0)), lines, [])

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
            self.versions.late(trips, stmt)
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

    def replaced(self, old: n.Stmt, new: n.Stmt) -> None:
        """A statement takes another's place: versions born there are born at the new one."""
        for info in self.versions.info.values():
            if info.stmt is old:
                info.stmt = new


# ------------------------------------------------------------------------------------------------------------ helpers


def _part_of(e: n.Expr, path: Path, kind: Kind) -> n.Expr:
    """One place of an adjoint: of a structure by its own parts, of an array or list by index."""
    if not path or isinstance(e.kind, Struct) or isinstance(e, n.Display | n.Mapping):
        return at(e, path)
    for key in path:
        e = n.Subscript(e, n.Const(key, kind=INT if isinstance(key, int) else Static(key)))
    return replace(e, kind=kind)


def _chosen_part(target: n.Expr) -> n.Subscript | None:
    """The link of a chain of reads that picks a part of a fixed structure by an index known only in the run."""
    found: n.Subscript | None = None
    while isinstance(target, n.Subscript | n.Attribute):
        if (
            isinstance(target, n.Subscript)
            and isinstance(target.value.kind, Struct)
            and not isinstance(target.index, n.Const | n.Slice)
        ):
            found = target
        target = target.value
    return found


def _exchange(expr: n.Expr, old: n.Expr, new: n.Expr) -> n.Expr:
    """A chain of reads with one link exchanged."""
    if expr is old:
        return new
    if isinstance(expr, n.Subscript | n.Attribute):
        value = _exchange(expr.value, old, new)
        kind = expr.kind
        if isinstance(expr, n.Subscript) and isinstance(expr.index, n.Const) and isinstance(value.kind, Struct):
            return part(value, expr.index.value)
        return replace(expr, value=value, kind=kind)
    return expr


def is_structure(op: n.Expr) -> bool:
    """Whether a display makes a structure known place by place (not a set, nothing starred)."""
    match op:
        case n.Display(form=form, items=items):
            return form != "set" and not any(isinstance(e, n.Starred) for e in items)
        case n.Mapping(entries=entries):
            return all(isinstance(k, n.Const) for k, _ in entries)
        case _:
            return cut(op) is not None


def reshaped_variables(body: list[n.Stmt], params: dict[n.Variable, Kind]) -> set[n.Variable]:
    """Variables that hold arrays of different shapes at different times."""
    first: dict[n.Variable, Kind] = dict(params)
    found: set[n.Variable] = set()
    for stmt in statements(body):
        bound = (
            {stmt.target: stmt.value.kind}
            if isinstance(stmt, n.Assign)
            else _kinds(stmt.pattern)
            if isinstance(stmt, n.Unpack)
            else _kinds(stmt.target)
            if isinstance(stmt, n.For)
            else {}
        )
        for variable, kind in bound.items():
            if not isinstance(kind, Scalar) and first.setdefault(variable, kind) != kind:
                found.add(variable)
    return found


def variable_kinds(body: list[n.Stmt]) -> dict[n.Variable, Kind]:
    """The kind that each variable has where it is set (last, if they differ)."""
    kinds: dict[n.Variable, Kind] = {}
    for stmt in statements(body):
        match stmt:
            case n.Assign(target=target, value=value):
                kinds[target] = value.kind
            case n.Unpack(pattern=pattern):
                kinds.update(_kinds(pattern))
            case n.For(target=target):
                kinds.update(_kinds(target))
    return kinds


def _kinds(expr: n.Expr) -> dict[n.Variable, Kind]:
    return {e.variable: e.kind for e in walk(expr) if isinstance(e, n.Read)}


def _written(target: n.Expr, items: tuple[object, ...]) -> list[tuple[object, n.Expr]]:
    if isinstance(target, n.Mapping):
        return [(k.value, v) for k, v in target.entries if isinstance(k, n.Const)]
    return [(k, item) for k, item in enumerate(items) if isinstance(item, n.Expr)]


def _atoms(expr: n.Expr) -> list[n.Expr]:
    match expr:
        case n.Display(items=items):
            return [a for item in items for a in _atoms(item)]
        case n.Mapping(entries=entries):
            return [a for _, v in entries for a in _atoms(v)]
        case n.Starred(value=value):
            return [value]
        case _:
            return [expr]


def constructed(found: Construct, kind: Kind) -> n.Expr:
    """A record that is being built, as a structure of its arguments."""
    if isinstance(kind, Struct) and kind.form == "tuple":
        return n.Display("tuple", found.args, kind=kind)
    return n.Mapping(
        tuple((n.Const(k, kind=Static(k)), e) for k, e in zip(found.fields, found.args, strict=True)), kind=kind
    )


def _length(value: n.Expr) -> int | None:
    if isinstance(value, n.Display):
        return len(value.items)
    return len(value.kind.items) if isinstance(value.kind, Struct) else None


def item_at(value: n.Expr, k: int, size: int | None) -> n.Expr:
    """The item at a position (negative: from the end) of a value, of `size` items where that is known."""
    if isinstance(value, n.Display) or isinstance(value.kind, Struct):
        return part(value, k if k >= 0 or size is None else k + size)
    match value.kind:
        case Sequence(item=item):
            kind = item
        case Array(dtype=dtype, dims=dims) if dims and dtype:
            kind = Array(dtype, dims[1:]) if len(dims) > 1 else Scalar(dtype, python=False)
        case Array(dtype=dtype):
            kind = Array(dtype, None)
        case _:
            kind = value.kind
    return n.Subscript(value, n.Const(k, kind=INT), kind=kind)


def _gathers(index: n.Expr) -> bool:
    """Whether an index may name the same item twice: it holds an array of integers."""
    parts = index.items if isinstance(index, n.Display) and index.form == "tuple" else (index,)
    return any(
        (isinstance(p.kind, Array | Sequence) and getattr(p.kind, "dtype", None) != "bool")
        or (isinstance(p, n.Display) and p.form == "list")
        for p in parts
    )


def _as_argument(index: n.Expr) -> n.Expr:
    """An index as an argument of a function, where `a:b` must be written `slice(a, b)`."""
    match index:
        case n.Display(items=items):
            return replace(index, items=tuple(map(_as_argument, items)))
        case n.Slice(lower=a, upper=b, step=c):
            ends = [e or n.Const(None) for e in (a, b, c)]
            while len(ends) > 1 and isinstance(ends[-1], n.Const) and ends[-1].value is None and len(ends) != 2:
                ends.pop()
            if len(ends) == 2 and a is None:
                ends.pop(0)
            return n.Call(n.Ref("slice", slice, "builtin"), tuple(ends))
        case _:
            return index


def _own(body: list[n.Stmt]) -> list[n.Stmt]:
    """The statements of a loop's body that are not inside an inner loop."""
    found: list[n.Stmt] = []
    for stmt in body:
        found.append(stmt)
        if isinstance(stmt, n.If):
            found += _own(stmt.then) + _own(stmt.orelse)
    return found


def _stops(body: list[n.Stmt]) -> bool:
    match body[-1] if body else None:
        case n.Raise():
            return True
        case n.If(then=then, orelse=orelse):
            return _stops(then) and _stops(orelse)
        case _:
            return False


def _range(stop: n.Expr) -> n.Expr:
    return n.Call(n.Ref("range", range, "builtin"), (stop,), kind=Sequence(INT, range))


def _backwards(iterable: n.Expr) -> n.Expr:
    match iterable:
        case n.Call(func=n.Ref(value=function), args=(inner,)) if function is reversed:
            return inner
        case _:
            return n.Call(n.Ref("reversed", reversed, "builtin"), (iterable,), kind=Sequence(INT, reversed))
