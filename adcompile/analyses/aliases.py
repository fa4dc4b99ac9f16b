"""Whose memory it is: which expressions make a new array, and which variables nobody else can see into."""

from __future__ import annotations

from collections.abc import Sequence as Body

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Kind, Scalar, Sequence, Static, Struct
from adcompile.ir.walk import children, expressions, reads, statements, walk

_FRESH = {
    np.zeros,
    np.ones,
    np.empty,
    np.full,
    np.zeros_like,
    np.ones_like,
    np.empty_like,
    np.full_like,
    np.where,
    np.dot,
    np.outer,
    np.matmul,
    np.inner,
    np.tensordot,
    np.cross,
    np.kron,
    np.concatenate,
    np.stack,
    np.vstack,
    np.hstack,
    np.dstack,
    np.column_stack,
    np.cumsum,
    np.cumprod,
    np.repeat,
    np.tile,
    np.eye,
    np.arange,
    np.linspace,
    np.sort,
    np.copy,
    np.roll,
    np.linalg.solve,
    np.linalg.inv,
    np.float32,
    np.float64,
}
_REDUCTIONS = {np.sum, np.mean, np.prod, np.max, np.min}


def fresh(expr: n.Expr) -> bool:
    """Whether an expression certainly makes an array that nothing else refers to.

    >>> x = n.Read(n.Variable("x"))
    >>> fresh(n.Binary("+", x, x)), fresh(n.Attribute(x, "T"))
    (True, False)
    """
    match expr:
        case n.Binary(left=left, right=right):  # `xs + ys` and `xs * 2` make a new list, of the same arrays
            return not any(map(_holds_arrays, (expr.kind, left.kind, right.kind)))
        case n.Unary() | n.Compare():
            return True
        case n.Call(func=n.Expr(kind=Static(value=np.ufunc() as ufunc)), args=args, keywords=()):
            return len(args) == ufunc.nin
        case n.Call(func=n.Expr(kind=Static(value=function)), args=args, keywords=keywords):
            if function in _REDUCTIONS:  # without an axis, the sum of an array of one axis less is the array itself
                return len(args) + len(keywords) > 1 or not isinstance(expr.kind, Array)
            return function in _FRESH
        case n.Call(func=n.Attribute(value=value, name="copy" | "astype" as name), args=args, keywords=()):
            return isinstance(value.kind, Array) and len(args) == (name == "astype")
        case _:
            return False


def _holds_arrays(kind: Kind) -> bool:
    """Whether a kind is that of a list of anything but numbers."""
    match kind:
        case Sequence(item=item):
            return not isinstance(item, Scalar)
        case Struct(items=items):
            return not all(isinstance(item, Scalar) for item in items)
        case _:
            return False


def escapes(expr: n.Expr, variable: n.Variable, *, top: bool = True) -> bool:
    """Whether evaluating an expression may make another holder of a variable's array."""
    match expr:
        case n.Read():
            return top and expr.variable is variable
        case n.Binary(left=a, right=b):
            return escapes(a, variable, top=False) or escapes(b, variable, top=False)
        case n.Unary(operand=a):
            return escapes(a, variable, top=False)
        case n.Compare(operands=operands):
            return any(escapes(e, variable, top=False) for e in operands)
        case n.Subscript(value=n.Read(), kind=Scalar()):
            return False
        case n.Subscript(value=value) | n.Attribute(value=value) if isinstance(value.kind, Array) and not top:
            return escapes(value, variable, top=False)
        case n.Call(args=args, keywords=keywords) if fresh(expr) or isinstance(expr.kind, Scalar):
            return any(escapes(e, variable, top=False) for e in (*args, *(v for _, v in keywords)))
        case n.Call(func=func, args=args, keywords=keywords) if not top and _is_of_numpy(n.object_of(func)):
            return any(escapes(e, variable, top=False) for e in (*args, *(v for _, v in keywords)))  # a view, used up
        case n.Lambda() | n.Opaque():
            return variable in reads(expr)
        case _:
            return not isinstance(expr.kind, Scalar) and any(escapes(e, variable) for e in children(expr))


def _is_of_numpy(function: object) -> bool:
    """Whether this is a function of NumPy's, which keeps nothing that it is given."""
    return str(getattr(function, "__module__", "")).partition(".")[0] == "numpy"


def _adds_at(call: n.Call) -> bool:
    """Whether this is `np.add.at(buffer, index, amount)`, which keeps hold of nothing."""
    return isinstance(call.func, n.Attribute) and call.func.name == "at"


def private(variable: n.Variable, body: Body[n.Stmt], *, at_the_end: bool = False) -> bool:
    """Whether every array that a variable of a generated function holds belongs to it alone.

    At the end of the function, what temporaries hold is nobody's any more.
    """
    for stmt in statements(body):
        match stmt:
            case n.Assign(target=target, value=value) if target is variable:
                if not fresh(value) and not isinstance(value.kind, Scalar):
                    return False
            case n.Pop(target=target) if target is variable:
                return False
            case n.Unpack() | n.For() if any(
                isinstance(e, n.Read) and e.variable is variable
                for e in walk(stmt.pattern if isinstance(stmt, n.Unpack) else stmt.target)
            ):
                return False
            case _:
                pass
        if isinstance(stmt, n.Return | n.If | n.While | n.Assert):
            continue
        if isinstance(stmt, n.Evaluate) and isinstance(stmt.value, n.Call) and _adds_at(stmt.value):
            if any(escapes(e, variable, top=False) for e in stmt.value.args[1:]):
                return False
            continue
        if isinstance(stmt, n.Store | n.Augment):
            if any(escapes(e, variable, top=False) for e in (stmt.value,)):
                return False
            continue
        if any(escapes(e, variable) for e in expressions(stmt)) and not (at_the_end and _is_gone(stmt, body)):
            return False
    return True


def _is_gone(stmt: n.Stmt, body: Body[n.Stmt]) -> bool:
    """Whether a statement does nothing but set a temporary that is handed on to nobody."""
    return (
        isinstance(stmt, n.Assign)
        and stmt.target.role is n.Role.ADJOINT
        and not any(escapes(e, stmt.target) for s in statements(body) for e in expressions(s))
    )
