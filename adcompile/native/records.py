"""Records of partials as plain tuples, which is all that Numba takes of them.

Before and after:
    return np.sum(p.w)                      ->      return np.sum(p[0])
"""

from __future__ import annotations

from adcompile.calls.record import Partials
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Struct
from adcompile.ir.walk import change_expressions, rebuild, statements


def records(function: n.Function) -> None:
    """Make tuples of records of partials."""
    for stmt in statements(function.body):
        change_expressions(stmt, _plain)


def _plain(expr: n.Expr) -> n.Expr:
    expr = rebuild(expr, _plain)
    match expr:
        case n.Call(func=n.Ref(value=type() as cls), args=(n.Display() as items,)) if issubclass(cls, Partials):
            return items
        case n.Attribute(value=n.Expr(kind=Struct(cls=cls)) as record, name=name) if issubclass(cls, Partials):
            return n.Subscript(record, n.Const(cls.position(name), kind=INT), kind=expr.kind, span=expr.span)
    return expr


def has_record(kind: object) -> bool:
    """Whether a value of a kind is a record of partials, or holds one."""
    return isinstance(kind, Struct) and (issubclass(kind.cls, Partials) or any(map(has_record, kind.items)))
