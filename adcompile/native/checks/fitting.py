"""Updates of arrays by what may not fit: Python raises there, and Numba takes the first items and says nothing.

>>> from dataclasses import replace
>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import Extent
>>> from adcompile.ir.show import show
>>> def f(x, y):
...     x += y
...     x += x
...     return x
>>> function = read(f)
>>> kinds = {name: Array("float64", (Extent(f"{name}.0"),)) for name in "xy"}
>>> for stmt in function.body[:2]:
...     stmt.target, stmt.value = (replace(e, kind=kinds[e.variable.name]) for e in (stmt.target, stmt.value))
>>> fitting(function)
>>> print(show(function))
def f(x, y):
    x[...] = (x + y)
    x += x
    return x
"""

from __future__ import annotations

from adcompile.analyses.typing.numeric import never_fits
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Static
from adcompile.ir.walk import all_blocks


def fitting(function: n.Function) -> None:
    """Write updates as stores where the operand is not known to fit: a store is compared with its place."""
    for block in all_blocks(function.body):
        for k, stmt in enumerate(block):
            if isinstance(stmt, n.Augment) and is_update(stmt) and not _fits(stmt.value, stmt.target):
                block[k] = _raised(stmt) if has_more_axes(stmt.value, stmt.target) else _as_store(stmt)


def is_update(stmt: n.Augment) -> bool:
    """Whether NumPy takes the types: where it raises, Numba is to refuse, which would put anything into a store."""
    return not never_fits(stmt.op, stmt.target.kind, stmt.value.kind)


def _raised(stmt: n.Augment) -> n.Stmt:
    """NumPy raises, where a store would take what has a single row."""
    message = n.Const("non-broadcastable output operand")
    return n.Raise(n.Call(n.Ref("ValueError", ValueError, "builtin"), (message,)), None, origin=stmt.origin)


def has_more_axes(value: n.Expr, target: n.Expr) -> bool:
    """Whether an operand certainly does not fit what it updates, of whatever lengths they are."""
    match value.kind, target.kind:
        case Array(dims=tuple() as dims), Array(dims=tuple() as own):
            return len(dims) > len(own)
        case _:
            return False


def _as_store(stmt: n.Augment) -> n.Stmt:
    target = stmt.target
    whole = n.Binary(stmt.op, target, stmt.value, kind=target.kind)
    if not (isinstance(target, n.Subscript) and isinstance(target.value.kind, Array)):
        target = n.Subscript(target, n.Const(..., kind=Static(...)), kind=target.kind)
    return n.Store(target, whole, origin=stmt.origin)


def _fits(value: n.Expr, target: n.Expr) -> bool:
    """Whether an operand certainly has, or is stretched to, the shape of what it updates."""
    match value.kind, target.kind:
        case Array(dims=dims), Array(dims=own) if dims and own:
            aligned = zip(reversed(dims), reversed(own), strict=False)
            return not has_more_axes(value, target) and all(d in (1, o) for d, o in aligned)
        case _:
            return True  # one of them is a number, or not known to be an array: Numba types it, or refuses
