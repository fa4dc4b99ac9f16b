"""Vectors that each iteration of a loop makes anew, as long as before, and nobody needs behind it, keep their room.

    for i in range(m):                      v = np.empty(0)
        v = np.empty(len(u))       ->       for i in range(m):
        ...                                     if len(v) != len(u):
                                                    v = np.empty(len(u))
                                                ...

To make an array takes as long as to fill one of a hundred numbers.

>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import FLOAT, Extent, Static
>>> from adcompile.ir.show import show
>>> function = read(lambda u: u)
>>> u = n.Read(function.params[0].variable, kind=Array("float64", (Extent("u.0"),)))
>>> v, i, s = (n.Read(n.Variable(name), kind=kind) for name, kind in (("v", u.kind), ("i", INT), ("s", FLOAT)))
>>> empty = n.Attribute(n.Ref("np", np, "rule"), "empty", kind=Static(np.empty))
>>> room = n.Call(empty, (length(u),), kind=u.kind)
>>> item = n.Subscript(v, i, kind=FLOAT)
>>> body = [n.Assign(v.variable, room), n.Store(item, s), n.Assign(s.variable, item)]
>>> function.body = [n.For(i, n.Call(n.Ref("range", range, "builtin"), (n.Const(3),)), body, []), n.Return(s)]
>>> rooms(function)
>>> print(show(function.body))
v = np@rule.empty(0)
for i in range@builtin(3):
    if len@builtin(v) != len@builtin(u):
        v = np@rule.empty(len@builtin(u))
    v[i] = s
    s = v[i]
return s
"""

from __future__ import annotations

import builtins
from collections import Counter

import numpy as np

from adcompile.analyses.memory.groups import memory_of
from adcompile.ir import nodes as n
from adcompile.ir.kinds import BOOL, INT, Array
from adcompile.ir.walk import binds, blocks, bound_in, reads, statements
from adcompile.native.vectors.afterwards import Place, is_read_after, runs_line_by_line
from adcompile.native.vectors.loops import length


def rooms(function: n.Function) -> None:
    """Make room for vectors before the loops that would make it in each iteration, in place."""
    if not runs_line_by_line(function):
        return
    made = [s for s in statements(function.body) if _makes_room(s)]
    if not made:
        return
    sets = Counter(v for s in statements(function.body) for v in binds(s))
    memory = memory_of(function)
    for stmt in made:
        if isinstance(stmt, n.Assign) and sets[stmt.target] == 1:
            path = _path(function.body, stmt, None)
            group = [v for v in (*sets, *(p.variable for p in function.params)) if memory.related(v, stmt.target)]
            _move_out(stmt, path, group, function)


def _makes_room(stmt: n.Stmt) -> bool:
    """Whether a line makes a vector without anything in it, as long as another."""
    match stmt:
        case n.Assign(value=n.Call(func=func, args=(n.Call(func=n.Ref(value=builtins.len)),), keywords=()) as call):
            kind = call.kind
            return (
                n.object_of(func) is np.empty
                and isinstance(kind, Array)
                and kind.dtype == "float64"
                and kind.rank == 1
            )
        case _:
            return False


def _path(body: list[n.Stmt], stmt: n.Stmt, owner: n.Stmt | None) -> list[Place]:
    """The lines that lead to a statement, from the outside in."""
    for k, other in enumerate(body):
        if other is stmt:
            return [Place(body, k, owner)]
        for block in blocks(other):
            inner = _path(block, stmt, other)
            if inner:
                return [Place(body, k, owner), *inner]
    return []


def _move_out(stmt: n.Assign, path: list[Place], group: list[n.Variable], function: n.Function) -> None:
    """Make room before the outermost loop around that hands nothing on of what a vector is called within it."""
    if any(p.variable in group for p in function.params) or any(
        isinstance(s, n.Return | n.Push) and not reads(s.value).isdisjoint(group) for s in statements(function.body)
    ):
        return
    for depth, place in enumerate(path[:-1]):
        loop = place.block[place.line]
        if not isinstance(loop, n.For | n.While):
            continue
        inside = set(statements(loop.body))
        outside = [s for s in statements(function.body) if s not in inside]
        if any(not set(group).isdisjoint(binds(s)) for s in outside):
            continue
        end = [*path[: depth + 1], Place(loop.body, len(loop.body) - 1, loop)]
        if any(is_read_after(end, v) for v in group) or not _is_steady(stmt, loop):
            continue
        array = n.Read(stmt.target, kind=stmt.value.kind)
        if not isinstance(stmt.value, n.Call):
            raise TypeError
        none = n.Call(stmt.value.func, (n.Const(0, kind=INT),), kind=stmt.value.kind)
        differs = n.Compare(("!=",), (length(array), stmt.value.args[0]), kind=BOOL)
        own = path[-1]
        own.block[own.line] = n.If(differs, [stmt], [], origin=stmt.origin)
        place.block.insert(place.line, n.Assign(stmt.target, none, origin=loop.origin))
        return


def _is_steady(stmt: n.Assign, loop: n.For | n.While) -> bool:
    """Whether a vector is as long in each iteration: as one from outside, or as the same part of one."""
    inside = set(bound_in([loop]))
    steady = reads(stmt.value) - inside
    for other in statements(loop.body):
        match other:
            case n.Assign(target=target, value=n.Subscript() | n.Read() as value) if not reads(value) & inside:
                steady |= {target}
    return reads(stmt.value) <= steady
