"""From arguments to a look-up key: what of the arguments the compiler specialises on."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

# The class says everything about values of these types.
SIMPLE = frozenset((
    float, int, bool, complex, np.float64, np.float32, np.complex128, np.complex64, np.int64, np.int32, np.bool_,
    type(None),
))  # fmt: skip
_MANY = 64
_DEPTH = 6
_DEEPEST = 100
_OPERATORS = frozenset(
    {
        *("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__matmul__", "__rmatmul__"),
        *("__truediv__", "__rtruediv__", "__pow__", "__rpow__", "__neg__", "__float__", "__complex__"),
        *("__array__", "__array_ufunc__", "__array_function__", "__array_interface__", "__array_struct__"),
    }
)
_HARMLESS = frozenset(  # what a class of arrays may define for itself without changing what any operation gives
    {
        *("__new__", "__init__", "__init_subclass__", "__array_finalize__", "__array_priority__", "__del__"),
        *("__doc__", "__module__", "__dict__", "__weakref__", "__slots__", "__annotations__", "__dir__", "__sizeof__"),
        *("__repr__", "__str__", "__format__", "__hash__", "__reduce__", "__reduce_ex__", "__getstate__"),
        *("__setstate__", "__class_getitem__", "__firstlineno__", "__static_attributes__"),
    }
)


def has_operators(cls: type) -> bool:
    """Whether values of a class have operators, or a way to become an array, of their own.

    >>> has_operators(np.poly1d), has_operators(np.random.Generator)
    (True, False)
    """
    return any(not _OPERATORS.isdisjoint(vars(base)) for base in cls.__mro__[:-1])


def is_plain_array(cls: type) -> bool:
    """Whether arrays of a class compute as NumPy's own do: what the class adds changes no operation.

    >>> is_plain_array(np.ndarray), is_plain_array(np.memmap), is_plain_array(np.ma.MaskedArray)
    (True, True, False)
    """
    if cls is np.ndarray or not issubclass(cls, np.ndarray):
        return cls is np.ndarray
    own = {name for base in cls.__mro__ if issubclass(base, np.ndarray) for name in _added(base)}
    return own.isdisjoint({*dir(np.ndarray), "__array_ufunc__", "__array_function__"})


def plain_heirs(of: type = np.ndarray) -> Iterator[type]:
    """The classes of arrays other than NumPy's own that compute as those do."""
    heirs: list[type] = of.__subclasses__()
    for heir in heirs:
        if is_plain_array(heir):
            yield heir
            yield from plain_heirs(heir)


def _added(base: type) -> set[str]:
    """What a class of arrays defines that could change what its arrays compute; NumPy's `memmap` changes nothing."""
    return set() if base in (np.ndarray, np.memmap) else set(vars(base)) - _HARMLESS


def is_sparse(cls: type) -> bool:
    """Whether a class is one of `scipy.sparse`'s matrices and arrays."""
    return cls.__module__.startswith("scipy.sparse.") and hasattr(cls, "tocsr")


def key_of(value: Any, depth: int = 0, level: int = 0) -> Any:
    """A hashable description of a value that is equal for values of one kind.

    `depth` is in how many objects it is, `level` in how many containers. A list that contains itself ends in a
    `RecursionError`, where the stack still has room.

    >>> key_of(2.0) == key_of(3.0), key_of(np.zeros(3)) == key_of(np.zeros(4))
    (True, True)
    >>> key_of(np.zeros(3)) == key_of(np.zeros(1))
    False
    """
    cls = type(value)
    if cls in SIMPLE:
        return cls
    if cls is np.ndarray:
        return (value.dtype.num, tuple([s if s <= 1 else 2 for s in value.shape]))
    if isinstance(value, np.ndarray) or is_sparse(cls):
        return (cls, value.dtype.num, tuple([s if s <= 1 else 2 for s in value.shape]))
    if isinstance(value, set | frozenset):
        return (cls, frozenset(map(type, value)))
    if level > _DEEPEST:
        raise RecursionError(f"more than {_DEEPEST} containers in each other")
    if isinstance(value, tuple):
        return (cls, *[key_of(v, depth, level + 1) for v in value])
    if isinstance(value, list):
        keys = [key_of(v, depth, level + 1) for v in value]
        # Lists of one kind of item share a text whatever their length.
        return (cls, "*", keys[0]) if keys and all(k == keys[0] for k in keys) else (cls, *keys)
    if isinstance(value, dict):
        return (cls, tuple(value), *[key_of(v, depth, level + 1) for v in value.values()])
    if isinstance(
        value, str | bytes | np.dtype | types.FunctionType | type | types.ModuleType | types.BuiltinFunctionType
    ):
        return (cls, value)
    if isinstance(value, functools.partial):
        given = (*value.args, *value.keywords.values())
        return (cls, key_of(value.func, depth), tuple(value.keywords), *[key_of(v, depth) for v in given])
    if isinstance(value, types.MethodType):
        return (cls, value.__func__, key_of(value.__self__, depth + 1))
    if isinstance(value, np.generic):
        return cls
    if isinstance(value, slice):
        return (cls, key_of(value.start), key_of(value.stop), key_of(value.step))
    if callable(value) and not isinstance(inspect.getattr_static(cls, "__call__", None), types.FunctionType):
        return (cls, value if _is_hashable(value) else id(value))
    return _object_key(value, depth)


