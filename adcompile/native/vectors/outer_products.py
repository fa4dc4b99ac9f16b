"""A product of two vectors that is added to a matrix is added row by row: Numba would make a matrix of it first.

    w_bar += np.outer(g, x)         for i in range(len(g)):
                              ->        factor = g[i]
                                        row = w_bar[i]
                                        for j in range(len(x)):
                                            row[j] += factor * x[j]

Only of 64-bit floats, and where the vectors share no memory with the matrix.

>>> from adcompile.ir.show import show
>>> from adcompile.source import FunctionSource
>>> w, g, x = (n.Read(n.Variable(v), kind=Array("float64", (3,) * rank)) for v, rank in (("w", 2), ("g", 1), ("x", 1)))
>>> product = n.Call(n.Attribute(n.Ref("np", np, "rule"), "outer", kind=Static(np.outer)), (g, x), kind=w.kind)
>>> function = n.Function("f", [], [n.Augment(w, "-", product)], FunctionSource("f", "f.py", "", 1))
>>> outer_products(function)
>>> print(show(function.body).replace("@builtin", "").replace("<step ", "<"))
if (len(w) != len(g) or w.shape[1] != len(x)):
    raise ValueError('operands could not be broadcast together')
for <i> in range(len(g)):
    <factor> = g[<i>]
    <row> = w[<i>]
    for <j> in range(len(x)):
        <row>[<j>] -= (<factor> * x[<j>])
"""

from __future__ import annotations

import numpy as np

from adcompile.analyses.memory.groups import Memory, memory_of
from adcompile.ir import nodes as n
from adcompile.ir.kinds import BOOL, INT, Array, Static, same_shape
from adcompile.ir.make import len_of, raise_if, range_of
from adcompile.ir.walk import blocks, reads
from adcompile.native.vectors.loops import NOT_ALIKE, NUMBER, is_vector


def outer_products(function: n.Function) -> None:
    """Write out the additions of outer products to matrices in a function, in place."""
    _block(function.body, memory_of(function))


def _block(body: list[n.Stmt], memory: Memory) -> None:
    new: list[n.Stmt] = []
    for stmt in body:
        for inner in blocks(stmt):
            _block(inner, memory)
        match stmt:
            case n.Augment(
                target=n.Read(variable=into, kind=Array(dtype="float64", rank=2)),
                op="+" | "-",
                value=n.Call(func=n.Expr(kind=Static(value=np.outer)), args=(left, right), keywords=()),
            ) if (
                is_vector(left)
                and is_vector(right)
                and same_shape(stmt.target.kind, stmt.value.kind)
                and not memory.reaches(into, set(reads(left) | reads(right)))
            ):
                new += _written_out(stmt, left, right)
            case _:
                new.append(stmt)
    body[:] = new


def _written_out(stmt: n.Augment, left: n.Expr, right: n.Expr) -> list[n.Stmt]:
    lines: list[n.Stmt] = []
    rows, columns = (_named(e, lines) for e in (left, right))
    width = n.Subscript(n.Attribute(stmt.target, "shape"), n.Const(1, kind=INT), kind=INT)
    tests = [_differ(len_of(stmt.target), len_of(rows)), _differ(width, len_of(columns))]
    i, j = (n.Read(n.Variable(name, n.Role.STEP), kind=INT) for name in "ij")
    factor = n.Read(n.Variable("factor", n.Role.STEP), kind=NUMBER)
    row = n.Read(n.Variable("row", n.Role.STEP), kind=columns.kind)
    product = n.Binary("*", factor, n.Subscript(columns, j, kind=NUMBER), kind=NUMBER)
    inner = n.For(j, range_of(len_of(columns)), [n.Augment(n.Subscript(row, j, kind=NUMBER), stmt.op, product)], [])
    named = [
        n.Assign(factor.variable, n.Subscript(rows, i, kind=NUMBER)),
        n.Assign(row.variable, n.Subscript(stmt.target, i, kind=row.kind)),
    ]
    loop = n.For(i, range_of(len_of(rows)), [*named, inner], [], origin=stmt.origin)
    return [*lines, *raise_if(tests, NOT_ALIKE), loop]


def _named(e: n.Expr, lines: list[n.Stmt]) -> n.Read:
    """A vector by a name of its own."""
    if isinstance(e, n.Read):
        return e
    held = n.Variable("part", n.Role.STEP)
    lines.append(n.Assign(held, e))
    return n.Read(held, kind=e.kind)


def _differ(a: n.Expr, b: n.Expr) -> n.Expr:
    return n.Compare(("!=",), (a, b), kind=BOOL)
