"""Reverse mode: a typed function to the function that returns its value and partials."""

from __future__ import annotations

import copy
from collections.abc import Callable as Function
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from adcompile.analyses.memory.groups import works_on_arrays
from adcompile.analyses.memory.sharing import InProgram, Sharing, analyse_sharing, release
from adcompile.analyses.shifts import cancelling
from adcompile.analyses.typing.kinds import Inference
from adcompile.analyses.varied import analyse
from adcompile.analyses.versions import Versions, number
from adcompile.analyses.whole_numbers.dependence import Dependence
from adcompile.differentiate.backward.adjoint import Adjoint, Seed
from adcompile.differentiate.backward.pairs import Pair, Pairs, copied
from adcompile.differentiate.backward.shared_buffers import shared_buffers
from adcompile.differentiate.desugar.cuts import check_cuts
from adcompile.differentiate.desugar.taps import Hook, Sink, hand_on, hooks_of, remove, sinks_of, site_of, without
from adcompile.differentiate.linear.contributions import Rules
from adcompile.differentiate.linear.places import at, in_lists, input_place, leaves, rebuilt
from adcompile.differentiate.linear.shapes import variable_kinds
from adcompile.differentiate.normal.cut_off import check_cut_off
from adcompile.differentiate.normal.flat import Flat, Group, Opened
from adcompile.differentiate.normal.flatten import flatten
from adcompile.differentiate.normal.overlaps import check_overlaps
from adcompile.differentiate.normal.updates import Updates, normalise_updates, refuse_written
from adcompile.differentiate.storage.checkpoints import replay
from adcompile.differentiate.storage.repeatable import can_run_again, check_columns, check_runs
from adcompile.differentiate.storage.stepwise import unite
from adcompile.differentiate.storage.storage import OPTIONAL, store
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.algebra import number as literal
from adcompile.ir.kinds import Array, Kind, Scalar, Struct, Unknown, is_continuous
from adcompile.ir.make import NOTHING, apply, heading, method, together
from adcompile.ir.walk import (
    all_blocks,
    binds,
    blocks,
    bound_in,
    expressions,
    read_before_set,
    reads,
    reads_in_order,
    statements,
    substitute,
    walk,
)
from adcompile.runtime import helpers as runtime
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from adcompile.analyses.typing.program import Program
    from adcompile.analyses.typing.targets import Scope, UserCall
    from adcompile.analyses.typing.typed import Typed
    from adcompile.analyses.varied import Activity
    from adcompile.differentiate.storage.sweep import Sweep


@value_class()
class Request:
    """What to generate. `wrt` are parameters and `intermediates` locals, by name; `seed` asks for a seed argument."""

    wrt: tuple[str, ...]
    intermediates: tuple[str, ...] = ()
    hooks: tuple[tuple[str, Function[..., object]], ...] = ()
    seed: bool = False
    has_aux: bool = False
    name: str = ""
    value: bool = True  # whether the value is returned too
    unit: bool = False  # forward mode: the one tangent is 1.0, not an argument
    apart: bool = False  # whether all of the forward sweep comes before all of the backward one


