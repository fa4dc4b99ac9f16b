"""Builds IR for tests from Python text, without the compiler's own front end.

Names listed in `roles` become variables of that role; names that are neither assigned nor parameters become outside
names, looked up in `outside`. A comment `# @key` at the end of a line gives its statement the origin of that key; a
full line `# text` becomes a remark.
"""

from __future__ import annotations

import ast
import builtins
import re
import textwrap
from dataclasses import replace
from typing import Any

from adcompile.ir import nodes
from adcompile.ir.nodes import Expr, Function, Origin, Param, Ref, Role, Stmt, Variable
from adcompile.source import FunctionSource, Span

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
    ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in",
    ast.NotIn: "not in", ast.And: "and", ast.Or: "or",
}  # fmt: skip


def origin(
    text: str,
    line: int = 1,
    trailing: str | None = None,
    leading: tuple[str, ...] = (),
    source: FunctionSource | None = None,
) -> Origin:
    """An origin with a plausible span."""
    return Origin(Span(line, 4, line, 4 + len(text), source), text, leading, trailing)


def function(
    text: str,
    *,
    roles: dict[str, Variable] | None = None,
    outside: dict[str, Any] | None = None,
    origins: dict[str, Origin] | None = None,
    source: str = "neuron",
) -> Function:
    """Lower one `def`."""
    text = textwrap.dedent(text).strip()
    lines = text.split("\n")
    return _Lowering(lines, roles or {}, outside or {}, origins or {}, source).function(ast.parse(text).body[0], {})


def remark(text: str) -> nodes.Remark:
    """A comment, which heads a section if it begins like one."""
    section = next((section for section in nodes.Section if text.startswith(section.value)), None)
    return nodes.Remark(text, section)


def expression(text: str, outside: dict[str, Any] | None = None) -> tuple[Function, Expr]:
    """Lower an expression, as what a function of all its free names returns."""
    names = sorted({n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)} - set(outside or {}))
    lowered = function(f"def f({', '.join(names)}):\n    return ({text})", outside=outside)
    last = lowered.body[0]
    assert isinstance(last, nodes.Return)
    return lowered, last.value


def adjoint(of: Variable, *path: str | int) -> Variable:
    return Variable(of.name, Role.ADJOINT, of, path)


