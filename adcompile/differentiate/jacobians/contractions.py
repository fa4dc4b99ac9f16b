"""Products of a matrix with a sum of tangents times factors: factors meet the matrix first, where that is less work.

A matrix, and a factor, has no axis of directions. So where a part of the sum is stretched along the axis that the
product sums over, or along the other one, its factor meets the matrix, and all directions only meet the result.

    A @ (v_dot * F)                  ->    v_dot * (A @ F)                                   v: a number for each column
    A @ (u_dot[:, None] * w)         ->    (A @ u_dot)[:, None] * w                          u: one for each row
    A @ (u_dot[:, None] * F)         ->    np.tensordot(A[:, None] * F.T, u_dot, 1)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile.differentiate.jacobians.terms import Term, product_kind, raised
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Dim, Kind, Scalar
from adcompile.ir.make import apply

if TYPE_CHECKING:
    from adcompile.differentiate.jacobians.linear_calls import Work


def contracted(
    work: Work, matrix: n.Expr, parts: list[Term], few: Callable[[Dim], bool]
) -> tuple[list[Term], list[Term]] | None:
    """The product of a matrix or vector with a sum of tangents of matrices: what its parts become, and those that stay.

    None where all stay, or where one may be stretched along the axis that is summed over. `few`: whether a length is at
    most the number of directions.
    """
    dims = matrix.kind.dims if isinstance(matrix.kind, Array) else None
    if dims is None or not 1 <= len(dims) <= 2:
        return None
    made: list[Term] = []
    rest: list[Term] = []
    for part in parts:
        dot = _rows_and_columns(part.dot.kind)
        factor = _rows_and_columns(part.coefficient().kind)
        if dot is None or factor is None or (dot[0], factor[0]) not in ((dims[-1],) * 2, (dims[-1], 1), (1, dims[-1])):
            return None
        new = _contracted(work, matrix, part, few(dims[0]))
        (rest if new is None else made).append(new or part)
    return (made, rest) if made else None


def _rows_and_columns(kind: Kind) -> tuple[Dim, Dim] | None:
    """The lengths of the two axes that an expression has, or would be stretched to have."""
    match kind:
        case Scalar():
            return 1, 1
        case Array(dims=tuple() as dims) if len(dims) <= 2:
            rows, columns = (1, 1, *dims)[-2:]
            return rows, columns
        case _:
            return None


def _contracted(work: Work, matrix: n.Expr, part: Term, few: bool) -> Term | None:  # noqa: FBT001 - a fact
    """A part of the sum, multiplied by the matrix; None where all directions have to meet the matrix as they are."""
    factor, dims = part.coefficient(), matrix.kind.dims or () if isinstance(matrix.kind, Array) else ()
    is_matrix = isinstance(factor.kind, Array) and factor.kind.rank == 2
    vector = part.dot.value if isinstance(part.dot, n.Subscript) and part.dot == raised(part.dot.value) else None
    if is_matrix and (work.rank(part.dot) or 0) < 2:
        whole = n.Binary("@", matrix, factor, kind=Array("float64", (*dims[:-1], *_tail(factor.kind))))
        return Term(part.dot, whole, None, len(dims), part.negative)
    if vector is None or part.is_bare:
        return None
    if not is_matrix:
        made = n.Binary("@", matrix, vector, kind=Array("float64", dims[:-1]) if dims[1:] else Scalar("float64"))
        return replace(part, dot=raised(made) if dims[1:] else made, reads=0)
    rows, other = raised(matrix), _turned(factor) if dims[1:] else factor
    weights = n.Binary("*", rows, other, kind=product_kind(rows, other))
    kind = Array("float64", (*dims[:-1], *_tail(factor.kind)))
    if len(dims) == 1:
        return Term(n.Binary("@", _turned(weights), vector, kind=kind), negative=part.negative)
    if not few:
        return None
    return Term(apply(np.tensordot, weights, vector, n.Const(1, kind=INT), kind=kind), negative=part.negative)


def _tail(kind: Kind) -> tuple[Dim, ...]:
    return (kind.dims or ())[1:] if isinstance(kind, Array) else ()


def _turned(e: n.Expr) -> n.Expr:
    kind = replace(e.kind, dims=(e.kind.dims or ())[::-1]) if isinstance(e.kind, Array) else e.kind
    return n.Attribute(e, "T", kind=kind)
