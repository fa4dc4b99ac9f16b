"""Sharing: which variables may reach the same memory, and what each statement changes in place.

`b = a`, `b = a[1:]`, `rows.append(a)` make two names for one piece of memory. The analysis follows, statement by
statement, which pairs of variables may share. A write through one of them changes the contents of all its partners
(`touched`). Partners that are read afterwards are *entangled*: the adjoint of each is a view of one buffer. A variable
that nobody shares while it is written to has an adjoint like any other.

>>> from adcompile.analyses.typing.program import Program
>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import Array, Extent
>>> def double(a):
...     b = a[1:]
...     c = a * 1.0
...     b += c[1:]
...     return a.sum()
>>> program = Program(read)
>>> typed = program.infer(double, (Array("float64", (Extent("a.0", least=2),)),))
>>> sharing = analyse_sharing(typed.body, typed.params, InProgram(program, typed))
>>> [sorted(v.name for v in found) for found in (sharing.touched[typed.body[2]], sharing.changed_params)]
[['a', 'b'], ['a']]
"""

from __future__ import annotations

from collections.abc import Callable as Function
from collections.abc import Collection, Hashable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from adcompile.analyses.memory.effects import Change, Effects, calls_change
from adcompile.analyses.memory.identical import bound_kinds, class_of, kinds_read, leaves_of, may_hold
from adcompile.analyses.memory.private import private
from adcompile.analyses.memory.regions import NONE, Some, holds_memory, viewed
from adcompile.analyses.partners import Partners, merged
from adcompile.analyses.typing.calls import is_cached, is_generator, resolve
from adcompile.analyses.typing.identity import changeable
from adcompile.analyses.typing.targets import LibraryCall, MethodCall, Target, UserCall
from adcompile.ir import nodes as n
from adcompile.ir.kinds import UNKNOWN, Array, Callable, Kind, Scalar, Sequence, Static, Struct, within
from adcompile.ir.walk import binds, bound_in, children, expressions, reads, statements, targets, walk

if TYPE_CHECKING:
    from adcompile.analyses.memory.identical import Kinds
    from adcompile.analyses.typing.functions import Functions
    from adcompile.analyses.typing.typed import Typed


@dataclass(slots=True)
class Sharing:
    """What may be shared before each statement, and what each changes.

    `touched` are the variables whose contents a statement may change without binding them; `changed_params` are the
    parameters whose arguments it would change for the caller too, and `changed_classes` the classes of the lists, dicts
    and objects in them that it changes, with None for what may be any.
    """

    before: dict[n.Stmt, Partners] = field(default_factory=dict)
    touched: dict[n.Stmt, Some] = field(default_factory=dict)
    roots: dict[n.Stmt, Some] = field(default_factory=dict)  # the arrays by whose names a statement changes something
    live: dict[n.Stmt, Some] = field(default_factory=dict)
    entangled: set[n.Variable] = field(default_factory=set)
    tied: dict[n.Variable, n.Stmt] = field(default_factory=dict)  # entangled by a change of a list or an object
    changed_params: list[n.Variable] = field(default_factory=list)
    changed_classes: frozenset[type | None] = frozenset()
    changed: set[n.Variable] = field(default_factory=set)  # touched anywhere
    passed: set[n.Variable] = field(default_factory=set)  # whose memory goes on to a name that is touched
    sources: Function[[n.Expr], Some] = lambda _: NONE  # whose memory an expression may reach
    result: Some = NONE  # the parameters whose memory the result may reach
    entwined: bool = False  # whether parts of the result may share memory with each other
    outside: dict[n.Variable, str] = field(default_factory=dict)  # what stands for memory outside, and its name
    written: dict[n.Variable, n.Stmt] = field(default_factory=dict)  # what is changed of that, and where first
    by_layout: bool = False  # whether it depends on how arrays lie in memory who shares it
    exposed: bool = False  # whether the result may reach memory outside

    @property
    def quiet(self) -> bool:
        """Whether nothing is changed in place."""
        return not self.touched


