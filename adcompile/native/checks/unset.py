"""Variables that may be read before they are set: Python raises there, Numba takes them for 0.

    for i in range(n):                      y_is_set = False
        y = x * i                           for i in range(n):
    return y                    ->              y = x * i
                                                y_is_set = True
                                            return when_set(y, y_is_set)

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def f(x, n):
...     for i in range(n):
...         y = x * i
...     return y
>>> function = read(f)
>>> check_set(function)
>>> print(show(function))
def f(x, n):
    <flag y_is_set> = False
    for i in range@builtin(n):
        y = (x * i)
        <flag y_is_set> = True
    return when_set@rule(y, <flag y_is_set>)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Kind, Scalar
from adcompile.ir.make import apply, dtype_of, together
from adcompile.ir.walk import (
    binds,
    blocks,
    bound_in,
    change_expressions,
    expressions,
    read_before_set,
    rebuild,
    statements,
    targets,
    walk,
)
from adcompile.runtime import helpers as runtime

_FLAG = Scalar("bool")
_ZEROS: dict[str, Any] = {"float64": 0.0, "int64": 0, "bool": False, "complex128": 0j}


def check_set(function: n.Function) -> None:
    """Have a function raise where it reads a variable of the user's that is not set."""
    known = {p.variable for p in function.params}
    missing = read_before_set(function.body, known) & set(bound_in(function.body))
    unset = sorted((v for v in missing if v.role is n.Role.USER), key=lambda v: v.born)
    if unset:
        flags = {v: n.Variable(f"{v.name}_is_set", n.Role.FLAG) for v in unset}
        _Checking(flags).block(function.body)
        function.body[:0] = [n.Assign(flag, n.Const(value=False, kind=_FLAG)) for flag in flags.values()]
        function.body[:0] = _first_values(function.body, unset)


def _first_values(body: list[n.Stmt], unset: list[n.Variable]) -> list[n.Stmt]:
    """Zeros for names whose reads stand above all that sets them: Numba knows no such name."""
    seen: set[n.Variable] = set()
    early: dict[n.Variable, Kind] = {}
    for stmt in statements(body):
        for expr in expressions(stmt):
            for e in walk(expr):
                if isinstance(e, n.Read) and e.variable in unset and e.variable not in seen:
                    early.setdefault(e.variable, e.kind)
        seen.update(binds(stmt))
    lines: list[n.Stmt] = []
    for variable, kind in early.items():
        match kind:
            case Scalar(dtype=dtype, python=True) if dtype in _ZEROS:
                lines.append(n.Assign(variable, n.Const(_ZEROS[dtype], kind=kind)))
            case Scalar(certain=str() as dtype):
                lines.append(n.Assign(variable, n.Call(dtype_of(dtype), (n.Const(0, kind=INT),), kind=kind)))
            case Array(dtype=str() as dtype, dims=tuple() as dims):
                shape = together(*[n.Const(0, kind=INT)] * len(dims))
                lines.append(n.Assign(variable, apply(np.zeros, shape, dtype_of(dtype), kind=kind)))
    return lines


class _Checking:
    def __init__(self, flags: dict[n.Variable, n.Variable]) -> None:
        self.flags = flags

    def block(self, body: list[n.Stmt]) -> None:
        made: list[n.Stmt] = []
        for stmt in body:
            if isinstance(stmt, n.Augment) and isinstance(stmt.target, n.Read) and stmt.target.variable in self.flags:
                made.append(n.Evaluate(self.visit(stmt.target), origin=stmt.origin))
            change_expressions(stmt, self.visit)
            for inner in blocks(stmt):
                self.block(inner)
            if isinstance(stmt, n.For):
                stmt.body[:0] = self.set(targets(stmt.target))
            made.append(stmt)
            if not isinstance(stmt, n.For):
                made += self.set(binds(stmt))
        body[:] = made

    def set(self, variables: Iterable[n.Variable]) -> list[n.Stmt]:
        return [n.Assign(self.flags[v], n.Const(value=True, kind=_FLAG)) for v in variables if v in self.flags]

    def visit(self, expr: n.Expr) -> n.Expr:
        match expr:
            case n.Read(variable=variable) if variable in self.flags:
                is_set = n.Read(self.flags[variable], kind=_FLAG)
                called = n.Ref(runtime.when_set.__name__, runtime.when_set, "rule")
                return n.Call(called, (expr, is_set), kind=expr.kind, span=expr.span)
            case _:
                return rebuild(expr, self.visit)
