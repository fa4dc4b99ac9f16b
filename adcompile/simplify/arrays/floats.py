"""Derivatives in floats, where whole numbers are given for reals: of an array that holds ints, they are no ints.

An array of `np.full(3, n)` is one of ints if `n` is 2, and for the compiler one of reals.

>>> import numpy as np
>>> from adcompile import grad
>>> def f(n):
...     a = np.full(3, n)
...     b = a * n
...     b[0] = 1.0
...     return np.sum(a * b)
>>> print(grad(f).source_for(2).partition("# return np.sum(a * b)")[2].partition("# b = a * n")[0])
<BLANKLINE>
    b_bar = a.astype(np.float64)
    # b[0] = 1.0
    b_bar[0] = 0.0
<BLANKLINE>
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adcompile.analyses.memory.groups import memory_of
from adcompile.analyses.memory.regions import fresh
from adcompile.ir import nodes as n
from adcompile.ir.algebra import uncopied
from adcompile.ir.kinds import Array, Static
from adcompile.ir.make import NP
from adcompile.ir.walk import change_expressions, rebuild, statements
from adcompile.runtime import helpers as runtime

_FLOAT = n.Attribute(NP, "float64", kind=Static(np.float64))


def in_floats(function: n.Function) -> None:
    """Make zeros, and arrays that are changed in place, of floats, where they belong to derivatives."""
    memory = memory_of(function)
    for stmt in statements(function.body):
        change_expressions(stmt, _zeros)
        if (
            isinstance(stmt, n.Assign)
            and stmt.target.role in (n.Role.ADJOINT, n.Role.TANGENT)
            and isinstance(stmt.value.kind, Array)
            and stmt.value.kind.dtype == "float64"
            and fresh(stmt.value)
            and not _is_zeros(stmt.value)
            and not _is_zero_like(stmt.value)
            and memory.is_changed(stmt.target)
        ):
            stmt.value = n.Call(n.Attribute(uncopied(stmt.value), "astype"), (_FLOAT,), kind=stmt.value.kind)


def _zeros(expr: n.Expr) -> n.Expr:
    """An expression whose zeros, where they are the compiler's, are floats."""
    expr = rebuild(expr, _zeros)
    if not isinstance(expr, n.Call) or not _is_zeros(expr) or expr.keywords:
        return expr
    return replace(expr, keywords=(("dtype", _FLOAT),))


def _is_zeros(expr: n.Expr) -> bool:
    match expr:
        case n.Call(func=n.Attribute(value=n.Ref(scope="rule"), kind=Static(value=function)), kind=Array(dtype=dtype)):
            return function is np.zeros_like and dtype == "float64"
        case _:
            return False


def _is_zero_like(expr: n.Expr) -> bool:
    """Whether it is the zero of what may have no value yet: of floats in any case."""
    return isinstance(expr, n.Call) and n.object_of(expr.func) is runtime.zero_like
