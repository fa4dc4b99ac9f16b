"""What a checkpointed loop consists of, and whether it can be one: the state of a step, its range, its refusals."""

from __future__ import annotations

import builtins
from dataclasses import replace
from typing import TYPE_CHECKING

from adcompile.differentiate.storage.checkpoints import allowed, copy_step, entry_lines, kept_of, state_of, undoing
from adcompile.differentiate.storage.independent import copied_part, needed_of
from adcompile.differentiate.storage.repeatable import check_repeatable, check_statements, refused
from adcompile.differentiate.storage.sweep import Replayed, Span
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Kind, Scalar, Sequence, Static, Struct
from adcompile.ir.walk import bound_in, expressions, reads, statements, walk
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from adcompile.analyses.memory.sharing import Sharing
    from adcompile.analyses.typing.program import Program
    from adcompile.analyses.typing.targets import Scope
    from adcompile.analyses.versions import Versions


@value_class()
class Facts:
    """What is known of the function that the loop stands in."""

    versions: Versions
    sharing: Sharing
    scope: Scope
    program: Program
    kinds: dict[n.Variable, Kind]
    mixed: dict[n.Variable, list[Kind]]
    buffered: frozenset[n.Variable]  # whose adjoints are made in the forward sweep
    is_in_try: bool
    inserted: dict[n.Stmt, list[n.Stmt]]  # lines that are going to stand before a statement, or in its place


def spanned(loop: n.For, facts: Facts) -> tuple[Span, list[n.Stmt]]:
    """The range of a loop that is to be checkpointed, and the lines before it; its header is changed in place."""
    where = loop.span
    if facts.versions.where[loop][1]:
        raise refused(where, "It stands in another loop.", "Checkpoint the outer loop instead.")
    if facts.is_in_try:
        raise refused(where, "It stands in a `try`.", "Move the `try` into a function around the loop.")
    match loop:
        case n.For(
            target=n.Read(variable=target),
            iterable=n.Call(func=n.Ref(value=builtins.range), args=args, keywords=()) as steps,
        ) if len(args) in _NAMES and not any(isinstance(a, n.Starred) for a in args):
            pass
        case _:
            raise refused(
                loop.iterable.span or where,
                "It does not run over a `range`, by which its steps are told apart.",
                "Write `for k in range(len(xs)):` and read the items by index.",
            )
    if target in bound_in(loop.body):
        raise refused(where, f"It sets its own variable `{target.name}`.", "Give what it sets another name.")
    fixed = set(facts.versions.before[loop]) - set(bound_in([loop]))
    lines: list[n.Stmt] = []

    def plain(arg: n.Expr, name: str) -> n.Expr:
        if isinstance(arg, n.Const) or (isinstance(arg, n.Read) and arg.variable in fixed):
            return arg
        held = n.Variable(name, n.Role.STEP)
        lines.append(n.Assign(held, arg, origin=loop.origin))
        return n.Read(held, kind=INT)

    values = [plain(a, name) for a, name in zip(args, _NAMES[len(args)], strict=True)]
    start, stop, step = {1: (None, 0, None), 2: (0, 1, None), 3: (0, 1, 2)}[len(args)]
    loop.iterable = replace(steps, args=tuple(values))
    if target.name == "_" and not any(target in reads(e) for s in facts.versions.where for e in expressions(s)):
        target = n.Variable("step", n.Role.STEP)
    note = loop.checkpoint or n.Checkpoint()
    span = Span(
        target,
        n.Const(0, kind=INT) if start is None else values[start],
        values[stop],
        n.Const(1, kind=INT) if step is None else values[step],
        n.Variable("last", n.Role.STEP),
        n.Variable("due", n.Role.STEP),
        n.Read(n.Variable("snapshots", n.Role.STEP), kind=INT)
        if note.snapshots is None
        else n.Const(note.snapshots, kind=INT),
        n.Variable(target.name, n.Role.SNAPSHOTS, of=target),
    )
    return span, lines


_NAMES = {1: ("stop",), 2: ("start", "stop"), 3: ("start", "stop", "stride")}


