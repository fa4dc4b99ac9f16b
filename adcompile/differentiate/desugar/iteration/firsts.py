"""`next` of a generator that is made right there: the loop that finds its first item.

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def first_above(xs, level):
...     return next((x for x in xs if x > level), 0.0) * 2.0
>>> function = read(first_above)
>>> write_firsts(function)
>>> print(show(function))
def first_above(xs, level):
    <temporary first> = 0.0
    for x in xs:
        if x > level:
            <temporary first> = x
            break
    return (<temporary first> * 2.0)

Without a default, `StopIteration` is raised in its place. Only what is certainly evaluated, and before which nothing is
called that could make a difference, gets such a loop.
"""

from __future__ import annotations

import builtins
import types

from adcompile.differentiate.desugar.iteration.counted import item_at, length_of
from adcompile.differentiate.desugar.iteration.listing import give_origin
from adcompile.differentiate.desugar.iteration.views import is_dict_view
from adcompile.differentiate.desugar.mappings import constant
from adcompile.differentiate.desugar.structure import structure
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Struct, Unknown
from adcompile.ir.walk import blocks, change_expressions, children, reads, rebuild, statements, walk
from adcompile.source import FunctionSource

_NOWHERE = FunctionSource("first", "", "", 1)
_YIELDS = 0x20  # the flag of a code object that belongs to a generator function


def write_firsts(function: n.Function) -> None:
    """Write `next(...)` of generators as loops, in place."""
    _Firsts().block(function.body)


def take_first_items(body: list[n.Stmt]) -> bool:
    """`next(iter(xs))` as `xs[0]`, in a typed body, and as a loop where a dict is run over; whether there were any."""
    work = _FirstItems()
    for stmt in statements(body):
        change_expressions(stmt, work.exchanged)
    work.block(body)
    return work.changed


class _Firsts:
    def __init__(self) -> None:
        self.generators: set[n.Variable] = set()  # local generator functions
        self.lines: list[n.Stmt] = []
        self.changed = False

    def block(self, body: list[n.Stmt]) -> None:
        for stmt in list(body):
            if isinstance(stmt, n.Define) and any(isinstance(s, n.Yield) for s in statements(stmt.function.body)):
                self.generators.add(stmt.variable)
            for inner in blocks(stmt):
                self.block(inner)
            self.lines = []
            match stmt:
                case n.Assign(target=target, value=n.Call() as call) if self.is_first(call):
                    body[body.index(stmt) : body.index(stmt) + 1] = give_origin(self.found(call, target), stmt.origin)
                    continue
                case n.Assign() | n.Unpack() | n.Evaluate() | n.Return():
                    stmt.value = self.visit(stmt.value)
                case n.Augment(target=n.Read()):
                    stmt.value = self.visit(stmt.value)
                case n.If():
                    stmt.test = self.visit(stmt.test)
            at = body.index(stmt)
            body[at:at] = give_origin(self.lines, stmt.origin)

    def visit(self, expr: n.Expr) -> n.Expr:
        """An expression with what is found on lines before it."""
        firsts = [e for e in certain(expr) if isinstance(e, n.Call) and self.is_first(e)]
        if not firsts or any(may_matter(e) for e in walk(expr) if not any(e is x for f in firsts for x in walk(f))):
            return expr
        held = {id(e): n.Variable("first", n.Role.TEMPORARY) for e in firsts}
        for call in firsts:
            self.lines += self.found(call, held[id(call)])

        def exchanged(e: n.Expr) -> n.Expr:
            return n.Read(held[id(e)], span=e.span) if id(e) in held else rebuild(e, exchanged)

        return exchanged(expr)

    def is_first(self, call: n.Call) -> bool:
        """Whether a call is `next(generator)` or `next(generator, default)` of a new generator."""
        match call:
            case n.Call(func=n.Ref(value=function), args=(items, *default), keywords=()) if function is next:
                plain = not any(may_matter(e) for whole in default for e in walk(whole))
                return plain and self.is_new(items) and not any(isinstance(e, n.Named) for e in walk(items))
            case _:
                return False

    def is_new(self, items: n.Expr) -> bool:
        """Whether an expression makes a generator."""
        match items:
            case n.Comprehension(form="generator"):
                return True
            case n.Call(func=n.Ref(value=types.FunctionType(__code__=code))):
                return bool(code.co_flags & _YIELDS)
            case n.Call(func=n.Read(variable=variable)):
                return variable in self.generators
            case _:
                return False

    def found(self, call: n.Call, target: n.Variable) -> list[n.Stmt]:
        """The lines that set a name to the first item, or to the default."""
        self.changed = True
        items, *default = call.args
        before: list[n.Stmt] = []
        otherwise: list[n.Stmt] = []
        if not default:
            error = n.Call(n.Ref("StopIteration", StopIteration, "builtin"), (), span=call.span)
            otherwise.append(n.Raise(error, None))
        elif isinstance(default[0], n.Read) or (is_fixed(default[0]) and target in reads(items)):
            otherwise.append(n.Assign(target, default[0]))
        elif is_fixed(default[0]):
            before.append(n.Assign(target, default[0]))
        else:
            held = n.Variable("default", n.Role.TEMPORARY)
            before.append(n.Assign(held, default[0]))
            otherwise.append(n.Assign(target, n.Read(held)))
        if isinstance(items, n.Call) and n.object_of(items.func) is iter:
            items = items.args[0]
        if not isinstance(items, n.Comprehension):
            item = n.Read(n.Variable("item", n.Role.TEMPORARY))
            clauses: tuple[n.Clause, ...] = (n.Clause(item, items, ()),)
            element: n.Expr = item
        else:
            clauses, element = items.clauses, items.element
        body: list[n.Stmt] = [n.Assign(target, element), n.Break()]
        for k, clause in enumerate(reversed(clauses)):
            for condition in reversed(clause.conditions):
                body = [n.If(condition, body, [])]
            last = k + 1 == len(clauses)
            body = [n.For(clause.target, clause.iterable, body, otherwise if last else [n.Continue()])]
            body += [] if last else [n.Break()]
        return [*before, *body]


