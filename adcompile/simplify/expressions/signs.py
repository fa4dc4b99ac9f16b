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

from collections import Counter

from adcompile.analyses.memory.groups import Memory, memory_of
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Scalar
from adcompile.ir.walk import all_blocks, binds, bound_in, expressions, reads, revised, statements, walk
from adcompile.simplify.lines.copies import is_named


def signs(function: n.Function) -> bool:
    """Subtract instead of adding negatives, in place; whether anything changed."""
    candidates = [s for s in statements(function.body) if _is_negative(s)]
    if not candidates:
        return False
    uses = Counter(
        e.variable
        for s in statements(function.body)
        for expr in expressions(s)
        for e in walk(expr)
        if isinstance(e, n.Read)
    )
    sets = Counter(v for s in statements(function.body) for v in binds(s))
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
    found: list[tuple[n.Augment, n.Expr]] = []
    for other in body[body.index(stmt) + 1 :]:
        if stmt.target in (v for e in expressions(other) for v in reads(e)):
            if not isinstance(other, n.Augment) or other.op not in "+-" or stmt.target in reads(other.target):
                return False
            value = _without_sign(other.value, stmt.target, operand)
            if value is None:
                return False
            found.append((other, value))
        if len(found) == uses:
            break
        if operand.variable in bound_in([other]) or any(
            memory.changes(s, {operand.variable}) for s in statements([other])
        ):
            return False
    if len(found) != uses or not found:
        return False
    for user, value in found:
        user.op, user.value = "-" if user.op == "+" else "+", value
    body.remove(stmt)
    return True


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
        case _:
            return None
