"""Updates in place: turned into plain assignments where nobody else can see them, refused where somebody could.

    y = a * 2.0                      y = a * 2.0
    y += b            ->             y = y + b

An array that has another name, is part of a container or belongs to the caller under two names would change there too,
and its adjoint would be wrong without a word.
"""

from __future__ import annotations

import builtins
import inspect
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.aliases import escapes, fresh
from adcompile.analyses.calls import LibraryCall, MethodCall, Scope, resolve
from adcompile.analyses.library import may_try
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Kind, Scalar, Sequence, Struct
from adcompile.ir.walk import blocks, expressions, statements, walk
from adcompile.rules import registry

if TYPE_CHECKING:
    from adcompile.analyses.kinds import Typed

_MUTATING_METHODS = {
    "append",
    "extend",
    "insert",
    "pop",
    "remove",
    "clear",
    "sort",
    "reverse",
    "update",
    "setdefault",
    "popitem",
    "add",
    "discard",
    "fill",
    "put",
    "itemset",
    "resize",
    "partition",
    "setfield",
    "setflags",
    "byteswap",
    "write",
    "writelines",
}
_HARMLESS: set[object] = {
    print,
    enumerate,
    zip,
    reversed,
    iter,
    next,
    map,
    filter,
    isinstance,
    format,
    id,
    vars,
    callable,
    hasattr,
}
_MUTATING_FUNCTIONS = {
    "copyto",
    "put",
    "place",
    "putmask",
    "fill_diagonal",
    "put_along_axis",
    "shuffle",
    "at",
    "setattr",
    "delattr",
}
_IN_PLACE = "An update in place would have to reach every other name and view of the same memory."


def remove_updates(typed: Typed, scope: Scope, *, outermost: bool) -> None:
    """Rewrite or refuse every update in place in a typed function, in its body.

    The arguments of the outermost function are copies in all but name: nobody looks at them after the call. Those of
    a function that it calls are its own arrays.
    """
    work = _Effects(typed, scope, outermost=outermost)
    typed.body[:] = work.block(typed.body)


