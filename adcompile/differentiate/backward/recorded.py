"""A note of each operation and operand of a function, so that a run of it can be recorded.

A note is taken by a call that hands its argument on, and in the backward sweep its partial. Because every operand has
a note of its own, the partial of an operand is what this one operation adds to the partial of the variable.

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def area(width, height):
...     u = width * height
...     return u
>>> function = read(area)
>>> sites = Sites()
>>> make_recordable(function, sites)
>>> print(show(function))
def area(width, height):
    marked@rule(6, width, height)
    u = noted@rule((noted@rule(width, 0) * noted@rule(height, 1)), 2)
    marked@rule(3, u)
    <result value> = noted@rule(u, 5)
    marked@rule(4, <result value>)
    return <result value>
>>> [(site.text, site.operation, site.name, site.operands) for site in sites.places[:3]]
[('width', '', 'width', ('width',)), ('height', '', 'height', ('height',)), ('width * height', '*', 'u', (0, 1))]
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.typing.calls import is_generator
from adcompile.differentiate.desugar.structure import leaves
from adcompile.differentiate.desugar.taps import is_watch
from adcompile.differentiate.normal.targets import base_of_place
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT
from adcompile.ir.make import ref
from adcompile.ir.walk import children, reads, rebuild, statements, targets
from adcompile.runtime.recording import Role, Site, Sites, marked, noted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adcompile.source import FunctionSource, Span

_FACTS = {"shape", "ndim", "size", "dtype", "nbytes", "itemsize"}
# What these are given is looked at, or gone through, and not computed with.
_LOOKING: set[Any] = {
    *(
        len,
        range,
        isinstance,
        issubclass,
        type,
        print,
        str,
        repr,
        format,
        hasattr,
        getattr,
        setattr,
        id,
        enumerate,
        zip,
    ),
    *(list, tuple, dict, set, frozenset, iter, next, sorted, map, filter, reversed, callable, super, any, all, slice),
}


def make_recordable(function: n.Function, sites: Sites) -> None:
    """Put calls that take notes into a function, in place; where they stand is appended to `sites`."""
    if not any(function is done for done in sites.functions):
        _Noting(function, sites).whole(function)


class _Noting:
    def __init__(self, function: n.Function, sites: Sites) -> None:
        self.function = function
        self.views = sites.around == "everything"
        self.calls = sites.around != "operators"
        self.generators = {
            stmt.variable
            for stmt in statements(function.body)
            if isinstance(stmt, n.Define) and is_generator(stmt.function)
        }
        self.tries = 0  # how many `try` are around: what one returns there stays as it is
        self.marks = True  # not in generators, which are written out where they are consumed
        self.items: dict[n.Variable, tuple[int | str, ...]] = {}  # of comprehensions: what each is an item of
        self.sites = sites.places
        self.functions = sites.functions

    # ------------------------------------------------------------------------------------------------ statements

    def whole(self, function: n.Function) -> None:
        self.functions.append(function)
        around = self.function, self.marks, self.tries
        self.tries = 0
        self.function, self.marks = function, not is_generator(function)
        head = function.span
        body = self.block(function.body)
        if not function.is_lambda and self.marks:
            params = tuple(p.variable for p in function.params)
            of = tuple(v.name for v in params)
            body.insert(0, self.mark("call", head, function.name, function.origin, of, params))
            if not leaves(body):
                body.append(self.mark("return", head, function.name, function.origin))
        function.body[:] = body
        self.function, self.marks, self.tries = around

    def block(self, body: list[n.Stmt]) -> list[n.Stmt]:
        return [line for stmt in body for line in self.statement(stmt)]

    def statement(self, stmt: n.Stmt) -> list[n.Stmt]:
        match stmt:
            case n.Assign(target=target, value=n.Const(value=float() | complex()) as value):
                return [replace(stmt, value=self.around(value, "constant", "", target.name))]
            case n.Assign(target=target, value=value):
                value = self.value(value, target.name)
                lines: list[n.Stmt] = [replace(stmt, value=value)]
                if isinstance(value, n.Comprehension) and value.form == "generator":
                    return lines  # it can be run through once
                if isinstance(value, n.Display | n.Mapping | n.Comprehension) and self.marks:
                    of = self.of(value)
                    lines.append(self.mark("container", value.span, target.name, stmt.origin, of, (target,)))
                return [*lines, *self.held(target, stmt)]
            case n.Unpack(pattern=pattern, value=value):
                value = self.value(value)
                parts = {} if isinstance(value, n.Display) else self.sources(pattern, value)
                return [replace(stmt, value=value), *self.received(targets(pattern), parts, stmt)]
            case n.Augment(target=n.Read(variable=variable) as target, op=op, value=value):
                value = self.value(value)
                operands = (variable.name, *self.of(value))
                made = self.around(target, "operation", f"{op}=", variable.name, stmt.origin, operands=operands)
                return [replace(stmt, value=value), n.Assign(variable, made, origin=stmt.origin)]
            case n.Augment(value=value) | n.Store(value=value) if not self.views:
                return [replace(stmt, value=self.value(value))]
            case n.Augment(target=target, value=value) | n.Store(target=target, value=value):
                name = _base(target)
                operation = f"{stmt.op}=" if isinstance(stmt, n.Augment) else "="
                value = self.value(value)
                operands = self.of(value)
                kept = self.around(value, "operation", operation, None, stmt.origin, operands=operands, changes=name)
                return [replace(stmt, value=kept)]
            case n.Return(value=value) if self.function.is_lambda or self.tries:
                return [replace(stmt, value=self.value(value))]
            case n.Yield(value=value):
                return [replace(stmt, value=self.value(value))]
            case n.Return(value=value):
                held = n.Variable("value", n.Role.RESULT)
                mark = self.mark("return", value.span, self.function.name, stmt.origin, (), (held,))
                return [
                    n.Assign(held, self.value(value), origin=stmt.origin),
                    mark,
                    replace(stmt, value=n.Read(held, span=value.span)),
                ]
            case n.Evaluate(value=n.Call(func=func, args=args) as call):
                name = _base(func) if isinstance(func, n.Attribute) else None
                args = tuple(e if isinstance(e, n.Starred) else self.given(e, name, _name(func), stmt) for e in args)
                return [replace(stmt, value=replace(call, args=args))]
            case n.If(test=test, then=then, orelse=orelse):
                return [replace(stmt, test=self.tested(test), then=self.block(then), orelse=self.block(orelse))]
            case n.For() | n.While():
                return self.loop(stmt)
            case n.Try(body=body, handlers=handlers, orelse=orelse, final=final):
                self.tries += 1
                whole = replace(
                    stmt,
                    body=self.block(body),
                    handlers=[replace(h, body=self.block(h.body)) for h in handlers],
                    orelse=self.block(orelse),
                    final=self.block(final),
                )
                self.tries -= 1
                return [whole]
            case n.With(body=body):
                return [replace(stmt, body=self.block(body))]
            case n.Define(function=function):
                self.whole(function)
                return [stmt]
            case _:
                return [stmt]

    def loop(self, stmt: n.For | n.While) -> list[n.Stmt]:
        """A loop with a mark at each step, and notes of the items that it runs through."""
        body, orelse = stmt.body, stmt.orelse
        if isinstance(stmt, n.For):
            stmt = replace(stmt, iterable=self.run_through(stmt.iterable))
        else:
            stmt = replace(stmt, test=self.tested(stmt.test))
        if not self.marks:
            return [replace(stmt, body=self.block(body), orelse=self.block(orelse))]
        span, text = (stmt.origin.span, stmt.origin.text) if stmt.origin else (None, "")
        begin = self.mark("loop", span, text, stmt.origin)
        of = (len(self.sites) - 1,)
        step, done = (self.mark(role, span, text, stmt.origin, of) for role in ("step", "done"))
        items: list[n.Stmt] = []
        if isinstance(stmt, n.For):
            items = self.received(targets(stmt.target), self.sources(stmt.target, stmt.iterable), stmt)
        return [begin, replace(stmt, body=[step, *items, *self.block(body)], orelse=self.block(orelse)), done]

    def sources(self, pattern: n.Expr, value: n.Expr) -> dict[n.Variable, tuple[int | str, ...]]:
        """What the names in a pattern are items of, each where it can be told, or else all of what is taken apart."""
        match pattern, value:
            case n.Display(items=parts), n.Call(func=n.Ref(value=called), args=args) if (
                called is zip and len(parts) == len(args)
            ):
                pairs = list(zip(parts, args, strict=True))
            case n.Display(items=(_, part)), n.Call(func=n.Ref(value=called), args=(arg, *_)) if called is enumerate:
                pairs = [(part, arg)]
            case _:
                return dict.fromkeys(targets(pattern), self.of(value))
        return {v: of for part, arg in pairs for v, of in self.sources(part, arg).items()}

    def received(
        self, names: Iterable[n.Variable], of: dict[n.Variable, tuple[int | str, ...]], stmt: n.Stmt
    ) -> list[n.Stmt]:
        """Notes of what names got as items of something: of numbers and arrays, and of counts and flags."""
        lines: list[n.Stmt] = []
        for name in names:
            if self.views and of.get(name):
                item = self.around(n.Read(name), "operation", "item", name.name, stmt.origin, operands=of[name])
                lines.append(n.Assign(name, item, origin=stmt.origin))
            lines += self.held(name, stmt)
        return lines

    def held(self, variable: n.Variable, stmt: n.Stmt) -> list[n.Stmt]:
        """A note of what a variable holds, where that is a count or a flag, which are not noted otherwise."""
        span = stmt.span
        return [self.mark("held", span, variable.name, stmt.origin, (), (variable,))] if self.marks else []

    # ------------------------------------------------------------------------------------------------ expressions

    def value(self, expr: n.Expr, name: str | None = None) -> n.Expr:
        """An expression with notes of its parts and of itself."""
        match expr:
            case n.Read() | n.Attribute() | n.Subscript() if not self.views:
                return expr
            case n.Read():
                operand = self.operand(expr)
                return operand if name is None else self.made(operand, "=", name)
            case n.Binary(op=op):
                return self.made(replace(expr, left=self.value(expr.left), right=self.value(expr.right)), op, name)
            case n.Unary(op="-" | "+" as op, operand=n.Const()):
                return expr
            case n.Unary(op="-" | "+" as op, operand=operand):
                return self.made(replace(expr, operand=self.value(operand)), op, name)
            case n.Call():
                return self.call(expr, name)
            case n.Attribute(name=attribute, value=value) if n.object_of(expr) is None and attribute not in _FACTS:
                inner = value if isinstance(value, n.Read | n.Attribute) else self.value(value)
                return self.made(replace(expr, value=inner), f".{attribute}", name)
            case n.Subscript(value=value):
                inner = value if isinstance(value, n.Read | n.Attribute | n.Subscript) else self.value(value)
                return self.made(replace(expr, value=inner), "[ ]", name)
            case n.Conditional(test=test, then=then, orelse=orelse):
                chosen = replace(expr, test=self.tested(test), then=self.value(then), orelse=self.value(orelse))
                return self.made(chosen, "if", name)
            case n.Bool(op=op, operands=operands):
                return self.made(replace(expr, operands=tuple(map(self.value, operands))), op, name)
            case n.Display(items=items):
                return replace(expr, items=tuple(e if isinstance(e, n.Starred) else self.value(e) for e in items))
            case n.Mapping(entries=entries):
                return replace(expr, entries=tuple((k, v if k is None else self.value(v)) for k, v in entries))
            case n.Named(variable=variable, value=value):
                return replace(expr, value=self.value(value, variable.name))
            case n.Lambda(function=function):
                self.whole(function)
                return expr
            case n.Comprehension(form="list" | "generator" | "dict", element=element):
                clauses: list[n.Clause] = []
                for clause in expr.clauses:
                    new = replace(clause, iterable=self.run_through(clause.iterable))
                    self.items |= self.sources(new.target, new.iterable)
                    clauses.append(replace(new, conditions=tuple(map(self.tested, new.conditions))))
                return replace(expr, element=self.value(element), clauses=tuple(clauses))
            case _:
                return expr

    def tested(self, expr: n.Expr) -> n.Expr:
        """A test, in which only what gets a name is noted."""
        if isinstance(expr, n.Named):
            return self.value(expr)
        return expr if isinstance(expr, n.Comprehension) else rebuild(expr, self.tested)

    def run_through(self, expr: n.Expr) -> n.Expr:
        """What a loop runs through, with notes of it where it is computed there."""
        match expr:
            case n.Binary() | n.Unary():
                return self.value(expr)
            case n.Call(func=n.Ref(value=called), args=args) if called in (zip, enumerate, reversed):
                return replace(expr, args=tuple(map(self.run_through, args)))
            case n.Call(func=func) if isinstance(n.object_of(func), np.ufunc):
                return self.value(expr)
            case _:
                return expr

    def call(self, expr: n.Call, name: str | None) -> n.Expr:
        called = n.object_of(expr.func)
        func = expr.func
        match expr.args:
            case (value, n.Const(value=str() as named)) if is_watch(func):
                value = self.value(value, named)
                return value if name is None else self.made(value, "=", name)
        if inspect.isgeneratorfunction(called) or (isinstance(func, n.Read) and func.variable in self.generators):
            return expr
        if called is None and isinstance(func, n.Attribute) and not isinstance(func.value, n.Call):
            func = replace(func, value=self.value(func.value))
        if isinstance(called, type) or (called.__hash__ is not None and called in _LOOKING):
            plain = n.Comprehension | n.Lambda | n.Read | n.Starred
            args = tuple(e if isinstance(e, plain) else self.value(e) for e in expr.args)
            return self.made(replace(expr, args=args), _name(func), name) if self.calls else replace(expr, args=args)
        args = tuple(e if isinstance(e, n.Starred) else self.value(e) for e in expr.args)
        keywords = tuple((k, e if k in (None, "out") else self.value(e)) for k, e in expr.keywords)
        called_so = replace(expr, func=func, args=args, keywords=keywords)
        return self.made(called_so, _name(func), name) if self.calls else called_so

    def given(self, expr: n.Expr, name: str | None, operation: str, stmt: n.Stmt) -> n.Expr:
        """What a statement that is a call gives to a method of the variable of that name, which it may change."""
        if name is None:
            return expr if isinstance(expr, n.Read) else self.value(expr)
        value = self.value(expr)
        if value is expr or isinstance(value, n.Display):
            return value
        return self.around(value, "operation", operation, None, stmt.origin, operands=self.of(value), changes=name)

    def operand(self, expr: n.Read) -> n.Expr:
        name = expr.variable.name
        return self.around(expr, "operand", "", name, operands=(name, *self.items.get(expr.variable, ())))

    def made(self, expr: n.Expr, operation: str, name: str | None) -> n.Expr:
        cuts = isinstance(expr, n.Call) and _cuts(n.object_of(expr.func))
        constants = tuple(dict.fromkeys(_constants(expr)))
        return self.around(expr, "operation", operation, name, operands=self.of(expr), constants=constants, cuts=cuts)

    # ------------------------------------------------------------------------------------------------------ notes

    def of(self, expr: n.Expr) -> tuple[int | str, ...]:
        """The operands in an expression: its outermost notes, and the variables that are read beside them."""
        match expr:
            case n.Call(func=n.Ref(value=function), args=(_, n.Const(value=site))) if function is noted:
                return (site,)
            case n.Read(variable=variable):
                return self.items.get(variable, (variable.name,))
            case n.Comprehension(element=element):
                return self.of(element)
            case n.Lambda() | n.Opaque():
                return tuple(dict.fromkeys(v.name for v in sorted(reads(expr), key=lambda v: v.born)))
            case n.Attribute(name=name) if name in _FACTS:
                return ()
            case n.Subscript(value=value):
                return self.of(value)
            case n.Call(func=n.Ref(value=function)) if function in (len, range, isinstance, np.shape, np.size, np.ndim):
                return ()
            case n.Call(func=func, args=args, keywords=keywords):
                parts = [*([func.value] if isinstance(func, n.Attribute) else []), *args, *(e for _, e in keywords)]
            case n.Conditional(then=then, orelse=orelse):
                parts = [then, orelse]
            case _:
                parts = list(children(expr))
        return tuple(dict.fromkeys(site for part in parts for site in self.of(part)))

    def around(
        self, expr: n.Expr, role: Role, operation: str, name: str | None, origin: n.Origin | None = None, **of: Any
    ) -> n.Expr:
        """A note of an expression; `of` is what else there is to say of its site."""
        span = origin.span if origin else expr.span
        number = self.site(role, span, operation, name, **of)
        return n.Call(ref(noted, "noted"), (expr, n.Const(number, kind=INT)), span=expr.span)

    def mark(
        self,
        role: Role,
        span: Span | None,
        text: str,
        origin: n.Origin | None,
        of: tuple[int | str, ...] = (),
        given: tuple[n.Variable, ...] = (),
    ) -> n.Stmt:
        """A statement that notes that it was passed, and what some variables hold."""
        number = self.site(role, span, text, operands=of)
        values = tuple(n.Read(variable) for variable in given if self.calls)
        return n.Evaluate(n.Call(ref(marked, "marked"), (n.Const(number, kind=INT), *values)), origin=origin)

    def site(self, role: Role, span: Span | None, operation: str, name: str | None = None, **of: Any) -> int:
        """The number of a new site."""
        source = self.function.source
        place = (0, 0, 0, 0) if span is None else (span.line, span.column, span.end_line, span.end_column)
        text = "" if span is None else _text(source, span)
        number = len(self.sites)
        self.sites.append(Site(number, role, self.function.name, source.filename, *place, text, operation, name, **of))
        return number


def _cuts(called: Any) -> bool:
    """Whether a function of adcompile's own cuts the dependence of its result."""
    home = getattr(called, "__module__", None) or ""
    return home.partition(".")[0] == "adcompile" and getattr(called, "__name__", "") in ("stop_gradient", "detach")