def release(sharing: Sharing, varying: Collection[n.Variable]) -> None:
    """Let go of what is entangled with nothing that ever varies: it has no adjoint, under none of its names."""
    if not sharing.entangled:
        return
    every = merged(sharing.before.values())
    reached = _closed(varying, lambda v: every.of((v,)))
    sharing.entangled &= reached
    sharing.tied = {variable: stmt for variable, stmt in sharing.tied.items() if variable in reached}


class InProgram(Effects):
    """What memory values reach, and what statements change, in a function of the user's: its calls are looked into."""

    def __init__(self, program: Functions, typed: Typed) -> None:
        self._found: dict[int, tuple[Some, n.Expr]] = {}
        self.program = program
        self.scope = program.scope(typed.captured)
        self.kinds: dict[n.Variable, Kind] = dict(zip(typed.params, typed.kinds, strict=True))
        self.outer: dict[Hashable, tuple[n.Variable, Kind]] = {}  # what stands for each value from outside

    def of(self, expr: n.Expr) -> Some:
        """The variables whose memory the value of an expression may be part of, or hold."""
        known = self._found.get(id(expr))
        if known is None:
            known = self._found[id(expr)] = (self.found(expr), expr)  # kept, so that its identity stays its own
        return known[0]

    def called(self, call: n.Call) -> Target:
        """What a call calls."""
        return resolve(call, self.scope)

    def by_calls(self, expr: n.Expr) -> list[Change]:
        """What the calls in an expression change: not kept, since it depends on this function's names."""
        return calls_change(self, expr)

    def callee(self, call: UserCall) -> Typed:
        """The called function, typed."""
        kinds = [e.kind for e in call.args] + [
            self.scope.captured.get(v) or self.kinds.get(v, Static(None)) for v in call.captures
        ]
        return self.program.specialise(call, kinds)[0]

    def free(self, expr: n.Expr) -> Some:
        """The outer variables that a local function reads, where an expression is one."""
        match expr.kind:
            case Callable(target=n.Function() as function):
                return frozenset(self.scope.free(function))
            case _:
                return NONE

    def outside(self, key: Hashable, name: str, kind: Kind) -> Some:
        """The variable that stands for memory outside the function."""
        return frozenset((self.outer.setdefault(key, (n.Variable(name), kind))[0],))

    def given(self, call: UserCall) -> list[Some]:
        """What the arguments of a call may reach, and the variables that it reads from outside."""
        return [*map(self.of, call.args), *(frozenset({v}) for v in call.captures)]

    def is_generator(self, call: UserCall) -> bool:
        """Whether what is called is a generator: it runs later, bit by bit."""
        return is_generator(call.target if isinstance(call.target, n.Function) else self.scope.lower(call.target))

    def of_user_call(self, call: n.Call, found: UserCall) -> Some:
        """What the result of a call may reach, as the function called says."""
        if self.is_generator(found):
            return NONE.union(*map(self.of, children(call)))
        callee = self.callee(found)
        shared = self.program.memory_effects(callee)[0]
        reached = NONE.union(*(s for s, p in zip(self.given(found), shared, strict=True) if p))
        is_kept = self.program.exposed.get(id(callee), False) or is_cached(n.object_of(call.func))
        if is_kept and holds_memory(call.kind):
            reached |= self.outside(id(callee), callee.function.name, call.kind)
        return reached

    def is_entwined(self, call: n.Call) -> bool:
        """Whether parts of what a function of the user's returns may share memory with each other."""
        found = self.called(call)
        if not isinstance(found, UserCall) or self.is_generator(found) or not holds_memory(call.kind):
            return False
        callee = self.callee(found)
        self.program.memory_effects(callee)  # which finds it out
        return self.program.entwined.get(id(callee), False)

    def by_user_call(self, call: n.Call, found: UserCall) -> list[Change]:
        """What a call changes, as the function called says."""
        del call
        if self.is_generator(found):
            return []
        given = self.given(found)
        everything = NONE.union(*given)
        changed = self.program.memory_effects(self.callee(found))[1]
        return [Change(s, everything - s, through_item=True) for s, c in zip(given, changed, strict=True) if c]

    def depends_on_layout(self, body: list[n.Stmt]) -> bool:
        """Whether it depends on how arrays lie in memory what shares memory: `x.ravel()` is a view or a copy."""
        calls = (e for s in statements(body) for expr in expressions(s) for e in walk(expr) if isinstance(e, n.Call))
        return any(
            viewed(found).by_layout for e in calls if isinstance(found := self.called(e), LibraryCall | MethodCall)
        )


