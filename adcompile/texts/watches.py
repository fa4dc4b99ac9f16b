"""What a text was made from outside of the function itself, and whether that is still so.

A global, a cell, an attribute of a module, a method found on a class, the code and the defaults of a function: whoever
looks one of these up while compiling notes it here, with what it was. A text is right as long as all of them hold.
"""

from __future__ import annotations

import builtins
import math
import operator
import os
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, Literal

import numpy as np

from adcompile.calls.arguments.signature import SIMPLE, key_of

Place = Literal["name", "item", "cell", "attribute"]

class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""The value of a watch where there was nothing."""


_CONSULTED = {"random", "logging", "pathlib", "string", "_struct"}
_FIRM = (str, bytes, types.FunctionType, types.BuiltinFunctionType, np.ufunc)


class Watch:
    """Something outside: where it is, and what it was.

    `place` is "name" for a global of the namespace `holder` (or, failing that, a builtin), "item" for an entry of a
    mapping, "cell" for the contents of a closure cell, "attribute" for what `getattr` gives. `contents` describes a
    container or object whose parts may change under the same name; else it is None. Where an attribute is made anew at
    each look, only that description counts. `seen` are the parts at the last look, if no part can change by itself: as
    long as they are the same objects, nothing is described again.
    """

    __slots__ = ("contents", "holder", "is_fleeting", "name", "place", "seen", "value")

    def __init__(
        self, place: Place, holder: Any, name: str, value: Any, contents: Any = None, *, is_fleeting: bool = False
    ) -> None:
        """Say what there is."""
        self.place: Place = place
        self.holder = holder
        self.name = name
        self.value = value
        self.contents = contents
        self.is_fleeting = is_fleeting
        self.seen = None if contents is None else _parts(value)

    def now(self) -> Any:
        """What is there now."""
        try:
            match self.place:
                case "name":
                    return self.holder[self.name] if self.name in self.holder else vars(builtins)[self.name]
                case "item":
                    return self.holder[self.name]
                case "cell":
                    return self.holder.cell_contents
                case "attribute":
                    return getattr(self.holder, self.name)
        except (KeyError, AttributeError, ValueError):
            return ABSENT

    def holds(self) -> bool:
        """Whether it is what it was."""
        now = self.now()
        if now is not self.value and not self.is_fleeting:
            return False
        return self.contents is None or self.is_like(now)

    def is_like(self, now: Any) -> bool:
        """Whether something has parts of the kinds that were described."""
        if self.seen is not None:
            parts = _items(now)
            if parts is not None and len(parts) == len(self.seen) and all(map(operator.is_, parts, self.seen)):
                return True
        if key_of(now) != self.contents:
            return False
        self.seen = _parts(now)
        return True


class Watches(dict[Any, Watch]):
    """The watches of one text, each place once.

    >>> settings = {"rate": 2.0}
    >>> with noting() as watches:
    ...     note("name", settings, "rate", settings["rate"])
    >>> watches.hold()
    True
    >>> settings["rate"] = 3.0
    >>> watches.hold()
    False
    """

    is_torn = False  # whether something changed between two looks, so that they do not fit together

    def hold(self) -> bool:
        """Whether everything is what it was."""
        return not self.is_torn and all(watch.holds() for watch in self.values())


_noted: ContextVar[Watches | None] = ContextVar("adcompile_watches", default=None)


@contextmanager
def noting() -> Iterator[Watches]:
    """Collect what is noted inside."""
    watches = Watches()
    token = _noted.set(watches)
    try:
        yield watches
    finally:
        _noted.reset(token)


def note(place: Place, holder: Any, name: str, value: Any, *, has_parts: bool = True) -> None:
    """Note what was found somewhere, or `ABSENT`. With `has_parts`, the kinds of the parts of a container count too."""
    watches = _noted.get()
    if watches is None:
        return
    key = (place, id(holder), name)
    before = watches.get(key)
    if before is not None:
        watches.is_torn |= before.value is not value and not before.is_fleeting
        return
    is_fleeting = place == "attribute" and getattr(holder, name, ABSENT) is not value
    contents = key_of(value) if is_fleeting else _contents(value) if has_parts else None
    watches[key] = Watch(place, held_by(place, holder), name, value, contents, is_fleeting=is_fleeting)


def held_by(place: Place, holder: Any) -> Any:
    """What a watch looks into: of a class or another object, what it holds by name."""
    return vars(holder) if place == "item" and not isinstance(holder, dict | types.MappingProxyType) else holder


def note_all(watches: Watches) -> None:
    """Note what something was made from that is used once more."""
    noted = _noted.get()
    if noted is None:
        return
    for key, watch in watches.items():
        noted.setdefault(key, watch)
    noted.is_torn |= watches.is_torn


def note_code(fn: types.FunctionType) -> None:
    """Note what a function runs."""
    note("attribute", fn, "__code__", fn.__code__)


def note_defaults(fn: types.FunctionType) -> None:
    """Note the values of a function's defaults, where a call made by other code leaves arguments out."""
    if fn.__defaults__:
        note("attribute", fn, "__defaults__", fn.__defaults__)
    if fn.__kwdefaults__:
        note("attribute", fn, "__kwdefaults__", fn.__kwdefaults__, has_parts=False)
        for name, value in fn.__kwdefaults__.items():
            note("item", fn.__kwdefaults__, name, value)


