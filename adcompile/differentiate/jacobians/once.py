"""Tangents that one line alone reads: what they were set to may stand there, where its factors meet others.

    u_dot = x_dot * a
    v_dot = u_dot * b        ->        v_dot = x_dot * (a * b)

So it may where the tangent and all that it is made of are at that line what they were before.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from adcompile.analyses.memory.groups import Memory, memory_read
from adcompile.ir import nodes as n
from adcompile.ir.walk import binds, expressions, reads, statements, walk
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet


@value_class()
class _Setting:
    """What sets a tangent, as which line of the body, what reads it, and how often altogether."""

    line: n.Assign
    at: int
    readers: tuple[n.Stmt, ...]
    count: int


class ReadOnce:
    """The tangents in a body that one line each sets, and what may stand in their place."""

    def __init__(self, body: list[n.Stmt], tangents: AbstractSet[n.Variable], memory: Memory) -> None:
        self.body = list(body)
        self.memory = memory
        self.put: dict[n.Stmt, n.Stmt] = {}  # a line of which nothing is left, and that which it went into
        everything = list(statements(body))
        bound = Counter(v for s in everything for v in binds(s))
        readers: dict[n.Variable, list[n.Stmt]] = {}
        counts: Counter[n.Variable] = Counter()
        for stmt in everything:
            read = [e.variable for x in expressions(stmt) for e in walk(x) if isinstance(e, n.Read)]
            counts.update(read)
            for v in dict.fromkeys(read):
                readers.setdefault(v, []).append(stmt)
        self.settings = {
            s.target: _Setting(s, k, tuple(readers.get(s.target, ())), counts[s.target])
            for k, s in enumerate(body)
            if isinstance(s, n.Assign) and s.target in tangents and bound[s.target] == 1
        }
        self.values = {variable: found.line.value for variable, found in self.settings.items()}

    def value(self, variable: n.Variable, count: int, reading: n.Stmt | None) -> n.Expr | None:
        """What a variable is set to, if that may stand in a line for all of its reads, which are so many."""
        found = self.settings.get(variable)
        if found is None or reading is None or found.count != count:
            return None
        if any(stmt is not reading and self.put.get(stmt) is not reading for stmt in found.readers):
            return None
        return self.values[variable] if self.unchanged(variable, reading) else None

    def unchanged(self, variable: n.Variable, reading: n.Stmt) -> bool:
        """Whether all that a variable is made of is what it was where a line of the body reads it."""
        at = self.settings[variable].at
        end = next((k for k, stmt in enumerate(self.body) if stmt is reading), 0)
        made_of = reads(self.values[variable])
        held = memory_read(self.values[variable])
        between = list(statements(self.body[at + 1 : end]))
        return end > at and not any(self.memory.changes(s, held) or not made_of.isdisjoint(binds(s)) for s in between)

    def goes(self, variable: n.Variable, reading: n.Stmt) -> None:
        """Note that what a variable was set to stands in a line now, and nothing reads the variable any more."""
        self.put[self.settings[variable].line] = reading