class _FirstItems(_Firsts):
    """The same for what is no generator, once it is known what it runs over."""

    def is_new(self, items: n.Expr) -> bool:
        match items:
            case n.Call(func=n.Ref(value=builtins.iter), args=(held,), keywords=()):
                return not isinstance(held.kind, Unknown) or is_dict_view(held)
            case n.Call(func=n.Ref(value=builtins.zip | builtins.enumerate | builtins.map | builtins.filter)):
                return True
            case _:
                return False

    def found(self, call: n.Call, target: n.Variable) -> list[n.Stmt]:
        """The lines, in the form of a typed body."""
        whole = n.Function("first", [], super().found(call, target), _NOWHERE)
        structure(whole)
        return whole.body

    def exchanged(self, expr: n.Expr) -> n.Expr:
        """An expression with the first items of what can be counted off."""
        expr = rebuild(expr, self.exchanged)
        match expr:
            case n.Call(func=n.Ref(value=builtins.next), args=(n.Call() as made,), keywords=()):
                is_plain = n.object_of(made.func) is iter and len(made.args) == 1
                source: n.Expr = made.args[0] if is_plain else made
                if is_plain and isinstance(source.kind, Struct) and source.kind.form == "dict" and source.kind.keys:
                    self.changed = True
                    return constant(source.kind.keys[0])
                if source is made and n.object_of(made.func) is reversed and length_of(made.args[0]) is not None:
                    self.changed = True
                    return n.Subscript(made.args[0], n.Const(-1, kind=INT), span=expr.span)
                if length_of(source) is not None and not isinstance(source, n.Comprehension):
                    self.changed = True
                    return item_at(source, n.Const(0, kind=INT), [])
                return expr
            case _:
                return expr


def certain(expr: n.Expr) -> list[n.Expr]:
    """The parts of an expression that are evaluated whenever it is, in order."""
    match expr:
        case n.Conditional(test=first) | n.Bool(operands=(first, *_)):
            return certain(first)
        case n.Lambda() | n.Comprehension() | n.Opaque():
            return []
        case n.Compare(operands=(first, second, *_)):
            return [*certain(first), *certain(second)]
        case _:
            return [expr, *(e for child in children(expr) for e in certain(child))]


def may_matter(e: n.Expr) -> bool:
    """Whether what an expression does could make a difference to a generator beside it."""
    if isinstance(e, n.Named | n.Lambda):
        return True
    if isinstance(e, n.Call) and isinstance(e.func, n.Ref) and e.func.scope == "rule":
        return False
    function = n.object_of(e.func) if isinstance(e, n.Call) else next
    return function is None or isinstance(function, types.FunctionType | types.MethodType)


def is_fixed(expr: n.Expr) -> bool:
    """Whether an expression is the same whenever it is evaluated, and makes nothing new."""
    return isinstance(expr, n.Const | n.Ref) or (isinstance(expr, n.Unary) and isinstance(expr.operand, n.Const))
