"""Lines of arithmetic on equally long vectors become one loop: what a line makes, the next reads while it is at hand.

    t = a * x[1:]                   part = x[1:]
    u = np.exp(t)                   y = np.empty(len(part))
    y = u * t + 1.0          ->     for i in range(len(part)):
                                        t_1 = a * part[i]
                                        u_1 = np.exp(t_1)
                                        y[i] = u_1 * t_1 + 1.0

Numba would make an array of each intermediate result. A vector that nobody reads behind the loop is a number in it. A
line that is no such arithmetic is moved in front of the loop or behind it, where that changes nothing; else it ends it.

A line joins a loop only if its vectors are as long, and if whatever it shares memory with is read and written item by
item at the same place: `x[1:] += x[:-1]` is computed apart first, as NumPy does.

>>> from adcompile.analyses.typing.kinds import Inference

>>> from adcompile.analyses.typing.typed import Typed
>>> from adcompile.analyses.typing.program import Program
>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import Extent
>>> from adcompile.ir.show import show
>>> def f(x, a):
...     t = a * x
...     return np.exp(t) * t
>>> def g(x, a):
...     t = a * x
...     y = t * t + x
...     return y
>>> program = Program(read, lambda function: None)
>>> function = program.lower(g)
>>> kinds = Array("float64", (Extent("x.0", least=2),)), Scalar("float64")
>>> typed = Typed(function, [p.variable for p in function.params], kinds)
>>> Inference(program, typed).run()
>>> function.body = typed.body
>>> fused(function)
>>> print(show(function))
def g(x, a):
    y = np@rule.empty(len@builtin(x))
    for <temporary i> in range@builtin(len@builtin(x)):
        <temporary t> = (a * x[<temporary i>])
        y[<temporary i>] = ((<temporary t> * <temporary t>) + x[<temporary i>])
    return y
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from adcompile.analyses.memory.groups import Memory, memory_of
from adcompile.ir import nodes as n
from adcompile.ir.algebra import is_minus_one
from adcompile.ir.kinds import Array, Kind, Scalar, Static, same_shape
from adcompile.ir.walk import (
    binds,
    blocks,
    bound_in,
    change_expressions,
    children,
    expressions,
    reads,
    rebuild,
    statements,
    walk,
)
from adcompile.native.vectors.afterwards import Place, is_read_after, runs_line_by_line
from adcompile.native.vectors.effects import Effects, bases_of, contents_of, effects_of, is_known, is_movable
from adcompile.native.vectors.loops import (
    NUMBER,
    Lengths,
    Line,
    as_long,
    is_list_of_places,
    is_picked,
    is_vector,
    is_written_out,
)
from adcompile.runtime import native as runtime_native

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NUMPY = n.Ref("np", np, "rule", kind=Static(np))
_NEAR = 6  # lines that are looked ahead
_JUMPS = (n.Break, n.Continue, n.Return, n.Raise)
_OPERATORS = ("+", "-", "*", "/")


def fused(function: n.Function) -> None:
    """Write out the elementwise arithmetic of a function as loops, in place."""
    work = _Fusing(memory_of(function))
    work.one_by_one = not runs_line_by_line(function)
    work.block(function.body, [], None)


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


class _Fusing:
    """The walk over a function: what is known at one point of it, and the loop that is open there."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.lengths = Lengths()
        self.parts: dict[n.Variable, _Part] = {}  # of what a variable is a view
        self.open: _Loop | None = None
        self.one_by_one = False  # no line is moved, and each has a loop of its own
        self.ahead: list[n.Stmt] = []  # the next lines of the block

    def block(self, body: list[n.Stmt], path: list[Place], owner: n.Stmt | None) -> None:
        if not self.one_by_one:
            self.wait(body)
        new: list[n.Stmt] = []
        for k, stmt in enumerate(body):
            here = [*path, Place(body, k, owner)]
            if inner := blocks(stmt):
                new += self.close()
                self.forget(bound_in([stmt]))
                for block in inner:
                    outer = self.lengths, self.parts
                    self.lengths, self.parts = self.lengths.copy(), dict(self.parts)
                    self.block(block, here, stmt)
                    self.lengths, self.parts = outer
                new.append(stmt)
                continue
            self.ahead = body[k + 1 : k + 1 + _NEAR]
            new += self.statement(stmt, here)
        new += self.close()
        body[:] = new

    def wait(self, body: list[n.Stmt]) -> None:
        """Let vectors be made right before the arithmetic that reads them first, where nothing in between minds."""
        for k in reversed(range(len(body))):
            match body[k]:
                case n.Assign(target=target, value=value) if (
                    is_written_out(value, picked=True) or is_picked(value)
                ) and target not in reads(value):
                    pass
                case _:
                    continue
            held = {v for e in _vectors(value) for v in bases_of(e)} | contents_of(value)
            for later in range(k + 1, len(body)):
                inside = list(statements([body[later]]))
                if any(target in binds(s) or any(target in reads(e) for e in expressions(s)) for s in inside):
                    if _line(body[later]) is not None:
                        body.insert(later - 1, body.pop(k))
                    break
                if any(
                    isinstance(s, _JUMPS) or reads(value) & set(binds(s)) or self.memory.changes(s, held)
                    for s in inside
                ):
                    break

    def statement(self, stmt: n.Stmt, here: list[Place]) -> list[n.Stmt]:
        """The lines that come before the open loop, which takes the statement up if it can."""
        change_expressions(stmt, _spread)
        line = _line(stmt)
        if line is None:
            closed = self.sums(stmt, here)
            if closed:
                return [*closed, *self.statement(stmt, here)]
            if self.open is not None and not self.one_by_one and self.open.lets_pass(stmt):
                self.note(stmt)
                return []
            closed = self.close()
            self.note(stmt)
            return [*closed, stmt]
        if self.overlaps_itself(line):
            if not isinstance(stmt, n.Store) or is_vector(line.value):
                closed = self.close()
                self.note(stmt)
                return [*closed, stmt]
            apart = n.Variable("apart", n.Role.TEMPORARY)
            whole = n.Read(apart, kind=line.value.kind)
            made = n.Assign(apart, line.value, origin=stmt.origin)
            put = replace(stmt, value=whole)
            closed = self.join(_Line(made, None, None, line.value), here, {apart})
            return [*closed, *self.join(_Line(put, line.place, None, whole), here)]
        return self.join(line, here)

    def sums(self, stmt: n.Stmt, here: list[Place]) -> list[n.Stmt]:
        """Let the sums of vectors in a statement be counted up in a loop; the lines before it."""
        if self.one_by_one or not isinstance(stmt, n.Assign | n.Augment | n.Return | n.Push | n.Store):
            return []
        closed: list[n.Stmt] = []
        before = [*here[:-1], here[-1]._replace(line=here[-1].line - 1)]  # the statement itself comes behind
        for call, vector in _sums(stmt):
            total = n.Read(n.Variable("total", n.Role.TEMPORARY), kind=NUMBER)
            line = _Line(n.Assign(total.variable, call, origin=stmt.origin), None, "sum", vector)
            if (self.open is None or not self.open.may_join(line)) and not self.needs_loop(call, vector):
                continue
            closed += self.join(line, before)
            change_expressions(stmt, partial(_exchanged, old=call, new=total))
        return closed

    def needs_loop(self, call: n.Expr, vector: n.Expr) -> bool:
        """Whether Numba's own sum of a vector, or product of two, is slower than a loop that does nothing else."""
        if isinstance(call, n.Call) and n.object_of(call.func) is np.sum:
            return not is_vector(vector)  # it would make the array first
        return any(self.is_strided(e) for e in _vectors(vector))  # BLAS is given a copy

    def is_strided(self, e: n.Expr) -> bool:
        """Whether the items of a vector are known not to be next to each other in memory."""
        part = self.part(e)
        if part is None:
            return _has_step(e)
        last = part.way[-1] if part.way else _ALL
        if not isinstance(last, n.Slice):
            return any(isinstance(step, n.Slice) for step in part.way)  # a column
        return last.step is not None

    def join(self, line: _Line, here: list[Place], lasting: set[n.Variable] | None = None) -> list[n.Stmt]:
        """Take a line up into the open loop, or into a new one; the lines of the loop before it."""
        closed: list[n.Stmt] = []
        if self.open is None or self.one_by_one or not self.open.may_join(line):
            closed = self.close()
            if line.like is not None:  # Numba makes it as fast
                self.note(line.stmt)
                return [*closed, line.stmt]
            self.open = _Loop(self, line.stmt)
        self.open.add(line, here, lasting or set())
        self.forget(binds(line.stmt) if isinstance(line.stmt, n.Assign) else ())
        return closed

    def close(self) -> list[n.Stmt]:
        """The lines of the open loop."""
        if self.open is None:
            return []
        done, self.open = self.open, None
        return done.lines()

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
                way = index.items if isinstance(index, n.Display) and index.form == "tuple" else (index,)
                while way and way[-1] == _ALL:
                    way = way[:-1]
                if any(isinstance(step, n.Slice) for step in whole.way) and way:
                    whole = _Part(variable, ())
                if not all(isinstance(step, n.Slice) or isinstance(step.kind, Scalar) for step in way):
                    return None
                return _Part(whole.root, (*whole.way, *way))
            case _:
                return None

    def overlaps_itself(self, line: _Line) -> bool:
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


