"""What a value is, in words that mean the same in another process: nested lists of texts and numbers.

Functions are described by their code and their lines, classes by what stands in them, values by their contents. What a
library has is described by its name. Of what has no such description, nothing is said (`UndescribableError`).

>>> described(2.0), described([1, "a"])
(['float', '0x1.0000000000000p+1'], ['list', ['int', 1], ['str', 'a']])
>>> import math
>>> described(math.sin), described(math)
(['named', 'math', 'sin'], ['module', 'math'])
"""

from __future__ import annotations

import functools
import linecache
import sys
import types
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, Final

import numpy as np

from adcompile.calls.arguments.signature import SIMPLE, is_plain_array
from adcompile.texts.watches import ABSENT, is_library

_DEEPEST: Final = 8
_LONGEST: Final = 1000
_LARGEST: Final = (
    1 << 16
)  # bytes of an array whose numbers count: a text may write out small ones, and never large ones
_NAMESPACES: Final = ("builtins", "math", "cmath", "operator", "numpy", "numpy.linalg", "scipy.special", "scipy.stats")
_OF_CLASSES: Final = frozenset(
    {
        *("__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__match_args__", "__qualname__"),
        *("__firstlineno__", "__static_attributes__", "__dataclass_params__", "__abstractmethods__", "_abc_impl"),
    }
)

Description = list[Any]

_underway: ContextVar[frozenset[type]] = ContextVar("adcompile_underway", default=frozenset())


class UndescribableError(Exception):
    """Nothing can be said of a value that another process could compare."""


def described(value: Any, depth: int = 0) -> Description:
    """A description that only equal values have; of objects, with what their attributes are."""
    cls = type(value)
    if depth > _DEEPEST:
        raise UndescribableError
    simple = _simple(value)
    if simple is not None:
        return simple
    if isinstance(value, np.ndarray):
        return _array(value, exact=value.nbytes <= _LARGEST)
    if isinstance(value, list | tuple | dict) and len(value) > _LONGEST:
        raise UndescribableError
    if cls in (tuple, list):
        return [cls.__name__, *[described(item, depth + 1) for item in value]]
    if cls in (set, frozenset):
        return [cls.__name__, *sorted((described(item, depth + 1) for item in value), key=repr)]
    if cls is dict:
        return ["dict", *[[described(k, depth + 1), described(v, depth + 1)] for k, v in value.items()]]
    if isinstance(value, types.CodeType):
        return _code(value)
    if isinstance(value, types.FunctionType) and not _is_ours_or_library(value.__module__):
        return ["function", str(value.__module__), value.__qualname__, _code(value.__code__)]
    if isinstance(value, types.ModuleType):
        if vars(sys.modules.get(value.__name__, types)) is not vars(value):
            raise UndescribableError
        return ["module", value.__name__]
    if isinstance(value, type):
        return _class(value, depth)
    if isinstance(value, staticmethod | classmethod):
        return [cls.__name__, described(value.__func__, depth + 1)]
    if isinstance(value, property):
        return ["property", *[described(f, depth + 1) for f in (value.fget, value.fset, value.fdel)]]
    if isinstance(value, types.MethodType):
        return ["method", described(value.__func__, depth + 1), described(value.__self__, depth + 1)]
    if isinstance(value, functools.partial):
        parts = (value.func, value.args, value.keywords)
        return ["partial", *[described(part, depth + 1) for part in parts]]
    if isinstance(value, types.MemberDescriptorType | types.GetSetDescriptorType):
        return ["descriptor", value.__name__]
    named = name_of(value)
    return ["named", *named] if named is not None else _object(value, depth, described)


def kind_described(value: Any, depth: int = 0) -> Description:
    """What a look-up key says of an argument: its type, the dtype and rank of an array, which axes are short."""
    cls = type(value)
    if depth > _DEEPEST:
        raise UndescribableError
    if cls in SIMPLE:
        return [cls.__module__, cls.__name__]
    if isinstance(value, np.ndarray):
        return _array(value, exact=False)
    if cls in (tuple, list):
        return [cls.__name__, *[kind_described(item, depth + 1) for item in value]]
    if cls is dict and all(type(key) is str for key in value):
        return ["dict", *[[k, kind_described(v, depth + 1)] for k, v in value.items()]]
    if isinstance(value, str):
        return ["str", str(value)]
    if callable(value) or isinstance(value, type | types.ModuleType):
        raise UndescribableError
    return _object(value, depth, kind_described)


