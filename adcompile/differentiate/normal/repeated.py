"""Items and slices of arrays that are read several times between two changes: they get one name.

So a value that the backward sweep needs is put on one tape only.

    s = u[i] * v            u_tmp = u[i]
    t = u[i] ** 2     ->    s = u_tmp * v
                            t = u_tmp ** 2

>>> u, i = n.Variable("u"), n.Variable("i")
>>> item = n.Subscript(n.Read(u, kind=Array("float64", None)), n.Read(i), kind=Scalar("float64"))
>>> repeated = Repeated()
>>> repeated.note(item, first := n.Variable("u", n.Role.TEMPORARY))
>>> repeated.find(item) is first
True
>>> repeated.after(n.Assign(i, n.Const(0)), changing=False)
>>> repeated.find(item)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Scalar
from adcompile.ir.walk import binds, reads, walk


@dataclass(slots=True)
class Repeated:
    """The parts of arrays that have a name in the lines before."""

    names: dict[n.Expr, n.Variable] = field(default_factory=dict)

    def find(self, expr: n.Expr) -> n.Variable | None:
        """The variable that holds the same part of the same array, as it is now."""
        return self.names.get(expr) if is_part(expr) else None

    def note(self, expr: n.Expr, variable: n.Variable) -> None:
        """Take note that a variable was set to an expression."""
        if is_part(expr):
            self.names[expr] = variable

    def after(self, stmt: n.Stmt, *, changing: bool) -> None:
        """Forget what a statement may have changed; `changing` says that it does more than to set variables."""
        if changing:
            self.names.clear()
            return
        bound = set(binds(stmt))
        for expr, variable in list(self.names.items()):
            if variable in bound or reads(expr) & bound:
                del self.names[expr]


def is_part(expr: n.Expr) -> bool:
    """Whether an expression is an item or slice of an array, with nothing in it but names and arithmetic."""
    return (
        isinstance(expr, n.Subscript)
        and isinstance(expr.value.kind, Array)
        and isinstance(expr.kind, Array | Scalar)
        and all(
            isinstance(e, n.Subscript | n.Read | n.Const | n.Slice | n.Binary | n.Unary)
            or (isinstance(e, n.Display) and e.form == "tuple")
            for e in walk(expr)
        )
    )
