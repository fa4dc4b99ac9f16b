"""Tapes of vectors and matrices as one long array each: a list would hold as many arrays as there are steps.

    u_tape = []                    u_tape = np.empty(0)
                                   u_size = []
    u_tape.append(u)        ->     u_tape = written_behind(u_tape, u_place, u, steps)
                                   u_place += u.size
                                   u_size.append(u.size)
    u = u_tape.pop()               u_size = u_size.pop()
                                   u_place -= u_size
                                   u = u_tape[u_place:u_place + u_size]

A vector that is made to be put on a tape is computed where it is going to be:

    u = x[1:] * y                  u_tape = room_behind(u_tape, u_place, len(x[1:]), steps)
    u_tape.append(u)        ->     u = u_tape[u_place:u_place + len(x[1:])]
                                   u[:] = x[1:] * y

The array grows when it is full; at first it is made for as many steps as the loops around are going to run. Numbers
stay in lists, which are faster than an array that has to be looked after, and so do slices up to a bound that varies.

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
<step u_place> = 0
<tape u_size> = tape
<tape u> = written_behind@rule(<tape u>, <step u_place>, u, 1)
<step u_place> += u.size
push <tape u_size>, u.size
<step u_size> = pop <tape u_size>
<step u_place> -= <step u_size>
u = <tape u>[<step u_place>:(<step u_place> + <step u_size>)]
"""

from __future__ import annotations

import builtins
from collections.abc import Callable

import numpy as np

from adcompile.analyses.memory.groups import Memory, memory_of
from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify, uncopied
from adcompile.ir.kinds import BOOL, INT, Array, Extent, Kind
from adcompile.ir.make import apply, len_of, raise_if
from adcompile.ir.walk import all_blocks, binds, blocks, bound_in, expressions, reads, statements, walk
from adcompile.native.vectors.afterwards import runs_line_by_line
from adcompile.native.vectors.loops import first_vector, is_vector, is_written_out
from adcompile.runtime import native as runtime_native

_MATRIX = 2


def tapes(function: n.Function, *, in_loops: bool = False) -> None:
    """Turn the tapes of a function's arrays into one array each, in place.

    `in_loops` says whether elementwise arithmetic is going to be written out as loops.
    """
    memory = memory_of(function)
    lists = {s.tape for s in statements(function.body) if isinstance(s, n.NewTape)}
    altered = memory.altered - lists
    long = long_tapes(function)
    certain = runs_line_by_line(function)
    at_once = {tape: _made_at_once(function, tape, memory) if in_loops and certain else None for tape in long}
    for tape, value in long.items():
        work = _Long(tape, _rank(value.kind), value.kind, lambda v: not certain or memory.reaches(v, altered))
        work.at_once = at_once[tape]
        work.know(_lengths_of_arguments(function, tape))
        work.block(function.body, [])


def long_tapes(function: n.Function) -> dict[n.Variable, n.Expr]:
    """The tapes of a function that become one array each, with the first value that is put on each.

    Such a tape holds copies, of what the values are when they are put on it.
    """
    made: dict[n.Variable, int] = {}
    pushed: dict[n.Variable, list[n.Push]] = {}
    taken: dict[n.Variable, int] = {}
    elsewhere: set[n.Variable] = set()
    unset: set[n.Variable] = set()  # what stands for nothing until a loop sets it, and goes on a tape as that
    for stmt in statements(function.body):
        match stmt:
            case n.Assign(target=target, value=n.Const(value=None)):
                unset.add(target)
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
        if tape.role is n.Role.SNAPSHOTS:  # taken up again, changed in place, and written again
            continue
        rank, *others = {_rank(push.value.kind) for push in pushes}
        if any(v.role is n.Role.ADJOINT for push in pushes for v in reads(push.value)):
            continue  # a buffer that is added to once it is taken off: a copy of it would not do
        if any(not unset.isdisjoint(reads(push.value)) for push in pushes):
            continue
        if not all(_is_of_one_size(push.value.kind) for push in pushes):
            continue  # made for the first, the array would have to grow time and again
        if made.get(tape) == 1 and taken.get(tape) and tape not in elsewhere and rank in (1, _MATRIX) and not others:
            found[tape] = pushes[0].value
    return found


def _rank(kind: Kind) -> int:
    """How many axes an array of 64-bit floats has; 0 for anything else."""
    return (kind.rank or 0) if isinstance(kind, Array) and kind.dtype == "float64" else 0


def _is_of_one_size(kind: Kind) -> bool:
    """Whether an array is as long as an argument's axis, or some items shorter: no part that was sliced off."""
    dims = kind.dims if isinstance(kind, Array) else None
    return all("[" not in d.root for d in dims or () if isinstance(d, Extent))


