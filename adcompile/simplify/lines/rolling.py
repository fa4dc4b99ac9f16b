"""Loops that comprehensions were written as become comprehensions again, where nothing was added to them.

    squares = []                       squares = [a * a for a in v]
    for a in v:                  ->
        squares.append(a * a)
    total = 0                          total = sum(a * a for a in v)
    for a in v:                  ->
        total += a * a

Loops that the user wrote stay loops: only lines that belong to one statement of the user's are put together.
"""

from __future__ import annotations

from dataclasses import replace

from adcompile.ir import nodes as n
from adcompile.ir.make import apply
from adcompile.ir.walk import (
    binds,
    blocks,
    change_expressions,
    expressions,
    reads,
    statements,
    substitute,
    targets,
    walk,
)

_NO_TEXT = n.Opaque((), (), "")


def roll(function: n.Function) -> bool:
    """Put comprehensions together again, in place; whether there were any."""
    changed = False
    while _block(function.body, function):
        changed = True
    return changed


def _block(body: list[n.Stmt], function: n.Function) -> bool:
    changed = False
    for stmt in body:
        for inner in blocks(stmt):
            changed |= _block(inner, function)
    for k, first in enumerate(body):
        last = _behind(body, k)
        loop = body[last] if last is not None else None
        if not isinstance(first, n.Assign) or not isinstance(loop, n.For) or last is None:
            continue
        made = _rolled(first, loop, function)
        if made is None:
            continue
        own = {v for s in statements([loop]) if isinstance(s, n.For) for v in targets(s.target)}
        if all(_set_before_read(function.body, v, is_set=False) for v in own):
            body[k : last + 1] = [*body[k + 1 : last], n.Assign(first.target, made, origin=first.origin)]
            return True
    return changed


def _behind(body: list[n.Stmt], k: int) -> int | None:
    """Where the loop stands that goes on with a line: right behind it, or behind names for what the loop reads."""
    first = body[k]
    for at in range(k + 1, len(body)):
        stmt = body[at]
        if stmt.origin is not first.origin or not isinstance(first, n.Assign):
            return None
        if isinstance(stmt, n.For):
            return at
        if not isinstance(stmt, n.Assign) or first.target in reads(stmt.value) or stmt.target in reads(first.value):
            return None
    return None


def _uses(stmt: n.Stmt, variable: n.Variable) -> int:
    found = [e for expr in expressions(stmt) for e in walk(expr) if isinstance(e, n.Read | n.Opaque | n.Lambda)]
    return sum(variable in reads(e) for e in found)


def _set_before_read(body: list[n.Stmt], variable: n.Variable, *, is_set: bool) -> bool:
    """Whether a variable is read only where a loop around, or a line before, sets it: never behind a loop over it."""
    for stmt in body:
        if not is_set and any(variable in reads(e) for e in expressions(stmt)):
            return False
        loops = [s for s in statements([stmt]) if isinstance(s, n.For) and variable in set(targets(s.target))]
        again = isinstance(stmt, n.For | n.While) and bool(loops)  # its lines may follow the loop over the variable
        inside = stmt in loops or (is_set and not again)
        if not all(_set_before_read(inner, variable, is_set=inside) for inner in blocks(stmt)):
            return False
        is_set &= not loops
        is_set |= isinstance(stmt, n.Assign | n.Unpack | n.Pop) and variable in set(binds(stmt))
    return True


def _rolled(first: n.Assign, loop: n.For, function: n.Function) -> n.Expr | None:
    """The comprehension that a loop into a fresh list, dict or sum stands for."""
    held = first.target
    clauses: list[n.Clause] = []
    inner: n.Stmt = loop
    while True:
        match inner:
            case n.For(
                target=target, iterable=iterable, body=[n.Assign(target=item, value=value), only], orelse=[]
            ) if item.role in (n.Role.RESULT, n.Role.TEMPORARY) and sum(
                _uses(s, item) for s in statements(function.body)
            ) == 1 == _uses(only, item):
                clauses.append(n.Clause(target, iterable))
                only = replace(only)
                change_expressions(only, lambda e, item=item, value=value: substitute(e, {item: value}))  # type: ignore[misc]
            case n.For(target=target, iterable=iterable, body=[only], orelse=[]):
                clauses.append(n.Clause(target, iterable))
            case n.If(test=test, then=[only], orelse=[]) if clauses:
                last = clauses[-1]
                clauses[-1] = n.Clause(last.target, last.iterable, (*last.conditions, test))
            case _:
                break
        inner = only
    parts = [e for c in clauses for e in (c.iterable, *c.conditions)]

    def free(*exprs: n.Expr) -> bool:
        return all(held not in reads(e) and not _changes(e) for e in (*parts, *exprs))

    match first.value, inner:
        case n.Display(form="list", items=()), n.Evaluate(
            value=n.Call(func=n.Attribute(value=n.Read(variable=variable), name="append"), args=(element,), keywords=())
        ) if variable is held and free(element):
            return n.Comprehension("list", element, tuple(clauses), _NO_TEXT, kind=first.value.kind)
        case n.Mapping(entries=()), n.Store(
            target=n.Subscript(value=n.Read(variable=variable), index=key), value=element
        ) if variable is held and free(key, element):
            return n.Comprehension("dict", element, tuple(clauses), _NO_TEXT, key, kind=first.value.kind)
        case n.Const(value=0), (
            n.Augment(target=n.Read(variable=variable), op="+", value=element)
            | n.Assign(value=n.Binary(op="+", left=n.Read(variable=variable), right=element))
        ) if variable is held and type(first.value.value) is int and held.role is n.Role.RESULT and free(element):
            generator = n.Comprehension("generator", element, tuple(clauses), _NO_TEXT)
            return apply(sum, generator, kind=element.kind)
        case _:
            return None


def _changes(expr: n.Expr) -> bool:
    """Whether an expression may change something: it would be evaluated no differently, but it is not to be read."""
    return any(isinstance(e, n.Named) for e in walk(expr))
