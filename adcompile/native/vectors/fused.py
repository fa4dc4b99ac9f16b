"""Lines of arithmetic on equally long vectors become one loop: what a line makes, the next reads while it is at hand.

    t = a * x[1:]                   part = x[1:]
    u = np.exp(t)                   y = np.empty(len(part))
    y = u * t + 1.0          ->     for i in range(len(part)):
                                        t_1 = a * part[i]
                                        u_1 = np.exp(t_1)
                                        y[i] = u_1 * t_1 + 1.0

Numba would make an array of each intermediate result. A vector that nobody reads behind the loop is a number in it. A
line that is no such arithmetic is moved in front of the loop or behind it, where that changes nothing; else it ends it.

A line joins a loop only if its vectors are as long, and if whatever it shares memory with is read and written item by
item at the same place: `x[1:] += x[:-1]` is computed apart first, as NumPy does.

>>> from adcompile.analyses.typing.program import Program
>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def f(x, a):
...     t = a * x
...     return np.exp(t) * t
>>> def g(x, a):
...     t = a * x
...     y = t * t + x
...     return y
>>> from adcompile.ir.kinds import Array, Extent, Scalar
>>> kinds = Array("float64", (Extent("x.0", least=2),)), Scalar("float64")
>>> typed = Program(read).infer(g, kinds)
>>> function = typed.function
>>> function.body = typed.body
>>> fused(function)
>>> print(show(function))
def g(x, a):
    y = np@rule.empty(len@builtin(x))
    for <step i> in range@builtin(len@builtin(x)):
        <item t of t> = (a * x[<step i>])
        y[<step i>] = ((<item t of t> * <item t of t>) + x[<step i>])
    return y
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from adcompile.analyses.memory.groups import memory_of
from adcompile.ir import nodes as n
from adcompile.ir.walk import binds, blocks, bound_in, change_expressions, expressions, reads, statements
from adcompile.native.vectors.afterwards import Place, runs_line_by_line
from adcompile.native.vectors.effects import bases_of, contents_of
from adcompile.native.vectors.known import Known
from adcompile.native.vectors.lines import VectorLine, exchanged, spread, sums_in, vector_line, vectors_in
from adcompile.native.vectors.loop import Loop
from adcompile.native.vectors.loops import NUMBER, is_picked, is_vector, is_written_out

_NEAR = 6  # lines that are looked ahead
_JUMPS = (n.Break, n.Continue, n.Return, n.Raise)


def fused(function: n.Function) -> None:
    """Write out the elementwise arithmetic of a function as loops, in place."""
    known = Known(memory_of(function), one_by_one=not runs_line_by_line(function))
    _Fusing(known).block(function.body, [], None)


class _Fusing:
    """The walk over a function: what is known at one point of it, and the loop that is open there."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.open: Loop | None = None

    def block(self, body: list[n.Stmt], path: list[Place], owner: n.Stmt | None) -> None:
        if not self.known.one_by_one:
            self.wait(body)
        new: list[n.Stmt] = []
        for k, stmt in enumerate(body):
            here = [*path, Place(body, k, owner)]
            if inner := blocks(stmt):
                new += self.close()
                self.known.forget(bound_in([stmt]))
                for block in inner:
                    outer = self.known.lengths, self.known.parts
                    self.known.lengths, self.known.parts = self.known.lengths.copy(), dict(self.known.parts)
                    self.block(block, here, stmt)
                    self.known.lengths, self.known.parts = outer
                new.append(stmt)
                continue
            self.known.ahead = body[k + 1 : k + 1 + _NEAR]
            new += self.statement(stmt, here)
        new += self.close()
        body[:] = new

    def wait(self, body: list[n.Stmt]) -> None:
        """Let vectors be made right before the arithmetic that reads them first, where nothing in between minds."""
        for k in reversed(range(len(body))):
            match body[k]:
                case n.Assign(target=target, value=value) if (
                    is_written_out(value, picked=True) or is_picked(value)
                ) and target not in reads(value):
                    pass
                case _:
                    continue
            held = {v for e in vectors_in(value) for v in bases_of(e)} | contents_of(value)
            for later in range(k + 1, len(body)):
                inside = list(statements([body[later]]))
                if any(target in binds(s) or any(target in reads(e) for e in expressions(s)) for s in inside):
                    if vector_line(body[later]) is not None:
                        body.insert(later - 1, body.pop(k))
                    break
                if any(
                    isinstance(s, _JUMPS) or reads(value) & set(binds(s)) or self.known.memory.changes(s, held)
                    for s in inside
                ):
                    break

    def statement(self, stmt: n.Stmt, here: list[Place]) -> list[n.Stmt]:
        """The lines that come before the open loop, which takes the statement up if it can."""
        change_expressions(stmt, spread)
        line = vector_line(stmt)
        if line is None:
            closed = self.sums(stmt, here)
            if closed:
                return [*closed, *self.statement(stmt, here)]
            if self.open is not None and not self.known.one_by_one and self.open.lets_pass(stmt):
                self.known.note(stmt)
                return []
            closed = self.close()
            self.known.note(stmt)
            return [*closed, stmt]
        if self.known.overlaps_itself(line):
            if not isinstance(stmt, n.Store) or is_vector(line.value):
                closed = self.close()
                self.known.note(stmt)
                return [*closed, stmt]
            apart = n.Variable("apart", n.Role.STEP)
            whole = n.Read(apart, kind=line.value.kind)
            made = n.Assign(apart, line.value, origin=stmt.origin)
            put = replace(stmt, value=whole)
            closed = self.join(VectorLine(made, None, None, line.value), here, {apart})
            return [*closed, *self.join(VectorLine(put, line.place, None, whole), here)]
        return self.join(line, here)

    def sums(self, stmt: n.Stmt, here: list[Place]) -> list[n.Stmt]:
        """Let the sums of vectors in a statement be counted up in a loop; the lines before it."""
        if self.known.one_by_one or not isinstance(stmt, n.Assign | n.Augment | n.Return | n.Push | n.Store):
            return []
        closed: list[n.Stmt] = []
        before = [*here[:-1], here[-1]._replace(line=here[-1].line - 1)]  # the statement itself comes behind
        for call, vector in sums_in(stmt):
            total = n.Read(n.Variable("total", n.Role.STEP), kind=NUMBER)
            line = VectorLine(n.Assign(total.variable, call, origin=stmt.origin), None, "sum", vector)
            if (self.open is None or not self.open.may_join(line)) and not self.needs_loop(call, vector):
                continue
            closed += self.join(line, before)
            change_expressions(stmt, partial(exchanged, old=call, new=total))
        return closed

    def needs_loop(self, call: n.Expr, vector: n.Expr) -> bool:
        """Whether Numba's own sum of a vector, or product of two, is slower than a loop that does nothing else."""
        if isinstance(call, n.Call) and n.object_of(call.func) is np.sum:
            return not is_vector(vector)  # it would make the array first
        return any(self.known.is_strided(e) for e in vectors_in(vector))  # BLAS is given a copy

    def join(self, line: VectorLine, here: list[Place], lasting: set[n.Variable] | None = None) -> list[n.Stmt]:
        """Take a line up into the open loop, or into a new one; the lines of the loop before it."""
        closed: list[n.Stmt] = []
        if self.open is None or self.known.one_by_one or not self.open.may_join(line):
            closed = self.close()
            if line.like is not None:  # Numba makes it as fast
                self.known.note(line.stmt)
                return [*closed, line.stmt]
            self.open = Loop(self.known, line.stmt)
        self.open.add(line, here, lasting or set())
        self.known.forget(binds(line.stmt) if isinstance(line.stmt, n.Assign) else ())
        return closed

    def close(self) -> list[n.Stmt]:
        """The lines of the open loop."""
        if self.open is None:
            return []
        done, self.open = self.open, None
        return done.lines()
