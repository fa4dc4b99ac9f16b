"""Iterators under a name of their own, where it is plain how far each use gets.

    g = (a * s for a in v)                s = v[0]
    s = v[0]                      ->      return sum(a * s for a in v)
    return sum(g)

    it = iter(v)                          first = v[0]
    first = next(it)              ->      rest = sum(v[1:])
    rest = sum(it)

A generator, or what a generator function returns, is run over where it is used up, and has nothing left afterwards. Any
other use stays as it is, to be refused where something that varies goes through it.
"""

from __future__ import annotations

from collections.abc import Callable as Function
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adcompile.differentiate.desugar.iteration.idioms import has_length
from adcompile.ir import nodes as n
from adcompile.ir.copying import copy_block
from adcompile.ir.kinds import INT, Array, Sequence, Struct, tail_of
from adcompile.ir.walk import blocks, change_expressions, read_in, reads, rebuild, set_in, statements, walk

if TYPE_CHECKING:
    from collections import Counter

_NOTHING = n.Display("tuple", (), kind=Struct("tuple", tuple, (), ()))
Asked = Function[[n.Call], bool]


def follow_iterators(body: list[n.Stmt], uses_up: Asked, makes: Asked) -> bool:
    """Put what named iterators run over where they are used, in a typed body; whether there were any.

    `uses_up` says of a call whether it leaves nothing of them, `makes` whether it makes one, as a generator function
    or `zip` does.
    """
    captured = {v for s in statements(body) if isinstance(s, n.Define) for v in s.function.captures}
    return _block(body, _Asked(set_in(body), read_in(body), captured, uses_up, makes), attempted=False)


@dataclass(slots=True)
class _Asked:
    """How often each name is set and read, what local functions read, and what is asked of calls."""

    counts: Counter[n.Variable]
    reads: Counter[n.Variable]
    captured: set[n.Variable]
    uses_up: Asked
    makes: Asked


def _block(body: list[n.Stmt], asked: _Asked, *, attempted: bool) -> bool:
    changed = False
    for stmt in body:
        for inner in blocks(stmt):
            changed |= _block(inner, asked, attempted=attempted or isinstance(stmt, n.Try))
    for stmt in list(body):
        if not isinstance(stmt, n.Assign) or stmt.target in asked.captured:
            continue
        source = _source(stmt.value, asked.makes)
        if source is None:
            continue
        at = body.index(stmt)
        rest = body[at + 1 :]
        last = next((k for k, s in enumerate(rest) if set_in([s])[stmt.target]), None)
        if last is not None and not attempted and isinstance(rest[last], n.Assign):
            rest = rest[: last + 1]  # the name stands for something else from there on
        elif asked.counts[stmt.target] != 1 or asked.reads[stmt.target] != read_in(rest)[stmt.target]:
            continue
        work = _Following(stmt.target, source, asked, set_in(rest))
        if not work.possible(rest):
            continue
        held = work.hold(stmt)
        work.put(rest)
        body[at : at + 1] = held
        changed = True
    return changed


def _source(value: n.Expr, makes: Asked) -> n.Expr | None:
    """What a new iterator runs over: a generator, or the sequence that `iter` is given."""
    match value:
        case n.Call() if makes(value):
            return value
        case n.Comprehension(form="generator"):
            return value
        case n.Call(func=n.Ref(value=function), args=(items,), keywords=()) if function is iter:
            kind = items.kind
            if isinstance(kind, Array | Struct) or (isinstance(kind, Sequence) and kind.cls in (list, tuple, range)):
                return items
            return None
        case _:
            return None


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
        self.block(copy_block(rest))
        possible = read_in(rest)[self.variable] > 0 and not self.failed
        self.taken, self.ended, self.unsure, self.failed = 0, False, False, False
        return possible

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

    def hold(self, stmt: n.Assign) -> list[n.Stmt]:
        """The lines that remember what the iterator runs over: that is evaluated where it is made."""
        lines: list[n.Stmt] = []

        def held(expr: n.Expr) -> n.Expr:
            match expr:
                case n.Starred(value=value):
                    return replace(expr, value=held(value))
                case n.Const() | n.Ref():
                    return expr
                case n.Read(variable=variable) if not self.later[variable] and variable not in self.asked.captured:
                    return expr
                case n.Lambda(function=function) if all(p.default is None for p in function.params):
                    return expr  # it reads what it reads when it is called
                case n.Attribute() if n.object_of(expr) is not None:
                    return expr
                case n.Call(func=n.Ref(value=function)) if function is range and not reads(expr):
                    return expr
                case n.Call() if self.asked.makes(expr):
                    return of_call(expr)
                case n.Comprehension(form="generator"):
                    return of_generator(expr)
            kept = n.Variable("items" if has_length(expr.kind) else "given", n.Role.RESULT)
            lines.append(n.Assign(kept, expr, origin=stmt.origin))
            return n.Read(kept, kind=expr.kind, span=expr.span)

        def of_call(call: n.Call) -> n.Expr:
            args = tuple(map(held, call.args))
            return replace(call, args=args, keywords=tuple((name, held(e)) for name, e in call.keywords))

        def of_generator(made: n.Comprehension) -> n.Expr:
            clause = replace(made.clauses[0], iterable=held(made.clauses[0].iterable))
            return replace(made, clauses=(clause, *made.clauses[1:]))

        self.source = held(self.source)
        return lines

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
        if isinstance(self.source, n.Comprehension | n.Call) or default:
            self.failed = True
            return call
        self.taken += 1
        return n.Subscript(self.source, n.Const(self.taken - 1, kind=INT), span=call.span)
