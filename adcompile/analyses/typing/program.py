"""All functions of one compilation: lowered once, typed once for each signature."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Callable as Function
from collections.abc import Iterable
from collections.abc import Sequence as Items
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from adcompile.analyses.manager import Manager
from adcompile.analyses.memory.sharing import InProgram, analyse_sharing
from adcompile.analyses.typing.calls import local_functions, resolve
from adcompile.analyses.typing.given_whole import GivenWhole
from adcompile.analyses.typing.identity import LOST
from adcompile.analyses.typing.kinds import Inference
from adcompile.analyses.typing.literals import Deciding, flags, with_literals, written_down
from adcompile.analyses.typing.made_anew import is_made_anew
from adcompile.analyses.typing.questions import passes_on, with_given
from adcompile.analyses.typing.targets import Scope, UserCall
from adcompile.analyses.typing.typed import Typed
from adcompile.calls.arguments.lengths import Flag
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import NEVER, Array, Dim, Extent, Given, Kind, Scalar, Sequence, Struct, Table
from adcompile.ir.walk import binds, bound_in, expressions, reads, statements, walk

if TYPE_CHECKING:
    from adcompile.analyses.typing.functions import MemoryEffects

# The third counts texts for lengths of which something else was asked, the last is what is written down at the call.
Key = tuple[Any, tuple[Kind, ...], int, tuple[tuple[n.Variable, n.Expr], ...]]
_MOST = 128  # times that a function is typed within itself: for other kinds, or since others are known better
_ROUNDS = 200  # of inferring a function and writing calls out: of two thousand programs none took ten


@dataclass(slots=True)
class _Round:
    """One look at each of the functions that call one another."""

    guesses: dict[int, MemoryEffects]  # of the rounds before, and of this one
    begun: dict[int, Typed] = field(default_factory=dict)
    moved: bool = False  # whether one is another than it was
    is_provisional: bool = False  # whether what is found of a function depends on one that is not finished


class Program:
    """The functions that a differentiated function reaches."""

    def __init__(
        self,
        read: Function[[types.FunctionType], n.Function],
        structure: Function[[n.Function], None] = lambda _: None,
        inline_calls: Function[[Typed], list[n.Stmt] | None] = lambda _: None,
    ) -> None:
        self._read = read
        self._structure = structure
        self._inline_calls = inline_calls
        self._effects: dict[int, tuple[Typed, list[bool], list[bool]]] = {}
        # While calls are written out no body changes: how many inferences there were, and what was found since.
        self._opening: tuple[int, dict[int, tuple[Typed, MemoryEffects]]] = (0, {})
        self._round: _Round | None = None
        self._lowered: dict[types.FunctionType, n.Function] = {}
        self._known: set[n.Function] = set()
        self._mentions: Counter[object] = Counter()  # of functions outside, how often the program speaks of each
        self._mentioned: dict[n.Function, set[types.FunctionType]] = {}
        self.entwined: dict[int, bool] = {}  # of typed functions: whether parts of the result may share memory
        self.exposed: dict[int, bool] = {}  # of typed functions: whether the result may reach memory outside them
        self.rebound: set[n.Variable] = set()  # by local functions that declare them `nonlocal`
        self.attempts = False  # whether a `try` is somewhere, which may call anything
        self.steep: dict[n.Function, bool] = {}  # of functions: whether they may compute a slope that is not finite
        self.manager = Manager()
        self.checked: dict[int, Typed] = {}  # typed functions whose updates in place are in form
        self._typed: dict[Key, Typed] = {}
        self._active: list[Key] = []
        self._within_itself: Counter[n.Function] = Counter()
        self._read_ahead: dict[types.FunctionType, n.Function] = {}
        self._deciding = Deciding(self._ahead)
        self._inferences = 0
        self._repeat: set[Key] = set()
        # Whether a way ends where something is computed with None; None where that is refused instead.
        self.faults_raise: bool | None = False
        self.given = GivenWhole()  # what whole numbers that stand for reals were made of
        self.taps = False  # whether partials are asked of names that a function sets
        self.flagged: dict[n.Variable, n.Variable] = {}  # the flags that say whether names are set
        self._tapped: dict[int, tuple[Typed, bool]] = {}
        self.default_kinds: dict[n.Variable, Kind] = {}
        self.defined: dict[n.Variable, n.Function] = {}
        self.held: dict[n.Variable, dict[n.Function, None]] = {}  # the local functions that a variable may hold

    def next_inference(self) -> int:
        """A number for each inference, so that what one finds out of an extent is not mixed up with another's."""
        self._inferences += 1
        return self._inferences

    # --------------------------------------------------------------------------------------------------- lowering

    def lower(self, function: types.FunctionType) -> n.Function:
        """The structured IR of a function object."""
        if function not in self._lowered:
            lowered = self._read_ahead.pop(function, None) or self._read(function)
            self.remember(lowered)
            self._lowered[function] = lowered
        return self._lowered[function]

    def _ahead(self, function: types.FunctionType) -> n.Function:
        """The IR of a function that may never be called: it is no part of the program yet."""
        if function in self._lowered:
            return self._lowered[function]
        if function not in self._read_ahead:
            self._read_ahead[function] = self._read(function)
        return self._read_ahead[function]

    @property
    def typed(self) -> list[Typed]:
        """Every called function, typed for each signature."""
        return list(self._typed.values())

    @property
    def functions(self) -> list[n.Function]:
        """Every function that was lowered."""
        return list(self._lowered.values())

    @property
    def known(self) -> frozenset[n.Function]:
        """Every function that was lowered, and those that are defined in one."""
        return frozenset(self._known)

    @property
    def makes_functions(self) -> bool:
        """Whether functions are made that carry values of others along."""
        return any(f.captures or is_made_anew(f) for f in self._known)

    @property
    def captured(self) -> set[n.Variable]:
        """The variables that functions read which are defined in others."""
        return {v for function in self._known for v in function.captures}

    def remember(self, function: n.Function) -> None:
        """Take in a function, and those defined in it: bring it into structured form, once."""
        if function in self._known:
            return
        self._known.add(function)
        self._structure(function)
        self.attempts |= any(isinstance(stmt, n.Try) for stmt in statements(function.body))
        self.rebound |= set(function.captures) & set(bound_in(function.body))
        counts: dict[n.Variable, int] = {}
        for stmt in statements(function.body):
            for variable in binds(stmt):
                counts[variable] = counts.get(variable, 0) + 1
        for stmt in statements(function.body):
            if isinstance(stmt, n.Define):
                if counts[stmt.variable] == 1:
                    self.defined[stmt.variable] = stmt.function
                self.remember(stmt.function)
            for expr in expressions(stmt):
                for e in walk(expr):
                    if isinstance(e, n.Lambda):
                        self.remember(e.function)
                    elif isinstance(outside := n.object_of(e), types.FunctionType):
                        self._mentions[outside] += 1
                        self._mentioned.setdefault(function, set()).add(outside)

    def is_called_once(self, target: types.FunctionType) -> bool:
        """Whether one place of the program, as far as it is known, speaks of a function, which does not call itself."""
        return self._mentions[target] == 1 and not self.calls_itself(target)

    def calls_itself(self, target: types.FunctionType | n.Function) -> bool:
        """Whether a function speaks of itself, perhaps through others, as far as the program is known."""
        reached: set[types.FunctionType | n.Function] = set()
        todo = [target]
        while todo:
            one = todo.pop()
            function = one if isinstance(one, n.Function) else self.lower(one)
            inner = {self.defined[v] for v in function.captures if v in self.defined}
            found = (self._mentioned.get(function, set()) | inner) - reached
            reached |= found
            todo += [f for f in found if isinstance(f, n.Function) or f in self._lowered]
        return target in reached

    def note_held(self, variable: n.Variable, kind: Kind) -> None:
        """Take note that a variable is set to what may be, or hold, local functions."""
        if found := local_functions(kind):
            self.held.setdefault(variable, {}).update(dict.fromkeys(found))

    def free_values(self, function: n.Function) -> tuple[n.Variable, ...]:
        """The outer variables a local function reads, itself and through the local functions that it may call."""
        order: dict[n.Variable, None] = {}
        seen: set[n.Function] = set()

        def visit(f: n.Function) -> None:
            if f in seen:
                return
            seen.add(f)
            for variable in f.captures:
                inner = self.defined.get(variable)
                if inner is None:
                    order[variable] = None
                    for held in self.held.get(variable, ()):
                        visit(held)
                else:
                    visit(inner)

        visit(function)
        return tuple(order)

    # --------------------------------------------------------------------------------------------------- typing

    def scope(self, captured: dict[n.Variable, Kind] | None = None) -> Scope:
        """What resolving the calls of a function takes; `captured` is what its local functions read."""
        return Scope(self.lower, self.free_values, self.default_kinds, {} if captured is None else captured, self.steep)

    def with_flags(self, function: n.Function, arguments: Items[Any]) -> tuple[n.Function, tuple[Flag, ...]]:
        """A function for the truth values that a call gives for parameters that decide, and which these are."""
        if not any(isinstance(a, int) for a in arguments):
            return function, ()
        given = flags(function, arguments, self._deciding.of(function))
        literals: dict[n.Variable, n.Expr] = {v: n.Const(value) for v, (_, value) in given.items()}
        known = replace(function, body=with_literals(function, literals)) if given else function
        return known, tuple(Flag(place, value) for place, value in given.values())

    def infer(self, function: n.Function | types.FunctionType, kinds: Iterable[Kind]) -> Typed:
        """A function with arguments of these kinds; what it calls is typed on the way."""
        lowered = self.lower(function) if isinstance(function, types.FunctionType) else function
        typed = Typed(lowered, [p.variable for p in lowered.params], tuple(kinds))
        self.complete(typed)
        return typed

    def specialise(self, call: UserCall, kinds: list[Kind]) -> tuple[Typed, dict[str, Extent]]:
        """The function typed for these kinds, and the caller's extents by their names in the callee."""
        function = call.target if isinstance(call.target, n.Function) else self.lower(call.target)
        params = [p.variable for p in function.params] + list(call.captures)
        own = set(function.locals.values())
        for variable in call.captures:
            if variable in own:
                raise UnsupportedError(
                    f"cannot pass on a function that reads `{variable.name}`",
                    span=function.span,
                    reason=f"In the recursion, `{variable.name}` of one call would be taken for that of another.",
                    remedy=f"Give the inner function `{variable.name}` as an argument.",
                )
        names: dict[str, str] = {}
        back: dict[str, Extent] = {}
        canonical = tuple(_rename(kind, v.name, names, back) for v, kind in zip(params, kinds, strict=True))
        given = {root: extent.given for root, extent in back.items()}
        literals = written_down(function, call, self._deciding.of(function))
        if literals and self.calls_itself(call.target):
            literals = {v: e for v, e in literals.items() if isinstance(e, n.Const) and isinstance(e.value, bool)}
        number, told = 0, tuple(literals.items())
        while (typed := self._typed.get(key := (function, canonical, number, told))) is not None:
            if passes_on(typed.lengths, given):
                break
            number += 1
        if typed is None:
            self._check_ends(function)
            lengths = {root: Given(root, one.length, behind=[one]) for root, one in given.items() if one is not None}
            asking = tuple(with_given(kind, lengths) for kind in canonical)
            known = replace(function, body=with_literals(function, literals)) if literals else function
            typed = self._typed[key] = Typed(known, params, asking, lengths=lengths)
            self._infer(key, typed)
        elif key in self._active:
            self._repeat.update(self._active[self._active.index(key) :])
        return typed, back

    def _check_ends(self, function: n.Function) -> None:
        """Refuse a recursion that meets ever new kinds. Without one, there are as many as the program has calls."""
        if all(function is not active for active, *_ in self._active):
            return
        self._within_itself[function] += 1
        if self._within_itself[function] > _MOST:
            raise UnsupportedError(
                f"cannot compile `{function.name}` for so many kinds of arguments",
                span=function.span,
                reason="It calls itself, perhaps through others, with arguments of ever different structure.",
                remedy="Pass lists or arrays whose items are of one kind.",
            )

    def complete(self, typed: Typed) -> None:
        """Infer the kinds of a function, and write out the calls that change something in place."""
        whole = False
        while True:
            self._check_progress(typed)
            work = Inference(self, typed, whole=whole)
            work.run()
            if self._open(typed):
                continue
            if whole or not work.met_empty:
                break
            typed.result, whole = NEVER, True  # what is known now may show more calls that are to be written out

    def _open(self, typed: Typed) -> bool:
        """Write out one level of calls; whether there were any."""
        outer, self._opening = self._opening, (self._inferences, {})
        try:
            opened = self._inline_calls(typed)
        finally:
            self._opening = outer
        if opened is None:
            return False
        self.note_definitions(opened)
        typed.function = replace(typed.function, body=opened)
        typed.result = NEVER
        return True

    def _check_progress(self, typed: Typed) -> None:
        """Refuse a function that is not ready after so many rounds: they would never end."""
        typed.rounds += 1
        if typed.rounds > _ROUNDS:
            raise UnsupportedError(
                f"cannot compile `{typed.function.name}`",
                span=typed.function.span,
                reason="Two of its rules undo each other here: this is a mistake of adcompile, not of yours.",
                remedy="Give values of different structure different names, and report it with the function.",
            )

    def memory_effects(self, typed: Typed) -> MemoryEffects:
        """Of each parameter of a typed function: whether the result may reach its memory, and whether it is changed."""
        found = self._effects.get(id(typed))
        if found is not None:
            return found[1:]
        if self._round is not None:
            return self._effects_in_round(typed, self._round)
        inferences, meanwhile = self._opening
        if id(typed) in meanwhile and inferences == self._inferences:
            return meanwhile[id(typed)][1]
        guesses: dict[int, MemoryEffects] = {}
        try:
            while self._round is None or self._round.moved:
                self._round = _Round(guesses)
                before = self._inferences
                result = self._effects_in_round(typed, self._round)
                self._round.moved |= self._inferences != before  # a function that was typed meanwhile has another body
            for each in self._round.begun.values():
                meanwhile[id(each)] = each, guesses[id(each)]
                if not self._active:
                    self._effects[id(each)] = each, *guesses[id(each)]
        finally:
            self._round = None
        return result

    def _effects_in_round(self, typed: Typed, now: _Round) -> MemoryEffects:
        """The same, by what is known so far of functions that call one another: a round looks at each of them once."""
        if id(typed) in now.begun:
            now.is_provisional = True
            return now.guesses[id(typed)]
        now.begun[id(typed)] = typed
        if id(typed) not in now.guesses:  # what was found of another body does not hold of this one
            self.entwined[id(typed)] = False
        before = now.guesses.setdefault(id(typed), ([False] * len(typed.params), [False] * len(typed.params)))
        others, now.is_provisional = now.is_provisional, any(self._typed.get(key) is typed for key in self._active)
        sharing = analyse_sharing(typed.body, typed.params, InProgram(self, typed), for_callers=True)
        # What was found once stays: a call of what is entwined is written out, and looks less so in the next round.
        entwined = self.entwined[id(typed)] or sharing.entwined
        exposed = self.exposed.get(id(typed), False) or sharing.exposed
        reached = [p in sharing.result or known for p, known in zip(typed.params, before[0], strict=True)]
        changed = [p in sharing.changed_params or known for p, known in zip(typed.params, before[1], strict=True)]
        result = reached, changed
        now.moved |= self.entwined[id(typed)] != entwined or self.exposed.get(id(typed), False) != exposed
        self.entwined[id(typed)] = entwined
        self.exposed[id(typed)] = exposed
        now.guesses[id(typed)] = result
        now.moved |= result != before
        if not now.is_provisional:
            self._effects[id(typed)] = (typed, *result)
        now.is_provisional |= others
        return result

    def is_tapped(self, typed: Typed) -> bool:
        """Whether a typed function, or one that it calls, sets a name that partials are asked of."""
        if not self.taps:
            return False
        if id(typed) not in self._tapped:
            reached: dict[int, Typed] = {}
            todo = [typed]
            while todo:
                one = todo.pop()
                if id(one) not in reached:
                    reached[id(one)] = one
                    resolver = InProgram(self, one)
                    todo += [resolver.callee(call) for call in _user_calls(one.body, resolver)]
            found = any(isinstance(s, n.Tap) for one in reached.values() for s in statements(one.body))
            self._tapped[id(typed)] = typed, found
        return self._tapped[id(typed)][1]

    def definitions_for(self, function: n.Function) -> list[n.Stmt]:
        """The local functions of the user's that a function of its own still calls as they are."""
        bound = {p.variable for p in function.params} | set(bound_in(function.body))
        found: dict[n.Variable, None] = {}
        todo = [v for s in statements(function.body) for e in expressions(s) for v in reads(e)]
        while todo:
            variable = todo.pop(0)
            if variable in self.defined and variable not in bound and variable not in found:
                found[variable] = None
                todo += self.defined[variable].captures
        return [n.Define(v, self.defined[v]) for v in found]

    def note_definitions(self, body: list[n.Stmt]) -> None:
        """Take note of the local functions that a body defines."""
        for stmt in statements(body):
            if isinstance(stmt, n.Define):
                self.defined.setdefault(stmt.variable, stmt.function)
                self.remember(stmt.function)

    def _infer(self, key: Key, typed: Typed) -> None:
        self._active.append(key)
        try:
            whole = False
            while True:
                self._check_progress(typed)
                before = typed.result, typed.exits
                self._repeat.discard(key)
                work = Inference(self, typed, whole=whole)
                work.run()
                if key not in self._repeat or (typed.result, typed.exits) == before:
                    if self._open(typed):
                        continue
                    if work.met_empty and not whole:
                        typed.result, whole = NEVER, True
                        continue
                    typed.is_settled = not whole and key not in self._repeat
                    return
                # A recursive call used an earlier estimate of this result: the inner functions must be typed again.
                position = list(self._typed).index(key)
                for other in list(self._typed)[position + 1 :]:
                    if other in self._repeat and other not in self._active:
                        del self._typed[other]
        finally:
            self._active.pop()

    def outcome_of(self, call: UserCall, kinds: list[Kind], site: str) -> tuple[Kind, tuple[Kind | None, ...]]:
        """The kind that a call returns, in the caller's extents, and what becomes of what it is given."""
        typed, back = self.specialise(call, kinds)
        exits = typed.exits
        if any(kind == LOST for kind in exits):
            changed = self.memory_effects(typed)[1]
            exits = tuple(None if kind == LOST and not c else kind for kind, c in zip(exits, changed, strict=True))
        exits = tuple(
            None if kind is None else _restore(kind, back, f"{site}.{p.name}")
            for p, kind in zip(typed.params, exits, strict=False)
        )
        return _restore(typed.result, back, site), exits


