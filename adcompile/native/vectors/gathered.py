r"""Several slices of one vector that are added to, one behind the other, are added to in one loop.

    x_bar = np.zeros_like(x)            for i in range(inner):
    x_bar[2:] = g                           x_bar[i + 2] = g[i] - g[i + 2]
    x_bar[:-2] -= g               ->    (and the same for the two items at either end)

What a statement of the user's makes of neighbours, its adjoint gives back to neighbours: a pass over memory for each.
Here each item collects what it is given. The items that all slices have are the `inner` ones; at the ends each slice
is asked whether it has the item. What was `u_bar[1:-1] = 0.0` before, and is `u_bar += x_bar` behind, is done as well.

Where each step of a loop copies a slice, clears it, and adds to all of the vector what it makes of the copy, no copy is
made: the sums go into a second vector, and the two change places.

Only where slices have certain offsets from the ends, nothing in between reads what is added to, and nothing changes
what is added.

>>> import re
>>> from adcompile.analyses.typing.program import Program
>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import Array, Extent
>>> from adcompile.ir.show import show
>>> def f(x, g):
...     x[2:] += g
...     x[:-2] -= 2.0 * g
>>> kinds = [Array("float64", (Extent("x.0", offset, least=6),)) for offset in (0, -2)]
>>> typed = Program(read).infer(f, kinds)
>>> function = typed.function
>>> function.body = typed.body
>>> gathered(function)
>>> print(re.sub("<step (.*?)>", r"\1", show(function)).replace("@builtin", ""))
def f(x, g):
    size = len(x)
    inner = max((size - 4), 0)
    if len(g) != max((size - 2), 0):
        raise ValueError('operands could not be broadcast together')
    for k in range((size - inner)):
        place = (k if k < 2 else (k + inner))
        total = x[place]
        if place >= 2:
            total += g[(place - 2)]
        if place < (size - 2):
            total -= (2.0 * g[place])
        x[place] = total
    part = x[2:(inner + 2)]
    part = g[:inner]
    part = g[2:(inner + 2)]
    for i in range(len(part)):
        part[i] = ((part[i] + part[i]) - (2.0 * part[i]))

The three names `part` are not yet told apart there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from adcompile.analyses.memory.groups import Memory, memory_of, memory_read
from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.indices import whole_literal
from adcompile.ir.kinds import BOOL, INT, Scalar, Static
from adcompile.ir.make import apply, len_of, raise_if, range_of
from adcompile.ir.walk import binds, blocks, expressions, reads, statements
from adcompile.native.vectors.afterwards import Place, is_read_after, runs_line_by_line
from adcompile.native.vectors.loops import NOT_ALIKE, NUMBER, Lengths, Line, as_long, is_vector, is_written_out

_FARTHEST = 8  # items from an end that a slice may start or end at
_JUMPS = (n.Break, n.Continue, n.Return, n.Raise, n.Define, n.Delete)


def gathered(function: n.Function) -> None:
    """Join the additions to slices of a function's vectors, in place."""
    if runs_line_by_line(function):
        memory = memory_of(function)
        work = _Gathered(memory)
        work.block(function.body, [], None)
        for block, loop, made in work.made_before:
            block.insert(block.index(loop), made)


class _Ends(NamedTuple):
    """A slice that leaves out so many items at either end."""

    first: int
    last: int

    def holds(self, parts: list[_Part]) -> bool:
        """Whether the slice has every item that the slices of some additions all have."""
        first = max(part.ends.first for part in parts)
        last = max(part.ends.last for part in parts)
        return self.first <= first and self.last <= last


class _Part(NamedTuple):
    """What one line adds to a slice."""

    line: n.Stmt
    ends: _Ends
    op: str
    value: n.Expr


@dataclass(eq=False)
class _Run:
    """Additions to one vector, all of which can wait until one line."""

    base: n.Read
    parts: list[_Part] = field(default_factory=list)
    is_zero: bool = False  # the vector, before
    cleared: tuple[n.Stmt, _Ends] | None = None  # the slice that is set to 0 before, and where
    second: n.Read | None = None  # the vector that the sums go into, if that is another one

    @property
    def is_worth_it(self) -> bool:
        return len({part.ends for part in self.parts}) > 1

    @property
    def lines(self) -> set[int]:
        """The statements that a loop stands in for."""
        return {id(part.line) for part in self.parts} | ({id(self.cleared[0])} if self.cleared else set())


