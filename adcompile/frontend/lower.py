"""From `ast` to IR.

Before and after:
    def f(x):                  Function f, params [x], body
        a = b = x * scale ->       Assign(a, Binary("*", Read(x), Ref("scale", 2.0, "global")))
        return a                   Assign(b, Read(a))
                                   Return(Read(a))
"""

from __future__ import annotations

import ast
import keyword
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeGuard

import numpy as np

from adcompile.analyses.readings.vectorize import from_pyfunc, vectorized
from adcompile.analyses.typing.targets import MAKES
from adcompile.frontend.contexts import enter
from adcompile.frontend.patterns import pattern
from adcompile.frontend.resolve import Outside, arguments, bound_names
from adcompile.ir import nodes as n
from adcompile.ir.build import BINARY, parse_expression
from adcompile.ir.walk import rebuild, substitute

if TYPE_CHECKING:
    from types import FunctionType

    from adcompile.frontend.acquire import Located
    from adcompile.frontend.parse import Layout
    from adcompile.frontend.resolve import FunctionNode

_SPELT_OUT: Final = ("super", "getattr", "vectorize", "frompyfunc")
_PLACEHOLDER: Final = "adcompile_placeholder_"
_COMPREHENSIONS: Final = {
    ast.ListComp: "a list comprehension", ast.SetComp: "a set comprehension", ast.DictComp: "a dict comprehension",
    ast.GeneratorExp: "a generator expression",
}  # fmt: skip


@dataclass(slots=True)
class Scope:
    """The names of one function. `captures` fills up, in order of first use, as its body is lowered."""

    variables: dict[str, n.Variable]
    outer: Scope | None = None
    captures: dict[n.Variable, None] = field(default_factory=dict)

    def find(self, name: str) -> n.Variable | None:
        """Return the variable of this function or of one around it, noted as captured by all those in between."""
        found = self.variables.get(name)
        if found is None and self.outer is not None:
            found = self.outer.find(name)
            if found is not None:
                self.captures[found] = None
        return found


def lower_function(fn: FunctionType, located: Located, layout: Layout, defaults: dict[str, n.Expr]) -> n.Function:
    """Lower a function that has passed the fence."""
    nodes = list(ast.walk(located.node))
    lowering = _Lowering(located, layout, Outside(fn), _set_once(nodes))
    for node in nodes:
        if isinstance(node, _IMPORTS):
            lowering.outside.bring_in(node)
    annotations = dict(fn.__annotations__)
    function = lowering.function(located.node, None, defaults)
    for param in function.params:
        annotation = annotations.get(param.variable.name)
        param.annotation = lowering.outside.annotation(annotation) if isinstance(annotation, str) else annotation
    return function


