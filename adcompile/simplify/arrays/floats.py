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
from adcompile.ir.walk import bound_in, change_expressions, children, reads, rebuild, statements
from adcompile.runtime import helpers as runtime

_FLOAT = n.Attribute(NP, "float64", kind=Static(np.float64))
_COMPLEX = n.Attribute(NP, "complex128", kind=Static(np.complex128))
_DERIVATIVES = (n.Role.ADJOINT, n.Role.TANGENT)
_FILES = ("complex", "decompositions", "gradients", "linalg", "polynomials", "products", "reductions", "statistics")
_OF_RULES = {f"adcompile.runtime.{name}" for name in _FILES}


def in_floats(function: n.Function, *, is_main: bool = False) -> None:
    """Make arrays of derivatives of floats, where all that they are made of may be ints.

    The parameters of the main function are what they are by their kinds; those of others may hold ints.
    """
    memory = memory_of(function)
    bound = set(bound_in(function.body))
    given = {p.variable for p in function.params} - bound if is_main else set()
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
            and (kind.dims is not None or not _may_be_list(stmt.value))
            and (fresh(stmt.value) or all(map(_is_computed, reads(stmt.value))))  # else it may be a buffer
            and not _is_of_floats(stmt.value, given)
        ):
            stmt.value = _of_floats(stmt.value, is_changed=memory.is_changed(stmt.target))


def _is_computed(variable: n.Variable) -> bool:
    """Whether a variable holds what the function itself computes."""
    if variable.role is n.Role.KEPT and variable.of is not None:
        return _is_computed(variable.of)
    return variable.role in (n.Role.USER, n.Role.TEMPORARY)


def _of_floats(value: n.Expr, *, is_changed: bool) -> n.Expr:
    """An array made one of floats; what is single precision or complex stays that."""
    if is_changed and fresh(value) and isinstance(value.kind, Array) and value.kind.dtype == "float64":
        return n.Call(n.Attribute(uncopied(value), "astype"), (_FLOAT,), kind=value.kind)
    match value:
        case n.Binary(op="*", left=left):
            return replace(value, left=_of_floats(left, is_changed=False))
        case _:
            return n.Binary("*", n.Const(1.0, kind=FLOAT), uncopied(value), kind=value.kind)


def _may_be_list(value: n.Expr) -> bool:
    """Whether what may be an array of any rank may be a list, too: what a helper makes of items."""
    function = n.object_of(value.func) if isinstance(value, n.Call) else None
    is_helper = getattr(function, "__module__", "").startswith("adcompile.runtime")
    return is_helper and function not in (runtime.real_like, runtime.unbroadcast)


def _is_of_floats(expr: n.Expr, given: set[n.Variable]) -> bool:
    """Whether an expression is certainly no whole number, and no array of such."""
    match expr:
        case n.Const(value=value):
            return isinstance(value, float | complex)
        case n.Read(variable=variable, kind=kind):
            return isinstance(kind, Array) and (variable.role in _DERIVATIVES or variable in given)
        case n.Binary(op="/"):
            return True
        case n.Attribute(name="real" | "T" | "mT", value=value):
            return _is_of_floats(value, given)
        case n.Subscript(value=value):
            return _is_of_floats(value, given)
        case n.Call(func=func, args=args):
            function = n.object_of(func)
            if function in (runtime.zero_like, runtime.copy_like) or _is_zeros(expr) or _FLOAT in args:
                return True
            receiver = [func.value] if isinstance(func, n.Attribute) and function is None else []
            return any(_is_of_floats(e, given) for e in (*receiver, *args) if isinstance(e.kind, Scalar | Array))
        case n.Binary() | n.Unary() | n.Conditional():
            return any(_is_of_floats(e, given) for e in children(expr))
        case _:
            return False


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
