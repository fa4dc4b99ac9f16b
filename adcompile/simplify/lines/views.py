"""Copies that nobody could notice the lack of.

An adjoint that is read off a buffer is copied, since the buffer changes. Where it is used up before that, a view does.

    u_tmp_bar = u_bar[1:-1].copy()              alpha_bar += np.sum(u_bar[1:-1] * u_tmp)
    alpha_bar += np.sum(u_tmp_bar * u_tmp)  ->  u_tmp_bar_1 = alpha * u_bar[1:-1]
    u_tmp_bar_1 = alpha * u_tmp_bar

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> function = read(lambda u: u)
>>> u = n.Read(function.params[0].variable, kind=Array("float64", (3,)))
>>> copied = n.Call(n.Attribute(u, "copy"), (), kind=u.kind)
>>> function.body = [n.Return(n.Binary("*", copied, u, kind=u.kind))]
>>> views(function), show(function.body)
(True, 'return (u * u)')
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TypeGuard

import numpy as np

from adcompile.analyses.memory.effects import keeps
from adcompile.analyses.memory.groups import Memory, memory_of, memory_read
from adcompile.analyses.memory.regions import fresh
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Kind, Scalar, Static
from adcompile.ir.make import method
from adcompile.ir.walk import (
    blocks,
    bound_in,
    change_expressions,
    expressions,
    of_expression,
    read_in,
    reads,
    rebuild,
    set_in,
    statements,
    substitute,
    walk,
)
from adcompile.value_classes import value_class

_MOST = 3  # uses of a view that is written out instead of named
_SHORT = 8  # nodes of a view that may be written more than once
_SINGLE = ("float32", "complex64", "float16")


def views(function: n.Function) -> bool:
    """Remove needless copies in place; whether anything changed."""
    changed = False
    copying = [s for s in statements(function.body) if any(map(_has_copy, expressions(s)))]
    if not copying:
        return False
    for stmt in copying:
        before = [*expressions(stmt)]
        change_expressions(stmt, lambda e: _within(e, used=False))
        if _is_written_through(stmt) and _is_copy(stmt.value):
            stmt.value = _original(stmt.value)  # NumPy minds the overlap
        changed |= any(a is not b for a, b in zip(before, expressions(stmt), strict=True))
    facts = _Facts(function, read_in(function.body), set_in(function.body), memory_of(function))
    return changed | _block(function.body, facts)


@value_class()
class _Facts:
    """What is known of the variables of a function: how often they are read and set, and what changes in place."""

    function: n.Function
    uses: dict[n.Variable, int]
    sets: dict[n.Variable, int]
    memory: Memory

    def is_only_read(self, stmt: n.Assign) -> bool:
        """Whether what a line copies from one name to another stays as it is under both, and is handed on to nobody."""
        copied = _original(stmt.value)
        return (
            isinstance(copied, n.Read)
            and stmt.target.role is n.Role.ADJOINT
            and self.sets[stmt.target] == 1
            and not self.memory.is_changed(stmt.target)
            and not self.memory.is_changed(copied.variable)
            and self.memory.is_alone(stmt.target)
            and not any(
                stmt.target in reads(s.value) for s in statements(self.function.body) if isinstance(s, n.Return)
            )
        )


def _is_written_through(stmt: n.Stmt) -> TypeGuard[n.Store | n.Augment]:
    """Whether a statement puts the elements of its value into an array, rather than the value into a container."""
    match stmt:
        case n.Store(target=n.Subscript(value=holder)):
            return isinstance(holder.kind, Array) and isinstance(stmt.target.kind, Array)
        case n.Augment(target=target):
            return isinstance(target.kind, Array)
        case _:
            return False


def _within(expr: n.Expr, *, used: bool) -> n.Expr:
    """The expression without copies that are operands of something that makes a new value."""
    if used and _is_copy(expr):
        return _within(_original(expr), used=True)
    new = fresh(expr) or isinstance(expr.kind, Scalar)
    call = expr if isinstance(expr, n.Call) else None
    if call is not None and _is_copy(call):
        return rebuild(expr, lambda e: rebuild(e, lambda x: _within(x, used=False)))
    return rebuild(expr, lambda e: _within(e, used=new))


def _is_copy(expr: n.Expr) -> bool:
    """Whether an expression is a copy that may go. In single precision the order shows in which sums go through it."""
    return (
        isinstance(expr, n.Call)
        and isinstance(expr.func, n.Attribute)
        and expr.func.name == "copy"
        and not expr.args
        and not expr.keywords
        and isinstance(expr.func.value.kind, Array)
        and expr.func.value.kind.dtype not in _SINGLE
    )


@of_expression
def _has_copy(expr: n.Expr) -> bool:
    return any(map(_is_copy, walk(expr)))


def _is_own_copy(stmt: n.Assign) -> bool:
    """Whether this is `x_bar = x_bar.copy()`."""
    return _is_copy(stmt.value) and _original(stmt.value) == n.Read(stmt.target)


def _uncopied(expr: n.Expr) -> n.Expr | None:
    """What a copy is of, or the copy that `unbroadcast` is given; None if there is none."""
    match expr:
        case n.Call(func=n.Ref(name="unbroadcast", scope="rule"), args=(copied, shape)) if _is_copy(copied):
            return replace(expr, args=(_original(copied), shape))
        case _:
            return _original(expr) if _is_copy(expr) else None


def _original(expr: n.Expr) -> n.Expr:
    if not isinstance(expr, n.Call) or not isinstance(expr.func, n.Attribute):
        raise TypeError
    return expr.func.value


def _block(body: list[n.Stmt], facts: _Facts) -> bool:
    changed = False
    for k in range(len(body) - 1, 0, -1):
        match body[k - 1], body[k]:
            case n.Assign(target=target, value=value), n.Assign(target=again, value=copied) if (
                target is again
                and _is_copy(copied)
                and isinstance(read := _original(copied), n.Read)
                and read.variable is target
            ):  # made, and copied at once
                body[k - 1 : k + 1] = [n.Assign(target, _owned(value, read.kind), origin=body[k - 1].origin)]
                changed = True
    for k, stmt in reversed(list(enumerate(body))):
        for inner in blocks(stmt):
            changed |= _block(inner, facts)
        if isinstance(stmt, n.Assign) and _is_own_copy(stmt) and not facts.memory.is_changed(stmt.target):
            del body[k]
            changed = True
            continue
        if isinstance(stmt, n.Assign) and _is_copy(stmt.value) and facts.is_only_read(stmt):
            stmt.value = _original(stmt.value)
            changed = True
            continue
        if (
            isinstance(stmt, n.Assign)
            and (view := _uncopied(stmt.value)) is not None
            and stmt.target.role is n.Role.ADJOINT
            and stmt.target.of is not None
            and stmt.target.of.role in (n.Role.TEMPORARY, n.Role.RESULT)
            and facts.sets[stmt.target] == 1
            and not (facts.memory.is_changed(stmt.target) if fresh(stmt.value) else stmt.target in facts.memory.altered)
        ):
            users = _users(body[k + 1 :], stmt.target, view, facts.memory)
            if users is None or sum(_count(s, stmt.target) for s in users) != facts.uses.get(stmt.target, 0):
                continue
            size = len(walk(view))
            if facts.uses.get(stmt.target, 0) <= _MOST and size <= _SHORT:
                written: dict[n.Variable, n.Expr] = {stmt.target: view}
                for user in users:
                    change_expressions(user, partial(substitute, values=written))
                del body[k]
            else:
                stmt.value = view
            changed = True
    return changed


def _owned(value: n.Expr, kind: Kind) -> n.Expr:
    """A value as an array of its own."""
    match value:
        case n.Call(
            func=n.Attribute(value=numpy, kind=Static(value=function)),
            args=(n.Const(value=number), n.Call(args=(n.Read(kind=Array(dtype="float64")) as like,))),
        ) if function is np.broadcast_to and kind == like.kind:
            name, extra = ("ones_like", ()) if number == 1 else ("full_like", (n.Const(number),))
            made = getattr(np, name)
            return n.Call(n.Attribute(numpy, name, kind=Static(made)), (like, *extra), kind=like.kind)
        case _ if fresh(value):
            return value
        case _:
            return n.Call(method(value, "copy"), (), kind=kind)


def _count(stmt: n.Stmt, variable: n.Variable) -> int:
    return sum(isinstance(e, n.Read) and e.variable is variable for expr in expressions(stmt) for e in walk(expr))


def _users(later: list[n.Stmt], variable: n.Variable, view: n.Expr, memory: Memory) -> list[n.Stmt] | None:
    """The statements that read a name while the view that it was copied from still holds the same; None if in doubt."""
    found: list[n.Stmt] = []
    held = memory_read(view)
    for stmt in later:
        inside = [s for b in blocks(stmt) for s in statements(b)]
        if any(variable in reads(e) for s in inside for e in expressions(s)):
            return None
        if any(variable in reads(e) for e in expressions(stmt)):
            put = [stmt.value] if _is_written_through(stmt) else []
            if any(keeps(e, variable) for e in expressions(stmt) if not (e in put and isinstance(e, n.Read))):
                return None
            found.append(stmt)
        if reads(view) & set(bound_in([stmt])) or any(memory.changes(s, held) for s in (stmt, *inside)):
            break
    return found
