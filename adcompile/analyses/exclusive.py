"""Variables of which a run executes at most one assignment: what a function returns, from a loop or behind it.

    returned = False
    for x in xs:
        if x > 1:
            value = [x, x]
            returned = True
            break
    if not returned:
        value = [0.0, 1.0]
    return value

Whoever goes back through such assignments need not clear the adjoint behind the one that was executed: no other takes
it.

>>> from adcompile.frontend import read
>>> from adcompile.differentiate.desugar.structure import structure
>>> def first(xs, other):
...     for x in xs:
...         if x > 1:
...             return x
...     return other
>>> structure(function := read(first))
>>> [v.name for v in set_once(function.body)]
['value']
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

from adcompile.ir import nodes as n
from adcompile.ir.walk import binds, blocks, expressions, reads
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from collections.abc import Iterator


@value_class()
class _Place:
    """A statement, the block it stands in, and the compound statements around it, each with the way into it."""

    stmt: n.Stmt
    block: list[n.Stmt]
    around: tuple[tuple[n.Stmt, int], ...]

    @property
    def loops(self) -> frozenset[n.Stmt]:
        return frozenset(s for s, _ in self.around if isinstance(s, n.For | n.While))

    @property
    def leaves(self) -> bool:
        """Whether it runs once: outside of loops, or in one that is left behind it."""
        return not self.loops or (len(self.loops) == 1 and isinstance(self.block[-1], n.Break))


def set_once(body: list[n.Stmt]) -> frozenset[n.Variable]:
    """The variables that are set by several assignments, of which a run executes one at most."""
    places = list(_places(body, ()))
    sets: dict[n.Variable, list[_Place]] = defaultdict(list)
    for place in places:
        for variable in binds(place.stmt):
            sets[variable].append(place)
    several = {v: found for v, found in sets.items() if v.role is n.Role.RESULT and len(found) > 1}
    return frozenset(v for v, found in several.items() if _is_set_once(v, found, places, sets))


def _places(body: list[n.Stmt], around: tuple[tuple[n.Stmt, int], ...]) -> Iterator[_Place]:
    for stmt in body:
        yield _Place(stmt, body, around)
        for way, inner in enumerate(blocks(stmt)):
            yield from _places(inner, (*around, (stmt, way)))


def _is_set_once(
    variable: n.Variable, found: list[_Place], places: list[_Place], sets: dict[n.Variable, list[_Place]]
) -> bool:
    for place in found:
        simple = all(isinstance(s, n.If | n.For | n.While) for s, _ in place.around)
        if not (isinstance(place.stmt, n.Assign) and simple and place.leaves):
            return False
    loops = frozenset[n.Stmt]().union(*(place.loops for place in found))
    for place in places:
        if (loops & place.loops or place.stmt in loops) and any(variable in reads(e) for e in expressions(place.stmt)):
            return False
    return all(_exclude(one, other, sets) for one, other in combinations(found, 2))


def _exclude(one: _Place, other: _Place, sets: dict[n.Variable, list[_Place]]) -> bool:
    """Whether two assignments, of which `one` stands first, are never both executed."""
    ways = dict(one.around)
    if any(isinstance(s, n.If) and ways.get(s, way) != way for s, way in other.around):
        return True
    flags = {s.target for s in one.block if isinstance(s, n.Assign) and _is_flag(s.target, sets)}
    return any(isinstance(s, n.If) and _lowered(s.test, way) in flags for s, way in other.around)


def _is_flag(variable: n.Variable, sets: dict[n.Variable, list[_Place]]) -> bool:
    """Whether a variable is a flag of the compiler that is down at first, and is raised only."""
    first, *others = sets[variable]
    if variable.role is not n.Role.FLAG or first.around:
        return False
    given = [place.stmt.value if isinstance(place.stmt, n.Assign) else None for place in (first, *others)]
    return [e.value if isinstance(e, n.Const) else None for e in given] == [False, *[True] * len(others)]


def _lowered(test: n.Expr, way: int) -> n.Variable | None:
    """The flag that is down on a way through `if`; None where the test is about something else."""
    match test, way:
        case n.Unary(op="not", operand=n.Read(variable=flag)), 0:
            return flag
        case n.Read(variable=flag), 1:
            return flag
        case _:
            return None
