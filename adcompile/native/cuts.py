"""Constants by `stop_gradient`, which Python tells apart by their types: a number is itself, an array a copy.

    u = stop_gradient(y)        ->      u = y.copy()

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> f = read(lambda x: x)
>>> x = n.Read(f.params[0].variable, kind=Array("float64", (3,)))
>>> f.body = [n.Return(n.Call(n.Ref("stop_gradient", runtime.stop_gradient, "rule"), (x,), kind=x.kind))]
>>> cuts(f)
>>> print(show(f.body))
return x.copy()
"""

from __future__ import annotations

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Scalar
from adcompile.ir.walk import change_expressions, rebuild, statements
from adcompile.runtime import helpers as runtime


def cuts(function: n.Function) -> None:
    """Write out the constants of numbers and of arrays, in place."""
    for stmt in statements(function.body):
        change_expressions(stmt, _written)


def _written(expr: n.Expr) -> n.Expr:
    new = rebuild(expr, _written)
    match new:
        case n.Call(func=n.Ref(value=called), args=(value,)) if called is runtime.stop_gradient:
            if isinstance(value.kind, Scalar):
                return value
            if isinstance(value.kind, Array):
                return n.Call(n.Attribute(value, "copy"), (), kind=value.kind, span=new.span)
    return new
