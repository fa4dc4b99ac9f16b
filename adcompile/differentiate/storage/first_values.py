"""`t = None` stands in front of the forward sweep only where the backward sweep may ask for a `t` that was never set.

Elsewhere it would hide what Python says of it: a line of the user's that reads `t` raises `UnboundLocalError`.

    t = None                                  r = 0.0
    r = 0.0                                   if c:
    if c:                             ->          t = x
        t = x                                 value = np.sum(t) + r
    value = np.sum(t) + r                     t_bar = np.broadcast_to(1.0, t.shape)
    t_bar = np.broadcast_to(1.0, t.shape)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcompile.ir import nodes as n
from adcompile.ir.kinds import BOOL, Text
from adcompile.ir.make import NOTHING, apply, together
from adcompile.ir.walk import binds, blocks, children, expressions, reads, statements, walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adcompile.differentiate.storage.sweep import Sweep

_OWN_ROLES = (n.Role.USER, n.Role.TEMPORARY, n.Role.RESULT)


def lines_of_the_user(sweep: Sweep) -> set[n.Stmt]:
    """The statements of the forward sweep that are the function's own."""
    return {
        s for s in statements(sweep.forward)
        if s.origin is not None and not isinstance(s, n.Push) and all(v.role in _OWN_ROLES for v in binds(s))
    }


def drop_first_values(sweep: Sweep, own: set[n.Stmt], extra: list[n.Expr]) -> None:
    """Take out what no line asks for but those of the user (`own`); `extra` is read behind the backward sweep."""
    lines = [*sweep.backward, n.Evaluate(together(*extra))]
    firsts: dict[n.Variable, list[n.Stmt]] = {}
    for stmt in sweep.forward:
        match stmt:
            case n.Assign(target=target, value=n.Const(value=None), origin=None):
                firsts.setdefault(target, []).append(stmt)
    for stmt in statements(sweep.forward):
        if isinstance(stmt, n.Delete):
            firsts.pop(stmt.variable, None)
    for variable, found in firsts.items():
        follow = _Walk(variable, own)
        follow.after([*(s for s in sweep.forward if s not in found), *lines], is_set=False)
        if not follow.asked and not sweep.replayed:  # snapshots keep what there is, set or not
            sweep.forward[:] = [s for s in sweep.forward if s not in found]
        else:
            _check_first_read(variable, found, sweep.forward, own)


def _check_first_read(variable: n.Variable, firsts: list[n.Stmt], forward: list[n.Stmt], own: set[n.Stmt]) -> None:
    """Have the first line of the user's behind all loops and branches that reads what may be None raise, as it does."""
    for k, stmt in enumerate(forward):
        parts = (e for expr in expressions(stmt) for e in walk(expr) if stmt in own and not blocks(stmt))
        read = next((e for e in parts if isinstance(e, n.Read) and e.variable is variable), None)
        if read is None:
            continue
        if not _Walk(variable, own).after([s for s in forward[:k] if s not in firsts], is_set=False):
            message = f"cannot access local variable {variable.name!r} where it is not associated with a value"
            error = apply(UnboundLocalError, n.Const(message, kind=Text("a message")))
            raised = n.Raise(error, None, origin=stmt.origin)
            unset = n.Compare(("is",), (read, NOTHING), kind=BOOL)
            forward.insert(k, n.If(unset, [raised], [], origin=stmt.origin))
        return


class _Walk:
    """Follows one variable from line to line; `asked` becomes true where a line not the user's may find it unset."""

    def __init__(self, variable: n.Variable, own: set[n.Stmt]) -> None:
        self.variable = variable
        self.own = own
        self.asked = False

    def after(self, body: Iterable[n.Stmt], *, is_set: bool) -> bool:
        """Whether the variable is certainly set behind a block."""
        for stmt in body:
            is_set = self.one(stmt, is_set=is_set)
        return is_set

    def one(self, stmt: n.Stmt, *, is_set: bool) -> bool:
        exprs = [*expressions(stmt), *([stmt.target] if isinstance(stmt, n.Augment) else [])]
        if not is_set and any(self.variable in reads(e) for e in exprs):
            if stmt in self.own:
                is_set = any(self.certainly_read(e) for e in exprs)
            else:
                self.asked = True
        inner = [self.after(block, is_set=is_set) for block in blocks(stmt)]
        if isinstance(stmt, n.If):
            return all(inner)
        return is_set or (not inner and self.variable in binds(stmt))

    def certainly_read(self, e: n.Expr) -> bool:
        match e:
            case n.Read(variable=variable):
                return variable is self.variable
            case n.Bool(operands=(first, *_)):
                return self.certainly_read(first)
            case n.Conditional(test=test):
                return self.certainly_read(test)
            case n.Binary() | n.Unary() | n.Call() | n.Subscript() | n.Attribute() | n.Display():
                return any(map(self.certainly_read, children(e)))
            case _:
                return False
