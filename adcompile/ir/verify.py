"""What must hold of the IR between passes; asked in debug mode, which is on in all tests.

>>> from adcompile.ir.kinds import FLOAT
>>> x = n.Variable("x")
>>> untyped([n.Return(n.Read(x, kind=FLOAT))]) is None, untyped([n.Return(n.Read(x))])
(True, Read(variable=<user x>))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcompile.ir import nodes as n
from adcompile.ir.kinds import UNTYPED
from adcompile.ir.show import show
from adcompile.ir.walk import expressions, statements, walk

if TYPE_CHECKING:
    from collections.abc import Iterable


def check_kinds(function: n.Function) -> None:
    """Every node has a kind from who made it; what is not known says why."""
    found = untyped(function.body)
    if found is not None:
        message = f"`{show(found)}` in `{function.name}` was made without a kind"
        raise AssertionError(message)


def untyped(body: Iterable[n.Stmt]) -> n.Expr | None:
    """A node without a kind. A function of the user's within it is kept as its text, and a slice is no value."""
    inside = (e for s in statements(body) if not isinstance(s, n.Define) for x in expressions(s) for e in walk(x))
    return next((e for e in inside if e.kind is UNTYPED and not _is_no_value(e)), None)


def _is_no_value(expr: n.Expr) -> bool:
    """Whether an expression stands for no value: a slice, or a text of which nothing was written down."""
    return isinstance(expr, n.Slice) or (isinstance(expr, n.Opaque) and not expr.pieces)
