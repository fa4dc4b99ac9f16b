"""What a call may turn out to call, with its arguments bound."""

from __future__ import annotations

import math
import types
from collections.abc import Callable as Function
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from adcompile.analyses.typing.lattice import kind_from_outside
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Callable, Kind, Scalar, Sequence, Static, Struct, item_of
from adcompile.ir.make import apply
from adcompile.ir.walk import walk
from adcompile.runtime import helpers as runtime
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from adcompile.source import Span


MAKES = "__adcompile_makes__"  # what a transformation has that says what its call makes


@dataclass(frozen=True, slots=True)  # a function as a field is no method for this one
class UserCall:
    """A call of a function whose source can be read.

    `args` stand in the order of the callee's parameters; `captures` are the caller's variables that the callee reads
    as its own.
    """

    target: types.FunctionType | n.Function
    args: tuple[n.Expr, ...]
    captures: tuple[n.Variable, ...] = ()


@value_class()
class Construct:
    """A named tuple or dataclass built field by field."""

    cls: type
    fields: tuple[str, ...]
    args: tuple[n.Expr, ...]


@value_class()
class Build:
    """A class of the user's called to make an object.

    `fields` are attributes that are set first; then `init`, a method, is called with the arguments, if there is one.
    """

    cls: type
    init: types.FunctionType | None
    args: tuple[n.Expr, ...] = ()
    keywords: tuple[tuple[str | None, n.Expr], ...] = ()
    fields: tuple[tuple[str, n.Expr], ...] = ()


@value_class()
class LibraryCall:
    """A call of a function whose inside is not entered."""

    function: Any
    args: tuple[n.Expr, ...]
    keywords: tuple[tuple[str, n.Expr], ...]
    views: list[Any] = field(default_factory=list, init=False, compare=False, repr=False)  # for `memory.regions`


@value_class()
class MethodCall:
    """A method of a number, array, container, text or sparse matrix."""

    receiver: n.Expr
    name: str
    args: tuple[n.Expr, ...]
    keywords: tuple[tuple[str, n.Expr], ...]
    views: list[Any] = field(default_factory=list, init=False, compare=False, repr=False)  # for `memory.regions`


@value_class()
class UnknownCall:
    """A call of something that is not known before the run, and what to write instead, where that is known.

    Where it is a user's function with a `*` parameter, and how many arguments it gets is not known, `beyond` says how
    many of those that are written, with a `*` as one, are more than the parameters in front of that.
    """

    reason: str
    remedy: str = ""
    beyond: int | None = None


Target = UserCall | Construct | Build | LibraryCall | MethodCall | UnknownCall


class UncountedError(Exception):
    """Which arguments a call passes is not known when compiling."""

    beyond: int | None = None  # see `UnknownCall`


@dataclass(slots=True)
class Scope:
    """What resolving needs to know of the function in which a call stands: `Program.scope` makes it."""

    lower: Function[[types.FunctionType], n.Function]
    free: Function[[n.Function], tuple[n.Variable, ...]]
    kinds: dict[n.Variable, Kind]  # of the defaults of local functions
    captured: dict[n.Variable, Kind] = field(default_factory=dict)  # of what they read, where they are called
    steep: dict[n.Function, bool] = field(default_factory=dict)  # what `selection` has found of functions
    has_taps: bool = False  # whether partials are asked of names that a function sets
    is_tapped: Function[[UserCall], bool] = lambda _: False  # the same of the function that a call calls


def static_value(expr: n.Expr) -> tuple[bool, Any]:
    """The object an expression certainly stands for, as (True, object)."""
    match expr.kind:
        case Static(value=value):
            return True, value
        case Callable(target=target):
            return True, target
    match expr:
        case n.Const(value=value) | n.Ref(value=value):
            return True, value
        case _:
            return False, None


