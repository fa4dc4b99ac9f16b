"""Tapes of vectors and matrices as one long array each: a list would hold as many arrays as there are steps.

    u_tape = []                    u_tape = np.empty(0)
                                   u_size = []
    u_tape.append(u)        ->     u_tape = written_behind(u_tape, u_place, u, steps)
                                   u_place += u.size
                                   u_size.append(u.size)
    u = u_tape.pop()               u_size = u_size.pop()
                                   u_place -= u_size
                                   u = u_tape[u_place:u_place + u_size]

The array grows when it is full; at first it is made for as many steps as the loops around are going to run. Numbers
stay in lists, which are faster than an array that has to be looked after.

>>> from adcompile.ir.kinds import Extent
>>> from adcompile.ir.show import show
>>> from adcompile.source import FunctionSource
>>> u = n.Read(n.Variable("u"), kind=Array("float64", (Extent("u.0"),)))
>>> tape = n.Variable("u", n.Role.TAPE)
>>> body = [n.NewTape(tape), n.Push(tape, u), n.Pop(u.variable, tape)]
>>> function = n.Function("f", [n.Param(u.variable)], body, FunctionSource("f", "f.py", "", 1))
>>> tapes(function)
>>> print(show(function.body))
<tape u> = np@rule.empty(0)
<temporary u_place> = 0
<tape u_size> = tape
<tape u> = written_behind@rule(<tape u>, <temporary u_place>, u, 1)
<temporary u_place> += u.size
push <tape u_size>, u.size
<temporary u_size> = pop <tape u_size>
<temporary u_place> -= <temporary u_size>
u = <tape u>[<temporary u_place>:(<temporary u_place> + <temporary u_size>)]
"""

from __future__ import annotations

import builtins

import numpy as np

from adcompile import runtime_native
from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.kinds import INT, Array, Kind, Static
from adcompile.ir.walk import blocks, bound_in, expressions, reads, statements, walk

_NUMPY = n.Ref("np", np, "rule", kind=Static(np))
_MATRIX = 2


def tapes(function: n.Function) -> None:
    """Turn the tapes of a function's arrays into one array each, in place."""
    for tape, value in long_tapes(function).items():
        rank = _rank(value.kind)
        _Long(tape, rank, value.kind, set(bound_in(function.body))).block(function.body, [])


def long_tapes(function: n.Function) -> dict[n.Variable, n.Expr]:
    """The tapes of a function that become one array each, with the first value that is put on each.

    Such a tape holds copies, of what the values are when they are put on it.
    """
    made: dict[n.Variable, int] = {}
    pushed: dict[n.Variable, list[n.Push]] = {}
    taken: dict[n.Variable, int] = {}
    elsewhere: set[n.Variable] = set()
    for stmt in statements(function.body):
        match stmt:
            case n.NewTape(tape=tape):
                made[tape] = made.get(tape, 0) + 1
            case n.Push(tape=tape):
                pushed.setdefault(tape, []).append(stmt)
            case n.Pop(tape=tape):
                taken[tape] = taken.get(tape, 0) + 1
        for expr in expressions(stmt):
            elsewhere |= reads(expr)
    found: dict[n.Variable, n.Expr] = {}
    for tape, pushes in pushed.items():
        rank, *others = {_rank(push.value.kind) for push in pushes}
        if made.get(tape) == 1 and taken.get(tape) and tape not in elsewhere and rank in (1, _MATRIX) and not others:
            found[tape] = pushes[0].value
    return found


def _rank(kind: Kind) -> int:
    """How many axes an array of 64-bit floats has; 0 for anything else."""
    return (kind.rank or 0) if isinstance(kind, Array) and kind.dtype == "float64" else 0