class _Gathered:
    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.made_before: list[tuple[list[n.Stmt], n.Stmt, n.Stmt]] = []  # loops, and vectors that they are to have

    def block(self, body: list[n.Stmt], path: list[Place], owner: n.Stmt | None) -> None:
        for k, stmt in enumerate(body):
            for inner in blocks(stmt):
                self.block(inner, [*path, Place(body, k, owner)], stmt)
        k = 0
        while k < len(body):
            match body[k]:
                case n.Assign(target=target, value=n.Call(args=(like,)) as value) if _is_zeros(value):
                    self.made(body, k, n.Read(target, kind=value.kind), like, [*path, Place(body, k, owner)])
                case (
                    n.Store(target=n.Subscript(value=n.Read() as base))
                    | n.Augment(target=n.Subscript(value=n.Read() as base))
                ) if is_vector(base):
                    self.changed(body, k, base)
            k += 1

    def changed(self, body: list[n.Stmt], start: int, base: n.Read) -> None:
        """Additions to a vector that is there, from a line on."""
        run = _Run(base)
        ends = _cleared(body[start], base)
        if ends is not None:
            run.cleared = body[start], ends
        end = self.collect(body, start + (ends is not None), run, lambda v: self.memory.related(v, base.variable))
        if not run.is_worth_it:
            return
        if run.cleared is not None and not run.cleared[1].holds(run.parts):
            run.cleared = None  # it stays
        size = n.Read(n.Variable("size", n.Role.STEP), kind=INT)
        known = n.Assign(size.variable, len_of(base), origin=body[start].origin)
        lines = [known, *_Loops(run, size, body[start]).added()]
        body[start:end] = [*(s for s in body[start:end] if id(s) not in run.lines), *lines]

    def made(self, body: list[n.Stmt], start: int, base: n.Read, like: n.Expr, path: list[Place]) -> None:
        """Additions to a vector that is made here, of zeros."""
        run = _Run(base, is_zero=True)
        end = self.collect(body, start + 1, run, lambda v: v is base.variable)
        if not run.is_worth_it:
            return
        size = n.Read(n.Variable("size", n.Role.STEP), kind=INT)
        known = n.Assign(size.variable, len_of(like), origin=body[start].origin)
        stmt = body[start]
        lines, after = None, end
        into = _added_to(body[end], base) if end < len(body) else None
        if (
            into is not None
            and as_long(into.kind, base.kind)
            and not is_read_after([*path[:-1], path[-1]._replace(line=end)], base.variable)
            and not any(self.memory.reaches(into.variable, memory_read(part.value)) for part in run.parts)
        ):
            run.base, run.cleared = into, self.cleared_before(body, end, into, run.parts)
            exchange = self.exchanged(run, end, path)
            if exchange or isinstance(body[end], n.Augment):
                lines, after = [*_Loops(run, size, stmt).added_together(), *exchange], end + 1
            else:
                run.base, run.cleared = base, None
        if lines is None:
            lines = _Loops(run, size, stmt).made()
        new = [known if s is stmt else s for s in body[:end] if id(s) not in run.lines]
        body[:after] = [*new, *lines]

    def cleared_before(
        self, body: list[n.Stmt], end: int, base: n.Read, parts: list[_Part]
    ) -> tuple[n.Stmt, _Ends] | None:
        """Where a vector was set to 0 that nobody has read since."""
        for stmt in reversed(body[:end]):
            ends = _cleared(stmt, base)
            if ends is not None:
                return (stmt, ends) if ends.holds(parts) else None
            for s in statements([stmt]):
                if isinstance(s, _JUMPS) or any(self.memory.related(v, base.variable) for v in _mentioned(s)):
                    return None
        return None

    def exchanged(self, run: _Run, end: int, path: list[Place]) -> list[n.Stmt]:
        """Let the sums of a step go into a second vector, if it copies what it clears; the line that exchanges them."""
        body, base = path[-1].block, run.base
        if run.cleared is None or len(path) < 2 or not isinstance(loop := path[-1].owner, n.For):
            return []
        before = reversed(body[: body.index(run.cleared[0])])
        copied = next((s for s in before if isinstance(s, n.Assign) and _copied(s.value, base) is not None), None)
        if copied is None or not self.is_sole(base.variable, path):
            return []
        step = body[body.index(copied) : end + 1]
        known = [s for s in step if id(s) in run.lines or s in (copied, body[end])]
        for s in statements(path[0].block):
            if any(s is k for k in known):
                continue
            is_safe = any(s is k for k in step) and isinstance(s, n.Assign | n.Augment) and _is_new(s.value)
            if copied.target in (set(binds(s)) if is_safe else _mentioned(s)):
                return []
        if any(base.variable in _mentioned(s) for s in statements(loop.body) if all(s is not k for k in known)):
            return []
        second = n.Read(n.Variable(base.variable.name, base.variable.role, base.variable.of), kind=base.kind)
        made = n.Assign(second.variable, apply(np.empty, len_of(base), kind=base.kind), origin=loop.origin)
        self.made_before.append((path[-2].block, loop, made))
        copied.value = _copied(copied.value, base) or copied.value  # a view serves as well
        run.second = second
        names, values = n.Display("tuple", (base, second)), n.Display("tuple", (second, base))
        return [n.Unpack(names, values, origin=copied.origin)]

    def is_sole(self, variable: n.Variable, path: list[Place]) -> bool:
        """Whether a vector has no other name until a loop is over."""
        names = self.memory.owners(variable)
        others = names - {variable}
        if others and len(path) > 2:  # the loop is in another one
            return False
        until = path[0].block[: path[0].line + 1]
        return bool(names) and not any(others & _mentioned(s) for s in statements(until))

    def collect(self, body: list[n.Stmt], start: int, run: _Run, is_same: Callable[[n.Variable], bool]) -> int:
        """Take the additions from a line on; returns the line that they cannot wait any longer for."""
        for k in range(start, len(body)):
            part = _part(body[k], run)
            if part is not None and not self.memory.reaches(run.base.variable, memory_read(part.value)):
                run.parts.append(part)
                continue
            for s in statements([body[k]]):
                if isinstance(s, _JUMPS) or any(map(is_same, _mentioned(s))):
                    return k
                for part in run.parts:
                    if set(binds(s)) & reads(part.value) or self.memory.changes(s, memory_read(part.value)):
                        return k
        return len(body)