_ALL = n.Slice(None, None, None)


@dataclass(eq=False)
class _Line:
    """A statement of arithmetic on vectors: what it sets, or where it is put (with which operator), and the value."""

    stmt: n.Assign | n.Store | n.Augment | n.Evaluate
    place: n.Expr | None
    op: str | None
    value: n.Expr
    like: n.Expr | None = None  # a vector that only says how many items there are

    @property
    def is_filled_with_number(self) -> bool:
        """Whether each item is given, or has added to it, the same number."""
        return isinstance(self.value.kind, Scalar)

    @property
    def adds_at_places(self) -> bool:
        """Whether each item is added where a list of places says."""
        return isinstance(self.stmt, n.Evaluate)

    def vectors(self, *, value_only: bool = False) -> list[n.Expr]:
        """The vectors that are read, and the one that is written."""
        found = _vectors(self.value) if self.like is None else [self.like]
        return found if value_only or self.place is None else [self.place, *found]

    def numbers(self) -> list[n.Expr]:
        """The numbers that take part."""
        return _numbers(self.value)


def _line(stmt: n.Stmt) -> _Line | None:
    match stmt:
        case n.Assign(value=value) if is_written_out(value, picked=True):
            return _Line(stmt, None, None, value)
        case n.Assign(
            value=n.Call(
                func=n.Expr(kind=Static(value=np.full)),
                args=(shape, n.Expr(kind=Scalar()) as number),
                keywords=(),
            )
        ) if (
            (like := n.shape_operand(shape)) is not None
            and is_vector(like)
            and is_vector(n.Read(stmt.target, kind=stmt.value.kind))
        ):
            return _Line(stmt, None, None, number, like)
        case n.Assign(value=n.Call(func=n.Attribute(value=held, name="copy"), args=(), keywords=())) if is_vector(held):
            return _Line(stmt, None, None, held)
        case n.Store(target=n.Subscript() as place, value=value) if is_vector(place) and _fills(place, value):
            return _Line(stmt, place, None, value)
        case n.Augment(target=n.Subscript() | n.Read() as place, op=op, value=value) if (
            op in _OPERATORS and is_vector(place) and _fills(place, value)
        ):
            return _Line(stmt, place, op, value)
        case n.Assign(value=value) if is_picked(value):
            return _Line(stmt, None, None, value)
        case n.Evaluate(value=n.Call(func=n.Ref(value=runtime_native.add_at), args=(whole, places, value))) if (
            is_vector(whole)
            and is_list_of_places(places)
            and (_are_as_many(value.kind, places.kind))
            and (is_written_out(value, picked=True) or is_vector(value) or is_picked(value))
        ):
            return _Line(stmt, n.Subscript(whole, places, kind=value.kind), "+", value)
        case _:
            return None


