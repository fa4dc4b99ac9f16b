"""Checkpointed loops: undone from a few snapshots of their state, instead of a tape of every step.

    for t in range(n): A    ->    due = 0
                                  for t in range(n):
                                      if t == due: take a snapshot; due = when the next one is
                                      A
                                  ...
                                  for last in reversed(range(n)):
                                      due, u = the last snapshot
                                      for t in range(due, last + 1):
                                          if t == due and t < last: take a snapshot; due = when the next one is
                                          A, keeping what its adjoint reads
                                      A backwards

A step that depends on no other (`independent.py`) is just computed again when it is undone, without snapshots.

The state is what the loop changes and what a step reads of it before it sets it. The lines that `storage.py` made for
a tape are taken over: what it pushes in a step goes to a second name, which only has to last for one step; the tapes of
loops within a step are begun anew with each step. `runtime/checkpoints.py` says when a snapshot is due.
"""

from __future__ import annotations

import builtins
from dataclasses import replace
from typing import TYPE_CHECKING

from adcompile.differentiate.storage.independent import only
from adcompile.ir import nodes as n
from adcompile.ir.algebra import number, simplify
from adcompile.ir.copying import copy_block
from adcompile.ir.kinds import BOOL, INT, Array, Kind, Scalar, Sequence, Unknown
from adcompile.ir.make import apply, len_of, method, range_of
from adcompile.ir.walk import (
    binds,
    blocks,
    bound_in,
    change_expressions,
    expressions,
    read_before_set,
    reads,
    renamed,
    statements,
    substitute,
)
from adcompile.runtime import helpers as runtime

if TYPE_CHECKING:
    from collections.abc import Callable as Function

    from adcompile.differentiate.normal.flat import Group
    from adcompile.differentiate.storage.sweep import Replayed, Span, Sweep


_NUMBER = 40  # bytes of a number in a list
_ARRAY = 120  # the same of an array, without its elements


def copy_step(body: list[n.Stmt]) -> tuple[list[n.Stmt], dict[n.Stmt, n.Stmt]]:
    """A copy of a loop's body, and which statement became which."""
    plain = copy_block(body)
    return plain, dict(zip(statements(body), statements(plain), strict=True))


def state_of(plain: list[n.Stmt], target: n.Variable, touched: frozenset[n.Variable]) -> list[n.Variable]:
    """The variables that a step changes and may read before it sets them, in order."""
    own = bound_in(plain)
    exposed = read_before_set(plain, {target})
    changed = [*own, *sorted(touched - set(own), key=lambda v: v.born)]
    return [v for v in changed if v in exposed and v is not target]


def undoing(span: Span, lines: list[n.Stmt], target: n.Variable) -> n.For:
    """The loop over the steps in reverse order; `replay` puts what comes before `lines` into it."""
    steps = _range(span.start, span.stop, span.step)
    backwards = apply(builtins.reversed, steps, kind=Sequence(INT, reversed))
    return n.For(n.Read(target, kind=INT), backwards, lines, [])


def entry_lines(loop: n.For, span: Span, given: n.Expr) -> list[n.Stmt]:
    """The lines before the loop: how many snapshots there may be, and when the first is due."""
    lines: list[n.Stmt] = []
    if isinstance(span.snapshots, n.Read):
        lines.append(n.Assign(span.snapshots.variable, given, origin=loop.origin))
    return [*lines, n.Assign(span.due, span.start, origin=loop.origin)]


def allowed(replayed: Replayed) -> n.Expr | None:
    """How many snapshots a loop may have, where no number is given; None where its state's size is not clear."""
    span, note = replayed.span, replayed.loop.checkpoint
    if note is None or note.memory is None:
        return apply(runtime.enough_snapshots, _trips(span, span.start, span.stop), kind=INT)
    size: n.Expr = number(_NUMBER * (1 + sum(isinstance(e.kind, Scalar) for e in replayed.carried.values())))
    for variable, kept in replayed.carried.items():
        match kind := kept.kind:
            case Scalar():
                pass
            case Array(dims=tuple()):
                array = n.Attribute(n.Read(variable, kind=kind), "nbytes", kind=INT)
                size = _sum("+", array, _sum("+", size, n.Const(_ARRAY, kind=INT)))
            case _:
                return None
    most = n.Binary("//", n.Const(note.memory, kind=INT), size, kind=INT)
    return apply(max, n.Const(1, kind=INT), most, kind=INT)


