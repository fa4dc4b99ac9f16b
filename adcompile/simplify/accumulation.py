"""Accumulation: `s = s + e` becomes `s += e` where that is the same: for numbers, and for arrays that nobody shares."""

from __future__ import annotations

from collections.abc import Callable

from adcompile.analyses.aliases import private
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Scalar
from adcompile.ir.walk import blocks

_OPS = ("+", "-", "*", "/")


def accumulate(function: n.Function) -> bool:
    """Write updates as augmented assignments, in place; whether anything changed."""
    safe: dict[n.Variable, bool] = {p.variable: False for p in function.params}  # the caller's arrays

    def is_private(variable: n.Variable) -> bool:
        if variable not in safe:
            safe[variable] = private(variable, function.body)
        return safe[variable]

    return _block(function.body, is_private)


def _block(body: list[n.Stmt], is_private: Callable[[n.Variable], bool]) -> bool:
    changed = False
    for k, stmt in enumerate(body):
        for inner in blocks(stmt):
            changed |= _block(inner, is_private)
        match stmt:
            case n.Assign(
                target=target, value=n.Binary(op=op, left=n.Read(variable=variable) as read, right=right)
            ) if variable is target and op in _OPS:
                numbers = isinstance(stmt.value.kind, Scalar) and isinstance(read.kind, Scalar)
                written = stmt.origin is not None and stmt.origin.text.startswith(f"{target.name} {op}=")
                if target.role is n.Role.USER:
                    fits = numbers and written
                else:
                    arrays = isinstance(stmt.value.kind, Array) and stmt.value.kind == read.kind and op in "+-"
                    fits = numbers or (arrays and is_private(target))
                if fits:
                    body[k] = n.Augment(read, op, right, origin=stmt.origin)
                    changed = True
            case _:
                pass
    return changed