def checkpointed(loop: n.For, span: Span, past: Span, lines: list[n.Stmt], facts: Facts) -> Replayed:
    """A loop and its undoing; `past` is its range as the backward sweep reads it. Refuses what cannot be replayed."""
    scope = facts.scope
    where = loop.span
    check_statements(loop.body, scope)
    plain, copies = copy_step(loop.body)
    touched = frozenset(v for s in statements(loop.body) for v in facts.sharing.touched.get(s, ()))
    versions = facts.versions
    before, inside = versions.before[loop], versions.inside[loop]
    made = {*bound_in([loop]), *touched}
    heads = {e for s in statements(lines) for x in expressions(s) for e in reads(x)}
    needed = independent(loop, span.target, heads, facts)
    check_repeatable(
        loop.body if needed is None else copied_part(loop.body, needed),
        scope,
        facts.program,
        lambda v: v not in made and v in before and versions.final.get(v) is before[v],
    )
    kinds = {e.variable: e.kind for s in statements(plain) for x in expressions(s) for e in _reads_in(x)}
    outer = {v: n.Read(before[v], kind=k) for v, k in kinds.items() if v not in made and v in before}
    if needed is not None:
        undo = undoing(past, lines, span.target)
        undo.origin = None
        return Replayed(loop, undo, span, past, plain, copies, {}, dict(outer), needed)
    state = state_of(plain, span.target, touched & set(before))
    own = [v for v in bound_in(plain) if v is not span.target and v not in state]
    # what the backward lines read may be what a variable was before, where only some paths or inner loops set it
    before_it = {versions.info[e].variable for e in heads if e in versions.info and versions.info[e].birth != "assign"}
    state += [v for v in own if inside.get(v) in heads or v in before_it]
    shared = sorted((made & facts.sharing.entangled) | (made & facts.buffered), key=lambda v: v.born)
    if shared:
        raise refused(
            where,
            f"`{shared[0].name}` shares memory with another name while one of them is changed in place.",
            "Make a copy, or write the update without a second name for the array.",
        )
    carried: dict[n.Variable, n.Expr] = {}
    for variable in state:
        changes = variable in facts.sharing.changed | facts.sharing.passed
        kind = facts.kinds.get(variable)
        sure = variable in before and versions.info[before[variable]].certain
        kept = None if changes and (variable in facts.mixed or not sure) else kept_of(variable, kind, changes=changes)
        if kept is None or not (kind is None or _is_value(kind)):
            raise refused(
                where,
                f"`{variable.name}` is a part of its state, and changed in place; only arrays can be."
                if changes
                else f"`{variable.name}` is a part of its state, and what it holds cannot be kept and taken up again.",
                f"Keep the items of `{variable.name}` in an array that is made before the loop."
                if isinstance(kind, Sequence | Struct)
                else f"Set `{variable.name}` to a number or an array before the loop.",
            )
        carried[variable] = kept
    undo = undoing(past, lines, span.last)
    undo.origin = None
    return Replayed(loop, undo, span, past, plain, copies, carried, dict(outer))


def independent(loop: n.For, target: n.Variable, read: set[n.Variable], facts: Facts) -> set[n.Stmt] | None:
    """The statements that each step has to do again, if it can do so without what other steps did; None otherwise.

    `read` are the versions that its backward lines read.
    """
    versions, touched = facts.versions, facts.sharing.touched
    own = [versions.info[v] for v in read if v in versions.info and loop in versions.info[v].loops]
    if any(info.birth == "head" and info.stmt is loop for info in own):
        return None
    seeds = {info.stmt for info in own if info.stmt is not None and info.stmt is not loop}
    seeds |= {stmt for stmt, lines in facts.inserted.items() if seeds & set(lines)}
    inside = set(statements(loop.body))
    needed = needed_of(loop.body, seeds & inside, {info.variable for info in own} - {target}, touched)
    part = copied_part(loop.body, needed)
    changed = frozenset(v for s in needed for v in touched.get(s, ()))
    if changed & (set(versions.before[loop]) | facts.sharing.entangled | facts.buffered):
        return None
    return None if state_of(part, target, changed) else needed


def entry(replayed: Replayed, facts: Facts) -> list[n.Stmt]:
    """The lines before a loop that say how many snapshots it may have, and when the first is due."""
    loop = replayed.loop
    if replayed.needed is not None:
        return []
    most = allowed(replayed)
    bounded = loop.checkpoint is not None and loop.checkpoint.memory is not None
    if most is None or (bounded and unset(replayed, facts)):
        raise refused(
            loop.span,
            "How much memory its state takes is not known: it holds more than numbers and arrays.",
            "Give a number of snapshots instead of `max_memory`.",
        )
    return entry_lines(loop, replayed.span, most)


def unset(replayed: Replayed, facts: Facts) -> list[n.Variable]:
    """The variables of a loop's state that may not be set before it."""
    before = facts.versions.before[replayed.loop]
    return [v for v in replayed.carried if v not in before or not facts.versions.info[before[v]].certain]


def _reads_in(expr: n.Expr) -> list[n.Read]:
    return [e for e in walk(expr) if isinstance(e, n.Read)]


def _is_value(kind: Kind) -> bool:
    """Whether a value of a kind stays what it is as long as nothing changes it in place."""
    match kind:
        case Scalar() | Array() | Static():
            return True
        case Struct(form="tuple" | "list" | "dict", items=items):
            return all(map(_is_value, items))
        case Sequence(item=item, cls=cls):
            return cls in (list, tuple, range) and _is_value(item)
        case _:
            return False
