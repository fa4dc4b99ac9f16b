"""What `u op= v` makes of tangents and adjoints: a row for each operator, with both texts in full.

    u *= v     forward     u_dot = u_dot * v + old * v_dot
               backward    v_bar += g * old, and u_bar *= v

Here `old` is what `u` was, `new` what it became, `g` the adjoint that came to `u` from behind. That of `u` itself is
scaled by the same operator; for a sum it stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcompile.ir.quote import quote
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from adcompile.ir import nodes as n


@value_class()
class Row:
    """`tangent`: the new tangent of `u`. `partial`: what the adjoint of `v` gets; `by_result`: the same, from `new`."""

    tangent: str
    partial: str
    by_result: str = ""


ROWS = {
    "*": Row("dot * v + old * v_dot", "g * old"),
    "/": Row("(dot - old * v_dot / v) / v", "-(g * old / v ** 2)", "-(g * new / v)"),
}


def scales(op: str) -> bool:
    """Whether an operator scales what it changes: its adjoint does not stay what it is."""
    return op in ROWS


def tangent_after(op: str, dot: n.Expr, v: n.Expr, v_dot: n.Expr, old: n.Expr) -> n.Expr:
    """The tangent of `u` behind `u op= v`.

    >>> from adcompile.ir import nodes as n
    >>> from adcompile.ir.show import show
    >>> u_dot, v, v_dot, u = (n.Read(n.Variable(name)) for name in ("u_dot", "v", "v_dot", "u"))
    >>> show(tangent_after("*", u_dot, v, v_dot, u))
    '((u_dot * v) + (u * v_dot))'
    """
    return quote(ROWS[op].tangent, dot=dot, v=v, v_dot=v_dot, old=old)


def partial_of(op: str, g: n.Expr, v: n.Expr, old: n.Expr) -> n.Expr:
    """What goes to the adjoint of `v`."""
    return quote(ROWS[op].partial, g=g, v=v, old=old)


def partial_by_result(op: str, g: n.Expr, v: n.Expr, new: n.Expr) -> n.Expr:
    """The same, where what `u` became is there and what it was need not be."""
    return quote(ROWS[op].by_result, g=g, v=v, new=new)
