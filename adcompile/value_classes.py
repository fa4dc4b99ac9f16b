"""Value classes: dataclasses whose objects never change, which are quick to define and quick to make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value_class(*, eq: bool = True, kw_only: bool = False) -> Callable[[type[_T]], type[_T]]:
    """A dataclass to which nothing is assigned; with `eq` its objects compare, and are keys, by what they hold.

    That nothing is assigned is left to the type checker: a guard in the run makes it six times as slow to make an
    object, and most of what a compilation does is to make these. A dataclass also compiles four to six methods of its
    own, one by one, which for a hundred classes is a tenth of the first use in a process. Only `__init__` is compiled
    here.

    >>> @value_class()
    ... class Place:
    ...     name: str
    ...     axis: int = 0
    ...     note: str = field(default="", compare=False, repr=False)
    >>> Place("x", note="first"), Place("x") == Place("x", note="first"), Place("x") == Place("x", 1)
    (Place(name='x', axis=0), True, False)
    >>> {Place("x"): 1}[Place("x", 0)]
    1
    """

    def made(cls: type[_T]) -> type[_T]:
        own = vars(cls)
        shown, compared = "__repr__" not in own, eq and "__eq__" not in own
        new: Any = dataclass(slots=True, eq=False, repr=False, kw_only=kw_only)(cls)
        if shown:
            new.__repr__ = _repr
        if compared:
            new.__eq__, new.__hash__ = _comparison([f.name for f in fields(new) if f.compare])
        finished: type[_T] = new
        return finished

    return made


def _repr(self: Any) -> str:
    held = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{type(self).__qualname__}({held})"


def _comparison(names: list[str]) -> tuple[Callable[[Any, object], bool], Callable[[Any], int]]:
    """Equality and hash by what stands under some names."""
    if len(names) > 1:
        key: Callable[[Any], object] = attrgetter(*names)
    else:  # a tuple of it, too, so that what is the same object is equal

        def key(self: Any) -> object:
            return tuple([getattr(self, name) for name in names])

    def equal(self: Any, other: object) -> bool:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    return equal, lambda self: hash(key(self))
