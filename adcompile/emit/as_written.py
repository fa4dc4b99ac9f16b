"""Whether a function or class is what its text says: a copy of the text is one of it then.

Python lets both be changed behind their text: the file was edited since, a default was exchanged or stood for another
value when the `def` was run, an attribute or a method of a class was set from outside.

>>> import textwrap
>>> is_as_written(textwrap.dedent, "def dedent(text): return text", vars(textwrap))
False
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import functools
import inspect
from collections.abc import Iterator, Mapping
from types import FunctionType, MemberDescriptorType
from typing import Any, Final

import numpy as np

from adcompile.texts.fingerprint import compiles_to

_ABSENT: Final = object()
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_OF_PYTHON: Final = ("_abc_impl",)  # in a class, and in no text
_NUMBERS: Final = int | float | complex | np.ndarray | np.generic
_DATA: Final = _NUMBERS | str | bytes | list | tuple | dict | set | frozenset | range | type
_MAKING: Final = (
    *(np.array, np.asarray, np.zeros, np.ones, np.full, np.arange, np.linspace, np.eye, np.identity, np.diag),
)


def is_as_written(value: FunctionType | type, text: str, names: Mapping[str, Any]) -> bool:
    """Whether a definition's text makes this value, its decorators aside; `names` are those that it can use."""
    node = ast.parse(text).body[0]
    if isinstance(value, type):
        return isinstance(node, ast.ClassDef) and _is_class(value, node, names)
    if value.__name__ == "<lambda>" and isinstance(node, ast.FunctionDef):  # the text is that of a `def` made of it
        return _has_defaults(value, node.args, names)
    return isinstance(node, _Function) and _is_function(value, node, names)


def _has_defaults(value: FunctionType, args: ast.arguments, names: Mapping[str, Any]) -> bool:
    """Whether the defaults of a function are what they are by its text."""
    keywords = {a.arg: e for a, e in zip(args.kwonlyargs, args.kw_defaults, strict=True) if e is not None}
    own, own_keywords = value.__defaults__ or (), value.__kwdefaults__ or {}
    if len(own) != len(args.defaults) or own_keywords.keys() != keywords.keys():
        return False
    pairs = [*zip(args.defaults, own, strict=True), *((e, own_keywords[name]) for name, e in keywords.items())]
    return all(_makes(e, default, names) for e, default in pairs)


def _is_function(value: Any, node: _Function, names: Mapping[str, Any]) -> bool:
    value = _plain(value)
    return isinstance(value, FunctionType) and compiles_to(node, value) and _has_defaults(value, node.args, names)


def _plain(member: Any) -> Any:
    """The function in a member of a class, or behind its decorators."""
    for name in ("__func__", "fget", "func"):
        if isinstance(member, staticmethod | classmethod | property | functools.cached_property):
            member = getattr(member, name, member)
    return inspect.unwrap(member) if callable(member) else member


def _is_class(cls: type, node: ast.ClassDef, names: Mapping[str, Any]) -> bool:
    own = vars(cls)
    inside = {**names, **own}
    written: set[str] = set()
    for stmt in node.body:
        for name, e in _set_by(stmt):
            written.add(name)
            member = own.get(name, _ABSENT)
            if isinstance(e, ast.expr):
                fine = _is_field(cls, name, member) or _makes(e, member, inside)
            elif isinstance(e, ast.ClassDef):
                fine = isinstance(member, type) and _is_class(member, e, inside)
            else:
                setters = [s for s in node.body if isinstance(s, _Function) and s.name == name]
                fine = len(setters) > 1 or _is_function(member, e, inside)
            if not fine:
                return False
    if issubclass(cls, enum.Enum | tuple):
        return True
    return not any(_is_set_later(name, member) for name, member in own.items() if name not in written)


