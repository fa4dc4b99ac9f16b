"""How kinds combine: the kind of a value, the join of two kinds, broadcasting of extents."""

from __future__ import annotations

import builtins
import dataclasses
import datetime as dt
import enum
import functools
import inspect
import types
from collections.abc import Callable as Function
from typing import Any

import numpy as np

from adcompile.analyses.typing.classes import is_plain_container
from adcompile.calls.arguments.signature import has_operators, is_plain_array, is_sparse, plain_heirs, slots_of
from adcompile.ir.kinds import (
    NEVER,
    Array,
    Bounds,
    Callable,
    Choice,
    Dim,
    Extent,
    Foreign,
    Kind,
    Never,
    Scalar,
    Sequence,
    Sparse,
    Static,
    Struct,
    Table,
    Text,
    Unknown,
    is_continuous,
    is_foreign,
    may_be_one,
)
from adcompile.rules.python.standard import is_fixed
from adcompile.texts.watches import is_consulted

_OUTSIDE = "@"  # in the names of what is no argument, and no part of one
MAX_PLACES = 64  # longer containers are described by their common item kind alone
_NO_NONE = "Give it a value of that kind on every path, and tell by a flag beside it whether that counts."
_ONE_STRUCTURE = "Give values that are built differently different names, and return the same structure on every path."
FACTS = ("shape", "ndim", "size", "dtype", "coeffs", "coef", "domain", "window")  # of an object that is not read

_PYTHON: dict[type, Scalar] = {
    float: Scalar("float64"), int: Scalar("int64"), bool: Scalar("bool"), complex: Scalar("complex128"),
}  # fmt: skip
_NUMBERS = {kind.dtype: cls for cls, kind in _PYTHON.items()}


def kind_of(value: Any, name: str) -> Kind:
    """The kind of a value that is called `name` (the extents of its axes are named after it).

    >>> import numpy as np
    >>> kind_of(2.0, "x")
    Scalar(dtype='float64', python=True, extent=None)
    >>> kind_of(np.zeros((3, 1), np.float32), "x")
    Array(dtype='float32', dims=(Extent(root='x.0', offset=0, least=2), 1))
    """
    simple = _PYTHON.get(type(value))
    if simple is not None:
        return simple
    match value:
        case np.ndarray() if value.dtype.kind in "biufc" and is_plain_array(type(value)):
            dims = tuple(s if s <= 1 else Extent(f"{name}.{k}", least=2) for k, s in enumerate(value.shape))
            return Array(value.dtype.name, dims)
        case np.ndarray():
            strange = "an array of objects" if value.dtype.kind == "O" else f"an array of dtype {value.dtype}"
            return _foreign(value, None if value.dtype.kind in "biufc" else strange)
        case np.generic() if value.dtype.kind in "biufc":
            return Scalar(value.dtype.name, python=False)
        case types.FunctionType():
            return Callable(value)
        case None | types.EllipsisType() | types.NotImplementedType() | slice() | (
            str() | bytes() | type() | types.ModuleType() | np.dtype() | property()
        ):
            return Static(value)
        case range():
            return Sequence(Scalar("int64"), range)
        case functools.partial():
            return Callable(value)
        case types.MethodType() if isinstance(value.__func__, types.FunctionType) and not _of_library(value.__func__):
            return Callable(value)
        case types.BuiltinFunctionType() | np.ufunc() | types.MethodType():
            return Static(value)
        case tuple() | list() | dict() if not is_plain_container(type(value)):
            return _unread(value, f"an object of class {type(value).__name__}, which redefines what its items are")
        case tuple() | list() | dict():
            return _container(value, name)
        case _ if hasattr(type(value), "__adcompile_called__"):
            return Static(value)
        case _ if is_sparse(type(value)):
            return sparse(value, name)
        case _ if _of_library(type(value)):
            return _foreign(value) if has_operators(type(value)) else Static(value)
        case _ if _computes_by_itself(value):
            return _foreign(value)
        case _ if callable(value) and not isinstance(
            inspect.getattr_static(type(value), "__call__", None), types.FunctionType
        ):
            return Static(value)
        case _ if not isinstance(type(value).__getattribute__, types.FunctionType) and (
            dataclasses.is_dataclass(value)
            or (hasattr(value, "__dict__") and not callable(type(value).__dict__.get("__getattr__")))
        ):
            return _record(value, name)
        case _ if _OUTSIDE in name and not isinstance(type(value).__getattribute__, types.FunctionType) and (
            held := getattr(value, "__dict__", None) or slots_of(value)
        ):
            return _record(value, name, held)
        case _:
            return _unread(value, f"an object of class {type(value).__name__}")


