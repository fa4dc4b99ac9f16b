"""Code that the compiler makes, written as Python: a text with holes, or a function whose parameters are the holes.

    quote("np.where(mask, value, 0.0)", mask=..., value=...)     the expression
    inlined(best, {"items": ..., "key": ..., ...}).lines         the lines of the function `best`, with names of its own

What is made has its kind as far as that follows from the kinds in the holes, and no place in anyone's text but the one
that it is given. Numbers behind names (`item0`, `item1`) only tell them apart here: the variables are called the same.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import sys
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.build import BINARY, parse_expression
from adcompile.ir.indices import is_none
from adcompile.ir.kinds import (
    BOOL,
    FLOAT,
    INT,
    UNKNOWN,
    Kind,
    Scalar,
    Sequence,
    Static,
    Struct,
    Unknown,
    item_of,
    tail_of,
)
from adcompile.ir.walk import rebuild
from adcompile.runtime import helpers as runtime

if TYPE_CHECKING:
    from adcompile.source import Span

NO_TEXT: Final = n.Opaque((), (), "it was written by the compiler")
_FORMS: Final = {ast.ListComp: "list", ast.SetComp: "set", ast.DictComp: "dict", ast.GeneratorExp: "generator"}
_KNOWN: Final[dict[str, Any]] = {"np": np, "math": math, **vars(builtins)}
Applying = Callable[[n.Expr, list[n.Expr]], n.Expr]
Naming = Callable[[n.Expr, int], list[str]]


def quote(text: str, span: Span | None = None, /, **holes: n.Expr) -> n.Expr:
    """The expression that a text stands for.

    >>> from adcompile.ir.show import show
    >>> v = n.Read(n.Variable("v"), kind=Sequence(FLOAT, list))
    >>> made = quote("[2.0 * x for x in items[1:]]", items=v)
    >>> made.clauses[0].iterable.kind == v.kind, show(quote("items[len(items) - 1]", items=v))
    (True, 'v[(len@builtin(v) - 1)]')
    """
    return Quoted(holes, vars(runtime), span).expr(_expression(text))


def quote_lines(text: str, span: Span | None = None, /, **holes: n.Expr) -> list[n.Stmt]:
    """The statements that a text stands for, in which names that are set are new variables."""
    quoted = Quoted(holes, vars(runtime), span)
    quoted.count(_statements(text))
    return quoted.block(_statements(text))


@cache
def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@cache
def _statements(text: str) -> list[ast.stmt]:
    return ast.parse(textwrap.dedent(text)).body


@cache
def _functions(module: str) -> dict[str, ast.FunctionDef]:
    """The functions of a module of ours, as they are written."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def inlined(function: Callable[..., Any], quoted: Quoted, target: str = "") -> tuple[list[n.Stmt], n.Expr]:
    """The lines of a plain function with its parameters as holes, and what it returns; `target` is a name for that."""
    *body, last = [s for s in _functions(function.__module__)[function.__name__].body if not _is_docstring(s)]
    if not isinstance(last, ast.Return) or last.value is None:
        raise TypeError(function)
    quoted.count([*body, last])
    if target and isinstance(last.value, ast.Name):
        quoted.called[last.value.id] = target
    return quoted.block(body), quoted.expr(last.value)


@cache
def reads_of(function: Callable[..., Any], name: str) -> int:
    """How often a plain function reads a parameter, not counting where it asks whether that is None."""
    nodes = list(ast.walk(_functions(function.__module__)[function.__name__]))
    asked = [e.left for e in nodes if isinstance(e, ast.Compare) and isinstance(e.ops[0], ast.Is | ast.IsNot)]
    return sum(isinstance(e, ast.Name) and e.id == name and e not in asked for e in nodes)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _plain_call(function: n.Expr, args: list[n.Expr]) -> n.Expr:
    return n.Call(function, tuple(args), span=function.span)


def _own_names(function: n.Expr, count: int) -> list[str]:
    del function
    return ["item"] * count


