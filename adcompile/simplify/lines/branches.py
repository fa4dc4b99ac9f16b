"""Branches: one that does nothing on its first path is turned around, one that does nothing at all goes.

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def size(x):
...     if x > 0.0:
...         pass
...     else:
...         x = -x
...     return x
>>> function = read(size)
>>> branches(function)
True
>>> print(show(function))
def size(x):
    if (not x > 0.0):
        x = -x
    return x
"""

from __future__ import annotations

from adcompile.analyses.whole_numbers.inequalities import OPPOSITE
from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.kinds import BOOL, Scalar
from adcompile.ir.walk import blocks
from adcompile.simplify.lines.dead import pure

_OPPOSITE = {"is": "is not", "is not": "is", "in": "not in", "not in": "in", "==": "!=", "!=": "=="}


def branches(function: n.Function) -> bool:
    """Tidy up branches in place; whether anything changed."""
    return _block(function.body)


def _block(body: list[n.Stmt]) -> bool:
    changed = False
    for k, stmt in enumerate(list(body)):
        for inner in blocks(stmt):
            changed |= _block(inner)
        if isinstance(stmt, n.If) and _empty(stmt.then) and not _empty(stmt.orelse):
            body[k] = n.If(negated(stmt.test), stmt.orelse, [], origin=stmt.origin)
            changed = True
        elif isinstance(stmt, n.If) and stmt.orelse and _empty(stmt.orelse):
            stmt.orelse = []
            changed = True
    remaining = [s for s in body if not (isinstance(s, n.If) and not s.then and not s.orelse and pure(s.test))]
    if len(remaining) != len(body):
        body[:] = remaining
        changed = True
    return changed


def _empty(body: list[n.Stmt]) -> bool:
    return all(isinstance(s, n.Pass) for s in body)


def negated(test: n.Expr) -> n.Expr:
    """The opposite of a test; `<` turns into `>=` only between integers, where there is no NaN.

    >>> from adcompile.ir.show import show
    >>> i = n.Read(n.Variable("i"), kind=Scalar("int64"))
    >>> show(negated(n.Compare(("<",), (i, i))))
    'i >= i'
    """
    match test:
        case n.Compare(ops=(op,), operands=operands) if op in _OPPOSITE and all(
            isinstance(e.kind, Scalar) or op.startswith(("is", "in", "not")) for e in operands
        ):
            return n.Compare((_OPPOSITE[op],), operands, kind=BOOL, span=test.span)
        case n.Compare(ops=(op,), operands=operands) if op in OPPOSITE and all(
            isinstance(e.kind, Scalar) and e.kind.dtype[0] in "ib" for e in operands
        ):
            return n.Compare((OPPOSITE[op],), operands, kind=BOOL, span=test.span)
        case n.Unary(op="not", operand=inner):
            return inner
        case _:
            return simplify(n.Unary("not", test, kind=BOOL))