class _Effects:
    def __init__(self, typed: Typed, scope: Scope, *, outermost: bool) -> None:
        self.outermost = outermost
        self.typed = typed
        self.scope = scope
        self.source = typed.function.source

    def block(self, body: list[n.Stmt]) -> list[n.Stmt]:
        return [self.statement(stmt) for stmt in body]

    def statement(self, stmt: n.Stmt) -> n.Stmt:
        for expr in expressions(stmt):
            called = {id(e.func) for e in walk(expr) if isinstance(e, n.Call)}
            for e in walk(expr):
                match e:
                    case n.Call():
                        self.call(e)
                    case n.Attribute(value=value, name=name) if (
                        id(e) not in called and _mutates(name) and _container(value.kind)
                    ):
                        raise self.refusal(e, _root(value))
                    case n.Opaque(pieces=pieces) if _CHANGES.search(
                        "".join(p if isinstance(p, str) else p.name for p in pieces)
                    ):
                        raise self.refusal(e, n.Read(e.reads[0]) if e.reads else e)
                    case _:
                        pass
        match stmt:
            case n.Augment(target=n.Read(variable=variable) as target, value=whole):
                self.require_private(variable, stmt, target.kind, whole.kind)
                return n.Assign(variable, replace(whole, kind=target.kind), origin=stmt.origin)
            case n.Store(target=target) | n.Augment(target=target):
                raise self.refusal(target, _root(target))
            case n.If() | n.For() | n.While():
                for inner in blocks(stmt):
                    inner[:] = self.block(inner)
                if isinstance(stmt, n.For):
                    for leaf in walk(stmt.target):
                        if isinstance(leaf, n.Subscript | n.Attribute):
                            raise self.refusal(leaf, _root(leaf))
                return stmt
            case n.Unpack(pattern=pattern):
                for leaf in walk(pattern):
                    if isinstance(leaf, n.Subscript | n.Attribute):
                        raise self.refusal(leaf, _root(leaf))
                return stmt
            case _:
                return stmt

    def refusal(self, target: n.Expr, root: n.Expr) -> UnsupportedError:
        name = _name(root)
        if isinstance(root, n.Ref):
            return UnsupportedError(
                f"cannot differentiate a write to `{name}`, which lives outside `{self.typed.function.name}`",
                source=self.source,
                span=target.span,
                reason="A value kept outside the function carries a dependence that no partial could reach.",
                remedy=f"Return it from `{self.typed.function.name}` instead.",
            )
        return UnsupportedError(
            f"cannot differentiate an update of `{name}` in place",
            source=self.source,
            span=target.span,
            reason=_IN_PLACE,
            remedy="Build the new value in one expression (np.where, np.concatenate, np.stack, a new tuple) "
            "and give it a name.",
        )

    def call(self, call: n.Call) -> None:
        """Refuse a call that changes one of its arguments."""
        found = resolve(call, self.scope)
        match found:
            case MethodCall(receiver=receiver, name=name) if _mutates(name) and isinstance(
                receiver.kind, Array | Sequence | Struct
            ):
                raise self.refusal(call, _root(receiver))
            case MethodCall(receiver=receiver, name=name, args=args, keywords=keywords) if isinstance(
                receiver.kind, Array
            ) and (
                _has_out(registry.method_function(name), (receiver, *args), keywords)
                or (name == "compress" and len(args) > 2)
            ):
                raise self.refusal(call, _root(receiver))
            case LibraryCall(function=function, args=args) if (
                not _known_to_mutate(function) and _opaque(function) and any(_mutable(e.kind) for e in args)
            ):
                raise UnsupportedError(
                    f"cannot tell what `{getattr(function, '__name__', function)}` does to its arguments",
                    source=self.source,
                    span=call.span,
                    reason="It is given something that it could change, and its inside is not known.",
                    remedy="Do what it does with NumPy functions or in plain Python.",
                )
            case LibraryCall(function=function, args=args, keywords=keywords):
                name = getattr(function, "__name__", "")
                owner = getattr(function, "__self__", None)
                unbound = getattr(function, "__objclass__", None) in (list, dict, set, bytearray, np.ndarray)
                if _mutates(name) and (isinstance(owner, list | dict | set) or unbound):
                    raise self.refusal(call, _root(call.args[0] if unbound and call.args else call.func))
                if name in _MUTATING_FUNCTIONS or _has_out(function, args, keywords):
                    raise self.refusal(call, _root(call.args[0] if call.args else call.func))

    def require_private(self, variable: n.Variable, stmt: n.Augment, before: Kind, after: Kind) -> None:
        """Refuse `x += e` unless `x` is an array that only this name refers to."""
        if not (
            isinstance(before, Array)
            and isinstance(after, Array)
            and (before.dtype, before.dims) == (after.dtype, after.dims)
            and before.dims is not None
        ):
            raise UnsupportedError(
                f"cannot tell what `{variable.name} {stmt.op}= ...` changes",
                source=self.source,
                span=stmt.target.span,
                reason=f"Whether `{variable.name}` is changed in place or replaced, and by what shape and type, "
                "depends on values that are not known when compiling.",
                remedy=f"Write `{variable.name} = {variable.name} {stmt.op} ...`.",
            )
        other = self.other_holder(variable)
        if other is not None:
            raise UnsupportedError(
                f"cannot differentiate an update of `{variable.name}` in place",
                source=self.source,
                span=stmt.target.span,
                reason=f"{other} {_IN_PLACE}",
                remedy=f"Write `{variable.name} = {variable.name} {stmt.op} ...`.",
            )

    def other_holder(self, variable: n.Variable) -> str | None:
        """Who else may hold the array that a variable refers to, as a sentence; None for nobody."""
        if variable in self.typed.params and not self.outermost:
            return f"`{variable.name}` is the caller's array."
        if variable in self.typed.params:
            arrays = [
                v
                for v, kind in zip(self.typed.params, self.typed.kinds, strict=True)
                if v is not variable and not isinstance(kind, Scalar) and _has_array(kind)
            ]
            if arrays:
                return f"`{variable.name}` may share its memory with the argument `{arrays[0].name}`."
        for stmt in statements(self.typed.body):
            match stmt:
                case n.Assign(target=target, value=value) if target is variable:
                    if not fresh(value):
                        return f"`{variable.name}` may be another name for an array that exists already."
                case n.Unpack() | n.For() if any(
                    leaf.variable is variable
                    for leaf in walk(stmt.pattern if isinstance(stmt, n.Unpack) else stmt.target)
                    if isinstance(leaf, n.Read)
                ):
                    return f"`{variable.name}` may be a part of something that exists already."
                case _:
                    pass
            for expr in expressions(stmt):
                if escapes(expr, variable) and not isinstance(stmt, n.Return | n.If | n.While | n.Assert | n.Augment):
                    return f"`{variable.name}` is given another name, or a part of it is, in the same function."
        return None


