"""Iterators under a name of their own, where it is plain how far each use gets.

    g = (a * s for a in v)                s = v[0]
    s = v[0]                      ->      return sum(a * s for a in v)
    return sum(g)

    it = iter(v)                          first = v[0]
    first = next(it)              ->      rest = sum(v[1:])
    rest = sum(it)

A generator, or what a generator function returns, is run over where it is used up, and has nothing left afterwards.
Where only the run decides how far an iterator has got, `cursors.py` counts. Any other use stays as it is, to be refused
where something that varies goes through it.
"""

from __future__ import annotations

from collections.abc import Callable as Function
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from adcompile.differentiate.desugar.iteration.counted import is_counted_off
from adcompile.differentiate.desugar.iteration.cursors import Items, advance, count_along, up_to_last_use
from adcompile.differentiate.desugar.iteration.idioms import has_length
from adcompile.differentiate.desugar.iteration.lengths import may_change_length
from adcompile.differentiate.desugar.iteration.views import apart, follow_view, is_dict_view
from adcompile.ir import nodes as n
from adcompile.ir.copying import copy_block
from adcompile.ir.kinds import INT, Struct, tail_of
from adcompile.ir.walk import blocks, change_expressions, read_in, reads, rebuild, set_in, statements, walk

if TYPE_CHECKING:
    from collections import Counter

_NOTHING = n.Display("tuple", (), kind=Struct("tuple", tuple, (), ()))
Asked = Function[[Any], bool]
Resuming = Function[[n.Expr, list[n.Stmt], n.Origin | None], Items | None]


def follow_iterators(body: list[n.Stmt], uses_up: Asked, makes: Asked, resumed: Resuming) -> bool:
    """Put what named iterators run over where they are used, in a typed body; whether there were any.

    `uses_up` says of a call whether it leaves nothing of them, `makes` whether it makes one, as a generator function
    or `zip` does, and `resumed` what comes of a generator bit by bit.
    """
    captured = {v for s in statements(body) if isinstance(s, n.Define) for v in s.function.captures}
    return _block(body, _Asked(body, set_in(body), read_in(body), captured, uses_up, makes, resumed), attempted=False)


def named_iterators(body: list[n.Stmt], makes: Asked) -> set[n.Variable]:
    """The names of a body that stand for iterators, as far as it shows."""
    found: set[n.Variable] = set()
    while True:
        more = {s.target for s in statements(body) if isinstance(s, n.Assign) and _is_iterator(s.value, found, makes)}
        if more <= found:
            return found
        found |= more


def _is_iterator(value: n.Expr, known: set[n.Variable], makes: Asked) -> bool:
    match value:
        case n.Read(variable=variable):
            return variable in known
        case n.Conditional(then=then, orelse=orelse):
            return _is_iterator(then, known, makes) or _is_iterator(orelse, known, makes)
        case n.Call(func=n.Ref(value=function)) if function is iter:
            return True
        case _:
            return _source(value, makes) is not None


@dataclass(slots=True)
class _Asked:
    """How often each name is set and read, what local functions read, and what is asked of calls."""

    body: list[n.Stmt]
    counts: Counter[n.Variable]
    reads: Counter[n.Variable]
    captured: set[n.Variable]
    uses_up: Asked
    makes: Asked
    resumed: Resuming


def _block(body: list[n.Stmt], asked: _Asked, *, attempted: bool) -> bool:
    changed = False
    for stmt in body:
        for inner in blocks(stmt):
            if _block(inner, asked, attempted=attempted or isinstance(stmt, n.Try)):
                return True
    for stmt in list(body):
        if (each := apart(stmt, asked.makes, asked.captured)) is not None:
            body[body.index(stmt) : body.index(stmt) + 1] = each
            return True
        if not isinstance(stmt, n.Assign) or stmt.target in asked.captured:
            continue
        if is_dict_view(stmt.value):
            changed |= follow_view(body, stmt, asked.counts, asked.reads, asked.captured)
            continue
        source = _source(stmt.value, asked.makes)
        if source is None:
            continue
        at = body.index(stmt)
        rest = body[at + 1 :]
        last = next((k for k, s in enumerate(rest) if set_in([s])[stmt.target]), None)
        here = last is None and (
            body is asked.body  # of which everything else comes before
            or (asked.counts[stmt.target] == 1 and asked.reads[stmt.target] == read_in(rest)[stmt.target])
        )
        if last is not None and not attempted and isinstance(rest[last], n.Assign):
            rest, here = rest[: last + 1], True  # the name stands for something else from there on
        work = _Following(stmt.target, source, asked, set_in(rest))
        if here and work.possible(rest):
            work.source, held = kept_at(source, stmt, work.stays, asked.makes)
            work.put(rest)
            body[at : at + 1] = held
            changed = True
        elif asked.counts[stmt.target] == 1:
            work.later = asked.counts  # it may be used anywhere
            if count_along(asked.body, stmt, source, partial(kept_at, stmt=stmt, stays=work.stays, makes=asked.makes)):
                return True
            bit_by_bit = asked.resumed(source, asked.body, stmt.origin)
            if bit_by_bit is not None and advance(asked.body, stmt, bit_by_bit):
                return True
    return changed


