"""Sums of products of two vectors are what `np.dot` computes in one go.

    scale_bar = np.sum(y_bar * x)     ->     scale_bar = np.dot(y_bar, x)

Only vectors of float64 that cannot be stretched to each other; and a value of the user's keeps its bits.

>>> import numpy as np
>>> from adcompile import grad
>>> def scaled(x, k, scale):
...     y = scale * x[:k]
...     return np.sum(y * y * x[:k])
>>> print(grad(scaled, wrt="scale").source_for(np.ones(3), 2, 1.0).partition("# y = scale * x[:k]")[2])
<BLANKLINE>
    scale_bar = np.dot(y_bar, x_part)
<BLANKLINE>
    return value, (float(scale_bar),)
<BLANKLINE>
"""

from __future__ import annotations

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Static, same_shape
from adcompile.ir.walk import rebuild, statements
from adcompile.simplify.adjoint_lines import adjoint_value


def dots(function: n.Function) -> bool:
    """Write sums of products as dot products, in place; whether anything changed."""
    changed = False
    for stmt in statements(function.body):
        value = adjoint_value(stmt)
        if isinstance(stmt, n.Assign | n.Augment | n.Store) and value is not None:
            stmt.value = _with_dots(value)
            changed |= stmt.value is not value
    return changed


def _with_dots(e: n.Expr) -> n.Expr:
    e = rebuild(e, _with_dots)
    match e:
        case n.Call(
            func=n.Attribute(value=module, kind=Static(value=np.sum)) as called,
            args=(n.Binary(op="*", left=left, right=right),),
            keywords=(),
        ) if _is_vector(left) and _is_vector(right) and same_shape(left.kind, right.kind):
            return n.Call(n.Attribute(module, "dot", kind=Static(np.dot), span=called.span), (left, right), kind=e.kind)
        case _:
            return e


def _is_vector(e: n.Expr) -> bool:
    return isinstance(e.kind, Array) and e.kind.dtype == "float64" and e.kind.rank == 1
