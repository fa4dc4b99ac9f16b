"""What is read from outside: Numba would take a copy of it into the machine code.

What a module of the user's has under a name is read as a name of its own (`params.K` as `K`). So there is one list of
what the machine code was made from: the outside names of its text. They are in its digest, so another process with
another value makes code of its own; and each is watched, so that it is made anew where a name is rebound.

Arrays, and tuples of them, become arguments:

    DATA = np.array(...)                    def f_grad(x, DATA):
                                    ->          return np.sum(x * DATA), ...
    def f_grad(x):
        return np.sum(x * DATA), ...        f_grad(x, DATA)         by whoever calls it

So a change of what the array holds is seen by the next call, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np

from adcompile.errors import JitError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Static
from adcompile.ir.walk import change_expressions, expressions, rebuild, statements, walk
from adcompile.texts.watches import ABSENT, attribute_of, is_library


def of_module(expr: n.Expr) -> n.Expr:
    """What a module of the user's has under a name, read as a name of its own."""
    match expr:
        case n.Attribute(value=n.Ref(value=ModuleType() as module), name=name):
            pass
        case n.Attribute(value=n.Expr(kind=Static(value=ModuleType() as module)), name=name):
            pass
        case _:
            return expr
    found = ABSENT if is_library(module.__name__) else attribute_of(module, name)
    if found is ABSENT:
        return expr
    if name not in vars(module):
        raise JitError(
            f"cannot compile `{module.__name__}.{name}` with Numba",
            span=expr.span,
            reason="The module makes it anew at each look, and machine code would keep what it was.",
            remedy="Pass it as an argument, or leave `jit` out.",
        )
    return n.Ref(name, found, kind=expr.kind, span=expr.span)


def pass_arrays(functions: list[n.Function], main: n.Function) -> list[Any]:
    """Make parameters of what holds arrays outside of functions; what `main` wants, in order."""
    return [ref.value for ref in pass_on(functions, main, _has_arrays)]


def pass_on(functions: list[n.Function], main: n.Function, is_wanted: Callable[[object], bool]) -> list[n.Ref]:
    """Make parameters of some of what functions read from outside; those of `main`, in order, stand last."""
    wanted = {id(f): {id(ref.value): ref for ref in _read_from_outside(f) if is_wanted(ref.value)} for f in functions}
    changed = True
    while changed:  # what a callee wants, its caller must have
        changed = False
        for function in functions:
            own = wanted[id(function)]
            for callee in _callees(function):
                for key, ref in wanted.get(id(callee), {}).items():
                    changed |= key not in own
                    own.setdefault(key, ref)
    for function in functions:
        _Passing(function, wanted).run()
    return list(wanted[id(main)].values())


def _has_arrays(value: object) -> bool:
    """Whether a value is an array, or a tuple with one in it; Numba refuses what else may hold one."""
    return isinstance(value, np.ndarray) or (isinstance(value, tuple) and any(map(_has_arrays, value)))


def _read_from_outside(function: n.Function) -> list[n.Ref]:
    return [
        e
        for stmt in statements(function.body)
        for expr in expressions(stmt)
        for e in walk(expr)
        if isinstance(e, n.Ref)
    ]


def _callees(function: n.Function) -> list[n.Function]:
    return [
        e.func.value
        for stmt in statements(function.body)
        for expr in expressions(stmt)
        for e in walk(expr)
        if isinstance(e, n.Call) and isinstance(e.func, n.Ref) and isinstance(e.func.value, n.Function)
    ]


class _Passing:
    def __init__(self, function: n.Function, wanted: dict[int, dict[int, n.Ref]]) -> None:
        self.function = function
        self.wanted = wanted
        self.names = {key: n.Variable(ref.identifier) for key, ref in wanted[id(function)].items()}

    def run(self) -> None:
        """Add the parameters, and read them."""
        for stmt in statements(self.function.body):
            change_expressions(stmt, self.visit)
        own = self.wanted[id(self.function)]
        # All are passed by position, also those behind a `*` of the user's.
        plain = [replace(p, form="positional", default=None) for p in self.function.params]
        self.function.params = [*plain, *(n.Param(self.names[key]) for key in own)]

    def visit(self, expr: n.Expr) -> n.Expr:
        """An expression with variables in place of the arrays."""
        match expr:
            case n.Ref(value=value) if id(value) in self.names:
                return n.Read(self.names[id(value)], kind=expr.kind, span=expr.span)
            case n.Call(func=n.Ref(value=n.Function() as callee)):
                new = rebuild(expr, self.visit)
                more = self.wanted.get(id(callee), {})
                if isinstance(new, n.Call) and more:
                    passed = tuple(n.Read(self.names[key], kind=ref.kind) for key, ref in more.items())
                    return replace(new, args=(*new.args, *passed))
                return new
            case _:
                return rebuild(expr, self.visit)
