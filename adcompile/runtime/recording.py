"""What a text that is being recorded calls: it hands a value on, and takes note of it and, later, of its partial.

Such a text is made from the user's function with a note of each operation and operand
(`differentiate/backward/recorded.py`).
Its forward sweep notes the values in order of execution, its backward sweep the partials, each where it is complete.
"""

from __future__ import annotations

import copy
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

Role = Literal[
    "operation",
    "operand",
    "constant",
    "container",
    "call",
    "return",
    "loop",
    "step",
    "done",
    "held",
]


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the user's source at which something is noted.

    `name` is what the user calls the value there, None for a part of an expression. `operands` are the sites of the
    operands, or the names of variables that are read as they are, `constants` the texts of literals beside them.
    `changes` is the variable that an update in place changes, `cuts` says that no dependence passes. Of a loop, `name`
    are its variables; "step" and "done" name the site of the loop as their operand.
    """

    number: int
    role: Role
    function: str
    filename: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    operation: str = ""
    name: str | None = None
    operands: tuple[int | str, ...] = ()
    changes: str | None = None
    constants: tuple[str, ...] = ()
    cuts: bool = False


@dataclass(slots=True)
class Sites:
    """The places of a text at which notes are taken.

    With `around` "everything" they are taken of operations, operands and parts of arrays, with "calls" of operations
    and calls, with "operators" of arithmetic alone, whose results are certainly new.
    """

    around: Literal["everything", "calls", "operators"] = "everything"
    places: list[Site] = field(default_factory=list)
    functions: list[Any] = field(default_factory=list)  # that have theirs


class Note(NamedTuple):
    """A value that was noted: what was handed on, by which it is known again; what came in; a copy as it was then."""

    site: int
    handed_on: Any
    given: Any
    copied: Any


@dataclass
class Log:
    """What one run noted. `partials` are in the order of the backward sweep."""

    values: list[Note] = field(default_factory=list)
    partials: list[tuple[int, Any]] = field(default_factory=list)

    def value(self, value: Any, site: int) -> Any:
        """Note a value, and hand on an object of its own for it."""
        own = _another(value)
        # An iterator has no copy.
        kept = value if hasattr(value, "__next__") else copy.copy(value)
        self.values.append(Note(site, own, value, kept))
        return own

    def partial(self, value: Any, site: int) -> Any:
        """Note a finished partial, and hand it on."""
        self.partials.append((site, copy.copy(value)))
        return value


current: ContextVar[Log | None] = ContextVar("current", default=None)


class Noting:
    """Hands a value on, and notes it while a run is recorded."""

    __slots__ = ()

    def __call__(self, value: Any, site: int) -> Any:
        """The value, to the bit; of an array, a view of all of it."""
        log = current.get()
        return value if log is None else log.value(value, site)


class NotingPartial:
    """Hands a finished partial on, and notes it."""

    __slots__ = ()

    def __call__(self, value: Any, site: int) -> Any:
        """The partial itself."""
        log = current.get()
        return value if log is None else log.partial(value, site)


class Mark:
    """Notes that a place was passed, and with what: what a function was given, the container that was made."""

    __slots__ = ()
    __name__ = "marked"

    def __call__(self, site: int, *given: Any) -> None:
        """Note it."""
        log = current.get()
        if log is not None:
            copies = tuple(v.copy() if isinstance(v, np.ndarray) else v for v in given)
            log.values.append(Note(site, None, given, copies))


def _another(value: Any) -> Any:
    """A second object for one value; of an array, a view of all of it."""
    if isinstance(value, np.ndarray):
        return value[...]
    if isinstance(value, np.generic):
        return np.array(value)[()]
    if isinstance(value, float):
        return value * 1.0  # keeps the sign of zero, which adding 0.0 does not
    if isinstance(value, complex):
        return complex(value.real, value.imag)
    return value


noted = Noting()
partial_noted = NotingPartial()
marked = Mark()
