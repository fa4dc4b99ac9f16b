"""Costly calls that a block makes more than once are made once.

    load_bar = np.linalg.solve(a.T, x_bar)              solve_tmp = np.linalg.solve(a.T, x_bar)
    a_bar = -np.outer(np.linalg.solve(a.T, x_bar), x)   load_bar = solve_tmp
                                                        a_bar = -np.outer(solve_tmp, x)

The partials of one call are texts of their own, which may have a part in common. Only linear algebra, whose calls cost
more than the name; and only where nothing in between changes what is given to them.

>>> import numpy as np
>>> from adcompile import grad
>>> def compliance(a, load):
...     return np.dot(load, np.linalg.solve(a, load))
>>> text = grad(compliance).source_for(np.eye(2), np.ones(2))
>>> text.count("np.linalg.solve(a.T, load)")
1
"""

from __future__ import annotations

from adcompile.analyses.memory import Memory, may_change, memory_read
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Static
from adcompile.ir.walk import all_blocks, binds, change_expressions, expressions, reads, rebuild, statements, walk

_COSTLY = ("numpy.linalg", "scipy.linalg")
_LAZY = (n.Conditional, n.Bool, n.Compare, n.Lambda, n.Opaque, n.Named)


def repeated_calls(function: n.Function) -> bool:
    """Give the results of costly calls names where they are asked for again; whether anything changed."""
    memory = Memory(function)
    found = False
    for block in list(all_blocks(function.body)):
        for k in reversed(range(len(block))):
            for call in _costly(block[k]):
                found |= _name(block, k, call, memory)
    return found


def _name(block: list[n.Stmt], start: int, call: n.Call, memory: Memory) -> bool:
    """Give a call a name if lines of a block from the first on make it again."""
    same: list[n.Stmt] = []
    many = 0
    for stmt in block[start:]:
        again = sum(e == call for e in _costly(stmt))
        if again:
            same.append(stmt)
            many += again
        inside = list(statements([stmt]))
        if any(reads(call) & set(binds(s)) or may_change(memory, s, memory_read(call)) for s in inside):
            break
    if many <= 1:
        return False
    name = getattr(n.object_of(call.func), "__name__", "result")
    held = n.Read(n.Variable(name, n.Role.TEMPORARY), kind=call.kind, span=call.span)
    for stmt in same:
        change_expressions(stmt, lambda e: _exchanged(e, call, held))
    block.insert(start, n.Assign(held.variable, call, origin=block[start].origin))
    return True


def _costly(stmt: n.Stmt) -> list[n.Call]:
    """The calls of linear algebra that a statement is certain to make, of arrays that it is given by name."""
    if not isinstance(stmt, n.Assign | n.Augment | n.Store | n.Return | n.Evaluate):
        return []
    every = [e for whole in expressions(stmt) for e in walk(whole)]
    if any(isinstance(e, _LAZY) for e in every):
        return []
    return [
        e
        for e in every
        if isinstance(e, n.Call)
        and isinstance(e.func.kind, Static)
        and str(getattr(e.func.kind.value, "__module__", "")).startswith(_COSTLY)
        and isinstance(e.kind, Array)
        and not any(isinstance(part, n.Call) for a in e.args for part in walk(a))
    ]


def _exchanged(e: n.Expr, call: n.Call, held: n.Read) -> n.Expr:
    return held if e == call else rebuild(e, lambda part: _exchanged(part, call, held))
