"""What the tapes and snapshots of a generated function take for given arguments, estimated from kinds.

A number counts as 32 bytes, an array as its elements and 112 bytes, each with 8 for its place in the list. Views count
as arrays of their own, so the estimate is rather too high. What the kinds leave open is None.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Kind, Scalar, Struct
from adcompile.ir.walk import binds, blocks, statements, walk
from adcompile.runtime import helpers as runtime
from adcompile.value_classes import value_class

_PLACE = 8
_NUMBER = 32
_ARRAY = 112
_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv,
}  # fmt: skip
_FUNCTIONS: dict[Any, Callable[..., int]] = {
    builtins.len: len,
    builtins.max: max,
    builtins.min: min,
    builtins.int: int,
    runtime.enough_snapshots: runtime.enough_snapshots,
}


@value_class()
class Footprint:
    """One outermost loop: how many steps, bytes on tapes in all, and its snapshots, where it has some."""

    loop: n.For | n.While
    steps: int | None
    stored: int | None
    snapshots: int | None
    state: int | None


def footprints(function: n.Function, arguments: dict[str, Any]) -> Iterator[Footprint]:
    """The loops of the forward sweep that keep something, for arguments by name."""
    work = _Estimate(function, arguments)
    for stmt in work.outermost(function.body):
        pushes = [s for s in statements(stmt.body) if isinstance(s, n.Push)]
        kept = [s for s in pushes if s.tape.role is n.Role.SNAPSHOTS]
        again = isinstance(stmt, n.For) and stmt.checkpoint is not None and stmt.checkpoint.again
        if not pushes and not again:
            continue
        steps = work.trips(stmt)
        if again:
            yield Footprint(stmt, steps, None, 0, 0)
        elif kept:
            state = _total(work.pushed(s) for s in kept)
            yield Footprint(stmt, steps, None, work.snapshots(stmt, steps), state)
        else:
            each = work.block(stmt.body)
            yield Footprint(stmt, steps, None if steps is None or each is None else steps * each, None, None)


class _Estimate:
    def __init__(self, function: n.Function, arguments: dict[str, Any]) -> None:
        self.arguments = arguments
        self.params = {p.variable for p in function.params}
        counts: dict[n.Variable, int] = {}
        self.values: dict[n.Variable, n.Expr] = {}
        for stmt in statements(function.body):
            for variable in binds(stmt):
                counts[variable] = counts.get(variable, 0) + 1
            if isinstance(stmt, n.Assign):
                self.values[stmt.target] = stmt.value
        self.values = {v: e for v, e in self.values.items() if counts[v] == 1 and v not in self.params}
        self.changing = {v for v in counts if v not in self.values}

    def outermost(self, body: list[n.Stmt]) -> Iterator[n.For | n.While]:
        for stmt in body:
            if isinstance(stmt, n.For | n.While):
                yield stmt
            elif isinstance(stmt, n.Remark) and stmt.section is n.Section.BACKWARD and stmt.is_of_all:
                return
            else:
                for block in blocks(stmt):
                    yield from self.outermost(block)

    def trips(self, loop: n.For | n.While) -> int | None:
        match loop:
            case n.For(iterable=n.Call(func=n.Ref(value=builtins.range), args=args)):
                values = [self.whole(a) for a in args]
                known = [v for v in values if v is not None]
                return len(range(*known)) if len(known) == len(values) else None
            case n.For(iterable=n.Read(variable=variable)) if variable in self.params - self.changing:
                return len(self.arguments[variable.name])
            case _:
                return None

    def block(self, body: list[n.Stmt]) -> int | None:
        """The bytes that one run of a block puts on tapes; of two branches the larger."""
        parts: list[int | None] = []
        for stmt in body:
            match stmt:
                case n.Push():
                    parts.append(self.pushed(stmt))
                case n.If(then=then, orelse=orelse):
                    both = [self.block(then), self.block(orelse)]
                    parts.append(None if None in both else max(b for b in both if b is not None))
                case n.For() | n.While() if any(isinstance(s, n.Push) for s in statements(stmt.body)):
                    steps, each = self.trips(stmt), self.block(stmt.body)
                    parts.append(None if steps is None or each is None else steps * each)
                case _ if any(isinstance(s, n.Push) for s in statements([stmt])):
                    parts.append(None)
        return _total(parts)

    def pushed(self, stmt: n.Push) -> int | None:
        size = self.size(stmt.value.kind)
        return None if size is None else size + _PLACE

    def size(self, kind: Kind) -> int | None:
        match kind:
            case Scalar():
                return _NUMBER
            case Array(dtype=str() as dtype, dims=tuple() as dims):
                lengths = [d if isinstance(d, int) else self.length(d.root, d.offset) for d in dims]
                known = [v for v in lengths if v is not None]
                if len(known) != len(lengths):
                    return None
                return _ARRAY + math.prod(known) * np.dtype(dtype).itemsize
            case Struct(form="tuple" | "list", items=items):
                inner = _total(self.size(k) for k in items)
                return None if inner is None else 56 + _PLACE * len(items) + inner
            case _:
                return None

    def length(self, root: str, offset: int) -> int | None:
        """The length of an axis, where it is one of an argument's."""
        name, _, axis = root.rpartition(".")
        value = self.arguments.get(name)
        if isinstance(value, np.ndarray) and axis.isdigit() and int(axis) < value.ndim:
            return int(value.shape[int(axis)]) + offset
        return None

    def snapshots(self, loop: n.For | n.While, steps: int | None) -> int | None:
        """How many snapshots a checkpointed loop may have, which is what is left when the first is taken, and one."""
        for stmt in statements(loop.body):
            match stmt:
                case n.Assign(target=n.Variable(role=n.Role.STEP), value=value):
                    for e in _calls(value):
                        if n.object_of(e.func) is runtime.next_snapshot and isinstance(e.args[1], n.Binary):
                            most = self.whole(e.args[1].left)
                            return most if most is None or steps is None else min(most, max(steps, 1))
        return None

    def whole(self, expr: n.Expr) -> int | None:
        """The whole number that an expression is, where the arguments tell."""
        match expr:
            case n.Const(value=int() as value):
                return int(value)
            case n.Unary(op="-", operand=operand):
                inner = self.whole(operand)
                return None if inner is None else -inner
            case n.Read(variable=variable) if variable in self.params - self.changing:
                value = self.arguments[variable.name]
                return int(value) if isinstance(value, int | np.integer) else None
            case n.Read(variable=variable) if variable in self.values:
                return self.whole(self.values[variable])
            case n.Binary(op=op, left=left, right=right) if op in _OPERATORS:
                a, b = self.whole(left), self.whole(right)
                if a is None or b is None or (op == "//" and b == 0):
                    return None
                return _OPERATORS[op](a, b)
            case n.Call(func=n.Ref(value=builtins.len), args=(n.Expr(kind=Array(dims=(first, *_))),)):
                return first if isinstance(first, int) else self.length(first.root, first.offset)
            case n.Call(func=n.Ref(value=function), args=args) if function in _FUNCTIONS:
                values = [self.whole(a) for a in args]
                return None if None in values or function is builtins.len else _FUNCTIONS[function](*values)
            case n.Subscript(
                value=n.Attribute(name="shape", value=n.Expr(kind=Array(dims=tuple() as dims))),
                index=n.Const(value=int() as axis),
            ) if -len(dims) <= axis < len(dims):
                dim = dims[axis]
                return dim if isinstance(dim, int) else self.length(dim.root, dim.offset)
            case n.Attribute(name="nbytes", value=n.Expr(kind=Array() as kind)):
                size = self.size(kind)
                return None if size is None else size - _ARRAY
            case _:
                return None


def _calls(expr: n.Expr) -> Iterator[n.Call]:
    return (e for e in walk(expr) if isinstance(e, n.Call))


def _total(parts: Any) -> int | None:
    total = 0
    for part in parts:
        if part is None:
            return None
        total += part
    return total
