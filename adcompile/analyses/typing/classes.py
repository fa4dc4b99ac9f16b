"""What making an object of a user's class does: it only sets its fields, or more, which is written out.

>>> from dataclasses import make_dataclass
>>> is_plain_dataclass(make_dataclass("Point", ["x", "y"])), is_plain_class(dict)
(True, False)
"""

from __future__ import annotations

import builtins
import dataclasses
import dis
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.calls.record import Partials
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Kind, Struct
from adcompile.ir.walk import expressions, statements, walk
from adcompile.rules.python.standard import CONTAINER_CHANGES
from adcompile.runtime.recording import marked
from adcompile.texts.watches import class_attribute, is_library

if TYPE_CHECKING:
    from collections.abc import Callable as Function

_FOLLOWED = (property, types.MemberDescriptorType, types.GetSetDescriptorType)  # slots, and `__dict__`
_OF_ANY_CLASS = {*vars(object), "__getnewargs__", "__class_getitem__"} - {
    "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__getattribute__",
}  # fmt: skip
_OPERATORS = frozenset({"__add__", "__mul__", "__rmul__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"})
_GENERATED = "<string>"  # the file that `dataclasses` says its own constructors are from


def method_in_python(kind: Kind, name: str) -> types.FunctionType | None:
    """The method that the class of an object or of a named tuple has under a name, where it is in Python.

    >>> from typing import NamedTuple
    >>> from adcompile.ir.kinds import FLOAT
    >>> class Point(NamedTuple):
    ...     x: float
    ...     def __neg__(self): return Point(-self.x)
    >>> kind = Struct("tuple", Point, (0,), (FLOAT,))
    >>> [method_in_python(kind, name) is not None for name in ("__neg__", "__add__", "_replace")]
    [True, False, False]
    """
    if not isinstance(kind, Struct) or not (kind.form == "record" or is_named_tuple(kind.cls)):
        return None
    found = class_attribute(kind.cls, name)
    own = isinstance(found, types.FunctionType) and (kind.form == "record" or not is_library(found.__module__))
    return found if own else None


def is_named_tuple(cls: type) -> bool:
    """Whether objects of a class are tuples with named fields, other than records of partials."""
    return issubclass(cls, tuple) and hasattr(cls, "_fields") and not issubclass(cls, Partials)


def is_plain_named_tuple(cls: type) -> bool:
    """Whether calling a class makes a tuple of the fields that it is given, and no more."""
    if not is_named_tuple(cls) or not is_plain_container(cls):
        return False
    made = getattr(class_attribute(cls, "__new__"), "__func__", None)
    return isinstance(made, types.FunctionType) and made.__code__.co_filename == _GENERATED


def is_plain_container(cls: type) -> bool:
    """Whether reading and changing what a tuple, list or dict of a class holds does what it does with Python's own.

    >>> class Wrapping(list):
    ...     def __getitem__(self, k): return list.__getitem__(self, k % 3)
    >>> is_plain_container(list), is_plain_container(Wrapping)
    (True, False)
    """
    own = next(base for base in (tuple, list, dict) if issubclass(cls, base))
    followed = _OPERATORS if is_named_tuple(cls) else frozenset[str]()
    heirs = [
        base
        for base in cls.__mro__[: cls.__mro__.index(own)]
        if not is_library(base.__module__) and not issubclass(base, Partials)
    ]
    contents = {*vars(own), "__bool__", "__missing__", "__reversed__"} - _OF_ANY_CLASS - followed
    return not any(contents & vars(base).keys() for base in heirs)


def stands_between(cls: type, name: str) -> str | None:
    """What of a class decides what an assignment to an attribute does; None where that is Python or a property.

    >>> class Half:
    ...     def __set__(self, instance, value): ...
    >>> class Shape:
    ...     area = Half()
    >>> stands_between(Shape, "area"), stands_between(Shape, "size")
    ('Half.__set__', None)
    """
    setter = class_attribute(cls, "__setattr__")
    if isinstance(setter, types.FunctionType) and not _is_frozen(cls, setter):
        return f"{cls.__name__}.__setattr__"
    found = class_attribute(cls, name)
    if hasattr(type(found), "__set__") and not isinstance(found, _FOLLOWED):
        return f"{type(found).__name__}.__set__"
    return None


def _is_frozen(cls: type, setter: types.FunctionType) -> bool:
    """Whether it is `dataclasses` that refuses assignments."""
    return getattr(cls, "__dataclass_params__", None) is not None and setter.__code__.co_filename == _GENERATED


def _has_plain_attributes(cls: type) -> bool:
    """Whether what an object is given as an attribute is what is read of it, but for properties."""
    between = any(
        stands_between(cls, name)
        for base in cls.__mro__
        for name in vars(base)
        if not name.startswith("__")  # `__dict__` is Python's own, and what it is cannot be written down
    )
    changes = any(_changes_object(cls, name, set()) for name in _ASKED)
    return class_attribute(cls, "__getattribute__") is vars(object)["__getattribute__"] and not between and not changes


_ASKED = ("__bool__", "__len__", "__str__", "__format__", "__contains__", "__index__")
"""Methods that Python calls where no call is written: a change by one of them would not be seen."""
_STORING = ("STORE_ATTR", "STORE_SUBSCR", "DELETE_ATTR", "DELETE_SUBSCR")


def _changes_object(cls: type, name: str, seen: set[str]) -> bool:
    """Whether a method in Python sets an attribute or an item, or calls one of the class, or of a list, that may.

    >>> class Counted:
    ...     def __bool__(self):
    ...         self.asked = True
    ...         return True
    ...     def __len__(self):
    ...         return 2
    >>> _changes_object(Counted, "__bool__", set()), _changes_object(Counted, "__len__", set())
    (True, False)
    """
    method = class_attribute(cls, name)
    if not isinstance(method, types.FunctionType) or name in seen:
        return name in CONTAINER_CHANGES and not isinstance(method, types.FunctionType)
    seen.add(name)
    stores = any(step.opname in _STORING for step in dis.get_instructions(method))
    return stores or any(_changes_object(cls, called, seen) for called in method.__code__.co_names)


def is_plain_class(cls: type) -> bool:
    """Whether calling a class makes an object and passes it to an `__init__` in Python, and no more."""
    return (
        type(cls).__call__ is type.__call__
        and class_attribute(cls, "__new__") is vars(object)["__new__"]
        and not issubclass(cls, BaseException)
        and not is_library(cls.__module__)
        and (cls.__init__ is object.__init__ or isinstance(cls.__init__, types.FunctionType))
        and class_attribute(cls, "__setattr__") is vars(object)["__setattr__"]
        and _has_plain_attributes(cls)
    )


def is_plain_dataclass(cls: type) -> bool:
    """Whether making an object of a dataclass sets its fields to what is given, and no more."""
    return (
        dataclasses.is_dataclass(cls)
        and is_generated(cls)
        and _has_plain_attributes(cls)
        and class_attribute(cls, "__post_init__") is None
        and all(f.init for f in dataclasses.fields(cls))
    )


def is_checked_dataclass(cls: type, lower: Function[[types.FunctionType], n.Function]) -> bool:
    """Whether it sets its fields, looks at them (in a `__post_init__` that may raise), and no more."""
    after = class_attribute(cls, "__post_init__")
    return (
        dataclasses.is_dataclass(cls)
        and is_generated(cls)
        and _has_plain_attributes(cls)
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
        if isinstance(stmt, n.Evaluate) and isinstance(stmt.value, n.Call) and n.object_of(stmt.value.func) is marked:
            continue  # a note for those who look inside
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
