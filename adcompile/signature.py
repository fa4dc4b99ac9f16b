"""From arguments to a look-up key: what of the arguments the compiler specialises on."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

import numpy as np

# The class says everything about values of these types.
SIMPLE = frozenset({float, int, bool, complex, np.float64, np.float32, np.complex128, np.complex64, np.int64, np.int32,
                    np.bool_, type(None)})
_MANY = 64


def key_of(value: Any) -> Any:
    """A hashable description of a value that is equal for values of one kind.

    >>> key_of(2.0) == key_of(3.0), key_of(np.zeros(3)) == key_of(np.zeros(4)), key_of(np.zeros(3)) == key_of(np.zeros(1))
    (True, True, False)
    """
    cls = type(value)
    if cls in SIMPLE:
        return cls
    if cls is np.ndarray:
        return (value.dtype.num, tuple([s if s <= 1 else 2 for s in value.shape]))
    if isinstance(value, tuple):
        return (cls, *map(key_of, value))
    if isinstance(value, list):
        keys = [key_of(v) for v in value]
        # Lists of one kind of item share a text whatever their length.
        return (cls, "*", keys[0]) if keys and all(k == keys[0] for k in keys) else (cls, *keys)
    if isinstance(value, dict):
        return (cls, tuple(value), *map(key_of, value.values()))
    if isinstance(value, str | bytes | np.dtype | types.FunctionType | type | types.ModuleType | types.BuiltinFunctionType):
        return (cls, value)
    if isinstance(value, functools.partial):
        return (cls, key_of(value.func), *map(key_of, value.args), *[(k, key_of(v)) for k, v in value.keywords.items()])
    if isinstance(value, types.MethodType):
        return (cls, value.__func__, key_of(value.__self__))
    if isinstance(value, np.generic):
        return cls
    if isinstance(value, slice):
        return (cls, key_of(value.start), key_of(value.stop), key_of(value.step))
    if callable(value) and not isinstance(inspect.getattr_static(cls, "__call__", None), types.FunctionType):
        return (cls, value)
    attributes = getattr(value, "__dict__", None)
    if attributes is not None:
        if len(attributes) > _MANY:
            return (cls, id(value))
        return (cls, *[(k, _shallow(v)) for k, v in attributes.items()])
    return cls


def _shallow(value: Any) -> Any:
    """The key of an attribute: objects may refer to each other in a ring, so other objects count by their class."""
    if hasattr(value, "__dict__") and not isinstance(value, types.FunctionType | type | np.ndarray):
        return (type(value), *[(k, type(v)) for k, v in vars(value).items()])
    return key_of(value)
