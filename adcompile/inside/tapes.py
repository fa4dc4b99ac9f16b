"""How many bytes the tapes of a call take, counted where they are longest: between the two sweeps."""

from __future__ import annotations

import contextlib
import copy
import re
import sys
import types
from typing import Any

import numpy as np

_BACKWARD = re.compile(r"^    # Backward sweep$", re.MULTILINE)
_TAPE = re.compile(r"_(tape|snapshots)(_\d+)?$")


class _ForwardDone(Exception):  # noqa: N818 - it is no error
    """Ends a call before its backward sweep."""


def tape_bytes(text: str, function: types.FunctionType, arguments: tuple[Any, ...]) -> dict[str, int]:
    """The bytes on each tape when the forward sweep of a generated function is done; the rest is not run."""
    start = text.find(f"def {function.__name__}(")
    found = _BACKWARD.search(text, max(start, 0))
    if start < 0 or found is None:
        return {}
    held: dict[str, Any] = {}

    def done(names: dict[str, Any]) -> None:
        held.update({name: value for name, value in names.items() if _TAPE.search(name)})
        raise _ForwardDone

    program = f"{text[start : found.start()]}    forward_is_done(locals())\n"
    namespace = {**function.__globals__, "forward_is_done": done}
    exec(compile(program, "<forward sweep>", "exec"), namespace)  # noqa: S102 - a part of the generated text
    with contextlib.suppress(_ForwardDone):
        namespace[function.__name__](*copy.deepcopy(arguments))
    seen: set[int] = set()
    return {name: _size(value, seen) for name, value in held.items()}


def _size(value: Any, seen: set[int]) -> int:
    """The bytes of a value and of what it holds, each object once."""
    if id(value) in seen:
        return 0
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        base = value.base
        return sys.getsizeof(value) + (_size(base, seen) if isinstance(base, np.ndarray) else 0)
    if isinstance(value, np.generic):
        return type(value).__basicsize__  # `getsizeof` counts the number itself twice
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    own = 0 if isinstance(value, bool | None) or (isinstance(value, int) and -6 < value < 257) else sys.getsizeof(value)
    return own + sum(_size(part, seen) for part in inner)