def _mentioned(stmt: n.Stmt) -> set[n.Variable]:
    """The variables that a statement reads or sets."""
    return set(binds(stmt)).union(*(reads(e) for e in expressions(stmt)))


def _part(stmt: n.Stmt, run: _Run) -> _Part | None:
    """What a statement adds to a vector, if that is arithmetic on vectors as long as a slice of it."""
    match stmt:
        case n.Augment(target=place, op="+" | "-" as op, value=value):
            pass
        case n.Store(target=place, value=value) if run.is_zero and not run.parts:
            op = "+"
        case _:
            return None
    ends = _ends(place, run.base)
    if ends is None or not (is_written_out(value) or is_vector(value)) or not as_long(place.kind, value.kind):
        return None
    return _Part(stmt, ends, op, value)


def _cleared(stmt: n.Stmt, base: n.Read) -> _Ends | None:
    """The slice of a vector that a statement sets to 0."""
    match stmt:
        case n.Store(target=place, value=n.Const(value=0 | 0.0)):
            return _ends(place, base)
        case _:
            return None


def _ends(place: n.Expr, base: n.Read) -> _Ends | None:
    """What a slice of a vector leaves out at either end, if that is certain."""
    match place:
        case n.Read(variable=base.variable):
            return _Ends(0, 0)
        case n.Subscript(value=n.Read(variable=base.variable), index=n.Slice(lower=lower, upper=upper, step=None)):
            first = 0 if lower is None else whole_literal(lower)
            last = 0 if upper is None else whole_literal(upper)
            if first is None or last is None or not (0 <= first <= _FARTHEST and 0 <= -last <= _FARTHEST):
                return None
            return None if upper is not None and last == 0 else _Ends(first, -last)
        case _:
            return None


