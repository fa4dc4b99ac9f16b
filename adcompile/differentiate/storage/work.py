"""How much work an expression is, and where its values stand: what storage weighs."""

from __future__ import annotations

import builtins
import math
from typing import TYPE_CHECKING

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import Array, Scalar, Static, Struct
from adcompile.ir.walk import binds, children, reads, statements, substitute, walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcompile.analyses.versions import Version, Versions
    from adcompile.differentiate.storage.sweep import Sweep


_WORK_OF_ROOT, _WORK_OF_POWER = 3, 4  # in operations


def number_by_number(value: n.Expr) -> n.Read | None:
    """The one array that an operation goes over, giving one of the same shape."""
    match value:
        case n.Call(
            func=n.Expr(kind=Static(value=np.ufunc(nin=1, nout=1))), args=(n.Read(kind=Array()) as read,), keywords=()
        ):
            return read
        case n.Unary(op="-", operand=n.Read(kind=Array()) as read):
            return read
        case n.Binary(op="+" | "-" | "*" | "/" | "**", left=n.Read(kind=Array()) as read, right=n.Expr(kind=Scalar())):
            return read
        case n.Binary(op="+" | "-" | "*" | "/" | "**", left=n.Expr(kind=Scalar()), right=n.Read(kind=Array()) as read):
            return read
        case _:
            return None


def in_versions(expr: n.Expr, env: Mapping[n.Variable, n.Variable]) -> n.Expr:
    """An expression with the versions that its variables have."""
    kinds = {e.variable: e.kind for e in walk(expr) if isinstance(e, n.Read)}
    return substitute(expr, {v: n.Read(env[v], kind=kinds[v]) for v in reads(expr) if v in env})


def takes(stmt: n.Stmt) -> bool:
    """Whether a line takes a value off a tape, if it was put there."""
    return isinstance(stmt, n.Pop) or (
        isinstance(stmt, n.If) and len(stmt.then) == 1 and isinstance(stmt.then[0], n.Pop)
    )


def is_replayed(info: Version, sweep: Sweep) -> bool:
    """Whether a version is born in a step that is at hand when it is undone, not in a loop within it."""
    united = sweep.united.loop if sweep.united else None
    return bool(info.loops) and (info.loops[-1] in sweep.replayed or info.loops[-1] is united)


def is_in_step(loop: n.Stmt, sweep: Sweep) -> bool:
    """Whether a loop is one whose steps are at hand when they are undone."""
    return loop in sweep.replayed or (sweep.united is not None and loop is sweep.united.loop)


def step_of(stmt: n.Stmt, variable: n.Variable) -> tuple[str, n.Const] | None:
    """How a statement is undone that adds a literal whole number to a variable: the operator, and the number."""
    match stmt:
        case n.Augment(target=n.Read(), op="+" | "-" as op, value=n.Const(value=int()) as step):
            pass
        case n.Assign(
            value=n.Binary(op="+" | "-" as op, left=n.Read(variable=read), right=n.Const(value=int()) as step)
        ) if read is variable:
            pass
        case _:
            return None
    return ("-" if op == "+" else "+"), step


def counted_back(versions: Versions, sweep: Sweep, taped: set[n.Variable]) -> dict[n.Variable, n.Augment]:
    """Whole numbers to which each iteration adds the same, and what undoes that: then they are what they were before.

    A tape of them would hold a number for each iteration. Floats would come back rounded.
    """
    counted: dict[n.Variable, n.Augment] = {}
    for loop, inside in versions.inside.items():
        body = body_of(loop)
        if any(isinstance(s, n.Break | n.Try) for s in statements(body)):
            continue  # it may be left before the number has changed
        for variable in inside.changed_since(versions.before[loop]):
            head = inside[variable]
            kind = sweep.kinds.get(variable)
            info = versions.info[head]
            if (
                head in taped
                and info.birth == "head"
                and info.stmt is loop
                and isinstance(kind, Scalar)
                and kind.python
                and kind.dtype == "int64"
                and len(sets := [s for s in statements(body) if variable in binds(s)]) == 1
                and sets[0] in body
                and versions.final.get(variable) is versions.after[loop].get(variable)
                and not is_in_step(loop, sweep)
                and (step := step_of(sets[0], variable)) is not None
            ):
                counted[head] = n.Augment(n.Read(variable, kind=kind), *step, origin=None)
    return counted