class _Lowering:
    def __init__(
        self,
        lines: list[str],
        roles: dict[str, Variable],
        outside: dict[str, Any],
        origins: dict[str, Origin],
        source: str,
    ) -> None:
        self.lines, self.roles, self.outside = lines, roles, outside
        self.source = FunctionSource(source, f"{source}.py", "", 1)
        self.origins = {k: replace(o, span=replace(o.span, source=self.source)) for k, o in origins.items()}
        self.at = 0

    def function(self, node: Any, around: dict[str, Variable]) -> Function:
        scope = dict(around)
        own: dict[str, Variable] = {}
        arguments = node.args
        every = [
            *(("positional-only", a) for a in arguments.posonlyargs),
            *(("positional", a) for a in arguments.args),
            *([("varargs", arguments.vararg)] if arguments.vararg else []),
            *(("keyword-only", a) for a in arguments.kwonlyargs),
            *([("varkeywords", arguments.kwarg)] if arguments.kwarg else []),
        ]
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults = dict(zip([a.arg for a in positional][::-1], arguments.defaults[::-1], strict=False))
        defaults |= {a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d}
        params = []
        for form, argument in every:
            default = self.expr(defaults[argument.arg], around) if argument.arg in defaults else None
            own[argument.arg] = Variable(argument.arg)
            params.append(Param(own[argument.arg], form, default))
        body = node.body if isinstance(node.body, list) else [ast.Return(node.body, lineno=node.lineno)]
        for name in _assigned(body):
            own.setdefault(name, self.roles.get(name) or Variable(name))
        scope |= own
        docstring = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
        body = body[1:] if docstring else body
        name = getattr(node, "name", "<lambda>")
        lowered = self.block(body, scope, node.lineno)
        return Function(
            name, params, lowered, self.source,
            locals=own, docstring=docstring, is_lambda=isinstance(node, ast.Lambda),
        )  # fmt: skip

    def block(self, body: list[Any], scope: dict[str, Variable], after: int) -> list[Stmt]:
        out: list[Stmt] = []
        before = after
        for node in body:
            between = [line.strip() for line in self.lines[before : node.lineno - 1]]
            out += [remark(line[2:]) for line in between if line.startswith("# ")]
            before = node.end_lineno if hasattr(node, "end_lineno") else node.lineno
            made = self.statement(node, scope)
            key = re.search(r"# @(\w+)$", self.lines[node.lineno - 1])
            for statement in made:
                statement.origin = self.origins[key.group(1)] if key else None
            out += made
        return out

    def statement(self, node: Any, scope: dict[str, Variable]) -> list[Stmt]:
        e = lambda n: None if n is None else self.expr(n, scope)  # noqa: E731
        match node:
            case ast.Assign(targets=targets, value=value):
                return [self.assign(target, value, scope) for target in reversed(targets)][::-1]
            case ast.AugAssign(target=target, op=op, value=value):
                return [nodes.Augment(e(target), OPERATORS[type(op)], e(value))]
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[value])) if (
                name in scope and scope[name].role is Role.TAPE
            ):
                return [nodes.Push(scope[name], e(value))]
            case ast.Expr(value=value):
                return [nodes.Evaluate(e(value))]
            case ast.If(test=test, body=body, orelse=orelse):
                return [nodes.If(e(test), self.block(body, scope, node.lineno), self.block(orelse, scope, 10**6))]
            case ast.For(target=target, iter=iterable, body=body, orelse=orelse):
                inner = self.block(body, scope, node.lineno)
                return [nodes.For(e(target), e(iterable), inner, self.block(orelse, scope, 10**6))]
            case ast.While(test=test, body=body, orelse=orelse):
                return [nodes.While(e(test), self.block(body, scope, node.lineno), self.block(orelse, scope, 10**6))]
            case ast.FunctionDef(name=name):
                return [nodes.Define(scope[name], self.function(node, scope))]
            case ast.Return(value=value):
                return [nodes.Return(e(value) or nodes.Const(None))]
            case ast.Raise(exc=error, cause=cause):
                return [nodes.Raise(e(error), e(cause))]
            case ast.Assert(test=test, msg=message):
                return [nodes.Assert(e(test), e(message))]
            case ast.Break():
                return [nodes.Break()]
            case ast.Continue():
                return [nodes.Continue()]
            case ast.Pass():
                return [nodes.Pass()]
        raise TypeError(ast.dump(node))

    def assign(self, target: Any, value: Any, scope: dict[str, Variable]) -> Stmt:
        into = self.expr(target, scope)
        if isinstance(into, nodes.Read) and into.variable.role is Role.TAPE and ast.unparse(value) == "[]":
            return nodes.NewTape(into.variable)
        if isinstance(into, nodes.Read) and isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            owner = value.func.value
            if value.func.attr == "pop" and isinstance(owner, ast.Name) and owner.id in self.roles:
                return nodes.Pop(into.variable, self.roles[owner.id])
        lowered = self.expr(value, scope)
        if isinstance(into, nodes.Read):
            return nodes.Assign(into.variable, lowered)
        return nodes.Unpack(into, lowered) if isinstance(into, nodes.Display) else nodes.Store(into, lowered)

    def expr(self, node: Any, scope: dict[str, Variable]) -> Any:
        e = lambda n: None if n is None else self.expr(n, scope)  # noqa: E731
        match node:
            case ast.Name(id=name):
                if name in scope:
                    return nodes.Read(scope[name])
                if name in self.outside:
                    return Ref(name, self.outside[name], "global")
                return Ref(name, getattr(builtins, name), "builtin")
            case ast.Constant(value=value):
                return nodes.Const(value)
            case ast.UnaryOp(op=op, operand=operand):
                return nodes.Unary(OPERATORS[type(op)], e(operand))
            case ast.BinOp(op=op, left=left, right=right):
                return nodes.Binary(OPERATORS[type(op)], e(left), e(right))
            case ast.Compare(left=left, ops=ops, comparators=others):
                return nodes.Compare(tuple(OPERATORS[type(op)] for op in ops), tuple(map(e, [left, *others])))
            case ast.BoolOp(op=op, values=values):
                return nodes.Bool(OPERATORS[type(op)], tuple(map(e, values)))
            case ast.IfExp(test=test, body=then, orelse=orelse):
                return nodes.Conditional(e(test), e(then), e(orelse))
            case ast.Call(func=func, args=args, keywords=keywords):
                return nodes.Call(e(func), tuple(map(e, args)), tuple((k.arg, e(k.value)) for k in keywords))
            case ast.Attribute(value=value, attr=name):
                return nodes.Attribute(e(value), name)
            case ast.Subscript(value=value, slice=index):
                return nodes.Subscript(e(value), e(index))
            case ast.Slice(lower=lower, upper=upper, step=step):
                return nodes.Slice(e(lower), e(upper), e(step))
            case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
                return nodes.Display(type(node).__name__.lower(), tuple(map(e, items)))
            case ast.Dict(keys=keys, values=values):
                return nodes.Mapping(tuple((e(key), e(value)) for key, value in zip(keys, values, strict=True)))
            case ast.Starred(value=value):
                return nodes.Starred(e(value))
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                return nodes.Named(scope[name], e(value))
            case ast.Lambda():
                return nodes.Lambda(self.function(node, scope))
            case ast.JoinedStr(values=values):
                return nodes.Template(tuple(self.piece(value, scope) for value in values))
            case _:
                return self.opaque(node, scope)

    def piece(self, node: Any, scope: dict[str, Variable]) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        conversion = "" if node.conversion == -1 else chr(node.conversion)
        return self.expr(node.value, scope), conversion, node.format_spec and self.expr(node.format_spec, scope)

    def opaque(self, node: Any, scope: dict[str, Variable]) -> nodes.Opaque:
        bound = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        pieces: list[str | Variable] = []
        words = re.split(r"(\w+)", ast.unparse(node))
        pieces += [scope[word] if word in scope and word not in bound else word for word in words]
        return nodes.Opaque(tuple(pieces), tuple(p for p in pieces if isinstance(p, Variable)), "a comprehension")


def _assigned(body: list[Any]) -> list[str]:
    names: list[str] = []

    class Visitor(ast.NodeVisitor):
        def visit_Name(self, node: ast.Name) -> None:
            if isinstance(node.ctx, ast.Store):
                names.append(node.id)

        def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
            names.append(node.name)

        def visit_Lambda(self, node: ast.Lambda) -> None:
            pass

        def visit_ListComp(self, node: ast.ListComp) -> None:
            pass

        visit_GeneratorExp = visit_SetComp = visit_DictComp = visit_ListComp  # noqa: N815 - as `ast` calls them

    for statement in body:
        Visitor().visit(statement)
    return names
