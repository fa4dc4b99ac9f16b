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
from dataclasses import replace

from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Sequence, Struct, tail_of
from adcompile.ir.walk import blocks, bound_in, change_expressions, expressions, reads, rebuild, statements, walk

_NOTHING = n.Display("tuple", (), kind=Struct("tuple", tuple, (), ()))
Asked = Function[[n.Call], bool]


def follow_iterators(body: list[n.Stmt], uses_up: Asked, generates: Asked) -> bool:
    """Put what named iterators run over where they are used, in a typed body; whether there were any.

    `uses_up` says of a call whether it leaves nothing of them, `generates` whether it calls a generator function.
    """
    counts: dict[n.Variable, int] = {}
    for stmt in statements(body):
        for variable in bound_in([replace(stmt)]) if not blocks(stmt) else ():
            counts[variable] = counts.get(variable, 0) + 1
    return _block(body, counts, uses_up, generates)


def _block(body: list[n.Stmt], counts: dict[n.Variable, int], uses_up: Asked, generates: Asked) -> bool:
    changed = False
    for stmt in body:
        for inner in blocks(stmt):
            changed |= _block(inner, counts, uses_up, generates)
    for k, stmt in enumerate(list(body)):
        if not isinstance(stmt, n.Assign) or counts.get(stmt.target) != 1:
            continue
        source = _source(stmt.value, generates)
        if source is None:
            continue
        work = _Following(stmt.target, source, uses_up)
        rest = body[body.index(stmt) + 1 :]
        elsewhere = sum(_uses(s, stmt.target) for s in statements(body)) - sum(
            _uses(s, stmt.target) for s in statements(rest)
        )
        if elsewhere or not work.possible(rest):
            continue
        held = work.hold(stmt)
        work.put(rest)
        at = body.index(stmt)
        body[at : at + 1] = held
        changed = True
        del k
    return changed


def _source(value: n.Expr, generates: Asked) -> n.Expr | None:
    """What a new iterator runs over: a generator, or the sequence that `iter` is given."""
    match value:
        case n.Call() if generates(value):
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


def _uses(stmt: n.Stmt, variable: n.Variable) -> int:
    count = 0
    for expr in expressions(stmt):
        for e in walk(expr):
            if (isinstance(e, n.Read) and e.variable is variable) or (
                isinstance(e, n.Opaque | n.Lambda) and variable in reads(e)
            ):
                count += 1
    return count


class _Following:
    """The uses of one iterator, statement by statement."""

    def __init__(self, variable: n.Variable, source: n.Expr, uses_up: Asked) -> None:
        self.variable = variable
        self.source = source
        self.uses_up = uses_up
        self.taken = 0
        self.ended = False
        self.failed = False

    def possible(self, rest: list[n.Stmt]) -> bool:
        """Whether each use is at the top of the block, used up or advanced by one, as far as that can be told."""
        used = False
        for stmt in rest:
            inside = sum(_uses(s, self.variable) for block in blocks(stmt) for s in statements(block))
            if inside:
                return False
            if isinstance(stmt, n.For) and self.is_it(stmt.iterable):
                self.failed |= any(isinstance(s, n.Break) for s in statements(stmt.body))
                self.rest()
            else:
                for expr in expressions(stmt):
                    self.visit(expr)
            used |= _uses(stmt, self.variable) > 0
        possible = used and not self.failed
        self.taken, self.ended, self.failed = 0, False, False
        return possible

    def hold(self, stmt: n.Assign) -> list[n.Stmt]:
        """The line that remembers what the iterator runs over: that is evaluated where it is made."""
        if isinstance(self.source, n.Call):
            return self.hold_arguments(self.source, stmt.origin)
        first = self.source.clauses[0].iterable if isinstance(self.source, n.Comprehension) else self.source
        if isinstance(first, n.Call) and isinstance(first.func, n.Ref) and first.func.value is range:
            return []
        held = n.Variable("items", n.Role.RESULT)
        read = n.Read(held, kind=first.kind, span=first.span)
        if isinstance(self.source, n.Comprehension):
            clause = replace(self.source.clauses[0], iterable=read)
            self.source = replace(self.source, clauses=(clause, *self.source.clauses[1:]))
        else:
            self.source = read
        return [n.Assign(held, first, origin=stmt.origin)]

    def hold_arguments(self, call: n.Call, origin: n.Origin | None) -> list[n.Stmt]:
        """The lines that remember what a generator function is given."""
        lines: list[n.Stmt] = []

        def held(expr: n.Expr) -> n.Expr:
            if isinstance(expr, n.Starred):
                return replace(expr, value=held(expr.value))
            if isinstance(expr, n.Const | n.Ref):
                return expr
            variable = n.Variable("given", n.Role.RESULT)
            lines.append(n.Assign(variable, expr, origin=origin))
            return n.Read(variable, kind=expr.kind, span=expr.span)

        args = tuple(map(held, call.args))
        self.source = replace(call, args=args, keywords=tuple((name, held(e)) for name, e in call.keywords))
        return lines

    def put(self, rest: list[n.Stmt]) -> None:
        """Put the uses in place."""
        for stmt in rest:
            if isinstance(stmt, n.For) and self.is_it(stmt.iterable):
                stmt.iterable = self.rest()
            elif _uses(stmt, self.variable):
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
            case n.Call(func=func, args=args, keywords=keywords) if self.uses_up(expr):
                new = tuple(self.given(e) for e in args)
                return replace(expr, func=func, args=new, keywords=tuple((k, self.visit(v)) for k, v in keywords))
            case n.Starred(value=value) if self.is_it(value):
                return replace(expr, value=self.rest())
            case n.Comprehension(form=form) if form != "generator":
                return self.given(expr)
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
            case _:
                return self.visit(expr)

    def is_it(self, expr: n.Expr) -> bool:
        return isinstance(expr, n.Read) and expr.variable is self.variable

    def rest(self) -> n.Expr:
        """What is left, which is used up hereby."""
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
        if self.ended:
            self.failed |= not default
            return default[0] if default else call
        if isinstance(self.source, n.Comprehension | n.Call) or default:
            self.failed = True
            return call
        self.taken += 1
        return n.Subscript(self.source, n.Const(self.taken - 1, kind=INT), span=call.span)
