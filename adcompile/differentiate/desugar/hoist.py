"""Assignments inside expressions get a line of their own, and partial applications become lambdas.

>>> import functools
>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def steps(x):
...     while (d := x * x) > 1.0:
...         x -= d
...     g = functools.partial(max, x)
...     return g(0.0)
>>> function = read(steps)
>>> hoist(function)
>>> print(show(function))
def steps(x):
    while True:
        d = (x * x)
        if (not d > 1.0):
            break
        x -= d
    <temporary bound> = x
    g = (lambda *rest, **words: return max@builtin(<temporary bound>, *rest, **words))
    return g(0.0)
"""

from __future__ import annotations

import builtins
import functools
import operator
import types
from dataclasses import replace

from adcompile.differentiate.desugar.iteration.listing import collected, found_out, give_origin, loops, names_inside
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.make import ref
from adcompile.ir.order import in_turn, items_of, settled
from adcompile.ir.walk import blocks, change_expressions, children, reads, rebuild, statements, substitute, walk
from adcompile.rules.repeatable import is_repeatable
from adcompile.texts.watches import is_library

_CHANGING = ("pop", "popleft", "popitem", "setdefault", "__next__")
_USING_UP = (list, tuple, sum, max, min, sorted, set, dict)  # they run over all of a generator


def hoist(function: n.Function) -> None:
    """Give every `:=` a line of its own, in place."""
    for stmt in statements(function.body):
        change_expressions(stmt, _one_by_one)
        change_expressions(stmt, _picked)
        change_expressions(stmt, _as_choice)
    work = _Hoist(function)
    function.body[:] = work.block(function.body)


