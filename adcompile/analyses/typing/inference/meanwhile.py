"""What a loop runs over, where the loop itself may change it meanwhile.

    for v in net.parts:                 parts = net.parts
        net.parts = (v, 1.0)     ->     for v in parts:
                                            net.parts = (v, 1.0)

    for v in (d["a"], d["b"]):          a, b = d["a"], d["b"]
        d["b"] = v * 2.0         ->     for v in (a, b):
                                            d["b"] = v * 2.0

A loop goes on with the list or tuple that it began with, and sees items that are exchanged in it, or that it gets. A
view of a dict (`d.items()`) shows what the dict holds by then.
"""

from __future__ import annotations

import builtins
import types
from dataclasses import replace
from operator import is_
from typing import TYPE_CHECKING

from adcompile.analyses.typing.identity import Env, forget, may_reach, names_in, place_of, root_of
from adcompile.analyses.typing.inference.changes import named
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Kind, Scalar, Sequence, Struct, Unknown
from adcompile.ir.walk import binds, expressions, reads, statements, substitute, walk

if TYPE_CHECKING:
    from adcompile.analyses.typing.inference.state import State


def has_view(before: n.Expr, after: n.Expr) -> bool:
    """Whether a loop runs over the values of a dict with known keys, or keys and values, as they are by then."""
    match before, after:
        case n.Call(func=n.Attribute(name="items" | "values"), args=(), keywords=()), n.Display():
            return True
        case n.Call(func=n.Ref(value=f), args=args), n.Call(args=typed) if f in (enumerate, zip, reversed):
            return any(has_view(a, b) for a, b in zip(args, typed, strict=True))
        case _:
            return False


def may_change(state: State, iterable: n.Expr, body: list[n.Stmt], env: Env) -> bool:
    """Whether a loop may change something that what it runs over is a part of: by its own name or by another one."""
    roots = {root for e in walk(iterable) if _is_part(e) and (root := root_of(e)) is not None}
    names = names_in(env)
    related = roots | may_reach(names, roots) | names.among(roots)
    while more := {
        v
        for s in statements(body)
        if isinstance(s, n.Assign | n.Unpack | n.For) and any(related & set(reads(e)) for e in expressions(s))
        for v in binds(s)
    } - related:
        related |= more
    return any(_changes(state, stmt, related) for stmt in statements(body))


def _is_part(expr: n.Expr) -> bool:
    """Whether an expression reads a part of a container or object, or a number out of an array."""
    if not isinstance(expr, n.Attribute | n.Subscript):
        return False
    return isinstance(expr.kind, Scalar) or not isinstance(expr.value.kind, Array)


def _changes(state: State, stmt: n.Stmt, related: set[n.Variable]) -> bool:
    """Whether a statement may change a part of what one of these variables holds."""
    targets: list[n.Expr] = []
    match stmt:
        case n.Store(target=target) | n.Augment(target=target) | n.For(target=target):
            targets = [*walk(target)]
        case n.Unpack(pattern=pattern):
            targets = [*walk(pattern)]
    if any(isinstance(e, n.Attribute | n.Subscript) and root_of(e) in related for e in targets):
        return True
    if isinstance(stmt, n.Augment) and isinstance(stmt.target, n.Read) and stmt.target.variable in related:
        return True  # an array changes in place
    if isinstance(stmt, n.Evaluate) and related & set(reads(stmt.value)):
        return True  # it is called for what it changes
    calls = (e for x in expressions(stmt) for e in walk(x) if isinstance(e, n.Call))
    return any(_may_change_by(state, call, related) for call in calls)


def _may_change_by(state: State, call: n.Call, related: set[n.Variable]) -> bool:
    """Whether a call is given one of these variables, or reads it from outside, and is no function of a library."""
    match call.func:
        case n.Ref(value=value) if not isinstance(value, types.FunctionType | n.Function):
            return value is setattr
        case n.Read(variable=variable):
            function = state.program.defined.get(variable)
            if function is None or not related.isdisjoint(function.captures):
                return True
        case n.Attribute(value=n.Ref()) if "out" not in dict(call.keywords):
            return False
        case n.Attribute(value=receiver):
            if root_of(receiver) in related:
                return True
    return any(related & set(reads(e)) for e in (*call.args, *(v for _, v in call.keywords)))


