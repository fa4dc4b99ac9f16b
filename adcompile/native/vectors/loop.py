"""One loop over the items of vectors, into which lines go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Kind, Scalar
from adcompile.ir.make import apply
from adcompile.ir.walk import binds, expressions, reads, statements
from adcompile.native.vectors.afterwards import Place, is_read_after
from adcompile.native.vectors.effects import Effects, bases_of, contents_of, effects_of, is_movable
from adcompile.native.vectors.lines import vector_line
from adcompile.native.vectors.loops import NUMBER, Lengths, Line, is_vector

if TYPE_CHECKING:
    from adcompile.native.vectors.known import Known
    from adcompile.native.vectors.lines import VectorLine




@dataclass(eq=False)
class _Made:
    """A vector that a loop makes: what stands for an item, and whether the vector must be there behind the loop."""

    item: n.Read
    kind: Kind
    line: n.Assign
    lasting: bool = False


class Loop:
    """A loop that is being put together."""

    def __init__(self, known: Known, stmt: n.Stmt) -> None:
        self.known = known
        self.items = _Items(stmt, known.lengths, self)
        self.body: list[n.Stmt] = []
        self.made: dict[n.Variable, _Made] = {}
        self.every: list[tuple[n.Variable, _Made]] = []
        self.inside = Effects()  # of the loop
        self.behind = Effects()  # of the lines that are moved behind it
        self.after: list[n.Stmt] = []
        self.written: list[n.Expr] = []
        self.touched: list[n.Expr] = []
        self.added_to: list[n.Expr] = []  # where the order does not matter
        self.first: n.Read | None = None
        self.here: list[Place] = []

    # ------------------------------------------------------------------------------------------------- may it join?

    def may_join(self, line: VectorLine) -> bool:
        """Whether a line may be run with the others, item by item."""
        vectors = line.vectors()
        outer = [e for e in vectors if not (isinstance(e, n.Read) and e.variable in self.made)]
        if line.place is not None and line.is_filled_with_number and not self.is_as_long(line.place):
            return False
        if not any(self.is_as_long(e) for e in vectors) and not self.will_be_as_long(line):
            return False
        if any(reads(e) & self.behind.bound for e in (*vectors, *line.numbers())):
            return False
        if any(reads(e) & set(self.made) for e in (*outer, *line.numbers())):
            return False
        if any(self.meets(contents_of(e), self.behind.changed) for e in (*vectors, *line.numbers())):
            return False
        if any(self.meets(contents_of(e), self.changed()) for e in (*line.numbers(), *map(_index, outer))):
            return False
        if any(self.known.collide(e, place) for e in outer for place in self.written):
            return False
        if line.place is not None:
            others = [e for e in self.touched if not (line.adds_at_places and e in self.added_to)]
            if any(self.known.collide(line.place, e) for e in others):
                return False
            bases = bases_of(line.place)
            if self.meets(bases, self.behind.contents | self.behind.changed):
                return False
            if not (bases & set(self.made)) and self.meets(bases, self.indices()):
                return False
        if isinstance(line.stmt, n.Assign):
            return line.stmt.target not in self.behind.read | self.behind.bound
        return True

    def is_as_long(self, e: n.Expr) -> bool:
        """Whether a vector is known to be as long as those of the loop."""
        if isinstance(e, n.Read) and e.variable in self.made:
            return True
        if self.first is None or e in self.items.views:
            return True
        if isinstance(e, n.Read) and self.known.lengths.are_same(self.first.variable, e.variable):
            return True
        return any(self.known.lengths.kinds_are_same(e.kind, view.kind) for view in self.items.views.values())

    def will_be_as_long(self, line: VectorLine) -> bool:
        """Whether what a line makes is about to meet the vectors of the loop: NumPy would raise if it did not fit."""
        if not isinstance(line.stmt, n.Assign) or line.op is not None:
            return False
        names = {line.stmt.target}
        bound = set(self.behind.bound)  # what these hold in the loop says nothing of what is read there
        for stmt in self.known.ahead:
            later = vector_line(stmt)
            if later is None:
                return False
            vectors = later.vectors()
            if any(isinstance(e, n.Read) and e.variable in names for e in vectors):
                if any(not reads(e) & (names | bound) and self.is_as_long(e) for e in vectors):
                    return True
                if not isinstance(stmt, n.Assign):
                    return False
                names.add(stmt.target)
            elif names & set(binds(stmt)):
                return False
            bound |= set(binds(stmt))
        return False

    def meets(self, some: set[n.Variable], others: set[n.Variable]) -> bool:
        """Whether the memory of some variables may be that of others."""
        return any(self.known.memory.reaches(v, others) for v in some)

    def changed(self) -> set[n.Variable]:
        """The variables whose memory the loop writes."""
        return {v for e in self.written for v in bases_of(e)} | set(self.made)

    def indices(self) -> set[n.Variable]:
        """The variables whose contents say which parts of arrays the loop is about."""
        return {v for e in self.touched for v in contents_of(_index(e))}

    def lets_pass(self, stmt: n.Stmt) -> bool:
        """Move a statement out of the way, in front of the loop or behind it; whether that can be done."""
        if isinstance(stmt, n.Remark):
            return True
        if not is_movable(stmt):
            return False
        effects = effects_of(stmt)
        if self.may_go_before(effects):
            self.items.before.append(stmt)
        else:
            self.after.append(stmt)
            self.behind.add(effects)
            for variable in effects.read & set(self.made):
                self.made[variable].lasting = True
        return True

    def may_go_before(self, effects: Effects) -> bool:
        """Whether a statement does the same in front of the loop, and to what was moved behind it."""
        inside, behind, made = self.inside, self.behind, set(self.made)
        if effects.read & (made | behind.bound) or effects.bound & (inside.read | made | behind.read | behind.bound):
            return False
        return not (
            self.meets(effects.contents, self.changed() | behind.changed)
            or self.meets(effects.changed, inside.contents | self.changed() | behind.contents | behind.changed)
        )

    # ------------------------------------------------------------------------------------------------------- the lines

    def add(self, line: VectorLine, here: list[Place], lasting: set[n.Variable]) -> None:
        """Take a line up."""
        self.here = here
        self.items.stmt = line.stmt
        outer = [e for e in line.vectors() if not (isinstance(e, n.Read) and e.variable in self.made)]
        place = None if line.place is None else self.items.item(line.place)
        value = self.items.item(line.value)
        for e in (*outer, *line.numbers()):
            self.inside.read |= reads(e) | self.work_way(e)
            self.inside.contents |= contents_of(e) | bases_of(e)
        self.touched += outer
        self.known.lengths.same_kinds(e.kind for e in line.vectors())
        if self.first is None:
            self.first = next(iter(self.items.views.values()))
        stmt = line.stmt
        if isinstance(stmt, n.Assign) and line.op == "sum":
            self.items.before.append(n.Assign(stmt.target, n.Const(0.0, kind=NUMBER), origin=stmt.origin))
            self.body.append(n.Augment(n.Read(stmt.target, kind=NUMBER), "+", value, origin=stmt.origin))
            self.behind.bound.add(stmt.target)  # it is there when the loop is done
        elif isinstance(stmt, n.Assign):
            item = n.Read(n.Variable(stmt.target.name, n.Role.ITEM, of=stmt.target), kind=NUMBER)
            new = n.Assign(item.variable, value, origin=stmt.origin)
            made = _Made(item, stmt.value.kind, new, stmt.target in lasting)
            self.made[stmt.target] = made
            self.every.append((stmt.target, made))
            self.body.append(new)
        elif isinstance(place, n.Read):  # a vector that the loop has made
            self.body.append(n.Augment(place, line.op or "", value, origin=stmt.origin))
        elif place is not None and line.place is not None:
            self.written.append(line.place)
            if line.adds_at_places:
                self.added_to.append(line.place)
            put = n.Store(place, value) if line.op is None else n.Augment(place, line.op, value)
            put.origin = stmt.origin
            self.body.append(put)

    def work_way(self, e: n.Expr) -> set[n.Variable]:
        """The variables by which a part of an array is known."""
        part = self.known.part(e) if is_vector(e) else None
        return set() if part is None else {part.root, *(v for step in part.way for v in reads(step))}

    def done_with(self, target: n.Variable, used: set[n.Variable]) -> n.Read | None:
        """A vector that the loop reads, whose array nobody needs any more: there is room for what the loop makes."""
        if self.known.one_by_one:
            return None
        needed = (self.behind.read | self.behind.contents) - {target} | used
        needed |= {v for e in self.written for v in bases_of(e)}
        needed |= {v for e in self.touched if not isinstance(e, n.Read) for v in bases_of(e)}  # other items of it
        for e in self.items.views:
            if not isinstance(e, n.Read) or not is_vector(e) or e.variable in used:
                continue
            names = self.known.memory.owners(e.variable)
            others = names - {target}
            if names and not names & needed and not any(is_read_after(self.here, v) for v in others):
                return e
        return None

    def lines(self) -> list[n.Stmt]:
        """The loop, and what comes before and behind it."""
        if self.first is None:
            raise TypeError
        known, items = self.known, self.items
        stmt = items.stmt
        last = dict(self.every)
        rest: list[n.Stmt] = []
        set_here: list[n.Variable] = []
        used: set[n.Variable] = set()
        for target, made in self.every:
            if last[target] is not made:
                continue
            if not (made.lasting or known.one_by_one or is_read_after(self.here, target)):
                continue
            old = self.done_with(target, used)
            used |= set() if old is None else {old.variable}
            is_own = old is not None and old.variable is target
            new = target if is_own or target not in self.inside.read else n.Variable(f"{target.name}_new", n.Role.STEP)
            whole = n.Read(new, kind=made.kind)
            value = old or apply(np.empty, items.length, kind=made.kind)
            if not is_own:
                items.before.append(n.Assign(new, value, origin=made.line.origin))
            place = n.Subscript(whole, items.index, kind=NUMBER)
            is_last = self.body[-1] is made.line  # what the old array holds at this place was read by then
            if (old is not None and not is_last) or _is_read(made.item.variable, self.body):
                self.body.append(n.Store(place, made.item, origin=made.line.origin))
            else:
                put = n.Store(place, made.line.value, origin=made.line.origin)
                self.body[next(k for k, s in enumerate(self.body) if s is made.line)] = put
            if new is not target:
                rest.append(n.Assign(target, n.Read(new, kind=made.kind), origin=made.line.origin))
            set_here.append(target)
        loop = items.loop(self.body)
        targets = {target for target, _ in self.every}
        known.forget(targets)
        for target in set_here:
            if self.first.variable not in targets:
                known.lengths.same(self.first.variable, target)
            elif target is not set_here[0]:
                known.lengths.same(set_here[0], target)
        for moved in self.after:  # they come behind, and may set what is known to be something else
            known.lengths.forget(binds(moved))
        return [*loop, *rest, *self.after] if stmt else []


class _Items(Line):
    """What the lines of a loop come to at its index."""

    def __init__(self, stmt: n.Stmt, lengths: Lengths, loop: Loop) -> None:
        super().__init__(stmt, lengths)
        self.of = loop

    def item(self, e: n.Expr) -> n.Expr:
        if isinstance(e, n.Read) and e.variable in self.of.made and not isinstance(e.kind, Scalar):
            return self.of.made[e.variable].item
        return super().item(e)


def _index(e: n.Expr) -> n.Expr:
    """What says which part of an array a vector is."""
    return e.index if isinstance(e, n.Subscript) else n.Const(0)


def _is_read(variable: n.Variable, body: list[n.Stmt]) -> bool:
    for stmt in statements(body):
        if isinstance(stmt, n.Augment) and variable in reads(stmt.target):
            return True
        if any(variable in reads(e) for e in expressions(stmt)):
            return True
    return False
