r"""Constants as text that gives the same constant back, to the last bit.

>>> from adcompile.emit.literals import literal
>>> literal(0.1), literal("it's"), literal((1, None)), literal(1 + 2j)
('0.1', '"it\'s"', '(1, None)', '(1 + 2j)')
"""

from __future__ import annotations

import math
import re
import struct
from typing import Any

_ATOMS = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
_MIDDLE = re.compile(r"(?<=[\d.])([+-])")  # the sign between two parts, and not that of an exponent
_PADDED = re.compile(r"e(?:\+0*|(-)0*)")
_LONGEST_DECIMAL = 10_000  # bits; CPython refuses to print longer integers in decimal


def is_literal(value: Any) -> bool:
    """Whether a value can be written out where it stands. NumPy's numbers cannot, though some are `float`s.

    >>> import numpy as np
    >>> is_literal((1, "a")), is_literal(np.float64(1.0)), is_literal([1])
    (True, False, False)
    """
    if type(value) is tuple:
        return all(is_literal(item) for item in value)
    return type(value) in _ATOMS


def needs_math(value: Any) -> bool:
    """Whether writing the constant takes the name `math`: infinities and NaN have no literal.

    >>> needs_math(float("inf")), needs_math((1.0, float("nan"))), needs_math(1e308)
    (True, True, False)
    """
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, complex):
        return not (math.isfinite(value.real) and math.isfinite(value.imag))
    if isinstance(value, tuple | list | set | frozenset):
        return any(needs_math(item) for item in value)
    if isinstance(value, dict):
        return any(needs_math(key) or needs_math(item) for key, item in value.items())
    return False


def literal(value: Any, *, quote: str = '"', math_name: str = "math") -> str:
    """The text of a constant; a negative number starts with its minus sign and is not in parentheses.

    >>> literal(float("-inf")), literal(float("nan"), math_name="m"), literal("a", quote="'")
    ('-math.inf', 'm.nan', "'a'")
    """
    if type(value) is float:
        return _float(value, math_name)
    if type(value) is complex:
        return _complex(value, math_name)
    if type(value) is int:
        return repr(value) if value.bit_length() < _LONGEST_DECIMAL else hex(value)
    if type(value) in (str, bytes):
        return _quoted(value, quote)
    if type(value) is tuple:
        items = [literal(item, quote=quote, math_name=math_name) for item in value]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    return "..." if value is Ellipsis else repr(value)


def _float(value: float, math_name: str) -> str:
    if math.isnan(value):
        return f"{math_name}.nan"
    if math.isinf(value):
        return f"{math_name}.inf" if value > 0 else f"-{math_name}.inf"
    return _short(repr(value))


def _short(text: str) -> str:
    """Exponents as people write them: 1e-5 for 1e-05."""
    return _PADDED.sub(lambda found: f"e{found[1] or ''}", text)


def _complex(value: complex, math_name: str) -> str:
    """`repr` forgets the sign of zeros in places, so the text is read back before it is trusted.

    >>> _complex(2j, "math"), _complex(complex(-0.0, 1.0), "math"), _complex(1e-9 - 2e30j, "math")
    ('2j', 'complex(-0.0, 1.0)', '(1e-9 - 2e30j)')
    """
    bits = struct.pack("dd", value.real, value.imag)
    text = _short(repr(value))
    if not needs_math(value):
        text = _MIDDLE.sub(r" \1 ", text)
        back = complex(eval(text, {}))  # noqa: S307 - `text` is the repr of a finite complex number
        if struct.pack("dd", back.real, back.imag) == bits:
            return text
    return f"complex({_float(value.real, math_name)}, {_float(value.imag, math_name)})"


def _quoted(value: str | bytes, quote: str) -> str:
    r"""`repr` with the wanted quote, unless the string contains that quote itself.

    >>> _quoted("say 'x'", '"'), _quoted('say "x"', '"'), _quoted(b"ab", "'")
    ('"say \'x\'"', '\'say "x"\'', "b'ab'")
    """
    text = repr(value)
    prefix, body = ("b", text[1:]) if isinstance(value, bytes) else ("", text)
    if body[0] != quote and quote not in body:
        body = quote + body[1:-1] + quote
    return prefix + body