def kept(before: n.Expr, after: n.Expr, lines: list[n.Stmt], origin: n.Origin | None, *, changes: bool) -> n.Expr:
    """What a loop that is written out runs over, with names for what it began with; `after` has the kinds.

    What is computed is computed before the loop; parts of something are read before it where the loop `changes` that.
    """
    match before, after:
        case (n.Attribute() | n.Subscript()), n.Expr(kind=Struct(form="tuple" | "list")) if changes:
            return _named(before, "items", lines, origin)
        case n.Display(items=items), n.Display(items=typed) if len(items) == len(typed):
            pairs = zip(items, typed, strict=True)
            named = tuple(_item(e, t, lines, origin, changes=changes) for e, t in pairs)
            return before if all(map(is_, named, items)) else replace(before, items=named)
        case n.Call(func=n.Ref(value=f), args=args), n.Call(args=typed) if f in (enumerate, zip, reversed):
            given = tuple(kept(a, b, lines, origin, changes=changes) for a, b in zip(args, typed, strict=True))
            return before if all(map(is_, given, args)) else replace(before, args=given)
        case _:
            return before


def _item(before: n.Expr, after: n.Expr, lines: list[n.Stmt], origin: n.Origin | None, *, changes: bool) -> n.Expr:
    """An item of a tuple or list that is written out, or a name for it."""
    if isinstance(after, n.Display) and after.form in ("tuple", "list"):
        return kept(before, after, lines, origin, changes=changes)
    computed = not isinstance(after, n.Read | n.Const | n.Ref | n.Lambda | n.Display) and not _is_chain(after)
    return _named(before, "item", lines, origin) if computed or (changes and _is_part(after)) else before


def _is_chain(expr: n.Expr) -> bool:
    """Whether an expression reads parts of a name, with literal or named keys."""
    while isinstance(expr, n.Attribute | n.Subscript):
        if isinstance(expr, n.Subscript) and not isinstance(expr.index, n.Const | n.Read | n.Ref):
            return False
        expr = expr.value
    return isinstance(expr, n.Read | n.Ref)


def _named(expr: n.Expr, name: str, lines: list[n.Stmt], origin: n.Origin | None) -> n.Expr:
    held = n.Variable(name, n.Role.TEMPORARY)
    lines.append(n.Assign(held, expr, origin=origin))
    return n.Read(held, span=expr.span)


class Lists:
    """The lists that a loop runs over, under names of their own, by which the loop's changes of them are known."""

    def __init__(self, state: State, iterable: n.Expr, env: Env) -> None:
        self.state = state
        self.began: dict[n.Variable, n.Expr] = {}
        self.by_names = self._named(iterable, env)

    def _named(self, iterable: n.Expr, env: Env) -> n.Expr:
        match iterable:
            case n.Call(func=n.Ref(value=f), args=args) if f in (enumerate, zip, reversed):
                return replace(iterable, args=tuple(self._named(e, env) for e in args))
            case n.Expr(kind=Sequence(cls=builtins.list) | Struct(form="list") as kind) if place_of(iterable):
                held = n.Variable("items", n.Role.TEMPORARY)
                env[held] = kind
                named(self.state, held, iterable, env)
                self.began[held] = iterable
                return n.Read(held, kind=kind, span=iterable.span)
            case _:
                return iterable

    def _known(self, held: n.Variable, env: Env) -> Kind:
        """What is known of a list by now; where that is nothing, every other use of it is refused."""
        return self.began[held].kind if isinstance(env[held], Unknown) else env[held]

    def changed(self, env: Env) -> bool:
        """Whether one of them is of another kind by now."""
        return any(self._known(held, env) != e.kind for held, e in self.began.items())

    def are_others(self, env: Env | None) -> bool:
        """Whether one of them may have another length by now."""
        return env is not None and any(_length(self._known(v, env)) != _length(e.kind) for v, e in self.began.items())

    def now(self, env: Env) -> n.Expr:
        """What the loop runs over, as it is known by now."""
        kinds = {held: self._known(held, env) for held in self.began}
        known = self.state.expr(self.by_names, {**env, **kinds})
        typed = {held: self.state.expr(e, dict(env)) for held, e in self.began.items()}
        same = {held: e if e.kind == kinds[held] else self.began[held] for held, e in typed.items()}
        return substitute(known, {held: replace(e, kind=kinds[held]) for held, e in same.items()})

    def dropped(self, env: Env | None) -> Env | None:
        """What is known without these names."""
        if env is None or not self.began:
            return env
        for held in self.began:
            forget(env, held)
        return {v: kind for v, kind in env.items() if v not in self.began}


def _length(kind: Kind) -> int | None:
    return len(kind.items) if isinstance(kind, Struct) else None
