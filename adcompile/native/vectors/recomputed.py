"""Cheap vectors are computed again in the backward sweep, from what is on a tape anyhow.

    for ...:                        for ...:
        old_tape.append(old)            old_tape.append(old)
        d = old[1:] - old[:-1]          d = old[1:] - old[:-1]
        d_tape.append(d)        ->
    for ...:                        for ...:
        d = d_tape.pop()                old = old_tape.pop()
        old = old_tape.pop()            d = old[1:] - old[:-1]

Under CPython a tape holds references; under Numba it holds copies, and memory written once and read once takes longer
than a few additions and multiplications of numbers that are at hand.

Only where both vectors are put on their tapes in one go and taken off in one go, so that the same steps meet, where
nothing in between changes what the arithmetic reads, and where the tape is one that holds copies (see `tapes.py`).

>>> from adcompile.ir.kinds import Array, Extent
>>> from adcompile.ir.show import show
>>> from adcompile.source import FunctionSource
>>> u, d = (n.Read(n.Variable(name), kind=Array("float64", (Extent("u.0"),))) for name in "ud")
>>> u_tape, d_tape = (n.Variable(name, n.Role.TAPE) for name in "ud")
>>> body = [n.NewTape(u_tape), n.NewTape(d_tape), n.Push(u_tape, u)]
>>> body += [n.Assign(d.variable, n.Binary("*", u, u, kind=u.kind)), n.Push(d_tape, d)]
>>> body += [n.Pop(d.variable, d_tape), n.Pop(u.variable, u_tape)]
>>> function = n.Function("f", [n.Param(u.variable)], body, FunctionSource("f", "f.py", "", 1))
>>> recomputed(function)
>>> print(show(function.body))
<tape u> = tape
push <tape u>, u
d = (u * u)
u = pop <tape u>
d = (u * u)
"""

from __future__ import annotations

from dataclasses import dataclass

from adcompile.analyses.memory.groups import memory_of
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Scalar
from adcompile.ir.walk import all_blocks, binds, blocks, bound_in, revised, statements, walk
from adcompile.native.tapes.tapes import long_tapes
from adcompile.native.vectors.afterwards import runs_line_by_line
from adcompile.native.vectors.loops import is_vector, is_written_out

_MOST = 6  # operations that are taken to cost less than a tape
_TAPE_WORK = (n.NewTape, n.Push, n.Pop)


def recomputed(function: n.Function) -> None:
    """Leave out the tapes of vectors that are cheap to compute again, in place."""
    if runs_line_by_line(function):
        _Recomputed(function).run()


@dataclass(eq=False)
class _Tape:
    """A tape that one line writes and one line reads."""

    variable: n.Variable
    pushed: n.Variable
    popped: n.Variable
    forward: list[n.Stmt]  # the block that puts on it
    backward: list[n.Stmt]  # and the one that takes off
    push: n.Push
    pop: n.Pop


class _UnfitError(Exception):
    """A value cannot be computed again for certain."""


class _Recomputed:
    def __init__(self, function: n.Function) -> None:
        self.function = function
        self.memory = memory_of(function)
        self.tapes = [tape for v in long_tapes(function) if (tape := self.tape(v)) is not None]
        self.gone: set[n.Variable] = set()
        self.again: list[n.Stmt] = []  # lines that stand in for a tape

    def run(self) -> None:
        for block in all_blocks(self.function.body):
            for stmt in list(block):
                for tape in self.tapes:
                    if tape.push is stmt:
                        self.leave_out(tape)
        for block in all_blocks(self.function.body):
            block[:] = [s for s in block if not (isinstance(s, _TAPE_WORK) and s.tape in self.gone)]

    def tape(self, variable: n.Variable) -> _Tape | None:
        pushes, pops = [], []
        for block in all_blocks(self.function.body):
            for s in block:
                if isinstance(s, n.Push) and s.tape is variable:
                    pushes.append((block, s))
                if isinstance(s, n.Pop) and s.tape is variable:
                    pops.append((block, s))
        if len(pushes) != 1 or len(pops) != 1 or not isinstance(pushes[0][1].value, n.Read):
            return None
        (forward, push), (backward, pop) = pushes[0], pops[0]
        return _Tape(variable, pushes[0][1].value.variable, pop.target, forward, backward, push, pop)

    def leave_out(self, tape: _Tape) -> None:
        """Compute what a tape holds again, if that can be done for certain."""
        made = self.last_binding(tape.forward, tape.forward.index(tape.push), tape.pushed)
        if made is None or not isinstance(made, n.Assign) or not is_written_out(made.value):
            return
        if sum(isinstance(e, n.Binary | n.Unary) for e in walk(made.value)) > _MOST:
            return
        work = _Again(self, tape, made)
        try:
            value = work.value(made.value)
        except _UnfitError:
            return
        run = _run_of_pops(tape, self.again)
        targets = [v for s in run for v in binds(s) if not isinstance(s, n.Pop) or s.tape not in self.gone]
        if len(targets) > len(set(targets)) or not all(other.pop in run for other in work.used):
            return
        line = n.Assign(tape.popped, value, origin=tape.pop.origin)
        tape.backward.insert(tape.backward.index(run[-1]) + 1, line)
        self.again.append(line)
        self.gone.add(tape.variable)

    @staticmethod
    def last_binding(block: list[n.Stmt], before: int, variable: n.Variable) -> n.Stmt | None:
        for stmt in reversed(block[:before]):
            if variable in bound_in([stmt]):
                return stmt
        return None

    def is_fixed(self, e: n.Read) -> bool:
        """Whether a variable is the same wherever it is read."""
        bound = [s for s in statements(self.function.body) if e.variable in binds(s)]
        is_param = any(p.variable is e.variable for p in self.function.params)
        if bound and (is_param or len(bound) > 1 or bound[0] not in self.function.body or blocks(bound[0])):
            return False
        if isinstance(e.kind, Scalar):
            return True
        every = (s for s in statements(self.function.body) if not isinstance(s, _TAPE_WORK))
        return not any(self.memory.changes(s, {e.variable}) for s in every)


