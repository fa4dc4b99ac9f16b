"""A copy of a user's function with variables of its own, to be written out where the function is called."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from adcompile.errors import is_reading
from adcompile.ir import nodes as n
from adcompile.ir.walk import binds, change_expressions, reads, rebuild, statements

if TYPE_CHECKING:
    from adcompile.source import Span


class BodyCopy:
    """A copy of a function's statements with variables of its own."""

    def __init__(
        self,
        function: n.Function,
        opened: tuple[tuple[n.Function, int], ...] = (),
        called_at: Span | None = None,
        flagged: dict[n.Variable, n.Variable] | None = None,
    ) -> None:
        self.opened = opened
        self.flagged = flagged if flagged is not None else {}  # a copy of a name that has a flag has that of the flag
        self.called_at = called_at  # in the user's text
        self.values: dict[n.Variable, n.Expr] = {}
        self.left_out: set[n.Stmt] = set()  # what only gives names to parts of an argument that have some
        self.own = {p.variable for p in function.params} | {v for s in statements(function.body) for v in binds(s)}
        self.own -= {v for v in self.own if v in function.captures}  # a `nonlocal` is the outer function's

    def fresh(self, variable: n.Variable) -> n.Variable:
        """The copy's own variable for one of the function's."""
        found = self.values.get(variable)
        if found is None:
            of = variable.of
            if of is not None and of in self.own:
                of = self.fresh(of)
            found = self.values[variable] = n.Read(n.Variable(variable.name, variable.role, of, variable.path))
            if (flag := self.flagged.get(variable)) in self.own:
                self.flagged[found.variable] = self.fresh(flag)
        if not isinstance(found, n.Read):
            raise TypeError
        return found.variable

    def block(self, body: list[n.Stmt]) -> list[n.Stmt]:
        """The copy of some statements."""
        return [self.statement(stmt) for stmt in body if stmt not in self.left_out]

    def origin(self, origin: n.Origin | None) -> n.Origin | None:
        """Where a statement stands, as seen from where the function is called."""
        if origin is None:
            return None
        source = origin.span.source
        opened = (*self.opened, *origin.opened)
        if self.called_at is None or source is None or not is_reading(source):
            return replace(origin, opened=opened)
        return replace(origin, span=self.called_at, opened=opened)

    def statement(self, stmt: n.Stmt) -> n.Stmt:
        """The copy of a statement."""
        new = replace(stmt, origin=self.origin(stmt.origin))
        if isinstance(new, n.Try):
            new.handlers = [self.handler(handler) for handler in new.handlers]
        else:
            change_expressions(new, self.expr)
        match new:
            case n.Assign(target=target):
                new.target = self.name(target)
            case n.Augment(target=n.Read() as target):
                new.target = self.expr(target)
            case n.Unpack(pattern=pattern):
                changed = self.expr(pattern)
                if not isinstance(changed, n.Display):
                    raise TypeError
                new.pattern = changed
            case n.For(target=target) | n.With(target=n.Expr() as target):
                new.target = self.expr(target)
            case n.Delete(variable=variable) if variable in self.own:
                new.variable = self.fresh(variable)
            case n.Define(variable=variable, function=function):
                new.variable = self.name(variable)
                new.function = self.function(function)
        match new:
            case n.If():
                new.then, new.orelse = self.block(new.then), self.block(new.orelse)
            case n.For() | n.While():
                new.body, new.orelse = self.block(new.body), self.block(new.orelse)
            case n.With():
                new.body = self.block(new.body)
            case n.Try():
                new.body, new.orelse, new.final = map(self.block, (new.body, new.orelse, new.final))
        return new

    def handler(self, handler: n.Handler) -> n.Handler:
        """The copy of an `except`."""
        variable = handler.variable
        return n.Handler(
            None if handler.error is None else self.expr(handler.error),
            self.fresh(variable) if variable is not None and variable in self.own else variable,
            self.block(handler.body),
            self.origin(handler.origin),
        )

    def expr(self, expr: n.Expr) -> n.Expr:
        """The copy of an expression."""
        match expr:
            case n.Read(variable=variable):
                if variable in self.values:
                    value = self.values[variable]
                    return replace(value, span=expr.span or value.span) if isinstance(value, n.Read) else value
                return replace(expr, variable=self.fresh(variable)) if variable in self.own else expr
            case n.Lambda(function=function):
                return replace(expr, function=self.function(function))
            case n.Opaque(pieces=pieces, reads=found):
                names = {v: self.name(v) for v in found}
                inside = None if expr.inside is None else self.expr(expr.inside)
                return replace(
                    expr,
                    pieces=tuple(names.get(p, p) if isinstance(p, n.Variable) else p for p in pieces),
                    reads=tuple(names[v] for v in found),
                    inside=inside if isinstance(inside, n.Comprehension) else None,
                )
            case n.Named(variable=variable):
                inner = rebuild(expr, self.expr)
                return replace(inner, variable=self.fresh(variable)) if isinstance(inner, n.Named) else inner
            case _:
                return rebuild(expr, self.expr)

    def name(self, variable: n.Variable) -> n.Variable:
        """The name that a variable has in the copy: its own, or that of the argument which stands for it."""
        value = self.values.get(variable)
        if isinstance(value, n.Read):
            return value.variable
        return self.fresh(variable) if variable in self.own else variable

    def function(self, function: n.Function) -> n.Function:
        """A function defined in the one that is written out, reading the new variables."""
        outer = [v for v in function.captures if v in self.values or v in self.own]
        if not outer:
            return function
        inner = BodyCopy(function)
        inner.own = set()
        for variable in outer:
            value = self.values.get(variable)
            if value is not None and not isinstance(value, n.Read):
                inner.values[variable] = value
            else:
                inner.values[variable] = n.Read(self.name(variable))
        captures: dict[n.Variable, None] = {}
        own: set[n.Variable] = set()
        for v in function.captures:
            value = inner.values.get(v)
            if value is None:
                captures[v] = None
            else:
                read = sorted(reads(value), key=lambda x: (x.name, x.born))
                captures.update(dict.fromkeys(read))
                own.update(read)
        body = inner.block(function.body)
        params = [replace(p, default=None if p.default is None else self.expr(p.default)) for p in function.params]
        return replace(function, body=body, params=params, captures=tuple(captures), own=frozenset(own))