@dataclass
class Quoted:
    """What the names in a text stand for, and the span that what is made of it gets.

    `left_out` are holes that nobody gave anything for: keywords that would pass them on are left out, too. `applied`
    says what a call of a function in a hole is, `naming` what that function calls its parameters: what a loop runs over
    for it is called so.
    """

    holes: Mapping[str, n.Expr]
    outside: Mapping[str, Any] = field(default_factory=dict)
    span: Span | None = None
    left_out: frozenset[str] = frozenset()
    applied: Applying = _plain_call
    naming: Naming = _own_names

    def __post_init__(self) -> None:
        self.names: dict[str, n.Expr] = dict(self.holes)
        self.given = {id(e) for e in self.holes.values()}
        self.bound: dict[str, int] = {}
        self.called: dict[str, str] = {}

    # ------------------------------------------------------------------------------------------------ statements

    def count(self, body: list[ast.stmt]) -> None:
        """Take note of how often each name is set or changed, and of what the functions in holes call it."""
        for node in (e for stmt in body for e in ast.walk(stmt)):
            match node:
                case ast.Name(id=name, ctx=ast.Store()) | ast.Expr(
                    value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))
                ):
                    self.bound[name] = self.bound.get(name, 0) + 1
                case ast.Call(func=ast.Name(id=function), args=args) if function in self.holes:
                    own = self.naming(self.holes[function], len(args))
                    items = [(k, a.id) for k, a in enumerate(args) if isinstance(a, ast.Name) and a.id == "item"]
                    self.called.update((name, own[k]) for k, name in items)

    def block(self, body: list[ast.stmt]) -> list[n.Stmt]:
        """The statements of a block."""
        return [made for node in body for made in self.statement(node)]

    def statement(self, node: ast.stmt) -> list[n.Stmt]:
        """A statement; a test whose outcome is plain leaves one of its sides."""
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                made = self.expr(value)
                once = self.bound.get(name) == 1
                if once and id(made) in self.given:  # another name for what is in a hole
                    self.names[name] = made
                    return []
                target = self.variable(name, made.kind if once else UNKNOWN)
                return [n.Assign(target.variable, made)]
            case ast.Assign(targets=[target], value=value):
                return [n.Store(self.expr(target), self.expr(value))]
            case ast.AugAssign(target=target, op=op, value=value):
                return [n.Augment(self.expr(target), BINARY[type(op)], self.expr(value))]
            case ast.Expr(value=value):
                return [n.Evaluate(self.expr(value))]
            case ast.If(test=test, body=then, orelse=orelse):
                condition = self.expr(test)
                if isinstance(condition, n.Const):
                    return self.block(then if condition.value else orelse)
                return [n.If(condition, self.block(then), self.block(orelse))]
            case ast.For(target=target, iter=iterable, body=body):
                items = self.expr(iterable)
                return [n.For(self.loop_target(target, item_of(items.kind)), items, self.block(body), [])]
            case ast.Break():
                return [n.Break()]
            case ast.Raise(exc=error):
                return [n.Raise(None if error is None else self.expr(error), None)]
            case ast.Try(body=body, handlers=[ast.ExceptHandler(type=ast.expr() as error, name=str() as name) as only],
                         orelse=orelse):  # fmt: skip
                inside, raised = self.block(body), self.variable(name)
                handler = n.Handler(self.expr(error), raised.variable, self.block(only.body))
                return [n.Try(inside, [handler], self.block(orelse), [])]
            case ast.Pass():
                return []
            case _:
                raise TypeError(ast.unparse(node))

    def variable(self, name: str, kind: Kind = UNKNOWN) -> n.Read:
        """A name that the text sets, as a new variable."""
        found = self.names.get(name)
        if not isinstance(found, n.Read) or name in self.holes:
            variable = n.Variable(self.called.get(name) or name.rstrip("0123456789"), n.Role.RESULT)
            found = self.names[name] = n.Read(variable, kind=kind, span=self.span)
        return found

    def loop_target(self, node: ast.expr, kind: Kind) -> n.Expr:
        """What a loop sets to items of a kind."""
        match node:
            case ast.Name(id=name):
                self.names.pop(name, None)
                return self.variable(name, kind)
            case ast.Tuple(elts=parts):
                known = isinstance(kind, Struct) and len(kind.items) == len(parts)
                kinds = kind.items if isinstance(kind, Struct) and known else (UNKNOWN,) * len(parts)
                made = tuple(self.loop_target(e, k) for e, k in zip(parts, kinds, strict=True))
                return n.Display("tuple", made, kind=kind, span=self.span)
            case _:
                raise TypeError(ast.unparse(node))

    # ----------------------------------------------------------------------------------------------- expressions

    def expr(self, node: ast.expr) -> n.Expr:
        """An expression."""
        return self.finished(parse_expression(node, self.name, other=self.other))

    def name(self, name: str) -> n.Expr:
        """What a name stands for: what is in its hole, a variable of the text's own, or an object outside."""
        if name in self.names:
            return self.names[name]
        value = _KNOWN[name] if name in _KNOWN else self.outside[name]
        scope = "builtin" if getattr(builtins, name, None) is value else "rule"
        return n.Ref(name, value, scope, kind=Static(value), span=self.span)

    def other(self, node: ast.expr) -> n.Expr:
        """A comprehension."""
        if not isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            raise TypeError(ast.unparse(node))
        element = node.value if isinstance(node, ast.DictComp) else node.elt
        self.count([ast.Expr(element), *(ast.Expr(c) for g in node.generators for c in g.ifs)])
        clauses: list[n.Clause] = []
        for g in node.generators:
            items = self.expr(g.iter)
            spread = self.spread(g.target, items, element)
            target, items = spread or (self.loop_target(g.target, item_of(items.kind)), items)
            clauses.append(n.Clause(target, items, tuple(map(self.expr, g.ifs))))
        made = n.Comprehension(_FORMS[type(node)], self.expr(element), tuple(clauses), NO_TEXT, span=self.span)
        return replace(made, key=self.expr(node.key)) if isinstance(node, ast.DictComp) else made

    def spread(self, target: ast.expr, items: n.Expr, element: ast.expr) -> tuple[n.Expr, n.Expr] | None:
        """`f(*items) for items in zip(a, b)` with a name for each item: `f(x, y) for x, y in zip(a, b)`."""
        match target, element, items:
            case (
                ast.Name(id=name),
                ast.Call(func=ast.Name(id=function), args=[ast.Starred(value=ast.Name(id=read))]),
                n.Call(func=n.Ref(value=builtins.zip), args=(_, *_) as args, keywords=()),
            ) if name == read and function in self.holes and not any(isinstance(e, n.Starred) for e in args):
                pass
            case _:
                return None
        names = self.naming(self.holes[function], len(args))
        own: list[n.Expr] = [
            n.Read(n.Variable(called, n.Role.RESULT), kind=item_of(e.kind), span=self.span)
            for called, e in zip(names, args, strict=True)
        ]
        self.names[name] = whole = n.Display("tuple", tuple(own), kind=item_of(items.kind), span=self.span)
        return (own[0], args[0]) if len(own) == 1 else (whole, items)

    def finished(self, expr: n.Expr) -> n.Expr:
        """An expression with its kind and span; what is plain about it is simplified."""
        if id(expr) in self.given or isinstance(expr, n.Read | n.Ref | n.Comprehension | n.Opaque):
            return expr
        expr = rebuild(expr, self.finished)
        match expr:
            case n.Compare(ops=("is" | "is not" as op,), operands=(value, n.Const(value=None))):
                return n.Const((_is_none(value)) is (op == "is"), kind=BOOL)
            case n.Unary(op="-", operand=n.Const(value=int() as number)):
                return n.Const(-number, kind=INT, span=self.span)
            case n.Conditional(test=n.Const(value=known), then=then, orelse=orelse):
                return then if known else orelse
            case n.Slice():
                parts = (None if e is None or _is_none(e) else e for e in (expr.lower, expr.upper, expr.step))
                return n.Slice(*parts, span=self.span)
            case n.Call(func=func, args=args, keywords=keywords):
                flat: list[n.Expr] = []
                for e in args:
                    own = isinstance(e, n.Starred) and isinstance(e.value, n.Display)
                    flat += e.value.items if own else [e]  # type: ignore[attr-defined]
                if id(func) in self.given and not keywords:
                    return self.applied(func, flat)
                words = tuple((k, v) for k, v in keywords if all(v is not self.holes[name] for name in self.left_out))
                expr = replace(expr, args=tuple(flat), keywords=words)
        kind = kind_of(expr)
        return replace(expr, span=self.span) if isinstance(kind, Unknown) else replace(expr, kind=kind, span=self.span)