def _set_by(stmt: ast.stmt) -> Iterator[tuple[str, ast.expr | _Function | ast.ClassDef]]:
    match stmt:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name, stmt
        case ast.Assign(targets=targets, value=value):
            yield from ((target.id, value) for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value


def _is_field(cls: type, name: str, member: Any) -> bool:
    """Whether a dataclass or named tuple keeps the default elsewhere, or a slot stands in its place."""
    if dataclasses.is_dataclass(cls):
        return member is _ABSENT or isinstance(member, MemberDescriptorType | dataclasses.Field)
    return name in getattr(cls, "_fields", ()) and hasattr(member, "__get__")


def _is_set_later(name: str, member: Any) -> bool:
    """Whether a member that is not in the text was set from outside, and not by Python or a decorator."""
    if name.startswith("__") and name.endswith("__"):
        return False
    return name not in _OF_PYTHON and not isinstance(member, MemberDescriptorType)


def _makes(e: ast.expr, value: Any, names: Mapping[str, Any]) -> bool:
    """Whether an expression has this value by now: where that can be told without anybody noticing."""
    if isinstance(e, ast.Lambda):
        return isinstance(value, FunctionType) and compiles_to(e, value)
    try:
        if not _only_makes(e, names):
            return False
        found = eval(compile(ast.Expression(e), "<default>", "eval"), dict(names))  # noqa: S307 - it does nothing else
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):  # a name or part that is gone, say
        return False
    return _same(found, value.value if isinstance(value, enum.Enum) and not isinstance(found, enum.Enum) else value)


def _only_makes(e: ast.expr, names: Mapping[str, Any]) -> bool:
    """Whether to evaluate an expression makes a value and does nothing else; raises where a name is gone."""
    match e:
        case ast.Name() | ast.Attribute():
            _held(e, names)
            return True
        case ast.Constant():
            return True
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return all(_only_makes(part, names) for part in parts)
        case ast.Dict(keys=keys, values=values):
            return all(part is not None and _only_makes(part, names) for part in (*keys, *values))
        case ast.UnaryOp(operand=operand):
            return _is_number(operand, names)
        case ast.BinOp(left=left, right=right):
            return _is_number(left, names) and _is_number(right, names)
        case ast.Call(func=func, args=args, keywords=keywords):
            known = isinstance(func, ast.Name | ast.Attribute) and _makes_data(_held(func, names))
            return known and all(_is_given(part, names) for part in (*args, *(k.value for k in keywords)))
        case _:
            return False


def _held(e: ast.expr, names: Mapping[str, Any]) -> Any:
    """What a name stands for, or what a module or class has under one: nothing is computed for it."""
    match e:
        case ast.Name(id=name):
            return names[name]
        case ast.Attribute(value=owner, attr=name):
            return vars(_held(owner, names))[name]
        case _:
            raise LookupError


def _is_given(e: ast.expr, names: Mapping[str, Any]) -> bool:
    """Whether an argument is data: an iterator, say, would be used up."""
    if isinstance(e, ast.Name | ast.Attribute):
        return isinstance(_held(e, names), _DATA)
    return _only_makes(e, names)


def _is_number(e: ast.expr, names: Mapping[str, Any]) -> bool:
    """Whether an operand is a number or an array, whose operators are known."""
    if isinstance(e, ast.Name | ast.Attribute):
        return isinstance(_held(e, names), _NUMBERS)
    return not isinstance(e, ast.Tuple | ast.List | ast.Set | ast.Dict) and _only_makes(e, names)


def _makes_data(function: Any) -> bool:
    """Whether a function makes numbers, arrays or containers of what it is given, and nothing else."""
    if isinstance(function, type):
        return function.__module__ in ("builtins", "numpy")
    return isinstance(function, np.ufunc) or function in _MAKING or getattr(function, "__module__", "") == "math"


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    match a:
        case list() | tuple():
            return len(a) == len(b) and all(map(_same, a, b))
        case dict():
            return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
        case np.ndarray():
            return bool(a.dtype == b.dtype and a.shape == b.shape) and a.tobytes() == b.tobytes()
        case int() | float() | complex() | str() | bytes() | np.generic() | frozenset() | set() | range():
            return repr(a) == repr(b)
        case _:
            return hasattr(a, "__dict__") and _same(vars(a), vars(b))
