"""Adjoints of rows: added to where they belong, instead of put together first.

    c_bar = np.zeros_like(c)
    c_bar[0] = e                         c_bar = a_bar[k]
    c_bar[2] += g                  ->    c_bar[0] += e
    a_bar[k] += c_bar                    c_bar[2] += g

The row must be a view, and nothing may read or change the whole in between except by adding to it.

>>> import numpy as np
>>> from adcompile import grad
>>> def products(a):
...     total = 0.0
...     for k in range(len(a)):
...         c = a[k]
...         total += c[0] * c[2]
...     return total
>>> print(grad(products).source_for(np.ones((2, 3))).partition("# total += c[0] * c[2]")[2])
<BLANKLINE>
        c_bar = a_bar[k]
        c_bar[2] += c_0
        c_bar[0] += c_2
<BLANKLINE>
    return total, (a_bar,)
<BLANKLINE>
"""

from __future__ import annotations

import numpy as np

from adcompile.analyses.memory.groups import memory_of
from adcompile.analyses.memory.regions import is_view
from adcompile.analyses.whole_numbers.subscripts import base_of
from adcompile.ir import nodes as n
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import Array, Static
from adcompile.ir.walk import binds, blocks, expressions, reads, statements, walk


def rows(function: n.Function) -> bool:
    """Let adjoints of rows be views, in place; whether anything changed."""
    uses: dict[n.Variable, int] = {}
    sets: dict[n.Variable, int] = {}
    for stmt in statements(function.body):
        for variable in binds(stmt):
            sets[variable] = sets.get(variable, 0) + 1
        for expr in expressions(stmt):
            for e in walk(expr):
                if isinstance(e, n.Read):
                    uses[e.variable] = uses.get(e.variable, 0) + 1
    return _block(function.body, function, uses, sets)


def _block(body: list[n.Stmt], function: n.Function, uses: dict[n.Variable, int], sets: dict[n.Variable, int]) -> bool:
    changed = False
    for stmt in body:
        for inner in blocks(stmt):
            changed |= _block(inner, function, uses, sets)
    k = len(body) - 1
    while k > 0:
        match body[k]:
            case n.Augment(
                target=n.Subscript(value=n.Read(variable=whole), index=index) as row,
                op="+",
                value=n.Read(variable=part),
            ) if part.role is whole.role is n.Role.ADJOINT and _is_row(row) and sets.get(part) == 1:
                start = _made(body[:k], part, row)
                if start is not None and _may_be_view(body[start + 1 : k], part, whole, index, uses, function):
                    _let_be_view(body, start, k, row)
                    part.view_of = whole
                    changed = True
        k -= 1
    return changed


def _is_row(row: n.Subscript) -> bool:
    """Whether an item of an array is a view of one row, or of a row of a row."""
    indices = index_parts(row.index)
    whole = row.value.kind
    return (
        is_view(row)
        and all(isinstance(e, n.Read | n.Const) for e in indices)
        and isinstance(row.kind, Array)
        and bool(row.kind.dims)
        and isinstance(whole, Array)
        and whole.rank is not None
        and row.kind.rank == whole.rank - len(indices)
    )


def _made(body: list[n.Stmt], part: n.Variable, row: n.Subscript) -> int | None:
    """Where an adjoint is made of zeros, as large as the row."""
    for k in range(len(body) - 1, -1, -1):
        match body[k]:
            case n.Assign(
                target=target, value=n.Call(func=n.Attribute(kind=Static(value=np.zeros_like)), args=(like,)) as zeros
            ) if target is part:
                return k if zeros.kind == row.kind == like.kind else None
            case stmt if part in binds(stmt):
                return None
    return None


def _may_be_view(
    between: list[n.Stmt],
    part: n.Variable,
    whole: n.Variable,
    index: n.Expr,
    uses: dict[n.Variable, int],
    function: n.Function,
) -> bool:
    """Whether the lines between only add to a row, and to the whole; the first may set an item of the row."""
    first = True
    count = 1  # where it is added to the whole
    for stmt in between:
        for inner in statements([stmt]):
            if set(binds(inner)) & {whole, *reads(index)}:
                return False
            found = sum(isinstance(e, n.Read) and e.variable is part for x in expressions(inner) for e in walk(x))
            count += found
            rest = _added(inner, {part, whole})
            if rest is None and first and inner is stmt and isinstance(inner, n.Store) and _is_in(inner.target, {part}):
                rest = inner.value
            if rest is not None:
                if {part, whole} & reads(rest):
                    return False
            elif any({part, whole} & reads(e) for e in expressions(inner)):
                return False
            first = first and not found
    return count == uses.get(part, 0) and memory_of(function).is_alone(whole)


def _added(stmt: n.Stmt, to: set[n.Variable]) -> n.Expr | None:
    """What a statement adds to one of several variables, or subtracts from it, if it does."""
    if isinstance(stmt, n.Augment) and stmt.op in "+-" and _is_in(stmt.target, to):
        return stmt.value
    return None


def _is_in(place: n.Expr, variables: set[n.Variable]) -> bool:
    base = base_of(place)
    return isinstance(base, n.Read) and base.variable in variables


def _let_be_view(body: list[n.Stmt], start: int, end: int, row: n.Subscript) -> None:
    made = body[start]
    if not isinstance(made, n.Assign):
        raise TypeError
    body[start] = n.Assign(made.target, row, origin=made.origin)
    for k in range(start + 1, end):
        stmt = body[k]
        if isinstance(stmt, n.Store) and _is_in(stmt.target, {made.target}):
            body[k] = n.Augment(stmt.target, "+", stmt.value, origin=stmt.origin)
    del body[end]
