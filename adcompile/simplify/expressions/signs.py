"""Negatives that only additions read: their operands are subtracted.

    t_bar = -s_bar                  x_bar -= s_bar * y
    x_bar += t_bar * y      ->      y_bar -= s_bar * x
    y_bar += t_bar * x

>>> import math
>>> from adcompile import grad
>>> def decay(x, y, n):
...     total = 1.0
...     for _ in range(n):
...         total = math.sin(total) - x * y
...     return total
>>> print(grad(decay).source_for(2.0, 3.0, 4).rpartition("x * y")[2])
<BLANKLINE>
        x_bar -= total_bar * y
        y_bar -= total_bar * x
        total_bar *= math.cos(total_kept)
<BLANKLINE>
    return total, (x_bar, y_bar)
<BLANKLINE>
"""

from __future__ import annotations

from adcompile.analyses.memory.groups import Memory, memory_of
from adcompile.ir import nodes as n
from adcompile.ir.algebra import MOVES
from adcompile.ir.kinds import Array, Scalar, Static
from adcompile.ir.walk import all_blocks, bound_in, expressions, read_in, reads, revised, set_in, statements, walk
from adcompile.simplify.lines.copies import is_named


def signs(function: n.Function) -> bool:
    """Subtract instead of adding negatives, in place; whether anything changed."""
    candidates = [s for s in statements(function.body) if _is_negative(s)]
    if not candidates:
        return False
    uses, sets = read_in(function.body), set_in(function.body)
    memory = memory_of(function)
    changed = False
    for body in all_blocks(function.body):
        for stmt in [s for s in body if s in candidates]:
            if isinstance(stmt, n.Assign) and sets[stmt.target] == 1:
                changed |= _subtract(body, stmt, uses[stmt.target], memory)
    return changed


def _is_negative(stmt: n.Stmt) -> bool:
    match stmt:
        case n.Assign(target=target, value=n.Unary(op="-", operand=n.Read(kind=Scalar() | Array()))):
            return target.role is n.Role.ADJOINT and not is_named(target)
        case _:
            return False


def _subtract(body: list[n.Stmt], stmt: n.Assign, uses: int, memory: Memory) -> bool:
    """Let those who add a negative subtract, if nobody else reads it and its operand stays; whether they do."""
    if not isinstance(stmt.value, n.Unary) or not isinstance(stmt.value.operand, n.Read):
        raise TypeError
    operand = stmt.value.operand
    found: list[tuple[n.Assign | n.Augment, str, n.Expr]] = []
    seen = 0
    for other in body[body.index(stmt) + 1 :]:
        here = sum(e == n.Read(stmt.target) for whole in expressions(other) for e in walk(whole))
        if here:
            turned = _turned(other, stmt.target, operand)
            if turned is None:
                return False
            found.append(turned)
            seen += here
        if seen == uses:
            break
        if operand.variable in bound_in([other]) or any(
            memory.changes(s, {operand.variable}) for s in statements([other])
        ):
            return False
    if seen != uses or not found:
        return False
    for user, op, value in found:
        user.value = value
        if isinstance(user, n.Augment):
            user.op = op
    body.remove(stmt)
    return True


def _turned(stmt: n.Stmt, negative: n.Variable, operand: n.Read) -> tuple[n.Assign | n.Augment, str, n.Expr] | None:
    """A line that adds a negative, with the operator and the value by which it subtracts; None for any other line."""
    match stmt:
        case n.Augment(op="+" | "-" as op, value=value, target=target) if negative not in reads(target):
            new = _without_sign(value, negative, operand)
            if new is not None:
                return stmt, "-" if op == "+" else "+", new
            new = _in_sum(value, negative, operand)
            return None if new is None else (stmt, op, new)
        case n.Assign(value=value):
            new = _in_sum(value, negative, operand)
            return None if new is None else (stmt, "", new)
        case _:
            return None


def _in_sum(expr: n.Expr, negative: n.Variable, operand: n.Read) -> n.Expr | None:
    """A sum that subtracts the operand of a negative, which is a factor of one of its terms; None if it is not."""
    match expr:
        case n.Binary(op="-", left=left, right=right) if negative in reads(left) & reads(right):
            first, second = (_without_sign(e, negative, operand) for e in (right, left))
            return None if first is None or second is None else revised(expr, left=first, right=second)
        case n.Binary(op="+" | "-" as op, left=left, right=right) if (negative in reads(left)) != (
            negative in reads(right)
        ):
            if negative in reads(right):
                new = _without_sign(right, negative, operand)
                return None if new is None else revised(expr, op="-" if op == "+" else "+", right=new)
            new = _without_sign(left, negative, operand) if op == "+" else None
            if new is not None:
                return revised(expr, op="-", left=right, right=new)
            new = _in_sum(left, negative, operand)
            return None if new is None else revised(expr, left=new)
        case _:
            return None


def _without_sign(expr: n.Expr, negative: n.Variable, operand: n.Read) -> n.Expr | None:
    """A product with the operand of a negative for the negative, which is one of its factors; None if it is not."""
    match expr:
        case n.Read(variable=variable):
            return operand if variable is negative else None
        case n.Binary(op="*" | "/" as op, left=left, right=right):
            if negative in reads(left) and negative not in reads(right):
                new = _without_sign(left, negative, operand)
                return None if new is None else revised(expr, left=new)
            if op == "*" and negative in reads(right) and negative not in reads(left):
                new = _without_sign(right, negative, operand)
                return None if new is None else revised(expr, right=new)
            return None
        case n.Call(func=n.Expr(kind=Static(value=function)), args=(array, *others)) if (
            function in MOVES and not any(negative in reads(e) for e in (*others, *(e for _, e in expr.keywords)))
        ):
            new = _without_sign(array, negative, operand)
            return None if new is None else revised(expr, args=(new, *others))
        case _:
            return None
