"""Lists of None that are filled later: tried where a program with one would be refused otherwise.

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def powers(x, n):
...     xs = [None for _ in range(n)]
...     xs[0] = x
...     return xs
>>> function = read(powers)
>>> leave_unset(function)
>>> print(show(function))
def powers(x, n):
    xs = ([None] * n)
    xs[0] = x
    return xs

An item that is None is taken for one that is not there, so the list is of the kind of what it is filled with. Python
raises where such an item is computed with, and so does the text. Where it is asked for None, the run decides.
"""

from __future__ import annotations

from adcompile.analyses.typing.inference.statements import UNREACHABLE
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.indices import is_none
from adcompile.ir.kinds import NEVER, NONE, Never, Scalar
from adcompile.ir.make import len_of
from adcompile.ir.walk import change_expressions, children, expressions, rebuild, statements, walk

_UNSET = n.Const(None, kind=NEVER)
_ASKING = (isinstance, type, callable, hasattr)


def fills_none(function: n.Function) -> bool:
    """Whether a function makes a list of None."""
    whole = (e for s in statements(function.body) for e in expressions(s))
    return any(_filled(part) is not None for e in whole for part in walk(e))


def leave_unset(function: n.Function) -> None:
    """Take the items of lists of None for items that are not there, in place."""
    for stmt in statements(function.body):
        for whole in expressions(stmt):
            _check(whole)
        change_expressions(stmt, _unset)


def check_set(body: list[n.Stmt]) -> None:
    """Refuse a body that reads an item where nothing says what it becomes, or needs the zero of one that is None."""
    for stmt in statements(body):
        error = stmt.error if isinstance(stmt, n.Raise) else None
        unclear = isinstance(error, n.Call) and error.args == (n.Const(UNREACHABLE),)
        asked = (e.operands for whole in expressions(stmt) for e in walk(whole) if isinstance(e, n.Compare))
        if unclear or any(map(_asks_for_unset, asked)):
            raise UnsupportedError(
                "cannot differentiate this item of a list of None",
                span=None if stmt.origin is None else stmt.origin.span,
                reason="What it is before it is set is not known when compiling.",
                remedy="Start with an empty list, and append to it.",
            )


def _asks_for_unset(pair: tuple[n.Expr, ...]) -> bool:
    """Whether something else than a number is asked for None."""
    asks = any(is_none(e) and isinstance(e.kind, Never) for e in pair)
    return asks and not all(isinstance(e.kind, Scalar | Never) or e.kind == NONE for e in pair)


def _check(expr: n.Expr) -> None:
    """Refuse a question about a kind: an item that is None would be taken for a number."""
    if isinstance(expr, n.Call) and n.object_of(expr.func) in _ASKING:
        raise UnsupportedError(
            "cannot differentiate a question about the type of a value beside a list of None",
            span=expr.span,
            reason="Whether an item of the list is None by then is not known when compiling.",
            remedy="Start with an empty list, and append to it.",
        )
    for part in children(expr):
        _check(part)


def _unset(expr: n.Expr) -> n.Expr:
    expr = rebuild(expr, _unset)
    match expr:
        case n.Compare(ops=(("is" | "is not"),), operands=(a, b)) if is_none(a) != is_none(b):
            return n.Compare(expr.ops, (_UNSET, b) if is_none(a) else (a, _UNSET), span=expr.span)
        case _ if (many := _filled(expr)) is not None:
            return n.Binary("*", n.Display("list", (_UNSET,), span=expr.span), many, span=expr.span)
        case _:
            return expr


def _filled(expr: n.Expr) -> n.Expr | None:
    """How many items a list of None has: `[None] * n`, `[None for _ in range(n)]`; None for anything else."""
    match expr:
        case n.Binary(op="*", left=n.Display(form="list", items=(item,)), right=many) if is_none(item):
            return many
        case n.Comprehension(form="list", element=element, clauses=(n.Clause(iterable=given, conditions=()),)) if (
            is_none(element)
        ):
            one = isinstance(given, n.Call) and n.object_of(given.func) is range and len(given.args) == 1
            return given.args[0] if one and isinstance(given, n.Call) else len_of(given)
        case _:
            return None