def _sums(stmt: n.Stmt) -> list[tuple[n.Expr, n.Expr]]:
    """The sums of all items of a vector that a statement is certain to ask for, each with the vector."""
    found: list[tuple[n.Expr, n.Expr]] = []

    def visit(e: n.Expr) -> bool:
        """Whether nothing in an expression changes anything."""
        match e:
            case n.Call(func=n.Expr(kind=Static(value=np.sum)), args=(vector,), keywords=()) if is_vector(
                vector
            ) or is_written_out(vector, picked=True):
                found.append((e, vector))
                return True
            case (
                n.Call(func=n.Expr(kind=Static(value=np.dot)), args=(left, right), keywords=())
                | n.Binary(op="@", left=left, right=right)
            ) if _is_product(left, right):
                found.append((e, n.Binary("*", left, right, kind=left.kind)))
                return True
            case n.Conditional() | n.Bool() | n.Compare():
                return all(map(is_known, walk(e)))
            case _:
                return is_known(e) and all(visit(child) for child in children(e))

    return found if all(visit(e) for e in expressions(stmt)) else []


def _is_product(left: n.Expr, right: n.Expr) -> bool:
    """Whether two vectors can be multiplied item by item."""
    return is_vector(left) and is_vector(right) and as_long(left.kind, right.kind)


