"""The part of a loop's step that its backward lines need, and whether each step can be computed again by itself.

    for i in range(n):                           for i in reversed(range(n)):
        t = math.sin(x[i])                           t = math.sin(x[i])
        out[i] = t * t           backwards:          # out[i] = t * t
                                                     ...

A step that reads nothing which the loop changes needs neither a tape nor a snapshot: whatever its backward lines read
follows from what was there before the loop. What only the loop's results need, is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcompile.ir import nodes as n
from adcompile.ir.copying import copy_block
from adcompile.ir.walk import binds, blocks, expressions, reads, statements

if TYPE_CHECKING:
    from collections.abc import Mapping


def needed_of(
    body: list[n.Stmt], seeds: set[n.Stmt], wanted: set[n.Variable], touched: Mapping[n.Stmt, frozenset[n.Variable]]
) -> set[n.Stmt]:
    """The statements of a step that compute certain variables; `seeds` are needed in any case.

    `touched` says what statements change in place.

    >>> a, b, c = (n.Variable(name) for name in "abc")
    >>> body = [n.Assign(a, n.Const(1)), n.Assign(b, n.Read(a)), n.Assign(c, n.Read(a))]
    >>> sorted(body.index(s) for s in needed_of(body, set(), {b}, {}))
    [0, 1]
    """
    kept = dict.fromkeys(seeds)
    wanted = set(wanted)

    def visit(block: list[n.Stmt]) -> bool:
        """Take up what is needed so far; whether anything in the block is."""
        found = False
        for stmt in block:
            inside = [visit(inner) for inner in blocks(stmt)]
            if any(inside) or stmt in kept or wanted & {*binds(stmt), *touched.get(stmt, ())}:
                kept[stmt] = None
                found = True
            if stmt in kept:
                wanted.update(v for e in expressions(stmt) for v in reads(e))
                if isinstance(stmt, n.For | n.While):
                    kept.update(dict.fromkeys(s for s in statements(stmt.body) if isinstance(s, n.Break | n.Continue)))
        return found

    while True:
        before = len(kept), len(wanted)
        visit(body)
        if (len(kept), len(wanted)) == before:
            return {s for s in statements(body) if s in kept}


def only(body: list[n.Stmt], known: set[n.Stmt], needed: set[n.Stmt]) -> None:
    """Take out of a block what is known not to be needed, in place."""
    for stmt in body:
        for inner in blocks(stmt):
            only(inner, known, needed)
    body[:] = [s for s in body if s in needed or s not in known]


def copied_part(body: list[n.Stmt], needed: set[n.Stmt]) -> list[n.Stmt]:
    """A copy of the needed statements of a step."""
    places = [s in needed for s in statements(body)]
    new = copy_block(body)
    copies = list(statements(new))
    only(new, set(copies), {s for s, is_needed in zip(copies, places, strict=True) if is_needed})
    return new
