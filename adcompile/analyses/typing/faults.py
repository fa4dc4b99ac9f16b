"""What is most likely a fault of the program: what it asks for is not there, or is not given what it takes.

Python would raise there. The compiler goes on with an unknown value that says so, since the line may never be reached.

>>> found = missing("the module `math`", "sine", ["sin", "sqrt"])
>>> found.reason, found.remedy
('the module `math` has no `sine`', 'Did you mean `sin`?')
"""

from __future__ import annotations

import difflib
import inspect
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from adcompile.analyses.typing.lattice import describe
from adcompile.ir.kinds import Array, Kind, Scalar, Static, Struct, Unknown


def missing(owner: str, name: str, names: Iterable[str]) -> Unknown:
    """The kind of what something has no attribute for, with the nearest of those that it has."""
    near = difflib.get_close_matches(name, [known for known in names if not known.startswith("_")], 1)
    return Unknown(f"{owner} has no `{name}`", remedy=f"Did you mean `{near[0]}`?" if near else "Mend its spelling.")


def missing_from(owner: Any, name: str) -> Unknown:
    """The same of a module, class or object from outside."""
    if isinstance(owner, types.ModuleType):
        return missing(f"the module `{owner.__name__}`", name, dir(owner))
    if isinstance(owner, type):
        return missing(f"the class `{owner.__name__}`", name, dir(owner))
    return missing(f"an object of class `{type(owner).__name__}`", name, dir(owner))


def missing_from_value(kind: Kind, name: str) -> Unknown | None:
    """The same of a value of some kind; None where it may have that."""
    match kind:
        case Struct(form="record", cls=cls, keys=keys):
            if hasattr(cls, name) or hasattr(cls, "__getattr__"):
                return None
            return missing(f"an object of class `{cls.__name__}`", name, [*map(str, keys), *dir(cls)])
        case Array() | Scalar():
            own = {*dir(np.ndarray), *dir(float), *dir(complex), *dir(int)}
            return None if name in own else missing(describe(kind), name, own)
        case _:
            return None


def no_item(kind: Kind, reason: str) -> Unknown:
    """The kind of an item of a value; `reason` is for one that may have items."""
    if isinstance(kind, Scalar) or (isinstance(kind, Static) and kind.value is None):
        remedy = "Items are those of a list, a tuple or an array."
        return Unknown(f"an item of {describe(kind)}, which has none", remedy=remedy)
    return Unknown(reason)


def not_called(kind: Kind) -> Unknown | None:
    """The kind of what a call of a value gives that is no function; None where it may be one."""
    match kind:
        case Array() | Scalar():
            return Unknown(f"a call of {describe(kind)}, which is no function", remedy="A product is written with `*`.")
        case Static(value=types.ModuleType() as module):
            return Unknown(f"a call of the module `{module.__name__}`", remedy="Call a function of it.")
        case _:
            return None


def misfit_of(function: Any, args: Iterable[Any], keywords: Iterable[str]) -> str:
    """Why a function does not take such a call, in Python's words; "" where it may.

    >>> misfit_of(np.sum, [0], ["axes"])
    "got an unexpected keyword argument 'axes'"
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""  # it does not tell
    try:
        signature.bind(*args, **dict.fromkeys(keywords))
    except TypeError as error:
        return str(error)
    return ""
