"""From one `ast` expression to one IR expression: for user code and for the texts of the rule tables alike."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from adcompile.ir.nodes import (
    Attribute,
    Binary,
    Bool,
    Call,
    Compare,
    Conditional,
    Const,
    Display,
    Expr,
    Mapping,
    Named,
    Read,
    Slice,
    Starred,
    Subscript,
    Template,
    Unary,
)

if TYPE_CHECKING:
    from adcompile.source import Span

UNARY: Final[dict[type[ast.unaryop], str]] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}

BINARY: Final[dict[type[ast.operator], str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip

COMPARE: Final[dict[type[ast.cmpop], str]] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip

DISPLAY: Final[dict[type[ast.expr], str]] = {ast.Tuple: "tuple", ast.List: "list", ast.Set: "set"}


def parse_expression(
    node: ast.expr,
    name: Callable[[str], Expr],
    *,
    span: Callable[[ast.expr], Span | None] | None = None,
    other: Callable[[ast.expr], Expr] | None = None,
) -> Expr:
    """Lower an `ast` expression.

    `name` says what a name stands for; `span`, where given, says where a node stands in the user's file. A form that
    is not plain data flow (comprehension, lambda, `await`, `yield`) goes to `other`, or raises `ValueError`.

    >>> from adcompile.ir.nodes import Variable
    >>> from adcompile.ir.show import show
    >>> x = Read(Variable("x"))
    >>> tree = ast.parse("2 * x[1:] ** 2", mode="eval").body
    >>> show(parse_expression(tree, {"x": x}.__getitem__))
    '(2 * (x[1:] ** 2))'
    """
    return _Lower(name, span, other)(node)


@dataclass(slots=True)
class _Lower:
    """Lowers a node and what is in it. A function that names itself would be left to the garbage collector."""

    name: Callable[[str], Expr]
    span: Callable[[ast.expr], Span | None] | None
    other: Callable[[ast.expr], Expr] | None

    def __call__(self, node: ast.expr) -> Expr:
        expr = _lower(node, self, self.name, self.other)
        if self.span is None or expr.span is not None:
            return expr
        # Filling in the one field beats `replace`, which would build every node twice; nobody else has seen it yet
        # (except a name's expression, which the caller may share, so that one is copied).
        if isinstance(node, ast.Name):
            return replace(expr, span=self.span(node))
        object.__setattr__(expr, "span", self.span(node))
        return expr


def _lower(
    node: ast.expr,
    lower: Callable[[ast.expr], Expr],
    name: Callable[[str], Expr],
    other: Callable[[ast.expr], Expr] | None,
) -> Expr:
    """Lower one node, its children through `lower`."""
    match node:
        case ast.Name(id=identifier):
            return name(identifier)
        case ast.Constant(value=value):
            return Const(value)
        case ast.BinOp(left=left, op=op, right=right):
            return Binary(BINARY[type(op)], lower(left), lower(right))
        case ast.UnaryOp(op=unary, operand=operand):
            return Unary(UNARY[type(unary)], lower(operand))
        case ast.Call(func=func, args=args, keywords=keywords):
            return Call(lower(func), tuple(map(lower, args)), tuple((k.arg, lower(k.value)) for k in keywords))
        case ast.Attribute(value=owner, attr=attribute):
            return Attribute(lower(owner), attribute)
        case ast.Subscript(value=owner, slice=index):
            return Subscript(lower(owner), lower(index))
        case ast.Slice(lower=first, upper=last, step=step):
            parts = (None if part is None else lower(part) for part in (first, last, step))
            return Slice(*parts)
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            return Compare(tuple(COMPARE[type(o)] for o in ops), (lower(left), *(lower(c) for c in comparators)))
        case ast.BoolOp(op=connective, values=values):
            return Bool("and" if isinstance(connective, ast.And) else "or", tuple(lower(v) for v in values))
        case ast.IfExp(test=test, body=then, orelse=orelse):
            return Conditional(lower(test), lower(then), lower(orelse))
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
            return Display(DISPLAY[type(node)], tuple(lower(item) for item in items))
        case ast.Dict(keys=dict_keys, values=values):
            keys = (None if key is None else lower(key) for key in dict_keys)
            return Mapping(tuple(zip(keys, map(lower, values), strict=True)))
        case ast.Starred(value=value):
            return Starred(lower(value))
        case ast.NamedExpr(target=ast.Name(id=identifier), value=value):
            target = name(identifier)
            if not isinstance(target, Read):
                msg = f"`{identifier} :=` needs a variable, not {target!r}"
                raise ValueError(msg)  # noqa: TRY004 - like every form that cannot be lowered
            return Named(target.variable, lower(value))
        case ast.JoinedStr():
            return _template(node, lower)
        case _ if other is not None:
            return other(node)
        case _:
            raise ValueError(f"no lowering for the expression `{ast.unparse(node)}`")


def _template(node: ast.JoinedStr, lower: Callable[[ast.expr], Expr]) -> Template:
    """Lower an f-string, or the format specification inside one (which `ast` writes as an f-string too)."""
    pieces: list[str | tuple[Expr, str, Template | None]] = []
    for piece in node.values:
        if isinstance(piece, ast.FormattedValue):
            conversion = "" if piece.conversion < 0 else chr(piece.conversion)
            spec = _template(piece.format_spec, lower) if isinstance(piece.format_spec, ast.JoinedStr) else None
            pieces.append((lower(piece.value), conversion, spec))
        elif isinstance(piece, ast.Constant):
            pieces.append(str(piece.value))
    return Template(tuple(pieces))
