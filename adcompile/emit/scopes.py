"""Which variables and outside names are seen together, and in which order the text will show them.

Two variables need different names only where one scope sees both: a lambda's own `x` may stay `x` beside the `x` of
the function around it, unless the lambda reads that one too. The walk visits everything in the order in which it is
printed, so that numbers are given in reading order.
"""

from __future__ import annotations

import math
import re
import symtable
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from adcompile.emit.literals import is_literal, needs_math
from adcompile.ir import nodes
from adcompile.ir.nodes import Const, Expr, Function, Read, Ref, Stmt, Variable
from adcompile.ir.walk import targets

MATH = Ref("math", math, "rule")
"""What `math.inf` and `math.nan` are read from."""

_PLACEHOLDER = "_adcompile_variable"
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(eq=False, slots=True, repr=False)
class Scope:
    """One function or lambda within a generated function.

    `sees` are the variables whose names must differ here: its own, and those of outer scopes that it, or a scope
    within it, uses. `rebinds` are those of outer scopes that it assigns. `refs` are the outside names seen in the same
    sense as variables. `words` are the words of opaque text.
    """

    function: Function
    parent: Scope | None
    bound: set[Variable] = field(default_factory=set)
    rebinds: dict[Variable, None] = field(default_factory=dict)
    sees: dict[Variable, None] = field(default_factory=dict)
    refs: dict[Ref, None] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)


@dataclass(eq=False, slots=True, repr=False)
class Survey:
    """What one generated function contains, everything in the order of its first appearance in the text.

    `chains` are the attribute chains on outside names (`("scipy", "special", "erf")`), `constants` the outside names
    that stand for constants which no literal can write, by the identity of the constant; `in_text` those that
    opaque text uses.
    """

    function: Function
    scopes: list[Scope] = field(default_factory=list)
    variables: dict[Variable, list[Scope]] = field(default_factory=dict)
    refs: dict[Ref, list[Scope]] = field(default_factory=dict)
    chains: dict[tuple[Ref, tuple[str, ...]], None] = field(default_factory=dict)
    constants: dict[int, Ref] = field(default_factory=dict)
    in_text: dict[str, Ref] = field(default_factory=dict)

    def rebinds(self, function: Function) -> list[Variable]:
        """The outer variables that a local function assigns, and so has to declare `nonlocal`."""
        return next((list(scope.rebinds) for scope in self.scopes if scope.function is function), [])

    def user_names(self) -> set[str]:
        """The names that the user's own variables have, and the words of opaque text: nobody else may take these."""
        names = {variable.name for variable in self.variables if variable.role is nodes.Role.USER}
        return names.union(*(scope.words for scope in self.scopes))


Lookup = Callable[[str], Ref | None]
"""What a name in opaque text stands for outside the function."""


def survey(function: Function, lookup: Lookup = lambda _: None) -> Survey:
    """Walk a generated function in the order of its text.

    >>> from adcompile.source import FunctionSource
    >>> x, y = Variable("x"), Variable("y")
    >>> f = Function("f", [nodes.Param(x)], [nodes.Assign(y, Read(x)), nodes.Return(Read(y))],
    ...              FunctionSource("f", "f.py", "", 1))
    >>> list(survey(f).variables)
    [<user x>, <user y>]
    """
    surveyor = _Surveyor(Survey(function), lookup)
    surveyor.enter(function, None)
    surveyor.resolve()
    return surveyor.survey


