"""What the compiler wrote as calls, as people write it about an array.

    np.shape(x)                 x.shape
    np.size(x)                  x.size
    np.expand_dims(g, 1)   ->   g[:, None]
    zero_like(numbers)          [0.0] * len(numbers)

Rules write the calls, since they hold for numbers too, and the other rewrites look for them; so this one comes last.

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> function = read(lambda x: x)
>>> x = n.Read(function.params[0].variable, kind=Array("float64", (2, 3)))
>>> expand_dims = n.Attribute(n.Ref("np", np, "rule"), "expand_dims", kind=Static(np.expand_dims))
>>> shape = n.Attribute(n.Ref("np", np, "rule"), "shape", kind=Static(np.shape))
>>> function.body = [n.Return(n.Display("tuple", (n.Call(expand_dims, (x, n.Const(1))), n.Call(shape, (x,)))))]
>>> spelling(function), show(function.body)
(True, 'return (x[:, None], x.shape)')
"""

from __future__ import annotations

import numpy as np

from adcompile.analyses.typing.lattice import as_sequence
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Kind, Scalar, Sequence, Static
from adcompile.ir.make import len_of
from adcompile.ir.walk import change_expressions, expressions, rebuild, statements


def spelling(function: n.Function) -> bool:
    """Write attributes and indices for calls, in place; whether anything changed."""
    changed = False
    for stmt in statements(function.body):
        before = expressions(stmt)
        change_expressions(stmt, spelled)
        changed |= any(a is not b for a, b in zip(before, expressions(stmt), strict=True))
    return changed


def spelled(expr: n.Expr) -> n.Expr:
    """An expression with attributes and indices for calls."""
    expr = rebuild(expr, spelled)
    match expr:
        case n.Call(
            func=n.Attribute(value=n.Ref(scope="rule"), kind=Static(value=np.shape)),
            args=(n.Expr(kind=Array(dims=dims)) as array,),
            keywords=(),
        ) if dims and not isinstance(array, n.Call | n.Binary):
            return n.Attribute(array, "shape", kind=Sequence(INT, tuple))
        case n.Call(
            func=n.Attribute(value=n.Ref(scope="rule"), kind=Static(value=np.size)),
            args=(n.Expr(kind=Array(dims=dims)) as array, *axis),
            keywords=(),
        ) if dims and not isinstance(array, n.Call | n.Binary):
            if not axis:
                return n.Attribute(array, "size", kind=expr.kind)
            if isinstance(axis[0], n.Const):
                shape = n.Attribute(array, "shape", kind=Sequence(INT, tuple))
                return n.Subscript(shape, axis[0], kind=expr.kind)
            return expr
        case n.Call(
            func=n.Attribute(value=n.Ref(scope="rule"), kind=Static(value=np.expand_dims)),
            args=(n.Expr(kind=Array(dims=dims)) as array, n.Const(value=int() as axis)),
            keywords=(),
        ) if dims and -1 - len(dims) <= axis <= len(dims):
            new = n.Const(None)
            if axis == -1 and len(dims) > 1:
                parts: tuple[n.Expr, ...] = (n.Const(...), new)
            else:
                parts = (*[n.Slice()] * (axis % (len(dims) + 1)), new)
            if isinstance(array, n.Unary):
                inside = n.Call(expr.func, (array.operand, *expr.args[1:]), kind=expr.kind)
                return n.Unary(array.op, spelled(inside), kind=expr.kind)
            return n.Subscript(array, parts[0] if len(parts) == 1 else n.Display("tuple", parts), kind=expr.kind)
        case n.Call(func=n.Ref(name="zero_like", scope="rule"), args=(numbers,)) if _holds_numbers(numbers.kind):
            length = len_of(numbers)
            return n.Binary("*", n.Display("list", (n.Const(0.0),)), length, kind=expr.kind)
        case _:
            return expr


def _holds_numbers(kind: Kind) -> bool:
    """Whether a value is a list or tuple of numbers whose zeros are Python's."""
    match as_sequence(kind, ""):
        case Sequence(item=Scalar(dtype="float64" | "int64"), cls=cls):
            return cls in (list, tuple)
        case _:
            return False
