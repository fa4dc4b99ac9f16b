"""What is whole in a program since whole numbers were given for reals: NumPy makes arrays of whole numbers of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Kind, Scalar, within
from adcompile.ir.walk import children, expressions, statements, walk
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
        self._maybe: set[_Key] = set()
        self._cuts: set[_Key] = set()  # calls that make whole numbers of what is given to them, which is not
        self._dtypes: dict[_Key, set[str]] = {}  # that are asked for, of arrays

    def note(self, found: Iterable[Typed]) -> None:
        """Take note of functions that were typed with whole numbers as they are."""
        self._is_noted = True
        real: set[_Key] = set()
        for e in (e for typed in found for s in statements(typed.body) for x in expressions(s) for e in walk(x)):
            if dtypes := dtypes_within(e.kind):
                is_whole = all((dtype or "f")[0] in "iu" for dtype in dtypes)
                (self._known if is_whole else real).update(_keys(e))
                if any((dtype or "i")[0] in "iu" for dtype in dtypes):
                    self._maybe.update(_keys(e))
                if is_whole and isinstance(e, n.Call) and any(map(is_real, given_to(e))):
                    self._cuts.update(_keys(e))
        self._known -= real  # a line that is there for both takes reals

    def is_whole(self, expr: n.Expr) -> bool:
        """Whether an expression is whole wherever its text is read, or the name that it is."""
        return bool(self._known) and any(key in self._known for key in _keys(expr))

    def may_be_whole(self, expr: n.Expr) -> bool:
        """Whether an expression, or the name that it is, may be whole somewhere where its text is read."""
        return bool(self._maybe) and any(key in self._maybe for key in _keys(expr))

    def cuts(self, call: n.Expr) -> bool:
        """Whether a call makes whole numbers of what is given to it somewhere, and is given others."""
        return bool(self._cuts) and any(key in self._cuts for key in _keys(call))

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


def given_to(call: n.Call) -> list[n.Expr]:
    """The arguments of a call, and what stands in one that is written out."""
    return [part for argument in children(call) for part in items_in(argument)]


def items_in(argument: n.Expr) -> Iterator[n.Expr]:
    """An argument, or what stands in one that is written out."""
    if isinstance(argument, n.Display):
        for item in argument.items:
            yield from items_in(item)
    else:
        yield argument


def is_real(e: n.Expr) -> bool:
    """Whether there may be a real number in what an expression gives, and it is no literal."""
    return not isinstance(e, n.Const) and any((dtype or "f")[0] in "fc" for dtype in dtypes_within(e.kind))


def dtypes_within(kind: Kind) -> list[str | None]:
    """The dtypes of the numbers and arrays in a value."""
    return [k.dtype for k in within(kind) if isinstance(k, Scalar | Array)]
