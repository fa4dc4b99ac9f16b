"""Updates of an array by parts of itself, which Numba makes element by element.

    x[1:] += x[:-1]     ->      x[1:] = x[1:] + x[:-1]

NumPy reads all of the right side before it writes; Numba's `+=` reads what it has just written: [0, 1, 2] would become
[0, 1, 3] and not [0, 1, 3 - 0]. A store from an expression is evaluated as a whole by both.

>>> import numpy as np
>>> from adcompile.analyses.typing.program import Program
>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import Array, Sequence
>>> from adcompile.ir.show import show
>>> def f(x, y, xs):
...     x[1:] += x[:-1]
...     x[1:] += y[:-1]
...     x += x.T
...     xs[0] += xs[1]
>>> vector = Array("float64", (4,))
>>> typed = Program(read).infer(f, (vector, vector, Sequence(vector, list)))
>>> function = typed.function
>>> function.body = typed.body
>>> overlaps(function)
>>> print(show(function))
def f(x, y, xs):
    x[1:] = (x[1:] + x[:-1])
    x[1:] += y[:-1]
    x[...] = (x + x.T)
    xs[0][...] = (xs[0] + xs[1])
"""

from __future__ import annotations

from adcompile.analyses.memory.groups import Memory, memory_of, memory_read
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Scalar, Sequence, Static, Struct
from adcompile.ir.walk import blocks
from adcompile.native.checks.fitting import has_more_axes, is_update


def overlaps(function: n.Function) -> None:
    """Write out the updates of a function that may read what they write."""
    memory = memory_of(function)
    _block(function.body, memory)


def _block(body: list[n.Stmt], memory: Memory) -> None:
    for k, stmt in enumerate(body):
        for inner in blocks(stmt):
            _block(inner, memory)
        if not isinstance(stmt, n.Augment) or isinstance(stmt.target.kind, Scalar | Sequence | Struct):
            continue  # of a list, `+=` takes what it is given as it is
        if isinstance(stmt.value.kind, Scalar) or has_more_axes(stmt.value, stmt.target) or not is_update(stmt):
            continue
        held = memory_read(stmt.value)
        if not memory.changes(stmt, held):
            continue
        if _may_be_number(stmt.target) and _is_at_its_place(stmt.value, stmt.target):
            continue
        whole = n.Binary(stmt.op, stmt.target, stmt.value, kind=stmt.target.kind)
        target = stmt.target
        if not (isinstance(target, n.Subscript) and isinstance(target.value.kind, Array)):
            if not isinstance(target, n.Read) and not (isinstance(target.kind, Array) and target.kind.dims):
                continue  # an item of a list, which may be a number: nothing but `+=` does for both
            target = n.Subscript(target, n.Const(..., kind=Static(...)), kind=target.kind)
        body[k] = n.Store(target, whole, origin=stmt.origin)


def _may_be_number(target: n.Expr) -> bool:
    return isinstance(target, n.Read) and isinstance(target.kind, Array) and not target.kind.dims


def _is_at_its_place(value: n.Expr, target: n.Expr) -> bool:
    """Whether each item of a value is made of the same item of a target, so that the order does not matter."""
    match value:
        case n.Binary(op=op, left=left, right=right) if op != "@":
            return _is_at_its_place(left, target) and _is_at_its_place(right, target)
        case n.Unary(operand=operand):
            return _is_at_its_place(operand, target)
        case _:
            return value == target or isinstance(value.kind, Scalar)
