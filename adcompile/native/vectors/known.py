"""What is known of vectors at one point of a function: how long they are, and which part of which array."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from adcompile.ir import nodes as n
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import Array, Scalar
from adcompile.ir.walk import binds, reads
from adcompile.native.vectors.effects import bases_of
from adcompile.native.vectors.lines import VectorLine, has_step
from adcompile.native.vectors.loops import Lengths, is_picked, is_vector

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adcompile.analyses.memory.groups import Memory


_ALL = n.Slice(None, None, None)


class _Part(NamedTuple):
    """Which part of which array: a number or a slice for each of its first axes."""

    root: n.Variable
    way: tuple[n.Expr, ...]

    def is_apart_from(self, other: _Part) -> bool:
        """Whether two parts of one array certainly have no item in common: different rows, or columns."""
        return any(
            isinstance(one, n.Const) and isinstance(two, n.Const) and one != two and min(one.value, two.value) >= 0
            for one, two in zip(self.way, other.way, strict=False)
        )


class Known:
    """What the walk over a function knows at one point of it."""

    def __init__(self, memory: Memory, *, one_by_one: bool) -> None:
        self.memory = memory
        self.one_by_one = one_by_one  # no line is moved, and each has a loop of its own
        self.lengths = Lengths()
        self.parts: dict[n.Variable, _Part] = {}  # of what a variable is a view
        self.ahead: list[n.Stmt] = []  # the next lines of the block

    def is_strided(self, e: n.Expr) -> bool:
        """Whether the items of a vector are known not to be next to each other in memory."""
        part = self.part(e)
        if part is None:
            return has_step(e)
        last = part.way[-1] if part.way else _ALL
        if not isinstance(last, n.Slice):
            return any(isinstance(step, n.Slice) for step in part.way)  # a column
        return last.step is not None

    def note(self, stmt: n.Stmt) -> None:
        """Take note of what a statement, which is run as it stands, means for what is known."""
        match stmt:
            case n.Assign(target=target, value=n.Read() | n.Subscript() as value) if is_vector(value) or isinstance(
                value.kind, Array
            ):
                part = self.part(value)
                self.forget([target])
                if part is not None and target not in {part.root, *(v for e in part.way for v in reads(e))}:
                    self.parts[target] = part
            case _:
                self.forget(binds(stmt))

    def forget(self, variables: Iterable[n.Variable]) -> None:
        """Forget what was known of variables that are set anew."""
        gone = set(variables)
        self.lengths.forget(gone)
        self.parts = {
            v: part
            for v, part in self.parts.items()
            if v not in gone and part.root not in gone and not any(reads(e) & gone for e in part.way)
        }

    def part(self, e: n.Expr) -> _Part | None:
        """Which part of which array a vector, or an array, is; None if that is not known."""
        match e:
            case n.Read(variable=variable):
                return self.parts.get(variable, _Part(variable, ()))
            case n.Subscript(value=n.Read(variable=variable, kind=Array()), index=index):  # items of a list may be one
                whole = self.parts.get(variable, _Part(variable, ()))
                way = index_parts(index)
                while way and way[-1] == _ALL:
                    way = way[:-1]
                if any(isinstance(step, n.Slice) for step in whole.way) and way:
                    whole = _Part(variable, ())
                if not all(isinstance(step, n.Slice) or isinstance(step.kind, Scalar) for step in way):
                    return None
                return _Part(whole.root, (*whole.way, *way))
            case _:
                return None

    def overlaps_itself(self, line: VectorLine) -> bool:
        """Whether a line may read of the memory that it writes, other than item by item what it replaces."""
        if line.place is None:
            return False
        return any(self.collide(line.place, e) for e in line.vectors(value_only=True))

    def collide(self, one: n.Expr, other: n.Expr) -> bool:
        """Whether two vectors may share memory in any other way than being the same."""
        a, b = (self.part(e.value if isinstance(e, n.Subscript) and is_picked(e) else e) for e in (one, other))
        if a is None or b is None or a.root is not b.root:
            return any(self.memory.related(v, w) for v in bases_of(one) for w in bases_of(other))
        if is_picked(one) or is_picked(other):
            return not a.is_apart_from(b)
        return a.way != b.way and not a.is_apart_from(b)