def kind_from_outside(value: Any, name: str) -> Kind:
    """The kind of a value that is no argument: an argument's lengths may have the same name, and are others."""
    if is_fixed(value):
        return Static(value)
    if is_consulted(value) and not callable(value):
        return _foreign(value, f"an object of class `{type(value).__name__}`")
    return kind_of(value, f"{name}{_OUTSIDE}{id(value)}")


def _unread(value: Any, reason: str) -> Unknown:
    """The kind of a value whose parts are not known one by one."""
    return _foreign(value, reason) if _may_hold_numbers(value) else Unknown(reason, plain=is_fixed(value))


def sparse(value: Any, name: str) -> Sparse:
    """The kind of a sparse matrix or array."""
    dims = tuple(s if s <= 1 else Extent(f"{name}.{k}", least=2) for k, s in enumerate(value.shape))
    cls = type(value)
    return Sparse(_named(cls), given=True, cls=cls, dense=Array(value.dtype.name, dims))


def _foreign(value: Any, reason: str | None = None) -> Foreign:
    """The kind of an object with operators of its own, which has a shape perhaps."""
    facts = [(name, getattr(value, name)) for name in FACTS if _of_library(type(value)) and hasattr(value, name)]
    return Foreign(
        reason or _named(type(value)), tuple((name, kind_of(fact, name)) for name, fact in facts), given=True
    )


def _named(cls: type) -> str:
    return _article(cls.__name__)


def _computes_by_itself(value: Any) -> bool:
    """Whether an object's operators are not in Python: a number of a class of its own, an heir of a library's."""
    if isinstance(value, int | float | complex):
        return not isinstance(value, enum.Enum)
    return any(_of_library(base) and has_operators(base) for base in type(value).__mro__)


def _may_hold_numbers(value: Any) -> bool:
    """Whether operations of an object, or reading it, may bring numbers out that can vary."""
    match value:
        case set() | frozenset():
            return any(isinstance(v, float | complex) or _may_hold_numbers(v) for v in value)
        case None | str() | bytes() | int() | enum.Enum() | dt.date() | dt.time() | dt.timedelta():
            return False
        case _:
            return has_operators(type(value)) or hasattr(type(value), "__iter__") or hasattr(type(value), "__getitem__")


def _of_library(value: Any) -> bool:
    """Whether something is NumPy's or SciPy's own: known by its rules, not by its text."""
    return (getattr(value, "__module__", None) or "").partition(".")[0] in ("numpy", "scipy")


def _container(value: Any, name: str) -> Kind:
    if isinstance(value, dict):
        if len(value) > MAX_PLACES or not all(_plain_key(k) for k in value):
            return _table(value, name)
        keys = tuple(value)
        return Struct("dict", type(value), keys, tuple(kind_of(v, f"{name}.{k}") for k, v in value.items()))
    form = "tuple" if isinstance(value, tuple) else "list"
    if value and (form == "list" or len(value) > MAX_PLACES):
        common = [kind_of(v, f"{name}.*") for v in value]
        if all(k == common[0] for k in common):
            return Sequence(common[0], type(value))
    if len(value) > MAX_PLACES:
        reason = "a long container of values of different kinds"
        return Foreign(reason, given=True) if any(map(_may_vary, value)) else Unknown(reason)
    return Struct(
        form, type(value), tuple(range(len(value))), tuple(kind_of(v, f"{name}.{k}") for k, v in enumerate(value))
    )


_UNDERWAY: set[int] = set()  # dicts that are being looked through: an object in one may lead back to it