class Preparation:
    """Brings typed functions into flat form."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def scope(self, typed: Typed) -> Scope:
        """What resolving the calls of a function takes."""

        def is_tapped(call: UserCall) -> bool:
            return self.program.is_tapped(InProgram(self.program, typed).callee(call))

        return replace(self.program.scope(typed.captured), has_taps=self.program.taps, is_tapped=is_tapped)

    def typer(self, typed: Typed) -> Inference:
        """Types expressions whose variables carry their kinds."""
        return Inference(self.program, replace(typed, body=[]))

    def check_effects(self, outermost: Typed) -> None:
        """Rewrite or refuse the updates in place of the function and of everything it calls."""
        for typed in [outermost, *self.program.typed]:
            if id(typed) not in self.program.checked:
                self.program.checked[id(typed)] = typed
                types = self.typer(typed)
                typer = partial(types.expr, env={})
                sharing = self.sharing(typed)
                defined = self.program.defined.keys()
                normalise_updates(Updates(typed, self.scope(typed), typer, sharing, defined))
                refuse_written(sharing, typed)

    def check_columns(self, typed: Typed) -> None:
        """Refuse a function that cannot be run once for each column of its Jacobian."""
        check_columns(typed.body, self.scope(typed), self.program)

    def check_runs(self, typed: Typed) -> None:
        """Refuse a function that cannot be run several times to one result."""
        check_runs(typed.body, self.scope(typed), self.program)

    def can_run_again(self, typed: Typed) -> bool:
        """Whether a function can be called again unnoticed, and its derivative is not one that a user has supplied."""
        return can_run_again(typed.body, self.scope(typed), self.program)

    def sharing(self, typed: Typed, body: list[n.Stmt] | None = None) -> Sharing:
        """Who shares memory with whom in a typed function, or in another form of its body."""
        if body is not None:
            return analyse_sharing(body, typed.params, InProgram(self.program, typed))
        return self.program.manager.ask(
            "sharing", typed.body, lambda: analyse_sharing(typed.body, typed.params, InProgram(self.program, typed))
        )

    def activity(self, typed: Typed, inputs: frozenset[n.Variable], scope: Scope) -> Activity:
        """What varies in a typed function, or a refusal of what it stores."""
        sharing = self.sharing(typed)
        activity = analyse(typed.body, inputs, scope, sharing.touched)
        check_overlaps(typed, sharing, activity, scope)
        check_cut_off(typed, self.program.given, activity, scope)
        return activity

    def flat(self, typed: Typed, inputs: frozenset[n.Variable], *, once: bool = False) -> tuple[Flat, Scope]:
        """The flat form of a typed function for these varying inputs; `once` as in `flatten`."""
        scope = self.scope(typed)
        self.check_effects(typed)
        types = self.typer(typed)
        sharing = self.sharing(typed)
        activity = self.activity(typed, inputs, scope)
        check_cuts(typed.body, sharing)

        def inliner(call: UserCall, args: list[n.Expr]) -> Opened | None:
            inner, _ = self.program.specialise(
                call, [*(e.kind for e in args), *(types.kind_of_capture(v) for v in call.captures)]
            )
            sites = [s.site for s in inner.body if isinstance(s, n.Tap)]
            match without(inner.body):
                case [n.Return(value=value)]:
                    pass
                case [n.Assign(target=target, value=value), n.Return(value=n.Read(variable=back))] if back is target:
                    pass
                case _:
                    return None
            if inner.function.name in _called_names(value):
                return None
            for e in walk(value):
                if isinstance(e, n.Lambda | n.Opaque | n.Named):
                    return None
            return Opened(types.expr(substitute(value, dict(zip(inner.params, args, strict=False))), {}), sites)

        types.env = {**dict(zip(typed.params, typed.kinds, strict=True)), **variable_kinds(typed.body)}
        return flatten(typed.body, activity, scope, inliner, sharing.entangled, once=once), scope


def _called_names(expr: n.Expr) -> set[str]:
    return {e.func.name for e in walk(expr) if isinstance(e, n.Call) and isinstance(e.func, n.Ref)}


REWRITES = OPTIONAL | {
    "lasting",  # elements of arrays that nothing overwrites are read where they are, not kept
    "stepwise",  # loops whose steps do not depend on each other are undone step by step
    "shifts",  # a maximum that cancels, as in log-sum-exp, has no adjoint
    "called once",  # functions of plain lines that are called at one place are written out there
    "early value",  # a value made of arrays is computed before the backward sweep
}


class Reverse:
    """Generates the adjoints of one program, with those of the `REWRITES` that are named."""

    def __init__(self, program: Program, rewrites: frozenset[str] = REWRITES) -> None:
        self.program = program
        self.rewrites = rewrites
        self.preparation = Preparation(program)
        self.pairs = Pairs(program, self.make_pair)
        self.sinks: dict[str, list[Sink]] = {}  # by the names whose partials they take
        self.hooks: dict[str, list[Hook]] = {}  # the same

    def adjoint(
        self,
        typed: Typed,
        inputs: list[tuple[n.Variable, Kind]],
        *,
        unites: bool = False,
        made: type[Adjoint] = Adjoint,
    ) -> Adjoint:
        """What makes the backward sweep of a typed function, and the facts that it needs."""
        varying = frozenset(v for v, _ in inputs)
        flat, scope = self.preparation.flat(typed, varying, once=made.once)
        sharing = self.preparation.sharing(typed, flat.body)
        typer = self.preparation.typer(typed)
        rules = Rules(scope, lambda e: typer.expr(e, {}))
        if sharing.entangled:
            release(sharing, analyse(flat.body, varying, scope, sharing.touched).ever())
        given = list(zip(typed.params, typed.kinds, strict=True))
        mirrored = shared_buffers(flat.body, given, sharing, scope, rules.zero)
        tapped = {v for s in statements(flat.body) if isinstance(s, n.Tap) for v in reads(s.value)}
        elsewhere = {*typed.params, *tapped, *sharing.changed, *self.program.captured}
        still = cancelling(flat.body, scope, elsewhere) if "shifts" in self.rewrites else frozenset()
        activity = analyse(flat.body, varying, scope, sharing.touched, still)
        versions = number(flat.body, typed.params, sharing.touched)
        versions.passed = sharing.passed
        adjoint = made(
            flat.body,
            activity,
            versions,
            rules,
            self.pairs,
            sinks=self.sinks,
            hooks=self.hooks,
            sharing=sharing,
            mirror=mirrored,
            kinds=dict(zip(typed.params, typed.kinds, strict=True)),
            unites=unites and "stepwise" in self.rewrites,
        )
        adjoint.sweep.groups = flat.groups
        if not isinstance(flat.body[-1], n.Return):
            raise never_returns(typed.function)
        return adjoint

    def swept(
        self, adjoint: Adjoint, inputs: list[tuple[n.Variable, Kind]], seed: Seed
    ) -> tuple[Sweep, Versions, n.Expr]:
        """Both sweeps, given what makes the backward one, the versions, and the returned expression in versions."""
        body, versions, sharing = adjoint.body, adjoint.versions, adjoint.sharing
        # steps that are computed again leave in an array what it was then, not what it is in the end
        replayed = any(isinstance(s, n.For) and s.checkpoint is not None for s in statements(body))
        if "lasting" in self.rewrites and not replayed:
            adjoint.sweep.dependence = Dependence(body, versions, sharing.touched)
        last = body[-1]
        if not isinstance(last, n.Return):
            raise TypeError
        value = adjoint.past(last.value, last)
        sweep = adjoint.run(seed, inputs)
        sweep.kinds = adjoint.kinds
        sweep.given = adjoint.given
        sweep.references = adjoint.mirror.references
        sweep.mixed = set(adjoint.mixed)
        sweep.changed_params, sweep.by_layout = sharing.changed_params, sharing.by_layout
        return sweep, versions, value

    # ------------------------------------------------------------------------------------------------------- callees

    def make_pair(self, pair: Pair) -> None:
        """Fill in the forward and backward function of a callee."""
        typed = pair.typed
        inputs: list[tuple[n.Variable, Kind]] = []
        for k, _ in pair.wanted:
            variable = typed.params[k]
            if variable not in [v for v, _ in inputs]:
                inputs.append((variable, typed.kinds[k]))
        result = typed.result
        seeds = [
            (
                path,
                leaf,
                n.Variable(
                    f"{pair.name}_bar" if not path else f"{pair.name}_{'_'.join(map(str, path))}_bar", n.Role.SEED
                ),
            )
            for path, leaf in leaves(result)
        ]

        def seed(value: n.Expr) -> list[tuple[n.Expr, n.Expr]]:
            return [(at(value, path), n.Read(v, kind=leaf)) for path, leaf, v in seeds]

        adjoint = self.adjoint(typed, inputs)
        given = adjoint.seeded({v: (leaf, reach) for (_, leaf, v), reach in zip(seeds, pair.seeds, strict=True)})
        pair.steep = adjoint.is_steep or pair.asks
        if pair.asks:
            adjoint.follow({typed.params[k] for k, _ in pair.wanted})
        sweep, versions, value = self.swept(adjoint, inputs, seed)
        places = [(typed.params[k], path) for k, path in pair.wanted]
        masks = pair.learned([adjoint.end_reach(place) for place in places], adjoint.asked)
        pair.uneven |= adjoint.rules.selecting.uneven
        partials = [*(sweep.partials[place] for place in places), *masks]
        value, *partials = store(sweep, versions, [value, *partials], apart=True, rewrites=self.rewrites)
        remove(sweep.forward)
        reopen_groups(sweep, partials)
        replay(sweep, lambda body, groups: _close(body, groups, set()))
        # Forward: the record is what the backward sweep reads and does not make itself.
        seen = {hook.seen for hooks in self.hooks.values() for hook in hooks}  # it comes from the caller
        own = {*bound_in(sweep.backward), *(v for _, _, v in seeds), *given, *seen} - sweep.handed
        made = set(bound_in(sweep.forward))  # what both sweeps set goes on from one to the other
        own -= read_before_set([*sweep.backward, n.Evaluate(together(*partials))]) & made
        order: dict[n.Variable, n.Expr] = {}
        for stmt in statements(sweep.backward):
            for expr in expressions(stmt):
                _note_reads(expr, order)
            if isinstance(stmt, n.Pop):
                order[stmt.tape] = n.Read(stmt.tape, kind=Unknown("a tape"))
        for expr in partials:
            _note_reads(expr, order)
        record = [v for v in order if v not in own]
        for variable in record:
            if variable not in typed.params and not any(variable in set(binds(s)) for s in sweep.forward):
                sweep.forward.insert(0, n.Assign(variable, NOTHING))  # set on some paths only
        tape = n.Variable("tape", n.Role.RESULT)
        packed = together(*(order[v] for v in record))
        if pair.own and any(v not in typed.params for v in record):
            value = copied(replace(value, kind=typed.result))
        forward_body: list[n.Stmt] = [*sweep.forward[:-1], n.Return(together(value, packed))]
        pair.forward.params = [n.Param(v) for v in typed.params]
        pair.forward.body = forward_body
        pair.forward.docstring = f"Value of `{pair.name}` and what its backward sweep needs."
        unpack: list[n.Stmt] = ([] if not record else [n.Unpack(packed, n.Read(tape, kind=Unknown("a record")))])
        returned = partials[0] if len(partials) == 1 else together(*partials)
        pair.backward.params = [n.Param(tape), *(n.Param(v) for _, _, v in seeds), *map(n.Param, given)]
        pair.backward.body = [*unpack, heading(n.Section.BACKWARD), *sweep.backward, n.Return(returned)]
        for function in (pair.forward, pair.backward):
            function.body[:0] = self.program.definitions_for(function)
        pair.backward.docstring = f"Partials of `{pair.name}` for the adjoint of its result."

    # --------------------------------------------------------------------------------------------------- the gradient

    def gradient(self, typed: Typed, request: Request) -> tuple[n.Function, list[Kind]]:
        """The function that returns value and partials, with the kinds that the partials are to have."""
        function = typed.function
        asked = [input_place(name, typed) for name in request.wrt]
        whole = dict(zip(typed.params, typed.kinds, strict=True))
        inputs = [(v, whole[v]) for v in dict.fromkeys(v for v, _, _ in asked)]
        sinks = sinks_of(request.intermediates, self.is_shared)
        for sink in sinks:
            self.sinks.setdefault(site_of(sink.field), []).append(sink)
        hooks = hooks_of(request.hooks, self.is_shared)
        for hook in hooks:
            self.hooks.setdefault(site_of(hook.field), []).append(hook)
        seed_variable = n.Variable("seed", n.Role.SEED)
        adjoint = self.adjoint(typed, inputs, unites=not request.apart)
        sweep, versions, value = self.swept(adjoint, inputs, partial(_seeded, request, typed.result, seed_variable))
        places = [(v, way, k) for v, way, k in asked if k is not None]
        entry = {i.variable: v for v, i in versions.info.items() if i.birth == "param"}
        originals: list[n.Expr] = [
            at(n.Read(entry.get(v, v), kind=whole.get(v, k)), way) if way else n.Read(entry.get(v, v), kind=k)
            for v, way, k in places
        ]
        for sink in sinks:
            of = adjoint.taps.settled.get(sink)
            places.append((sink.variable, (), Unknown("what was collected") if of is None else of.kind))
            originals.append(of or NOTHING)
            if of is None:
                sweep.partials[sink.variable, ()] = n.Read(sink.variable, kind=places[-1][2])
        partials_asked = {(v, (*way, *path)) for v, way, k in places for path, _ in [*leaves(k), ((), k)]}
        keys = [place for place in sweep.partials if place in partials_asked]
        flat_partials = [sweep.partials[place] for place in keys]
        needed = [o for o in originals if _keeps_original(o.kind)]
        value, *rest = store(sweep, versions, [value, *flat_partials, *needed], rewrites=self.rewrites)
        remove(sweep.forward)
        flat_partials, needed = rest[: len(flat_partials)], rest[len(flat_partials) :]
        originals = [needed.pop(0) if _keeps_original(o.kind) else o for o in originals]
        reopen_groups(sweep, flat_partials)
        replay(sweep, lambda body, groups: _close(body, groups, set()))
        if sweep.united is not None:
            unite(sweep, sweep.united)
        found = dict(zip(keys, flat_partials, strict=True))
        partials = tuple(
            rebuilt(kind, (), lambda path, _leaf, v=v, way=way: found[v, (*way, *path)], original)
            if isinstance(kind, Struct) or not is_continuous(kind)
            else found[v, way]
            for (v, way, kind), original in zip(places, originals, strict=True)
        )
        clobbered = set(bound_in(sweep.backward)) & reads(value)
        forward = list(sweep.forward[:-1])
        # what it alone is made of need not live until the end
        early = sweep.united is None and works_on_arrays(value) and "early value" in self.rewrites
        if request.value and (clobbered or early):
            kept = n.Variable("value", n.Role.RESULT)
            forward.append(n.Assign(kept, value, origin=sweep.forward[-1].origin))
            value = n.Read(kept, kind=value.kind)
        display = together(*partials)
        returned: n.Expr = together(value, display) if request.value else display
        params = [n.Param(v, default=default) for v, default in zip(typed.params, _defaults(function), strict=True)]
        if request.seed:
            params.insert(0, n.Param(seed_variable))
        # What the partials' types are taken from must outlive simplification; `finish` takes this line out again.
        anchor = n.Evaluate(together(*originals))
        body = [
            *own_copies(typed, sweep.changed_params, by_layout=sweep.by_layout),
            heading(n.Section.FORWARD),
            *forward,
            *([heading(n.Section.BACKWARD)] if sweep.backward or sweep.united is None else []),
            *sweep.backward,
            anchor,
            n.Return(returned),
        ]
        made = n.Function(request.name, params, body, function.source, docstring="")
        hand_on(self.pairs.functions, made, [s for s in sinks if s not in adjoint.taps.settled], hooks, sweep.united)
        return made, [k for _, _, k in places]

    def is_shared(self, site: str) -> bool:
        """Whether a called function may set a name that is asked for."""
        called = [typed.body for typed in self.program.typed]
        return any(isinstance(s, n.Tap) and s.site == site for body in called for s in statements(body))


def _seeded(request: Request, result: Kind, seed: n.Variable, value: n.Expr) -> list[tuple[n.Expr, n.Expr]]:
    """The adjoints that the backward sweep of a gradient starts from, by the places of the value."""
    if request.has_aux:
        value = at(value, (0,))
        if isinstance(result, Struct) and result.items:
            result = result.items[0]
    if not request.seed:
        return [(value, literal(1.0))]
    incoming = n.Read(seed, kind=result)
    return [(at(value, path), in_lists(at(incoming, path))) for path, _ in leaves(result)]


def never_returns(function: n.Function) -> UnsupportedError:
    """The refusal of a function that comes to no value."""
    return UnsupportedError(
        f"`{function.name}` never returns",
        span=function.span,
        reason="Every path through it raises, or it does not end.",
        remedy="Return the value to be differentiated.",
    )


def own_copies(typed: Typed, changed: list[n.Variable], *, by_layout: bool) -> list[n.Stmt]:
    """The lines that give a function its own copies of the arguments that it changes."""
    kinds = dict(zip(typed.params, typed.kinds, strict=True))
    lines: list[n.Stmt] = []
    for variable in changed:
        read = n.Read(variable, kind=kinds[variable])
        copied = (
            apply(runtime.own_copy, read, kind=read.kind)
            if isinstance(read.kind, Array) and by_layout
            else n.Call(method(read, "copy"), (), kind=read.kind)
            if isinstance(read.kind, Array)
            else apply(copy.deepcopy, read, kind=read.kind)  # keeps who shares with whom
        )
        name = typed.function.name if typed.function.name.isidentifier() else "the function"
        remark = f"# {name} updates {variable.name} in place; the caller keeps theirs"
        at = typed.function.origin
        origin = None if at is None else n.Origin(at.span, f"{variable.name} as it comes", trailing=remark)
        lines.append(n.Assign(variable, copied, origin=origin))
    return lines


def _defaults(function: n.Function) -> list[n.Expr | None]:
    """The literal defaults of a function's last parameters; the generated function takes them all by position."""
    found: list[n.Expr | None] = []
    for param in reversed(function.params):
        literal_default = param.default if isinstance(param.default, n.Const) else None
        found.append(literal_default if len(found) == sum(d is not None for d in found) else None)
    return found[::-1]


