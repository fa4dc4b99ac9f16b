"""Several additions to one item become one.

    a_bar[k] += g * y            a_bar[k] += g * y + h * z
    h = g * x              ->
    a_bar[k] += h * z

They must belong to one statement of the user's, and nothing in between may read the array or change what is added. An
item that is set to zero is not set where the next line that comes to it adds to it: that line sets it.

>>> import numpy as np
>>> from adcompile import grad
>>> def square(x, k):
...     return x[k] * x[k]
>>> print(grad(square).source_for(np.ones(2), 0).partition("x_bar = np.zeros_like(x)")[2])
<BLANKLINE>
    x_bar[k] = x[k] + x[k]
<BLANKLINE>
    return x[k] * x[k], (x_bar,)
<BLANKLINE>
"""

from __future__ import annotations

from adcompile.analyses.memory.groups import Memory, memory_of
from adcompile.analyses.whole_numbers.subscripts import base_of
from adcompile.ir import nodes as n
from adcompile.ir.algebra import gives_the_same, is_number, simplify
from adcompile.ir.kinds import Array, Scalar
from adcompile.ir.walk import binds, blocks, expressions, reads, walk

_LARGEST = 24  # nodes of what is added in one line


def join(function: n.Function) -> bool:
    """Join additions to the same item, in place; whether anything changed."""
    return _block(function.body, memory_of(function))


def _block(body: list[n.Stmt], memory: Memory) -> bool:
    changed = False
    for stmt in body:
        for inner in blocks(stmt):
            changed |= _block(inner, memory)
    k = 0
    while k < len(body):
        later = _later(body, k, memory)
        if later is None:
            k += 1
            continue
        body[later] = _joined(body[k], body[later])
        del body[k]
        changed = True
    return changed


def _later(body: list[n.Stmt], k: int, memory: Memory) -> int | None:
    """Where the next addition to the same item stands, if that of line k may wait until then."""
    first = body[k]
    if not isinstance(first, n.Augment | n.Store) or not isinstance(first.target, n.Subscript):
        return None
    base = base_of(first.target)
    if not (
        isinstance(base, n.Read)
        and base.variable.role is n.Role.ADJOINT
        and isinstance(first.target.kind, Scalar)
        and isinstance(first.target.value.kind, Array)
        and isinstance(first.value.kind, Scalar)
        and (isinstance(first, n.Store) or first.op in "+-")
    ):
        return None
    used = reads(first.target) | reads(first.value)

    def touches(expr: n.Expr) -> bool:
        return any(memory.related(base.variable, v) for v in reads(expr))

    if touches(first.value) or not gives_the_same(first.value):
        return None
    clears = isinstance(first, n.Store) and is_number(first.value, 0)
    for at in range(k + 1, len(body)):
        stmt = body[at]
        if clears and isinstance(stmt, n.Remark):
            continue
        if (stmt.origin is not first.origin and not clears) or blocks(stmt):
            return None
        if isinstance(stmt, n.Augment) and stmt.target == first.target and stmt.op in "+-":
            size = len(walk(stmt.value)) + len(walk(first.value))
            return at if not touches(stmt.value) and size < _LARGEST else None
        others = n.Assign | n.Augment if clears else n.Assign
        if not isinstance(stmt, others) or any(map(touches, expressions(stmt))):
            return None
        if isinstance(stmt, n.Augment) and touches(stmt.target):
            return None
        if used & set(binds(stmt)):
            return None
    return None


def _joined(first: n.Stmt, second: n.Stmt) -> n.Stmt:
    if not isinstance(first, n.Augment | n.Store) or not isinstance(second, n.Augment):
        raise TypeError

    def total(op: str, left: n.Expr, right: n.Expr) -> n.Expr:
        return simplify(n.Binary(op, left, right, kind=right.kind))

    a, b = first.value, second.value
    if isinstance(first, n.Store):
        if is_number(a, 0):
            b = b if second.op == "+" else simplify(n.Unary("-", b, kind=b.kind))
            return n.Store(first.target, b, origin=second.origin)
        return n.Store(first.target, total(second.op, a, b), origin=second.origin)
    if first.op == "+":
        return n.Augment(second.target, "+", total(second.op, a, b), origin=second.origin)
    if second.op == "+":
        return n.Augment(second.target, "+", total("-", b, a), origin=second.origin)
    return n.Augment(second.target, "-", total("+", a, b), origin=second.origin)
