"""What making an object of a user's class does: it only sets its fields, or more, which is written out.

>>> from dataclasses import make_dataclass
>>> is_plain_dataclass(make_dataclass("Point", ["x", "y"])), is_plain_class(dict)
(True, False)
"""

from __future__ import annotations

import builtins
import dataclasses
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.walk import expressions, statements, walk
from adcompile.texts.watches import class_attribute, is_library

if TYPE_CHECKING:
    from collections.abc import Callable as Function

_GENERATED = "<string>"  # the file that `dataclasses` says its own constructors are from


def is_plain_class(cls: type) -> bool:
    """Whether calling a class makes an object and passes it to an `__init__` in Python, and no more."""
    return (
        type(cls).__call__ is type.__call__
        and class_attribute(cls, "__new__") is vars(object)["__new__"]
        and not issubclass(cls, BaseException)
        and not is_library(cls.__module__)
        and (cls.__init__ is object.__init__ or isinstance(cls.__init__, types.FunctionType))
        and class_attribute(cls, "__setattr__") is vars(object)["__setattr__"]
    )


def is_plain_dataclass(cls: type) -> bool:
    """Whether making an object of a dataclass sets its fields to what is given, and no more."""
    return (
        dataclasses.is_dataclass(cls)
        and is_generated(cls)
        and class_attribute(cls, "__post_init__") is None
        and all(f.init for f in dataclasses.fields(cls))
    )


def is_checked_dataclass(cls: type, lower: Function[[types.FunctionType], n.Function]) -> bool:
    """Whether it sets its fields, looks at them (in a `__post_init__` that may raise), and no more."""
    after = class_attribute(cls, "__post_init__")
    return (
        dataclasses.is_dataclass(cls)
        and is_generated(cls)
        and isinstance(after, types.FunctionType)
        and all(f.init for f in dataclasses.fields(cls))
        and _only_looks(lower(after))
    )


def is_assembled_dataclass(cls: type) -> bool:
    """Whether its fields may be set one by one, and its `__post_init__` be called behind that."""
    after = class_attribute(cls, "__post_init__")
    return (
        dataclasses.is_dataclass(cls)
        and is_plain_class(cls)
        and is_generated(cls)
        and (after is None or isinstance(after, types.FunctionType))
    )


def is_generated(cls: type) -> bool:
    """Whether a class has the constructor that `dataclasses` writes."""
    init = class_attribute(cls, "__init__")
    own = class_attribute(cls, "__new__") is vars(object)["__new__"]
    return own and isinstance(init, types.FunctionType) and init.__code__.co_filename == _GENERATED


def _only_looks(function: n.Function) -> bool:
    """Whether a method reads attributes of its object, may raise, and changes nothing."""
    if len(function.params) != 1:
        return False
    me = function.params[0].variable
    for stmt in statements(function.body):
        if not isinstance(stmt, n.Assign | n.If | n.Raise | n.Return | n.Assert | n.Pass | n.Evaluate | n.Try):
            return False
        inside = [e for whole in expressions(stmt) for e in walk(whole)]
        read = [e.value for e in inside if isinstance(e, n.Attribute)]
        if sum(isinstance(e, n.Read) and e.variable is me for e in inside) != sum(
            isinstance(e, n.Read) and e.variable is me for e in read
        ):
            return False
        if not all(_is_harmless(e) for e in inside if isinstance(e, n.Call)):
            return False
    return True


def _is_harmless(call: n.Call) -> bool:
    function: Any = n.object_of(call.func)
    if any(name == "out" for name, _ in call.keywords):
        return False
    if isinstance(function, type):
        return issubclass(function, BaseException | int | float | str)
    return any(function is known for known in _LOOKING)


_LOOKING = (
    *(builtins.len, builtins.isinstance, builtins.abs, builtins.min, builtins.max, builtins.all, builtins.any),
    *(np.all, np.any, np.isfinite, np.isnan, np.shape, np.ndim, np.size, np.min, np.max, np.sum, np.abs, np.allclose),
)
