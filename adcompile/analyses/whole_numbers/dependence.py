"""Dependence: whether a part of an array that a statement reads is overwritten afterwards.

Two executions are looked at together: one of the statement that reads, one of a statement that writes to the array, in
the same iteration of the outermost loops and a later iteration of the next (or in the same of all that they have in
common, and further down). That both happen, in this order, at one element, is a system of linear equations and
inequalities in whole numbers: the bounds of the ranges, the branches taken, the order, the subscripts. Where each such
system is contradictory, the element keeps its value to the end of the function.

>>> from adcompile.analyses.typing.kinds import Inference
>>> from adcompile.analyses.typing.typed import Typed
>>> from adcompile.analyses.typing.program import Program
>>> from adcompile.analyses.versions import number
>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import FLOAT, INT, Array, Extent
>>> def lasting(f):
...     function = read(f)
...     a, m = params = [p.variable for p in function.params]
...     typed = Typed(function, params, (Array("float64", (Extent("a.0", least=2),)), INT))
...     Inference(Program(read, lambda _: None), typed).run()
...     reading, writing = typed.body[0].body
...     touched = {writing: frozenset({a})}
...     return Dependence(typed.body, number(typed.body, params, touched), touched).lasts(reading, reading.value)
>>> def sums(a, m):
...     for i in range(1, m):
...         before = a[i - 1]
...         a[i] = a[i] + before
>>> def differences(a, m):
...     for i in range(1, m):
...         next = a[i + 1]
...         a[i] = next - a[i]
>>> lasting(sums), lasting(differences)
(True, False)

What is not known, the other names of an array, indices that are arrays, bounds that are not linear, counts as
"may be overwritten"; so `lasts` is certain, and its opposite is not. An index may count from the end: unless the bounds
tell which, `a[i]` may be `a[i + len(a)]` as well.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from adcompile.analyses.whole_numbers.inequalities import Affine, System
from adcompile.analyses.whole_numbers.subscripts import Subscripts, base_of, direction
from adcompile.ir import nodes as n
from adcompile.ir.walk import blocks, statements, substitute, walk

if TYPE_CHECKING:
    from collections.abc import Hashable

    from adcompile.analyses.versions import Versions
    from adcompile.analyses.whole_numbers.subscripts import Region

Path = tuple[tuple[int, int], ...]  # of a statement: block and position, from the outside in


class Dependence:
    """The dependences in one body: which statement changes what where, and when.

    `touched` are the variables whose contents each statement changes in place, under whatever name (`Sharing`).
    """

    def __init__(self, body: list[n.Stmt], versions: Versions, touched: dict[n.Stmt, frozenset[n.Variable]]) -> None:
        self.subscripts = Subscripts(body, versions)
        self.loops = {stmt: loops for stmt, (_, loops) in versions.where.items()}
        self.touched = touched
        self.paths: dict[n.Stmt, Path] = {}
        self.writes: dict[n.Variable, list[n.Stmt]] = {}
        self.asked: dict[tuple[n.Stmt, n.Expr], bool] = {}
        self.place(body, (), 0)
        for stmt in statements(body):
            for variable in touched.get(stmt, ()):
                self.writes.setdefault(variable, []).append(stmt)

    def place(self, body: list[n.Stmt], path: Path, branch: int) -> None:
        """Take note of where each statement stands."""
        for k, stmt in enumerate(body):
            self.paths[stmt] = (*path, (branch, k))
            for inner, block in enumerate(blocks(stmt)):
                self.place(block, self.paths[stmt], inner)

    def lasts(self, stmt: n.Stmt, place: n.Expr) -> bool:
        """Whether what `place` holds at a statement that reads or sets it is there to the end of the function.

        Args:
            stmt: a statement of the body.
            place: a part of an array or list, as the statement reads it or stores to it: `u[i - 1]`, `a[j:, k]`.

        Returns:
            True only where it is certain that no later execution of any statement changes any element of it.
        """
        base = base_of(place)
        if not isinstance(base, n.Read) or not self.subscripts.steady(base.variable) or not self.plain(stmt):
            return False
        own = isinstance(stmt, n.Store | n.Augment) and stmt.target is place
        if base.variable in self.touched.get(stmt, ()) and not own:
            return False
        return not any(self.may_overwrite(w, stmt, place) for w in self.writes.get(base.variable, []))

    def is_as_before(self, stmt: n.Stmt, place: n.Expr, loop: n.Stmt) -> bool:
        """Whether what `place` holds at a statement that reads it was there when a loop around it was entered.

        Args:
            stmt: a statement of the body.
            place: a part of an array, as the statement reads it.
            loop: one of the loops around it.

        Returns:
            True only where it is certain that nothing in the loop has changed any element of it by then.
        """
        base = base_of(place)
        if not isinstance(base, n.Read) or not self.subscripts.steady(base.variable) or not self.plain(stmt):
            return False
        outside = self.loops[stmt].index(loop)
        for write in self.writes.get(base.variable, []):
            around = self.loops[write]
            if len(around) <= outside or around[outside] is not loop:
                continue
            if write is stmt or blocks(write) or not self.plain(write):
                return False
            common = self.common(stmt, write)
            if any(
                self.meet(write, stmt, place, shared, around[shared], earlier=True) for shared in range(outside, common)
            ):
                return False
            if self.precedes(write, stmt) and self.meet(write, stmt, place, common, None):
                return False
        return True

    def in_the_end(self, stmt: n.Stmt, place: n.Expr) -> n.Expr | None:
        """What lasts, in versions: the place, with its indices as of a statement, of the array as it is in the end.

        None where it may not last, or where an index is read off the array itself.
        """
        base = base_of(place)
        env = self.subscripts.versions.before[stmt]
        kinds = [(e.variable, e.kind) for e in walk(place) if isinstance(e, n.Read)]
        if not isinstance(base, n.Read) or [v for v, _ in kinds].count(base.variable) != 1:
            return None
        if (stmt, place) not in self.asked:
            self.asked[stmt, place] = self.lasts(stmt, place)
        if not self.asked[stmt, place]:
            return None
        past = {**env, base.variable: self.subscripts.versions.final[base.variable]}
        return substitute(place, {v: n.Read(past[v], kind=kind) for v, kind in kinds if v in past})

    def plain(self, stmt: n.Stmt) -> bool:
        """Whether a statement is done as the program has it, and no exception leads elsewhere."""
        around = self.subscripts.around[stmt]
        return not any(isinstance(s, n.Try | n.With) or (isinstance(s, n.For | n.While) and b) for s, b in around)

    def may_overwrite(self, write: n.Stmt, read: n.Stmt, place: n.Expr) -> bool:
        """Whether an execution of `write` may change a place behind an execution of `read` that reads or sets it."""
        first, common = self.loops[read], self.common(read, write)
        if blocks(write) or not self.plain(write):
            return bool(common) or not self.precedes(write, read)
        if any(self.meet(write, read, place, shared, first[shared]) for shared in range(common)):
            return True
        return self.precedes(read, write) and self.meet(write, read, place, common, None)

    def common(self, one: n.Stmt, other: n.Stmt) -> int:
        """How many loops there are around both of two statements."""
        first, second = self.loops[one], self.loops[other]
        count = 0
        while count < min(len(first), len(second)) and first[count] is second[count]:
            count += 1
        return count

    def precedes(self, first: n.Stmt, second: n.Stmt) -> bool:
        """Whether, in one iteration of the loops around both, `second` may come behind `first`."""
        for k, (a, b) in enumerate(zip(self.paths[first], self.paths[second], strict=False)):
            if a[0] != b[0]:
                return not isinstance(self.subscripts.around[first][k - 1][0], n.If)
            if a[1] != b[1]:
                return a[1] < b[1]
        return False

    def meet(
        self, write: n.Stmt, read: n.Stmt, place: n.Expr, shared: int, loop: n.Stmt | None, *, earlier: bool = False
    ) -> bool:
        """Whether both may happen at one element, in the same iteration of the `shared` outermost loops.

        The writing one is in a later (or earlier) iteration of `loop`, the next around both; None: in the same of all
        around both.
        """
        system = System()
        for stmt, name in ((read, "read"), (write, "write")):
            system.add(self.subscripts.context(stmt), partial(_executed, name=name, shared=shared))
        if loop is not None and (counter := self.subscripts.counter(loop)) is not None:
            before, behind = (_executed(counter, name, shared) for name in ("read", "write"))
            later = (behind - before) * direction(loop)
            system.not_negative.append((later * -1 if earlier else later) - 1)
        here, there = self.subscripts.region(read, place), self.written(write, base_of(place))
        first, second = (partial(_executed, name=name, shared=shared) for name in ("read", "write"))
        if here is not None:
            system.add(here.facts, first)
        if there is not None:
            system.add(there.facts, second)
        if here is not None and there is not None:
            for axis, (a, b) in enumerate(zip(here.axes, there.axes, strict=False)):
                a.renamed(first).meet(b.renamed(second), Affine.of(("element", axis)), system)
        return not self.subscripts.with_lengths(system).excludes()

    def written(self, write: n.Stmt, base: n.Expr) -> Region | None:
        """The elements of an array that a statement sets; None where that is not known."""
        match write:
            case n.Store(target=n.Subscript() as target) | n.Augment(target=n.Subscript() as target):
                return self.subscripts.region(write, target) if base_of(target) == base else None
            case _:
                return None


def _executed(number: Affine, name: str, shared: int) -> Affine:
    """A number in one of two executions, which are in the same iteration of the `shared` outermost loops."""

    def symbol(s: Hashable) -> Hashable:
        return (*s, name) if isinstance(s, tuple) and s[1] > shared else s

    return Affine(number.constant, {symbol(s): k for s, k in number.terms.items()})