def _note_reads(expr: n.Expr, found: dict[n.Variable, n.Expr]) -> None:
    """Take note of the variables that an expression reads, in order, with the kinds that they have there."""
    for read in (e for e in walk(expr) if isinstance(e, n.Read)):
        found.setdefault(read.variable, n.Read(read.variable, kind=read.kind))
    for variable in reads_in_order(expr):  # by text that is kept
        found.setdefault(variable, n.Read(variable, kind=Unknown("what a text reads")))


def _keeps_original(kind: Kind) -> bool:
    """Whether giving a partial the type of its input takes the input's own value."""
    return not isinstance(kind, Scalar)


def reopen_groups(sweep: Sweep, partials: list[n.Expr]) -> None:
    """Put the calls of one-expression functions back where nothing inside them is needed by the backward sweep.

    Names that the user deletes stay where it reads them, if for their shape alone.
    """
    used = set().union(*(reads(e) for s in statements(sweep.backward) for e in expressions(s)))
    _close(sweep.forward, sweep.groups, used)
    used.update(*map(reads, partials))
    for block in all_blocks(sweep.forward):
        block[:] = [s for s in block if not isinstance(s, n.Delete) or s.variable not in used]


def _close(body: list[n.Stmt], groups: list[Group], used: set[n.Variable]) -> None:
    for group in reversed(groups):
        stmts = group.stmts
        if not stmts or stmts[-1] not in body:
            continue
        first = body.index(stmts[0]) if stmts[0] in body else -1
        last = body.index(stmts[-1])
        if first < 0 or body[first : last + 1] != stmts:
            continue
        inner = set(bound_in(stmts)) - {group.result}
        if inner & used:
            continue
        body[first : last + 1] = [n.Assign(group.result, group.call, origin=stmts[-1].origin)]
    for stmt in body:
        for block in blocks(stmt):
            _close(block, groups, used)
