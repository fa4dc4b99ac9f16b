"""A typed function without what ties it to others: calls written out, one name for each thing, one thing to a name.

Each round does what the kinds of the last one show, so that the function is typed again in between.
"""

from __future__ import annotations

import types
from dataclasses import replace
from typing import TYPE_CHECKING

from adcompile.analyses.memory.regions import holds_memory
from adcompile.analyses.memory.sharing import InProgram, analyse_sharing
from adcompile.analyses.partners import merged
from adcompile.analyses.typing.calls import is_generator, local_functions
from adcompile.analyses.typing.identity import changeable
from adcompile.differentiate.desugar.iteration.comprehensions import unfold
from adcompile.differentiate.desugar.iteration.idioms import Generating, makes_iterator
from adcompile.differentiate.desugar.iteration.views import is_dict_view
from adcompile.differentiate.desugar.kept import stands_for_function
from adcompile.differentiate.desugar.optional import returns_none_at_times
from adcompile.differentiate.normal.callee_bodies import hands_out, is_flat, rebinds_outer
from adcompile.differentiate.normal.chosen import decide
from adcompile.differentiate.normal.inlining import inline_calls
from adcompile.differentiate.normal.parted import take_apart
from adcompile.differentiate.normal.renaming import of_several_kinds, split_names
from adcompile.differentiate.normal.unalias import unalias
from adcompile.differentiate.normal.writing_out import Inliner
from adcompile.differentiate.storage.repeatable import gives_the_same
from adcompile.ir import nodes as n
from adcompile.ir.copying import copy_block
from adcompile.ir.kinds import Kind, Never, Sequence, Struct, Table, Unknown, within
from adcompile.ir.walk import all_blocks, bound_in, expressions, set_in, statements, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adcompile.analyses.memory.sharing import Sharing
    from adcompile.analyses.typing.program import Program
    from adcompile.analyses.typing.targets import UserCall
    from adcompile.analyses.typing.typed import Typed


def normalise(
    program: Program, typed: Typed, *, keeps_sums: bool = False, called_once: bool = True, flags_none: bool = False
) -> list[n.Stmt] | None:
    """The body after one round; None where nothing is left to do. For `keeps_sums` see `unfold`.

    With `called_once`, functions of plain lines that are called at one place are written out there, with `flags_none`
    those that return None at times.
    """
    resolver = InProgram(program, typed)
    sharing = analyse_sharing(typed.body, typed.params, resolver)

    known = {*typed.params, *bound_in(typed.body), *typed.function.captures}
    changing = sharing.changed - set(_complete(typed.body, sharing))

    def handed(call: UserCall) -> list[frozenset[n.Variable]]:
        return [sharing.sources(e) for e in call.args] + [frozenset({v}) for v in call.captures]

    def must_inline(call: UserCall) -> bool:
        if isinstance(call.target, n.Function) and call.target.is_kept:
            return True
        if any(stands_for_function(e.kind) or is_flat(e) for e in call.args):
            return True  # the user's own function would call what is a tuple here; and `x.flat` can have no name
        if not known.issuperset(call.captures):
            return False  # it comes out of a call that is to be written out first
        if is_generator(lower(call)):
            return False  # opened by the loop that consumes it
        if any(makes_iterator(e, generators) or (isinstance(e, n.Read) and e.variable in iterators) for e in call.args):
            return True  # how far it gets, the function decides
        if any(map(is_dict_view, call.args)):
            return True  # it shows what the dict holds by the time that the function looks
        callee = resolver.callee(call)
        if flags_none and _is_unknown(callee.result) and returns_none_at_times(callee.function):
            return not program.calls_itself(call.target)
        shared, changed = program.memory_effects(callee)
        mixed = any(s and h & changing for s, h in zip(shared, handed(call), strict=True))
        # a function that reads what was local there
        makes = bool(local_functions(callee.result)) or stands_for_function(callee.result)
        several = isinstance(callee.result, Struct | Sequence | Table) and holds_memory(callee.result)
        tangled = several and bool(sharing.changed) and program.entwined.get(id(callee), False)
        rebinds = rebinds_outer(callee.function) or not program.rebound.isdisjoint(call.captures)
        return any(changed) or mixed or makes or tangled or rebinds or hands_out(lower(call))

    def lower(call: UserCall) -> n.Function:
        return call.target if isinstance(call.target, n.Function) else program.lower(call.target)

    def settled(call: UserCall) -> n.Function | None:
        callee = resolver.callee(call)
        given = [h for h, kind in zip(handed(call), callee.kinds, strict=True) if changeable(kind)]
        met = merged(sharing.before.values())
        tied = any(a & b or met.meet(a, b) for k, a in enumerate(given) for b in given[:k])
        return None if flags_none or tied or any(map(met.knotted, given)) else _settled(program, call, callee)

    generators = Generating(resolver.scope, lower)
    assigned = [s for s in statements(typed.body) if isinstance(s, n.Assign)]
    iterators = {s.target for s in assigned if makes_iterator(s.value, generators)}

    def may_inline(call: UserCall) -> bool:
        target = call.target
        return called_once and isinstance(target, types.FunctionType) and program.is_called_once(target)

    def draws(call: UserCall) -> bool:
        callee = resolver.callee(call)
        scope = program.scope(callee.captured)
        return not program.manager.ask(
            "gives the same", callee.body, lambda: gives_the_same(callee.body, scope, program)
        )

    inliner = Inliner(
        resolver.scope, must_inline, may_inline, lower, settled, draws,
        attempts=program.attempts, rebound=program.rebound, flagged=program.flagged,
    )  # fmt: skip
    body, changed = unfold(typed.body, inliner, sharing.touched, keeps_sums=keeps_sums)
    if changed:
        return body
    body, changed = inline_calls(copy_block(typed.body), inliner)
    if not changed:
        changed = bool(sharing.tied) and take_apart(body)
    if not changed:
        changed = unalias(body, typed, sharing) or decide(body, sharing.tied)
        tied = set(sharing.tied) - sharing.outside.keys()  # what is outside has a new variable in each analysis
        if not changed and not typed.tied.issuperset(tied):
            typed.tied |= tied  # once more, with places that hold what a name stands for as that name
            changed = True
    if not changed:
        several = of_several_kinds(body, dict(zip(typed.params, typed.kinds, strict=True)), sharing.entangled)
        changed = split_names(body, typed.params, several)
    return body if changed else None


