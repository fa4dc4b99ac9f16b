"""Which arrays a function has made for itself, and under which names it may hold them.

>>> from adcompile.analyses.memory import Memory
>>> from adcompile.frontend import read
>>> def f(x):
...     a = x * 2.0
...     b = a
...     c = x[1:]
...     d = a * b * c
...     return d
>>> function = read(f)
>>> owners = Owners(function, Memory(function))
>>> [sorted(v.name for v in owners.of(function.locals[name])) for name in "abcd"]
[['a', 'b'], ['a', 'b'], [], ['d']]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcompile.analyses.aliases import fresh
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Scalar
from adcompile.ir.walk import binds, statements

if TYPE_CHECKING:
    from adcompile.analyses.memory import Memory


class Owners:
    """The names of arrays that nobody else holds: a caller, a list or a view."""

    def __init__(self, function: n.Function, memory: Memory) -> None:
        self.memory = memory
        self.names = {p.variable for p in function.params}
        self.shared = set(self.names)  # names of what somebody else may hold
        for stmt in statements(function.body):
            self.names |= set(binds(stmt))
            match stmt:
                case n.Assign(target=target, value=value):
                    if not (isinstance(value, n.Read) or fresh(value) or isinstance(value.kind, Scalar)):
                        self.shared.add(target)
                case n.Return() | n.Augment() | n.If() | n.While() | n.For(target=n.Read(kind=Scalar())):
                    pass
                case _:
                    self.shared |= set(binds(stmt))

    def of(self, variable: n.Variable) -> frozenset[n.Variable]:
        """The names under which a variable's array may be held; none where somebody else may hold it."""
        same = frozenset(v for v in self.names if self.memory.related(v, variable))
        return frozenset() if same & self.shared or variable not in same else same