def _table(value: dict[Any, Any], name: str) -> Kind:
    """A dict by what all its keys and all its items have in common, or as what is not known if that is nothing."""
    unclear = Foreign("a dict with keys that are not strings or integers, or with very many", given=True)
    key: Kind = NEVER
    item: Kind = NEVER
    if id(value) in _UNDERWAY:
        return unclear
    _UNDERWAY.add(id(value))
    try:
        for k, v in value.items():
            key = join(key, key_kind(k), f"{name}.key")
            item = join(item, _text_at_most(as_item(kind_of(v, f"{name}.*"), f"{name}.*")), f"{name}.*")
            if isinstance(item, Unknown) and not isinstance(item, Text):
                break
        fits = type(value) is dict and is_item(item)  # outside, where nothing varies, any kind does
        if fits or (_OUTSIDE in name and not isinstance(item, Unknown)):
            return Table(key, item, type(value))
        return unclear if any(map(_may_vary, value.values())) else Unknown(unclear.reason)
    finally:
        _UNDERWAY.remove(id(value))


def _text_at_most(kind: Kind) -> Kind:
    """A kind in which no string is known: the next item has another."""
    match kind:
        case Static(value=str()):
            return Text("a string")
        case Struct(form="tuple", items=items):
            return dataclasses.replace(kind, items=tuple(map(_text_at_most, items)))
        case _:
            return kind


def _may_vary(value: Any) -> bool:
    kind = kind_of(value, "item")
    return is_continuous(kind) or is_foreign(kind)


def _plain_key(key: Any) -> bool:
    return isinstance(key, str | int) or (isinstance(key, tuple) and all(map(_plain_key, key)))