def _added_to(stmt: n.Stmt, base: n.Read) -> n.Read | None:
    """The vector that another one is added to, in place or not."""
    match stmt:
        case n.Augment(target=n.Read() as into, op="+", value=n.Read(variable=base.variable)) if is_vector(into):
            return into
        case n.Assign(
            target=target, value=n.Binary(op="+", left=n.Read() as into, right=n.Read(variable=base.variable))
        ) if target is into.variable and is_vector(into):
            return into
        case _:
            return None


def _copied(value: n.Expr, base: n.Read) -> n.Expr | None:
    """The slice of a vector of which a value is a copy."""
    match value:
        case n.Call(func=n.Attribute(value=place, name="copy"), args=(), keywords=()):
            return None if _ends(place, base) is None else place
        case _:
            return None


def _is_new(value: n.Expr) -> bool:
    """Whether a number or an array is not a part of another array."""
    return isinstance(value.kind, Scalar) or is_written_out(value)


def _is_zeros(value: n.Call) -> bool:
    match value:
        case n.Call(func=n.Expr(kind=Static(value=np.zeros_like)), args=(n.Read() as like,), keywords=()):
            return is_vector(like) and like.kind == value.kind
        case _:
            return False


class _Items(Line):
    """Arithmetic on vectors, item by item; `show` says what stands for a whole vector, `at` which item it is."""

    show: Callable[[n.Read], n.Read]
    at: n.Expr

    def element(self, view: n.Read) -> n.Expr:
        return n.Subscript(self.show(view), self.at, kind=NUMBER)


