"""The transpose of a matrix is written where it is read, and what is transposed back is the matrix itself.

    b_t = b.T                                logits = a @ b.T
    logits = a @ b_t                 ->      ...
    ...                                      a_bar = logits_bar @ b
    a_bar = logits_bar @ b_t.T

Both share memory, so that what is changed in place shows in both; only the name may not be bound to another one in
between. A loop reads the name that stands ahead of it.

>>> import numpy as np
>>> from adcompile import grad
>>> def f(a, b):
...     return np.sum((a @ b.T) ** 2)
>>> print(grad(f).source_for(np.ones((2, 3)), np.ones((4, 3))).partition("# return")[2].partition("2)")[2])
<BLANKLINE>
    a_b_t_bar = 2.0 * a_b_t
    a_bar = a_b_t_bar @ b
    b_bar = a_b_t_bar.T @ a
<BLANKLINE>
    return value, (a_bar, b_bar)
<BLANKLINE>
"""

from __future__ import annotations

from functools import partial

from adcompile.analyses.memory.effects import changed_by
from adcompile.ir import nodes as n
from adcompile.ir.algebra import untransposed
from adcompile.ir.kinds import Array, Struct
from adcompile.ir.walk import all_blocks, bound_in, change_expressions, expressions, reads, rebuild, statements, walk


def transposes(function: n.Function) -> bool:
    """Read matrices themselves instead of names for their transposes, in place; whether anything changed."""
    changed = False
    for block in list(all_blocks(function.body)):
        for at, stmt in enumerate(block):
            if isinstance(stmt, n.Assign) and stmt.target.role is n.Role.TEMPORARY:
                matrix = untransposed(stmt.value)
                if matrix is not stmt.value and _is_matrix(matrix):
                    changed |= _read_back(block[at + 1 :], stmt, matrix)
    return changed


def _is_matrix(e: n.Expr) -> bool:
    """Whether this is a matrix that has a name, or an item of a container that has one."""
    if not isinstance(e.kind, Array) or e.kind.rank != 2:
        return False
    match e:
        case n.Subscript(value=n.Read(kind=Struct()), index=n.Const()):
            return True
        case _:
            return isinstance(e, n.Read)


def _read_back(later: list[n.Stmt], named: n.Assign, matrix: n.Expr) -> bool:
    """Put the matrix for what is turned, up to where a name stands for something else, or holds other items."""
    changed = False
    turned = named.target
    names = {turned, *reads(matrix)}
    for stmt in later:
        altered = {v for s in statements([stmt]) for v in changed_by(s)}
        if names & set(bound_in([stmt])) or turned in altered or (isinstance(matrix, n.Subscript) and names & altered):
            break
        value = n.Read(turned, kind=named.value.kind) if isinstance(stmt, n.For | n.While) else named.value
        for inner in statements([stmt]):
            read = [e for whole in expressions(inner) if turned in reads(whole) for e in walk(whole)]
            if any(_is_turned_back(e, turned) for e in read) or (read and value is named.value):
                change_expressions(inner, partial(_changed, turned=turned, value=value, matrix=matrix))
                changed = True
    return changed


def _is_turned_back(e: n.Expr, turned: n.Variable) -> bool:
    inner = untransposed(e)
    return inner is not e and isinstance(inner, n.Read) and inner.variable is turned


def _changed(e: n.Expr, turned: n.Variable, value: n.Expr, matrix: n.Expr) -> n.Expr:
    if _is_turned_back(e, turned):
        return matrix
    if isinstance(e, n.Read) and e.variable is turned:
        return value
    return rebuild(e, lambda part: _changed(part, turned, value, matrix))
