"""The numbers that vary in a value, container or not: read out one after the other, and put back with others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adcompile.calls.arguments.sets import parts_of, rebuilt
from adcompile.calls.arguments.signature import at
from adcompile.ir.kinds import Array, Kind, Scalar, Sequence, Struct, is_continuous
from adcompile.runtime.arrays import object_of

_EXACT = 2**53  # whole numbers up to here are the same as floats

Numbers = np.ndarray[Any, Any]


class StructureError(Exception):
    """Two values that should have the same structure have not; the text says where and how."""


def numbers(value: Any, kind: Kind | None, path: str = "", *others: Any) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    """Each number or array in a value that can vary: its name, itself, and what stands there in `others`.

    `kind` is what the compiler knows of the value: it tells whole numbers that stand for reals from counts. Raises
    `StructureError` where one of `others` has other parts.

    >>> [(path, part) for path, part, _ in numbers({"w": [1.0, 2.0], "n": 3}, None, "p")]
    [("p['w'][0]", 1.0), ("p['w'][1]", 2.0)]
    """
    parts = _parts_of(value, kind)
    if parts is None:
        if _varies(value, kind):
            yield path, value, others
        return
    found = [_parts_of(other, kind) for other in others]
    for other, inner in zip(others, found, strict=True):
        if inner is None or list(inner) != list(parts):
            raise StructureError(f"{path} is a {type(value).__name__} of {len(parts)}, its partial {other!r}")
    for key, part in parts.items():
        name = f"{path}[{key!r}]" if isinstance(value, list | tuple | dict) else f"{path}.{key}"
        yield from numbers(part, _part_kind(kind, key), name, *(inner[key] for inner in found if inner is not None))


def with_numbers(value: Any, kind: Kind | None, given: Iterator[Any], *, tangent: bool = False) -> Any:
    """The value with others in place of its numbers that can vary, in their order.

    For a `tangent`, what cannot vary is 0.0, or None where it is no number.

    >>> with_numbers({"w": [1.0, 2.0], "n": 3}, None, iter([5.0, 6.0]))
    {'w': [5.0, 6.0], 'n': 3}
    """
    parts = _parts_of(value, kind)
    if parts is not None:
        inner = [with_numbers(part, _part_kind(kind, key), given, tangent=tangent) for key, part in parts.items()]
        if parts_of(value) is None:
            return object_of(type(value), **getattr(value, "__dict__", {}) | dict(zip(parts, inner, strict=True)))
        return rebuilt(value, inner)
    if _varies(value, kind):
        return next(given)
    if tangent:
        return 0.0 if isinstance(value, int | np.number) else None
    return value


def as_number(value: Any, found: Numbers) -> Any:
    """An array as what stands for it in place of `value`: a number of Python's or of NumPy's, or an array."""
    if isinstance(value, np.ndarray):
        own = np.empty_like(value, found.dtype)  # laid out in memory as that is
        own[...] = found
        return own
    if isinstance(value, np.inexact):
        return found[()]
    return found.item()


def dtype_of(value: Any) -> np.dtype[Any]:
    """The dtype of the partial of a number or array, in the machine's own byte order."""
    found = np.asarray(value).dtype
    return found.newbyteorder("=") if found.kind in "fc" else np.dtype(float)


def _varies(value: Any, kind: Kind | None) -> bool:
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype.kind in "fc":
            return not isinstance(kind, Scalar | Array) or kind.dtype is None or kind.dtype[0] in "fc"
        return value.dtype.kind in "iu" and isinstance(kind, Scalar) and kind.dtype[0] == "f"
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return isinstance(kind, Scalar) and kind.dtype[0] == "f" and abs(value) <= _EXACT
    return isinstance(value, float | complex)


def _parts_of(value: Any, kind: Kind | None) -> dict[Any, Any] | None:
    """The parts of a container; of an object of an ordinary class, too, where the compiler knows them."""
    parts = parts_of(value)
    if parts is None and isinstance(kind, Struct) and kind.form == "record" and isinstance(value, kind.cls):
        return {key: getattr(value, key) for key in kind.keys if hasattr(value, key)}
    return parts


def _part_kind(kind: Kind | None, key: Any) -> Kind | None:
    match kind:
        case Struct():
            return kind.item(key)
        case Sequence(item=item):
            return item
        case _:
            return None


def without_counts(value: Any, kind: Kind) -> Any:
    """A product or partial as lists of numbers: 0.0 stands where a whole number that counts was left."""
    match kind:
        case Sequence(item=item):
            return [without_counts(part, item) for part in value]
        case Struct(keys=keys, items=items):
            return [without_counts(at(value, (key,)), item) for key, item in zip(keys, items, strict=True)]
        case Scalar(dtype=dtype) if dtype[0] in "biu":
            return 0.0
        case _:
            return value


def spelled(name: str, kind: Kind, path: tuple[Any, ...]) -> str:
    """How a part of a structure is read."""
    for key in path:
        is_record = isinstance(kind, Struct) and kind.form == "record"
        name = f"{name}.{key}" if is_record else f"{name}[{key!r}]"
        kind = (kind.item(key) if isinstance(kind, Struct) else None) or kind
    return name


def shaped(kind: Kind, value: Any, leaf: Callable[[tuple[Any, ...]], Any], path: tuple[Any, ...] = ()) -> Any:
    """A structure like an input, of what belongs to the numbers and arrays in it; counts and names stay."""
    if not isinstance(kind, Struct):
        return leaf(path) if is_continuous(kind) else value
    parts = {
        key: shaped(item, at(value, (key,)), leaf, (*path, key))
        for key, item in zip(kind.keys, kind.items, strict=True)
    }
    if kind.form == "record":
        return object_of(type(value), **parts)
    if kind.form == "dict":
        return parts
    return list(parts.values()) if kind.form == "list" else tuple.__new__(kind.cls, parts.values())