class _Hoist:
    def __init__(self, function: n.Function) -> None:
        self.function = function
        self.lines: list[n.Stmt] = []
        self.values: dict[n.Variable, n.Variable] = {}  # where the current value of a name is, within one expression
        self.unclear: set[n.Variable] = set()
        self.apart: list[n.Conditional] = []  # whose branches name what nothing else in the expression does

    def block(self, body: list[n.Stmt]) -> list[n.Stmt]:
        new: list[n.Stmt] = []
        for stmt in body:
            new.extend(self.statement(stmt))
        return new

    def statement(self, stmt: n.Stmt) -> list[n.Stmt]:
        if isinstance(stmt, n.Evaluate | n.Augment) and (spelt := _spelt_out(stmt)) is not None:
            return self.block(spelt)
        match stmt:
            case n.If():
                lines, test = self.pull(stmt.test, stmt)
                return [*lines, replace(stmt, test=test, then=self.block(stmt.then), orelse=self.block(stmt.orelse))]
            case n.While():
                lines, test = self.pull(stmt.test, stmt)
                body = self.block(stmt.body)
                if not lines:
                    return [replace(stmt, test=test, body=body, orelse=self.block(stmt.orelse))]
                leave = n.If(
                    n.Unary("not", test, span=test.span),
                    [*self.block(stmt.orelse), n.Break(origin=stmt.origin)],
                    [],
                    origin=stmt.origin,
                )
                if any(isinstance(s, n.Break | n.Continue) for s in statements(stmt.orelse)):
                    raise UnsupportedError(
                        "cannot differentiate `:=` in the test of a loop whose `else` leaves another loop",
                        span=stmt.test.span,
                        reason="The test is taken apart, and the `else` goes into the loop itself.",
                        remedy="Assign before the loop and at the end of its body.",
                    )
                return [n.While(n.Const(value=True), [*lines, leave, *body], [], origin=stmt.origin)]
            case n.For():
                _check_target(stmt.target)
                lines, iterable = self.pull(stmt.iterable, stmt)
                return [
                    *lines, replace(stmt, iterable=iterable, body=self.block(stmt.body), orelse=self.block(stmt.orelse))
                ]
            case n.Try():
                for block in blocks(stmt):
                    block[:] = self.block(block)
                return [stmt]
            case n.With():
                lines, manager = self.pull(stmt.manager, stmt)
                return [*lines, replace(stmt, manager=manager, body=self.block(stmt.body))]
            case n.Assign() | n.Unpack() | n.Evaluate() | n.Return() | n.Augment() | n.Store():
                lines, value = self.pull(stmt.value, stmt)
                if isinstance(stmt, n.Unpack):
                    _check_target(stmt.pattern)
                    value = _at_once(value)
                if isinstance(stmt, n.Store | n.Augment) and any(isinstance(e, n.Named) for e in walk(stmt.target)):
                    return self.named_in_place(stmt, lines, value)
                return [*lines, replace(stmt, value=value)]
            case n.Define():
                return self.define(stmt)
            case _:
                return [stmt]

    def named_in_place(self, stmt: n.Store | n.Augment, lines: list[n.Stmt], value: n.Expr) -> list[n.Stmt]:
        """A store into a place whose expression names something: that comes behind the value, or ahead of `+=`."""
        if isinstance(stmt, n.Store):
            held = n.Variable("value", n.Role.TEMPORARY)
            lines = [*lines, n.Assign(held, value, origin=stmt.origin)]
            value = n.Read(held, span=value.span)
        elif lines:
            _check_target(stmt.target)
        within, target = self.pull(stmt.target, stmt)
        return [*lines, *within, replace(stmt, target=target, value=value)]

    def define(self, stmt: n.Define) -> list[n.Stmt]:
        """Defaults of a local function are computed where it is defined."""
        lines: list[n.Stmt] = []
        for param in stmt.function.params:
            if param.default is not None and not isinstance(param.default, n.Const | n.Ref):
                default = n.Variable(f"{stmt.function.name}_{param.variable.name}", n.Role.TEMPORARY)
                lines.append(n.Assign(default, param.default, origin=stmt.origin))
                param.default = n.Read(default)
                stmt.function.captures = (*stmt.function.captures, default)
                stmt.function.own |= {default}
        return [*lines, stmt]

    def pull(self, expr: n.Expr, stmt: n.Stmt) -> tuple[list[n.Stmt], n.Expr]:
        """The lines for the `:=` in an expression, and the expression without them.

        Names that the expression also reads before it sets them, or sets twice, get a name for each value meanwhile.
        """
        self.lines = []
        self.apart = _apart(expr)
        beside = _beside_comprehensions(expr, self.apart)
        named = [e.variable for e in beside if isinstance(e, n.Named)]
        self.check_comprehensions(expr, beside)
        unclear = {v for v in named if named.count(v) > 1 or _read_before(expr, v)}
        self.values = {}
        for variable in dict.fromkeys(named):
            if variable in unclear and _read_before(expr, variable):
                self.values[variable] = n.Variable(variable.name, n.Role.TEMPORARY)
                self.lines.append(n.Assign(self.values[variable], n.Read(variable), origin=stmt.origin))
        self.unclear = unclear
        new = self.visit(expr, stmt, certain=True)
        self.lines += [n.Assign(v, n.Read(held), origin=stmt.origin) for v, held in self.values.items()]
        return self.lines, new

    def check_comprehensions(self, expr: n.Expr, beside: list[n.Expr]) -> None:
        """Refuse a `:=` in a comprehension whose name is used elsewhere in the same expression."""
        used = {e.variable for e in beside if isinstance(e, n.Read | n.Named)}
        for found in (e for e in walk(expr) if isinstance(e, n.Comprehension)):
            for variable in names_inside(found) & used:
                raise UnsupportedError(
                    f"cannot differentiate this `:=` of `{variable.name}` in a comprehension",
                    span=found.span,
                    reason=f"The rest of the expression uses `{variable.name}` too.",
                    remedy="Write the comprehension on a line of its own.",
                )

    def branches(self, expr: n.Conditional, stmt: n.Stmt) -> n.Expr:
        """A conditional expression whose branches name something, as the `if` that it stands for, on a line before."""
        test = self.visit(expr.test, stmt, certain=True)
        held = n.Variable("chosen", n.Role.TEMPORARY)
        meanwhile: dict[n.Variable, n.Expr] = {v: n.Read(now) for v, now in self.values.items()}
        around = self.lines, self.values, self.unclear, self.apart
        then, orelse = (
            self.block([n.Assign(held, substitute(e, meanwhile), origin=stmt.origin)]) for e in (expr.then, expr.orelse)
        )
        self.lines, self.values, self.unclear, self.apart = around
        self.lines.append(n.If(test, then, orelse, origin=stmt.origin))
        return n.Read(held, span=expr.span)

    def comprehension(self, expr: n.Comprehension | n.Call, stmt: n.Stmt, *, certain: bool) -> n.Expr:
        """A comprehension that sets names, as the loop that it stands for, on lines before."""
        found = expr.args[0] if isinstance(expr, n.Call) else expr
        if not certain or not isinstance(found, n.Comprehension) or found.form == "set":
            raise UnsupportedError(
                "cannot differentiate this `:=` in a comprehension",
                span=expr.span,
                reason="Whether and when it is evaluated depends on what is around it.",
                remedy="Write the comprehension as a `for` loop.",
            )
        held = n.Variable("items", n.Role.RESULT)
        if isinstance(expr, n.Call) and isinstance(expr.func, n.Ref):
            held = n.Variable("found", n.Role.FLAG)
            new = found_out(found, held, wanted=expr.func.value is any)
        else:
            new = collected(found, held)
        lines, values, unclear, apart = self.lines, self.values, self.unclear, self.apart
        new = self.block(give_origin(new, stmt.origin))
        self.lines, self.values, self.unclear, self.apart = [*lines, *new], values, unclear, apart
        return n.Read(held, span=expr.span)

    def visit(self, expr: n.Expr, stmt: n.Stmt, *, certain: bool) -> n.Expr:
        match expr:
            case n.Call(
                func=n.Ref(value=function), args=(n.Comprehension(form="generator") as found,), keywords=()
            ) if names_inside(found) and function in (any, all) and len(found.clauses) == 1:
                return self.comprehension(expr, stmt, certain=certain)
            case n.Comprehension() if names_inside(expr) or any(_is_partial(e) for e in walk(expr)):
                return self.comprehension(expr, stmt, certain=certain)
            case n.Comprehension():
                return expr
            case n.Call(func=func, args=args) if not (isinstance(func, n.Ref) and func.value in _USING_UP):
                lazy = [e for e in args if isinstance(e, n.Comprehension) and e.form == "generator" and names_inside(e)]
                for found in lazy:
                    self.comprehension(found, stmt, certain=False)
        if _is_partial(expr) and isinstance(expr, n.Call):
            expr = self.partial(expr, stmt)
        getter = _getter(expr)
        if getter is not None:
            return self.getting(getter, expr, stmt)
        match expr:
            case n.Lambda(function=function):
                for param in function.params:
                    if param.default is None or isinstance(param.default, n.Const | n.Ref):
                        continue
                    held = n.Variable(param.variable.name, n.Role.TEMPORARY)
                    self.lines.append(n.Assign(held, param.default, origin=stmt.origin))
                    param.default = n.Read(held)
                    function.captures = (*function.captures, held)
                    function.own |= {held}
                return expr
            case n.Read(variable=variable) if variable in self.values:
                return replace(expr, variable=self.values[variable])
            case n.Named(variable=variable, value=value):
                inner = self.visit(value, stmt, certain=certain)
                if not certain:
                    raise UnsupportedError(
                        f"cannot differentiate this `{expr.by}` of `{variable.name}`",
                        span=expr.span,
                        reason="Whether it is evaluated depends on the rest of the expression.",
                        remedy=f"Assign to `{variable.name}` on a line of its own.",
                    )
                target = variable
                if variable in self.unclear:
                    target = self.values[variable] = n.Variable(variable.name, n.Role.TEMPORARY)
                self.lines.append(n.Assign(target, inner, origin=stmt.origin))
                return n.Read(target, span=expr.span)
            case n.Bool(operands=(first, *rest)):
                head = self.visit(first, stmt, certain=certain)
                return replace(expr, operands=(head, *(self.visit(e, stmt, certain=False) for e in rest)))
            case n.Conditional() if certain and expr in self.apart:
                return self.branches(expr, stmt)
            case n.Conditional():
                test = self.visit(expr.test, stmt, certain=certain)
                return replace(
                    expr,
                    test=test,
                    then=self.visit(expr.then, stmt, certain=False),
                    orelse=self.visit(expr.orelse, stmt, certain=False),
                )
            case n.Compare(operands=(a, b, *rest)):
                first_two = children(self.in_turn(n.Display("tuple", (a, b)), stmt, certain=certain))
                return replace(expr, operands=(*first_two, *(self.visit(e, stmt, certain=False) for e in rest)))
            case _:
                return self.in_turn(expr, stmt, certain=certain)

    def in_turn(self, expr: n.Expr, stmt: n.Stmt, *, certain: bool) -> n.Expr:
        """An expression whose parts are visited: what comes before a call that gets a line of its own has one, too."""

        def visit(part: n.Expr) -> n.Expr:
            return self.visit(part, stmt, certain=certain)

        def settle(part: n.Expr, like: n.Expr) -> n.Expr:
            if isinstance(part, n.Starred):
                return replace(part, value=settle(items_of(part), part))
            if settled(part):
                return part
            held = n.Variable("value", n.Role.TEMPORARY)
            self.lines.append(n.Assign(held, part, origin=stmt.origin))
            return n.Read(held, span=like.span)

        return in_turn(expr, visit, _gets_a_line, settle) if certain and _stirs(expr) else rebuild(expr, visit)

    def getting(self, getter: object, expr: n.Expr, stmt: n.Stmt) -> n.Expr:
        """`operator.itemgetter(1)` and `operator.attrgetter("x")` as the lambdas that they stand for."""
        item = n.Variable("item")
        parts: list[n.Expr] = []
        for key in expr.args if isinstance(expr, n.Call) else ():
            read: n.Expr = n.Read(item, span=expr.span)
            if getter is operator.itemgetter:
                read = n.Subscript(read, key, span=expr.span)
            elif isinstance(key, n.Const):
                for name in str(key.value).split("."):
                    read = n.Attribute(read, name, span=expr.span)
            parts.append(read)
        value = parts[0] if len(parts) == 1 else n.Display("tuple", tuple(parts), span=expr.span)
        function = n.Function(
            "getter",
            [n.Param(item)],
            [n.Return(value, origin=stmt.origin)],
            self.function.source,
            locals={"item": item},
            is_lambda=True,
            origin=stmt.origin,
        )
        return n.Lambda(function, span=expr.span)

    def partial(self, call: n.Call, stmt: n.Stmt) -> n.Expr:
        """`functools.partial(f, a, k=b)` as the lambda that it stands for."""
        target, *args = call.args
        captured: dict[n.Variable, None] = dict.fromkeys(reads(target))
        bound: list[n.Read] = []
        for arg in [*args, *(value for _, value in call.keywords)]:
            held = n.Variable("bound", n.Role.TEMPORARY)
            self.lines.append(n.Assign(held, arg, origin=stmt.origin))
            captured[held] = None
            bound.append(n.Read(held, span=arg.span))
        rest, words = n.Variable("rest"), n.Variable("words")
        positional = tuple(bound[: len(args)])
        named = tuple((name, e) for (name, _), e in zip(call.keywords, bound[len(args) :], strict=True))
        inner = n.Call(target, (*positional, n.Starred(n.Read(rest))), (*named, (None, n.Read(words))), span=call.span)
        function = n.Function(
            "partial",
            [n.Param(rest, "varargs"), n.Param(words, "varkeywords")],
            [n.Return(inner, origin=stmt.origin)],
            self.function.source,
            captures=tuple(captured),
            own=frozenset(e.variable for e in bound),
            locals={"rest": rest, "words": words},
            is_lambda=True,
            origin=stmt.origin,
        )
        return n.Lambda(function, span=call.span)