def class_attribute(cls: type, name: str, *, after: type | None = None) -> Any:
    """What a class or the first of its bases has under a name, as `class` put it there; None where none has it.

    With `after`, only the bases behind that one are asked, as `super` does.

    >>> class Shape:
    ...     @staticmethod
    ...     def area(): ...
    >>> class_attribute(Shape, "area"), class_attribute(Shape, "size")
    (<staticmethod(<function Shape.area at 0x...>)>, None)
    """
    bases = cls.__mro__
    if after is not None:
        bases = bases[bases.index(after) + 1 :] if after in bases else ()
    for base in bases:
        found = vars(base).get(name, ABSENT)
        if not is_library(base.__module__):
            note("item", base, name, found)
        if found is not ABSENT:
            return found
    return None


def attribute_of(owner: Any, name: str) -> Any:
    """What a module, class or object from outside has under a name, `ABSENT` where it has nothing."""
    found = getattr(owner, name, ABSENT)
    if isinstance(owner, type) and any(name in vars(base) for base in owner.__mro__):
        class_attribute(owner, name)
    elif isinstance(owner, types.ModuleType) or (isinstance(owner, type) and not is_library(owner.__module__)):
        note("attribute", owner, name, found)
    elif is_library(type(owner).__module__) and isinstance(own := getattr(owner, "__dict__", None), dict):
        note("item", owner, name, own.get(name, ABSENT))  # as somebody may put it into `scipy.stats.norm`
    return found


def is_replaced(owner: Any, name: str, found: Any) -> bool:
    """Whether something else was put under a library's name: a text that means the library's own must not read it.

    >>> is_replaced(math, "sin", math.sin), is_replaced(math, "sin", math.cos)
    (False, True)
    """
    if not isinstance(owner, types.ModuleType):
        own = getattr(owner, "__dict__", ())
        return is_library(type(owner).__module__) and name in own and is_from_elsewhere(found)
    first = _FIRST.get(owner, {}).get(name, ABSENT)
    computes = owner.__name__.partition(".")[0] in ("numpy", "scipy", "math", "cmath", "operator")
    return (first is not ABSENT and found is not first) or (computes and is_from_elsewhere(found))


_FIRST: Final = {module: dict(vars(module)) for module in (math, np, np.linalg)}


def is_from_elsewhere(found: Any) -> bool:
    """Whether an object is no library's, and not adcompile's own.

    >>> is_from_elsewhere(np.sin), is_from_elsewhere(np.pi), is_from_elsewhere(is_library)
    (False, False, False)
    """
    home = getattr(found, "__module__", None)
    top = (home if isinstance(home, str) else type(found).__module__).partition(".")[0]
    return top != "adcompile" and not is_library(top)


def is_library(module: str | None) -> bool:
    """Whether a module is NumPy's, SciPy's or Python's own, the source of which nobody edits while a program runs."""
    top = (module if isinstance(module, str) else "__main__").partition(".")[0]
    return top in ("numpy", "scipy") or is_standard(top)


def is_standard(top: str) -> bool:
    """Whether a name is that of a module of Python's own, and not of a user's `wave.py`: told by where its file is.

    >>> is_standard("math"), is_standard("wave"), is_standard("numpy"), is_standard("__main__")
    (True, True, False, False)
    """
    if top not in sys.stdlib_module_names or top == "__main__":
        return False
    file = getattr(sys.modules.get(top), "__file__", None)
    return file is None or (file.startswith(_STANDARD) and "-packages" not in file)


def is_consulted(value: Any) -> bool:
    """Whether a value is an object of the standard library that is only asked and told: a logger, `os.environ`.

    >>> import logging
    >>> is_consulted(logging.getLogger("heat")), is_consulted(os.environ), is_consulted({})
    (True, True, False)
    """
    return value is os.environ or top_of(value) in _CONSULTED


def top_of(value: Any) -> str:
    """The module or package that the class of a value stands in: a path of CPython 3.13 is of `pathlib._local`."""
    return str(type(value).__module__).partition(".")[0]


_STANDARD = (
    os.path.dirname(os.__file__) + os.sep,  # noqa: PTH120 - `pathlib` takes longer to import than all of this
    os.path.join(sys.base_exec_prefix, sys.platlibdir, f"python{sys.version_info[0]}.{sys.version_info[1]}", ""),  # noqa: PTH118
    os.path.join(sys.base_exec_prefix, "DLLs", ""),  # noqa: PTH118
)


def _items(value: Any) -> list[Any] | None:
    """The keys and items of a dict, or the items of a list."""
    return [*value, *value.values()] if type(value) is dict else [*value] if type(value) is list else None


def _parts(value: Any) -> list[Any] | None:
    """The same, if each is a number, a string or a function, or a tuple of such: none can change by itself."""
    parts = _items(value)
    return parts if parts is not None and all(map(_is_firm, parts)) else None


def _is_firm(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(_is_firm, value))
    return type(value) in SIMPLE or isinstance(value, _FIRM)


def _contents(value: Any) -> Any:
    """A description of the parts of a container or object that may change; None where there are none."""
    if isinstance(value, types.FunctionType | type | np.ndarray | np.generic | float | int | complex | str | bytes):
        return None
    if isinstance(value, property | staticmethod | classmethod | types.CodeType | types.ModuleType | _Absent):
        return None
    if callable(value) and not isinstance(type(value).__call__, types.FunctionType):
        return None
    if isinstance(value, tuple) and all(_contents(item) is None for item in value):
        return None
    if isinstance(value, list | tuple | dict):
        return key_of(value)
    if is_consulted(value):  # what it is asked, the run asks; a logger leads to all others
        return None
    is_opened = type(value).__module__.partition(".")[0] not in ("numpy", "scipy")  # as `scipy.stats.norm` is not
    return key_of(value) if is_opened and hasattr(value, "__dict__") else None
