"""Columns of a Jacobian in blocks of directions: what no direction has to do with is computed once, before the blocks.

    x_dot = np.eye(x.size)                       slope = np.cos(x)
    slope = np.cos(x)                            parts = []
    y_dot = x_dot * slope[:, None]      ->       for first in range(0, max(x.size, 1), 32):
    return y_dot                                     directions = min(32, x.size - first)
                                                     x_dot = np.eye(x.size, directions, -first)
                                                     parts.append(x_dot * slope[:, None])
                                                 return np.concatenate(parts, axis=-1)

So many at once as `chunk=` says.

A line goes ahead of the loop if it needs nothing that a line which stays sets, if no line that stays sets what it sets
or changes memory that it reads or makes, and if none that comes before it would read or raise something else then. Of
a line that stays, the parts that cost work and need no direction go ahead under names of their own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adcompile.analyses.memory.groups import Memory
from adcompile.analyses.memory.regions import fresh
from adcompile.differentiate.jacobians.jacobian import once_more
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array
from adcompile.ir.walk import (
    binds,
    blocks,
    bound_in,
    change_expressions,
    expressions,
    reads,
    rebuild,
    set_in,
    statements,
    substitute,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

_Lines = list[n.Stmt]


def parted(
    function: n.Function, directions: AbstractSet[n.Variable], quiet: Callable[[n.Expr], bool], *, ahead: bool = True
) -> tuple[_Lines, _Lines]:
    """The lines of a body that run once, none if not `ahead`, and those that run for each block.

    `directions` are the variables that say which ones a block has; `quiet` says of an expression that it never raises.
    """
    if not ahead:
        before, start = once_more(function.body, {p.variable for p in function.params})
        return before, [*start, *function.body]
    lines = _Parting(function, directions, quiet)
    stays = lines.stays()
    naming = _Naming(lines, stays)
    if named := naming.lines():
        function = n.Function(function.name, function.params, named, function.source)
        stays = _Parting(function, directions, quiet).stays()
        _put_back(function.body, stays, naming.new)
    once, kept = _with_remarks(function.body, stays)
    before, start = once_more(kept, {*bound_in(once), *(p.variable for p in function.params)})
    return [*once, *before], [*start, *kept]


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, with what it and the lines in it read, set and change in place."""

    stmt: n.Stmt
    reads: frozenset[n.Variable]
    sets: frozenset[n.Variable]
    changes: frozenset[n.Variable]
    may_raise: bool


class _Parting:
    """Finds out which lines of a body each block has to run again."""

    def __init__(
        self, function: n.Function, directions: AbstractSet[n.Variable], quiet: Callable[[n.Expr], bool]
    ) -> None:
        self.function = function
        self.memory = Memory(function)
        self.directions = directions
        self.quiet = quiet
        self.lines = [self._line(s) for s in function.body if not isinstance(s, n.Remark)]

    def _line(self, stmt: n.Stmt) -> _Line:
        own = list(statements([stmt]))
        changes = frozenset(v for s in own for v in self.memory.changed(s))
        read = frozenset(v for s in own for x in expressions(s) for v in reads(x))
        is_quiet = isinstance(stmt, n.NewTape) or (isinstance(stmt, n.Assign) and self.quiet(stmt.value))
        return _Line(stmt, read | changes, frozenset(bound_in([stmt])), changes, not is_quiet)

    def stays(self) -> set[n.Stmt]:
        """The lines that stay."""
        if any(_has_inner_functions(s) for s in statements(self.function.body)):
            return {line.stmt for line in self.lines}  # what these read is not followed
        own = [s for s in statements(self.function.body) if not isinstance(s, n.Augment)]
        anew = Counter(v for s in own for v in binds(s))
        several = {v for v, many in anew.items() if many > 1 and self.memory.is_changed(v)}
        # which of the arrays of such a name a tangent belongs to is seen where their lines stand beside each other
        staying = {line.stmt for line in self.lines if line.sets & several}
        while more := self._more(staying):
            staying |= more
        return staying

    def _more(self, staying: set[n.Stmt]) -> set[n.Stmt]:
        """Lines that have to stay because others do."""
        others = [line for line in self.lines if line.stmt in staying]
        set_anew = frozenset(self.directions).union(*(line.sets for line in others))
        changed = frozenset[n.Variable]().union(*(line.changes for line in others))
        more: set[n.Stmt] = set()
        read_before: set[n.Variable] = set()
        may_have_raised = False
        for line in self.lines:
            if line.stmt in staying:
                read_before |= line.reads
                may_have_raised |= line.may_raise and not self._goes_along(line)
            elif (
                not set_anew.isdisjoint(line.reads | line.sets)
                or not read_before.isdisjoint(line.sets)
                or self._meet(line.reads | line.sets, changed)
                or self._meet(line.changes, read_before)
                or (may_have_raised and line.may_raise)
            ):
                more.add(line.stmt)
        return more

    def _meet(self, some: AbstractSet[n.Variable], others: AbstractSet[n.Variable]) -> bool:
        """Whether some variables may share memory with others."""
        return bool(others) and any(self.memory.reaches(v, others) for v in some)

    @staticmethod
    def _goes_along(line: _Line) -> bool:
        """Whether a line only makes a tangent, so that it raises only where the line of the value does."""
        made = line.sets | line.changes
        return bool(made) and not blocks(line.stmt) and all(v.role is n.Role.TANGENT for v in made)


