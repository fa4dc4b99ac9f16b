"""Lists of partials that called functions fill: Numba tells the type of an empty list from what is put in it there.

    z_partials = []     ->      z_partials = [0.0][:0]

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> main, inner = read(lambda x: x), read(lambda x: x)
>>> sink = n.Variable("z", n.Role.PARTIALS)
>>> append = n.Call(n.Attribute(n.Read(sink), "append"), (n.Const(1.0, kind=Scalar("float64")),))
>>> main.body, inner.body = [n.NewTape(sink)], [n.Evaluate(append)]
>>> give_types([main, inner])
>>> print(show(main.body))
<partials z> = [0.0][:0]
"""

from __future__ import annotations

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Kind, Scalar
from adcompile.ir.make import apply, dtype_of
from adcompile.ir.walk import all_blocks, statements


def give_types(functions: list[n.Function]) -> None:
    """Make lists that other functions put partials in with the type of what that is, in place."""
    kinds: dict[n.Variable, Kind] = {}
    for function in functions:
        for stmt in statements(function.body):
            match stmt:
                case n.Evaluate(
                    value=n.Call(func=n.Attribute(value=n.Read(variable=variable), name="append"), args=(value,))
                ) if variable.role is n.Role.PARTIALS:
                    kinds[variable.of or variable] = value.kind
    for function in functions:
        for block in all_blocks(function.body):
            block[:] = [_typed(stmt, kinds) for stmt in block]


def _typed(stmt: n.Stmt, kinds: dict[n.Variable, Kind]) -> n.Stmt:
    if not isinstance(stmt, n.NewTape) or stmt.tape.role is not n.Role.PARTIALS:
        return stmt
    example = _example(kinds.get(stmt.tape.of or stmt.tape))
    if example is None:
        return stmt
    none_of_it = n.Subscript(n.Display("list", (example,)), n.Slice(None, n.Const(0)))
    return n.Assign(stmt.tape, none_of_it, origin=stmt.origin)


def _example(kind: Kind | None) -> n.Expr | None:
    """A value of a kind; None where it is none that Numba has lists of."""
    match kind:
        case Scalar(dtype=dtype):
            return n.Const(0j if dtype[0] == "c" else 0.0, kind=kind)
        case Array(dtype=str() as dtype, dims=dims) if dims is not None:
            shape = n.Display("tuple", tuple(n.Const(0) for _ in dims))
            return apply(np.zeros, shape, dtype_of(dtype), kind=kind)
        case _:
            return None