def expanded(call: n.Call, takes: int | None = None) -> tuple[list[n.Expr], list[tuple[str, n.Expr]]]:
    """The arguments with `*` and `**` of known structure written out.

    Where a call has to have so many by position, an array or list behind `*` has what is left of these.
    """
    args: list[n.Expr] = []
    for arg in call.args:
        if not isinstance(arg, n.Starred):
            args.append(arg)
            continue
        match arg.value, arg.value.kind:
            case n.Display(items=items), _:
                args.extend(items)
            case value, Struct(form="tuple" | "list" as form, items=kinds) if form == "tuple" or _stays(arg, call):
                args.extend(
                    n.Subscript(value, n.Const(k, kind=Scalar("int64")), kind=kind, span=arg.span)
                    for k, kind in enumerate(kinds)
                )
            case n.Read() | n.Attribute() | n.Subscript() as value, Array(dims=tuple()) | Sequence() if (
                takes is not None and _is_place(value) and len(_starred(call)) == 1 and _stays(arg, call)
            ):
                args.extend(_items_of(value, takes - len(call.args) + 1, arg.span))
            case value, _:
                raise UncountedError
    keywords: list[tuple[str, n.Expr]] = []
    for name, value in call.keywords:
        if name is not None:
            keywords.append((name, value))
            continue
        match value, value.kind:
            case n.Mapping(entries=entries), _ if all(isinstance(k, n.Const) for k, _ in entries):
                keywords.extend((k.value, v) for k, v in entries if isinstance(k, n.Const))
            case _, Struct(form="dict", keys=keys, items=kinds):
                keywords.extend(
                    (k, n.Subscript(value, n.Const(k, kind=Static(k)), kind=kind, span=value.span))
                    for k, kind in zip(keys, kinds, strict=True)
                )
            case _:
                raise UncountedError
    return args, keywords


def open_star(call: n.Call) -> int | None:
    """Where a call has its first `*` of something of unknown length."""
    for k, e in enumerate(call.args):
        match e:
            case n.Starred(value=n.Comprehension() | n.Expr(kind=Sequence() | Array(dims=(_, *_)))):
                return k
    return None


def gathers(call: n.Call) -> bool:
    """Whether a call gives a function numbers one by one, how many is not known, that another gives it as a list."""
    items = one_of_each(call)
    numbers = open_star(call) is not None and all(isinstance(e.kind, Scalar) for e in items)
    return numbers and n.object_of(call.func) in (max, min, math.hypot)


def one_of_each(call: n.Call) -> tuple[n.Expr, ...]:
    """The arguments of a call, with an item for each that has a `*`."""
    found: list[n.Expr] = []
    for e in call.args:
        match e:
            case n.Starred(value=n.Comprehension(element=element)):
                found.append(element)
            case n.Starred(value=items):
                found.append(n.Read(n.Variable("item", n.Role.TEMPORARY), kind=item_of(items.kind)))
            case _:
                found.append(e)
    return tuple(found)


def _starred(call: n.Call) -> list[n.Expr]:
    return [arg for arg in call.args if isinstance(arg, n.Starred)]


def _stays(star: n.Starred, call: n.Call) -> bool:
    """Whether nothing behind a `*` may change what that takes: its items are read one after the other."""
    later = (*call.args[call.args.index(star) + 1 :], *(e for _, e in call.keywords))
    return not any(isinstance(e, n.Call | n.Named) for whole in later for e in walk(whole))


def _is_place(value: n.Expr) -> bool:
    """Whether a value is as well read several times."""
    while isinstance(value, n.Attribute | n.Subscript):
        value = value.value
    return isinstance(value, n.Read)


def _items_of(array: n.Expr, count: int, span: Span | None) -> list[n.Expr]:
    """The items of an array or list, as many as there have to be."""
    kind = item_of(array.kind)
    whole = array
    if isinstance(array.kind, Sequence):
        whole = apply(runtime.counted_items, array, n.Const(count, kind=INT), kind=array.kind, span=span)
    elif not isinstance(array.kind, Array) or array.kind.dims is None or array.kind.dims[0] != count:
        whole = apply(runtime.counted, array, n.Const(count, kind=INT), kind=array.kind, span=span)
    return [n.Subscript(array if k else whole, n.Const(k, kind=INT), kind=kind, span=span) for k in range(count)]


def kind_of_receiver(value: Any) -> Kind:
    """The kind of a value that is reached through a callable."""
    return kind_from_outside(value, "bound")
