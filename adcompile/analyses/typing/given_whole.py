"""What is whole in a program since whole numbers were given for reals: NumPy makes arrays of whole numbers of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Kind, Scalar, within
from adcompile.ir.walk import expressions, statements, walk
from adcompile.source import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from adcompile.analyses.typing.typed import Typed

_Key = tuple[Span, str] | n.Variable


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
