"""Values of outside names that can be written out: numbers, strings, small arrays, and containers of them.

>>> import numpy as np
>>> constant_text({"rate": 0.1, "sizes": [3, 4]})
'{"rate": 0.1, "sizes": [3, 4]}'
>>> constant_text(np.array([[1, 2]], dtype=np.int32))
'np.array([[1, 2]], dtype=np.int32)'
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile.emit.literals import is_literal, literal, needs_math

LARGEST_ARRAY = 64
LONGEST = 4000
_DEEPEST = 8


def constant_text(value: Any, numpy_name: str = "np", math_name: str = "math") -> str | None:
    """The expression that gives the value back, or None where it is too large or of another kind."""
    text = _Writer(numpy_name, math_name).text(value, 0)
    return text if text is None or len(text) <= LONGEST else None


def modules_needed(value: Any) -> tuple[bool, bool]:
    """Whether the text of a constant takes the names of NumPy and of `math`.

    >>> modules_needed([np.float32(1.0)]), modules_needed((1.0, float("inf")))
    ((True, False), (False, True))
    """
    if isinstance(value, np.ndarray):
        return True, needs_math(value.tolist())
    if isinstance(value, np.generic):
        return True, needs_math(value.item())
    if isinstance(value, np.dtype):
        return True, False
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, tuple | list | set | frozenset):
        inner = [modules_needed(item) for item in value]
        return any(item[0] for item in inner), any(item[1] for item in inner)
    return False, needs_math(value)


class _Writer:
    def __init__(self, numpy_name: str, math_name: str) -> None:
        self.numpy = numpy_name
        self.math = math_name

    def text(self, value: Any, depth: int) -> str | None:
        if is_literal(value):
            return literal(value, math_name=self.math)
        if depth > _DEEPEST:
            return None
        if type(value) in (tuple, list):
            items = self.items(value, depth)
            if items is None:
                return None
            if type(value) is list:
                return f"[{', '.join(items)}]"
            return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
        if type(value) is dict:
            keys, values = self.items(value.keys(), depth), self.items(value.values(), depth)
            if keys is None or values is None:
                return None
            return "{" + ", ".join(f"{key}: {item}" for key, item in zip(keys, values, strict=True)) + "}"
        if type(value) in (set, frozenset):
            return self.set(value, depth)
        if isinstance(value, np.dtype):
            return f'{self.numpy}.dtype("{value.name}")' if np.dtype(value.name) == value else None
        if isinstance(value, np.generic):
            return self.scalar(value)
        return self.array(value) if type(value) is np.ndarray else None

    def items(self, values: Any, depth: int) -> list[str] | None:
        if len(values) > LONGEST:
            return None
        texts = [self.text(item, depth + 1) for item in values]
        return None if None in texts else [text for text in texts if text is not None]

    def set(self, value: Any, depth: int) -> str | None:
        """A set has no order of its own, so its items are sorted by their text."""
        items = self.items(value, depth)
        if items is None:
            return None
        text = f"{{{', '.join(sorted(items))}}}" if items else "set()"
        if type(value) is set:
            return text
        return f"frozenset({text})" if items else "frozenset()"

    def scalar(self, value: np.generic) -> str | None:
        if value.dtype.name not in _ORDINARY:
            return None
        return f"{self.numpy}.{_attribute(value.dtype)}({self.number(value)})"

    def array(self, value: np.ndarray[Any, Any]) -> str | None:
        """An array of at most 64 numbers, the same to the last bit."""
        if value.size > LARGEST_ARRAY or value.dtype.name not in _ORDINARY or not value.dtype.isnative:
            return None
        dtype = f"{self.numpy}.{_attribute(value.dtype)}"
        if not value.size:
            return f"{self.numpy}.empty({literal(value.shape)}, dtype={dtype})"
        order = ', order="F"' if value.ndim > 1 and value.flags.f_contiguous and not value.flags.c_contiguous else ""
        return f"{self.numpy}.array({self.nested(value)}, dtype={dtype}{order})"

    def nested(self, value: np.ndarray[Any, Any]) -> str:
        if not value.ndim:
            return self.number(value[()])
        return "[" + ", ".join(self.nested(np.asarray(item)) for item in value) + "]"

    def number(self, value: Any) -> str:
        """The shortest text for a float32 is shorter than for the float64 of the same value; both are exact."""
        if value.dtype.name in ("float16", "float32") and np.isfinite(value):
            short = str(value)
            if value.dtype.type(float(short)) == value and (float(short) or not np.signbit(value)):
                return short
        return literal(value.item(), math_name=self.math)


_ORDINARY = frozenset(
    f"{name}{bits}"
    for name, sizes in {
        "float": (16, 32, 64), "complex": (64, 128), "int": (8, 16, 32, 64), "uint": (8, 16, 32, 64), "bool": ("",),
    }.items()
    for bits in sizes
)  # fmt: skip


def _attribute(dtype: np.dtype[Any]) -> str:
    return "bool_" if dtype.kind == "b" else dtype.name
