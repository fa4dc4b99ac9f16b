"""Reals that are put into arrays of whole numbers, which they are only since a whole number was given for a real one.

    x = np.full(4, start)      with start = 3 an array of ints: NumPy cuts off what is stored there
    x[1] = rate * x[0]

The kinds take `start` for a real, so `x` for an array of floats, and would give `rate` the partial that it has there.
The value is another one, of which hardly anybody means the derivative: it is refused. An array that is made one of ints
is one by its kind, and what is stored in it has no partial.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcompile.analyses.typing.calls import resolve
from adcompile.analyses.typing.given_whole import given_to, is_real, items_in
from adcompile.analyses.typing.targets import UserCall
from adcompile.analyses.varied import varies
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Scalar
from adcompile.ir.walk import expressions, statements, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adcompile.analyses.typing.given_whole import GivenWhole
    from adcompile.analyses.typing.targets import Scope
    from adcompile.analyses.typing.typed import Typed
    from adcompile.analyses.varied import Activity


def check_cut_off(typed: Typed, given: GivenWhole, activity: Activity, scope: Scope) -> None:
    """Refuse to differentiate what an array cuts off, as it holds whole numbers that were given for reals."""

    def check(stmt: n.Stmt, into: n.Expr, values: list[n.Expr]) -> None:
        in_reals = isinstance(into.kind, Array) and into.kind.dtype == "float64"  # one not known is asked in the run
        others = [e for e in values if is_real(e) and not given.is_whole(e)]
        if in_reals and any(varies(e, activity.before[stmt], scope) for e in others):
            raise UnsupportedError(
                "cannot differentiate what is put into an array of whole numbers",
                span=into.span,
                reason="It holds whole numbers since one was given for a real: NumPy cuts off what is put there.",
                remedy="Give 3.0 instead of 3, or make the array with `dtype=float`.",
            )

    for stmt in statements(typed.body):
        for into, value in _stored(stmt):
            if given.may_be_whole(into):
                check(stmt, into, [*items_in(value)])
        for e in (e for whole in expressions(stmt) for e in walk(whole) if isinstance(e, n.Call)):
            if given.cuts(e) and not isinstance(resolve(e, scope), UserCall):
                check(stmt, e, given_to(e))


def _stored(stmt: n.Stmt) -> Iterator[tuple[n.Expr, n.Expr]]:
    """The arrays that a statement puts values into, each with the value."""
    match stmt:
        case n.Store(target=n.Subscript(value=into) | n.Attribute(value=into), value=value):
            yield into, value
        case n.Augment(target=n.Subscript(value=into, kind=Scalar()), value=value):
            yield into, value
