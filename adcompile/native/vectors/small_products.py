"""Products of a matrix and a vector, for which Numba calls BLAS whatever their size, are loops where they are small.

    y = a @ x           ->     y = matrix_times_vector(a, x)
    y = x @ a.T         ->     y = matrix_times_vector(a, x)
    y = np.dot(x, a)    ->     y = vector_times_matrix(x, a)

The helpers decide by the size when they are called.

>>> from adcompile.ir.show import show
>>> from adcompile.source import FunctionSource
>>> a, x = (n.Read(n.Variable(v), kind=Array("float64", (3,) * rank)) for v, rank in (("a", 2), ("x", 1)))
>>> turned = n.Attribute(a, "T", kind=a.kind)
>>> product = n.Binary("@", x, turned, kind=x.kind)
>>> function = n.Function("f", [], [n.Return(product)], FunctionSource("f", "f.py", "", 1))
>>> small_products(function)
>>> show(function.body)
'return matrix_times_vector@rule(a, x)'
"""

from __future__ import annotations

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.algebra import untransposed
from adcompile.ir.kinds import Array, Kind, Static
from adcompile.ir.make import apply
from adcompile.ir.walk import change_expressions, rebuild, statements
from adcompile.runtime import native as runtime_native


def small_products(function: n.Function) -> None:
    """Have products of matrices and vectors made by helpers that know small ones, in place."""
    for stmt in statements(function.body):
        change_expressions(stmt, _visit)


def _visit(e: n.Expr) -> n.Expr:
    e = rebuild(e, _visit)
    match e:
        case n.Binary(op="@", left=left, right=right):
            return _product(e, left, right)
        case n.Call(func=n.Expr(kind=Static(value=function)), args=(left, right), keywords=()) if (
            function is np.dot or function is np.matmul
        ):
            return _product(e, left, right)
        case _:
            return e


def _product(e: n.Expr, left: n.Expr, right: n.Expr) -> n.Expr:
    if _is_floats(left.kind, 2) and _is_floats(right.kind, 1):
        matrix, vector, first = left, right, True
    elif _is_floats(left.kind, 1) and _is_floats(right.kind, 2):
        matrix, vector, first = right, left, False
    else:
        return e
    inner = untransposed(matrix)
    if inner is not matrix:
        matrix, first = inner, not first
    if first:
        return apply(runtime_native.matrix_times_vector, matrix, vector, kind=e.kind, span=e.span)
    return apply(runtime_native.vector_times_matrix, vector, matrix, kind=e.kind, span=e.span)


def _is_floats(kind: Kind, rank: int) -> bool:
    return isinstance(kind, Array) and kind.dtype == "float64" and kind.rank == rank