def _spelt_out(stmt: n.Evaluate | n.Augment) -> list[n.Stmt] | None:
    """`xs.append(v) if v > 0 else None` and `[xs.append(v) for v in vs]`, for what they do, as statements.

    So is what is done with one of two things: `(xs if v > 0 else ys).append(v)`, `(xs if v > 0 else ys)[0] += v`.
    """
    lines: list[n.Stmt]
    if isinstance(stmt, n.Augment):
        if (apart := _named_behind(stmt)) is not None:
            return give_origin(apart, stmt.origin)
        match stmt.target:
            case (n.Subscript() | n.Attribute() as place) if isinstance(chosen := place.value, n.Conditional):
                each = [replace(stmt, target=replace(place, value=e)) for e in (chosen.then, chosen.orelse)]
                return give_origin([n.If(chosen.test, [each[0]], [each[1]])], stmt.origin)
            case _:
                return None
    match stmt.value:
        case n.Call(func=n.Attribute(value=n.Conditional() as one) as func) as call:
            calls = [n.Evaluate(replace(call, func=replace(func, value=e))) for e in (one.then, one.orelse)]
            lines = [n.If(one.test, [*calls[:1]], [*calls[1:]])]
        case n.Conditional(test=test, then=then, orelse=orelse):
            lines = [n.If(test, _for_effect(then), _for_effect(orelse))]
        case n.Bool(op="and", operands=(first, n.Call() as last)):
            lines = [n.If(first, _for_effect(last), [])]
        case n.Comprehension(form="list", element=n.Call() as call, clauses=clauses) if not names_inside(stmt.value):
            lines = loops(clauses, [n.Evaluate(call)])
        case _:
            return None
    return give_origin(lines, stmt.origin)


