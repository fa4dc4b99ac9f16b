"""Storage: how each value that the backward sweep reads gets there.

- still in its variable when the forward sweep ends: read it;
- the target of a loop: the reversed loop binds it again, or it is read off the iterable;
- short arithmetic on what is there anyway, or an item of it: computed again; so is one sum or product of arrays, and
  in a function that is called, what is one step away from what it hands over anyway;
- an element of an array that is overwritten, but not at that place: read again, where
  `analyses/whole_numbers/dependence.py` proves that;
- stored in such an element: read there;
- an item that inner loops read, of an array that they have not changed there by then: read from one copy of the array;
- a whole number that each iteration adds the same to: that is taken off it again;
- in a loop otherwise: put on a tape when it is set, and taken off at the top of the reversed iteration;
- an array of which the shape alone is read: that is put on the tape;
- overwritten later in straight code: kept under a second name.

>>> from adcompile import grad
>>> def grow(a, n):
...     s = 1.0
...     for i in range(n):
...         s = s * s * a
...     return s
>>> print(grad(grow).source_for(0.5, 2).partition("# Forward sweep")[2])
    s_tape = []
    s = 1.0
    for i in range(n):
        s_tape.append(s)
        s = s * s * a
    ...
    for s_kept in reversed(s_tape):
        ...
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.whole_numbers.subscripts import base_of
from adcompile.differentiate.storage.first_values import drop_first_values, lines_of_the_user
from adcompile.differentiate.storage.kept_shapes import SHAPE, Shapes, read_for_length, read_whole, without_arrays
from adcompile.differentiate.storage.work import (
    body_of,
    counted_back,
    goes_through,
    in_versions,
    is_one_pass,
    is_plain_range,
    is_replayed,
    takes,
    work_of,
    work_of_vectors,
)
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, UNKNOWN, Array, Kind, Scalar, Static, Unknown
from adcompile.ir.make import NOTHING, NP, apply, method
from adcompile.ir.walk import (
    blocks,
    bound_in,
    change_expressions,
    expressions,
    reads,
    reads_in_order,
    renamed,
    statements,
    walk,
)
from adcompile.runtime import helpers as runtime

if TYPE_CHECKING:
    from adcompile.analyses.versions import Version, Versions
    from adcompile.differentiate.storage.sweep import Sweep

_MOST_WORK = 6  # operations that are done again rather than their result stored


OPTIONAL = frozenset({"recomputation", "shapes", "counting back", "handing down"})
"""What saves memory and can be left out without changing a number."""
VECTORS = "vectors again"
"""That vectors are computed again as numbers are: a tape of machine code holds copies, one of Python's references."""


def store(
    sweep: Sweep, versions: Versions, extra: list[n.Expr], *, apart: bool = False, rewrites: frozenset[str] = OPTIONAL
) -> list[n.Expr]:
    """Bring every version that the backward sweep (and `extra`, the returned expressions) reads to where it is read.

    Changes both sweeps in place; returns `extra` with versions replaced by variables. Where the sweeps are functions
    apart from each other, what one hands to the other is kept short.
    """
    own = lines_of_the_user(sweep)
    found = _Storage(sweep, versions, apart=apart, rewrites=rewrites).run(extra)
    for variable in sweep.unset:
        if not any(isinstance(s, n.Assign) and s.target is variable for s in sweep.forward):  # on every path by then
            sweep.forward.insert(0, n.Assign(variable, NOTHING))
    drop_first_values(sweep, own, found)
    return found


