"""Parts of a statement that are as cheap to write again as to name: another touch at the end.

    value_tmp = x[:-1]
    value_tmp_1 = y[1:]                           value = np.sum(x[:-1] * y[1:])
    value = np.sum(value_tmp * value_tmp_1)   ->
    y_bar[1:] += value_tmp                        y_bar[1:] += x[:-1]
    x_bar[:-1] += value_tmp_1                     x_bar[:-1] += y[1:]

These are views of arrays and, outside of loops, items of arrays and numbers that one operation makes of others. They
are read twice at most, by lines of the block that sets them, and nothing sets or changes in between what they are made
of.

>>> from adcompile import grad
>>> def f(r, a):
...     return 4.0 * r * (a * a)
>>> print(grad(f).source_for(1.0, 2.0).partition("(a * a)")[2])
<BLANKLINE>
    a_bar = 2 * (4.0 * r) * a
    r_bar = 4.0 * (a * a)
<BLANKLINE>
    return 4.0 * r * (a * a), (r_bar, a_bar)
<BLANKLINE>
"""

from __future__ import annotations

from collections import Counter
from functools import partial

from adcompile.analyses.memory.groups import Memory, memory_of, memory_read
from adcompile.analyses.memory.regions import is_view
from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import Array, Scalar
from adcompile.ir.walk import (
    all_blocks,
    binds,
    blocks,
    change_expressions,
    children,
    expressions,
    reads,
    rebuild,
    set_in,
    statements,
    substitute,
    walk,
)
from adcompile.simplify.lines.dead import attempted, may_draw, may_raise

_MOST = 2  # times that a value is written


def written_again(function: n.Function) -> None:
    """Write cheap parts of statements where they are read, in place."""
    sets = set_in(function.body)
    uses = Counter(v for s in statements(function.body) for v in _read_by(s))
    memory = memory_of(function)
    loops = [s for s in statements(function.body) if isinstance(s, n.For | n.While)]
    looped = {id(block) for loop in loops for block in all_blocks(loop.body)}
    within = attempted(function.body)
    for block in list(all_blocks(function.body)):
        for stmt in [s for s in block if isinstance(s, n.Assign)]:
            target, value = stmt.target, stmt.value
            if target.role is not n.Role.TEMPORARY or sets[target] != 1 or uses[target] > _MOST:
                continue
            if not _is_cheap(value) or (id(block) in looped and not isinstance(value.kind, Array)):
                continue
            rest = block[block.index(stmt) + 1 :][: 1 if id(block) in within else None]
            users = _users(rest, stmt, uses[target], memory)
            for user in users:
                change_expressions(user, partial(_put, target, value))
            if users:
                block.remove(stmt)


def _put(target: n.Variable, value: n.Expr, expr: n.Expr) -> n.Expr:
    """An expression with a value for its name; a minus goes in front of the product that it is in."""
    put = substitute(expr, {target: value})
    return _simplified(put) if isinstance(value, n.Unary) and put is not expr else put


def _simplified(expr: n.Expr) -> n.Expr:
    """An expression, and each part of it, simplified."""
    return simplify(rebuild(expr, _simplified))


def _read_by(stmt: n.Stmt) -> list[n.Variable]:
    found: list[n.Variable] = []
    for e in (e for expr in expressions(stmt) for e in walk(expr)):
        match e:
            case n.Read(variable=variable):
                found.append(variable)
            case n.Opaque(reads=read):
                found += [v for v in read for _ in range(_MOST + 1)]  # a text takes names alone
            case n.Lambda(function=inner):
                found += [v for v in inner.captures for _ in range(_MOST + 1)]
    return found


def _is_cheap(value: n.Expr) -> bool:
    """Whether a value is a view or an item of a named array, or one operation on numbers that have names."""
    match value:
        case n.Subscript(value=n.Read(kind=Array()), index=index):
            parts = index_parts(index)
            ends = [e for p in parts for e in (children(p) if isinstance(p, n.Slice) else (p,))]
            named = all(isinstance(e, n.Const) or _is_number(e) for e in ends)
            return named and (is_view(value) if isinstance(value.kind, Array) else isinstance(value.kind, Scalar))
        case n.Unary(op="-", operand=operand):
            return _is_number(operand)
        case n.Binary(op="+" | "-" | "*", left=left, right=right):
            return _is_number(left) and _is_number(right)
        case _:
            return False


def _is_number(expr: n.Expr) -> bool:
    return isinstance(expr, n.Read | n.Const) and isinstance(expr.kind, Scalar)


def _users(rest: list[n.Stmt], stmt: n.Assign, uses: int, memory: Memory) -> list[n.Stmt]:
    """The lines behind a value that read it, if these are all and its value is the same there; else none."""
    made_of = set(_read_by(stmt))
    held = memory_read(stmt.value)
    found: list[n.Stmt] = []
    for other in rest:
        if may_raise(stmt.value) and any(map(may_draw, expressions(other))):
            return []
        if any(stmt.target in reads(e) for e in expressions(other)):
            count = _read_by(other).count(stmt.target)
            if not count or isinstance(other, n.Push | n.While | n.Unpack | n.Define) or _hands_on(other, stmt.target):
                return []
            found.append(other)
            uses -= count
        if not uses:
            return found
        inside = [other, *(s for b in blocks(other) for s in statements(b))]
        if not made_of.isdisjoint(v for s in inside for v in binds(s)):
            return []
        if held and any(memory.changes(s, held) for s in inside):
            return []
    return []


def _hands_on(stmt: n.Stmt, variable: n.Variable) -> bool:
    """Whether a line returns a value as it is, in a tuple: to another function, which has a name for it."""
    items = [i for x in expressions(stmt) for e in walk(x) if isinstance(e, n.Display) for i in e.items]
    return isinstance(stmt, n.Return) and any(isinstance(i, n.Read) and i.variable is variable for i in items)