def _named_behind(stmt: n.Augment) -> list[n.Stmt] | None:
    """`x[i] += (i := 2)` with the name that it reads first under another one; None where nothing is named anew."""
    anew = {e.variable for e in walk(stmt.value) if isinstance(e, n.Named)} & reads(stmt.target)
    if not anew:
        return None
    kept = {v: n.Read(n.Variable(v.name, n.Role.TEMPORARY)) for v in sorted(anew, key=lambda v: v.name)}
    first: list[n.Stmt] = [n.Assign(held.variable, n.Read(v)) for v, held in kept.items()]
    changed = replace(stmt, target=substitute(stmt.target, {**kept}))
    behind = [n.Assign(v, held) for v, held in kept.items() if isinstance(stmt.target, n.Read)]
    return [*first, changed, *behind]


def _for_effect(expr: n.Expr) -> list[n.Stmt]:
    return [] if isinstance(expr, n.Const | n.Read) else [n.Evaluate(expr)]


def _one_by_one(expr: n.Expr) -> n.Expr:
    """`a < b < f()` as `a < b and b < f()`, since `f` is not called where the first test fails."""
    expr = rebuild(expr, _one_by_one)
    if not isinstance(expr, n.Compare) or not any(map(_has_effects, expr.operands[2:])):
        return expr
    first, second, *rest = expr.operands
    again = second
    if any(isinstance(e, n.Call | n.Named) for e in walk(second)):
        if any(isinstance(e, n.Call | n.Named) for e in walk(first)):
            first = n.Named(n.Variable("lower", n.Role.TEMPORARY), first, by="comparison", span=first.span)
        held = n.Variable("between", n.Role.TEMPORARY)
        second = n.Named(held, second, by="comparison", span=second.span)
        again = n.Read(held, span=second.span)
    tested = n.Compare(expr.ops[:1], (first, second), span=expr.span)
    others = _one_by_one(n.Compare(expr.ops[1:], (again, *rest), span=expr.span))
    return n.Bool("and", (tested, others), span=expr.span)