class _Surveyor:
    def __init__(self, into: Survey, lookup: Lookup) -> None:
        self.survey = into
        self.lookup = lookup
        self.uses: list[tuple[Scope, Variable]] = []

    def enter(self, function: Function, parent: Scope | None) -> None:
        scope = Scope(function, parent)
        self.survey.scopes.append(scope)
        for param in function.params:
            scope.bound.add(param.variable)
            self.uses.append((scope, param.variable))
            if param.default is not None:
                self.visit(param.default, parent or scope, hint=f"{param.variable.name}_default")
        for statement in function.body:
            self.statement(statement, scope)

    def resolve(self) -> None:
        """A use belongs to the nearest scope around it that binds the variable, and is seen on the way there."""
        for scope, variable in self.uses:
            scopes = self.survey.variables.setdefault(variable, [])
            at: Scope | None = scope
            while at is not None:
                if variable not in at.sees:
                    at.sees[variable] = None
                    scopes.append(at)
                if variable in at.bound:
                    break
                at = at.parent

    def bind(self, variable: Variable, scope: Scope) -> None:
        if variable in scope.function.captures:
            scope.rebinds[variable] = None
        else:
            scope.bound.add(variable)
        self.uses.append((scope, variable))

    def ref(self, ref: Ref, scope: Scope) -> None:
        scopes = self.survey.refs.setdefault(ref, [])
        at: Scope | None = scope
        while at is not None:
            if ref not in at.refs:
                at.refs[ref] = None
                scopes.append(at)
            at = at.parent

    def target(self, target: Expr, scope: Scope) -> None:
        match target:
            case Read(variable=variable):
                self.bind(variable, scope)
            case nodes.Display(items=items):
                for item in items:
                    self.target(item, scope)
            case nodes.Starred(value=value):
                self.target(value, scope)
            case _:
                self.visit(target, scope)

    def statement(self, statement: Stmt, scope: Scope) -> None:  # noqa: C901 - one case a statement
        match statement:
            case nodes.Assign(target=variable, value=value):
                self.bind(variable, scope)
                self.visit(value, scope)
            case nodes.Unpack(pattern=target, value=value) | nodes.Store(target=target, value=value):
                self.target(target, scope)
                self.visit(value, scope)
            case nodes.Augment(target=target, value=value):
                self.target(target, scope)
                self.visit(value, scope)
            case nodes.For(target=target, iterable=iterable, body=body, orelse=orelse):
                self.target(target, scope)
                self.visit(iterable, scope)
                self.block(body, orelse, scope)
            case nodes.If(test=test, then=body, orelse=orelse) | nodes.While(test=test, body=body, orelse=orelse):
                self.visit(test, scope)
                self.block(body, orelse, scope)
            case nodes.Try(body=body, handlers=handlers, orelse=orelse, final=final):
                self.block(body, [], scope)
                for handler in handlers:
                    if handler.error is not None:
                        self.visit(handler.error, scope)
                    if handler.variable is not None:
                        self.bind(handler.variable, scope)
                    self.block(handler.body, [], scope)
                self.block(orelse, final, scope)
            case nodes.With(manager=manager, target=into, body=body):
                self.visit(manager, scope)
                if into is not None:
                    self.target(into, scope)
                self.block(body, [], scope)
            case nodes.Delete(variable=variable):
                self.bind(variable, scope)
            case nodes.Define(variable=variable, function=function):
                self.bind(variable, scope)
                self.enter(function, scope)
            case nodes.Pop(target=variable, tape=tape):
                self.bind(variable, scope)
                self.uses.append((scope, tape))
            case nodes.NewTape(tape=tape):
                self.bind(tape, scope)
            case nodes.Push(tape=tape, value=value):
                self.uses.append((scope, tape))
                self.visit(value, scope)
            case nodes.Evaluate(value=value) | nodes.Return(value=value):
                self.visit(value, scope)
            case nodes.Raise(error=first, cause=second) | nodes.Assert(test=first, message=second):
                for part in (first, second):
                    if part is not None:
                        self.visit(part, scope)

    def block(self, body: list[Stmt], orelse: list[Stmt], scope: Scope) -> None:
        for statement in (*body, *orelse):
            self.statement(statement, scope)

    def visit(self, expr: Expr, scope: Scope, hint: str = "constant") -> None:
        match expr:
            case Read(variable=variable):
                self.uses.append((scope, variable))
            case Ref():
                self.ref(expr, scope)
            case Const(value=value):
                self.constant(value, scope, hint)
            case nodes.Named(variable=variable, value=value):
                self.bind(variable, scope)
                self.visit(value, scope)
            case nodes.Lambda(function=function):
                self.enter(function, scope)
            case nodes.Comprehension(clauses=clauses, text=nodes.Opaque(pieces=())):
                for variable in (v for clause in clauses for v in targets(clause.target)):
                    self.bind(variable, scope)
                for part in parts(expr):
                    self.visit(part, scope)
            case nodes.Opaque(pieces=pieces) | nodes.Comprehension(text=nodes.Opaque(pieces=pieces)):
                self.opaque(pieces, scope)
            case nodes.Attribute():
                self.chain(expr)
                self.visit(expr.value, scope)
            case _:
                for part in parts(expr):
                    self.visit(part, scope)

    def opaque(self, pieces: tuple[str | Variable, ...], scope: Scope) -> None:
        text = ""
        for piece in pieces:
            if isinstance(piece, Variable):
                self.uses.append((scope, piece))
                text += _PLACEHOLDER
            else:
                scope.words.update(_WORD.findall(piece))
                text += piece
        for name in outer_names(text):
            ref = self.survey.in_text.get(name) or self.lookup(name)
            if ref is not None:
                self.survey.in_text[name] = ref
                self.ref(ref, scope)

    def constant(self, value: object, scope: Scope, hint: str) -> None:
        if not is_literal(value):
            self.ref(self.survey.constants.setdefault(id(value), Ref(hint, value)), scope)
        elif needs_math(value):
            self.ref(MATH, scope)

    def chain(self, expr: Expr) -> None:
        names: list[str] = []
        while isinstance(expr, nodes.Attribute):
            names.append(expr.name)
            expr = expr.value
        if isinstance(expr, Ref):
            self.survey.chains[expr, tuple(reversed(names))] = None


