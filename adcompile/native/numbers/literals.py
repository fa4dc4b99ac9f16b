"""Numbers that NumPy takes for what they are put together with, and Numba does not.

    y = x * 2.0                     y = x * np.float32(2.0)           where x is float32: it stays so
    y = x * k                       y = x.astype(np.float64) * k      where k is an array of int64: NumPy gives float64
    np.broadcast_to(1.0, shape)     np.full(shape, 1.0)               an array like others, not one that is read-only
    owned_like(s_dot, s)            float(s_dot)                      where `s` is a number, of Python's or NumPy's
    owned_like(u_dot, u)            np.broadcast_to(u_dot, np.shape(u)).astype(np.float64)     where it is an array

>>> import numpy as np
>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import Array, Scalar
>>> from adcompile.ir.show import show
>>> function = read(lambda x: x)
>>> x = n.Read(function.params[0].variable, kind=Array("float32", (3,)))
>>> two = n.Const(2.0, kind=Scalar("float64"))
>>> function.body = [n.Return(n.Binary("*", x, two, kind=x.kind))]
>>> literals(function)
>>> show(function.body)
'return (x * np@rule.float32(2.0))'
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Kind, Scalar, Static
from adcompile.ir.make import apply, dtype_of
from adcompile.ir.walk import change_expressions, rebuild, revised, statements
from adcompile.runtime import helpers as runtime

_SMALL = {"float32": np.float32, "float16": np.float16, "complex64": np.complex64}


def literals(function: n.Function) -> None:
    """Write the numbers of a function as what NumPy takes them for."""
    for stmt in statements(function.body):
        change_expressions(stmt, _visit)
        if isinstance(stmt, n.Augment):
            stmt.value = _beside(stmt.value, stmt.target)


def _visit(expr: n.Expr) -> n.Expr:
    expr = rebuild(expr, _visit)
    match expr:
        case n.Binary(left=left, right=right):
            left, right = _beside(left, right), _beside(right, left)
            left, right = _widened((left, right), expr)
            return revised(expr, left=left, right=right)
        case n.Call(args=args, keywords=()) if isinstance(n.object_of(expr.func), np.ufunc):
            return _narrowed(revised(expr, args=_widened(args, expr)))
        case n.Call() if n.object_of(expr.func) in (np.where, np.clip):
            return _narrowed(expr)
        case n.Call(
            func=n.Attribute(value=home, kind=Static(value=np.broadcast_to)),
            args=(n.Expr(kind=Scalar()) as value, shape),
        ):
            own = isinstance(home, n.Ref) and home.scope == "rule"  # and not the user's, who may count with it
            if isinstance(value, n.Const) and type(value.value) is int and own:
                value = revised(value, value=float(value.value))
            return apply(np.full, shape, value, kind=expr.kind, span=expr.span)
        case n.Call(func=n.Ref(value=runtime.owned_like), args=(value, _), kind=Scalar(dtype="float64")):
            return apply(float, value, kind=expr.kind, span=expr.span)
        case n.Call(
            func=n.Ref(value=runtime.owned_like | runtime.own_tangent),
            args=(value, n.Expr(kind=Array(dtype=str() as dtype)) as like),
        ):
            wide = apply(np.broadcast_to, value, apply(np.shape, like), kind=like.kind)
            return revised(as_dtype(wide, dtype), kind=like.kind, span=expr.span)
        case n.Call(func=n.Ref(scope="rule")):
            return _narrowed(expr)  # a helper
        case _:
            return expr


def _narrowed(call: n.Call) -> n.Call:
    """A call that makes what is narrow of arrays and of Python's numbers."""
    if not isinstance(call.kind, Array) or call.kind.dtype not in _SMALL:
        return call
    return revised(call, args=tuple(_as(call.kind.dtype, e) if _is_real(e.kind) else e for e in call.args))


def _is_real(kind: Kind) -> bool:
    """Whether a kind is that of one of Python's numbers, and not of a whole one."""
    return isinstance(kind, Scalar) and {dtype for dtype, python in kind.types if python} == {"float64"}


def _as(dtype: str, number: n.Expr) -> n.Expr:
    return apply(_SMALL[dtype], number, kind=Scalar(dtype, python=False))


def _widened(operands: tuple[n.Expr, ...], whole: n.Expr) -> tuple[n.Expr, ...]:
    """The operands of an operation, the narrow ones as wide as NumPy makes them beside whole numbers."""
    if not isinstance(whole.kind, Array) or whole.kind.dtype not in ("float64", "complex128"):
        return operands
    if {e.kind.dtype for e in operands if isinstance(e.kind, Array | Scalar)} & {"float64", "complex128"}:
        return operands  # Numba widens beside these
    return tuple(
        as_dtype(e, "complex128" if e.kind.dtype == "complex64" else "float64")
        if isinstance(e.kind, Array) and e.kind.dtype in _SMALL
        else e
        for e in operands
    )


def as_dtype(expr: n.Expr, dtype: str) -> n.Expr:
    """An array as one of a dtype."""
    kind = replace(expr.kind, dtype=dtype) if isinstance(expr.kind, Array) else expr.kind
    return n.Call(n.Attribute(expr, "astype"), (dtype_of(dtype),), kind=kind, span=expr.span)


def _beside(expr: n.Expr, other: n.Expr) -> n.Expr:
    """A Python number, with the type that NumPy gives it beside what is narrower."""
    match expr.kind, other.kind:
        case Scalar(dtype="float64" | "int64", python=True), Array(dtype=str() as dtype) if dtype in _SMALL:
            narrow = dtype
        case Scalar(dtype="float64" | "int64", python=True), Scalar(dtype=dtype, python=False) if dtype in _SMALL:
            narrow = dtype
        case _:
            return expr
    return _as(narrow, expr)