def name_of(value: Any) -> tuple[str, str] | None:
    """The module of a library and the name under which it has an object; None where none has it.

    >>> name_of(np.exp), name_of(len), name_of(np.c_), name_of(name_of)
    (('numpy', 'exp'), ('builtins', 'len'), ('numpy', 'c_'), ('adcompile.texts.described', 'name_of'))
    """
    home = getattr(value, "__module__", None)
    own: list[str] = [home] if isinstance(home, str) and _is_ours_or_library(home) else []
    for attribute in ("__qualname__", "__name__", "name"):  # the last one is that of SciPy's distributions
        name = getattr(value, attribute, None)
        if isinstance(name, str):
            for module in (*own, *_NAMESPACES):
                if found_at(module, name) is value:
                    return module, name
    if is_library(type(value).__module__):  # `np.c_` does not tell its name
        for module in _NAMESPACES:
            for name, held in list(vars(sys.modules.get(module, types)).items()):
                if held is value:
                    return module, name
    return None


def found_at(module: str, name: str) -> Any:
    """What a module that is loaded has under a name, which may have dots; `ABSENT` where there is none."""
    found = sys.modules.get(module, ABSENT)
    for part in name.split("."):
        found = getattr(found, part, ABSENT)
    return found


def _is_ours_or_library(module: str | None) -> bool:
    """Whether a module is one whose files the versions speak for."""
    return is_library(module) or (isinstance(module, str) and module.partition(".")[0] == "adcompile")


def _simple(value: Any) -> Description | None:
    cls = type(value)
    if value is None or value is ... or value is ABSENT:
        return [repr(value)]
    if cls in (bool, int, str):
        return [cls.__name__, value if cls is not int else str(value) if abs(value) >= 1 << 53 else value]
    if cls is float:
        return ["float", value.hex()]
    if cls is complex:
        return ["complex", value.real.hex(), value.imag.hex()]
    if cls is bytes:
        return ["bytes", value.hex()]
    if cls is slice:
        return ["slice", *[described(end) for end in (value.start, value.stop, value.step)]]
    if isinstance(value, np.dtype):
        return ["dtype", value.str, str(value)]
    if isinstance(value, np.generic) and cls.__module__ == "numpy" and value.dtype.kind in "biufc":
        return [cls.__name__, value.tobytes().hex()]
    return None


def _array(value: Any, *, exact: bool) -> Description:
    cls = type(value)
    if not is_plain_array(cls) or value.dtype.kind not in "biufcSU":
        raise UndescribableError
    said = [cls.__module__, cls.__qualname__, value.dtype.str]
    if exact:
        return [*said, list(value.shape), value.tobytes().hex()]
    return [*said, [min(length, 2) for length in value.shape]]


def _code(code: types.CodeType) -> Description:
    """What runs, and the lines that it was made from, which a text shows."""
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 : _last_line(code)]
    return [
        *(
            "code",
            code.co_qualname,
            code.co_firstlineno,
            "".join(lines),
            code.co_code.hex(),
            code.co_exceptiontable.hex(),
        ),
        *(list(names) for names in (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)),
        *(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags),
        [described(each) for each in code.co_consts],
    ]


def _last_line(code: types.CodeType) -> int:
    last = max((line for _, _, line in code.co_lines() if line is not None), default=code.co_firstlineno)
    return max([last, *[_last_line(each) for each in code.co_consts if isinstance(each, types.CodeType)]])


def _class(cls: type, depth: int) -> Description:
    if _is_ours_or_library(cls.__module__):
        if found_at(cls.__module__, cls.__qualname__) is not cls:
            raise UndescribableError
        return ["class", cls.__module__, cls.__qualname__]
    underway = _underway.get()
    if cls in underway:  # as the members of an enum are of the class that they stand in
        return ["class", cls.__module__, cls.__qualname__]
    token = _underway.set(underway | {cls})
    try:
        parts = [[name, *_member(value, depth)] for name, value in vars(cls).items() if name not in _OF_CLASSES]
        bases = [described(base, depth + 1) for base in cls.__bases__]
    finally:
        _underway.reset(token)
    return ["class", cls.__module__, cls.__qualname__, bases, sorted(parts, key=lambda part: part[0])]


def _member(value: Any, depth: int) -> Iterator[Any]:
    """What stands in a class: what a text was made of is watched besides, so that the sort of the others is enough."""
    try:
        yield described(value, depth + 1)
    except UndescribableError:
        yield [type(value).__module__, type(value).__qualname__]


def _object(value: Any, depth: int, described_part: Any) -> Description:
    """An object by its class and its attributes."""
    cls = type(value)
    attributes = getattr(value, "__dict__", None)
    if attributes is None and hasattr(cls, "__dataclass_fields__"):
        attributes = {name: getattr(value, name) for name in cls.__dataclass_fields__}
    if attributes is None and isinstance(value, tuple) and hasattr(cls, "_fields"):
        attributes = dict(zip(cls._fields, value, strict=True))
    if not isinstance(attributes, dict) or isinstance(value, list | dict | set) or _is_ours_or_library(cls.__module__):
        raise UndescribableError
    return [described(cls, depth + 1), *[[k, described_part(v, depth + 1)] for k, v in attributes.items()]]
