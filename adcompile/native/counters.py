"""Loops that do not stand in each other count with one name, at the very end: `i`, and `j` in a loop within it.

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def f(x):
...     for a in range(len(x)):
...         x[a] = 2.0
...     for b in range(len(x)):
...         x[b] = 3.0
>>> function = read(f)
>>> for variable in function.locals.values():
...     if variable.name in "ab":
...         variable.name, variable.role = "i", n.Role.STEP
>>> counters(function)
>>> len({s.target.variable for s in function.body if isinstance(s, n.For)})
1
"""

from __future__ import annotations

from collections import Counter

from adcompile.ir import nodes as n
from adcompile.ir.walk import binds, blocks, change_expressions, expressions, reads, statements, substitute

Shared = dict[str, list[n.Variable]]


def counters(function: n.Function) -> None:
    """Let loops share the names that they count with, in place."""
    _share(function.body, _mentions(function.body), {}, frozenset())


def _mentions(body: list[n.Stmt]) -> Counter[n.Variable]:
    """How many statements set or read each variable."""
    return Counter(v for s in statements(body) for v in {*binds(s), *(v for e in expressions(s) for v in reads(e))})


def _share(body: list[n.Stmt], everywhere: Counter[n.Variable], shared: Shared, around: frozenset[n.Variable]) -> None:
    for stmt in body:
        inside = around
        if isinstance(stmt, n.For) and isinstance(stmt.target, n.Read) and stmt.target.variable.role is n.Role.STEP:
            old = stmt.target.variable
            if _mentions([stmt])[old] == everywhere[old]:
                known = shared.setdefault(old.name, [])
                new = next((v for v in known if v not in around), old)
                if new is old:
                    known.append(old)
                else:
                    _rename(stmt, old, new)
                inside = around | {new}
        for inner in blocks(stmt):
            _share(inner, everywhere, shared, inside)


def _rename(loop: n.For, old: n.Variable, new: n.Variable) -> None:
    loop.target = n.Read(new, kind=loop.target.kind)
    put: dict[n.Variable, n.Expr] = {old: loop.target}
    for stmt in statements(loop.body):
        change_expressions(stmt, lambda e: substitute(e, put) if old in reads(e) else e)