class _Long:
    """One tape and what goes with it: where its end is, and how large its items are."""

    def __init__(self, tape: n.Variable, rank: int, kind: Kind, is_altered: Callable[[n.Variable], bool]) -> None:
        of = tape.of or tape
        self.tape = tape
        self.rank = rank
        self.kind = kind
        self.is_altered = is_altered
        self.whole = n.Read(tape, kind=Array("float64", None))
        self.place = n.Read(n.Variable(f"{of.name}_place", n.Role.STEP), kind=INT)
        self.rows = n.Read(n.Variable(f"{of.name}_rows", n.Role.STEP), kind=INT)
        self.size = n.Read(n.Variable(f"{of.name}_size", n.Role.STEP), kind=INT)
        self.columns = n.Read(n.Variable(f"{of.name}_columns", n.Role.STEP), kind=INT)
        lengths = (self.size,) if rank < _MATRIX else (self.rows, self.columns)
        self.at_once: tuple[n.Assign, n.Push] | None = None  # what makes a vector, and what puts it on the tape
        self.lengths = {read: n.Variable(read.variable.name, n.Role.TAPE) for read in lengths}
        self.known: dict[n.Read, n.Expr] = {}  # lengths that are those of an argument

    def know(self, lengths: list[n.Expr] | None) -> None:
        """Take note that all items are as long as arguments are: no length has to be kept."""
        if lengths is not None:
            self.known, self.lengths = dict(zip(self.lengths, lengths, strict=True)), {}

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
            case n.Assign(target=target, value=value) if self.at_once is not None and stmt is self.at_once[0]:
                return [self.at(line, stmt) for line in self.make(target, value, loops)]
            case n.Push(tape=self.tape, value=value) if self.at_once is not None and stmt is self.at_once[1]:
                size = n.Attribute(value, "size", kind=INT)
                pushes = (n.Push(tape, size) for tape in self.lengths.values())
                return [self.at(line, stmt) for line in (n.Augment(self.place, "+", size), *pushes)]
            case n.Push(tape=self.tape, value=value):
                return [self.at(line, stmt) for line in self.push(uncopied(value), loops)]
            case n.Pop(tape=self.tape, target=target):
                return [self.at(line, stmt) for line in self.pop(target)]
            case _:
                return [stmt]

    @staticmethod
    def at(line: n.Stmt, stmt: n.Stmt) -> n.Stmt:
        line.origin = stmt.origin
        return line

    def empty(self) -> list[n.Stmt]:
        nothing = apply(np.empty, n.Const(0, kind=INT), kind=self.whole.kind)
        start = n.Assign(self.place.variable, n.Const(0, kind=INT))
        known = (n.Assign(read.variable, e) for read, e in self.known.items())
        return [n.Assign(self.tape, nothing), start, *known, *map(n.NewTape, self.lengths.values())]

    def push(self, value: n.Expr, loops: list[n.For]) -> list[n.Stmt]:
        lines: list[n.Stmt] = []
        if not isinstance(value, n.Read):
            held = n.Variable(self.tape.name, n.Role.TEMPORARY)
            lines.append(n.Assign(held, value))
            value = n.Read(held, kind=value.kind)
        size = n.Attribute(value, "size", kind=INT)
        call = apply(runtime_native.written_behind, self.whole, self.place, value, steps(loops), kind=self.whole.kind)
        lines += [*self.checked(value), n.Assign(self.tape, call), n.Augment(self.place, "+", size)]
        if self.known:
            return lines
        shape = n.Attribute(value, "shape")
        axes = (n.Subscript(shape, n.Const(axis, kind=INT), kind=INT) for axis in range(self.rank))
        sizes = (size,) if self.rank < _MATRIX else axes
        return [*lines, *(n.Push(tape, e) for tape, e in zip(self.lengths.values(), sizes, strict=True))]

    def checked(self, value: n.Expr) -> list[n.Stmt]:
        """Be sure that an array is as long as is known: memory must not depend on a proof alone."""
        shape = n.Attribute(value, "shape")
        tests: list[n.Expr] = []
        for axis, read in enumerate(self.known):
            length = n.Subscript(shape, n.Const(axis, kind=INT), kind=INT)
            tests.append(n.Compare(("!=",), (length, read), kind=BOOL))
        return raise_if(tests, "an array has another length")

    def make(self, target: n.Variable, value: n.Expr, loops: list[n.For]) -> list[n.Stmt]:
        """A vector computed where it is on the tape."""
        first, value = _first_vector(value) or value, uncopied(value)
        size = n.Read(n.Variable("size", n.Role.STEP), kind=INT)
        call = apply(runtime_native.room_behind, self.whole, self.place, size, steps(loops), kind=self.whole.kind)
        end = n.Binary("+", self.place, size, kind=INT)
        part = n.Subscript(self.whole, n.Slice(self.place, end, None), kind=self.kind)
        all_of_it = n.Subscript(n.Read(target, kind=self.kind), n.Slice(None, None, None), kind=self.kind)
        return [
            *self.checked(first),
            n.Assign(size.variable, len_of(first)),
            n.Assign(self.tape, call),
            n.Assign(target, part),
            n.Store(all_of_it, value),
        ]

    def pop(self, target: n.Variable) -> list[n.Stmt]:
        end = n.Binary("+", self.place, self.size, kind=INT)
        part: n.Expr = n.Subscript(self.whole, n.Slice(self.place, end, None), kind=self.kind)
        lines: list[n.Stmt] = [n.Pop(read.variable, tape) for read, tape in self.lengths.items()]
        if self.rank == _MATRIX:
            lines.append(n.Assign(self.size.variable, n.Binary("*", self.rows, self.columns, kind=INT)))
            part = n.Call(n.Attribute(part, "reshape"), (self.rows, self.columns), kind=self.kind)
        if self.is_altered(target):  # the place on the tape may be written again
            part = n.Call(n.Attribute(part, "copy"), (), kind=self.kind)
        return [*lines, n.Augment(self.place, "-", self.size), n.Assign(target, part)]