def _is_hashable(value: Any) -> bool:
    """Whether a value has a hash: a weak reference has that of what it refers to."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def test_of(spelled: str, name: str, value: Any, own: dict[str, Any], lengths: Mapping[int, str]) -> str | None:
    """The text of a test that only values of the same key as this one pass, or None if there is no quick one.

    What the text refers to is put into `own`, and marked with @ in the text; `name` is part of these names. `lengths`
    says what is tested of the lengths of some axes, instead of that they are more than 1.

    >>> test_of("x", "x", 2.0, own := {}, {}), own
    ('x.__class__ is @class_x', {'class_x': <class 'float'>})
    >>> test_of("x", "x", np.zeros((2, 3)), {}, {1: "== 3"})
    'x.__class__ is @class_x and x.dtype is @dtype_x and x.ndim == 2 and (@s := x.shape)[0] > 1 and @s[1] == 3'
    """
    cls = type(value)
    own[f"class_{name}"] = cls
    same = f"{spelled}.__class__ is @class_{name}"
    if cls in SIMPLE:
        return same
    if cls is not np.ndarray or not value.ndim or min(value.shape) <= 1:
        return None
    own[f"dtype_{name}"] = value.dtype
    same += f" and {spelled}.dtype is @dtype_{name} and {spelled}.ndim == {value.ndim}"
    tests = [lengths.get(k, "> 1") for k in range(value.ndim)]
    if value.ndim == 1:
        return f"{same} and @len({spelled}) {tests[0]}"
    rest = "".join(f" and @s[{k}] {test}" for k, test in enumerate(tests) if k)
    return f"{same} and (@s := {spelled}.shape)[0] {tests[0]}{rest}"


def _object_key(value: Any, depth: int) -> Any:
    """The key of an object by its attributes; objects may refer to each other in a ring, so there is an end to it."""
    cls = type(value)
    attributes = getattr(value, "__dict__", None)
    if attributes is None and hasattr(cls, "__dataclass_fields__"):
        attributes = {name: getattr(value, name) for name in cls.__dataclass_fields__}
    if attributes is None:
        attributes = slots_of(value)
    if len(attributes) > _MANY or depth > _DEPTH:
        return (cls, id(value))
    return (cls, *[(k, key_of(v, depth + 1)) for k, v in attributes.items()])


def slots_of(value: Any) -> dict[str, Any]:
    """The attributes of an object for which its class and its bases keep `__slots__`, as far as they are set."""
    named = [vars(cls).get("__slots__", ()) for cls in type(value).__mro__]
    names = [name for slots in named for name in ((slots,) if isinstance(slots, str) else slots)]
    return {name: getattr(value, name) for name in names if hasattr(value, name)}


def at(value: Any, path: Iterable[Any]) -> Any:
    """A part of a structure, by keys, positions and the names of attributes."""
    for key in path:
        is_item = isinstance(value, dict) or (isinstance(value, list | tuple) and isinstance(key, int))
        value = value[key] if is_item else getattr(value, key)
    return value


def parameters(fn: types.FunctionType) -> list[str]:
    """The names of a function's parameters, in the order in which they are passed on."""
    code = fn.__code__
    names = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    positional, keyword = names[: code.co_argcount], names[code.co_argcount :]
    rest = list(code.co_varnames[len(names) :])
    if code.co_flags & 0x04:
        positional.append(rest.pop(0))
    return [*positional, *keyword, *([rest.pop(0)] if code.co_flags & 0x08 else [])]


def passed_on(parameters: Mapping[str, inspect.Parameter], names: Iterable[str] | None = None) -> str:
    """The arguments with which a function is called that has these parameters, each under its name or another.

    >>> passed_on(inspect.signature(lambda a, *b, c=1, **d: 0).parameters)
    'a, *b, c=c, **d'
    """
    ways = {"VAR_POSITIONAL": "*{1}", "VAR_KEYWORD": "**{1}", "KEYWORD_ONLY": "{0}={1}"}
    pairs = zip(parameters.items(), parameters if names is None else names, strict=True)
    return ", ".join(ways.get(p.kind.name, "{1}").format(name, given) for (name, p), given in pairs)
