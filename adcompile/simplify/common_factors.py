"""A factor that both terms of a sum have is taken out of it.

    p_bar += h_bar * a - h_bar * b      ->      p_bar += h_bar * (a - b)

>>> from adcompile import grad
>>> def between(p, a, b):
...     h = p * a + (1.0 - p) * b
...     return h * h
>>> print(grad(between, wrt="p").source_for(0.25, 3.0, 5.0).rpartition("* b")[2].lstrip())
p_bar = h_bar * (a - b)
<BLANKLINE>
    return h * h, (p_bar,)
<BLANKLINE>
"""

from __future__ import annotations

from adcompile.ir import nodes as n
from adcompile.ir.algebra import negative, simplify
from adcompile.ir.kinds import Array, Scalar
from adcompile.ir.walk import revised, statements


def common_factors(function: n.Function) -> bool:
    """Take factors out of what adjoints are made of, in place; whether anything changed."""
    changed = False
    for stmt in statements(function.body):
        match stmt:
            case n.Assign(target=target, value=value) | n.Augment(target=n.Read(variable=target), value=value):
                pass
            case _:
                continue
        if target.role is n.Role.ADJOINT and (new := _factored(value)) is not None:
            stmt.value = new
            changed = True
    return changed


def _factored(expr: n.Expr) -> n.Expr | None:
    match expr:
        case n.Binary(op="+", left=n.Binary() as left, right=n.Binary() as right) if (
            positive := negative(left)
        ) is not None:
            return _factored(revised(expr, op="-", left=right, right=positive))
        case n.Binary(
            op="+" | "-",
            left=n.Binary(op="*", left=n.Read() as one, right=a),
            right=n.Binary(op="*", left=n.Read() as other, right=b),
        ) if one == other and _are_alike(one, a, b, expr):
            return simplify(revised(expr, op="*", left=one, right=n.Binary(expr.op, a, b, kind=a.kind)))
        case _:
            return None


def _are_alike(*parts: n.Expr) -> bool:
    """Whether all are numbers, or arrays of one shape, of one type of floats."""
    first = parts[0].kind
    match first:
        case Scalar(dtype=dtype):
            return dtype == "float64" and all(isinstance(e.kind, Scalar) and e.kind.dtype == dtype for e in parts)
        case Array(dtype=dtype, dims=dims):
            return (dtype or "")[:1] == "f" and dims is not None and all(e.kind == first for e in parts)
        case _:
            return False