def _constants(expr: n.Expr) -> list[str]:
    """The literals among the direct operands of an operation."""
    match expr:
        case n.Subscript() | n.Attribute():
            return []
        case n.Call(func=n.Ref(value=function)) if function is noted:
            return []
        case n.Call(args=args):
            parts = args
        case _:
            parts = children(expr)
    return [repr(e.value) for e in parts if isinstance(e, n.Const) and type(e.value) in (int, float, complex)]


def _base(target: n.Expr) -> str | None:
    """The name of the variable that a store changes a part of."""
    base = base_of_place(target)
    return base.variable.name if isinstance(base, n.Read) else None


def _name(func: n.Expr) -> str:
    """How the user spells what is called."""
    match func:
        case n.Ref(name=name):
            return name
        case n.Read(variable=variable):
            return variable.name
        case n.Attribute(value=n.Ref() | n.Attribute() as owner, name=name) if n.object_of(owner) is not None:
            return f"{_name(owner)}.{name}"
        case n.Attribute(name=name):
            return f".{name}"
        case _:
            return "call"


def _text(source: FunctionSource, span: Span) -> str:
    """What stands in a span, on one line."""
    lines = [source.line(number) for number in range(span.line, span.end_line + 1)]
    lines[-1] = lines[-1][: span.end_column]
    lines[0] = lines[0][span.column :]
    return " ".join(line.strip() for line in lines)
