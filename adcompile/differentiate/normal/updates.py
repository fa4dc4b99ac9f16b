"""Updates in place: all in one of three forms, or refused where nobody could follow them.

    u.fill(c)                     u[...] = c
    np.copyto(u, v)       ->      u[...] = v
    np.put(u, i, v)               u.flat[i] = v
    for row in table:             for k in range(len(table)):
        row *= 2                      row = table[k]
                                      row *= 2

Afterwards an update is an assignment to an item or attribute, an augmented assignment, or a call of `np.add.at` or of a
method of a list. What lives outside the function is not written to: its old value would be needed, and is not kept.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable as Function
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.memory.effects import STORING, may_change
from adcompile.analyses.memory.regions import is_view
from adcompile.analyses.memory.sharing import Sharing
from adcompile.analyses.outputs import overwritten
from adcompile.analyses.typing.calls import CHANGING_FUNCTIONS, resolve
from adcompile.analyses.typing.libraries.library import may_try
from adcompile.analyses.typing.libraries.unseen import draws
from adcompile.analyses.typing.targets import LibraryCall, MethodCall, Scope, static_value
from adcompile.differentiate.desugar.iteration.idioms import is_list
from adcompile.differentiate.desugar.mappings import is_dict
from adcompile.differentiate.normal.flat import may_differ
from adcompile.differentiate.normal.meanwhile import LoopsOverChanged, is_container
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.indices import is_none
from adcompile.ir.kinds import BOOL, Array, Callable, Dim, Kind, Scalar, Sequence, Static, Struct, Table
from adcompile.ir.make import NP, ref
from adcompile.ir.quote import quote, quote_lines
from adcompile.ir.walk import blocks, expressions, walk
from adcompile.rules import registry
from adcompile.rules.python.standard import only_looks

if TYPE_CHECKING:
    from adcompile.analyses.memory.sharing import Sharing
    from adcompile.analyses.typing.typed import Typed
    from adcompile.source import Span

_HARMLESS: set[object] = {
    print, super, enumerate, zip, reversed, iter, next, map, filter, isinstance, format, id, vars, callable, hasattr,
}  # fmt: skip
_METHODS = {"append", "extend", "insert", "pop", "clear", "sort", "reverse"}  # of lists, that are followed
_REFUSED = {
    "remove", "update", "setdefault", "popitem", "add", "discard", "itemset", "resize", "partition", "setfield",
    "setflags", "byteswap", "write", "writelines", "__setitem__", "__delitem__", "__setattr__",
}  # fmt: skip
_ALL = _METHODS | _REFUSED | {"fill", "put"}
_CHANGES = re.compile(r"\.(" + "|".join(sorted(m for m in _ALL if not m.startswith("_"))) + r")\(")
_ELLIPSIS = n.Const(..., kind=Static(...))


@dataclass(slots=True)
class Updates:
    """What bringing updates into form takes. `typer` types an expression that the compiler writes."""

    typed: Typed
    scope: Scope
    typer: Function[[n.Expr], n.Expr]
    sharing: Sharing
    defined: AbstractSet[n.Variable] = frozenset()  # the local functions, by the names that they were defined under


def normalise_updates(updates: Updates) -> None:
    """Bring every update in place in a typed function into form, or refuse it, in its body."""
    work = _Work(updates)
    updates.typed.body[:] = work.block(updates.typed.body)


class _Work:
    def __init__(self, updates: Updates) -> None:
        self.typed = updates.typed
        self.scope = updates.scope
        self.typer = updates.typer
        self.sharing = updates.sharing
        self.defined = updates.defined
        self.loops = LoopsOverChanged(updates.sharing, updates.typer)

    def block(self, body: list[n.Stmt]) -> list[n.Stmt]:
        return [new for stmt in body for new in self.statement(stmt)]

    def statement(self, stmt: n.Stmt) -> list[n.Stmt]:
        for expr in expressions(stmt):
            self.check(expr, stmt)
        match stmt:
            case n.Store(target=n.Attribute() as target) if isinstance(target.kind, Array) and is_view(target):
                self.check_root(target, target)
                stmt.target = _whole(target)  # `z.real = e` puts numbers into `z`
                return [self.in_turn(stmt)]
            case n.Store(target=target):
                self.check_root(target, target)
                return [self.in_turn(stmt)]
            case n.Augment(target=n.Subscript() | n.Attribute() as target):
                self.check_root(target, target)
            case n.Evaluate(value=n.Call() as call):
                return self.call(call, stmt)
            case n.If() | n.While() | n.Try() | n.With():
                for inner in blocks(stmt):
                    inner[:] = self.block(inner)
            case n.For():
                counted = self.loops.counted(stmt)
                stmt.body[:] = self.block(stmt.body)
                return counted
        return [stmt]

    # ------------------------------------------------------------------------------------------------ calls that write

    def call(self, call: n.Call, stmt: n.Stmt) -> list[n.Stmt]:
        """A call for its effect, as an assignment where it is one."""
        match resolve(call, self.scope):
            case MethodCall(receiver=n.Expr(kind=Array()) as into, name=name, args=args, keywords=keywords):
                match name, args, keywords:
                    case "fill", (value,), ():
                        filled = self.assign("into[...] = value", stmt, into=into, value=value)
                        if isinstance(into.kind, Array) and into.kind.dims is not None:
                            return filled
                        whether = self.typer(quote("isinstance(into, np.ndarray)", into=into))  # or a number: it stays
                        return [n.If(whether, filled, [], origin=stmt.origin)]
                    case "sort", _, _:
                        ordered = n.Call(n.Attribute(NP, "sort"), (into, *args), keywords, span=call.span)
                        return self.assign("into[...] = ordered", stmt, into=into, ordered=ordered)
                    case "put", (index, value, *mode), ():
                        return self.put(into, index, value, mode, call, stmt)
            case MethodCall(receiver=into, name="sort", args=(), keywords=keywords):
                ordered = n.Call(ref(sorted), (into,), keywords, span=call.span)
                return self.assign("into[:] = ordered", stmt, into=into, ordered=ordered)
            case MethodCall(receiver=into, name="reverse", args=(), keywords=()):
                return self.assign("into[:] = into[::-1]", stmt, into=into)
            case LibraryCall(function=np.copyto, args=(into, value, *rest), keywords=keywords):
                mask = rest[1] if len(rest) > 1 else dict(keywords).get("where", n.Const(value=True, kind=BOOL))
                if _is(mask, value=True):
                    if into == value and isinstance(into, n.Read):  # NumPy leaves it as it is, even if it is read-only
                        return [n.Pass(origin=stmt.origin)]
                    return self.assign("into[...] = value", stmt, into=into, value=value)
                if _dims(mask) is None or _dims(mask) != _dims(into):
                    mask = quote("np.broadcast_to(mask, np.shape(into))", mask=mask, into=into)
                whole = "value" if isinstance(value.kind, Scalar) else "np.broadcast_to(value, np.shape(into))[mask]"
                return self.assign(f"into[mask] = {whole}", stmt, into=into, value=value, mask=mask)
            case LibraryCall(function=np.put, args=(into, index, value, *mode), keywords=keywords):
                return self.put(into, index, value, [*mode, *dict(keywords).values()], call, stmt)
            case LibraryCall(function=np.put_along_axis, args=(n.Expr(kind=Array()) as into, index, value, axis)):
                every = is_none(axis)
                text = "into.flat[index] = value" if every else "into[along_axis(index, axis, into)] = value"
                return self.assign(text, stmt, into=into, index=index, axis=axis, value=value)
            case LibraryCall(function=np.putmask | np.place as function, args=(into, mask, value), keywords=()):
                return self.masked(into, mask, value, stmt, in_turn=function is np.place)
            case LibraryCall(function=np.fill_diagonal, args=(into, value, *rest), keywords=keywords):
                wrapped = [*rest, *dict(keywords).values()]
                rank = len(_dims(into) or ())
                if rank < 2 or not all(_is(e, value=False) for e in wrapped):
                    raise self.refusal(call, _root(into), _REMEDY)
                along = ", ".join(["np.arange(min(into.shape))"] * rank)
                return self.assign(f"into[{along}] = value", stmt, into=into, value=value)
            case LibraryCall(function=np.nan_to_num, args=args, keywords=keywords) as nan if over := overwritten(nan):
                kept = tuple((k, v) for k, v in keywords if k not in ("x", "copy"))
                value = replace(call, args=(over[0], n.Const(value=True, kind=BOOL), *args[2:]), keywords=kept)
                return self.assign("into[...] = value", stmt, into=over[0], value=value)
            case LibraryCall(function=made, args=(n.Expr(kind=Array(dims=(_,))) as into,)) if _shuffles(made):
                return self.assign("into[...] = np.random.permutation(into)", stmt, into=into)
            case LibraryCall(function=function, args=args) if function in STORING:
                raise self.refusal(call, _root(args[0]) if args else call, _REMEDY)
        return [stmt]

    def put(
        self, into: n.Expr, index: n.Expr, value: n.Expr, mode: list[n.Expr], call: n.Call, stmt: n.Stmt
    ) -> list[n.Stmt]:
        """`np.put` as an assignment to `into.flat`; the mode says what a place beyond the end means."""
        size = "np.size(into)"
        places = {"raise": "index", "wrap": f"np.mod(index, {size})", "clip": f"np.clip(index, 0, {size} - 1)"}
        match [static_value(e) for e in mode] or [(True, "raise")]:
            case [(True, str() as beyond)] if beyond in places:
                return self.assign(f"into.flat[{places[beyond]}] = value", stmt, into=into, index=index, value=value)
        raise self.refusal(call, _root(into), "Write the mode as a text: 'raise', 'wrap' or 'clip'.")

    def masked(self, into: n.Expr, mask: n.Expr, value: n.Expr, stmt: n.Stmt, *, in_turn: bool) -> list[n.Stmt]:
        """`np.putmask` and `np.place` as an assignment: the values are repeated, by position or one after the other."""
        if _dims(mask) is None or _dims(mask) != _dims(into):  # of as many numbers, perhaps in another shape
            mask = quote("np.reshape(mask, np.shape(into))", mask.span, mask=mask, into=into)
        if isinstance(value.kind, Scalar):
            text = "into[mask] = value"
        elif in_turn:
            if self.sharing.sources(value) & self.sharing.sources(into):  # it would read what it has written
                raise self.refusal(into, _root(into), "Make a copy of the values.")
            text = "into[mask] = np.take(value, np.arange(np.count_nonzero(mask)) % np.size(value))"
        else:
            turns = "np.take(value, np.arange(np.size(into)) % np.size(value))"
            text = f"into[mask] = np.reshape({turns}, np.shape(into))[mask]"
        return self.assign(text, stmt, into=into, mask=mask, value=value)

    def assign(self, text: str, stmt: n.Stmt, **holes: n.Expr) -> list[n.Stmt]:
        """The assignment that a text writes down, in place of a call that stands for it.

        The holes come in the order in which Python evaluates them. What says where is read more than once, so that
        what a call makes of it has a name, and so has what is made before it.
        """
        lines: list[n.Stmt] = []
        whole, times = holes["into"], {name: len(re.findall(rf"\b{name}\b", text)) for name in holes}
        if (times["into"] > 1 or set(holes) & {*_WHERE}) and any(map(may_differ, walk(whole))):
            raise self.refusal(whole, _root(whole), "Give what says which part is changed a name.")
        made = [k for k, e in holes.items() if k != "into" and any(isinstance(part, n.Call) for part in walk(e))]
        again = [name for name in made if name in _WHERE or times[name] > 1]
        last = max(map(list(holes).index, again), default=-1)
        for name in (name for name in list(holes)[: last + 1] if name in made):
            value = self.typer(holes[name])
            held = n.Variable(name if name in _WHERE else "value", n.Role.TEMPORARY)
            lines.append(n.Assign(held, value, origin=stmt.origin))
            holes[name] = n.Read(held, kind=value.kind, span=value.span)
        (store,) = quote_lines(text, holes["into"].span, **holes)
        if not isinstance(store, n.Store):
            raise TypeError(text)
        self.check_root(store.target, store.target)
        return [*lines, self.in_turn(n.Store(self.typer(store.target), self.typer(store.value), origin=stmt.origin))]

    def in_turn(self, store: n.Store) -> n.Store:
        """A store into `a.flat[i]` with one value for each place: NumPy takes those that there are again and again."""
        match store.target:
            case n.Subscript(value=n.Attribute(name="flat", value=n.Expr(kind=Array()) as whole)):
                place = self.typer(store.target)
            case _:
                return store
        there, given = _count(place.kind), _count(store.value.kind)
        overlap = self.sharing.sources(store.value) & self.sharing.sources(whole)
        same = given == there if given is not None else _dims(place) in (_dims(store.value), None)
        if given == 1 or same or overlap:
            return store
        text = "np.resize(value, np.shape(place))"
        store.value = self.typer(quote(text, store.value.span, value=store.value, place=place))
        return store

    # -------------------------------------------------------------------------------------------------- what is refused

    def check(self, expr: n.Expr, stmt: n.Stmt) -> None:
        """Refuse what changes something in a way that is not followed."""
        called = {id(e.func) for e in walk(expr) if isinstance(e, n.Call)}
        for e in walk(expr):
            match e:
                case n.Call():
                    self.check_call(e, stmt)
                case n.Attribute(value=value, name=name) if (
                    id(e) not in called and name in _ALL and is_container(value.kind)
                ):
                    raise self.refusal(e, _root(value), "Call the method where it is named.")
                case n.Opaque(pieces=pieces) if _CHANGES.search(
                    "".join(p if isinstance(p, str) else p.name for p in pieces)
                ):
                    raise self.refusal(e, n.Read(e.reads[0]) if e.reads else e, "Write it as a loop.")

    def check_call(self, call: n.Call, stmt: n.Stmt) -> None:
        alone = isinstance(stmt, n.Evaluate) and stmt.value is call
        match resolve(call, self.scope):
            case MethodCall(receiver=n.Expr(kind=Table()) as receiver, name=name) if may_change(receiver.kind, name):
                if not alone:
                    raise self.refusal(call, _root(receiver), _REMEDY)
            case MethodCall(receiver=receiver, name=name) if is_container(receiver.kind) and _mutates(name):
                root = _root(receiver)
                if isinstance(root, n.Ref):
                    raise self.outside(call, root)
                taken = isinstance(stmt, n.Assign) and stmt.value is call and name == "pop"
                array = isinstance(receiver.kind, Array)
                if (
                    not (array and alone and name in ("fill", "sort", "put"))
                    and not (is_list(receiver.kind) and (alone or taken) and name in _METHODS)
                    and not (is_dict(receiver.kind) and alone and name == "__delitem__")
                ):
                    raise self.refusal(call, root, _REMEDY)
            case LibraryCall(function=function, args=args) if (
                getattr(function, "__name__", "") not in CHANGING_FUNCTIONS
                and _opaque(function)
                and any(_mutable(e.kind) for e in args)
                and not (isinstance(stmt, n.Raise) and _only_carries(function))
            ):
                raise UnsupportedError(
                    f"cannot tell what `{getattr(function, '__name__', function)}` does to its arguments",
                    span=call.span,
                    reason="It is given something that it could change, and its inside is not known.",
                    remedy="Do what it does with NumPy functions or in plain Python.",
                )
            case LibraryCall(function=function) as found if any(map(self.sharing.sources, overwritten(found))) and not (
                alone and function is np.nan_to_num
            ):
                raise self.refusal(call, _root(overwritten(found)[0]), "Leave the argument that allows it out.")
            case LibraryCall(function=function, args=args):
                name = getattr(function, "__name__", "")
                owner = getattr(function, "__self__", None)
                unbound = getattr(function, "__objclass__", None) in (list, dict, set, bytearray, np.ndarray)
                if _mutates(name) and (isinstance(owner, list | dict | set) or unbound):
                    raise self.refusal(call, _root(call.args[0] if unbound and call.args else call.func), _REMEDY)
                if name in CHANGING_FUNCTIONS and args:
                    root = _root(args[0])
                    if isinstance(root, n.Ref):
                        raise self.outside(call, root)
                    followed = function in STORING or _shuffles(function) or owner in (np.add, np.subtract)
                    if not alone or not followed:
                        raise self.refusal(call, root, _REMEDY)

    def check_root(self, target: n.Expr, where: n.Expr) -> None:
        """Refuse a write to what lives outside the function."""
        root = _root(target)
        if isinstance(root, n.Ref):
            raise self.outside(where, root)
        match root:
            case n.Call(func=n.Read(variable=variable, kind=Callable())) if variable not in self.defined:
                raise self.refusal(where, root.func, "Call the function by its own name, or give its result a name.")

    def outside(self, where: n.Expr, root: n.Ref) -> UnsupportedError:
        return _outside(root.name, self.typed, where.span)

    def refusal(self, where: n.Expr, root: n.Expr, remedy: str) -> UnsupportedError:
        return UnsupportedError(
            f"cannot differentiate this update of `{_name(root)}` in place",
            span=where.span,
            reason="What it changes is not followed by the backward sweep.",
            remedy=remedy,
        )


def _only_carries(function: object) -> bool:
    """Whether a class is one of Python's exceptions: they keep what they are given as it is."""
    return isinstance(function, type) and issubclass(function, BaseException) and function.__module__ == "builtins"


