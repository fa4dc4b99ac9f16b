"""Calls that make a record or an object: named tuples, dataclasses, classes of the user's."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from adcompile.analyses.memory.regions import holds_memory
from adcompile.analyses.typing.classes import (
    is_assembled_dataclass,
    is_checked_dataclass,
    is_generated,
    is_plain_class,
    is_plain_dataclass,
    is_plain_named_tuple,
)
from adcompile.analyses.typing.targets import Build, Construct, Scope, Target, UnknownCall, expanded, kind_of_receiver
from adcompile.calls.record import Partials
from adcompile.ir import nodes as n
from adcompile.ir.indices import is_chain
from adcompile.ir.kinds import UNKNOWN, Kind, Sequence, Static, Struct, Table, is_foreign
from adcompile.ir.make import apply, named
from adcompile.ir.walk import revised
from adcompile.runtime import helpers as runtime
from adcompile.texts.watches import class_attribute, note_code, note_defaults

if TYPE_CHECKING:
    from adcompile.source import Span

_COPYING = (  # methods that say how an object is copied
    *("__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__"),
    *("__getnewargs__", "__getnewargs_ex__"),
)


def made(call: n.Call, target: Any, scope: Scope) -> Target | None:
    """A call that makes a record or an object; None for any other."""
    match target:
        case type() if issubclass(target, Partials) and target is not Partials:
            match call:
                case n.Call(args=(n.Display(form="tuple", items=items),), keywords=()):
                    return Construct(target, target.names(), items)
            return UnknownCall("a record made of partials that are not known one by one")
        case type() if is_plain_named_tuple(target):
            return _construct(target, tuple(getattr(target, "_fields", ())), call)
        case type() if is_plain_dataclass(target) or is_checked_dataclass(target, scope.lower):
            return _construct(target, tuple(f.name for f in dataclasses.fields(target)), call)
        case types.SimpleNamespace if not call.args and all(name is not None for name, _ in call.keywords):
            return Construct(target, tuple(name or "" for name, _ in call.keywords), tuple(v for _, v in call.keywords))
        case type() if is_assembled_dataclass(target):
            return _assembled(target, call)
        case type() if is_plain_class(target) and not is_generated(target):
            init = class_attribute(target, "__init__")
            return Build(target, init if isinstance(init, types.FunctionType) else None, call.args, call.keywords)
        case _ if target is runtime.object_of and isinstance(of := n.object_of(call.args[0]), type):
            return Construct(of, tuple(k or "" for k, _ in call.keywords), tuple(v for _, v in call.keywords))
        case copy.copy | copy.deepcopy if len(call.args) == 1 and not call.keywords:
            return _copy(call.args[0], deep=target is copy.deepcopy)
    return None


def with_factories(call: n.Call) -> n.Call | None:
    """The call of a dataclass with a call of the factory of each field that is left out; None where there is none.

    `Body(x)` is `Body(x, force=zeros())` where the dataclass has `force: Any = field(default_factory=zeros)`.
    """
    cls = n.object_of(call.func)
    if not isinstance(cls, type) or not dataclasses.is_dataclass(cls) or not is_generated(cls):
        return None
    args, keywords = expanded(call)
    fields = [f for f in dataclasses.fields(cls) if f.init]
    given = {*(f.name for f, _ in zip((f for f in fields if not f.kw_only), args, strict=False)), *dict(keywords)}
    made = tuple(
        (f.name, n.Call(n.Ref(f"default of {f.name}", f.default_factory, "default"), (), span=call.span))
        for f in fields
        if f.name not in given and f.default_factory not in (dataclasses.MISSING, list, dict)  # `_left_out` has these
    )
    return revised(call, keywords=(*call.keywords, *made)) if made else None


def _construct(cls: type, fields: tuple[str, ...], call: n.Call) -> Target:
    args, keywords = expanded(call)
    for name in ("__new__", "__init__"):
        if isinstance(made := inspect.unwrap(class_attribute(cls, name)), types.FunctionType):
            note_code(made)
            note_defaults(made)
    try:
        bound = inspect.signature(cls).bind(*args, **dict(keywords))
    except TypeError as error:
        return UnknownCall(f"a call of `{cls.__name__}` that does not fit: {error}", "Give it what it takes.")
    defaults = {k: p.default for k, p in inspect.signature(cls).parameters.items() if p.default is not p.empty}
    factories = {f.name: f.default_factory for f in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else {}
    values = tuple(
        bound.arguments[name] if name in bound.arguments else _left_out(defaults[name], factories.get(name))
        for name in fields
    )
    return Construct(cls, fields, values)


def _assembled(cls: type, call: n.Call) -> Target:
    """A dataclass whose fields are set one by one, and whose `__post_init__` is called with what is in no field."""
    given = tuple(inspect.signature(cls).parameters)
    made = _construct(cls, given, call)
    if not isinstance(made, Construct):
        return made
    values = dict(zip(given, made.args, strict=True))
    fields = {f.name: f for f in dataclasses.fields(cls)}
    if any(f.default_factory not in (dataclasses.MISSING, list, dict) for f in fields.values() if not f.init):
        return UnknownCall(f"the result of `{cls.__name__}`")
    set_first = [
        (name, values[name] if f.init else _left_out(f.default, f.default_factory))
        for name, f in fields.items()
        if f.init or f.default is not dataclasses.MISSING or f.default_factory is not dataclasses.MISSING
    ]
    rest = tuple(value for name, value in values.items() if name not in fields)
    return Build(cls, class_attribute(cls, "__post_init__"), rest, (), tuple(set_first))


def _copy(whole: n.Expr, *, deep: bool) -> Construct | None:
    """A copy of an object of the user's: another one with the same attributes; a deep one of numbers alone."""
    kind = whole.kind
    if not isinstance(kind, Struct) or kind.form != "record" or not is_plain_class(kind.cls):
        return None
    if not is_copied_by_parts(kind) or (deep and any(map(holds_memory, kind.items))):
        return None
    pairs = zip(kind.keys, kind.items, strict=True)
    parts = tuple(n.Attribute(whole, name, kind=item, span=whole.span) for name, item in pairs)
    return Construct(kind.cls, kind.keys, parts)


