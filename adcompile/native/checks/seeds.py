"""A seed that is not shaped like its value is noticed before the backward sweep.

    y_bar = seed        ->      if np.shape(seed) != np.shape(y):
                                    raise ValueError("the seed is not shaped like the value")
                                y_bar = seed

Machine code does not look whether an index is in range, so the backward sweep would write beside the seed's memory.

>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import Array
>>> from adcompile.ir.show import show
>>> f = read(lambda x: x)
>>> x, seed = n.Read(f.params[0].variable), n.Variable("seed", n.Role.SEED)
>>> partial = n.Variable("x", n.Role.ADJOINT)
>>> f.params.insert(0, n.Param(seed))
>>> f.body = [n.Assign(partial, n.Read(seed)), n.Return(n.Display("tuple", (x, n.Read(partial))))]
>>> check_seed(f, Array("float64", (3,)))
>>> print(show(f.body))
if np@rule.shape(<seed seed>) != np@rule.shape(x):
    raise ValueError@builtin('the seed is not shaped like the value')
<adjoint x> = <seed seed>
return (x, <adjoint x>)
"""

from __future__ import annotations

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Kind, Scalar, Struct
from adcompile.ir.make import apply, raise_if
from adcompile.ir.walk import expressions, reads, statements


def check_seed(function: n.Function, result: Kind) -> None:
    """Have a function that takes a seed compare its shape with that of its value, which is of the kind `result`."""
    seeds = [p.variable for p in function.params if p.variable.role is n.Role.SEED]
    last = function.body[-1]
    if not seeds or not isinstance(last, n.Return) or not isinstance(last.value, n.Display):
        return
    seed, value = n.Read(seeds[0], kind=result), last.value.items[0]
    pairs: list[tuple[n.Expr, n.Expr]] = []
    if isinstance(result, Array):
        pairs.append((seed, value))
    elif isinstance(result, Struct):
        for k, kind in enumerate(result.items):
            if isinstance(kind, Array):
                of_value = value.items[k] if isinstance(value, n.Display) else _item(value, k, kind)
                pairs.append((_item(seed, k, kind), of_value))
    tests: list[n.Expr] = [n.Compare(("!=",), (apply(np.shape, a), apply(np.shape, b))) for a, b in pairs]
    at = next(k for k, stmt in enumerate(function.body) if stmt is last or _reads(stmt, seeds[0]))
    function.body[at:at] = raise_if(tests, "the seed is not shaped like the value")


def _reads(stmt: n.Stmt, variable: n.Variable) -> bool:
    return any(variable in reads(expr) for inner in statements([stmt]) for expr in expressions(inner))


def _item(of: n.Expr, k: int, kind: Kind) -> n.Expr:
    return n.Subscript(of, n.Const(k, kind=Scalar("int64")), kind=kind)

