"""Whole numbers that stand for real ones are taken for reals, by themselves and within containers.

What is a count, and stays a whole number, `counts.py` decides.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adcompile.analyses.whole_numbers.counts import Counts
from adcompile.ir.kinds import Kind, Scalar, Sequence, Struct

if TYPE_CHECKING:
    from adcompile.analyses.typing.program import Program
    from adcompile.analyses.typing.typed import Typed
    from adcompile.ir import nodes as n

_WHOLE = {"int64", "int32", "uint64", "uint32"}  # shorter ones make other dtypes of what they are multiplied with


def with_reals(program: Program, typed: Typed) -> list[Kind]:
    """The kinds of a function's arguments, where whole numbers that stand for reals are reals."""
    counts = Counts(program)

    def inside(kind: Kind, variable: n.Variable, path: tuple[Any, ...]) -> Kind:
        match kind:
            case Scalar(dtype=dtype) if dtype in _WHOLE:
                return kind if counts.is_count(typed, variable, path) else _real(kind)
            case Sequence(cls=cls) if cls not in (list, tuple):
                return kind  # a range
            case Sequence(item=Scalar(dtype=dtype) as item) if dtype in _WHOLE:
                return kind if counts.is_count(typed, variable, path) else replace(kind, item=_real(item))
            case Sequence(item=Struct() | Sequence() as item):
                return replace(kind, item=inside(item, variable, (*path, ...)))
            case Struct(items=items, keys=keys):
                return replace(
                    kind, items=tuple(inside(item, variable, (*path, k)) for k, item in zip(keys, items, strict=True))
                )
            case _:
                return kind

    return [inside(k, v, ()) for v, k in zip(typed.params, typed.kinds, strict=True)]


def real_where_taken(kind: Kind, taken: Kind) -> Kind:
    """The kind of an argument, where whole numbers that a function was given stand for reals if that took them so.

    >>> real_where_taken(Sequence(Scalar("int64"), list), Sequence(Scalar("float64"), list)).item.dtype
    'float64'
    """
    match kind, taken:
        case Scalar(dtype=dtype), Scalar(dtype="float64") if dtype in _WHOLE:
            return _real(kind)
        case Sequence(item=item), Sequence(item=other):
            return replace(kind, item=real_where_taken(item, other))
        case Struct(items=items, keys=keys), Struct(items=others, keys=same) if keys == same:
            return replace(kind, items=tuple(real_where_taken(a, b) for a, b in zip(items, others, strict=True)))
        case _:
            return kind


def _real(whole: Scalar) -> Scalar:
    # it is a whole number still, and beside others it counts as Python's or as NumPy's
    return Scalar("float64", python=None, among=tuple(("float64", python) for _, python in whole.types))
