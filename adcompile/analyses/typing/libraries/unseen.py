"""What calls return whose insides are not seen: anything, or a text in which numbers are written down.

>>> from adcompile.ir.kinds import FLOAT
>>> writes_down(repr, [FLOAT]), writes_down(", ".join, []), writes_down("abc".index, [])
(True, True, False)
>>> result_of(np.poly1d, []), result_of(abs, [])
(Foreign(reason='the result of `poly1d`', parts=(), given=False), Unknown(reason='the result of `abs`'))
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from adcompile.analyses.typing.faults import not_called
from adcompile.analyses.typing.numeric import unknown_result
from adcompile.calls.arguments.signature import has_operators
from adcompile.ir.kinds import BOOL, COMPLEX, FLOAT, INT, Foreign, Kind, Static, is_continuous, is_plain
from adcompile.texts.watches import is_standard

_TELLING = {  # what methods of strings tell of them, and is no string itself
    *("count", "find", "index", "rfind", "rindex", "startswith", "endswith", "__contains__", "__len__"),
    *("isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isprintable"),
    *("isspace", "istitle", "isupper"),
}
_WRITING = {"as_integer_ratio", "hex", "tobytes", "dumps", "view", "getfield", "byteswap"}  # methods of numbers


def result_of(function: Any, kinds: list[Kind]) -> Kind:
    """The kind of what a call returns that is not known: what is no function of numbers may return anything."""
    if function in (float, complex, int, bool) and kinds:
        return {float: FLOAT, complex: COMPLEX, int: INT, bool: BOOL}[function]
    fault = not_called(Static(function))
    if fault is not None:
        return fault
    name = getattr(function, "__name__", None)
    reason = f"the result of `{name}`" if name else f"what an object of class `{type(function).__name__}` returns"
    home = (getattr(function, "__module__", None) or type(function).__module__).partition(".")[0]
    made = isinstance(function, type) and has_operators(function) and not issubclass(function, np.generic)
    plain = home in ("numpy", "adcompile") or is_standard(home) or draws(function)
    own = is_standard(home) and all(map(is_plain, kinds))
    found = unknown_result(reason, kinds) if plain and not made else Foreign(reason)
    return replace(found, plain=own)


def draws(function: Any) -> bool:
    """Whether a function is the method of a distribution of SciPy's, or of one derived from those, that draws numbers.

    >>> from scipy import stats
    >>> draws(stats.norm.rvs), draws(stats.norm.pdf)
    (True, False)
    """
    home = getattr(function, "__module__", None) or ""
    return home.startswith("scipy.stats.") and getattr(function, "__name__", "") == "rvs"


def writes_down(function: Any, kinds: list[Kind]) -> bool:
    """Whether a function, or a method of a string, writes values down as a text."""
    if isinstance(getattr(function, "__self__", None), str | bytes):
        return makes_text(getattr(function, "__name__", ""))
    return function in (str, repr, ascii, format, bytes) and not all(isinstance(k, Static) for k in kinds)


def makes_text(method: str) -> bool:
    """Whether a method of a string makes a string, or a list of some."""
    return method not in _TELLING


def writes_bits(method: str, receiver: Kind, found: Kind) -> bool:
    """Whether a method of a number or array writes it down as whole numbers or bytes."""
    return method in _WRITING and is_continuous(receiver) and not is_continuous(found)