def _shuffles(function: object) -> bool:
    return function is getattr(sys.modules.get("numpy.random"), "shuffle", None)


_WHERE = ("index", "mask")  # what says where, in the texts of assignments
_REMEDY = "Write it with assignments to items (`a[i] = ...`), or build a new value."


def _is(expr: n.Expr, *, value: bool) -> bool:
    """Whether an expression is certainly this truth value."""
    return static_value(expr)[1] is value


def _whole(expr: n.Expr) -> n.Expr:
    return n.Subscript(expr, _ELLIPSIS, kind=expr.kind, span=expr.span)


def refuse_written(sharing: Sharing, typed: Typed) -> None:
    """Refuse a change of what lives outside the function, under whatever name."""
    for variable, stmt in sharing.written.items():
        raise _outside(sharing.outside[variable], typed, stmt.span)


def _outside(name: str, typed: Typed, span: Span | None) -> UnsupportedError:
    return UnsupportedError(
        f"cannot differentiate a write to `{name}`, which lives outside `{typed.function.name}`",
        span=span,
        reason="A value kept outside the function carries a dependence that no partial could reach.",
        remedy=f"Return it from `{typed.function.name}` instead.",
    )


def _dims(expr: n.Expr) -> tuple[Dim, ...] | None:
    return expr.kind.dims if isinstance(expr.kind, Array) else None


def _count(kind: Kind) -> int | None:
    """How many numbers a value has, where that is known."""
    match kind:
        case Scalar():
            return 1
        case Struct(items=items) if all(isinstance(item, Scalar) for item in items):
            return len(items)
        case Array(dims=tuple() as dims):
            lengths = [d for d in dims if isinstance(d, int)]
            return math.prod(lengths) if len(lengths) == len(dims) else None
        case _:
            return None


def _mutates(method: str) -> bool:
    return method in _ALL or (
        method.startswith("__i")
        and method.endswith("__")
        and method not in ("__init__", "__iter__", "__invert__", "__index__", "__int__")
    )


def _opaque(function: object) -> bool:
    """Whether nothing is known of a library function: no rule, and not among those that change nothing."""
    if function in _HARMLESS or may_try(function) or draws(function) or only_looks(function):
        return False
    return not registry.rows_for_function(function)


def _mutable(kind: Kind) -> bool:
    match kind:
        case Array() | Struct(form="list" | "dict" | "record"):
            return True
        case Sequence(cls=cls):
            return cls is list
        case Struct(items=items):
            return any(map(_mutable, items))
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
