"""Tests for NaN and infinity, which `fastmath=True` lets Numba take for never true.

>>> from adcompile.frontend import read
>>> def f(x):
...     y = x * 2.0
...     return y if y == y else 0.0
>>> test = tests_of_finiteness(read(f).body)
>>> test.origin.span.line if test else None
3
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Hashable, Iterable

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.walk import expressions, statements, walk

_TESTS = {np.isnan, np.isinf, np.isfinite, np.isposinf, np.isneginf, np.nan_to_num, math.isnan, math.isinf}
_TESTS |= {math.isfinite, cmath.isnan, cmath.isinf, cmath.isfinite}
_TESTS |= {np.nansum, np.nanmean, np.nanmax, np.nanmin, np.nanvar, np.nanstd, np.nanmedian, np.nanprod}
_TESTS |= {np.fmax, np.fmin}


def tests_of_finiteness(body: Iterable[n.Stmt]) -> n.Stmt | None:
    """The first statement that asks whether a number is NaN or infinite; None where there is none."""
    for stmt in statements(body):
        if any(_asks(e) for expr in expressions(stmt) for e in walk(expr)):
            return stmt
    return None


def _asks(expr: n.Expr) -> bool:
    match expr:
        case n.Compare(ops=("==" | "!=",), operands=(left, right)):
            return left == right
        case n.Call():
            called = n.object_of(expr.func)
            return isinstance(called, Hashable) and called in _TESTS
        case _:
            return False