def _are_as_many(values: Kind, places: Kind) -> bool:
    """Whether there is a value for each place, and not one for all."""
    return isinstance(values, Array) and isinstance(places, Array) and (
        (values.dims is not None and values.dims == places.dims) or same_shape(values, places)
    )


def _has_step(e: n.Expr) -> bool:
    """Whether a vector is not one item next to the other in memory."""
    return isinstance(e, n.Subscript) and (
        (isinstance(e.index, n.Slice) and e.index.step is not None) or _has_step(e.value)
    )


def _spread(e: n.Expr) -> n.Expr:
    """Arithmetic on vectors turned round: of which the vectors are."""
    match e:
        case n.Subscript(value=whole, index=n.Slice(lower=None, upper=None, step=step) as turn) if (
            is_minus_one(step) and is_written_out(whole, picked=True)
        ):
            return _of_turned(whole, turn)
        case _:
            return rebuild(e, _spread)


def _of_turned(e: n.Expr, turn: n.Slice) -> n.Expr:
    match e:
        case n.Expr(kind=Scalar()):
            return e
        case n.Binary(left=left, right=right):
            return replace(e, left=_of_turned(left, turn), right=_of_turned(right, turn))
        case n.Unary(operand=operand):
            return replace(e, operand=_of_turned(operand, turn))
        case n.Call(args=args):
            return replace(e, args=tuple(_of_turned(a, turn) for a in args))
        case _:
            return n.Subscript(e, turn, kind=e.kind)


def _exchanged(e: n.Expr, old: n.Expr, new: n.Expr) -> n.Expr:
    return new if e is old else rebuild(e, partial(_exchanged, old=old, new=new))


def _fills(place: n.Expr, value: n.Expr) -> bool:
    if isinstance(value, n.Const | n.Read) and isinstance(value.kind, Scalar):
        return value.kind.dtype in ("float64", "int64")
    return (is_written_out(value, picked=True) or is_vector(value)) and as_long(place.kind, value.kind)


@dataclass(eq=False)
class _Made:
    """A vector that a loop makes: what stands for an item, and whether the vector must be there behind the loop."""

    item: n.Read
    kind: Kind
    line: n.Assign
    lasting: bool = False


