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
from adcompile.ir.kinds import FLOAT, Array, Scalar, Sequence, Static, Struct, within
from adcompile.ir.make import NP, apply
from adcompile.ir.walk import change_expressions, reads, rebuild, statements
from adcompile.runtime import helpers as runtime

_FLOAT = n.Attribute(NP, "float64", kind=Static(np.float64))
_COMPLEX = n.Attribute(NP, "complex128", kind=Static(np.complex128))
_DERIVATIVES = (n.Role.ADJOINT, n.Role.TANGENT)
_FILES = ("complex", "decompositions", "gradients", "linalg", "polynomials", "products", "reductions", "statistics")
_OF_RULES = {f"adcompile.runtime.{name}" for name in _FILES}


def in_floats(function: n.Function) -> None:
    """Make zeros, and arrays that are changed in place, of floats, where they belong to derivatives."""
    memory = memory_of(function)
    for stmt in statements(function.body):
        change_expressions(stmt, _zeros)
        change_expressions(stmt, _operands)
        if isinstance(stmt, n.Assign | n.Augment) and _of_derivatives(stmt):
            stmt.value = _dtypes(stmt.value)
        if (
            isinstance(stmt, n.Assign)
            and stmt.target.role in _DERIVATIVES
            and isinstance(kind := stmt.value.kind, Array)
            and kind.dtype in ("float64", None)
            and fresh(stmt.value)
            and not _is_zeros(stmt.value)
            and not _is_zero_like(stmt.value)
            and memory.is_changed(stmt.target)
        ):
            whole = uncopied(stmt.value)
            if kind.dtype is None:  # single precision or complex, maybe, and stays that
                stmt.value = n.Binary("+", whole, n.Const(0.0, kind=FLOAT), kind=kind)
            else:
                stmt.value = n.Call(n.Attribute(whole, "astype"), (_FLOAT,), kind=kind)


def makes_eigenvalues(expr: n.Expr) -> bool:
    """Whether it makes an array that is complex for the compiler, and real where its items turn out to be."""
    function = n.object_of(expr.func) if isinstance(expr, n.Call) else None
    return any(function is one for one in (np.linalg.eigvals, np.linalg.eig, np.roots))


def in_complex(function: n.Function) -> None:
    """Make zeros complex where the array that they are like is one for the compiler, and may turn out to be real."""
    for stmt in statements(function.body):
        change_expressions(stmt, _complex_zeros)


def _complex_zeros(expr: n.Expr) -> n.Expr:
    expr = rebuild(expr, _complex_zeros)
    if not isinstance(expr, n.Call) or not _is_zeros(expr, "complex128") or expr.keywords:
        return expr
    return replace(expr, keywords=(("dtype", _COMPLEX),))


def _zeros(expr: n.Expr) -> n.Expr:
    """An expression whose zeros, where they are the compiler's, are floats."""
    expr = rebuild(expr, _zeros)
    if not isinstance(expr, n.Call) or not _is_zeros(expr) or expr.keywords:
        return expr
    return replace(expr, keywords=(("dtype", _FLOAT),))


def _operands(expr: n.Expr) -> n.Expr:
    """An expression in which the functions of rules are given floats: some make arrays like what they are given."""
    expr = rebuild(expr, _operands)
    if not isinstance(expr, n.Call) or getattr(n.object_of(expr.func), "__module__", "") not in _OF_RULES:
        return expr
    return replace(expr, args=tuple(_in_floats(e) if _may_be_ints(e) else e for e in expr.args))


def _in_floats(array: n.Expr) -> n.Expr:
    return apply(np.asarray, array, _FLOAT, kind=array.kind)


def _may_be_ints(expr: n.Expr) -> bool:
    """Whether it is an array or a list of the function's own, and not of derivatives."""
    read = reads(expr)
    if not read or any(v.role in _DERIVATIVES for v in read):
        return False
    if isinstance(expr, n.Call) and n.object_of(expr.func) is np.array and _FLOAT in expr.args:
        return False
    if isinstance(expr.kind, Array):
        return expr.kind.dtype == "float64"
    parts = within(expr.kind)
    return (
        isinstance(expr.kind, Sequence | Struct)
        and all(isinstance(kind, Scalar | Sequence | Struct) for kind in parts)  # else it is no array
        and any(isinstance(kind, Scalar) and kind.may_be_whole for kind in parts)
    )


def _of_derivatives(stmt: n.Assign | n.Augment) -> bool:
    targets = {stmt.target} if isinstance(stmt, n.Assign) else reads(stmt.target)
    return any(v.role in _DERIVATIVES for v in targets)


def _dtypes(expr: n.Expr) -> n.Expr:
    """An expression in which a dtype that is read off an array is that of floats."""
    expr = rebuild(expr, _dtypes)
    is_dtype = isinstance(expr, n.Attribute) and expr.name == "dtype" and _may_be_ints(expr.value)
    return _FLOAT if is_dtype else expr


def _is_zeros(expr: n.Expr, of: str = "float64") -> bool:
    match expr:
        case n.Call(func=n.Attribute(value=n.Ref(scope="rule"), kind=Static(value=function)), kind=Array(dtype=dtype)):
            return function is np.zeros_like and dtype == of
        case _:
            return False


def _is_zero_like(expr: n.Expr) -> bool:
    """Whether it is the zero of what may have no value yet, or a copy of one: of floats in any case."""
    function = n.object_of(expr.func) if isinstance(expr, n.Call) else None
    return function is runtime.zero_like or function is runtime.copy_like