class _Again:
    """One vector, in terms of what the backward sweep has."""

    def __init__(self, work: _Recomputed, tape: _Tape, made: n.Assign) -> None:
        self.work = work
        self.tape = tape
        self.block = tape.forward
        self.at = self.block.index(made)
        self.end = self.block.index(tape.push)
        self.used: list[_Tape] = []

    def value(self, made: n.Expr) -> n.Expr:
        self.untouched(self.tape.pushed, self.at, self.end)
        return self.vector(made)

    def vector(self, e: n.Expr) -> n.Expr:
        if isinstance(e.kind, Scalar):
            self.check_number(e)
            return e
        match e:
            case n.Binary(op="+" | "-" | "*" | "/", left=left, right=right):
                return revised(e, left=self.vector(left), right=self.vector(right))
            case n.Unary(op="-", operand=operand):
                return revised(e, operand=self.vector(operand))
            case n.Read() if is_vector(e):
                return self.whole(e, self.at)
            case n.Subscript(value=n.Read() as base, index=index) if is_vector(e):
                self.check_number(index)
                return revised(e, value=self.whole(base, self.at))
            case _:
                raise _UnfitError

    def check_number(self, e: n.Expr) -> None:
        """A number, or an index, must be the same in both sweeps."""
        for part in walk(e):
            match part:
                case n.Const() | n.Binary() | n.Unary() | n.Slice() | n.Display():
                    pass
                case n.Ref() if isinstance(part.kind, Scalar):
                    pass
                case n.Read() if isinstance(part.kind, Scalar) and self.work.is_fixed(part):
                    pass
                case _:
                    raise _UnfitError

    def whole(self, e: n.Read, before: int) -> n.Expr:
        """An array that the backward sweep has too, or a part of one, as it is before a line."""
        for other in self.work.tapes:
            if other.pushed is e.variable and other is not self.tape and other.forward is self.block:
                there = self.block.index(other.push)
                self.untouched(e.variable, before, self.at, there)
                self.untouched(None, self.at, self.end, there)
                if other.backward is self.tape.backward:
                    self.used.append(other)
                    return revised(e, variable=other.popped)
        if self.work.is_fixed(e):
            return e
        match named := self.work.last_binding(self.block, before, e.variable):
            case n.Assign(value=n.Subscript(value=n.Read() as base, index=index) as part) if is_vector(part):
                self.check_number(index)
                start = self.block.index(named)
                self.untouched(e.variable, start, before)
                return revised(part, value=self.whole(base, start))
            case _:
                raise _UnfitError

    def untouched(self, variable: n.Variable | None, *lines: int) -> None:
        """Be sure that what is between lines is run with them, and leaves a variable and what it holds as they are."""
        for stmt in self.block[min(lines) + 1 : max(lines)]:
            if blocks(stmt) or isinstance(stmt, n.Break | n.Continue | n.Return | n.Raise):
                raise _UnfitError
            if variable is None or isinstance(stmt, n.Push):
                continue
            if variable in binds(stmt) or self.work.memory.changes(stmt, {variable}):
                raise _UnfitError


def _run_of_pops(tape: _Tape, again: list[n.Stmt]) -> list[n.Stmt]:
    """The lines that take off tapes one behind the other, around one, and what was put behind them here."""
    first = last = tape.backward.index(tape.pop)
    while first > 0 and isinstance(tape.backward[first - 1], n.Pop):
        first -= 1
    while last + 1 < len(tape.backward) and isinstance(tape.backward[last + 1], n.Pop):
        last += 1
    while last + 1 < len(tape.backward) and any(tape.backward[last + 1] is s for s in again):
        last += 1
    return tape.backward[first : last + 1]
