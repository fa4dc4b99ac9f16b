"""Assignments inside expressions get a line of their own, and partial applications become lambdas.

    while (d := f(x)) > tol:          while True:
        x -= d                            d = f(x)
                                          if not d > tol:
                                              break
                                          x -= d

    g = functools.partial(f, a)       g = lambda *rest: f(a, *rest)
"""

from __future__ import annotations

import functools
from dataclasses import replace

from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.walk import reads, rebuild, walk


def hoist(function: n.Function) -> None:
    """Give every `:=` a line of its own, in place."""
    work = _Hoist(function)
    function.body[:] = work.block(function.body)


class _Hoist:
    def __init__(self, function: n.Function) -> None:
        self.function = function
        self.lines: list[n.Stmt] = []

    def block(self, body: list[n.Stmt]) -> list[n.Stmt]:
        new: list[n.Stmt] = []
        for stmt in body:
            new.extend(self.statement(stmt))
        return new

    def statement(self, stmt: n.Stmt) -> list[n.Stmt]:
        match stmt:
            case n.If():
                lines, test = self.pull(stmt.test, stmt)
                return [*lines, replace(stmt, test=test, then=self.block(stmt.then), orelse=self.block(stmt.orelse))]
            case n.While():
                lines, test = self.pull(stmt.test, stmt)
                body = self.block(stmt.body)
                if not lines:
                    return [replace(stmt, test=test, body=body, orelse=self.block(stmt.orelse))]
                leave = n.If(n.Unary("not", test, span=test.span), [n.Break(origin=stmt.origin)], [], origin=stmt.origin)
                if stmt.orelse:
                    raise UnsupportedError(
                        "cannot differentiate `:=` in the test of a loop with `else`", source=self.function.source,
                        span=stmt.test.span, reason="The test is taken apart, and the `else` would lose its loop.",
                        remedy="Assign before the loop and at the end of its body.")
                return [n.While(n.Const(value=True), [*lines, leave, *body], [], origin=stmt.origin)]
            case n.For():
                lines, iterable = self.pull(stmt.iterable, stmt)
                return [*lines, replace(stmt, iterable=iterable, body=self.block(stmt.body), orelse=self.block(stmt.orelse))]
            case n.Assign() | n.Unpack() | n.Evaluate() | n.Return() | n.Augment() | n.Store():
                lines, value = self.pull(stmt.value, stmt)
                return [*lines, replace(stmt, value=value)]
            case n.Define():
                return self.define(stmt)
            case _:
                return [stmt]

    def define(self, stmt: n.Define) -> list[n.Stmt]:
        """Defaults of a local function are computed where it is defined."""
        lines: list[n.Stmt] = []
        for param in stmt.function.params:
            if param.default is not None and not isinstance(param.default, n.Const | n.Ref):
                default = n.Variable(f"{stmt.function.name}_{param.variable.name}", n.Role.TEMPORARY)
                lines.append(n.Assign(default, param.default, origin=stmt.origin))
                param.default = n.Read(default)
                stmt.function.captures = (*stmt.function.captures, default)
        return [*lines, stmt]

    def pull(self, expr: n.Expr, stmt: n.Stmt) -> tuple[list[n.Stmt], n.Expr]:
        """The lines for the `:=` in an expression, and the expression without them."""
        self.lines = []
        new = self.visit(expr, stmt, certain=True, earlier=set())
        return self.lines, new

    def visit(self, expr: n.Expr, stmt: n.Stmt, *, certain: bool, earlier: set[n.Variable]) -> n.Expr:
        if _is_partial(expr) and isinstance(expr, n.Call):
            expr = self.partial(expr, stmt)
        if not any(isinstance(e, n.Named) or _is_partial(e) for e in walk(expr)):
            earlier |= reads(expr)
            return expr
        match expr:
            case n.Named(variable=variable, value=value):
                inner = self.visit(value, stmt, certain=certain, earlier=earlier)
                if not certain or variable in earlier:
                    raise UnsupportedError(
                        f"cannot differentiate this `:=` of `{variable.name}`", source=self.function.source, span=expr.span,
                        reason="It may not be evaluated, or it changes a name that the same expression read before.",
                        remedy=f"Assign to `{variable.name}` on a line of its own.")
                self.lines.append(n.Assign(variable, inner, origin=stmt.origin))
                return n.Read(variable, span=expr.span)
            case n.Bool(operands=(first, *rest)):
                head = self.visit(first, stmt, certain=certain, earlier=earlier)
                return replace(expr, operands=(head, *(self.visit(e, stmt, certain=False, earlier=earlier) for e in rest)))
            case n.Conditional():
                test = self.visit(expr.test, stmt, certain=certain, earlier=earlier)
                return replace(expr, test=test, then=self.visit(expr.then, stmt, certain=False, earlier=earlier),
                               orelse=self.visit(expr.orelse, stmt, certain=False, earlier=earlier))
            case n.Compare(operands=(a, b, *rest)):
                first = [self.visit(e, stmt, certain=certain, earlier=earlier) for e in (a, b)]
                later = [self.visit(e, stmt, certain=False, earlier=earlier) for e in rest]
                return replace(expr, operands=(*first, *later))
            case _:
                return rebuild(expr, lambda e: self.visit(e, stmt, certain=certain, earlier=earlier))

    def partial(self, call: n.Call, stmt: n.Stmt) -> n.Expr:
        """`functools.partial(f, a, k=b)` as the lambda that it stands for."""
        target, *args = call.args
        captured: dict[n.Variable, None] = dict.fromkeys(reads(target))
        bound: list[n.Expr] = []
        for arg in [*args, *(value for _, value in call.keywords)]:
            held = n.Variable("bound", n.Role.TEMPORARY)
            self.lines.append(n.Assign(held, arg, origin=stmt.origin))
            captured[held] = None
            bound.append(n.Read(held, span=arg.span))
        rest, words = n.Variable("rest"), n.Variable("words")
        positional = tuple(bound[:len(args)])
        named = tuple((name, e) for (name, _), e in zip(call.keywords, bound[len(args):], strict=True))
        inner = n.Call(target, (*positional, n.Starred(n.Read(rest))), (*named, (None, n.Read(words))), span=call.span)
        function = n.Function(
            "partial", [n.Param(rest, "varargs"), n.Param(words, "varkeywords")], [n.Return(inner, origin=stmt.origin)],
            self.function.source, captures=tuple(captured), locals={"rest": rest, "words": words}, is_lambda=True,
            origin=stmt.origin)
        return n.Lambda(function, span=call.span)


def _is_partial(expr: n.Expr) -> bool:
    match expr:
        case n.Call(func=n.Ref(value=value), args=(_, *_)) if value is functools.partial:
            return True
        case n.Call(func=n.Attribute(value=n.Ref(value=value), name="partial"), args=(_, *_)) if value is functools:
            return True
        case _:
            return False


