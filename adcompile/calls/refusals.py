"""What was refused is refused again at once: compiling it once more would take as long, and end the same.

As long as nothing changed that the refusal was made from, and the arguments are alike down to what machine code depends
on: a look-up key leaves out how arrays lie in memory, and how large whole numbers are.
"""

from __future__ import annotations

import copy
import types
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

import numpy as np

from adcompile.errors import ADError, NeverReturnsError, SourceError

if TYPE_CHECKING:
    from adcompile.calls.arguments.lengths import Facts
    from adcompile.texts.watches import Watches

_MOST: Final = 256
_MOST_FLAGS: Final = 8
_DEPTH: Final = 8
_WORD: Final = 63  # bits of a whole number in machine code


class Refusal(NamedTuple):
    """An error, and what it was made from."""

    error: ADError | NeverReturnsError
    watches: Watches
    facts: Facts  # for which arguments

    def repeat(self) -> NoReturn:
        """Raise it again: one of its own for each call."""
        raise copy.copy(self.error) from self.error.__cause__


class Refusals(dict[Any, list[Refusal]]):
    """The refusals of one function, by the key and the details of arguments."""

    def check(self, key: Any, arguments: tuple[Any, ...]) -> None:
        """Raise what these arguments had before, if that still holds."""
        if self:
            for found in self.get((key, details(arguments)), ()):
                if found.facts.hold(arguments) and found.watches.hold():
                    found.repeat()

    def keep(
        self,
        key: Any,
        arguments: tuple[Any, ...],
        error: ADError | NeverReturnsError,
        watches: Watches,
        facts: Facts,
    ) -> None:
        """Remember an error, unless what it comes from is not watched: a source file, or a missing package."""
        if isinstance(error, SourceError) or isinstance(error.__cause__, ImportError) or not watches.hold():
            return
        if len(self) >= _MOST:
            del self[next(iter(self))]
        others = self.get((key, details(arguments)), [])[1 - _MOST_FLAGS :]
        self[key, details(arguments)] = [
            *(other for other in others if not other.facts.hold(arguments)),
            Refusal(error, watches, facts),
        ]


def details(value: Any, depth: int = _DEPTH) -> Any:
    """What machine code depends on, and a look-up key does not tell.

    >>> details((np.ones(3), 2)) == details((np.zeros(3), 5)), details(np.ones(6)) == details(np.ones(6)[::2])
    (True, False)
    """
    match value:
        case np.ndarray():
            return value.dtype, value.flags.c_contiguous, value.flags.f_contiguous, value.flags.writeable
        case int():
            return value.bit_length() > _WORD
        case tuple() | list() if depth:
            return tuple([details(part, depth - 1) for part in value])
        case dict() if depth:
            return tuple([details(part, depth - 1) for part in value.values()])
        case float() | complex() | str() | bytes() | np.generic() | None | type() | types.ModuleType():
            return None
        case types.FunctionType() | types.BuiltinFunctionType():
            return None
        case _ if depth and hasattr(value, "__dict__"):
            return details(vars(value), depth - 1)
        case _:
            return object()  # which equals no other