def _picked(expr: n.Expr) -> n.Expr:
    """`(a, b)[1]` as `b`, which is the same thing under its own name."""
    expr = rebuild(expr, _picked)
    match expr:
        case n.Subscript(value=n.Display(form="list" | "tuple", items=items), index=n.Const(value=int() as k)) if (
            -len(items) <= k < len(items) and not any(isinstance(e, n.Starred) for e in items)
        ):
            others = [e for e in items if e is not items[k]]
            return items[k] if all(map(settled, others)) else expr
        case _:
            return expr


def _has_effects(expr: n.Expr) -> bool:
    """Whether an expression may change something, as far as its text tells: it calls what the user wrote, or pops."""
    for e in walk(expr):
        if isinstance(e, n.Call):
            taken = isinstance(e.func, n.Attribute) and e.func.name in _CHANGING
            if taken or isinstance(e.func, n.Read) or isinstance(n.object_of(e.func), types.FunctionType):
                return True
    return False


def _beside_comprehensions(expr: n.Expr, apart: list[n.Conditional]) -> list[n.Expr]:
    """An expression and everything in it that is in no comprehension and no branch that gets lines of its own."""
    if isinstance(expr, n.Comprehension):
        return []
    parts = [expr.test] if isinstance(expr, n.Conditional) and expr in apart else children(expr)
    return [expr] + [e for child in parts for e in _beside_comprehensions(child, apart)]


