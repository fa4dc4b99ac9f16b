"""Copies and literals: a name that only repeats another, or a number, is replaced by it.

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def twice(x):
...     t = x
...     u = 2.0
...     return t * u
>>> function = read(twice)
>>> for name in ("t", "u"):
...     function.locals[name].role = n.Role.TEMPORARY
>>> copies(function)
True
>>> print(show(function))
def twice(x):
    <temporary t> = x
    <temporary u> = 2.0
    return (x * 2.0)

The lines that nobody reads any more go in `dead.py`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Static
from adcompile.ir.walk import binds, bound_in, change_expressions, reads, substitute, targets, walk

Env = dict[n.Variable, n.Expr]
_KEEP = {n.Role.USER, n.Role.COUNT}


def copies(function: n.Function) -> bool:
    """Propagate copies in place; whether anything changed."""
    work = _Copies()
    work.block(function.body, {})
    return work.changed


class _Copies:
    def __init__(self) -> None:
        self.changed = False
        self.named_by: dict[n.Variable, list[n.Variable]] = {}  # what names stand for something that reads a variable

    def block(self, body: list[n.Stmt], env: Env) -> Env:
        for stmt in body:
            env = self.statement(stmt, env)
        return env

    def use(self, expr: n.Expr, env: Env) -> n.Expr:
        found = {v: env[v] for v in reads(expr) if v in env}
        if not found or any(isinstance(e, n.Lambda) and set(found) & set(e.function.captures) for e in walk(expr)):
            return expr
        if any(isinstance(e, n.Opaque) for e in walk(expr)):
            found = {v: e for v, e in found.items() if isinstance(e, n.Read)}
            if not found:
                return expr
        kinds = {e.variable: e.kind for e in walk(expr) if isinstance(e, n.Read)}
        found = {v: replace(e, kind=kinds.get(v, e.kind)) if isinstance(e, n.Read) else e for v, e in found.items()}
        self.changed = True
        return substitute(expr, found)

    def statement(self, stmt: n.Stmt, env: Env) -> Env:
        if isinstance(stmt, n.While):
            env = _without(env, set(bound_in([stmt])))
        if not env:
            pass
        elif not isinstance(stmt, n.Store | n.Augment):
            change_expressions(stmt, lambda e: self.use(e, env))
        else:
            stmt.value = self.use(stmt.value, env)
            if isinstance(stmt.target, n.Subscript):
                stmt.target = replace(stmt.target, index=self.use(stmt.target.index, env))
        match stmt:
            case n.If():
                first = self.block(stmt.then, dict(env))
                second = self.block(stmt.orelse, dict(env))
                return {v: e for v, e in first.items() if second.get(v) == e and type(second.get(v)) is type(e)}
            case n.Try():
                bound = set(bound_in([stmt]))
                caught = _without(env, bound)
                self.block(stmt.orelse, self.block(stmt.body, dict(env)))
                for handler in stmt.handlers:
                    self.block(handler.body, dict(caught))
                self.block(stmt.final, dict(caught))
                return caught
            case n.With():
                return self.block(stmt.body, dict(_without(env, set(binds(stmt)))))
            case n.For() | n.While():
                inside = _without(
                    env, set(bound_in(stmt.body)) | (set(targets(stmt.target)) if isinstance(stmt, n.For) else set())
                )
                self.block(stmt.body, dict(inside))
                return inside
            case _:
                if env:
                    self.forget(env, binds(stmt))
                if isinstance(stmt, n.Assign) and stmt.target.role not in _KEEP and _is_copy(stmt):
                    env[stmt.target] = stmt.value
                    for variable in reads(stmt.value):
                        self.named_by.setdefault(variable, []).append(stmt.target)
                return env

    def forget(self, env: Env, bound: list[n.Variable]) -> None:
        """Take out what a statement sets, and what stands for an expression that reads it."""
        for variable in bound:
            env.pop(variable, None)
            for name in self.named_by.get(variable, ()):
                if name in env and variable in reads(env[name]):
                    del env[name]


def _is_copy(stmt: n.Assign) -> bool:
    match stmt.value:
        case n.Read(variable=variable):
            # `u_bar = v_bar` stays: that the adjoint of `u` is that of `v` is what the reader wants to see.
            return variable is not stmt.target and not is_named(stmt.target)
        case n.Const(value=value):
            return type(value) in (int, float)
        case n.Call(
            func=n.Attribute(kind=Static(value=function)), args=(n.Const(), n.Call(args=(n.Read(),))), keywords=()
        ):
            # a stretched number: whatever it meets will stretch it again
            return function is np.broadcast_to and not is_named(stmt.target)
        case _:
            return False


def is_named(variable: n.Variable) -> bool:
    """Whether a variable is the adjoint or tangent of one that the user named."""
    return (
        variable.role in (n.Role.ADJOINT, n.Role.TANGENT)
        and variable.of is not None
        and variable.of.role is n.Role.USER
    )


def _without(env: Env, bound: set[n.Variable]) -> Env:
    if not bound:
        return env
    return {v: e for v, e in env.items() if v not in bound and not reads(e) & bound}
