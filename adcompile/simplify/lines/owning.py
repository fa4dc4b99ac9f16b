"""Buffers of their own: an adjoint that is changed in place must not be another name for something else.

The backward sweep takes `g * y` for a new array. Where `g` turns out to be 1.0, what is left is `y` itself.

>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import Array, Extent
>>> from adcompile.ir.show import show
>>> function = read(lambda y: y)
>>> y = n.Read(function.params[0].variable, kind=Array("float64", (Extent("y.0"),)))
>>> x_bar = n.Read(n.Variable("x", n.Role.ADJOINT, of=y.variable), kind=y.kind)
>>> item = n.Subscript(x_bar, n.Const(0))
>>> function.body = [n.Assign(x_bar.variable, y, own=True), n.Augment(item, "+", n.Const(1.0))]
>>> own_buffers(function)
>>> print(show(function.body[:1]))
<adjoint x of y> = y.copy()
"""

from __future__ import annotations

from adcompile.analyses.memory.groups import memory_of
from adcompile.analyses.memory.regions import fresh
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Scalar
from adcompile.ir.walk import statements


def own_buffers(function: n.Function) -> None:
    """Copy what is taken for a new array and is changed in place, but is none, in place."""
    doubtful = [
        s
        for s in statements(function.body)
        if isinstance(s, n.Assign) and s.own and not isinstance(s.value.kind, Scalar) and not fresh(s.value)
    ]
    if not doubtful:
        return
    memory = memory_of(function)
    for stmt in doubtful:
        if memory.is_changed(stmt.target):
            stmt.value = n.Call(n.Attribute(stmt.value, "copy"), (), kind=stmt.value.kind)
