"""What machine code calls to raise where Python does, and where Numba would carry on without a word."""

from __future__ import annotations

import math
from typing import Any

__all__ = ["when_set", "whole_divmod", "whole_quotient", "whole_remainder", "within_64_bits"]


def whole_quotient(a: Any, b: Any) -> Any:
    """`a // b` of whole numbers; raises `ZeroDivisionError` where Numba's could be 0.

    >>> whole_quotient(-7, 2)
    -4
    """
    if b == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return a // b


def whole_remainder(a: Any, b: Any) -> Any:
    """`a % b` of whole numbers; raises `ZeroDivisionError` where Numba's could be 0.

    >>> whole_remainder(-7, 2)
    1
    """
    if b == 0:
        raise ZeroDivisionError("integer modulo by zero")
    return a % b


def whole_divmod(a: Any, b: Any) -> Any:
    """`divmod(a, b)` of whole numbers; raises `ZeroDivisionError` where Numba's could be zeros.

    >>> whole_divmod(-7, 2)
    (-4, 1)
    """
    if b == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return a // b, a % b


def within_64_bits(x: Any) -> Any:
    """A real number from which a whole number is to be made; raises where 64 bits cannot hold that.

    >>> within_64_bits(-2.5)
    -2.5
    >>> within_64_bits(1e300)
    Traceback (most recent call last):
    OverflowError: a whole number beyond 64 bits, which machine code cannot hold: leave `jit` out
    """
    if math.isnan(x):
        raise ValueError("cannot convert float NaN to integer")
    if math.isinf(x):
        raise OverflowError("cannot convert float infinity to integer")
    if abs(x) >= 2.0**63:
        raise OverflowError("a whole number beyond 64 bits, which machine code cannot hold: leave `jit` out")
    return x


def when_set(value: Any, is_set: Any) -> Any:
    """The value of a variable; raises `UnboundLocalError` where it was not set.

    >>> when_set(2.0, True)
    2.0
    """
    if not is_set:
        raise UnboundLocalError("cannot access a local variable where it is not associated with a value")
    return value