class _Lowering:
    """The lowering of one function and all those defined in it."""

    def __init__(self, located: Located, layout: Layout, outside: Outside, once: frozenset[str]) -> None:
        self.source = located.source
        self.layout = layout
        self.outside = outside
        self.scope = Scope({})
        self.receiver: n.Variable | None = None  # the first parameter of a method
        self.dropped: list[str] = []  # comments of statements that are dropped, for the next one to carry
        self.once = once
        self.vectorizers: dict[n.Variable, n.Call] = {}  # by the names that they are bound to, once and for all

    # ------------------------------------------------------------------------------------------------ functions

    def function(self, node: FunctionNode, outer: Scope | None, defaults: dict[str, n.Expr]) -> n.Function:
        """Lower a function whose defaults are lowered already: they belong to the scope around it."""
        around, self.scope = self.scope, Scope({name: n.Variable(name) for name in bound_names(node)}, outer)
        scope, params = self.scope, self.params(node, defaults)
        if outer is None and params:
            self.receiver = params[0].variable
        docstring = None
        if isinstance(node, ast.Lambda):
            span = self.layout.span(node)
            origin = n.Origin(span, self.layout.text(span))
            body: list[n.Stmt] = [n.Return(self.expr(node.body), origin=origin)]
        else:
            origin = self.origin(node)
            docstring = ast.get_docstring(node)
            if docstring is not None:
                self.drop(node.body[0])
            body = self.body(node.body if docstring is None else node.body[1:], node)
            self.dropped = []
        self.scope = around
        return n.Function(
            name="<lambda>" if isinstance(node, ast.Lambda) else node.name,
            params=params,
            body=body,
            source=self.source,
            captures=tuple(scope.captures),
            locals=scope.variables,
            docstring=docstring,
            is_lambda=isinstance(node, ast.Lambda),
            origin=origin,
        )

    def params(self, node: FunctionNode, defaults: dict[str, n.Expr]) -> list[n.Param]:
        """Return the parameters in the order of the signature."""
        args = node.args
        forms: dict[ast.arg | None, str] = {args.vararg: "varargs", args.kwarg: "varkeywords"}
        forms.update(dict.fromkeys(args.posonlyargs, "positional-only"))
        forms.update(dict.fromkeys(args.kwonlyargs, "keyword-only"))
        return [
            n.Param(self.scope.variables[arg.arg], forms.get(arg, "positional"), defaults.get(arg.arg))
            for arg in arguments(node)
        ]

    def inner_function(self, node: ast.FunctionDef | ast.Lambda) -> n.Function:
        """Lower a function defined inside the one at hand: its defaults here, its body in a scope of its own."""
        args = node.args
        positional = [*args.posonlyargs, *args.args]
        given = zip(positional[len(positional) - len(args.defaults) :], args.defaults, strict=True)
        pairs = [*given, *zip(args.kwonlyargs, args.kw_defaults, strict=True)]
        defaults = {arg.arg: self.expr(value) for arg, value in pairs if value is not None}
        function = self.function(node, self.scope, defaults)
        function.tree = node
        for param, arg in zip(function.params, arguments(node), strict=True):
            param.annotation = self.outside.annotation(arg.annotation)
        return function

    # ----------------------------------------------------------------------------------------------- statements

    def body(self, nodes: list[ast.stmt], around: ast.stmt) -> list[n.Stmt]:
        """Lower a block of a statement. One of declarations or a docstring only is a `pass`."""
        lowered = [stmt for node in nodes for stmt in self.statement(node)]
        return lowered or [n.Pass(origin=n.Origin(self.layout.statement_span(around), "pass"))]

    def drop(self, node: ast.stmt) -> None:
        """Leave the comments of a docstring or declaration to the next statement."""
        leading, trailing = self.layout.comments.get(id(node), ((), None))
        self.dropped += [*leading, *([] if trailing is None else [trailing])]

    def origin(self, node: ast.stmt | ast.ExceptHandler) -> n.Origin:
        """Return where a statement stands, with the comments that are its own or were left to it."""
        leading, trailing = self.layout.comments.get(id(node), ((), None))
        if self.dropped:
            leading, self.dropped = (*self.dropped, *leading), []
        span = self.layout.statement_span(node)
        return n.Origin(span, self.layout.text(span), leading, trailing)

    def statement(self, node: ast.stmt) -> list[n.Stmt]:  # noqa: C901, PLR0912 - one case a statement
        if isinstance(node, ast.AnnAssign) and node.value is None:
            self.drop(node)
            return []
        origin = self.origin(node)
        match node:
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
                return self.assigned(target, self.expr(value), origin)
            case ast.Assign(targets=targets, value=value):
                return self.chained(targets, self.expr(value), origin)
            case ast.AugAssign(target=target, op=op, value=value):
                place = self.expr(target)
                return [n.Augment(place, BINARY[type(op)], self.expr(value), origin=origin)]
            case ast.Return(value=value):
                result = n.Const(None) if value is None else self.expr(value)
                return [n.Return(result, origin=origin)]
            case ast.Expr(value=ast.Yield(value=value)):
                return [n.Yield(n.Const(None) if value is None else self.expr(value), origin=origin)]
            case ast.Expr(value=ast.YieldFrom(value=value)):
                item = n.Variable("item", n.Role.TEMPORARY)
                return [
                    n.For(n.Read(item), self.expr(value), [n.Yield(n.Read(item), origin=origin)], [], origin=origin)
                ]
            case ast.Expr(value=value):
                return [n.Evaluate(self.expr(value), origin=origin)]
            case ast.If(test=test, body=then, orelse=orelse):
                condition = self.expr(test)
                return [n.If(condition, self.body(then, node), self.orelse(orelse, node), origin=origin)]
            case ast.For(target=target, iter=iterable, body=body, orelse=orelse):
                items, place = self.expr(iterable), self.expr(target)
                return [n.For(place, items, self.body(body, node), self.orelse(orelse, node), origin=origin)]
            case ast.While(test=test, body=body, orelse=orelse):
                condition = self.expr(test)
                return [n.While(condition, self.body(body, node), self.orelse(orelse, node), origin=origin)]
            case ast.FunctionDef():
                return self.define(node, origin)
            case ast.Assert(test=test, msg=message):
                return [n.Assert(self.expr(test), None if message is None else self.expr(message), origin=origin)]
            case ast.Raise(exc=error, cause=cause):
                exception = None if error is None else self.expr(error)
                return [n.Raise(exception, None if cause is None else self.expr(cause), origin=origin)]
            case ast.Try():
                return [self.attempt(node, origin)]
            case ast.With(items=items):
                return self.contexts(items, node, origin)
            case ast.Match():
                return self.match(node, origin)
            case ast.Delete(targets=targets):
                return [self.delete(target, origin) for target in targets]
            case ast.Import() | ast.ImportFrom():
                self.drop(node)
                return []
            case ast.Pass():
                return [n.Pass(origin=origin)]
            case ast.Global() | ast.Nonlocal():
                self.drop(node)
                return []
            case ast.Break():
                return [n.Break(origin=origin)]
            case ast.Continue():
                return [n.Continue(origin=origin)]
            case _:
                msg = f"the fence let a statement through: {type(node).__name__}"
                raise AssertionError(msg)

    def orelse(self, nodes: list[ast.stmt], around: ast.stmt) -> list[n.Stmt]:
        """Lower the block of an `else`, which may be missing."""
        return self.body(nodes, around) if nodes else []

    def attempt(self, node: ast.Try, origin: n.Origin) -> n.Stmt:
        """Lower a `try` with all its parts."""
        body = self.body(node.body, node)
        handlers: list[n.Handler] = []
        for part in node.handlers:
            variable = None if part.name is None else self.scope.variables[part.name]
            error = None if part.type is None else self.expr(part.type)
            at = self.origin(part)
            handlers.append(n.Handler(error, variable, self.body(part.body, node), at))
        return n.Try(body, handlers, self.orelse(node.orelse, node), self.orelse(node.finalbody, node), origin=origin)

    def contexts(self, items: list[ast.withitem], node: ast.With, origin: n.Origin) -> list[n.Stmt]:
        """Lower the managers of a `with`, the first around the others."""
        if not items:
            return self.body(node.body, node)
        first, *rest = items
        manager = self.expr(first.context_expr)
        target = None if first.optional_vars is None else self.expr(first.optional_vars)
        return enter(manager, target, lambda: self.contexts(rest, node, origin), origin)

    def delete(self, target: ast.expr, origin: n.Origin) -> n.Stmt:
        """Lower `del` of a name, or of an item."""
        place = self.expr(target)
        if isinstance(place, n.Read):
            return n.Delete(place.variable, origin=origin)
        if not isinstance(place, n.Subscript):
            msg = f"the fence let a target of `del` through: {type(target).__name__}"
            raise AssertionError(msg)  # noqa: TRY004 - nothing that a user can cause
        if isinstance(place.index, n.Slice):
            return n.Store(place, n.Display("list", (), span=place.span), origin=origin)
        removal = n.Call(n.Attribute(place.value, "__delitem__"), (place.index,), span=place.span)
        return n.Evaluate(removal, origin=origin)

    def match(self, node: ast.Match, origin: n.Origin) -> list[n.Stmt]:
        """Lower a `match` to branches."""
        subject, lines = self.expr(node.subject), list[n.Stmt]()
        names = {part.name for case in node.cases for part in ast.walk(case.pattern) if isinstance(part, ast.MatchAs)}
        if not (isinstance(subject, n.Const) or (isinstance(subject, n.Read) and subject.variable.name not in names)):
            held = n.Variable("subject", n.Role.TEMPORARY)
            lines.append(n.Assign(held, subject, origin=origin))
            subject = n.Read(held, span=subject.span)
        leading = origin.leading
        return [*lines, *self.cases(node.cases, subject, node, leading)]

    def cases(
        self, cases: list[ast.match_case], subject: n.Expr, node: ast.Match, leading: tuple[str, ...] = ()
    ) -> list[n.Stmt]:
        """Lower the cases from one on."""
        if not cases:
            return []
        case, *rest = cases
        span = self.layout.span(case.pattern)
        origin = n.Origin(span, f"case {self.layout.text(span)}", leading)
        found = pattern(case.pattern, subject, self.expr)
        binds: list[n.Stmt] = [
            n.Assign(self.scope.variables[name], value, origin=origin) for name, value in found.bound
        ]
        test = found.test()
        before: list[n.Stmt] = []
        if case.guard is not None:
            guard = self.expr(case.guard)
            if test is None:
                test, before, binds = guard, binds, []  # they stay bound where the guard fails
            else:  # where nobody looks at them then
                bound = {self.scope.variables[name]: value for name, value in found.bound}
                test = n.Bool("and", (test, substitute(guard, bound)))
        body = [*binds, *self.body(case.body, node)]
        if test is None:
            return [*before, *body]
        return [*before, n.If(test, body, self.cases(rest, subject, node), origin=origin)]

    def define(self, node: ast.FunctionDef, origin: n.Origin) -> list[n.Stmt]:
        """Lower a local `def`. Its decorators become calls: `@d` above `def g` is `g = d(g)` after it.

        Of a transformation with options, `@d(tol=1e-9)`, the call is `g = d(g, tol=1e-9)`.
        """
        before: list[n.Stmt] = []
        decorators: list[n.Expr] = []
        options: dict[int, tuple[tuple[str | None, n.Expr], ...]] = {}
        for k, decorator in enumerate(node.decorator_list):
            made = self.expr(decorator)
            if isinstance(made, n.Call) and not made.args and hasattr(n.object_of(made.func), MAKES):
                options[k], made = made.keywords, made.func
            elif not isinstance(made, n.Ref):  # evaluated before the `def`, which may rebind what it reads
                kept = n.Variable("decorator", n.Role.TEMPORARY)
                before.append(n.Assign(kept, made, origin=origin))
                made = n.Read(kept, span=made.span)
            decorators.append(made)
        variable = self.scope.variables[node.name]
        function = self.inner_function(node)
        function.origin = origin
        result: list[n.Stmt] = [*before, n.Define(variable, function, origin=origin)]
        calls = [
            n.Call(made, (n.Read(variable),), options.get(k, ()), span=made.span)
            for k, made in reversed([*enumerate(decorators)])
        ]
        return [*result, *(n.Assign(variable, call, origin=origin) for call in calls)]

    def assign(self, target: ast.expr, value: n.Expr, origin: n.Origin) -> n.Stmt:
        """Lower one assignment of a value to a name, a pattern, an item or an attribute."""
        place = self.expr(target)
        if isinstance(place, n.Read):
            if place.variable.name in self.once and _vectorizes(value):
                self.vectorizers[place.variable] = value
            return n.Assign(place.variable, value, origin=origin)
        if isinstance(place, n.Display):
            return n.Unpack(place, value, origin=origin)
        return n.Store(place, value, origin=origin)

    def assigned(self, target: ast.expr, value: n.Expr, origin: n.Origin) -> list[n.Stmt]:
        """Lower an assignment; attributes that names are put into are set one after the other."""
        place = self.expr(target)
        if isinstance(place, n.Display) and isinstance(value, n.Display) and _apart(place.items, value.items):
            return [n.Store(part, made, origin=origin) for part, made in zip(place.items, value.items, strict=True)]
        return [self.assign(target, value, origin)]

    def chained(self, targets: list[ast.expr], value: n.Expr, origin: n.Origin) -> list[n.Stmt]:
        """Lower `a = b = value`: the value once, then the targets from left to right."""
        first, *rest = targets
        names = [name for target in rest for name in ast.walk(target) if isinstance(name, ast.Name)]
        stored = {name.id for name in names if isinstance(name.ctx, ast.Store)}
        if isinstance(first, ast.Name) and first.id not in stored:
            variable = self.scope.find(first.id) or n.Variable(first.id)
        else:
            name = next((target.id for target in targets if isinstance(target, ast.Name)), "value")
            variable = n.Variable(name, n.Role.TEMPORARY)
            rest = targets
        result: list[n.Stmt] = [n.Assign(variable, value, origin=origin)]
        result += [self.assign(target, n.Read(variable, span=value.span), origin) for target in rest]
        return result

    # ---------------------------------------------------------------------------------------------- expressions

    def expr(self, node: ast.expr) -> n.Expr:
        """Lower an expression, or the target of an assignment."""
        made = parse_expression(node, self.name, span=self.layout.span, other=self.other)
        return self.spelt_out(made) if self.has_spelt_out else made

    @cached_property
    def has_spelt_out(self) -> bool:
        """Whether the source mentions anything that is spelt out."""
        return any(word in self.source.text for word in _SPELT_OUT)

    def spelt_out(self, expr: n.Expr) -> n.Expr:
        """`super()` as `super(TheClass, self)`, `getattr(a, "b")` as `a.b`, what `np.vectorize(f)(x)` computes."""
        match expr:
            case n.Call(func=n.Call() | n.Read() as func, args=args, keywords=keywords) if (
                plain := vectorized(self.vectorizer(func), args, keywords, expr.span)
            ) is not None:
                return rebuild(plain, self.spelt_out)
            case n.Call(func=n.Attribute(value=n.Call(func=func, args=args, keywords=()), name="astype") as method) if (
                plain := from_pyfunc(self.vectorizer(func), args, expr.span)
            ) is not None:
                return replace(expr, func=replace(method, value=rebuild(plain, self.spelt_out)))
            case n.Call(func=n.Ref(value=function), args=(value, n.Const(value=str() as name)), keywords=()) if (
                function is getattr and name.isidentifier() and not keyword.iskeyword(name)
            ):
                return n.Attribute(self.spelt_out(value), name, span=expr.span)
            case n.Call(func=n.Ref(value=function), args=()) if function is super and self.receiver is not None:
                return replace(expr, args=(self.outside.ref("__class__"), n.Read(self.receiver)))
            case _:
                return rebuild(expr, self.spelt_out)

    def vectorizer(self, func: n.Expr) -> n.Expr:
        """What is called: where a name has been bound to what `np.vectorize` makes, that."""
        return self.vectorizers.get(func.variable, func) if isinstance(func, n.Read) else func

    def name(self, name: str) -> n.Expr:
        """Return what a name stands for: a variable of the functions around it, or an object outside."""
        variable = self.scope.find(name)
        return self.outside.ref(name) if variable is None else n.Read(variable)

    def other(self, node: ast.expr) -> n.Expr:
        """Lower what is not plain data flow: a lambda into a function, a comprehension into its parts."""
        match node:
            case ast.Lambda():
                return n.Lambda(self.inner_function(node))
            case ast.ListComp(elt=element, generators=generators):
                return self.comprehension("list", node, generators, element)
            case ast.SetComp(elt=element, generators=generators):
                return self.comprehension("set", node, generators, element)
            case ast.GeneratorExp(elt=element, generators=generators):
                return self.comprehension("generator", node, generators, element)
            case ast.DictComp(key=key, value=element, generators=generators):
                return self.comprehension("dict", node, generators, element, key)
            case _:
                return self.opaque(node)

    def comprehension(
        self,
        form: str,
        node: ast.expr,
        generators: list[ast.comprehension],
        element: ast.expr,
        key: ast.expr | None = None,
    ) -> n.Comprehension:
        """Lower a comprehension, in a scope of its own except for its first iterable."""
        text = self.opaque(node)
        around, first = self.scope, self.expr(generators[0].iter)
        bound = [t.id for g in generators for t in ast.walk(g.target) if isinstance(t, ast.Name)]
        self.scope = Scope({name: n.Variable(name) for name in bound}, around)
        clauses = tuple(
            n.Clause(
                self.expr(g.target),
                first if g is generators[0] else self.expr(g.iter),
                tuple(self.expr(condition) for condition in g.ifs),
            )
            for g in generators
        )
        made = n.Comprehension(
            form,
            self.expr(element),
            clauses,
            text,
            None if key is None else self.expr(key),
            span=self.layout.span(node),
        )
        self.scope = around
        return made

    def opaque(self, node: ast.expr) -> n.Opaque:
        """Keep an expression as text, cut where it reads the function's variables.

        The names are found by putting a placeholder for each and printing the tree, which also gives one line.
        """
        variables: list[n.Variable] = []
        tree = ast.parse(ast.unparse(node), mode="eval").body
        for name in _outer_reads(tree):
            variable = self.scope.find(name.id)
            if variable is not None:
                name.id = f"{_PLACEHOLDER}{len(variables)}"
                variables.append(variable)
        parts = re.split(rf"{_PLACEHOLDER}(\d+)", ast.unparse(tree))
        pieces = tuple(variables[int(part)] if at % 2 else part for at, part in enumerate(parts) if at % 2 or part)
        reads = tuple(dict.fromkeys(piece for piece in pieces if isinstance(piece, n.Variable)))
        what = _COMPREHENSIONS.get(type(node), "this expression")
        span = self.layout.span(node)
        return n.Opaque(pieces, reads, f"{what} is not differentiated; write it as a loop", span=span)