_CHANGES = re.compile(r"\.(" + "|".join(sorted(_MUTATING_METHODS)) + r")\(")


def _container(kind: Kind) -> bool:
    return isinstance(kind, Array | Sequence) or (isinstance(kind, Struct) and kind.form != "record")


def _known_to_mutate(function: object) -> bool:
    """Whether a function is refused below, with a better reason."""
    return getattr(function, "__name__", "") in _MUTATING_FUNCTIONS


def _opaque(function: object) -> bool:
    """Whether nothing is known of a library function: no rule, and not among those that change nothing."""
    return function not in _HARMLESS and not registry.rows_for_function(function) and not may_try(function)


def _mutable(kind: Kind) -> bool:
    match kind:
        case Array() | Sequence(cls=builtins.list) | Struct(form="list" | "dict" | "record"):
            return True
        case Struct(items=items):
            return any(map(_mutable, items))
        case _:
            return False


def _mutates(method: str) -> bool:
    return (
        method in _MUTATING_METHODS
        or method in ("__setitem__", "__delitem__", "__setattr__")
        or (
            method.startswith("__i")
            and method.endswith("__")
            and method not in ("__init__", "__iter__", "__invert__", "__index__", "__int__")
        )
    )


def _has_out(function: Any, args: tuple[n.Expr, ...], keywords: tuple[tuple[str, n.Expr], ...]) -> bool:
    """Whether a call writes its result into an array that it is given."""

    def given(e: n.Expr) -> bool:
        return not (isinstance(e, n.Const) and e.value is None)

    if any(k == "out" and given(v) for k, v in keywords):
        return True
    if isinstance(function, np.ufunc):
        return any(map(given, args[function.nin :]))
    try:
        found = inspect.signature(function).parameters
        names = [k for k, p in found.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        if any(p.kind is p.VAR_POSITIONAL for p in found.values()):
            return False
    except (TypeError, ValueError):
        return False
    return "out" in names[: len(args)] and given(args[names.index("out")])


def _has_array(kind: Kind) -> bool:
    match kind:
        case Array():
            return True
        case Struct(items=items):
            return any(map(_has_array, items))
        case Sequence(item=item):
            return _has_array(item)
        case _:
            return False


def _root(expr: n.Expr) -> n.Expr:
    while isinstance(expr, n.Subscript | n.Attribute):
        if (
            isinstance(expr, n.Attribute)
            and isinstance(expr.value, n.Ref)
            and not hasattr(expr.value.value, "__dict__")
        ):
            return expr.value
        expr = expr.value
    return expr


def _name(expr: n.Expr) -> str:
    match expr:
        case n.Read(variable=variable):
            return variable.name
        case n.Ref(name=name):
            return name
        case _:
            return "a value"