def outer_names(text: str) -> list[str]:
    """The names that an expression reads from outside itself, in the order of the text.

    >>> outer_names("[np.sin(i) * k for i in range(3)]")
    ['np', 'k', 'range']
    """
    try:
        tables = [symtable.symtable(f"lambda: ({text}\n)", "<opaque>", "eval")]
    except SyntaxError:
        return []
    names = set()
    for table in tables:
        tables += table.get_children()
        names |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
    return [word for word in dict.fromkeys(_WORD.findall(text)) if word in names and word != _PLACEHOLDER]


def parts(expr: Expr) -> Iterator[Expr]:
    """The expressions directly inside an expression, in the order in which they are printed.

    >>> then, test, orelse = Const(1), Const(True), Const(2)
    >>> [part.value for part in parts(nodes.Conditional(test, then, orelse))]
    [1, True, 2]
    """
    match expr:
        case nodes.Unary(operand=operand):
            yield operand
        case nodes.Binary(left=left, right=right):
            yield left
            yield right
        case nodes.Compare(operands=items) | nodes.Bool(operands=items) | nodes.Display(items=items):
            yield from items
        case nodes.Conditional(test=test, then=then, orelse=orelse):
            yield then
            yield test
            yield orelse
        case nodes.Call(func=func, args=args, keywords=keywords):
            yield func
            yield from args
            yield from (value for _, value in keywords)
        case nodes.Attribute(value=value) | nodes.Starred(value=value) | nodes.Named(value=value):
            yield value
        case nodes.Subscript(value=value, index=index):
            yield value
            yield index
        case nodes.Slice(lower=lower, upper=upper, step=step):
            yield from (part for part in (lower, upper, step) if part is not None)
        case nodes.Mapping(entries=entries):
            for key, value in entries:
                if key is not None:
                    yield key
                yield value
        case nodes.Template(pieces=pieces):
            for piece in pieces:
                if not isinstance(piece, str):
                    yield piece[0]
                    if piece[2] is not None:
                        yield from parts(piece[2])
        case nodes.Comprehension(key=key, element=element, clauses=clauses):
            if key is not None:
                yield key
            yield element
            for clause in clauses:
                yield clause.target
                yield clause.iterable
                yield from clause.conditions