def body_of(loop: n.Stmt) -> list[n.Stmt]:
    """The block of a loop."""
    if not isinstance(loop, n.For | n.While):
        raise TypeError
    return loop.body


def is_one_pass(expr: n.Expr) -> bool:
    """Whether an operation is one pass over arrays: to keep its results takes fresh memory, and as much time."""
    return (
        isinstance(expr, n.Binary)
        and expr.op in ("+", "-", "*")
        and isinstance(expr.kind, Array)
        and bool(expr.kind.rank)
        and all(isinstance(c.kind, Scalar | Array) and isinstance(c, n.Read | n.Const | n.Ref) for c in children(expr))
    )


def is_plain_range(loop: n.Stmt) -> bool:
    """Whether a loop counts through a range whose ends are not literals."""
    match loop:
        case n.For(
            target=n.Read(), iterable=n.Call(func=n.Ref(value=builtins.range), args=args, keywords=()), orelse=[]
        ):
            return not all(isinstance(e, n.Const | n.Unary) for e in args[:2])
        case _:
            return False


def goes_through(place: n.Subscript, loops: tuple[n.Stmt, ...]) -> bool:
    """Whether an item is where the variables of some loops say: `u[i + 1]`, `u[i, j]`, and `u[i, 0]` of a record."""
    counters = {loop.target.variable for loop in loops if isinstance(loop, n.For) and isinstance(loop.target, n.Read)}
    index = place.index
    axes = index_parts(index)

    def counts(axis: n.Expr) -> bool:
        match axis:
            case n.Read(variable=variable):
                return variable in counters
            case n.Binary(op="+" | "-", left=left, right=n.Const()):
                return counts(left)
            case n.Binary(op="+", left=n.Const(), right=right):
                return counts(right)
            case _:
                return False

    if not axes:  # an array without any
        return False
    *first, last = axes
    return all(map(counts, first)) and (counts(last) or (bool(first) and isinstance(last, n.Const)))


def work_of(expr: n.Expr) -> int | None:
    """How many operations it takes to compute a number again, or an item or a view of an array.

    None for what costs more than to put it on a tape and take it off.
    """
    match expr:
        case n.Read() | n.Const():
            return 0
        case n.Subscript(value=value, index=index):
            basic = not any(isinstance(e.kind, Array) for e in walk(index))
            there = isinstance(value.kind, Struct) or isinstance(value, n.Read | n.Subscript | n.Attribute | n.Ref)
            return 1 if basic and there else None  # what lies outside is never written to
        case n.Attribute(name=name):
            return 1 if name in ("T", "shape", "real", "imag") else None
        case _:
            return _work_of_numbers(expr)


def _work_of_numbers(expr: n.Expr) -> int | None:
    """How many operations on numbers an expression takes; None where it has anything else in it."""
    if not isinstance(expr.kind, Scalar):
        return None
    match expr:
        case n.Read() | n.Const() | n.Ref():
            return 0
        case n.Unary(op="-") | n.Binary(op="+" | "-" | "*" | "/"):
            own = 1
        case n.Binary(op="**"):
            own = _WORK_OF_POWER
        case n.Call(keywords=()) if n.object_of(expr.func) is math.sqrt:
            own = _WORK_OF_ROOT
        case _:
            return None
    parts = [_work_of_numbers(c) for c in (expr.args if isinstance(expr, n.Call) else children(expr))]
    return None if None in parts else own + sum(p for p in parts if p is not None)


def work_of_vectors(expr: n.Expr) -> int | None:
    """How many passes over vectors of 64-bit floats an expression takes; None where it has anything else in it."""
    match expr:
        case n.Expr(kind=Scalar()):
            return work_of(expr)
        case n.Read(kind=Array(dtype="float64", rank=1)):
            return 0
        case n.Subscript(kind=Array(dtype="float64", rank=1), index=n.Slice()):
            return None if work_of(expr) is None else 0
        case n.Unary(op="-") | n.Binary(op="+" | "-" | "*" | "/") if (
            isinstance(expr.kind, Array) and (expr.kind.dtype, expr.kind.rank) == ("float64", 1)
        ):
            parts = [work_of_vectors(c) for c in children(expr)]
            return None if None in parts else 1 + sum(p for p in parts if p is not None)
        case _:
            return None