class _Loops:
    """The loops that a run of additions becomes: one for the ends, one for the items that all slices have."""

    def __init__(self, run: _Run, size: n.Read, stmt: n.Stmt) -> None:
        self.run = run
        self.size = size
        self.stmt = stmt
        self.first = max(part.ends.first for part in run.parts)
        self.last = max(part.ends.last for part in run.parts)
        self.inner = _whole_number("inner")
        self.place = _whole_number("place")
        self.total = n.Read(n.Variable("total", n.Role.STEP), kind=NUMBER)
        self.at_place = n.Subscript(run.base, self.place, kind=NUMBER)
        self.items = _Items(stmt, Lengths())
        self.tests: dict[n.Expr, None] = {}
        self.shifted: dict[tuple[n.Read, int], n.Assign] = {}

    def made(self) -> list[n.Stmt]:
        """A new vector."""
        base = self.run.base
        new = n.Assign(base.variable, apply(np.empty, self.size, kind=base.kind), origin=self.stmt.origin)
        ends = [self.start(_ZERO), *self.at_ends(), n.Store(self.at_place, self.total)]
        return [new, *self.loops(ends, lambda item: n.Store(item, self.sum(None)))]

    def added(self) -> list[n.Stmt]:
        """One addition after the other, as they were."""
        cleared = self.run.cleared
        ends: list[n.Stmt] = [self.start(self.at_place)]
        if cleared is not None:
            ends += self.where(cleared[1], [self.start(_ZERO)], [])
        ends += [*self.at_ends(), n.Store(self.at_place, self.total)]
        return self.loops(ends, lambda item: n.Store(item, self.sum(item if cleared is None else None)))

    def added_together(self) -> list[n.Stmt]:
        """The sum of the additions, which were to a vector in between."""
        self.tests[_differ(len_of(self.run.base), self.size)] = None
        cleared = self.run.cleared
        ends: list[n.Stmt] = [self.start(_ZERO), *self.at_ends()]
        add: n.Stmt = n.Augment(self.at_place, "+", self.total)
        if self.run.second is not None and cleared is not None:
            place = n.Subscript(self.run.second, self.place, kind=NUMBER)
            add = n.Store(place, n.Binary("+", self.at_place, self.total, kind=NUMBER))
            ends += self.where(cleared[1], [n.Store(place, self.total)], [add])
            return self.loops(ends, lambda item: n.Store(item, self.sum(None)))
        if cleared is None:
            ends.append(add)
            return self.loops(ends, lambda item: n.Augment(item, "+", self.sum(None)))
        ends += self.where(cleared[1], [n.Store(self.at_place, self.total)], [add])
        return self.loops(ends, lambda item: n.Store(item, self.sum(None)))

    def start(self, value: n.Expr) -> n.Stmt:
        return n.Assign(self.total.variable, value)

    def at_ends(self) -> list[n.Stmt]:
        """The additions to one item at an end: those whose slices have it."""
        lines: list[n.Stmt] = []
        for part in self.run.parts:
            first, last = part.ends

            def whole(view: n.Read, left_out: int = first + last) -> n.Read:
                self.tests[_differ(len_of(view), self.without(left_out))] = None
                return view

            self.items.show = whole
            self.items.at = _offset(self.place, "-", first)
            lines += self.where(part.ends, [n.Augment(self.total, part.op, self.items.item(part.value))], [])
        return lines

    def sum(self, start: n.Expr | None) -> n.Expr:
        """What is added to one of the inner items, and to what it was."""
        total = start
        for by in dict.fromkeys(self.first - part.ends.first for part in self.run.parts):
            self.items.show = partial(self.shift, by=by)
            parts = [(part.op, part.value) for part in self.run.parts if self.first - part.ends.first == by]
            op, value = collected([(op, self.items.item(value)) for op, value in parts])
            if total is None:
                total = value if op == "+" else n.Unary("-", value, kind=NUMBER)
            else:
                total = n.Binary(op, total, value, kind=NUMBER)
        if total is None:
            message = "a run of no additions"
            raise ValueError(message)
        return total

    def loops(self, ends: list[n.Stmt], inside: Callable[[n.Expr], n.Stmt]) -> list[n.Stmt]:
        """The loop over the items at the ends, and the one over the others."""
        count = _whole_number("k")
        place: n.Expr = _offset(count, "+", self.inner) if self.last else count
        if self.first and self.last:
            near = n.Compare(("<",), (count, n.Const(self.first, kind=INT)), kind=BOOL)
            place = n.Conditional(near, count, place, kind=INT)
        header = range_of(n.Binary("-", self.size, self.inner, kind=INT))
        at_ends = n.For(count, header, [n.Assign(self.place.variable, place), *ends], [], origin=self.stmt.origin)
        self.items.at = index = _whole_number("i")
        target = self.shift(self.run.second or self.run.base, self.first)
        item = n.Subscript(target, index, kind=NUMBER)
        loop = n.For(index, range_of(len_of(target)), [inside(item)], [], origin=self.stmt.origin)
        inner = n.Assign(self.inner.variable, self.without(self.first + self.last), origin=self.stmt.origin)
        check = raise_if(list(self.tests), NOT_ALIKE)
        return [inner, *self.items.before, *check, at_ends, *self.shifted.values(), loop]

    def where(self, ends: _Ends, then: list[n.Stmt], orelse: list[n.Stmt]) -> list[n.Stmt]:
        """Lines for an item that a slice has, and for one that it has not."""
        tests: list[n.Expr] = []
        if ends.first:
            tests.append(n.Compare((">=",), (self.place, n.Const(ends.first, kind=INT)), kind=BOOL))
        if ends.last:
            tests.append(n.Compare(("<",), (self.place, _offset(self.size, "-", ends.last)), kind=BOOL))
        if not tests:
            return then
        test = tests[0] if len(tests) == 1 else n.Bool("and", tuple(tests), kind=BOOL)
        return [n.If(test, then, orelse)]

    def without(self, many: int) -> n.Expr:
        """How many items a slice has that leaves out so many."""
        if not many:
            return self.size
        return apply(max, _offset(self.size, "-", many), n.Const(0, kind=INT), kind=INT)

    def shift(self, view: n.Read, by: int) -> n.Read:
        """The part of a vector that the inner items need."""
        if (view, by) not in self.shifted:
            lower = n.Const(by, kind=INT) if by else None
            part = n.Subscript(view, n.Slice(lower, _offset(self.inner, "+", by), None), kind=view.kind)
            named = n.Variable("part", n.Role.STEP)
            self.shifted[view, by] = n.Assign(named, part, origin=self.stmt.origin)
        return n.Read(self.shifted[view, by].target, kind=view.kind)


