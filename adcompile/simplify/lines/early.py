"""Both sweeps of a function that ends with a branch, side by side, each way with its own `return`: another last touch.

    if x < 0.0:                        if x < 0.0:
        value = -x                         return -x, (-1.0,)
    else:                              value = math.exp(x)
        value = math.exp(x)
    if x < 0.0:                ->      x_bar = value
        x_bar = -1.0                   return value, (x_bar,)
    else:
        x_bar = value
    return value, (x_bar,)

>>> from adcompile import grad
>>> def tax(income, limit):
...     if income <= limit:
...         return 0.1 * income
...     return 0.1 * limit + (income - limit) ** 2
>>> print(grad(tax).source_for(3.0, 2.0).partition("# Forward sweep")[2])
<BLANKLINE>
    if income <= limit:
        return 0.1 * income, (0.1, 0.0)
    income_minus_limit = income - limit
<BLANKLINE>
    # Backward sweep
    # return 0.1 * limit + (income - limit) ** 2
    income_bar = 2.0 * income_minus_limit
    limit_bar = 0.1 - income_bar
<BLANKLINE>
    return 0.1 * limit + income_minus_limit**2, (income_bar, limit_bar)
<BLANKLINE>
"""

from __future__ import annotations

import builtins
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from adcompile.analyses.memory.groups import Memory, memory_of, memory_read, works_on_arrays
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Scalar
from adcompile.ir.walk import binds, expressions, read_in, reads, rebuild, statements, substitute, walk

if TYPE_CHECKING:
    from collections import Counter


def early_returns(function: n.Function) -> None:
    """Return at the end of each way through a branch that both sweeps end with, in place."""
    function.body = _Ways(function).split(function.body)


class _Ways:
    def __init__(self, function: n.Function) -> None:
        self.function = function

    @cached_property
    def memory(self) -> Memory:
        """Who shares memory with whom."""
        return memory_of(self.function)

    @cached_property
    def uses(self) -> Counter[n.Variable]:
        """How often each variable is read."""
        return read_in(self.function.body)

    def split(self, body: list[n.Stmt]) -> list[n.Stmt]:
        """A body that ends with the branches of both sweeps, with these in one; the same where it does not."""
        match self.returned(body):
            case [*before, n.If() as forward, n.Remark() as remark, n.If() as backward, n.Return() as last] if (
                remark.section is n.Section.BACKWARD and self.is_same(forward, backward)
            ):
                pass
            case _:
                return body
        first, second = (
            self.returned(self.split([*one, remark, *other, replace(last)]))
            for one, other in ((forward.then, backward.then), (forward.orelse, backward.orelse))
        )
        test = forward.test
        match before:
            case [*others, n.Assign(target=target, value=value)] if test == n.Read(target) and self.uses[target] == 2:
                before, test = others, value  # the two tests
        return [*before, n.If(test, first, [], origin=forward.origin), *second]

    def is_same(self, forward: n.If, backward: n.If) -> bool:
        """Whether the branches of both sweeps have the same test, which the forward sweep does not change."""
        inside = [s for block in (forward.then, forward.orelse) for s in statements(block)]
        held = memory_read(forward.test)
        return (
            forward.test == backward.test
            and bool(forward.orelse and backward.orelse)
            and reads(forward.test).isdisjoint(v for s in inside for v in binds(s))
            and not (held and any(self.memory.changes(s, held) for s in inside))
        )

    def returned(self, way: list[n.Stmt]) -> list[n.Stmt]:
        """Lines that end with a `return`, without names for numbers that are only returned."""
        match way:
            case [*lines, n.Return() as last]:
                pass
            case _:
                return way
        value = last.value
        kept: list[n.Stmt] = []  # backwards
        read: set[n.Variable] = set()  # in them
        bound: set[n.Variable] = set()
        while lines:
            stmt = lines.pop()
            if isinstance(stmt, n.Assign) and stmt.target not in read and _goes(stmt, value):
                held = memory_read(stmt.value)
                if not reads(stmt.value) & bound and not any(self.memory.changes(s, held) for s in statements(kept)):
                    value = _unwrapped(substitute(value, {stmt.target: stmt.value}))
                    continue
            kept.append(stmt)
            if isinstance(stmt, n.If) and not any(isinstance(s, n.Assign) and _goes(s, value) for s in lines):
                break  # nothing in front of it goes
            for s in statements([stmt]):
                read.update(*map(reads, expressions(s)))
                bound.update(binds(s))
        kept = [*lines, *reversed(kept)]
        if kept and isinstance(kept[-1], n.Remark):
            kept.pop()
        return [*kept, replace(last, value=value)]


def _unwrapped(expr: n.Expr) -> n.Expr:
    """An expression with literals that are not cast to what they are."""
    match expr:
        case n.Call(func=n.Ref(value=builtins.float), args=(n.Const(value=float()) as number,)):
            return number
        case _:
            return rebuild(expr, _unwrapped)


def _goes(stmt: n.Assign, returned: n.Expr) -> bool:
    """Whether a number that no line reads is returned, and written as short there as by its name."""
    if stmt.target.role is n.Role.USER or not isinstance(stmt.value.kind, Scalar):
        return False
    count = sum(e == n.Read(stmt.target) for e in walk(returned))
    if isinstance(stmt.value, n.Const | n.Read):
        return count > 0
    return count == 1 and stmt.target.role is n.Role.RESULT and not works_on_arrays(stmt.value)
