"""What Python tells apart by its types, as Numba takes it.

    return np.sum(p.w)          ->      return np.sum(p[0])     a record of partials is a tuple
    u = stop_gradient(y)        ->      u = y.copy()            of a number, the number itself

>>> from adcompile.frontend import read
>>> from adcompile.ir.make import apply
>>> from adcompile.ir.show import show
>>> f = read(lambda x: x)
>>> x = n.Read(f.params[0].variable, kind=Array("float64", (3,)))
>>> f.body = [n.Return(apply(runtime.stop_gradient, x, kind=x.kind))]
>>> records(f)
>>> print(show(f.body))
return x.copy()
"""

from __future__ import annotations

from adcompile.calls.record import Partials
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Scalar, Struct
from adcompile.ir.walk import change_expressions, rebuild, statements
from adcompile.runtime import helpers as runtime


def records(function: n.Function) -> None:
    """Make tuples of records of partials, and write out constants by `stop_gradient`, in place."""
    for stmt in statements(function.body):
        change_expressions(stmt, _plain)


def _plain(expr: n.Expr) -> n.Expr:
    expr = rebuild(expr, _plain)
    match expr:
        case n.Call(func=n.Ref(value=type() as cls), args=(n.Display() as items,)) if issubclass(cls, Partials):
            return items
        case n.Attribute(value=n.Expr(kind=Struct(cls=cls)) as record, name=name) if issubclass(cls, Partials):
            return n.Subscript(record, n.Const(cls.position(name), kind=INT), kind=expr.kind, span=expr.span)
        case n.Call(func=n.Ref(value=runtime.stop_gradient), args=(n.Expr(kind=Scalar()) as value,)):
            return value
        case n.Call(func=n.Ref(value=runtime.stop_gradient), args=(n.Expr(kind=Array()) as value,)):
            return n.Call(n.Attribute(value, "copy"), (), kind=value.kind, span=expr.span)
    return expr


def has_record(kind: object) -> bool:
    """Whether a value of a kind is a record of partials, or holds one."""
    return isinstance(kind, Struct) and (issubclass(kind.cls, Partials) or any(map(has_record, kind.items)))