def steps(loops: list[n.For]) -> n.Expr:
    """How often what stands in these loops will about be run: an array is made so large at first."""
    total: n.Expr = n.Const(1, kind=INT)
    inside = {v for loop in loops for v in bound_in([loop])}
    for loop in loops:
        match loop.iterable:
            case n.Call(func=n.Ref(value=builtins.range), args=args, keywords=()) if not any(
                reads(a) & inside or any(isinstance(e, n.Named) for e in walk(a)) for a in args
            ):
                size: n.Expr = args[0]
                if len(args) > 1:
                    size = len_of(loop.iterable)
                total = simplify(n.Binary("*", total, size, kind=INT))
    return total


def _lengths_of_arguments(function: n.Function, tape: n.Variable) -> list[n.Expr] | None:
    """How long all items of a tape are, where they are as long as arguments of the function."""
    params = {p.variable.name: p.variable for p in function.params}
    for stmt in statements(function.body):
        match stmt:
            case n.Assign(target=target, value=n.Call(func=n.Attribute(value=n.Read(variable=same), name="copy"))) if (
                target is same
            ):
                pass
            case _:
                for variable in binds(stmt):
                    if params.get(variable.name) is variable and not isinstance(stmt, n.Augment):
                        del params[variable.name]
    pushed = [s.value for s in statements(function.body) if isinstance(s, n.Push) and s.tape is tape]
    names = {e.variable for e in map(uncopied, pushed) if isinstance(e, n.Read)}
    if not names.isdisjoint(p.variable for p in function.params if params.get(p.variable.name) is not p.variable):
        return None  # what was given under that name may be of another length
    made = [s.value for s in statements(function.body) if isinstance(s, n.Assign) and s.target in names]
    if any(isinstance(s, n.Unpack) and not names.isdisjoint(binds(s)) for s in statements(function.body)):
        return None  # nor is it known how long what a call returns is
    dims = {e.kind.dims if isinstance(e.kind, Array) else None for e in (*pushed, *made)}
    if len(dims) != 1:
        return None
    found: list[n.Expr] = []
    for dim in dims.pop() or ():
        if not isinstance(dim, Extent):
            return None
        name, _, axis = dim.root.partition(".")
        if name not in params or not axis.isdigit():
            return None
        shape = n.Attribute(n.Read(params[name], kind=Array(None, None)), "shape")
        length = n.Subscript(shape, n.Const(int(axis), kind=INT), kind=INT)
        op, by = ("-", -dim.offset) if dim.offset < 0 else ("+", dim.offset)
        found.append(n.Binary(op, length, n.Const(by, kind=INT), kind=INT) if by else length)
    return found or None


def _made_at_once(function: n.Function, tape: n.Variable, memory: Memory) -> tuple[n.Assign, n.Push] | None:
    """The line that makes the vectors of a tape and the one that puts them on it, if the tape may be their only home.

    Nothing may change such a vector later, and the tape must not be written again once something was taken off.
    """
    body = function.body
    at = {id(s): k for k, outer in enumerate(body) for s in statements([outer])}
    pushes = [s for s in statements(body) if isinstance(s, n.Push) and s.tape is tape]
    pops = [s for s in statements(body) if isinstance(s, n.Pop) and s.tape is tape]
    if (
        len(pushes) != 1
        or not isinstance(pushes[0].value, n.Read)
        or isinstance(body[at[id(pushes[0])]], n.Try | n.With)
    ):
        return None
    if any(at[id(pop)] <= at[id(pushes[0])] for pop in pops):
        return None
    held = pushes[0].value.variable
    block = next(b for b in all_blocks(body) if any(s is pushes[0] for s in b))
    for stmt in reversed(block[: block.index(pushes[0])]):
        if blocks(stmt) or isinstance(stmt, n.Break | n.Continue | n.Return):
            return None
        if held not in binds(stmt):
            continue
        if not isinstance(stmt, n.Assign) or held in reads(stmt.value) or _first_vector(stmt.value) is None:
            return None
        others = (s for s in statements(body) if not isinstance(s, n.NewTape | n.Push | n.Pop))
        if any(memory.changes(s, {held}) for s in others):
            return None
        return stmt, pushes[0]
    return None


def _first_vector(value: n.Expr) -> n.Expr | None:
    """A vector as long as what arithmetic on vectors, or a copy, makes; None for anything else."""
    inner = uncopied(value)
    if inner is not value:
        return inner if is_vector(inner) else None
    return first_vector(value) if is_written_out(value) else None