def _user_calls(body: list[n.Stmt], resolver: InProgram) -> list[UserCall]:
    """The calls of the user's functions in a typed body."""
    calls = [e for s in statements(body) for x in expressions(s) for e in walk(x) if isinstance(e, n.Call)]
    found = [resolve(e, resolver.scope) for e in calls]
    return [call for call in found if isinstance(call, UserCall)]


def renamed(kinds: tuple[Kind, ...], params: list[str]) -> tuple[Kind, ...]:
    """The kinds of arguments with extents named after the parameters, so that they do not depend on who calls."""
    names: dict[str, str] = {}
    back: dict[str, Extent] = {}
    return tuple(_rename(kind, name, names, back) for kind, name in zip(kinds, params, strict=True))


def _rename(kind: Kind, name: str, names: dict[str, str], back: dict[str, Extent]) -> Kind:
    """Give extents names that depend on the callee alone, so that calls with equal kinds share one text."""

    def dim(d: Dim, k: int) -> Dim:
        if isinstance(d, int):
            return d
        if d.root not in names:
            names[d.root] = f"{name}.{k}"
            back[names[d.root]] = replace(d, offset=0)
        return Extent(names[d.root], d.offset, d.least)

    match kind:
        case Array(dims=dims) if dims is not None:
            return Array(kind.dtype, tuple(dim(d, k) for k, d in enumerate(dims)))
        case Scalar(extent=Extent() as extent):
            return replace(kind, extent=dim(extent, 0))
        case Struct(items=items, keys=keys):
            return replace(
                kind,
                items=tuple(_rename(item, f"{name}.{k}", names, back) for k, item in zip(keys, items, strict=True)),
            )
        case Sequence(item=item) | Table(item=item):
            return replace(kind, item=_rename(item, f"{name}.*", names, back))
        case _:
            return kind


def _restore(kind: Kind, back: dict[str, Extent], site: str) -> Kind:
    """A callee's result in the caller's extents; lengths born in the callee are new ones here."""

    def dim(d: Dim) -> Dim:
        if isinstance(d, int):
            return d
        if d.root in back:
            outer = back[d.root]
            return replace(outer, offset=d.offset)
        return Extent(f"{site}>{d.root}", d.offset, d.least)

    match kind:
        case Array(dims=dims) if dims is not None:
            return replace(kind, dims=tuple(dim(d) for d in dims))
        case Scalar(extent=Extent() as extent):
            return replace(kind, extent=dim(extent))
        case Struct(items=items):
            return replace(kind, items=tuple(_restore(item, back, f"{site}.{k}") for k, item in enumerate(items)))
        case Sequence(item=item) | Table(item=item):
            return replace(kind, item=_restore(item, back, f"{site}.*"))
        case _:
            return kind
