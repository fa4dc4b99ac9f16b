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
from adcompile.ir.kinds import Array, Scalar
from adcompile.ir.walk import all_blocks, binds, expressions, reads, walk
from adcompile.simplify.lines.dead import pure

_LARGEST = 30  # nodes of one line
_WIDE = ("float64", "complex128")


def contributions(function: n.Function) -> bool:
    """Add up in one line what is added to an adjoint line by line, in place; whether anything changed."""
    memory = memory_of(function)
    changed = False
    for body in list(all_blocks(function.body)):
        k = 0
        while k < len(body):
            later = _later(body, k, memory)
            if later is None:
                k += 1
                continue
            body[later[0]] = later[1]
            del body[k]
            changed = True
    return changed


def _later(body: list[n.Stmt], k: int, memory: Memory) -> tuple[int, n.Stmt] | None:
    """Where the next line adds to what line k sets, and both in one, if line k may wait until then."""
    line = body[k]
    first = _set(line)
    if first is None or first[0].role not in (n.Role.ADJOINT, n.Role.TANGENT):
        return None
    target, value = first
    made_of, held = reads(value), memory_read(value)
    for at in range(k + 1, len(body)):
        stmt = body[at]
        again = _set(stmt)
        if again is not None and again[0] is target:
            whole = _total(target, value, again[1]) if _may_be_new(line, stmt, memory) else None
            own = isinstance(line, n.Assign) and line.own
            return None if whole is None else (at, n.Assign(target, whole, origin=stmt.origin, own=own))
        if not isinstance(stmt, n.Assign | n.Store | n.Augment | n.Remark | n.Collect):
            return None
        if any(target in reads(e) for e in expressions(stmt)) or not made_of.isdisjoint(binds(stmt)):
            return None
        if memory.changes(stmt, held) or not (isinstance(stmt, n.Remark | n.Collect) or pure(value)):
            return None
    return None


def _may_be_new(first: n.Stmt, second: n.Stmt, memory: Memory) -> bool:
    """Whether nobody notices that an array is made anew where two lines set or update it."""
    match first, second:
        case n.Assign(), n.Assign():
            return True
        case n.Assign(value=value), n.Augment(target=target):
            return isinstance(target.kind, Scalar) or fresh(value)
        case n.Augment(target=n.Read(variable=variable, kind=kind)), _:
            return isinstance(kind, Scalar) or memory.is_alone(variable)
        case _:
            return False


def _set(stmt: n.Stmt) -> tuple[n.Variable, n.Expr] | None:
    """The variable that a line sets or updates, and its new value."""
    match stmt:
        case n.Assign(target=target, value=value):
            return target, value
        case n.Augment(target=n.Read(variable=variable, kind=kind) as old, op=op, value=value):
            return variable, n.Binary(op, old, value, kind=kind)
        case _:
            return None


def _total(target: n.Variable, first: n.Expr, second: n.Expr) -> n.Expr | None:
    """Both contributions as one expression, if the second is added to what the first one sets and there is room."""
    if any(isinstance(e.kind, Array) and e.kind.dtype not in _WIDE for e in (first, second)):
        return None  # Numba adds up in double precision, and each line brings that back to single
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
