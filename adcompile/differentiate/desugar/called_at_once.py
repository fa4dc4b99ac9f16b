"""A lambda without parameters that is called where it stands is its expression: `(lambda: e)()` is `e`."""

from __future__ import annotations

from adcompile.ir import nodes as n
from adcompile.ir.walk import change_expressions, rebuild, statements, walk


def open_lambdas(function: n.Function) -> None:
    """Write such calls so, in place."""
    for stmt in statements(function.body):
        change_expressions(stmt, _opened)


def _opened(e: n.Expr) -> n.Expr:
    match e:
        case n.Call(func=n.Lambda(function=n.Function(params=[], body=[n.Return(value=value)])), args=(), keywords=()):
            if value is not None and not any(isinstance(part, n.Named) for part in walk(value)):
                return _opened(value)
        case n.Lambda():
            return e  # whoever calls it opens what is in it
    return rebuild(e, _opened)