def _record(value: Any, name: str, held: dict[str, Any] | None = None) -> Kind:
    attributes = held or (
        vars(value)
        if hasattr(value, "__dict__")
        else {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    )
    if len(attributes) > MAX_PLACES or name.count(".") > 6:
        return Foreign(f"an object of class {type(value).__name__}", given=True)
    return Struct(
        "record", type(value), tuple(attributes), tuple(kind_of(v, f"{name}.{k}") for k, v in attributes.items())
    )


def join(a: Kind, b: Kind, site: str) -> Kind:
    """The least that is known of a value that is of one kind or the other; `site` names extents that get lost.

    >>> join(Scalar("float64"), Scalar("float64", python=False), "here")
    Scalar(dtype='float64', python=None, extent=None)
    >>> join(Scalar("float64"), Scalar("float32", python=False), "here").certain is None
    True
    """
    if a == b or isinstance(b, Never):
        return a
    if isinstance(a, Never):
        return b
    match a, b:
        case Scalar(), Scalar():
            whole = (a.dtype[0] in "iub") != (b.dtype[0] in "iub")  # it may be a whole number that stands for a real
            either = one_of(frozenset({*a.types, *b.types}), unsure=whole or None in (a.python, b.python))
            return dataclasses.replace(either, extent=a.extent if a.extent == b.extent else None)
        case Array(), Array():
            dtype = a.dtype if a.dtype == b.dtype else None
            if a.dims is None or b.dims is None or len(a.dims) != len(b.dims):
                return Array(dtype, None)
            return Array(
                dtype,
                tuple(
                    d if d == e else lost(f"{site}.{k}", d, e)
                    for k, (d, e) in enumerate(zip(a.dims, b.dims, strict=True))
                ),
            )
        case (Array() as array, Scalar() as number) | (Scalar() as number, Array() as array):
            weak = (
                all(python for _, python in number.types)
                and array.dtype is not None
                and "biufc".index(np.dtype(number.dtype).kind) <= "biufc".index(np.dtype(array.dtype).kind)
            )
            return Array(array.dtype if weak or array.dtype == number.certain else None, None)
        case Struct(), Struct() if (a.form, a.cls, a.keys, a.function) == (b.form, b.cls, b.keys, b.function):
            return Struct(
                a.form,
                a.cls,
                a.keys,
                tuple(join(x, y, f"{site}.{k}") for k, x, y in zip(a.keys, a.items, b.items, strict=True)),
                a.function,
            )
        case (Struct(items=(), function=None, cls=cls), (Struct(function=None) | Sequence()) as other) | (
            (Struct(function=None) | Sequence()) as other, Struct(items=(), function=None, cls=cls)
        ) if other.cls is cls and cls in (builtins.tuple, builtins.list):
            return as_sequence(other, site) or other  # `[]`, on its way to be filled
        case (Struct(form="dict") | Table(), Struct(form="dict") | Table()):
            one, two = as_table(a, site), as_table(b, site)
            if one is not None and two is not None and one.cls is two.cls:
                return Table(join(one.key, two.key, f"{site}.key"), join(one.item, two.item, f"{site}.*"), one.cls)
        case (Struct(), Struct()) | (Struct(), Sequence()) | (Sequence(), Struct()) | (Sequence(), Sequence()):
            x, y = as_sequence(a, site), as_sequence(b, site)
            if x is not None and y is not None and x.cls is y.cls:
                return Sequence(join(x.item, y.item, f"{site}.*"), x.cls)
    options = (*_options(a), *_options(b))
    if len(options) > 1 and _options(a) and _options(b):
        return Choice(tuple(dict.fromkeys(options)))
    if _is_text(a) and _is_text(b):
        return Text("a string")
    reason = f"it is {describe(a)} on one path and {describe(b)} on another"
    for kind in (a, b):
        if kind == Foreign(getattr(kind, "reason", "")):
            return kind  # as little is known of it as can be
    if isinstance(a, Foreign | Text) or isinstance(b, Foreign | Text):
        return Foreign(reason)
    if isinstance(a, Unknown):
        return a
    remedy = _NO_NONE if Static(None) in (a, b) else _ONE_STRUCTURE
    return b if isinstance(b, Unknown) else Unknown(reason, remedy=remedy)


@functools.lru_cache(maxsize=1024)
def one_of(types: frozenset[tuple[str, bool]], *, unsure: bool = False) -> Scalar:
    """A number of one of several types; `unsure` where Python's may stand for NumPy's, or a whole number for a real.

    >>> one_of(frozenset({("float64", True), ("float32", False)})).dtype
    'float64'
    """
    dtype = functools.reduce(promote, sorted({dtype for dtype, _ in types}))
    flags = {python for _, python in types}
    python = None if len(flags) > 1 or unsure else flags.pop()
    precision = _precision(dtype)
    differ = any(_precision(d) not in (None, precision) for d, _ in types)
    among = types if differ else {(dtype, flag) for _, flag in types}
    certain = Scalar(dtype, python)
    return certain if among == {*certain.types} else dataclasses.replace(certain, among=tuple(sorted(among)))


def _precision(dtype: str) -> str | None:
    """The dtype of the real numbers in what has a dtype; None for whole numbers."""
    return np.finfo(dtype).dtype.name if np.dtype(dtype).kind in "fc" else None


def _is_text(kind: Kind) -> bool:
    return isinstance(kind, Text) or (isinstance(kind, Static) and isinstance(kind.value, str | bytes))


def _options(kind: Kind) -> tuple[Kind, ...]:
    """The functions that a value may be, where each can be named."""
    match kind:
        case Choice(options=options):
            return options
        case Callable(target=types.FunctionType() as function) if function.__name__.isidentifier():
            return (kind,)
        case Static(value=types.BuiltinFunctionType() | np.ufunc()):
            return (kind,)
        case _:
            return ()


def lost(site: str, *dims: Dim) -> Extent:
    """A new extent for a length that is one of several."""
    return Extent(site, least=0 if any(may_be_one(d) or d == 0 for d in dims) else 2)


def as_sequence(kind: Kind, site: str) -> Sequence | None:
    """A list or tuple described by its common item kind; None for other kinds and for an empty one."""
    match kind:
        case Sequence():
            return kind
        case Struct(form="tuple" | "list", items=items, cls=cls) if items:
            common = items[0]
            for item in items[1:]:
                common = join(common, item, f"{site}.*")
            return Sequence(common, cls)
        case _:
            return None


def as_table(kind: Kind, site: str) -> Table | None:
    """A dict described by the common kinds of its keys and items; None where those are not numbers or arrays."""
    match kind:
        case Table():
            return kind
        case Struct(form="dict", keys=keys, items=items, cls=cls):
            key: Kind = NEVER
            item: Kind = NEVER
            for k, i in zip(keys, items, strict=True):
                key, item = join(key, key_kind(k), f"{site}.key"), join(item, as_item(i, f"{site}.*"), f"{site}.*")
            return Table(key, item, cls) if is_item(item) else None
        case _:
            return None


def as_item(kind: Kind, site: str) -> Kind:
    """What is known of an item that stands beside others: of a list, no more than what its items are."""
    if isinstance(kind, Struct) and kind.form == "list" and is_item(kind):
        return as_sequence(kind, site) or Sequence(NEVER, list)
    return kind


def is_item(kind: Kind) -> bool:
    """Whether a dict whose keys only the run decides may hold such items: numbers, arrays, texts and lists of these."""
    match kind:
        case Scalar() | Array() | Text() | Never():
            return True
        case Sequence(item=item, cls=cls):
            return cls is list and is_item(item)
        case Struct(form="list" | "tuple", items=items):
            return all(map(is_item, items))
        case _:
            return False


def key_kind(key: Any) -> Kind:
    """The kind of a key, in a dict that may have others of the sort as well."""
    if isinstance(key, tuple):
        return Struct("tuple", tuple, tuple(range(len(key))), tuple(map(key_kind, key)))
    return Unknown("a key of a dict") if isinstance(key, str) else kind_of(key, "key")


def promote(a: str | None, b: str | None) -> str:
    """The dtype that holds both."""
    return np.result_type(np.dtype(a or "float64"), np.dtype(b or "float64")).name


def broadcast(dims: list[tuple[Dim, ...]], site: str) -> tuple[Dim, ...]:
    """The extents of a broadcast result.

    >>> n, m = Extent("x.0", least=2), Extent("y.0", least=2)
    >>> broadcast([(n,), (1,)], "here") == (n,) == broadcast([(n,), (m,)], "here")  # else the primal raises
    True
    """
    rank = max(map(len, dims))
    result: list[Dim] = []
    for axis in range(-rank, 0):
        here = [d[axis] for d in dims if len(d) >= -axis]
        if all(d == here[0] for d in here):
            result.append(here[0])
            continue
        open_ones = [d for d in here if d != 1]
        if len(set(open_ones)) == 1:
            result.append(open_ones[0])
        elif certain := [d for d in open_ones if not may_be_one(d)]:
            result.append(certain[0])
        else:
            result.append(lost(f"{site}.{axis + rank}", *here))
    return tuple(result)


_NAMES = {"float64": "a float", "int64": "an int", "bool": "a bool", "complex128": "a complex number"}


def stands_for(cls: type) -> str | None:
    """What a class is that is read in place of a library's, in words; None for any other."""
    return getattr(cls, "STANDS_FOR", None) if cls.__module__.startswith("adcompile.analyses.readings.") else None


def describe(kind: Kind) -> str:
    """A kind in a user's words.

    >>> describe(Array("float32", (Extent("x.0", least=2), 1)))
    'a float32 array of shape (n, 1)'
    """
    match kind:
        case Scalar(dtype=dtype, python=python):
            return _NAMES.get(dtype, f"a {dtype}") if python is not False else f"a NumPy {dtype}"
        case Array(dtype=dtype, dims=None):
            return f"a number or array{f' of {dtype}' if dtype else ''}"
        case Array(dtype=dtype, dims=dims) if dims and not any(isinstance(d, int) for d in dims):
            return f"a {len(dims)}-d {dtype or 'numeric'} array"
        case Array(dtype=dtype, dims=dims) if dims is not None:
            letters = iter("nmklpqrs" * 8)
            shape = ", ".join(str(d) if isinstance(d, int) else next(letters) for d in dims)
            return f"{_article(dtype or 'numeric')} array of shape ({shape}{',' if len(dims) == 1 else ''})"
        case Struct(form="record", cls=cls):
            return stands_for(cls) or f"{_article(cls.__name__)} object"
        case Struct(form="dict", keys=keys):
            return f"a dict with keys {', '.join(map(repr, keys))}" if keys else "an empty dict"
        case Struct(cls=cls) if cls not in (tuple, list, dict):
            return f"{_article(cls.__name__)}"
        case Struct(cls=cls, items=items):
            return f"a {cls.__name__} of {len(items)}"
        case Sequence(item=Scalar(dtype=dtype, python=True), cls=cls) if dtype in _NAMES:
            return f"a {cls.__name__} of {_NAMES[dtype].split(' ', 1)[1]}s"
        case Sequence(item=item, cls=cls):
            return f"a {cls.__name__} of items that are each {describe(item)}"
        case Callable() | Choice():
            return "a function"
        case Static(value=None):
            return "None"
        case Static(value=value):
            return (
                repr(value)
                if isinstance(value, str)
                else f"the {type(value).__name__} {getattr(value, '__name__', value)}"
            )
        case Unknown(reason=reason):
            return reason or "of a kind that is not known"
        case _:
            return "of a kind that is not known"


def _article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiouAEIOU' else 'a'} {noun}"


def as_numeric(kind: Kind) -> tuple[str | None, tuple[Dim, ...] | None] | None:
    """The dtype and extents of a number or array; None for other kinds."""
    match kind:
        case Scalar():
            return kind.certain, ()
        case Array(dtype=dtype, dims=dims):
            return dtype, dims
        case _:
            return None


def map_kind(kind: Kind, change: Function[[Kind], Kind]) -> Kind:
    """Apply a change to the numbers and arrays of a kind."""
    match kind:
        case Struct(items=items):
            return dataclasses.replace(kind, items=tuple(map_kind(item, change) for item in items))
        case Sequence(item=item) | Table(item=item):
            return dataclasses.replace(kind, item=map_kind(item, change))
        case _:
            return change(kind)


def class_of(kind: Kind) -> type | None:
    """The class that all values of a kind have."""
    match kind:
        case Scalar(dtype=dtype, python=True):
            return _NUMBERS.get(dtype)
        case Struct(cls=own) | Sequence(cls=own) | Table(cls=own) if isinstance(own, type):
            return own
        case _:
            return None


def _classes(kind: Scalar) -> set[type]:
    """The classes that a number may have; a whole one may stand for a real, Python's for Python's."""
    found: set[type] = set()
    for dtype, own in kind.types:
        found.add(_NUMBERS.get(dtype, float) if own else np.dtype(dtype).type)
        if kind.python is None:
            found |= {int} if own else {np.int64, np.int32, np.uint64, np.uint32}
    return found


def _agreed(found: set[bool]) -> bool | None:
    return found.pop() if len(found) == 1 else None


def has_attribute(kind: Kind, name: str) -> bool | None:
    """Whether a value of a kind has an attribute, where its class decides that."""
    match kind:
        case Scalar():
            return _agreed({hasattr(cls, name) for cls in _classes(kind)})
        case Array(dims=dims) if dims is not None:
            return hasattr(np.ndarray, name) or (None if any(hasattr(heir, name) for heir in plain_heirs()) else False)
        case Struct(form="record", cls=own, keys=keys) if dataclasses.is_dataclass(own):
            return name in keys or hasattr(own, name) or (None if hasattr(own, "__getattr__") else False)
        case Struct(cls=own) | Sequence(cls=own) | Table(cls=own):
            bare = own in (list, tuple, dict) or (issubclass(own, tuple) and hasattr(own, "_fields"))
            return hasattr(own, name) or (False if bare else None)
        case _:
            return None


def is_instance(kind: Kind, cls: Any) -> bool | None:
    """Whether a value of a kind is an instance, where every value of the kind agrees."""
    try:
        match kind:
            case Scalar():
                return _agreed({issubclass(one, cls) for one in _classes(kind)})
            case Array(dims=dims) if dims is not None:
                if issubclass(np.ndarray, cls):
                    return True
                return None if any(issubclass(heir, cls) for heir in plain_heirs()) else False
            case Struct(cls=own) | Sequence(cls=own) | Table(cls=own) | Sparse(cls=own):
                return issubclass(own, cls)
            case Bounds():
                return issubclass(slice, cls)
            case Foreign() | Static() if all(map(stands_for, cls if isinstance(cls, tuple) else (cls,))):
                return False  # what is read in place of a library's object is a record
            case Static(value=value):
                return issubclass(type(value), cls)
            case _:
                return None
    except TypeError:
        return None
