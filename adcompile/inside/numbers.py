"""Numbers and arrays as short texts, for pictures and listings."""

from __future__ import annotations

from typing import Any

import numpy as np

_WRITTEN_OUT = 4  # numbers of an array


def short(value: Any, digits: int = 4) -> str:
    """A value in a few characters: a number to so many digits, of an array its numbers, or its shape and range.

    >>> short(2.0), short(1 / 3), short(np.array([1.0, 2.5])), short(1e-20), short(3 + 1j), short(None)
    ('2', '0.3333', '[1, 2.5]', '1e-20', '3+1j', '')
    >>> short(np.linspace(0, 1, 12).reshape(3, 4)), short(np.array([1.0, np.nan] * 4))
    ('(3, 4) in 0 … 1', '(8,), 4 not finite')
    """
    if value is None:
        return ""
    if isinstance(value, bool | np.bool_ | str):
        return str(value)
    if isinstance(value, np.ndarray) and value.ndim:
        return _array(value, digits)
    try:
        found = complex(value)
    except (TypeError, ValueError):
        return str(value)
    if isinstance(value, complex | np.complexfloating):
        return f"{found.real:.{digits}g}{found.imag:+.{digits}g}j"
    return f"{found.real + 0.0:.{digits}g}"  # without the sign of zero


def _array(value: np.ndarray[Any, Any], digits: int) -> str:
    if value.ndim == 1 and value.size <= _WRITTEN_OUT:
        return f"[{', '.join(short(v, digits) for v in value)}]"
    shape = str(value.shape)
    if value.size == 0 or value.dtype.kind not in "biuf":
        return f"{shape} {value.dtype}"
    strange = int(value.size - np.count_nonzero(np.isfinite(value)))
    if strange:
        return f"{shape}, {strange} not finite"
    low, high = short(value.min(), digits), short(value.max(), digits)
    return f"{shape} all {low}" if low == high else f"{shape} in {low} … {high}"