def _complete(body: list[n.Stmt], sharing: Sharing) -> Iterator[n.Variable]:
    """The variables whose lists are complete before anything else is done with them: those of comprehensions.

    Each is bound once, and every change of what it holds stands between that and the first other use.
    """
    for block in all_blocks(body) if sharing.changed else ():
        for place, stmt in enumerate(block):
            if not isinstance(stmt, n.Assign) or stmt.target not in sharing.changed:
                continue
            variable = stmt.target
            touching = {s for s, touched in sharing.touched.items() if variable in touched}
            later = [{*statements([s])} for s in block[place + 1 :]]
            last = max((k for k, within in enumerate(later) if within & touching), default=-1)
            filling = set[n.Stmt]().union(*later[: last + 1])
            alone = all(_mentions(s, variable) == (s in touching) for s in filling)
            if alone and touching <= filling and set_in(body)[variable] == 1:
                yield variable


def _mentions(stmt: n.Stmt, variable: n.Variable) -> int:
    """How often the expressions of a statement itself read a variable."""
    return sum(isinstance(e, n.Read) and e.variable is variable for x in expressions(stmt) for e in walk(x))


def _settled(program: Program, call: UserCall, callee: Typed) -> n.Function | None:
    """A called function as it is by itself, its own calls written out; None where another caller's may differ."""
    if not callee.is_settled or program.calls_itself(call.target):
        return None
    if any(isinstance(e, Never) for kind in callee.kinds for e in within(kind)):
        return None  # nothing is known yet of what is in it
    if isinstance(callee.result, Unknown):
        return None  # such as an iterator, which the caller may make something of
    captures = dict.fromkeys((*callee.function.captures, *call.captures))
    return replace(callee.function, captures=tuple(captures))


def _is_unknown(kind: Kind) -> bool:
    """Whether nothing is known of a result, or of an item of it."""
    return isinstance(kind, Unknown) or (isinstance(kind, Struct) and any(isinstance(e, Unknown) for e in kind.items))