_ZERO = n.Const(0.0, kind=NUMBER)


def collected(parts: list[tuple[str, n.Expr]]) -> tuple[str, n.Expr]:
    """The sum of some numbers, with a factor that all have in common taken out, and with which sign it is added.

    >>> g, a, b = (n.Read(n.Variable(name), kind=NUMBER) for name in "gab")
    >>> item = n.Subscript(g, n.Const(0, kind=INT), kind=NUMBER)
    >>> times = lambda x, y: n.Binary("*", x, y, kind=NUMBER)
    >>> from adcompile.ir.show import show
    >>> show(collected([("+", times(item, a)), ("-", times(n.Unary("-", item, kind=NUMBER), times(a, b)))])[1])
    '(g[0] * (a + (a * b)))'
    """
    if len(parts) == 1 and not _is_sum(parts[0][1]):
        return parts[0]  # nothing is saved, and another order may overflow
    for factor in _factors(parts[0][1]):
        rests = [_over(value, factor) for _, value in parts]
        known = [rest for rest in rests if rest is not None]
        if len(known) < len(rests):
            continue
        op, rest = _added_up([(op, rest) for (op, _), rest in zip(parts, known, strict=True)])
        return op, simplify(n.Binary("*", factor, rest, kind=NUMBER))
    return _added_up(parts)


def _is_sum(e: n.Expr) -> bool:
    return isinstance(e, n.Binary) and e.op in ("+", "-")


def _added_up(parts: list[tuple[str, n.Expr]]) -> tuple[str, n.Expr]:
    sign, total = parts[0]
    for op, value in parts[1:]:
        total = n.Binary("+" if op == sign else "-", total, value, kind=NUMBER)
    return sign, total


def _factors(e: n.Expr) -> list[n.Expr]:
    """The items of vectors that may be factors of a number."""
    match e:
        case n.Subscript():
            return [e]
        case n.Binary(op="*", left=left, right=right):
            return [*_factors(left), *_factors(right)]
        case n.Binary(op="+" | "-" | "/", left=left):
            return _factors(left)
        case n.Unary(operand=operand):
            return _factors(operand)
        case _:
            return []


def _over(e: n.Expr, factor: n.Expr) -> n.Expr | None:
    """What is left of a number without a factor of it; None where it is none."""
    if e == factor:
        return n.Const(1.0, kind=NUMBER)
    match e:
        case n.Unary(op="-", operand=operand):
            rest = _over(operand, factor)
            return None if rest is None else n.Unary("-", rest, kind=NUMBER)
        case n.Binary(op="*" | "/" as op, left=left, right=right):
            rest = _over(left, factor)
            if rest is not None:
                return n.Binary(op, rest, right, kind=NUMBER)
            rest = _over(right, factor) if op == "*" else None
            return None if rest is None else n.Binary("*", left, rest, kind=NUMBER)
        case n.Binary(op="+" | "-" as op, left=left, right=right):
            one, other = _over(left, factor), _over(right, factor)
            return None if one is None or other is None else n.Binary(op, one, other, kind=NUMBER)
        case _:
            return None


def _whole_number(name: str) -> n.Read:
    return n.Read(n.Variable(name, n.Role.STEP), kind=INT)


def _offset(e: n.Expr, op: str, by: int | n.Expr) -> n.Expr:
    if by == 0:
        return e
    return n.Binary(op, e, n.Const(by, kind=INT) if isinstance(by, int) else by, kind=INT)



def _differ(a: n.Expr, b: n.Expr) -> n.Expr:
    return n.Compare(("!=",), (a, b), kind=BOOL)