def _is_none(expr: n.Expr) -> bool:
    return expr.kind == Static(None) or is_none(expr)


def kind_of(expr: n.Expr) -> Kind:
    """The kind of an expression, as far as it follows from those in it."""
    match expr:
        case n.Const(value=bool()):
            return BOOL
        case n.Const(value=int()):
            return INT
        case n.Const(value=float()):
            return FLOAT
        case n.Const(value=value):
            return Static(value)
        case n.Call(func=n.Ref(value=builtins.len)):
            return INT
        case n.Call(func=n.Ref(value=builtins.range)):
            return Sequence(INT, range)
        case n.Call(func=n.Ref(value=builtins.min | builtins.max), args=(_, _, *_) as args, keywords=()) if all(
            e.kind == INT for e in args
        ):
            return INT
        case n.Subscript(value=value, index=n.Slice(lower=lower)):
            start = lower.value if isinstance(lower, n.Const) else 0
            return tail_of(value.kind, start) if isinstance(start, int) and start >= 0 else value.kind
        case n.Subscript(value=n.Expr(kind=Struct(items=kinds)), index=n.Const(value=int() as k)) if k < len(kinds):
            return kinds[k]
        case n.Subscript(value=value, index=index) if isinstance(index.kind, Scalar | Unknown):
            return item_of(value.kind)
        case n.Compare():
            return BOOL
        case n.Binary(left=left, right=right) if left.kind == right.kind == INT and expr.op in ("+", "-", "*", "%"):
            return INT
        case n.Conditional(then=then):
            return then.kind
        case n.Display(form="tuple" | "list" as form, items=items) if items and not any(
            isinstance(e, n.Starred) for e in items
        ):
            cls = tuple if form == "tuple" else list
            return Struct(form, cls, tuple(range(len(items))), tuple(e.kind for e in items))
        case _:
            return expr.kind
