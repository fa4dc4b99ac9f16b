"""Copies of lists of numbers, as Numba takes them.

    copied_list(rows)      ->     list(rows)

>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import FLOAT
>>> from adcompile.ir.show import show
>>> function = read(lambda rows: rows)
>>> rows = n.Read(function.params[0].variable, kind=Sequence(FLOAT, list))
>>> function.body = [n.Return(n.Call(n.Ref("copied_list", runtime.copied_list, "rule"), (rows,)))]
>>> copied_lists(function)
>>> print(show(function.body))
return list@builtin(rows)
"""

from __future__ import annotations

import builtins

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Scalar, Sequence
from adcompile.ir.walk import change_expressions, rebuild, revised, statements
from adcompile.runtime import helpers as runtime


def copied_lists(function: n.Function) -> None:
    """Have `list` make the copies of lists of numbers, in place: `copied_list` is for lists of anything."""
    for stmt in statements(function.body):
        change_expressions(stmt, _copied)


def _copied(expr: n.Expr) -> n.Expr:
    expr = rebuild(expr, _copied)
    match expr:
        case n.Call(func=n.Ref(value=runtime.copied_list), args=(n.Expr(kind=Sequence(item=Scalar())) as made,)):
            return revised(expr, func=n.Ref("list", builtins.list, "builtin"), args=(made,))
        case _:
            return expr
