"""The lines that the compiler wrote: those that set adjoints and tangents. The lines of the user stay as they are.

>>> x_bar, y = n.Variable("x", n.Role.ADJOINT), n.Variable("y", n.Role.USER)
>>> adjoint_value(n.Assign(x_bar, n.Const(1.0))), adjoint_value(n.Assign(y, n.Const(1.0)))
(Const(value=1.0), None)
"""

from __future__ import annotations

from adcompile.ir import nodes as n
from adcompile.ir.walk import reads

ADJOINTS = {n.Role.ADJOINT, n.Role.TANGENT, n.Role.PARTIAL, n.Role.JACOBIAN}


def adjoint_value(stmt: n.Stmt) -> n.Expr | None:
    """What a statement gives or adds to an adjoint, or to a part of one; None for any other statement."""
    match stmt:
        case n.Assign(target=target, value=value) if target.role in ADJOINTS:
            return value
        case n.Augment(target=place, value=value) | n.Store(target=place, value=value) if any(
            v.role in ADJOINTS for v in reads(place)
        ):
            return value
        case _:
            return None