def replay(sweep: Sweep, close: Function[[list[n.Stmt], list[Group]], None]) -> None:
    """Put snapshots into the loops of both sweeps, and the steps once more into the backward one.

    `close` puts calls of one-expression functions back where nothing inside them is read.
    """
    for loop in sweep.replayed.values():
        step = loop.loop.body
        second_names(step, loop.undo.body)
        own_tapes(sweep, step)
        _rename(step, loop.outer)
        for stmt in statements(step):
            stmt.origin = None  # they have their headings, where they are undone
        if loop.needed is not None:
            only(step, set(loop.copies), loop.needed)
        inside = [group for group in sweep.groups if loop.copies.keys() >= set(group.stmts)]
        close(loop.plain, [replace(group, stmts=[loop.copies[s] for s in group.stmts]) for group in inside])
        if loop.needed is None:
            _assemble(sweep, loop, step)
        else:
            loop.loop.body = loop.plain
            loop.loop.checkpoint = n.Checkpoint(again=True)
            loop.loop.target = n.Read(loop.span.target, kind=INT)
            loop.undo.body[:0] = [n.Remark("the step once more"), *step]
        _own_temporaries(loop.plain, sweep.forward)


def _assemble(sweep: Sweep, loop: Replayed, step: list[n.Stmt]) -> None:
    span, past = loop.span, loop.past
    tapes = {v: n.Variable(v.name, n.Role.SNAPSHOTS, of=v) for v in loop.carried}
    for tape in (*reversed(tapes.values()), span.places):
        sweep.forward.insert(0, n.NewTape(tape))
    t, due, last = n.Read(span.target, kind=INT), n.Read(span.due, kind=INT), n.Read(span.last, kind=INT)
    reached = n.Compare(("==",), (t, due), kind=BOOL)

    def take(span: Span, left: n.Expr, origin: n.Origin | None) -> list[n.Stmt]:
        free = _sum("-", span.snapshots, len_of(n.Read(span.places, kind=Sequence(INT))))
        ahead: n.Expr = apply(runtime.next_snapshot, left, free, kind=INT)
        if not span.by_one:
            ahead = simplify(n.Binary("*", span.step, ahead, kind=INT))
        pushes = [n.Push(tape, loop.carried[v], origin=origin) for v, tape in tapes.items()]
        return [n.Push(span.places, t, origin=origin), *pushes, n.Assign(span.due, _sum("+", t, ahead), origin=origin)]

    forward = loop.loop
    origin = forward.origin
    # What follows the loop is undone before its last step: it counts as one more step.
    left = _trips(span, t, _sum("+", span.stop, n.Const(1, kind=INT))) if span.by_one else _trips(span, t, span.stop)
    left = left if span.by_one else _sum("+", left, n.Const(1, kind=INT))
    forward.body = [n.If(reached, take(span, left, origin), [], origin=origin), *loop.plain]
    forward.target = n.Read(span.target, kind=INT)
    behind = _sum("+", last, past.step)
    early = n.Compare(("!=",), (t, last), kind=BOOL)
    restore = [n.Pop(span.due, span.places), *(n.Pop(v, tape) for v, tape in reversed(tapes.items()))]
    again = n.If(n.Bool("and", (reached, early), kind=BOOL), take(past, _trips(past, t, behind), None), [])
    steps = n.For(t, _range(due, behind, past.step), [again, *step], [])
    remark = n.Remark("from the last snapshot on, up to the step that is undone")
    loop.undo.body[:0] = [remark, *restore, steps]