def analyse_sharing(
    body: list[n.Stmt], params: list[n.Variable], resolver: InProgram, *, for_callers: bool = False
) -> Sharing:
    """Follow what is shared through a typed body; `for_callers`: also where nothing is changed, for its `result`."""
    work = _Work(body, params, resolver, for_callers=for_callers)
    work.run()
    return work.sharing


class _Work:
    def __init__(self, body: list[n.Stmt], params: list[n.Variable], resolver: InProgram, *, for_callers: bool) -> None:
        self.for_callers = for_callers
        self.body = body
        self.params = params
        self.resolver = resolver
        self.sources = resolver.of
        self.sharing = Sharing()
        self.sharing.sources = self.sources
        self.memory = {p: n.Variable(p.name, n.Role.RESULT, of=p) for p in params}  # the caller's own
        self.changes: dict[n.Stmt, list[Change]] = {}
        self.origins: dict[n.Variable, Some] = {}  # what each name ever got its memory from
        self.within_itself: set[n.Variable] = set()  # what a part of a thing may be: the thing itself
        self.frames: list[list[Partners]] = []  # what was shared wherever a `try` at hand may be left
        self.floor: Some = NONE  # what the handlers around read
        self.holders: set[n.Variable] = set()  # that are or hold lists, dicts or objects at some time
        self.returned: set[n.Variable] = set()  # what calls return alone: see `must_inline`

    @cached_property
    def read(self) -> Kinds:
        return kinds_read(self.body)

    @cached_property
    def private(self) -> Some:
        return private(self.body, self.resolver)

    def run(self) -> None:
        self.holders = {v for v, kind in self.resolver.kinds.items() if changeable(kind)}
        self.holders |= {m for p, m in self.memory.items() if p in self.holders}
        for stmt in statements(self.body):
            for variable, kind in bound_kinds(stmt):
                self.resolver.kinds[variable] = kind
                if changeable(kind):
                    self.holders.add(variable)
        self.returned = self.only_returned()
        for stmt in statements(self.body):
            found = self.resolver.changes(stmt)
            if found:
                self.changes[stmt] = found
        sharing = self.sharing
        if not self.changes and not self.for_callers:
            return  # where nothing is changed, nobody asks who shares
        sharing.by_layout = self.resolver.depends_on_layout(self.body)
        pairs = Partners()
        for param, memory in self.memory.items():
            pairs = pairs.joined(param, frozenset({memory}))
        self.block(self.body, pairs)
        sharing.outside = {v: v.name for v, _ in self.resolver.outer.values()}
        self.holders |= {v for v, kind in self.resolver.outer.values() if changeable(kind)}
        if self.changes:
            self.liveness(self.body, NONE)
        for stmt, changes in self.changes.items():
            if stmt in sharing.before:
                self.judge(stmt, changes)
        # memory travels on: whoever ever shares with one that is entangled has a buffer too
        apart = {*self.memory.values(), *self.only_read()}
        every = merged(sharing.before.values())
        sharing.entangled = _closed(sharing.entangled, lambda v: every.of((v,)) - apart)
        sharing.changed_params = [p for p, m in self.memory.items() if any(m in t for t in sharing.touched.values())]
        own = frozenset(self.memory.values())
        changes = [c for s, found in self.changes.items() if sharing.touched.get(s, NONE) & own for c in found]
        sharing.changed_classes = frozenset(class_of(c.kind) for c in changes if not isinstance(c.kind, Array))
        self.note_written()
        memories = {*self.memory.values(), *sharing.outside}
        sharing.entangled -= sharing.outside.keys()
        sharing.touched = {s: t - memories for s, t in sharing.touched.items()}
        sharing.changed = set().union(*sharing.touched.values()) if sharing.touched else set()
        sharing.passed = _closed(sharing.changed, lambda v: self.origins.get(v, NONE) - memories) - sharing.changed
        # A name that stands for something else by the time its old array changes is not touched: what is kept of it is.
        for variable, count in self.times_set().items():
            if count > 1 and variable in self.origins:
                comes_of = _closed({variable}, lambda v: self.origins.get(v, NONE))
                sharing.passed |= {variable} if comes_of & sharing.changed else set()

    def only_returned(self) -> set[n.Variable]:
        """The variables that hold what calls of functions return, and never anything else."""
        bound = [(v, s) for s in statements(self.body) for v in binds(s)]
        given = {
            s
            for _, s in bound
            if isinstance(s, n.Assign | n.Unpack)
            and isinstance(s.value, n.Call)
            and isinstance(found := self.resolver.called(s.value), UserCall)
            and not self.resolver.is_generator(found)
        }
        others = {*self.params, *(v for v, s in bound if s not in given)}
        return {v for v, _ in bound} - others

    def times_set(self) -> dict[n.Variable, int]:
        """How often each variable is set; what is set once in a loop counts as set twice."""
        counts: dict[n.Variable, int] = {}
        for stmt in statements(self.body):
            again = bound_in(stmt.body) if isinstance(stmt, n.For | n.While) else []
            for variable in [*binds(stmt), *again]:
                counts[variable] = counts.get(variable, 0) + 1
        return counts

    def note_written(self) -> None:
        """Take note of what is changed of the memory outside the function, and where first.

        What comes in as an argument, or is captured, is a parameter here.
        """
        own = {*self.params, *self.memory.values(), *bound_in(self.body)}
        for stmt, touched in self.sharing.touched.items():
            for variable in touched - own:
                # a stand-in, or what a local function reads that is called by another name than its own
                self.sharing.outside.setdefault(variable, variable.name)
                self.sharing.written.setdefault(variable, stmt)

    def only_read(self) -> Some:
        """Stretched views of which nothing else is a view.

        Where they are not entangled themselves, nobody reads one after a change of what it shows, so that its adjoint
        is that of a new array.
        """
        found: dict[n.Variable, bool] = {}
        for stmt in statements(self.body):
            stretched = isinstance(stmt, n.Assign) and isinstance(stmt.value.kind, Array) and self.repeats(stmt.value)
            for variable in binds(stmt):
                found[variable] = stretched and found.get(variable, True)
        shown = NONE.union(*(origins - {variable} for variable, origins in self.origins.items()))
        return frozenset(v for v, stretched in found.items() if stretched) - shown - set(self.params)

    def repeats(self, value: n.Expr) -> bool:
        """Whether several items of what a call returns may be one."""
        if not isinstance(value, n.Call):
            return False
        found = self.resolver.called(value)
        return isinstance(found, LibraryCall) and viewed(found).repeats

    def judge(self, stmt: n.Stmt, changes: list[Change]) -> None:
        """What a statement touches, and who is entangled by it."""
        sharing = self.sharing
        pairs = sharing.before[stmt]
        live = sharing.live.get(stmt, NONE)
        touched: set[n.Variable] = set()
        for change in changes:
            around = change.roots | pairs.of(change.roots)
            if change.container and not change.through_item and change.roots <= self.private:
                around = change.roots
            elif change.container:  # the arrays in it stay as they are
                around = frozenset(v for v in around if v in change.roots or self.may_hold(v, change))
            touched |= around
            for root in change.roots:
                others = {v for v in around - {root} if v in live}
                if pairs.knotted((root,)) and (change.through_item or root in self.within_itself):
                    others.add(root)
                if others:
                    sharing.entangled |= {root, *others}
                if others and change.container:
                    sharing.tied.update(dict.fromkeys([root, *others], stmt))
        sharing.touched[stmt] = frozenset(touched)
        sharing.roots[stmt] = NONE.union(*(change.roots for change in changes if not change.container))

    def may_hold(self, variable: n.Variable, change: Change) -> bool:
        """Whether a variable may be or hold the list, dict or object that a change is about."""
        if variable not in self.holders:
            return False
        kinds = [self.read.get(v, {UNKNOWN}) for v in change.roots]
        outer = {v: {kind} for v, kind in self.resolver.outer.values()}
        held = self.read.get(variable) or outer.get(variable, {UNKNOWN})
        return may_hold(held, set().union(*kinds), class_of(change.kind))

    # ------------------------------------------------------------------------------------------------- what is shared

    def block(self, body: list[n.Stmt], pairs: Partners) -> Partners:
        for stmt in body:
            pairs = self.statement(stmt, pairs)
        return pairs

    def statement(self, stmt: n.Stmt, pairs: Partners) -> Partners:
        self.sharing.before[stmt] = pairs
        for frame in self.frames:
            frame.append(pairs)
        for change in self.changes.get(stmt, []):
            if change.inserted:
                reach = change.inserted | pairs.of(change.inserted)
                holders = change.roots | pairs.of(change.roots)
                for holder in holders:
                    self.origins[holder] = self.origins.get(holder, NONE) | change.inserted
                    again = holder in reach or pairs.meet((holder,), reach)
                    again = again or _tangled(self, n.Display("tuple", change.put), pairs)
                    again = again or pairs.knotted(change.inserted)
                    pairs = pairs.joined(holder, reach)
                    if again:
                        pairs = pairs.knot(holder)
                    if holder in reach and _may_hold(change, {change.kind, *self.read.get(holder, ())}):
                        self.within_itself.add(holder)
        match stmt:
            case n.Assign(target=target, value=value):
                return self.bind([(target, self.sources(value), _tangled(self, value, pairs))], pairs)
            case n.Unpack(pattern=pattern, value=value):
                return self.unpack(pattern, value, pairs)
            case n.If(then=then, orelse=orelse):
                return self.block(then, pairs).merged(self.block(orelse, pairs))
            case n.For() | n.While():
                while True:
                    self.sharing.before[stmt] = pairs
                    inside = self.entered(stmt, pairs) if isinstance(stmt, n.For) else pairs
                    after = pairs.merged(self.block(stmt.body, inside))
                    if after == pairs:
                        return pairs
                    pairs = after
            case n.Try():
                return self.attempt(stmt, pairs)
            case n.With(manager=manager, target=into, body=body):
                if into is not None:
                    held = self.sources(manager)
                    pairs = self.bind([(v, held, False) for v, _ in leaves_of(into)], pairs)
                return self.block(body, pairs)
            case n.Delete(variable=variable):
                return self.bind([(variable, NONE, False)], pairs)
            case n.Return(value=value):
                reach = self.sources(value)
                reach |= pairs.of(reach)
                self.sharing.result = frozenset(p for p, m in self.memory.items() if m in reach)
                self.sharing.exposed |= any(v in reach for v, _ in self.resolver.outer.values())
                knotted = pairs.knotted(self.sources(value))
                self.sharing.entwined |= knotted or _tangled(self, value, pairs)
                return pairs
            case n.Define(variable=variable, function=function):
                return self.bind([(variable, frozenset(function.captures), False)], pairs)
            case _:
                return pairs

    def entered(self, stmt: n.For, pairs: Partners) -> Partners:
        """What is shared at the top of a loop's body, where the targets hold items."""
        items = stmt.iterable
        source = self.sources(items) if holds_memory(items.kind) else self.iterated(items)
        return self.bind([(v, source if holds_memory(k) else NONE, False) for v, k in leaves_of(stmt.target)], pairs)

    def attempt(self, stmt: n.Try, pairs: Partners) -> Partners:
        """A handler finds what was shared at any point of the body; an exception may hold what is passed on there."""
        frame: list[Partners] = [pairs]
        self.frames.append(frame)
        after = self.block(stmt.body, pairs)
        self.frames.pop()
        caught = after
        for other in frame:
            caught = caught.merged(other)
        held = NONE.union(
            *(
                self.sources(e)
                for s in statements(stmt.body)
                for expr in expressions(s)
                for e in (walk(expr) if isinstance(s, n.Raise) else _arguments(expr))
            )
        )
        after = self.block(stmt.orelse, after)
        for handler in stmt.handlers:
            start = caught
            if handler.variable is not None:
                start = self.bind([(handler.variable, held, False)], caught)
            after = after.merged(self.block(handler.body, start))
        return self.block(stmt.final, after.merged(caught)) if stmt.final else after

    def iterated(self, iterable: n.Expr) -> Some:
        """What the items of `zip(...)`, `enumerate(...)` and the like may reach."""
        return NONE.union(*(self.sources(e) for e in walk(iterable) if isinstance(e, n.Read) and holds_memory(e.kind)))

    def unpack(self, pattern: n.Display, value: n.Expr, pairs: Partners) -> Partners:
        bound: list[tuple[n.Variable, Some, bool]] = []

        def take(target: n.Expr, given: n.Expr | None) -> None:
            match target:
                case n.Display(items=items):
                    match given:
                        case n.Display(items=values) if len(values) == len(items) and not any(
                            isinstance(e, n.Starred) for e in (*items, *values)
                        ):
                            for t, v in zip(items, values, strict=True):
                                take(t, v)
                        case _:
                            for t in items:
                                take(t, given)
                case n.Starred(value=inner):
                    take(inner, given)
                case n.Read(variable=variable, kind=kind):
                    source = self.sources(given) if given is not None and holds_memory(kind) else NONE
                    bound.append((variable, source, given is not None and _tangled(self, given, pairs)))

        take(pattern, value)
        whole = value.variable if isinstance(value, n.Read) and value.variable in self.returned else None
        parted = whole is not None and not pairs.knotted((whole,))
        return self.bind(bound, pairs, parted=frozenset({whole}) if whole is not None and parted else NONE)

    def bind(self, bound: list[tuple[n.Variable, Some, bool]], pairs: Partners, *, parted: Some = NONE) -> Partners:
        """Bind variables at once, each to what reaches the memory of others.

        Those that are parts of one in `parted` share no memory by that.
        """
        for v, source, _ in bound:
            self.origins[v] = self.origins.get(v, NONE) | source
        reach = {v: source | pairs.of(source) for v, source, _ in bound}
        own = frozenset(v for v, _, _ in bound)
        renamed = {v: r - own for v, r in reach.items()}
        # `u, w = w, u`: what the new `u` shares with is what the old `w` shared with
        origin = {v: source for v, source, _ in bound}
        new = pairs.without(own)
        for v, others in renamed.items():
            new = new.joined(v, others)
        names = [v for v, _, _ in bound]
        for k, v in enumerate(names):
            a = origin[v]
            new = new.joined(
                v, frozenset(w for w in names[k + 1 :] if (a & (b := origin[w])) - parted or pairs.meet(b, a))
            )
        for v, source, tangled in bound:
            if tangled or pairs.knotted(source):
                new = new.knot(v)
        return new

    # ------------------------------------------------------------------------------------------------------- liveness

    def liveness(self, body: list[n.Stmt], live: Some) -> Some:
        """What is read later, behind each statement; returns what is live before the block."""
        for stmt in reversed(body):
            live |= self.floor
            self.sharing.live[stmt] = self.sharing.live.get(stmt, NONE) | live
            match stmt:
                case n.Try(body=inner, handlers=handlers, orelse=orelse, final=final):
                    after = self.liveness(final, live)
                    floor, self.floor = self.floor, self.floor | after
                    caught = after.union(*(self.liveness(handler.body, after) for handler in handlers))
                    live = self.liveness(orelse, after)
                    self.floor |= caught
                    live = self.liveness(inner, live) | caught
                    self.floor = floor
                    for expr in expressions(stmt):
                        live |= self.uses(expr)
                case n.With(manager=manager, body=inner):
                    live = self.liveness(inner, live) | self.uses(manager)
                case n.If(test=test, then=then, orelse=orelse):
                    live = self.liveness(then, live) | self.liveness(orelse, live) | self.uses(test)
                case n.For(body=inner) | n.While(body=inner):
                    bound = frozenset(targets(stmt.target)) if isinstance(stmt, n.For) else NONE
                    asked = live.union(*map(self.uses, expressions(stmt)))
                    inside = asked
                    while not (head := (self.liveness(inner, inside) - bound) | asked) <= inside:
                        inside |= head
                    live = head
                case _:
                    if not isinstance(stmt, n.Augment):
                        live -= frozenset(binds(stmt))
                    for expr in expressions(stmt):
                        live |= self.uses(expr)
        return live

    def uses(self, expr: n.Expr) -> Some:
        found = frozenset(reads(expr))
        for e in walk(expr):
            if isinstance(e.kind, Callable):
                found |= self.resolver.free(e)
        return found


