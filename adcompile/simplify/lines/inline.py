"""Names that are read once go where they are read.

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def line(a, b, c):
...     t = a * b
...     y = t + c
...     return y
>>> function = read(line)
>>> function.locals["t"].role = n.Role.TEMPORARY
>>> inline(function)
True
>>> print(show(function))
def line(a, b, c):
    y = ((a * b) + c)
    return y
"""

from __future__ import annotations

from functools import cached_property

from adcompile.analyses.memory.effects import changed_by
from adcompile.analyses.memory.groups import Memory, memory_of, memory_read, works_on_arrays
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Callable
from adcompile.ir.walk import (
    binds,
    blocks,
    change_expressions,
    expressions,
    read_in,
    reads,
    revised,
    set_in,
    statements,
    substitute,
    walk,
)
from adcompile.simplify.lines.copies import is_named
from adcompile.simplify.lines.dead import may_draw, may_raise, pure
from adcompile.texts.generated import is_generated

_LARGEST = 40  # nodes of an expression, beyond which a name helps the reader
_SMALL = 4


def inline(function: n.Function, *, early: bool = True) -> bool:
    """Inline names in place; whether anything changed. `early`: a value made of arrays is not made at the very end."""
    uses = read_in(function.body)
    ours = is_generated(function.source.filename)
    once = {v for v, count in set_in(function.body).items() if count == 1 and uses[v] == 1 and (ours or _may_go(v))}
    return _Inlining(function, once, early).block(function.body)


def _is_early(stmt: n.Assign) -> bool:
    """Whether a line makes the value of arrays, which would be kept for it until the end."""
    return stmt.target.role is n.Role.RESULT and works_on_arrays(stmt.value)


def _may_go(variable: n.Variable) -> bool:
    if is_named(variable):
        return False
    return variable.role in (
        n.Role.TEMPORARY, n.Role.RESULT, n.Role.PARTIAL, n.Role.ADJOINT, n.Role.TANGENT, n.Role.KEPT
    )


class _Inlining:
    """Puts the names of a function where they are read."""

    def __init__(self, function: n.Function, once: set[n.Variable], early: bool) -> None:  # noqa: FBT001 - one choice
        self.function = function
        self.once = once
        self.early = early

    @cached_property
    def memory(self) -> Memory:
        """Who shares memory with whom. What moves takes nothing away from that, so any time will do."""
        return memory_of(self.function)

    def block(self, body: list[n.Stmt], *, adjacent: bool = False) -> bool:
        """Inline names in a block, only into the next line where `adjacent`; whether anything changed."""
        changed = False
        k = 0
        while k < len(body):
            stmt = body[k]
            if isinstance(stmt, n.Assign) and stmt.target in self.once and not (self.early and _is_early(stmt)):
                user = self.user(body[: k + 2] if adjacent else body, k, stmt)
                if user is not None:
                    value, target = stmt.value, stmt.target
                    if user.origin is None and value.span is None and stmt.origin is not None:
                        value = revised(value, span=stmt.origin.span)  # by which the line of an error is found
                    _put(user, target, value)
                    del body[k]
                    changed = True
                    k = max(k - 1, 0)
                    continue
            for inner in blocks(stmt):
                # in a `try`, what raises must not move past what then would have been done
                changed |= self.block(inner, adjacent=adjacent or isinstance(stmt, n.Try))
            k += 1
        return changed

    def user(self, body: list[n.Stmt], k: int, stmt: n.Assign) -> n.Stmt | None:
        """The statement that reads a name, if the name's value may be computed there instead."""
        target, value = stmt.target, stmt.value
        inputs = reads(value)
        held = memory_read(value)
        is_pure = pure(value)
        raises = may_raise(value)
        for other in body[k + 1 :]:
            for e in expressions(other):
                if target in reads(e):
                    return other if _fits(stmt, other, is_pure=is_pure) else None
            inside = list(statements((other,))) if blocks(other) else [other]
            if len(inside) > 1 and any(target in reads(e) for s in inside for e in expressions(s)):
                return None  # read inside a loop or branch
            for s in inside:
                if not inputs.isdisjoint(binds(s)) or (held and self.memory.changes(s, held)):
                    return None
            if not is_pure and not isinstance(other, n.Remark | n.NewTape):
                return None
            if raises and any(may_draw(e) for s in inside for e in expressions(s)):
                return None  # what raises must not move past what then would not have been done
        return None


def _put(user: n.Stmt, target: n.Variable, value: n.Expr) -> None:
    change_expressions(user, lambda e: substitute(e, {target: value}) if target in reads(e) else e)


def _fits(stmt: n.Assign, user: n.Stmt, *, is_pure: bool) -> bool:
    if isinstance(user, n.While | n.Define):
        return False
    if not is_pure and any(
        isinstance(e, n.Conditional | n.Bool) and stmt.target in reads(e) for x in expressions(user) for e in walk(x)
    ):
        return False  # there it may not be evaluated
    if not is_pure and isinstance(user, n.Store | n.Augment) and not isinstance(user.target, n.Read):
        return False  # Python reads the place before it makes the call
    target, value = stmt.target, stmt.value
    for expr in expressions(user):
        if target not in reads(expr):
            continue
        for e in walk(expr):
            if isinstance(e, n.Opaque | n.Lambda) and target in reads(e):
                return False
        if not (is_pure and not may_raise(value)) and not _first(expr, target, set(changed_by(n.Evaluate(value)))):
            return False
        if isinstance(value.kind, Callable):
            return False
        temporary = target.role in (n.Role.TEMPORARY, n.Role.RESULT) and target.of is None
        if temporary and stmt.origin is not None and user.origin is stmt.origin and not _is_backward(target):
            return True  # the user wrote it as one expression
        size = len(walk(value))
        whole = len(walk(expr)) + size
        if isinstance(user, n.Store | n.Augment) and isinstance(value.kind, Array) and size > _SMALL * 3:
            return False
        inner_temporary = target.of is not None and target.of.role in (n.Role.TEMPORARY, n.Role.RESULT)
        return (
            whole <= (_LARGEST if inner_temporary or temporary or target.role is n.Role.PARTIAL else _SMALL * 2)
            or size <= _SMALL
        )
    return False


def _is_backward(variable: n.Variable) -> bool:
    return variable.role in (n.Role.ADJOINT, n.Role.PARTIAL)


def _first(expr: n.Expr, variable: n.Variable, altered: set[n.Variable]) -> bool:
    """Whether nothing with an effect is evaluated before the variable is read, and nothing that the value alters."""
    for e in walk(expr):
        if isinstance(e, n.Read) and e.variable is variable:
            return True
        if isinstance(e, n.Read) and e.variable in altered:
            return False
        if isinstance(e, n.Call) and not pure(n.Call(e.func)) and variable not in reads(e):
            return False
    return True
