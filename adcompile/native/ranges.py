"""Ranges and lists that loops run through backward, which Numba has no `reversed` for.

    for i in reversed(range(n)):            ->      for i in range(n - 1, -1, -1):
    for i in reversed(range(1, n - 1)):     ->      for i in range(n - 2, 0, -1):
    for i in reversed(range(n)[:trips]):    ->      for i in range(trips - 1, -1, -1):      left after so many steps
    for x, y in zip(reversed(xs), reversed(ys)):   ->   for x, y in zip(xs[::-1], ys[::-1]):     not changed in the loop

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def f(n, k):
...     for i in reversed(range(n)):
...         pass
...     for i in reversed(range(1, n - 1)):
...         pass
...     for i in reversed(range(k, n, 3)):
...         pass
...     for i in reversed(range(1, n, 2)[:k]):
...         pass
>>> function = read(f)
>>> ranges(function)
>>> print(show(function))
def f(n, k):
    for i in range@builtin((n - 1), -1, -1):
        pass
    for i in range@builtin((n - 2), 0, -1):
        pass
    for i in range@builtin((k + ((((n - 1) - k) // 3) * 3)), (k - 1), -3):
        pass
    for i in range@builtin((1 + ((k - 1) * 2)), 0, -2):
        pass
"""

from __future__ import annotations

import builtins

from adcompile.analyses.memory.groups import memory_of
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Sequence
from adcompile.ir.walk import revised, statements


def ranges(function: n.Function) -> None:
    """Turn the reversed ranges of a function's loops round."""
    for stmt in statements(function.body):
        if isinstance(stmt, n.For):
            stmt.iterable = _turned(stmt.iterable)
            stmt.iterable = _copied(stmt.iterable, stmt.body, function)


def _copied(expr: n.Expr, body: list[n.Stmt], function: n.Function) -> n.Expr:
    """Lists and arrays the other way round, as they are before the loop: those that it does not change."""
    match expr:
        case n.Call(func=n.Ref(value=builtins.zip | builtins.enumerate), args=args):
            return revised(expr, args=tuple(_copied(e, body, function) for e in args))
        case n.Call(
            func=n.Ref(value=builtins.reversed), args=(n.Read(variable=v, kind=Array() | Sequence()) as whole,)
        ):
            memory = memory_of(function)
            if any(memory.changes(s, {v}) for s in statements(body)):
                return expr
            return n.Subscript(whole, n.Slice(None, None, n.Const(-1, kind=INT)), kind=whole.kind)
        case _:
            return expr


def _turned(expr: n.Expr) -> n.Expr:
    match expr:
        case n.Call(func=n.Ref(value=builtins.reversed), args=(n.Call(func=n.Ref(value=builtins.range)) as forward,)):
            trips = None
        case n.Call(
            func=n.Ref(value=builtins.reversed),
            args=(
                n.Subscript(
                    value=n.Call(func=n.Ref(value=builtins.range)) as forward,
                    index=n.Slice(lower=None, upper=n.Expr() as trips, step=None),
                ),
            ),
        ):
            pass
        case _:
            return expr
    low: n.Expr = n.Const(0, kind=INT)
    step: n.Expr = n.Const(1, kind=INT)
    match forward.args:
        case (high,):
            pass
        case (low, high):
            pass
        case (low, high, step):
            pass
        case _:
            return expr
    by = _literal(step)
    if not by:
        return expr  # Numba says that it cannot
    if trips is not None:
        last = _minus(trips, 1)
        if by != 1:
            last = n.Binary("*", last, n.Const(by, kind=INT), kind=INT)
        if _literal(low) != 0:
            last = n.Binary("+", low, last, kind=INT)
    else:
        last = _minus(high, 1 if by > 0 else -1)
        if abs(by) != 1:
            steps = n.Binary("//", n.Binary("-", last, low, kind=INT), n.Const(by, kind=INT), kind=INT)
            last = n.Binary("+", low, n.Binary("*", steps, n.Const(by, kind=INT), kind=INT), kind=INT)
    end = _minus(low, 1 if by > 0 else -1)
    return revised(forward, args=(last, end, n.Const(-by, kind=INT)))


def _literal(expr: n.Expr) -> int | None:
    match expr:
        case n.Const(value=int() as value):
            return value
        case n.Unary(op="-", operand=n.Const(value=int() as value)):
            return -value
        case _:
            return None


def _minus(expr: n.Expr, number: int) -> n.Expr:
    """An expression less a number, with the numbers at its end taken together."""
    known = _literal(expr)
    if known is not None:
        return n.Const(known - number, kind=INT)
    match expr:
        case n.Binary(op="+" | "-" as op, left=left, right=n.Const(value=int() as value)):
            offset = (value if op == "+" else -value) - number
            base = left
        case _:
            offset, base = -number, expr
    if offset == 0:
        return base
    return n.Binary("+" if offset > 0 else "-", base, n.Const(abs(offset), kind=INT), kind=INT)
