"""Contributions to one adjoint in one line: what is added to it later is added where the later line stands.

    x_bar = v_bar @ wv.T
    wv_bar = x.T @ v_bar                  wv_bar = x.T @ v_bar
    x_bar = x_bar + k_bar @ wk.T    ->    x_bar = v_bar @ wv.T + k_bar @ wk.T
    wk_bar = x.T @ k_bar                  wk_bar = x.T @ k_bar

The first line may wait while nothing reads the adjoint and nothing sets or changes what the line is made of. What is
added in which order stays.

>>> import math
>>> from adcompile import grad
>>> def f(x, y):
...     u = math.sin(x) * y
...     return u * u + x
>>> print(grad(f).source_for(2.0, 3.0).partition("# u = ")[2])
math.sin(x) * y
    y_bar = u_bar * sin_x
    x_bar = 1.0 + u_bar * y * math.cos(x)
<BLANKLINE>
    return u * u + x, (x_bar, y_bar)
<BLANKLINE>
"""

from __future__ import annotations

from dataclasses import replace

from adcompile.analyses.memory.groups import Memory, memory_of, memory_read
from adcompile.analyses.memory.regions import fresh
from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.walk import all_blocks, binds, expressions, reads, walk
from adcompile.simplify.lines.dead import attempted, pure

_LARGEST = 30  # nodes of one line


def contributions(function: n.Function) -> bool:
    """Add up in one line what is added to an adjoint line by line, in place; whether anything changed."""
    memory = memory_of(function)
    within = attempted(function.body)
    changed = False
    for body in list(all_blocks(function.body)):
        k = 0
        while k < len(body):
            later = None if id(body) in within else _later(body, k, memory)
            if later is None:
                k += 1
                continue
            body[later[0]] = later[1]
            del body[k]
            changed = True
    return changed


def _later(body: list[n.Stmt], k: int, memory: Memory) -> tuple[int, n.Stmt] | None:
    """Where the next line adds to what line k sets, and both in one, if line k may wait until then."""
    first = body[k]
    if not isinstance(first, n.Assign) or first.target.role not in (n.Role.ADJOINT, n.Role.TANGENT):
        return None
    target, made_of, held = first.target, reads(first.value), memory_read(first.value)
    for at in range(k + 1, len(body)):
        stmt = body[at]
        if isinstance(stmt, n.Assign) and stmt.target is target:
            whole = _total(target, first.value, stmt.value)
            if whole is None or (fresh(stmt.value) and not fresh(whole)):  # another name for an array of others
                return None
            return at, replace(stmt, value=whole)
        if not isinstance(stmt, n.Assign | n.Store | n.Augment | n.Remark | n.Collect):
            return None
        if any(target in reads(e) for e in expressions(stmt)) or not made_of.isdisjoint(binds(stmt)):
            return None
        if memory.changes(stmt, held) or not (isinstance(stmt, n.Remark | n.Collect) or pure(first.value)):
            return None
    return None


def _total(target: n.Variable, first: n.Expr, second: n.Expr) -> n.Expr | None:
    """Both contributions as one expression, if the second is added to what the first one sets and there is room."""
    match second:
        case n.Binary(op="+" | "-", left=n.Read(variable=variable), right=rest) if (
            variable is target and target not in reads(rest) and len(walk(first)) + len(walk(rest)) < _LARGEST
        ):
            pass
        case _:
            return None
    match first:
        case n.Call(func=n.Attribute(value=value, name="copy"), args=(), keywords=()):
            return simplify(replace(second, left=value))
        case _:
            return simplify(replace(second, left=first))