def _source(value: n.Expr, makes: Asked) -> n.Expr | None:
    """What a new iterator runs over: a generator, or the sequence that `iter` is given."""
    match value:
        case n.Call() if makes(value):
            return value
        case n.Comprehension(form="generator"):
            return value
        case n.Call(func=n.Ref(value=function), args=(items,), keywords=()) if function is iter:
            return items if is_counted_off(items.kind) else None
        case _:
            return None


def kept_at(source: n.Expr, stmt: n.Assign, stays: Asked, makes: Asked) -> tuple[n.Expr, list[n.Stmt]]:
    """An iterator as what is evaluated where it is used, and the lines for what is evaluated where it is made.

    What `stays` the same needs no name.
    """
    lines: list[n.Stmt] = []

    def held(expr: n.Expr) -> n.Expr:
        match expr:
            case n.Starred(value=value):
                return replace(expr, value=held(value))
            case n.Const() | n.Ref():
                return expr
            case n.Read() if stays(expr):
                return expr
            case n.Lambda(function=function) if all(p.default is None for p in function.params):
                return expr  # it reads what it reads when it is called
            case n.Attribute() if n.object_of(expr) is not None:
                return expr
            case n.Call(func=n.Ref(value=function)) if function is range and not reads(expr):
                return expr
            case n.Call() if makes(expr):
                args = tuple(map(held, expr.args))
                return replace(expr, args=args, keywords=tuple((name, held(e)) for name, e in expr.keywords))
            case n.Comprehension(form="generator", clauses=(first, *others)):
                return replace(expr, clauses=(replace(first, iterable=held(first.iterable)), *others))
        kept = n.Variable("items" if has_length(expr.kind) else "given", n.Role.RESULT)
        lines.append(n.Assign(kept, expr, origin=stmt.origin))
        return n.Read(kept, kind=expr.kind, span=expr.span)

    return held(source), lines