@dataclass(slots=True)
class _Storage:
    sweep: Sweep
    versions: Versions
    apart: bool  # whether the backward sweep is a function of its own
    rewrites: frozenset[str]  # of `OPTIONAL`, what is done
    needed: set[n.Variable] = field(default_factory=set)
    again: dict[n.Variable, n.Expr] = field(default_factory=dict)  # versions computed again, and how
    taped: set[n.Variable] = field(default_factory=set)
    named: dict[n.Variable, n.Variable] = field(default_factory=dict)
    handed: dict[n.Variable, tuple[n.Stmt, n.Variable]] = field(default_factory=dict)  # see `hand_down`
    counted: dict[n.Variable, n.Augment] = field(default_factory=dict)  # see `counted_back`
    wholes: set[n.Variable] = field(default_factory=set)  # arrays that are kept rather than many of their items
    shapes: dict[n.Variable, n.Variable] = field(default_factory=dict)  # of arrays of which only they are kept
    lengths: set[n.Variable] = field(default_factory=set)  # those of lists among them, of which only the length is kept
    supposed: set[n.Variable] = field(default_factory=set)  # to be there, while that is tried
    met: set[n.Variable] = field(default_factory=set)  # of these, what was read
    kinds_read: dict[n.Variable, Kind] = field(default_factory=dict)  # of versions, in the backward sweep

    def run(self, extra: list[n.Expr]) -> list[n.Expr]:
        if "shapes" in self.rewrites:
            Shapes(self.sweep, self.versions, self.free).take(self.sweep.backward)
        self.needed = self.read_versions([*extra, *(e for r in self.sweep.replayed.values() for e in r.reads())])
        if "recomputation" in self.rewrites:
            self.needed |= self.heads_worth_keeping()
        todo = sorted(self.needed, key=self.order)
        returned = reads(extra[0]) if self.apart else frozenset()  # the value, by the forward sweep itself
        while todo:
            version = todo.pop(0)
            is_handed = self.apart and self.versions.info[version].variable.role is n.Role.TEMPORARY
            is_handed &= version not in returned
            if self.free(version) and not is_handed:
                continue
            again = None if self.is_left(version) else self.recompute(version, _MOST_WORK)
            expr = again[0] if again else self.stored(version)
            if expr is None and self.free(version):
                continue
            test = self.condition(version, again=expr is not None)
            if expr is None:
                self.taped.add(version)
            else:
                self.again[version] = expr
            read = (set() if expr is None else reads(expr)) | (set() if test is None else reads(test))
            fresh = sorted((v for v in read if v in self.versions.info and v not in self.needed), key=self.order)
            self.needed.update(fresh)
            todo[:0] = fresh  # what is computed for one is there for the next
        if "counting back" in self.rewrites:
            self.counted = counted_back(self.versions, self.sweep, self.taped)
            self.taped -= self.counted.keys()
        if "handing down" in self.rewrites:
            self.hand_down()
        if "shapes" in self.rewrites:
            self.keep_shapes(extra)
        names = self.named = self.names()
        names.update(self.shapes)
        self.add_tapes(names)
        self.add_recomputation(names)
        for loop, head in self.handed.values():
            variable = self.versions.info[head].variable
            self.sweep.handed.add(variable)
            lines = self.sweep.mirror[id(body_of(loop))]
            lines.append(n.Assign(variable, n.Read(names[head], kind=self.kind_of(head)), origin=None))
        for head, back in self.counted.items():
            self.sweep.handed.add(self.versions.info[head].variable)
            self.sweep.mirror[id(self.versions.info[head].block)].insert(0, back)
        self.rename(self.sweep.backward, names)
        if self.shapes:
            for stmt in statements(self.sweep.backward):
                change_expressions(stmt, partial(without_arrays, kept=set(self.shapes.values())))
        for replayed in self.sweep.replayed.values():
            replayed.outer = {v: renamed(e, names) for v, e in replayed.outer.items()}
            replayed.past = replayed.past.changed(lambda e: renamed(e, names))
        self.sweep.finish()
        return [renamed(e, names) for e in extra]

    def keep_shapes(self, extra: list[n.Expr]) -> None:
        """Find arrays and lists on tapes of which the backward sweep reads shapes and lengths alone: those are kept."""
        whole, lists = read_whole(self.sweep.backward), read_for_length(self.sweep.backward)
        others = [*extra, *self.again.values(), *(e for r in self.sweep.replayed.values() for e in r.reads())]
        whole.update(v for e in others for v in reads(e))
        handed = {v for pair in self.handed.items() for v in (pair[0], pair[1][1])}
        kept = whole | handed | set(self.counted) | self.wholes | set(self.sweep.cells)
        for version in sorted(self.taped - kept, key=self.order):
            info = self.versions.info[version]
            tests = (self.condition(v, again=v in self.again) for v in self.needed)
            is_kept = info.loops and (info.birth == "assign" or version in lists)
            if is_kept and not any(t is not None and version in reads(t) for t in tests):
                word = "length" if version in lists else "shape"
                self.shapes[version] = n.Variable(f"{info.variable.name}_{word}", n.Role.TEMPORARY)
        self.lengths = lists & self.shapes.keys()

    def hand_down(self) -> None:
        """Find values at the bottom of an iteration that are those at the head of the next.

        Going backwards, the next iteration has just been undone and leaves its head value in the variable; only the
        heads need a tape. The last iteration's value is the one that the variable holds at the end.
        """
        for loop, end in self.versions.ends.items():
            inside = self.versions.inside[loop]
            for variable in end.changed_since(inside):
                bottom, head = end[variable], inside.get(variable)
                if bottom in self.taped and head is not None and head in self.taped and self.is_handed(loop, variable):
                    self.taped.discard(bottom)
                    self.handed[bottom] = (loop, head)

    def is_left(self, version: n.Variable) -> bool:
        """Whether a value at the bottom of an iteration will be handed down; counters are counted back instead."""
        if "handing down" not in self.rewrites:
            return False
        variable = self.versions.info[version].variable
        kind = self.sweep.kinds.get(variable)
        if isinstance(kind, Scalar) and kind.dtype == "int64":
            return False
        for loop in self.versions.info[version].loops[-1:]:
            head = self.versions.inside[loop].get(variable)
            if (
                self.versions.ends[loop].get(variable) is version
                and head in self.needed
                and self.is_handed(loop, variable)
            ):
                return head is not None and not self.free(head)
        return False

    def is_handed(self, loop: n.Stmt, variable: n.Variable) -> bool:
        """Whether the iteration that was undone before leaves in a variable what it was at its head."""
        head = self.versions.inside[loop].get(variable)
        after = self.versions.after[loop].get(variable)
        return (
            variable not in self.sweep.ended
            and head is not None
            and after is not None
            and self.versions.final.get(variable) is after
            and self.versions.info[head].birth == "head"
        )

    def order(self, version: n.Variable) -> int:
        return version.born  # each is made where it is put among the versions

    def read_versions(self, extra: list[n.Expr]) -> set[n.Variable]:
        found: set[n.Variable] = set()
        for stmt in statements(self.sweep.backward):
            for expr in expressions(stmt):
                found |= reads(expr)
        for expr in extra:
            found |= reads(expr)
        return {v for v in found if v in self.versions.info}

    def free(self, version: n.Variable) -> bool:
        """Whether a version is simply there."""
        info = self.versions.info[version]
        later = self.versions.alike.get(version)
        return (
            version in self.sweep.header
            or version in self.sweep.held
            or self.versions.final.get(info.variable) is version
            or info.variable in self.versions.once
            or (later is not None and self.free(later))
        )

    def recompute(self, version: n.Variable, most: int) -> tuple[n.Expr, int] | None:
        """How a version is computed again from what is there, and the work; None where storing costs less."""
        if version in self.sweep.regenerated:
            return self.sweep.regenerated[version], 0
        info = self.versions.info[version]
        if "recomputation" not in self.rewrites or info.birth != "assign" or most < 0:
            return None
        if not isinstance(info.stmt, n.Assign):
            return None
        expr = info.stmt.value
        work = work_of(expr)
        straight = not info.loops and not isinstance(expr, n.Read)
        if straight and not (self.apart and work == 1 and info.variable.role is n.Role.TEMPORARY):
            return None  # the value is at hand under its own name or a second one
        if work is None and most == _MOST_WORK and is_one_pass(expr):
            work = 1
        if work is None and VECTORS in self.rewrites:
            work = work_of_vectors(expr)
        if work is None or work > most or is_replayed(info, self.sweep):
            return None  # a step that is replayed computes it anyway
        env = self.versions.before[info.stmt]
        past = self.lasting(info.stmt, expr) or self.of_a_whole(info, expr) or in_versions(expr, env)
        for operand in reads_in_order(past):
            if straight and operand not in self.needed:
                return None  # one value handed over is as good as another
            if (
                operand not in self.versions.info
                or self.free(operand)
                or operand in self.taped
                or operand in self.needed
                or operand in self.wholes
            ):
                continue
            if operand in self.supposed:
                self.met.add(operand)
                continue
            found = self.recompute(operand, most - max(work, 1))
            if found is None:
                return None
            work += found[1]
        return past, work

    def heads_worth_keeping(self) -> set[n.Variable]:
        """What numbers are at the head of an iteration, where several that are needed can be computed from it again."""
        heads = {
            v
            for v, info in self.versions.info.items()
            if info.birth == "head"
            and v not in self.needed
            and isinstance(self.sweep.kinds.get(info.variable), Scalar)
            and not self.free(v)
        }
        enabled: dict[n.Variable, int] = {}
        before = set(self.wholes), set(self.sweep.ended)
        for version in sorted(self.needed, key=self.order) if heads else ():
            if self.free(version) or self.recompute(version, _MOST_WORK) is not None:
                continue
            self.supposed, self.met = heads, set()
            if self.recompute(version, _MOST_WORK) is not None and len(self.met) == 1:
                head = self.met.pop()
                enabled[head] = enabled.get(head, 0) + 1
            self.supposed = set()
        self.wholes, self.sweep.ended = before  # nothing is decided yet
        return {head for head, many in enabled.items() if many > 1}

    def lasting(self, stmt: n.Stmt, place: n.Expr) -> n.Expr | None:
        """A part of an array, as a statement reads or sets it, read from what the array is in the end.

        None where something may have overwritten it by then, or where nothing overwrites the array at all.
        """
        base = base_of(place)
        if self.sweep.dependence is None or not isinstance(base, n.Read) or base is place:
            return None
        version = self.versions.before[stmt].get(base.variable)
        if version is None or (self.free(version) and not isinstance(stmt, n.Store)):
            return None
        found = self.sweep.dependence.in_the_end(stmt, place)
        if found is not None:
            self.sweep.ended.add(base.variable)
        return found

    def of_a_whole(self, info: Version, place: n.Expr) -> n.Expr | None:
        """An item that inner loops read, taken from what the array was when they were entered: one copy of it is kept.

        None where the array may have changed there by then; or where the loops need not come to most of its items.
        """
        if not isinstance(place, n.Subscript) or not isinstance(place.value, n.Read) or info.stmt is None:
            return None
        array, loops = place.value, info.loops
        united = self.sweep.united.loop if self.sweep.united else None
        if not goes_through(place, loops) or any(loop is united or loop in self.sweep.replayed for loop in loops):
            return None
        if array.variable in self.sweep.mixed or not (isinstance(array.kind, Array) and array.kind.dims is not None):
            return None
        now = self.versions.before[info.stmt].get(array.variable)
        for depth, loop in enumerate(loops):
            whole = self.versions.before[loop].get(array.variable)
            if whole is None or not self.is_kept_whole(whole, loops[:depth]):
                continue
            inner = loops[depth:]
            if not all(is_plain_range(each) for each in inner) or not goes_through(place, inner):
                continue
            if whole is now or (
                self.sweep.dependence is not None and self.sweep.dependence.is_as_before(info.stmt, place, loop)
            ):
                self.wholes.add(whole)
                env = {**self.versions.before[info.stmt], array.variable: whole}
                return in_versions(place, env)
        return None

    def is_kept_whole(self, version: n.Variable, loops: tuple[n.Stmt, ...]) -> bool:
        """Whether a version of an array can be copied once, and is there for what loops within do."""
        info = self.versions.info.get(version)
        return info is not None and info.certain and info.loops == loops[: len(info.loops)]

    def stored(self, version: n.Variable) -> n.Expr | None:
        """The element that a number was put into, where that still holds it in the end."""
        info = self.versions.info[version]
        if info.birth != "assign" or not info.loops or not isinstance(info.stmt, n.Assign):
            return None
        kind = info.stmt.value.kind
        for stmt in info.block[info.block.index(info.stmt) :] if info.stmt in info.block else ():
            match stmt:
                case n.Store(target=n.Subscript(kind=Scalar() as into) as target, value=n.Read(variable=variable)) if (
                    variable is info.variable
                    and self.versions.before[stmt].get(variable) is version
                    and isinstance(kind, Scalar)
                    and kind.dtype == into.dtype
                    and isinstance(base_of(target).kind, Array)
                ):
                    found = self.lasting(stmt, target)
                    if found is not None and all(v not in self.versions.info or self.free(v) for v in reads(found)):
                        return found
        return None

    # ------------------------------------------------------------------------------------------------------- naming

    def names(self) -> dict[n.Variable, n.Variable]:
        """The variable that holds each version in the backward sweep: the user's own where only one version is read."""
        lives = self.sweep.united.lives if self.sweep.united else self.sweep.lives
        by_variable: dict[n.Variable, list[n.Variable]] = {}
        headed = sorted(self.sweep.header, key=self.order)
        for version in sorted(self.needed, key=self.order):
            by_variable.setdefault(self.versions.info[version].variable, []).append(version)
        for version in headed:
            if version not in self.needed:
                by_variable.setdefault(self.versions.info[version].variable, [])
        names: dict[n.Variable, n.Variable] = {}
        for variable, found in by_variable.items():
            free = [v for v in found if self.free(v) and v not in self.sweep.header]
            for version in free:
                names[version] = variable
            handed = [v for v in found if v in self.handed or v in self.counted]
            for version in handed:
                names[version] = variable
            free += handed
            headers = [v for v in found if v in self.sweep.header]
            others = [v for v in found if v not in free and v not in headers]
            united = self.sweep.united.loop if self.sweep.united else None
            own = {united} if united and any(self.versions.info[v].stmt is united for v in free) else set()
            elsewhere = [v for v in free if self.versions.info[v].stmt not in own]
            if variable in lives:  # the forward sweep goes on with it after these lines
                pass
            elif not elsewhere and not others:
                loops = {self.versions.info[v].stmt for v in headers} | own
                for version in headers:
                    info = self.versions.info[version]
                    # a loop in a loop may have the same variable: the outer one's is still read behind it
                    around = loops.intersection(info.loops) - {info.stmt}
                    names[version] = version if around else variable
            elif not free and not headers and len(others) == 1 and self.versions.info[others[0]].loops:
                names[others[0]] = variable
            for version in found:
                if version in self.again and variable.role is n.Role.TEMPORARY:
                    names[version] = version  # so that it can go straight to where it is read
                names.setdefault(version, version)
        for version in headed:
            variable = self.versions.info[version].variable
            taken = variable in names.values() or variable in lives
            names.setdefault(version, version if taken else variable)
        return names

    # ----------------------------------------------------------------------------------------------------- the tapes

    def add_tapes(self, names: dict[n.Variable, n.Variable]) -> None:
        lines_read = [e for s in statements(self.sweep.backward) for e in expressions(s)]
        for expr in (*lines_read, *self.again.values()):
            for read in walk(expr):
                if isinstance(read, n.Read) and not isinstance(read.kind, Unknown):
                    self.kinds_read.setdefault(read.variable, read.kind)  # the first of which it is known
        for version in sorted(self.taped, key=self.order):
            info = self.versions.info[version]
            saved = self.snapshot(version)
            if version in self.shapes:
                saved = n.Read(info.variable, kind=self.kind_of(version))
                if version in self.lengths:
                    saved = apply(len, saved, kind=INT)
                else:
                    saved = n.Call(n.Attribute(NP, "shape", kind=Static(np.shape)), (saved,), kind=SHAPE)
            if not info.loops:
                if not info.certain and info.birth != "param":
                    self.sweep.forward.insert(0, n.Assign(info.variable, NOTHING))
                self.after_birth(info, n.Assign(version, saved))
                names[version] = version
                continue
            tape = n.Variable(info.variable.name, n.Role.TAPE, of=info.variable)
            origin = info.stmt.origin if info.stmt else None
            self.sweep.forward.insert(0, n.NewTape(tape, origin=None))
            if not info.certain:
                self.sweep.forward.insert(0, n.Assign(info.variable, NOTHING))
            if version in self.sweep.cells:
                self.sweep.cell_tapes[version] = tape
            elif self.may_be_given_up(info):
                # it is taken back where the whole was done, so it is kept where the whole was done
                if not isinstance(saved, n.Read) or info.variable.role is not n.Role.TEMPORARY:
                    aside = n.Variable(info.variable.name, n.Role.TEMPORARY)
                    self.after_birth(info, n.Assign(aside, saved))
                    saved = n.Read(aside, kind=saved.kind)
                last = self.sweep.last_of[info.stmt] if info.stmt is not None else None
                if last is not None:
                    place = info.block.index(last) + 1
                    while place < len(info.block) and isinstance(info.block[place], n.Push):
                        place += 1
                    info.block.insert(place, n.Push(tape, saved, origin=origin))
            else:
                self.after_birth(info, n.Push(tape, saved, origin=origin))
            lines = self.home(info)
            taken = self.if_done(version, n.Pop(names[version], tape, origin=None))
            place = 0
            if isinstance(taken, n.If):  # what the test reads comes first
                tested = reads(taken.test)
                places = (k + 1 for k, s in enumerate(lines) if tested & set(bound_in([s])) and takes(s))
                place = max(places, default=0)
            lines.insert(place, taken)

    def may_be_given_up(self, info: Version) -> bool:
        """Whether a part of a statement in a `try` was set although the whole statement may not have been done."""
        last = self.sweep.last_of.get(info.stmt) if info.stmt is not None else None
        set_here = info.birth in ("assign", "exit", "touch", "join")
        return last is not None and last is not info.stmt and set_here and any(last is s for s in info.block)

    def home(self, info: Version) -> list[n.Stmt]:
        """The backward lines at whose top a version born in a block is taken back."""
        if info.stmt in self.sweep.homes and info.birth not in ("head", "target"):
            return self.sweep.homes[info.stmt]
        return self.sweep.mirror[id(info.block)]

    def snapshot(self, version: n.Variable) -> n.Expr:
        """What is kept of a variable's value: a copy where its contents change later."""
        info = self.versions.info[version]
        variable, certain = info.variable, info.certain
        if variable in self.sweep.references:  # to buffers, that are the same ones throughout
            buffers = n.Read(variable, kind=self.sweep.kinds.get(variable, Unknown("buffers")))
            changes = variable in self.versions.changed
            return apply(runtime.same_buffers, buffers, kind=buffers.kind) if changes else buffers
        kind = self.kind_of(version)
        read = n.Read(variable, kind=kind)
        number = isinstance(kind, Scalar) and variable not in self.sweep.mixed
        if number or variable not in self.versions.changed | self.versions.passed:
            return read
        if isinstance(kind, Array) and kind.dims is not None and certain and variable not in self.sweep.mixed:
            return n.Call(method(read, "copy"), (), kind=kind)
        return apply(copy.deepcopy, read, kind=read.kind)

    def kind_of(self, version: n.Variable) -> Kind:
        """The kind of what a version is: its variable may have held other things before, and may hold others later."""
        info = self.versions.info[version]
        if info.birth == "assign" and isinstance(info.stmt, n.Assign) and info.stmt.target is info.variable:
            return info.stmt.value.kind
        if info.birth == "param" and info.variable in self.sweep.given:
            return self.sweep.given[info.variable]
        if (found := self.kinds_read.get(version)) is not None:
            return found
        kind = self.sweep.kinds.get(info.variable, UNKNOWN)
        return kind if not isinstance(kind, Array) or info.variable in self.sweep.steady else Array(kind.dtype, None)

    def after_birth(self, info: Version, line: n.Stmt) -> None:
        """Insert a line where a version has just been set."""
        if info.birth in ("param", "head", "target") or info.stmt is None:
            place = 0
            while place < len(info.block) and isinstance(info.block[place], n.Push | n.NewTape):
                place += 1
        else:
            place = info.block.index(info.stmt) + 1
            while place < len(info.block) and isinstance(info.block[place], n.Push):
                place += 1
            line.origin = info.stmt.origin
        info.block.insert(place, line)

    def add_recomputation(self, names: dict[n.Variable, n.Variable]) -> None:
        """Insert the lines that compute versions again, each at the top of the block that reads it."""
        for version in sorted(self.again, key=self.order, reverse=True):
            info = self.versions.info[version]
            lines = self.home(info)
            place = 0
            while place < len(lines) and takes(lines[place]):
                place += 1
            lines.insert(place, self.if_done(version, n.Assign(names[version], self.again[version], origin=None)))

    def condition(self, version: n.Variable, *, again: bool) -> n.Expr | None:
        """The condition under which a version was set, where an exception may have prevented it."""
        info = self.versions.info[version]
        if info.stmt is None or (not again and not info.loops):
            return None
        head = info.birth in ("head", "target")
        if head and isinstance(info.stmt, n.For | n.While):
            return None  # the lines of an iteration stand in the reversed one
        return self.sweep.guard(info.stmt, whole=again, begun=head or version in self.sweep.cells)

    def if_done(self, version: n.Variable, line: n.Stmt) -> n.Stmt:
        """A line for a value that was only set if nothing was raised before."""
        test = self.condition(version, again=version in self.again)
        return line if test is None else n.If(renamed(test, self.named), [line], [])

    def rename(self, body: list[n.Stmt], names: dict[n.Variable, n.Variable]) -> None:
        for stmt in body:
            change_expressions(stmt, lambda e: renamed(e, names))
            match stmt:
                case n.Assign(target=target):
                    stmt.target = names.get(target, target)
                case n.For(target=target):
                    stmt.target = renamed(target, names)
                case n.Store(target=n.Subscript() as item) | n.Augment(target=n.Subscript() as item):
                    stmt.target = renamed(item, names)
            for block in blocks(stmt):
                self.rename(block, names)
