"""A loop that only takes values off a tape runs over the tape: a touch at the end, on a text that Python runs.

    trips = 0
    while f(x) > 0.0:                     while f(x) > 0.0:
        trips += 1                            x_tape.append(x)
        x_tape.append(x)                      x = g(x)
        x = g(x)                  ->
                                          for x_kept in reversed(x_tape):
    for _ in range(trips):                    ...
        x_kept = x_tape.pop()
        ...

Each step of one loop puts one value on the tape, and each step of another takes one off. Tapes are empty when all is
undone, so the steps are as many. Who reads the counter of the loop keeps it.

>>> from adcompile import grad
>>> def f(x, n):
...     for _ in range(n):
...         x = x * x
...     return x
>>> print(grad(f).source_for(2.0, 3).rpartition("# for _ in range(n)")[2])
<BLANKLINE>
    x_bar = 1.0
    for x_kept in reversed(x_tape):
        # x = x * x
        x_bar = 2 * x_bar * x_kept
<BLANKLINE>
    return x, (x_bar,)
<BLANKLINE>
"""

from __future__ import annotations

from collections import Counter

from adcompile.ir import nodes as n
from adcompile.ir.make import apply
from adcompile.ir.walk import binds, blocks, expressions, reads, statements, targets

_MADE_PUT_ON_AND_TAKEN = 3
_ON_TAPES = (n.Push, n.Pop)


def over_tapes(function: n.Function) -> None:
    """Let loops run over the tapes that they take values off, in place."""
    body = function.body
    if not any(type(s) is n.For for s in body):
        return
    occurs = Counter([v for s in statements(body) for v in _mentioned(s)])
    last = {v: line for line in body for s in statements((line,)) for v in _mentioned(s)}
    filled = {tape for loop in body if isinstance(loop, n.For | n.While) for tape in _filled(loop)}
    for loop in list(body):
        if not isinstance(loop, n.For) or loop.orelse or not isinstance(loop.target, n.Read):
            continue
        taken = _taken(loop)
        if taken is None or taken[1] not in filled or occurs[taken[1]] != _MADE_PUT_ON_AND_TAKEN:
            continue
        stmt, tape, pattern = taken
        counter = loop.target.variable
        if last[counter] is not loop or any(counter in _mentioned(s) for s in statements(loop.body)):
            continue
        counted = reads(loop.iterable)
        loop.target, loop.iterable = pattern, apply(reversed, n.Read(tape))
        loop.body = [s for s in loop.body if s is not stmt]
        for trips in counted:
            if trips.role is n.Role.COUNT:
                _forget(body, trips)


def _mentioned(stmt: n.Stmt) -> list[n.Variable]:
    """The variables that a statement sets and reads, not those inside it."""
    tape = [stmt.tape] if isinstance(stmt, _ON_TAPES) else []
    return [*tape, *binds(stmt), *(v for e in expressions(stmt) for v in reads(e))]


def _filled(loop: n.For | n.While) -> list[n.Variable]:
    """The tapes on which each step of a loop puts one value."""
    if loop.orelse or any(isinstance(s, n.Break | n.Continue | n.Return) for s in statements(loop.body)):
        return []
    return [s.tape for s in loop.body if type(s) is n.Push]


def _taken(loop: n.For) -> tuple[n.Stmt, n.Variable, n.Expr] | None:
    """The first line of a loop that takes what was put on a tape, the tape, and what that is taken as."""
    if any(isinstance(s, n.Break | n.Continue | n.Return) for s in statements(loop.body)):
        return None
    for stmt in loop.body:
        match stmt:
            case n.Pop(target=target, tape=tape):
                return stmt, tape, n.Read(target)
            case n.Unpack(
                pattern=pattern, value=n.Call(func=n.Attribute(value=n.Read(variable=tape), name="pop"), args=())
            ) if tape.role is n.Role.TAPE and tape not in targets(pattern):
                return stmt, tape, pattern
            case n.Remark():
                continue
            case _:
                return None
    return None


def _forget(body: list[n.Stmt], counter: n.Variable) -> None:
    """Leave out the lines that count, where nobody reads how often a loop ran."""
    everything = list(statements(body))
    if any(counter in reads(e) for s in everything if not _counts(s, counter) for e in expressions(s)):
        return
    _leave_out(body, counter)


def _counts(stmt: n.Stmt, counter: n.Variable) -> bool:
    match stmt:
        case n.Assign(target=target, value=n.Const()):
            return target is counter
        case n.Augment(target=n.Read(variable=variable), value=n.Const()):
            return variable is counter
        case _:
            return False


def _leave_out(body: list[n.Stmt], counter: n.Variable) -> None:
    body[:] = [s for s in body if not _counts(s, counter)]
    for stmt in body:
        for inner in blocks(stmt):
            _leave_out(inner, counter)
