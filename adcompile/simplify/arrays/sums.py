"""Factors taken out of a sum over an axis that they lack, and axes that a sum keeps for nothing.

>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import Extent
>>> from adcompile.ir.show import show
>>> function = read(lambda x, y: x)
>>> rows, columns = Extent("x.0"), Extent("x.1")
>>> x, y = (n.Read(p.variable) for p in function.params)
>>> x, y = replace(x, kind=Array("float64", (rows, columns))), replace(y, kind=Array("float64", (columns,)))
>>> np_sum = n.Attribute(n.Ref("np", np, "rule"), "sum", kind=Static(np.sum))
>>> total = n.Call(np_sum, (n.Binary("*", x, y, kind=x.kind),), (("axis", n.Const(0)),), kind=y.kind)
>>> print(show([n.Evaluate(factored(total))]))
(np@rule.sum(x, axis=0) * y)

A sum of many products is one product per item; with the factor outside it is one per sum. The sum of the rows of a
matrix product takes one row times the matrix: `np.sum(a @ b, axis=0)` becomes `np.sum(a, axis=0) @ b`. Of
`np.sum(a, axis=1, keepdims=True)[:, 0]` the axis goes at once: `np.sum(a, axis=1)`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.indices import index_parts, is_ellipsis
from adcompile.ir.kinds import Array, Kind, Scalar, Static
from adcompile.ir.walk import of_expression, rebuild

_OF_A_PLAIN_SUM = {"axis", "keepdims"}  # with `initial`, what the sum begins with would be multiplied as well


@of_expression
def factored(expr: n.Expr) -> n.Expr:
    """An expression with the factors that do not vary along the axes of a sum outside of it."""
    expr = rebuild(expr, factored)
    match expr:
        case n.Call(func=n.Attribute(kind=Static(value=function)), args=(product,), keywords=keywords) if (
            function is np.sum and isinstance(product.kind, Array) and {name for name, _ in keywords} <= _OF_A_PLAIN_SUM
        ):
            leading = _leading(keywords)
            inside, outside = _split(product, leading)
            if outside and isinstance(inside.kind, Array) and inside.kind.dims is not None:
                kind = replace(inside.kind, dims=inside.kind.dims[leading:]) if leading else expr.kind
                return _around(replace(expr, args=(inside,), kind=kind), outside, expr)
        case n.Subscript(value=n.Call(args=(array,), keywords=keywords) as total, index=index) if (
            _kept_axes(total) is not None and _picked_axes(index, array.kind) == _kept_axes(total)
        ):
            return replace(total, keywords=tuple(k for k in keywords if k[0] != "keepdims"), kind=expr.kind)
        case n.Subscript(value=n.Unary(op="-", operand=n.Call() as total) as negative) if _kept_axes(total) is not None:
            return replace(negative, operand=factored(replace(expr, value=total)), kind=expr.kind)
    return expr


def _kept_axes(total: n.Call) -> set[int] | None:
    """The axes that a sum over some axes keeps with length 1."""
    given = dict(total.keywords)
    match total.func, total.args, given.get("axis"), given.get("keepdims"):
        case (
            n.Attribute(kind=Static(value=np.sum)),
            (n.Expr(kind=Array(dims=tuple() as dims)),),
            n.Const() | n.Display(form="tuple") as axes,
            n.Const(value=True),
        ) if given.keys() <= _OF_A_PLAIN_SUM:
            items = axes.items if isinstance(axes, n.Display) else (axes,)
            found = [e.value for e in items if isinstance(e, n.Const) and isinstance(e.value, int)]
            return {axis % len(dims) for axis in found} if dims and len(found) == len(items) else None
        case _:
            return None


def _picked_axes(index: n.Expr, kind: Kind) -> set[int] | None:
    """The axes of which an index takes the first item, if it leaves all others whole."""
    parts = [*index_parts(index)]
    if not isinstance(kind, Array) or kind.dims is None or len(parts) > len(kind.dims) + 1:
        return None
    rest = [k for k, p in enumerate(parts) if is_ellipsis(p)]
    if len(rest) > 1:
        return None
    missing: list[n.Expr] = [n.Slice()] * (len(kind.dims) - len(parts) + len(rest))
    at = rest[0] if rest else len(parts)
    parts[at : at + len(rest)] = missing
    first = [isinstance(p, n.Const) and p.value == 0 and p.value is not False for p in parts]
    whole = all(is_first or p == n.Slice() for is_first, p in zip(first, parts, strict=True))
    return {k for k, is_first in enumerate(first) if is_first} if whole else None


def _leading(keywords: tuple[tuple[str | None, n.Expr], ...]) -> int:
    """How many axes a sum takes away, if they are the first ones; else 0."""
    if [name for name, _ in keywords] != ["axis"]:
        return 0
    match keywords[0][1]:
        case n.Const(value=0):
            return 1
        case n.Display(form="tuple", items=items) if items and all(
            isinstance(e, n.Const) and e.value == k for k, e in enumerate(items)
        ):
            return len(items)
        case _:
            return 0


Factors = list[tuple[str, n.Expr]]


def _split(expr: n.Expr, leading: int) -> tuple[n.Expr, Factors]:
    """What has to stay in the sum, and what multiplies or divides it from outside."""
    match expr:
        case n.Unary(op="-", operand=operand):
            inside, outside = _split(operand, leading)
            return inside, [("-", operand), *outside]
        case n.Binary(op="*", left=left, right=right) if _lacks(left, right, leading):
            inside, outside = _split(right, leading)
            return inside, [*outside, ("*", left)]
        case n.Binary(op="*" | "/" as op, left=left, right=right) if _lacks(right, left, leading):
            inside, outside = _split(left, leading)
            return inside, [*outside, (op, right)]
        case n.Binary(op="@", left=left, right=right) if leading == 1 and _are_matrices(left, right):
            inside, outside = _split(left, leading)
            return inside, [*outside, ("@", right)]
        case n.Binary(op="*" | "/", left=n.Unary(op="-", operand=operand)):
            return replace(expr, left=operand), [("-", operand)]
        case _:
            return expr, []


def _lacks(factor: n.Expr, rest: n.Expr, leading: int) -> bool:
    """Whether a factor has none of the leading axes of the rest, so that each of its items meets whole sums."""
    match factor.kind, rest.kind:
        case Array(dtype=a, dims=own), Array(dtype=b, dims=whole) if own is not None and whole is not None:
            return 0 < leading <= len(whole) - len(own) and a == b and (a or "")[:1] == "f"
        case Scalar(certain=dtype), Array(dtype=b):
            return dtype == b == "float64"
        case _:
            return False


def _are_matrices(left: n.Expr, right: n.Expr) -> bool:
    """Whether both are matrices of floats: the sum of the rows of a product is the sum of the rows times the other."""
    return all(
        isinstance(e.kind, Array) and e.kind.rank == 2 and (e.kind.dtype or "")[:1] == "f" for e in (left, right)
    )


def _around(total: n.Call, outside: Factors, whole: n.Call) -> n.Expr:
    result: n.Expr = total
    for op, factor in outside:
        kind = whole.kind if op == "@" else result.kind
        result = n.Unary("-", result, kind=kind) if op == "-" else n.Binary(op, result, factor, kind=kind)
    return result
