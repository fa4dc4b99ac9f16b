"""Whole numbers that stand for real ones are taken for reals, by themselves and within containers.

What is a count, and stays a whole number, `counts.py` decides.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adcompile.analyses.whole_numbers.counts import Counts
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Kind, Scalar, Sequence, Struct, within
from adcompile.ir.walk import expressions, statements, walk
from adcompile.source import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from adcompile.analyses.typing.program import Program
    from adcompile.analyses.typing.typed import Typed

_Key = tuple[Span, str] | n.Variable
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


class GivenWhole:
    """What is whole, numbers or arrays, where whole numbers that stand for reals are taken for what they are.

    A function is typed twice where it is given such: first as they are, when notes are taken, and then as reals.
    """

    def __init__(self) -> None:
        self._is_noted = False
        self._known: set[_Key] = set()
        self._dtypes: dict[_Key, set[str]] = {}  # that are asked for, of arrays

    def note(self, found: Iterable[Typed]) -> None:
        """Take note of functions that were typed with whole numbers as they are."""
        self._is_noted = True
        real: set[_Key] = set()
        for e in (e for typed in found for s in statements(typed.body) for x in expressions(s) for e in walk(x)):
            if dtypes := dtypes_within(e.kind):
                is_whole = all((dtype or "f")[0] in "iu" for dtype in dtypes)
                (self._known if is_whole else real).update(_keys(e))
        self._known -= real  # a line that is there for both takes reals

    def is_whole(self, expr: n.Expr) -> bool:
        """Whether an expression is whole wherever its text is read, or the name that it is."""
        return bool(self._known) and any(key in self._known for key in _keys(expr))

    def dtype(self, array: n.Expr, dtype: str) -> str | None:
        """The dtype that an array has in the run, where one is asked for; None where it may be one or the other."""
        if not self._is_noted:
            for key in _keys(array):
                self._dtypes.setdefault(key, set()).add(dtype)
            return dtype
        known: set[str] = next((self._dtypes[key] for key in _keys(array) if key in self._dtypes), {dtype})
        return next(iter(known)) if len(known) == 1 else None


def _keys(expr: n.Expr) -> Iterator[_Key]:
    """What an expression is known by whenever its function is typed: where it stands, and the name that it is."""
    if expr.span is not None:
        yield expr.span, "" if expr.span.source is None else expr.span.source.filename
    if isinstance(expr, n.Read):
        yield expr.variable


def dtypes_within(kind: Kind) -> list[str | None]:
    """The dtypes of the numbers and arrays in a value."""
    return [k.dtype for k in within(kind) if isinstance(k, Scalar | Array)]


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