class _Following:
    """The uses of one iterator, statement by statement."""

    def __init__(self, variable: n.Variable, source: n.Expr, asked: _Asked, later: Counter[n.Variable]) -> None:
        self.variable = variable
        self.source = source
        self.asked = asked
        self.later = later  # how often each name is set behind the iterator
        self.taken = 0
        self.ended = False
        self.unsure = False  # how much is left depends on the run
        self.failed = False

    def possible(self, rest: list[n.Stmt]) -> bool:
        """Whether each use is at a place that is run through once, used up or advanced by one."""
        backwards = [e for e in walk(self.source) if isinstance(e, n.Call) and n.object_of(e.func) is reversed]
        if any(may_change_length(self.asked.body, up_to_last_use(rest, self.variable), e) for e in backwards):
            return False  # where it begins is settled where it is made
        self.block(copy_block(rest))
        possible = read_in(rest)[self.variable] > 0 and not self.failed
        self.taken, self.ended, self.unsure, self.failed = 0, False, False, False
        return possible

    def stays(self, expr: n.Expr) -> bool:
        """Whether a name stands for the same wherever the iterator is used."""
        return isinstance(expr, n.Read) and not self.later[expr.variable] and expr.variable not in self.asked.captured

    def put(self, rest: list[n.Stmt]) -> None:
        """Put the uses in place."""
        self.block(rest)

    def block(self, body: list[n.Stmt]) -> None:
        """Put the uses in a block in place."""
        for stmt in body:
            if not read_in([stmt])[self.variable]:
                continue
            match stmt:
                case n.If():
                    stmt.test = self.visit(stmt.test)
                    before = self.taken, self.ended, self.unsure
                    self.block(stmt.then)
                    then = self.taken, self.ended, self.unsure
                    self.taken, self.ended, self.unsure = before
                    self.block(stmt.orelse)
                    self.unsure |= then != (self.taken, self.ended, self.unsure)
                case n.For(iterable=iterable):
                    stmt.iterable = self.run_over(iterable)
                    self.unsure |= any(isinstance(s, n.Break) for s in statements(stmt.body))
                    self.failed |= any(read_in(inner)[self.variable] > 0 for inner in blocks(stmt))
                case n.Unpack(value=value) if self.is_it(value):
                    stmt.value = self.rest()
                case n.With(manager=manager, body=inner):
                    stmt.manager = self.visit(manager)
                    self.block(inner)
                case n.While() | n.Try() | n.Define() | n.Delete():
                    self.failed = True
                case _:
                    change_expressions(stmt, self.visit)

    def visit(self, expr: n.Expr) -> n.Expr:
        """An expression with what is left of the iterator in place of its name."""
        if not any(isinstance(e, n.Read) and e.variable is self.variable for e in walk(expr)):
            self.failed |= any(isinstance(e, n.Opaque | n.Lambda) and self.variable in reads(e) for e in walk(expr))
            return expr
        match expr:
            case n.Call(func=n.Ref(value=function) as func, args=(n.Read() as it, *default), keywords=()) if (
                function is next and it.variable is self.variable
            ):
                del func
                return self.advanced(expr, default)
            case n.Call(func=func, args=args, keywords=keywords) if self.asked.uses_up(expr):
                new = tuple(self.given(e) for e in args)
                return replace(expr, func=func, args=new, keywords=tuple((k, self.visit(v)) for k, v in keywords))
            case n.Starred(value=value) if self.is_it(value):
                return replace(expr, value=self.rest())
            case n.Comprehension(form=form) if form != "generator":
                return self.given(expr)
            case n.Compare(operands=(_, _)):
                return rebuild(expr, self.visit)
            case n.Conditional() | n.Bool() | n.Compare() | n.Lambda() | n.Read() | n.Comprehension():
                self.failed = True  # whether, when or how far it is used depends on the run
                return expr
            case _:
                return rebuild(expr, self.visit)

    def given(self, expr: n.Expr) -> n.Expr:
        """What is certainly run over from beginning to end: the iterator, or a comprehension over it."""
        match expr:
            case n.Read() if self.is_it(expr):
                return self.rest()
            case n.Comprehension(clauses=(first, *others)) if self.is_it(first.iterable) and not any(
                self.variable in reads(e) for c in others for e in (c.iterable, *c.conditions)
            ):
                clause = replace(first, iterable=self.rest())
                return replace(expr, clauses=(clause, *others))
            case n.Comprehension():
                self.failed |= self.variable in reads(expr)
                return expr
            case n.Call() if self.asked.makes(expr):
                return self.run_over(expr)
            case _:
                return self.visit(expr)

    def run_over(self, expr: n.Expr) -> n.Expr:
        """What a loop, or what uses it up, runs over: how much is left behind it depends on others."""
        match expr:
            case n.Read() if self.is_it(expr):
                return self.rest()
            case n.Call(args=args) if self.asked.makes(expr):
                new: list[n.Expr] = []
                for e in args:
                    used = self.variable in reads(e)
                    new.append(self.given(e))
                    self.unsure |= used
                return replace(expr, args=tuple(new))
            case n.Comprehension():
                return self.given(expr)
            case _:
                return self.visit(expr)

    def is_it(self, expr: n.Expr) -> bool:
        return isinstance(expr, n.Read) and expr.variable is self.variable

    def rest(self) -> n.Expr:
        """What is left, which is used up hereby."""
        self.failed |= self.unsure
        if self.ended:
            return _NOTHING
        self.ended = True
        if not self.taken:
            return self.source
        if isinstance(self.source, n.Comprehension | n.Call):
            self.failed = True
            return self.source
        return n.Subscript(
            self.source, n.Slice(n.Const(self.taken, kind=INT)), kind=tail_of(self.source.kind, self.taken)
        )

    def advanced(self, call: n.Call, default: list[n.Expr]) -> n.Expr:
        """`next(it)`: the first item of what is left."""
        self.failed |= self.unsure
        if self.ended:
            self.failed |= not default
            return default[0] if default else call
        if isinstance(self.source, n.Comprehension | n.Call) or default or not self.is_certain():
            self.failed = True
            return call
        self.taken += 1
        return n.Subscript(self.source, n.Const(self.taken - 1, kind=INT), span=call.span)

    def is_certain(self) -> bool:
        """Whether there is one more item, or nobody here minds which exception says that there is none."""
        kind = self.source.kind
        known = isinstance(kind, Struct) and self.taken < len(kind.items)
        return known or not any(isinstance(s, n.Try) for s in statements(self.asked.body))
