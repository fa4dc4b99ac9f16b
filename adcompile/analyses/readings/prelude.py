"""Functions of libraries in the language of the compiler, which reads these where a program calls those."""

from __future__ import annotations

import dataclasses
import sys
import weakref
from importlib import import_module
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.ir.kinds import Static
from adcompile.runtime.cuts import own_value, stop_gradient
from adcompile.texts.watches import is_library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcompile.ir.nodes import Expr

    Keywords = Sequence[tuple[str | None, Expr]]


def exactly(composed: Any, function: Any, *args: Any) -> Any:
    """The value of a library's function, to the last bit, with the derivative of what it is put together of."""
    return own_value(composed, function, *args) + (composed - stop_gradient(composed))


_OF_SCIPY = ("stats", "interpolate", "integrate", "optimize", "signal", "spatial", "linalg", "ndimage")
# For each package, the module that has what is read for its functions (`READ_FOR`), and for the methods of its objects
# (`METHODS_OF`). It is imported where a program calls something of the package, which is then there already.
_READINGS = {
    **{f"scipy.{name}": f"prelude_{name}" for name in _OF_SCIPY},
    "scipy.sparse": "prelude_sparse_calls",
    "numpy.polynomial": "prelude_polynomial",
    "numpy": "prelude_series",
    **dict.fromkeys(("heapq", "_heapq", "bisect", "_bisect"), "prelude_heapq"),
    "statistics": "prelude_statistics",
}
_CALL = "__call__"
_READ = (FunctionType, BuiltinFunctionType, type, type(np.apply_along_axis))
_MADE: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def slope_of(fun: Any) -> Any:
    """The derivative of a function with respect to its first argument: the same one whenever that is asked for."""
    if fun not in _MADE:
        package: Any = sys.modules["adcompile"]  # which is above this room, and loaded by whoever gets here
        _MADE[fun] = package.derivative(fun, wrt=0)
    return _MADE[fun]


def read_for(called: Any, args: Sequence[Expr] = (), keywords: Keywords = ()) -> FunctionType | None:
    """What is read where a library's function or class is called, which is given to it in front of the arguments.

    Some readings are for calls with arguments of certain kinds alone, or are chosen by these; some are for calls with
    an option, by its place or name: without it there are rows.
    """
    of_class = isinstance(called, MethodType) and isinstance(called.__self__, type)
    if not (of_class or isinstance(called, _READ)):
        return None
    found: FunctionType | None = _reading("READ_FOR", called)
    place, option = _reading("ONLY_WITH", called) or (0, "")
    chosen_by = args[place] if 0 < place < len(args) else dict(keywords).get(option)
    if option and (chosen_by is None or chosen_by.kind == Static(None)):
        return None
    fits = _reading("FITS", called)
    if fits is None:
        return found
    chosen = bool(args) and fits(args, keywords)
    return chosen if isinstance(chosen, FunctionType) else found if chosen else None


def minima_read_for(called: Any) -> tuple[FunctionType, FunctionType, FunctionType] | None:
    """What is read for a minimizer: with a slope, with one that its function returns too, and with none."""
    found: tuple[FunctionType, FunctionType, FunctionType] | None = (
        _reading("MINIMA_FOR", called) if isinstance(called, FunctionType) else None
    )
    return found


def method_read_for(called: Any) -> FunctionType | None:
    """What is read where a method of a library's object is called, or the object itself."""
    if isinstance(called, MethodType):
        return inherited_read_for(type(called.__self__), called.__func__)
    return inherited_read_for(type(called), getattr(type(called), _CALL, None))


def inherited_read_for(cls: type, method: Any) -> FunctionType | None:
    """The same of a method that a class, perhaps of the user's, has from a library's."""
    if not isinstance(method, FunctionType) or not is_library(method.__module__):
        return None
    for base in cls.__mro__:
        reading = _reading("METHODS_OF", base)
        found = getattr(reading, method.__name__, None)
        only_users = getattr(reading, "for_users", False)
        if isinstance(found, FunctionType) and not (only_users and is_library(cls.__module__)):
            return found
    return None


def has_reading(cls: type) -> bool:
    """Whether objects of a library's class are read as those of one in the language of the compiler."""
    return _reading("METHODS_OF", cls) is not None


def is_read(function: Any) -> bool:
    """Whether a function or class is one that is read in place of a library's."""
    home = getattr(function, "__module__", None)  # any value, where a global is called `__name__`
    return isinstance(home, str) and home.startswith(f"{__package__}.")


def has_fields_of(called: Any, cls: type) -> bool:
    """Whether the object that a library's call makes has the fields of the class that is read in its place.

    A library's class has those of the class that has its methods; what a function returns, those of a dataclass that
    does not say that they are its own.
    """
    if isinstance(called, type):
        return any(_reading("METHODS_OF", base) is cls for base in called.__mro__)
    return dataclasses.is_dataclass(cls) and not getattr(cls, "OWN_FIELDS", False)


def _reading(table: str, called: Any) -> Any:
    """What a table has for a name of SciPy's, whichever module behind the package it comes from."""
    module = _READINGS.get(".".join((called.__module__ or "").split(".")[:2]))
    if module is None:
        return None
    return getattr(import_module(f"adcompile.analyses.readings.{module}"), table, {}).get(called.__qualname__)