class _Long:
    """One tape and what goes with it: where its end is, and how large its items are."""

    def __init__(self, tape: n.Variable, rank: int, kind: Kind, bound: set[n.Variable]) -> None:
        of = tape.of or tape
        self.tape = tape
        self.rank = rank
        self.kind = kind
        self.bound = bound
        self.whole = n.Read(tape, kind=Array("float64", None))
        self.place = n.Read(n.Variable(f"{of.name}_place", n.Role.TEMPORARY), kind=INT)
        self.rows = n.Read(n.Variable(f"{of.name}_rows", n.Role.TEMPORARY), kind=INT)
        self.size = n.Read(n.Variable(f"{of.name}_size", n.Role.TEMPORARY), kind=INT)
        self.columns = n.Read(n.Variable(f"{of.name}_columns", n.Role.TEMPORARY), kind=INT)
        lengths = (self.size,) if rank < _MATRIX else (self.rows, self.columns)
        self.lengths = {read: n.Variable(read.variable.name, n.Role.TAPE) for read in lengths}

    def block(self, body: list[n.Stmt], loops: list[n.For]) -> None:
        new: list[n.Stmt] = []
        for stmt in body:
            for inner in blocks(stmt):
                self.block(inner, [*loops, stmt] if isinstance(stmt, n.For) else loops)
            new += self.statement(stmt, loops)
        body[:] = new

    def statement(self, stmt: n.Stmt, loops: list[n.For]) -> list[n.Stmt]:
        match stmt:
            case n.NewTape(tape=self.tape):
                return self.empty()
            case n.Push(tape=self.tape, value=value):
                return [self.at(line, stmt) for line in self.push(_without_copy(value), loops)]
            case n.Pop(tape=self.tape, target=target):
                return [self.at(line, stmt) for line in self.pop(target)]
            case _:
                return [stmt]

    @staticmethod
    def at(line: n.Stmt, stmt: n.Stmt) -> n.Stmt:
        line.origin = stmt.origin
        return line

    def empty(self) -> list[n.Stmt]:
        nothing = n.Call(_of_numpy(np.empty), (n.Const(0, kind=INT),), kind=self.whole.kind)
        start = n.Assign(self.place.variable, n.Const(0, kind=INT))
        return [n.Assign(self.tape, nothing), start, *map(n.NewTape, self.lengths.values())]

    def push(self, value: n.Expr, loops: list[n.For]) -> list[n.Stmt]:
        lines: list[n.Stmt] = []
        if not isinstance(value, n.Read):
            held = n.Variable(self.tape.name, n.Role.TEMPORARY)
            lines.append(n.Assign(held, value))
            value = n.Read(held, kind=value.kind)
        size = n.Attribute(value, "size", kind=INT)
        written = n.Ref("written_behind", runtime_native.written_behind, "rule")
        call = n.Call(written, (self.whole, self.place, value, self.steps(loops)), kind=self.whole.kind)
        lines += [n.Assign(self.tape, call), n.Augment(self.place, "+", size)]
        shape = n.Attribute(value, "shape")
        axes = (n.Subscript(shape, n.Const(axis, kind=INT), kind=INT) for axis in range(self.rank))
        sizes = (size,) if self.rank < _MATRIX else axes
        return [*lines, *(n.Push(tape, e) for tape, e in zip(self.lengths.values(), sizes, strict=True))]

    def pop(self, target: n.Variable) -> list[n.Stmt]:
        end = n.Binary("+", self.place, self.size, kind=INT)
        part: n.Expr = n.Subscript(self.whole, n.Slice(self.place, end, None), kind=self.kind)
        lines: list[n.Stmt] = [n.Pop(read.variable, tape) for read, tape in self.lengths.items()]
        if self.rank == _MATRIX:
            lines.append(n.Assign(self.size.variable, n.Binary("*", self.rows, self.columns, kind=INT)))
            part = n.Call(n.Attribute(part, "reshape"), (self.rows, self.columns), kind=self.kind)
        return [*lines, n.Augment(self.place, "-", self.size), n.Assign(target, part)]

    def steps(self, loops: list[n.For]) -> n.Expr:
        """How often this will about be run: the array is made so large at first."""
        total: n.Expr = n.Const(1, kind=INT)
        inside = {v for loop in loops for v in bound_in([loop])}
        for loop in loops:
            match loop.iterable:
                case n.Call(func=n.Ref(value=builtins.range), args=args, keywords=()) if not any(
                    reads(a) & inside or any(isinstance(e, n.Named) for e in walk(a)) for a in args
                ):
                    size: n.Expr = args[0]
                    if len(args) > 1:
                        size = n.Call(n.Ref("len", builtins.len, "builtin"), (loop.iterable,), kind=INT)
                    total = simplify(n.Binary("*", total, size, kind=INT))
                case _:
                    pass
        return total


def _without_copy(value: n.Expr) -> n.Expr:
    match value:
        case n.Call(func=n.Attribute(value=inner, name="copy"), args=(), keywords=()) if isinstance(inner.kind, Array):
            return inner
        case _:
            return value


def _of_numpy(function: object) -> n.Expr:
    return n.Attribute(_NUMPY, getattr(function, "__name__", ""), kind=Static(function))