def _outer_reads(tree: ast.expr) -> list[ast.Name]:
    """Return the names in an expression that it reads from outside itself."""
    found: list[ast.Name] = []

    def visit(node: ast.AST, own: frozenset[str]) -> None:
        children = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Name) and node.id not in own:
            found.append(node)
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            first = node.generators[0].iter  # this one belongs to the scope around
            visit(first, own)
            own |= {t.id for g in node.generators for t in ast.walk(g.target) if isinstance(t, ast.Name)}
            parts = [part for child in children for part in _within(child)]
            children = [part for part in parts if part is not first]
        elif isinstance(node, ast.Lambda):
            for default in (*node.args.defaults, *node.args.kw_defaults):
                if default is not None:
                    visit(default, own)
            children, own = [node.body], own | {argument.arg for argument in arguments(node)}
        for child in children:
            visit(child, own)

    visit(tree, frozenset())
    return found


def _within(node: ast.AST) -> list[ast.AST]:
    """Return the parts of one `for` of a comprehension, or what else a comprehension has, as it is."""
    return [node.target, node.iter, *node.ifs] if isinstance(node, ast.comprehension) else [node]


def _apart(places: tuple[n.Expr, ...], values: tuple[n.Expr, ...]) -> bool:
    """Whether `o.a, o.b = x, y` sets attributes to what names stand for, which is the same one after the other."""
    attributes = all(isinstance(e, n.Attribute) and isinstance(e.value, n.Read) for e in places)
    return attributes and len(places) == len(values) and all(isinstance(e, n.Read | n.Const) for e in values)


_IMPORTS = (ast.Import, ast.ImportFrom)


def _set_once(nodes: list[ast.AST]) -> frozenset[str]:
    """The names that are set in one place of a function and of those inside it."""
    counts: Counter[str] = Counter()
    for e in nodes:
        match e:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                counts[name] += 1
            case ast.FunctionDef(name=name):
                counts[name] += 2  # if it is decorated
    return frozenset(name for name, count in counts.items() if count == 1)


def _vectorizes(value: n.Expr) -> TypeGuard[n.Call]:
    """Whether a value is made by `np.vectorize` of a function that stays what it is."""
    match value:
        case n.Call(func=func, args=(pyfunc, *_)) if n.object_of(func) in (np.vectorize, np.frompyfunc):
            if isinstance(pyfunc, n.Lambda):
                return all(p.default is None for p in pyfunc.function.params)
            return n.object_of(pyfunc) is not None
        case _:
            return False