def _gets_a_line(part: n.Expr) -> bool:
    """Whether something in an expression gets a line ahead of it."""
    return any(isinstance(e, n.Named) or _is_partial(e) for e in walk(part))


def _stirs(expr: n.Expr) -> bool:
    """Whether something in an expression is called that may change something, or draw."""
    called = [n.object_of(e.func) for e in walk(expr) if isinstance(e, n.Call)]
    return any(function is None or not is_repeatable(function) for function in called)


def _at_once(value: n.Expr) -> n.Expr:
    """What is unpacked at once, not by an iterator: `a, b = map(np.asarray, (a, b))`, whose items are of a kind each.

    Of items that are written down, and cost nothing to look at, as `a, b = np.asarray(a), np.asarray(b)`.
    """
    match value:
        case n.Comprehension(
            form="generator",
            element=element,
            clauses=(n.Clause(target=n.Read(variable=item), iterable=given, conditions=()),),
        ) if (parts := _written_down(given)) and not any(map(_may_set, walk(element))):
            return n.Display("tuple", tuple(substitute(element, {item: e}) for e in parts), span=value.span)
        case n.Comprehension(form="generator"):
            return replace(value, form="list")
        case n.Call(func=n.Ref(value=builtins.map), args=(function, given), keywords=()) if (
            parts := _written_down(given)
        ) and not _may_set(call := n.Call(function, parts[:1], span=value.span)):
            return n.Display("tuple", tuple(replace(call, args=(e,)) for e in parts), span=value.span)
        case n.Call(func=n.Ref(value=builtins.map)):
            return n.Call(ref(list), (value,), span=value.span)
        case _:
            return value


def _may_set(expr: n.Expr) -> bool:
    """Whether an expression may set a name that stands beside it: a function of the user's may."""
    if not isinstance(expr, n.Call):
        return isinstance(expr, n.Named | n.Lambda | n.Opaque | n.Comprehension)
    called = n.object_of(expr.func)
    return called is None or not is_library(getattr(called, "__module__", None) or type(called).__module__)


def _written_down(expr: n.Expr) -> tuple[n.Expr, ...]:
    """The items of a tuple or list that are names and literals; none where there are others."""
    simple = isinstance(expr, n.Display) and all(isinstance(e, n.Read | n.Const) for e in expr.items)
    return expr.items if simple and isinstance(expr, n.Display) and expr.form in ("tuple", "list") else ()


def _apart(expr: n.Expr) -> list[n.Conditional]:
    """The outermost conditional expressions whose branches give names that nothing else in the expression has."""
    found = [e for e in _outermost(expr) if any(isinstance(x, n.Named) for x in _in_branches(e))]
    return [
        e
        for e in found
        if {x.variable for x in _in_branches(e) if isinstance(x, n.Named)}.isdisjoint(
            x.variable for x in _beside_branches(expr, e) if isinstance(x, n.Named | n.Read)
        )
    ]