class _Loop:
    """A loop that is being put together."""

    def __init__(self, work: _Fusing, stmt: n.Stmt) -> None:
        self.work = work
        self.items = _Items(stmt, work.lengths, self)
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

    def may_join(self, line: _Line) -> bool:
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
        if any(self.work.collide(e, place) for e in outer for place in self.written):
            return False
        if line.place is not None:
            others = [e for e in self.touched if not (line.adds_at_places and e in self.added_to)]
            if any(self.work.collide(line.place, e) for e in others):
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
        if isinstance(e, n.Read) and self.work.lengths.are_same(self.first.variable, e.variable):
            return True
        return any(self.work.lengths.kinds_are_same(e.kind, view.kind) for view in self.items.views.values())

    def will_be_as_long(self, line: _Line) -> bool:
        """Whether what a line makes is about to meet the vectors of the loop: NumPy would raise if it did not fit."""
        if not isinstance(line.stmt, n.Assign) or line.op is not None:
            return False
        names = {line.stmt.target}
        for stmt in self.work.ahead:
            later = _line(stmt)
            if later is None:
                return False
            vectors = later.vectors()
            if any(isinstance(e, n.Read) and e.variable in names for e in vectors):
                if any(not reads(e) & names and self.is_as_long(e) for e in vectors):
                    return True
                if not isinstance(stmt, n.Assign):
                    return False
                names.add(stmt.target)
            elif names & set(binds(stmt)):
                return False
        return False

    def meets(self, some: set[n.Variable], others: set[n.Variable]) -> bool:
        """Whether the memory of some variables may be that of others."""
        return any(self.work.memory.reaches(v, others) for v in some)

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

    def add(self, line: _Line, here: list[Place], lasting: set[n.Variable]) -> None:
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
        self.work.lengths.same_kinds(e.kind for e in line.vectors())
        if self.first is None:
            self.first = next(iter(self.items.views.values()))
        stmt = line.stmt
        if isinstance(stmt, n.Assign) and line.op == "sum":
            self.items.before.append(n.Assign(stmt.target, n.Const(0.0, kind=NUMBER), origin=stmt.origin))
            self.body.append(n.Augment(n.Read(stmt.target, kind=NUMBER), "+", value, origin=stmt.origin))
            self.behind.bound.add(stmt.target)  # it is there when the loop is done
        elif isinstance(stmt, n.Assign):
            item = n.Read(n.Variable(stmt.target.name, n.Role.TEMPORARY), kind=NUMBER)
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
        part = self.work.part(e) if is_vector(e) else None
        return set() if part is None else {part.root, *(v for step in part.way for v in reads(step))}

    def done_with(self, target: n.Variable, used: set[n.Variable]) -> n.Read | None:
        """A vector that the loop reads, whose array nobody needs any more: there is room for what the loop makes."""
        if self.work.one_by_one:
            return None
        needed = (self.behind.read | self.behind.contents) - {target} | used
        needed |= {v for e in self.written for v in bases_of(e)}
        needed |= {v for e in self.touched if not isinstance(e, n.Read) for v in bases_of(e)}  # other items of it
        for e in self.items.views:
            if not isinstance(e, n.Read) or not is_vector(e) or e.variable in used:
                continue
            names = self.work.memory.owners(e.variable)
            others = names - {target}
            if names and not names & needed and not any(is_read_after(self.here, v) for v in others):
                return e
        return None

    def lines(self) -> list[n.Stmt]:
        """The loop, and what comes before and behind it."""
        if self.first is None:
            raise TypeError
        work, items = self.work, self.items
        stmt = items.stmt
        last = dict(self.every)
        rest: list[n.Stmt] = []
        known: list[n.Variable] = []
        used: set[n.Variable] = set()
        for target, made in self.every:
            if last[target] is not made:
                continue
            if not (made.lasting or work.one_by_one or is_read_after(self.here, target)):
                continue
            old = self.done_with(target, used)
            used |= set() if old is None else {old.variable}
            is_own = old is not None and old.variable is target
            new = target if is_own or target not in self.inside.read else n.Variable(target.name, n.Role.TEMPORARY)
            whole = n.Read(new, kind=made.kind)
            empty = n.Attribute(_NUMPY, "empty", kind=Static(np.empty))
            value = old or n.Call(empty, (items.length,), kind=made.kind)
            if not is_own:
                items.before.append(n.Assign(new, value, origin=made.line.origin))
            place = n.Subscript(whole, items.index, kind=NUMBER)
            if old is not None or _is_read(made.item.variable, self.body):
                self.body.append(n.Store(place, made.item, origin=made.line.origin))
            else:
                put = n.Store(place, made.line.value, origin=made.line.origin)
                self.body[next(k for k, s in enumerate(self.body) if s is made.line)] = put
            if new is not target:
                rest.append(n.Assign(target, n.Read(new, kind=made.kind), origin=made.line.origin))
            known.append(target)
        loop = items.loop(self.body)
        targets = {target for target, _ in self.every}
        work.forget(targets)
        for target in known:
            if self.first.variable not in targets:
                work.lengths.same(self.first.variable, target)
            elif target is not known[0]:
                work.lengths.same(known[0], target)
        for moved in self.after:  # they come behind, and may set what is known to be something else
            work.lengths.forget(binds(moved))
        return [*loop, *rest, *self.after] if stmt else []


class _Items(Line):
    """What the lines of a loop come to at its index."""

    def __init__(self, stmt: n.Stmt, lengths: Lengths, loop: _Loop) -> None:
        super().__init__(stmt, lengths)
        self.of = loop

    def item(self, e: n.Expr) -> n.Expr:
        if isinstance(e, n.Read) and e.variable in self.of.made and not isinstance(e.kind, Scalar):
            return self.of.made[e.variable].item
        return super().item(e)


def _leaves(e: n.Expr) -> Iterator[n.Expr]:
    """The vectors and the numbers that arithmetic on vectors reads."""
    match e:
        case n.Expr(kind=Scalar()):
            yield e
        case n.Binary(left=left, right=right):
            yield from _leaves(left)
            yield from _leaves(right)
        case n.Unary(operand=operand):
            yield from _leaves(operand)
        case n.Call(args=args):
            for a in args:
                yield from _leaves(a)
        case _:
            yield e


def _vectors(e: n.Expr) -> list[n.Expr]:
    return [leaf for leaf in _leaves(e) if not isinstance(leaf.kind, Scalar)]


def _numbers(e: n.Expr) -> list[n.Expr]:
    return [leaf for leaf in _leaves(e) if isinstance(leaf.kind, Scalar)]


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
