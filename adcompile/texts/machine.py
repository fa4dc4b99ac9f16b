"""The text that machine code is made of, as a part of an entry on disk (`on_disk.py`): Numba is given it once more.

The machine code itself has a cache of its own (`load/machine_cache.py`), where the same text finds it. So another
process loads Numba, and neither parses nor analyses.
"""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.errors import JitWarning
from adcompile.load.adapted import adapted
from adcompile.load.jit import compile_native, extra

if TYPE_CHECKING:
    from adcompile.load.module import Module
    from adcompile.pipeline.machine import Machine


class UntellableError(Exception):
    """Something that machine code was made for means nothing in another process."""


def numba_version() -> str:
    """The version of Numba; `JitError` where it is not installed."""
    return str(extra("numba").__version__)


def told(machine: Machine, own: int, *, seeded: bool, place: Callable[[Any], int]) -> dict[str, Any]:
    """What `call` needs to make machine code again, but for its module. `own` arguments are the user's.

    `place` notes how something from outside is found again. `UntellableError` where something has no such way.
    """
    native = machine.native
    given = native.arguments[: len(native.arguments) - len(machine.outer)]
    leads = len(given) - own
    examples = given[:leads] if seeded else given[own:]
    return {
        "name": native.name,
        "options": dict(native.options),
        "dtypes": _dtypes_told(native.dtypes),
        "classes": {k: _class_told(cls) for k, cls in machine.classes.items()},
        "types": _types_told(machine.types),
        "outer": [place(value) for value in machine.outer],
        "examples": list(map(_example_told, examples)),
        "said": machine.said,
    }


def call(
    found: Mapping[str, Any], module: Module, arguments: tuple[Any, ...], held: list[Any], *, seeded: bool
) -> Callable[..., Any]:
    """Machine code for arguments, from what `told` wrote down; `held` is what the places lead to."""
    examples = tuple(map(_example, found["examples"]))
    classes = {int(k): _class(told) for k, told in found["classes"].items()}
    given = list((*examples, *arguments) if seeded else (*arguments, *examples))
    for k, cls in classes.items():
        given[k] = cls(given[k])
    outer = [held[k] for k in found["outer"]]
    if found["said"]:
        warnings.warn(found["said"], JitWarning, stacklevel=7)
    native = compile_native(
        module, found["name"], (*given, *outer), found["options"], _dtypes(found["dtypes"]), on_disk=True
    )
    types = _types(found["types"])
    return adapted(native.call, classes, outer, types) if classes or outer or types else native.call


def _class_told(cls: type) -> list[str]:
    if cls.__module__ not in ("builtins", "numpy"):
        raise UntellableError
    return [cls.__module__, cls.__name__]


def _class(found: list[str]) -> Any:
    home, name = found
    return getattr(builtins if home == "builtins" else np, name)


def _types_told(types: Any) -> Any:
    if isinstance(types, tuple):
        return {"parts": list(map(_types_told, types))}
    return None if types is None else _class_told(types)


def _types(found: Any) -> Any:
    if isinstance(found, dict):
        return tuple(map(_types, found["parts"]))
    return None if found is None else _class(found)


def _dtypes_told(dtypes: Any) -> Any:
    if isinstance(dtypes, tuple):
        return list(map(_dtypes_told, dtypes))
    return "..." if dtypes is ... else dtypes


def _dtypes(found: Any) -> Any:
    if isinstance(found, list):
        return tuple(map(_dtypes, found))
    return ... if found == "..." else found


def _example_told(value: Any) -> Any:
    """A seed or tangent by its type, and the rank of an array: such as `pipeline.machine` makes."""
    if type(value) is tuple:
        return {"parts": list(map(_example_told, value))}
    if type(value) is np.ndarray:
        return {"dtype": value.dtype.str, "rank": value.ndim}
    return _class_told(type(value))


def _example(found: Any) -> Any:
    match found:
        case {"parts": parts}:
            return tuple(map(_example, parts))
        case {"dtype": dtype, "rank": rank}:
            return np.ones((2,) * rank, dtype)
    return _class(found)(1)