class _Naming:
    """Gives names to parts of the lines that stay, so that these parts may go ahead."""

    def __init__(self, parting: _Parting, stays: set[n.Stmt]) -> None:
        self.parting = parting
        self.stays = stays
        staying = [line for line in parting.lines if line.stmt in stays]
        self.set_anew = frozenset(parting.directions).union(*(line.sets for line in staying))
        self.often = set_in(parting.function.body)
        self.names: dict[n.Expr, n.Variable] = {}
        self.new: _Lines = []

    def lines(self) -> _Lines:
        """The lines with those that set the names; none where there is nothing to name."""
        body: _Lines = []
        for stmt in self.parting.function.body:
            if stmt not in self.stays:
                if isinstance(stmt, n.Assign) and self._is_the_same(n.Read(stmt.target)) and fresh(stmt.value):
                    self.names.setdefault(stmt.value, stmt.target)
            elif isinstance(stmt, n.Assign | n.Augment | n.Store | n.Push):
                before = len(self.new)
                stmt.value = self._named(stmt.value, _name(stmt))
                body += self.new[before:]
            body.append(stmt)
        return body if self.new else []

    def _named(self, e: n.Expr, name: str) -> n.Expr:
        """An expression with names for what goes ahead of it."""
        if isinstance(e, n.Conditional | n.Bool | n.Lambda | n.Comprehension):
            return e  # a part of it may not be evaluated
        if not isinstance(e.kind, Array) or not self.set_anew.isdisjoint(reads(e)) or not any(map(_is_work, walk(e))):
            return rebuild(e, lambda part: self._named(part, name))
        same = self._is_the_same(e)
        variable = self.names.get(e) if same else None
        if variable is None:
            variable = n.Variable(name, n.Role.TEMPORARY, holds=e)
            self.new.append(n.Assign(variable, e))
            if same:
                self.names[e] = variable
        return n.Read(variable, kind=e.kind)

    def _is_the_same(self, e: n.Expr) -> bool:
        """Whether an expression is the same wherever all that it reads has been set."""
        return all(self.often[v] <= 1 and not self.parting.memory.is_changed(v) for v in reads(e))


def _name(stmt: n.Assign | n.Augment | n.Store | n.Push) -> str:
    """The name of what a statement sets or changes."""
    if isinstance(stmt, n.Push):
        return stmt.tape.name
    place: n.Expr | n.Variable = stmt.target
    while isinstance(place, n.Subscript | n.Attribute):
        place = place.value
    return place.name if isinstance(place, n.Variable) else place.variable.name if isinstance(place, n.Read) else "part"


def _is_work(e: n.Expr) -> bool:
    return isinstance(e.kind, Array) and fresh(e)


def _put_back(body: _Lines, stays: set[n.Stmt], new: _Lines) -> None:
    """Put what names stand for that do not go ahead back where it was."""
    values = {s.target: s.value for s in new if isinstance(s, n.Assign) and s in stays}
    body[:] = [s for s in body if not (isinstance(s, n.Assign) and s.target in values)]
    for stmt in body if values else ():
        change_expressions(stmt, lambda e: substitute(e, values))


def _with_remarks(body: _Lines, stays: set[n.Stmt]) -> tuple[_Lines, _Lines]:
    """The lines that go ahead, and those that stay; a remark is over both where it is over some of both."""
    parts: tuple[_Lines, _Lines] = [], []
    remarks: list[n.Remark] = []  # those that the next line comes under
    written: tuple[list[n.Remark], ...] = [], []
    for stmt in body:
        if isinstance(stmt, n.Remark):
            is_heading = stmt.is_of_all
            remarks = [stmt] if is_heading else [*(r for r in remarks if r.is_of_all), stmt]
            continue
        at = int(stmt in stays)
        parts[at].extend(replace(r) for r in remarks if r not in written[at])
        written[at].extend(remarks)
        parts[at].append(stmt)
    return parts


def _has_inner_functions(stmt: n.Stmt) -> bool:
    return isinstance(stmt, n.Define) or any(isinstance(e, n.Lambda) for x in expressions(stmt) for e in walk(x))