def _as_choice(expr: n.Expr) -> n.Expr:
    """`a and b`, where `b` names something, as `b if (test := a) else test`; `a or b` the other way round."""
    if isinstance(expr, n.Comprehension):
        return replace(expr, clauses=tuple(replace(c, conditions=_taken_apart(c.conditions)) for c in expr.clauses))
    if isinstance(expr, n.Lambda):
        return expr
    expr = rebuild(expr, _as_choice)
    match expr:
        case n.Bool(op=op, operands=(first, *rest)) if any(isinstance(e, n.Named) for part in rest for e in walk(part)):
            held = n.Variable("test", n.Role.TEMPORARY)
            test, read = n.Named(held, first, by=op, span=first.span), n.Read(held, span=first.span)
            behind = _as_choice(replace(expr, operands=tuple(rest))) if len(rest) > 1 else rest[0]
            then, orelse = (behind, read) if op == "and" else (read, behind)
            return n.Conditional(test, then, orelse, span=expr.span)
        case _:
            return expr


def _taken_apart(conditions: tuple[n.Expr, ...]) -> tuple[n.Expr, ...]:
    """The conditions of a comprehension: `if a and b`, where `b` names something, as `if a if b`."""
    parts = [e.operands if isinstance(e, n.Bool) and e.op == "and" and _gets_a_line(e) else (e,) for e in conditions]
    return tuple(part for together in parts for part in together)


def _outermost(expr: n.Expr) -> list[n.Conditional]:
    """The conditional expressions that are in no branch of another."""
    match expr:
        case n.Comprehension() | n.Lambda():
            return []
        case n.Conditional():
            return [expr, *_outermost(expr.test)]
        case _:
            return [found for child in children(expr) for found in _outermost(child)]


def _in_branches(expr: n.Conditional) -> list[n.Expr]:
    return [*walk(expr.then), *walk(expr.orelse)]


def _beside_branches(expr: n.Expr, chosen: n.Conditional) -> list[n.Expr]:
    """Everything in an expression but the branches of one conditional expression."""
    parts = (chosen.test,) if expr is chosen else children(expr)
    return [expr] + [e for child in parts for e in _beside_branches(child, chosen)]


def _read_before(expr: n.Expr, variable: n.Variable) -> bool:
    """Whether an expression reads a name before (in order of evaluation) it first sets it."""
    for e in _in_order(expr):
        if isinstance(e, n.Named) and e.variable is variable:
            return False
        if isinstance(e, n.Read) and e.variable is variable:
            inside = any(
                isinstance(x, n.Named) and x.variable is variable and any(e is y for y in walk(x)) for x in walk(expr)
            )
            if not inside:
                return True
    return False


def _in_order(expr: n.Expr) -> list[n.Expr]:
    return [x for child in children(expr) for x in _in_order(child)] + [expr]


def _getter(expr: n.Expr) -> object:
    """`operator.itemgetter` or `attrgetter`, where an expression calls it with literals."""
    match expr:
        case n.Call(func=n.Ref(value=value), args=(_, *_) as args, keywords=()):
            pass
        case n.Call(func=n.Attribute(value=n.Ref(value=module), name=name), args=(_, *_) as args, keywords=()) if (
            module is operator
        ):
            value = getattr(operator, name, None)
        case _:
            return None
    literal = all(isinstance(e, n.Const) for e in args)
    return value if literal and value in (operator.itemgetter, operator.attrgetter) else None


def _is_partial(expr: n.Expr) -> bool:
    match expr:
        case n.Call(func=n.Ref(value=value), args=(_, *_)) if value is functools.partial:
            return True
        case n.Call(func=n.Attribute(value=n.Ref(value=value), name="partial"), args=(_, *_)) if value is functools:
            return True
        case _:
            return False


def _check_target(target: n.Expr) -> None:
    """Refuse a `:=` in what a loop, an unpacking or a change of a place binds."""
    for e in walk(target):
        if isinstance(e, n.Named):
            raise UnsupportedError(
                f"cannot differentiate this `:=` of `{e.variable.name}` in what is assigned to",
                span=e.span,
                reason="When it is evaluated depends on the other targets, and on the value.",
                remedy="Write it on a line of its own.",
            )
