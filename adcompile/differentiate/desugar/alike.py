"""Tables that are written out and changed in rows that the run decides: all their rows are taken to be alike.

    A = [[x, 1.0], [0.3, y]]
    for k in range(n):
        A[k], A[p] = A[p], A[k]      # or A[k][j] -= f * A[i][j]

Else each row would be known for itself, and nothing of `A[k]`.
"""

from __future__ import annotations

from dataclasses import replace

from adcompile.ir import nodes as n
from adcompile.ir.indices import literal_key
from adcompile.ir.kinds import UNKNOWN, Sequence
from adcompile.ir.walk import statements


def take_rows_alike(function: n.Function) -> None:
    """Mark such tables, in place: the kind that an expression has before it is typed says that it is a sequence."""
    changed = {v for stmt in statements(function.body) if (v := _changed_in_any_row(stmt)) is not None}
    for stmt in statements(function.body):
        if isinstance(stmt, n.Assign) and stmt.target in changed and _is_table(stmt.value):
            stmt.value = _alike(stmt.value)


def _changed_in_any_row(stmt: n.Stmt) -> n.Variable | None:
    """The variable of which a statement changes a row, or an item of one, that the run decides."""
    match stmt:
        case n.Store(target=e) | n.Augment(target=e) | n.Evaluate(value=n.Call(func=n.Attribute(value=e))):
            pass
        case _:
            return None
    while isinstance(e, n.Subscript):
        if isinstance(e.value, n.Read):
            return None if literal_key(e.index)[0] else e.value.variable
        e = e.value
    return None


def _is_table(expr: n.Expr) -> bool:
    return _is_list(expr) and isinstance(expr, n.Display) and bool(expr.items) and all(map(_is_list, expr.items))


def _is_list(expr: n.Expr) -> bool:
    return isinstance(expr, n.Display) and expr.form == "list"


def _alike(expr: n.Expr) -> n.Expr:
    if not isinstance(expr, n.Display) or expr.form != "list":
        return expr
    return replace(expr, items=tuple(map(_alike, expr.items)), kind=Sequence(UNKNOWN, list))