def second_names(step: list[n.Stmt], undone: list[n.Stmt]) -> None:
    """Let what a step puts on a tape of its own go to a second name instead, from which its undoing reads it."""
    counts: dict[n.Variable, int] = {}
    for stmt in statements(step):
        for variable in binds(stmt):
            counts[variable] = counts.get(variable, 0) + 1
    done: set[n.Variable] = set()  # what is set by then
    names: dict[n.Variable, n.Variable] = {}  # by tape
    kinds: dict[n.Variable, Kind] = {}
    taken = {s.tape: s.target for s in statements(undone) if isinstance(s, n.Pop)}

    def keep(block: list[n.Stmt]) -> None:
        kept: list[n.Stmt] = []
        for stmt in block:
            if isinstance(stmt, n.If):
                keep(stmt.then)
                keep(stmt.orelse)
            if not isinstance(stmt, n.Push):
                done.update(bound_in([stmt]))
                kept.append(stmt)
                continue
            target = taken[stmt.tape]
            kinds[stmt.tape] = stmt.value.kind
            same = isinstance(stmt.value, n.Read) and stmt.value.variable is target
            if same and target in done and counts[target] == 1:
                names[stmt.tape] = target  # it still has the value when the step is done
                continue
            own = target not in counts and target.role is not n.Role.USER
            names[stmt.tape] = target if own else n.Variable(target.name, n.Role.KEPT, of=target)
            kept.append(n.Assign(names[stmt.tape], stmt.value))
        block[:] = kept

    def take(block: list[n.Stmt]) -> None:
        found: list[n.Stmt] = []
        for stmt in block:
            for inner in blocks(stmt):
                take(inner)
            if not (isinstance(stmt, n.Pop) and stmt.tape in names):
                found.append(stmt)
            elif names[stmt.tape] is not stmt.target:
                found.append(n.Assign(stmt.target, n.Read(names[stmt.tape], kind=kinds[stmt.tape]), origin=stmt.origin))
        block[:] = found

    keep(step)
    take(undone)


def own_tapes(sweep: Sweep, step: list[n.Stmt]) -> None:
    """Let the tapes of loops within a step begin anew with each step."""
    tapes = {s.tape for s in statements(step) if isinstance(s, n.Push)}
    sweep.forward[:] = [s for s in sweep.forward if not (isinstance(s, n.NewTape) and s.tape in tapes)]
    step[:0] = [n.NewTape(tape) for tape in sorted(tapes, key=lambda v: v.born)]


def _rename(body: list[n.Stmt], values: dict[n.Variable, n.Expr]) -> None:
    """Put what the backward sweep has in place of variables that a step only reads."""
    changes = {v: e for v, e in values.items() if not (isinstance(e, n.Read) and e.variable is v)}
    if changes:
        for stmt in statements(body):
            change_expressions(stmt, lambda e: substitute(e, changes))


def _own_temporaries(plain: list[n.Stmt], forward: list[n.Stmt]) -> None:
    """Give temporaries of the plain step names of their own, so that those read once can go where they are read."""
    inside = set(statements(plain))
    elsewhere = {v for s in statements(forward) if s not in inside for e in expressions(s) for v in reads(e)}
    own = {
        s.target: n.Variable(s.target.name, s.target.role, of=s.target.of)
        for s in statements(plain)
        if isinstance(s, n.Assign) and s.target.role is n.Role.TEMPORARY and s.target not in elsewhere
    }
    for stmt in statements(plain):
        change_expressions(stmt, lambda e: renamed(e, own))
        if isinstance(stmt, n.Assign):
            stmt.target = own.get(stmt.target, stmt.target)


def kept_of(variable: n.Variable, kind: Kind | None, *, changes: bool) -> n.Expr | None:
    """What a snapshot keeps of a variable: a copy, if it is changed in place; None where that is not clear."""
    read = n.Read(variable, kind=kind or Unknown("what a step changes"))
    if not changes or isinstance(kind, Scalar):
        return read
    if isinstance(kind, Array) and kind.dims is not None:
        return n.Call(method(read, "copy"), (), kind=kind)
    return None


def _trips(span: Span, start: n.Expr, stop: n.Expr) -> n.Expr:
    """How many steps there are from one to another."""
    if span.by_one:
        return _sum("-", stop, start)
    return len_of(_range(start, stop, span.step))


def _sum(op: str, left: n.Expr, right: n.Expr) -> n.Expr:
    return simplify(n.Binary(op, left, right, kind=INT))


def _range(start: n.Expr, stop: n.Expr, step: n.Expr) -> n.Expr:
    args: tuple[n.Expr, ...] = (start, stop, step)
    if step == n.Const(1):
        args = (stop,) if start == n.Const(0) else (start, stop)
    return range_of(*args)
