"""Lists in the texts of rules: what a library's function makes an array of is one in a text that computes with it."""

from __future__ import annotations

from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING, Final

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.algebra import number
from adcompile.ir.kinds import Array, Kind, Scalar, Sequence, Struct, within
from adcompile.ir.make import NP
from adcompile.ir.walk import rebuild

if TYPE_CHECKING:
    from adcompile.rules.forms import Row

_ARITHMETIC = frozenset({"+", "-", "*", "/", "**", "@"})
_NOTHING: Final = n.Display("tuple", ())  # the shape of a number


def numbers_in(values: dict[str, n.Expr], row: Row) -> list[n.Expr]:
    """The lists of numbers among the arguments that a row of a library's function has a derivative by."""
    if "." not in (row.function or ""):  # a builtin makes no array of a list
        return []
    one_by_one = {row.variadic, f"{row.variadic}_dot"}  # arguments, of which the call makes no array
    named = [e for k, e in values.items() if k.removesuffix("_dot") in row.texts and k not in one_by_one]
    return [e for e in named if is_box_of_numbers(e.kind)]


def with_arrays(expr: n.Expr, numbers: list[n.Expr]) -> n.Expr:
    """A rule's text in which lists and tuples that are computed with are arrays, as the call makes them.

    Numbers have no axes there: `np.reshape(g, np.shape(x))` is `np.reshape(g, ())` for a number.

    `numbers` are those among the arguments that a derivative is by, which are no axes or lengths.
    """
    expr = rebuild(expr, lambda part: with_arrays(part, numbers))
    match expr:
        case n.Binary(op=op, left=left, right=right) if op in _ARITHMETIC:
            return replace(expr, left=_as_operand(op, left, right), right=_as_operand(op, right, left))
        case n.Unary(op="-", operand=operand) if _is_listed(operand):
            return replace(expr, operand=as_array(operand))
        case n.Attribute(value=value, name="ndim" | "shape" | "size" | "T" | "mT" | "dtype") if _is_listed(value):
            return replace(expr, value=as_array(value))
        case n.Subscript(value=value, index=n.Display(form="tuple")) if _is_listed(value):
            return replace(expr, value=as_array(value))
        case n.Call(func=func, args=(n.Expr(kind=Scalar()),), keywords=()) if n.object_of(func) is np.shape:
            return _NOTHING
        case n.Call(func=func, args=(n.Expr(kind=Scalar()),), keywords=()) if n.object_of(func) is np.size:
            return number(1)
        case n.Display(items=items) if any(isinstance(e, n.Starred) and e.value == _NOTHING for e in items):
            kept = [e for e in items if not isinstance(e, n.Starred) or e.value != _NOTHING]
            return replace(expr, items=tuple(kept))
        case n.Call(func=func, args=args) if numbers and _takes_arrays(func):
            return replace(expr, args=tuple(as_array(e) if any(e is a for a in numbers) else e for e in args))
        case _:
            return expr


def _takes_arrays(func: n.Expr) -> bool:
    """Whether a function of a text makes no arrays of lists: a helper of ours, and one of NumPy's."""
    is_helper = isinstance(func, n.Ref) and func.scope == "rule" and isinstance(func.value, FunctionType)
    return is_helper or n.object_of(func) is np.take_along_axis


def _as_operand(op: str, e: n.Expr, other: n.Expr) -> n.Expr:
    number = isinstance(other.kind, Scalar) and other.kind.python is False  # times a list it repeats, and raises
    has_axes = isinstance(other.kind, Array) and (op != "*" or bool(other.kind.dims))
    by_numpy = has_axes or (number and op != "*")
    count = isinstance(other.kind, Scalar) and other.kind.dtype[0] in "bi"
    of_lists = (op == "+" and _is_listed(other)) or (op == "*" and count)
    return e if by_numpy or of_lists or not _is_listed(e) else as_array(e)


def as_array(e: n.Expr) -> n.Expr:
    """The array that NumPy makes of a list; of floats, where whole numbers in it stand for reals."""
    whole = [k for k in within(e.kind) if isinstance(k, Scalar) and k.may_be_whole]
    return n.Call(n.Attribute(NP, "array"), (e, n.Attribute(NP, "float64")) if whole else (e,))


def _is_listed(e: n.Expr) -> bool:
    match e.kind:
        case Sequence(cls=cls):
            return cls in (list, tuple)
        case Struct(form="list" | "tuple", cls=cls):
            return cls in (list, tuple)
        case _:
            return False


def is_list(kind: Kind) -> bool:
    """Whether it is a list or a tuple."""
    match kind:
        case Sequence(cls=cls):
            return cls in (list, tuple)
        case Struct(form="list" | "tuple"):
            return True
        case _:
            return False


def is_of_reals(kind: Kind) -> bool:
    """Whether it is a list, or lists in a list, of real or complex numbers: no axes or lengths."""
    parts = (kind.item,) if isinstance(kind, Sequence) else kind.items if isinstance(kind, Struct) else ()
    return is_list(kind) and any(is_of_reals(k) or (isinstance(k, Scalar) and k.dtype[0] in "fc") for k in parts)


def is_box_of_numbers(kind: Kind) -> bool:
    """Whether it is a list of numbers, or of lists of as many, of which NumPy certainly makes an array."""
    match kind:
        case Sequence(item=Scalar()):
            return is_list(kind)
        case Sequence(item=Struct() as item):
            return is_list(kind) and is_box_of_numbers(item)
        case Struct(items=(Scalar(), *_) as items):
            return is_list(kind) and all(isinstance(k, Scalar) for k in items)
        case Struct(items=(Struct() as first, *_) as items):
            alike = all(isinstance(k, Struct) and len(k.items) == len(first.items) for k in items)
            return is_list(kind) and alike and all(map(is_box_of_numbers, items))
        case _:
            return False
