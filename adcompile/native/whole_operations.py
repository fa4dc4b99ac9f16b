"""Operations that give whole numbers, and that Numba carries on from where Python raises.

    i = k // n                  ->      i = whole_quotient(k, n)        Numba's is 0 where n is
    i = k % n                   ->      i = whole_remainder(k, n)
    i, j = divmod(k, n)         ->      i, j = whole_divmod(k, n)
    i = int(x)                  ->      i = int(within_64_bits(x))      Numba's is anything where x is large

>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import INT
>>> from adcompile.ir.show import show
>>> function = read(lambda k, n: k)
>>> k, n_ = (n.Read(p.variable, kind=INT) for p in function.params)
>>> function.body = [n.Return(n.Binary("//", n.Binary("%", k, n_, kind=INT), n.Const(2, kind=INT), kind=INT))]
>>> whole_operations(function)
>>> show(function.body)
'return (whole_remainder@rule(k, n) // 2)'
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable

from adcompile import runtime
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Scalar
from adcompile.ir.walk import blocks, change_expressions, rebuild, revised

_DIVISIONS: dict[str, Callable[..., object]] = {"//": runtime.whole_quotient, "%": runtime.whole_remainder}
_CONVERSIONS = (int, round, math.floor, math.ceil, math.trunc)


def whole_operations(function: n.Function) -> None:
    """Have a function raise where Python does."""
    _block(function.body)


def _block(body: list[n.Stmt]) -> None:
    for k, stmt in enumerate(body):
        for inner in blocks(stmt):
            _block(inner)
        change_expressions(stmt, _visit)
        match stmt:
            case n.Augment(target=n.Read(variable=target) as old, op=op, value=value):
                whole = n.Binary(op, old, value, kind=old.kind)
                divided = _visit(whole)
                if divided is not whole:
                    body[k] = n.Assign(target, divided, origin=stmt.origin)


def _visit(expr: n.Expr) -> n.Expr:
    expr = rebuild(expr, _visit)
    match expr:
        case n.Binary(op="//" | "%" as op, left=left, right=right) if _is_divided(left, right):
            return _call(_DIVISIONS[op], (left, right), expr)
        case n.Call(args=(left, right), keywords=()) if n.object_of(expr.func) is builtins.divmod and _is_divided(
            left, right
        ):
            return _call(runtime.whole_divmod, (left, right), expr)
        case n.Call(args=(n.Expr(kind=Scalar(dtype=dtype)) as value,), keywords=()) if (
            dtype[0] == "f" and n.object_of(expr.func) in _CONVERSIONS
        ):
            return revised(expr, args=(_call(runtime.within_64_bits, (value,), value),))
        case _:
            return expr


def _is_divided(left: n.Expr, right: n.Expr) -> bool:
    """Whether two operands are whole numbers of Python's, and the second may be 0."""
    return _is_python_whole(left) and _is_python_whole(right) and not (isinstance(right, n.Const) and bool(right.value))


def _is_python_whole(expr: n.Expr) -> bool:
    kind = expr.kind
    return isinstance(kind, Scalar) and kind.dtype[0] in "iub" and kind.python is not False


def _call(function: Callable[..., object], args: tuple[n.Expr, ...], like: n.Expr) -> n.Expr:
    return n.Call(n.Ref(function.__name__, function, "rule"), args, kind=like.kind, span=like.span)