def deep_copy(call: n.Call, *, is_checked: bool) -> n.Call | None:
    """A deep copy of what parts of may share memory, as calls that are refused in the run if they do; else None.

    That of an object is another one, with copies of what it holds. Without `is_checked`, who shares with whom is known.
    """
    if n.object_of(call.func) is not copy.deepcopy or len(call.args) != 1 or call.keywords:
        return None
    (whole,) = call.args
    kind = whole.kind
    if not isinstance(kind, Struct) or kind.form != "record":
        return revised(call, func=named(runtime.copied_apart)) if is_checked and may_share(kind) else None
    if not holds_memory(kind) or not is_chain(whole) or not is_copied_by_parts(kind):
        return None
    objects = list(_objects_in(kind))
    if not all(is_plain_class(k.cls) or is_plain_dataclass(k.cls) for k in objects):
        return None
    if sum(not any(map(_is_compared, k.items)) for k in objects) > 1:
        return None  # objects of numbers, which may be one
    return _copied(whole, kind, (), call.span)


def _objects_in(kind: Struct) -> Iterator[Struct]:
    """An object, and all that are its attributes, or those of these."""
    yield kind
    for item in kind.items:
        if isinstance(item, Struct) and item.form == "record":
            yield from _objects_in(item)


def _is_compared(kind: Kind) -> bool:
    """Whether something is an array, list or dict, or an object with such an attribute: two of them are told apart."""
    if isinstance(kind, Struct) and kind.form == "record":
        return any(map(_is_compared, kind.items))
    return holds_memory(kind)


def _copied(whole: n.Expr, kind: Struct, others: tuple[n.Expr, ...], span: Span | None) -> n.Call:
    """A deep copy of an object, part by part, none of which is one with another, or with one of `others`."""
    pairs = zip(kind.keys, kind.items, strict=True)
    parts = [n.Attribute(whole, name, kind=item, span=whole.span) for name, item in pairs]
    values: list[n.Expr] = []
    for k, part in enumerate(parts):
        later = (*(e for rest in parts[k + 1 :] for e in _holding(rest)), *others)
        if isinstance(part.kind, Struct) and part.kind.form == "record":
            values.append(_copied(part, part.kind, later, span))
        elif not holds_memory(part.kind):
            values.append(part)
        elif later:
            values.append(apply(runtime.copied_apart, part, n.Display("tuple", later)))
        else:
            values.append(apply(runtime.copied_apart if may_share(part.kind) else copy.deepcopy, part, span=span))
    fields = tuple(zip(kind.keys, values, strict=True))
    return n.Call(named(runtime.object_of), (named(kind.cls),), fields, span=span)


def _holding(part: n.Expr) -> Iterator[n.Expr]:
    """The arrays, lists and dicts that are an attribute, or attributes of it."""
    if isinstance(part.kind, Struct) and part.kind.form == "record":
        for name, item in zip(part.kind.keys, part.kind.items, strict=True):
            yield from _holding(n.Attribute(part, name, kind=item, span=part.span))
    elif holds_memory(part.kind):
        yield part


def is_copied_by_parts(kind: Kind) -> bool:
    """Whether a deep copy of a value is one of each of its parts: no class in it says how it is copied."""
    match kind:
        case Struct(form="record", cls=cls) if any(
            class_attribute(cls, name) is not vars(object).get(name) for name in _COPYING
        ):
            return False
        case Struct(items=items):
            return all(map(is_copied_by_parts, items))
        case Sequence(item=item) | Table(item=item):
            return is_copied_by_parts(item)
        case _:
            return not is_foreign(kind)


def may_share(kind: Kind) -> bool:
    """Whether two parts of a structure may be one list, array or object, or parts of one."""
    match kind:
        case Struct(items=items):
            return sum(map(holds_memory, items)) > 1 or any(map(may_share, items))
        case Sequence(item=item) | Table(item=item):
            return holds_memory(item)
        case _:
            return False


def replaced(call: n.Call) -> tuple[n.Call, type] | None:
    """A call of `dataclasses.replace` as one of the class, for what is given and the other fields."""
    whole = call.args[0]
    _, keywords = expanded(call)
    changed = dict(keywords)
    cls = getattr(whole.kind, "cls", None)
    if not isinstance(whole.kind, Struct) or not isinstance(cls, type) or not dataclasses.is_dataclass(cls):
        return None
    kept = [
        (f.name, n.Attribute(whole, f.name, kind=whole.kind.item(f.name) or UNKNOWN, span=whole.span))
        for f in dataclasses.fields(cls)
        if f.init and f.name not in changed
    ]
    name = n.Ref(cls.__name__, cls, kind=Static(cls))
    return n.Call(name, (), (*kept, *keywords), span=call.span), cls


def _left_out(value: Any, factory: Any) -> n.Expr:
    """What a field holds that is not given: a value, or a list or dict of its own."""
    if factory is list:
        return n.Display("list", (), kind=Struct("list", list, (), ()))
    if factory is dict:
        return n.Mapping((), kind=Struct("dict", dict, (), ()))
    return n.Const(value, kind=kind_of_receiver(value))
