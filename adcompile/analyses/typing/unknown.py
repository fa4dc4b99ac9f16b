"""Where knowledge got lost: the expression that made a function's result one of which nothing is known.

A refusal points there, rather than at the result, in which any number of lines may have had a part.

>>> from adcompile.ir.kinds import Scalar
>>> from adcompile.analyses.typing.program import Program
>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def f(x):
...     y = memoryview(x)
...     z = y[0]
...     return z
>>> typed = Program(read).infer(f, (Scalar("float64"),))
>>> found = first_unknown(typed)
>>> show(found), found.kind.reason
('memoryview@builtin(x)', 'the result of `memoryview`')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Unknown
from adcompile.ir.walk import children, statements, targets

if TYPE_CHECKING:
    from adcompile.analyses.typing.typed import Typed


def first_unknown(typed: Typed) -> n.Expr | None:
    """The expression at which it got lost what the value of a typed function is; None where it did not."""
    for stmt in statements(typed.body):
        if isinstance(stmt, n.Return) and isinstance(stmt.value.kind, Unknown):
            return _source(stmt.value, typed.body, set())
    return None


def _source(expr: n.Expr, body: list[n.Stmt], seen: set[n.Variable]) -> n.Expr:
    """Follow an expression of unknown kind to what is unknown in it, and names to what they were set to."""
    for part in _parts(expr):
        if isinstance(part.kind, Unknown):
            return _source(part, body, seen)
    if isinstance(expr, n.Read) and expr.variable not in seen:
        seen.add(expr.variable)
        for stmt in statements(body):
            value = _sets(stmt, expr.variable)
            if value is not None and isinstance(value.kind, Unknown):
                found = _source(value, body, seen)
                if found.span is not None:
                    return found
    return expr


def _parts(expr: n.Expr) -> tuple[n.Expr, ...]:
    """What a value comes from: of a call, what it is given."""
    match expr:
        case n.Slice() | n.Lambda() | n.Opaque():
            return ()
        case n.Call(func=func, args=args, keywords=keywords):
            receiver = (func.value,) if isinstance(func, n.Attribute) else ()
            return (*receiver, *args, *(value for _, value in keywords))
        case _:
            return children(expr)


def _sets(stmt: n.Stmt, variable: n.Variable) -> n.Expr | None:
    """What a statement sets a variable to, or a part of it."""
    match stmt:
        case n.Assign(target=target, value=value) if target is variable:
            return value
        case n.Unpack(pattern=pattern, value=value) if variable in targets(pattern):
            return value
        case n.Augment(target=n.Read(variable=target), value=value) if target is variable:
            return value
        case n.For(target=pattern, iterable=iterable) if variable in targets(pattern):
            return iterable
        case _:
            return None
