"""Local functions that carry values along, as tuples of these values: for programs that keep such functions.

    fs = [lambda t, k=k: t * k for k in x]     ->    fs = [(k,) for k in x]
    fs[0](s)                                   ->    the body of the lambda, with `k = fs[0][0]` in front of it

Each of several functions that one line makes has values of its own, and a tuple tells them apart wherever it is kept.
What a function reads of the one around it is taken along only if it is settled: nothing sets it once more, so that it
makes no difference when it is read. A default is read where the function is made.

Where several of them may stand under one name, all that take as many arguments have tuples of one length, with a number
in front that tells which it is; a function of ours asks it, and calls the one (`Keeping`).

    g = lambda t, c=s: t * c                   ->    g = (0, s, 0.0)
    for k in x:
        g = lambda t, k=k, d=g(1.0): t*k*d     ->        g = (1, k, ...)

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def scaled(x):
...     fs = []
...     for k in x:
...         fs.append(lambda t, k=k: t * k)
...     return fs[0](2.0)
>>> function = read(scaled)
>>> keep_values(function, Keeping())
>>> print(show(function))
def scaled(x):
    fs = []
    for k in x:
        fs.append((k,))
    return fs[0](2.0)
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Kind, Struct, within
from adcompile.ir.walk import binds, blocks, change_expressions, expressions, rebuild, statements, walk

if TYPE_CHECKING:
    from collections.abc import Mapping


class Keeping:
    """How the functions of a program are kept: each as a tuple of its own, or in alike ones.

    `widths` are the lengths of alike tuples, by how many arguments their functions take.
    """

    def __init__(self, widths: Mapping[int, int] | None = None) -> None:
        self.widths = widths or {}
        self.kept: dict[int, list[tuple[n.Function, int]]] = {}  # with how many values each
        self.chosen: dict[int, n.Function] = {}  # which calls the one of them that a tuple stands for
        self.is_complete = False  # whether what asks which it is may have been read by now

    def alike(self) -> dict[int, int]:
        """The lengths that the tuples would need to be alike, where several functions take as many arguments."""
        return {takes: max(many for _, many in found) + 1 for takes, found in self.kept.items() if len(found) > 1}

    def number(self, takes: int) -> int | None:
        """Which of several functions the next one that takes so much is; None where it is kept for itself."""
        if takes not in self.widths or self.is_complete:
            return None
        return len(self.kept.get(takes, ()))

    def add(self, names: tuple[str, ...], function: n.Function, many: int, number: int | None) -> n.Function:
        """Take in a function that is kept as so many values; returns which function its tuple stands for."""
        found = self.kept.setdefault(len(names), [])
        found.append((function, many))
        if number is None:
            return function
        own = n.Variable("own")
        params = [n.Param(own, "positional-only"), *(n.Param(n.Variable(name)) for name in names)]
        chosen = self.chosen.setdefault(len(names), n.Function(function.name, params, [], function.source))
        chosen.is_kept, chosen.origin = True, function.origin
        if tuple(p.variable.name for p in chosen.params[1:]) != names:
            chosen.params[1:] = [replace(p, form="positional-only") for p in chosen.params[1:]]
        given = [n.Read(p.variable) for p in chosen.params]
        *others, last = (_called_with(one, given) for one, _ in found)
        chosen.body[:] = [last]
        for k, line in reversed(list(enumerate(others))):
            test = n.Compare(("==",), (n.Subscript(given[0], n.Const(0)), n.Const(k)))
            chosen.body[:] = [n.If(test, [line], [*chosen.body], origin=function.origin)]
        return chosen


def _called_with(function: n.Function, given: list[n.Read]) -> n.Return:
    """What a function gives that is kept in the first of some arguments; the others are for what has no default."""
    own, *rest = given
    left = iter(rest)
    defaults = (p.default for p in function.params[1:])
    args = (replace(e, value=own) if isinstance(e, n.Subscript) else next(left) for e in defaults)
    return n.Return(n.Call(n.Ref(function.name, function), (own, *args)), origin=function.origin)


def keep_values(function: n.Function, keeping: Keeping) -> None:
    """Make tuples of the local functions that carry values along, in place."""
    counts = _times_set(function)
    work = _Tuples({p.variable for p in function.params if p.variable not in counts}, keeping)
    for place, stmt in enumerate(function.body):
        function.body[place] = work.statement(stmt)
        work.settled |= {v for v in binds(stmt) if counts[v] == 1 and isinstance(stmt, n.Assign | n.Unpack | n.Define)}


class _Tuples:
    def __init__(self, settled: set[n.Variable], keeping: Keeping) -> None:
        self.settled = settled  # what is set by now, and never again
        self.keeping = keeping

    def statement(self, stmt: n.Stmt) -> n.Stmt:
        """A statement in which functions are tuples."""
        if isinstance(stmt, n.Define):
            made = self.made(stmt.function)
            return stmt if made is None else n.Assign(stmt.variable, made, origin=stmt.origin)
        change_expressions(stmt, self.expr)
        for inner in blocks(stmt):
            inner[:] = [self.statement(s) for s in inner]
        return stmt

    def expr(self, expr: n.Expr) -> n.Expr:
        """An expression in which functions are tuples."""
        match expr:
            case n.Lambda(function=function):
                made = self.made(function)
                return expr if made is None else replace(made, span=expr.span)
            case n.Comprehension():
                new = rebuild(expr, self.expr)
                return new if new == expr or not isinstance(new, n.Comprehension) else replace(new, text=_UNWRITTEN)
            case _:
                return rebuild(expr, self.expr)

    def made(self, function: n.Function) -> n.Display | None:
        """The values that a function carries along; None where it carries none, or which they are is not settled."""
        defaults = [p for p in function.params if p.default is not None and not isinstance(p.default, n.Const | n.Ref)]
        captures = [v for v in function.captures if not any(_is_read(p.default, v) for p in defaults)]
        if not (defaults or captures) or not self.settled.issuperset(captures) or _is_involved(function):
            return None
        own = n.Variable("own")
        names = _names_alone(function, defaults)
        number = None if names is None else self.keeping.number(len(names))
        first = 0 if number is None else 1
        places = {v: n.Subscript(n.Read(own), n.Const(first + len(defaults) + k)) for k, v in enumerate(captures)}
        body: list[n.Stmt] = [n.Assign(v, place, origin=_first(function)) for v, place in places.items()]
        params = [n.Param(own, "positional-only")]
        for param in function.params:
            at = defaults.index(param) if param in defaults else None
            default = param.default if at is None else n.Subscript(n.Read(own), n.Const(first + at))
            params.append(n.Param(param.variable, param.form, default, param.annotation))
        kept = n.Function(
            function.name, params, [*body, *function.body], function.source, (), frozenset(), {**function.locals}
        )
        kept.is_lambda, kept.origin, kept.is_kept = function.is_lambda, function.origin, True
        values = [*(p.default for p in defaults if p.default is not None), *map(n.Read, captures)]
        if names is None:
            return n.Display("tuple", tuple(values), function=kept)
        whole = self.keeping.add(names, kept, len(values), number)
        if number is None:
            return n.Display("tuple", tuple(values), function=whole)
        unused = [n.Const(0.0)] * (self.keeping.widths[len(names)] - 1 - len(values))
        return n.Display("tuple", (n.Const(number), *values, *unused), function=whole)


_UNWRITTEN = n.Opaque((), (), "made of functions that are kept")


def _names_alone(function: n.Function, defaults: list[n.Param]) -> tuple[str, ...] | None:
    """The names of the parameters that a call gives; None where it may leave out one of them, or has to name it."""
    rest = [p for p in function.params if p not in defaults]
    if any(p.default is not None or p.form != "positional" for p in rest):
        return None
    return tuple(p.variable.name for p in rest)


def _times_set(function: n.Function) -> dict[n.Variable, int]:
    """How often each variable is set, in a local function as well."""
    counts: dict[n.Variable, int] = {}
    for stmt in statements(function.body):
        for v in binds(stmt):
            counts[v] = counts.get(v, 0) + 1
        if isinstance(stmt, n.Define):
            for v in {v for s in statements(stmt.function.body) for v in binds(s)}.intersection(stmt.function.captures):
                counts[v] = counts.get(v, 0) + 2  # a `nonlocal`
    return counts


def _is_read(default: n.Expr | None, variable: n.Variable) -> bool:
    return isinstance(default, n.Read) and default.variable is variable and variable.role is n.Role.TEMPORARY


def _is_involved(function: n.Function) -> bool:
    """Whether a function does with its variables what a tuple of their values could not serve."""
    inside = [e for s in statements(function.body) for whole in expressions(s) for e in walk(whole)]
    bound = {v for s in statements(function.body) for v in binds(s)}
    return (
        not bound.isdisjoint(function.captures)
        or any(isinstance(s, n.Define | n.Yield) for s in statements(function.body))
        or any(isinstance(e, n.Lambda) for e in inside)
        or any(p.form in ("varargs", "varkeywords") for p in function.params)
    )


def _first(function: n.Function) -> n.Origin | None:
    return next((s.origin for s in function.body if s.origin is not None), function.origin)


def stands_for_function(kind: Kind) -> bool:
    """Whether a value is, or holds, the tuple of what a function carries along."""
    return any(isinstance(k, Struct) and k.function is not None for k in within(kind))


def is_mistaken(expr: n.Expr) -> bool:
    """Whether a line would take such a tuple for the function itself: compare it, call it, or hand it to who may."""
    match expr:
        case n.Compare(ops=ops, operands=operands):
            return not set(ops) <= {"is", "is not"} and any(stands_for_function(e.kind) for e in operands)
        case n.Call(func=func, args=args, keywords=keywords):
            function = n.object_of(func)
            if isinstance(function, n.Function):
                return function.is_kept
            given = (*args, *(v for _, v in keywords))
            ours = isinstance(func, n.Ref) and func.scope == "rule"
            keeps = ours and getattr(function, "__module__", "") in _OF_STRUCTURES
            holds = keeps or function is None or any(function is one for one in _HOLDING)
            return not holds and any(stands_for_function(e.kind) for e in (expr, *given))
        case _:
            return False


_OF_STRUCTURES = ("adcompile.runtime.helpers", "adcompile.runtime.arrays")  # the others may call what they are given
_HOLDING = (list, tuple, zip, enumerate, reversed, len, range, copy.deepcopy)
