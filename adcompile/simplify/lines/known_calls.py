"""Calls whose result has a name already: the backward sweep of a sine reads the cosine that the user computed.

    c, s = math.cos(a), math.sin(a)          c, s = math.cos(a), math.sin(a)
    ...                                ->    ...
    a_bar = s_bar * math.cos(a)              a_bar = s_bar * c

>>> import math
>>> from adcompile import grad
>>> def point(a):
...     c = math.cos(a)
...     s = math.sin(a)
...     return c * s * a
>>> print(grad(point).source_for(1.0).partition("# c = math.cos(a)")[2])
<BLANKLINE>
    a_bar = c * s + s_bar * c - c_bar * s
<BLANKLINE>
    return c * s * a, (a_bar,)
<BLANKLINE>
"""

from __future__ import annotations

import math
import types

import numpy as np

from adcompile.analyses.memory.groups import Memory, memory_of
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Scalar, Static
from adcompile.ir.walk import (
    binds,
    blocks,
    bound_in,
    change_expressions,
    expressions,
    of_expression,
    reads,
    rebuild,
    statements,
    walk,
)

_NAMES = ("sin", "cos", "tan", "exp", "sinh", "cosh", "tanh", "sqrt", "log")
_KNOWN = {getattr(home, name): f"{home.__name__}.{name}" for home in (math, np) for name in _NAMES}
_Call = tuple[str, n.Variable]


def known_calls(function: n.Function) -> bool:
    """Put names in place of calls whose results they hold; whether anything changed."""
    calls = [call for s in statements(function.body) for x in expressions(s) for call in _all_known(x)]
    if len(calls) == len(set(calls)) or any(isinstance(s, n.Define) for s in statements(function.body)):
        return False  # a function within it may set a name anew
    return _Work(memory_of(function)).block(function.body, {})


def _known(expr: n.Expr) -> _Call | None:
    """Which function an expression calls, however it is called there, and on what."""
    match expr:
        case n.Call(
            func=n.Expr(kind=Static(value=f)) | n.Ref(value=f),
            args=(n.Read(kind=Scalar() | Array()) as e,),
            keywords=(),
        ) if isinstance(expr.kind, Scalar | Array):
            name = _KNOWN.get(f) if isinstance(f, np.ufunc | types.BuiltinFunctionType) else None
            return None if name is None else (name, e.variable)
        case _:
            return None


@of_expression
def _all_known(expr: n.Expr) -> list[_Call]:
    return [call for e in walk(expr) if (call := _known(e))]


class _Work:
    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def block(self, body: list[n.Stmt], names: dict[_Call, n.Read]) -> bool:
        found = False
        for stmt in body:
            inner = blocks(stmt)
            if inner:
                self.forget(names, set(bound_in([stmt])))
            before = expressions(stmt)
            change_expressions(stmt, lambda e: self.named(e, names))
            found |= any(a is not b for a, b in zip(before, expressions(stmt), strict=True))
            for block in inner:
                found |= self.block(block, dict(names))
            self.forget(names, set(binds(stmt)))
            match stmt:
                case n.Assign(target=target, value=n.Call() as call) if (
                    (key := _known(call)) and key[1] is not target and self.lasts(target, call)
                ):
                    names[key] = n.Read(target, kind=call.kind)
        return found

    def named(self, expr: n.Expr, names: dict[_Call, n.Read]) -> n.Expr:
        if not names:
            return expr
        key = _known(expr)
        known = names.get(key) if key else None
        return known if known is not None else rebuild(expr, lambda e: self.named(e, names))

    def lasts(self, target: n.Variable, call: n.Call) -> bool:
        """Whether nothing changes the result, or what it was computed from, in place."""
        held = {v for e in (call, *call.args) if not isinstance(e.kind, Scalar) for v in (target, *reads(e))}
        return not any(map(self.memory.is_changed, held))

    @staticmethod
    def forget(names: dict[_Call, n.Read], bound: set[n.Variable]) -> None:
        for call, read in list(names.items()):
            if read.variable in bound or call[1] in bound:
                del names[call]