def _closed(start: Iterable[n.Variable], more: Function[[n.Variable], AbstractSet[n.Variable]]) -> set[n.Variable]:
    """Some variables, and those that are reached from them."""
    found = set(start)
    todo = list(found)
    while todo:
        new = more(todo.pop()) - found
        found |= new
        todo += new
    return found


def _arguments(expr: n.Expr) -> list[n.Expr]:
    """What is passed on in the calls of an expression."""
    return [e for call in walk(expr) if isinstance(call, n.Call) for e in (*call.args, *(v for _, v in call.keywords))]


def _tangled(work: _Work, value: n.Expr, pairs: Partners) -> bool:
    """Whether parts of a new container may share memory with each other."""
    if any(isinstance(e, n.Call) and work.resolver.is_entwined(e) for e in walk(value)):
        return not isinstance(value.kind, Array | Scalar)
    match value:
        case n.Display() | n.Mapping() | n.Call():
            items = children(value)
            parts = [s for e in items for s in [work.sources(e)] if s]
            return any(a & b or pairs.meet(a, b) for k, a in enumerate(parts) for b in parts[k + 1 :]) or any(
                _tangled(work, e, pairs) for e in items
            )
        case n.Conditional() | n.Subscript() | n.Starred() | n.Named() | n.Bool():
            return any(_tangled(work, e, pairs) for e in children(value))
        case n.Binary(op="*", left=left, right=right) if not isinstance(value.kind, Array | Scalar):
            repeated = left if not isinstance(left.kind, Scalar) else right
            match repeated.kind:
                case Sequence(item=item):
                    return holds_memory(item)
                case Struct(items=kinds):
                    return any(map(holds_memory, kinds))
            return True
        case n.Binary(left=left, right=right) if not isinstance(value.kind, Array | Scalar):
            a, b = work.sources(left), work.sources(right)
            return bool(a & b) or pairs.meet(a, b) or any(_tangled(work, e, pairs) for e in (left, right))
        case n.Opaque(inside=n.Comprehension(form="list", element=element)):
            return bool(work.sources(element)) or _tangled(work, element, pairs)
        case n.Opaque():
            return holds_memory(value.kind)
        case _:
            return False


def _may_hold(change: Change, holders: set[Kind]) -> bool:
    """Whether what is put into something may be the dict or object that it is put into, or have that for a part."""
    classes = {(k.form, k.cls) for k in holders if isinstance(k, Struct) and k.form in ("dict", "record")}
    return any((p.form, p.cls) in classes for e in change.put for p in within(e.kind) if isinstance(p, Struct))
