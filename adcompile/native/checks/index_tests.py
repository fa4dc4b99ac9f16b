"""Tests of indices: what they look like, and whether one made in front of a loop does for all of its iterations.

    for i in range(n):                  if 0 < n and n - 1 >= len(x):
        total += x[i]           ->          raise IndexError("index is out of bounds for axis 0")
                                        for i in range(n):
                                            total += x[i]

That is the same where nothing else can happen in the loop than that an index is outside: nothing that raises, ends the
loop, or would be noticed by the time that Python raises.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from adcompile.analyses.whole_numbers.known import is_called, is_whole
from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.kinds import BOOL, INT, Array, Scalar, Static
from adcompile.ir.make import apply, len_of
from adcompile.ir.walk import expressions, statements, substitute, targets, walk

if TYPE_CHECKING:
    from adcompile.analyses.whole_numbers.inequalities import Affine
    from adcompile.ir.kinds import Kind

COUNTER = "counter"  # the symbol of the number that the loop at hand counts with
_QUIET = frozenset({len, range, abs, min, max, float, enumerate, zip})
_PURE = _QUIET | {int, bool, complex, round, reversed, sum, divmod, isinstance}
_LINES = (n.Assign, n.Augment, n.Store, n.If, n.For, n.Push, n.Pop, n.NewTape, n.Remark, n.Pass)


class IndexTest(NamedTuple):
    """That an index is not below an axis (`is_low`), or not beyond it: `holds` is not negative where that is so."""

    place: n.Expr
    length: n.Expr
    axis: int
    is_low: bool
    holds: Affine

    def line(self, origin: n.Origin | None, index: n.Expr | None = None, given: n.Expr | None = None) -> n.Stmt:
        """What raises where the index is outside, or another one is; `given` is asked first."""
        test = outside(index or self.place, self.length, low=self.is_low)
        return failing(test if given is None else n.Bool("and", (given, test), kind=BOOL), self.axis, origin)

    def early(self, loop: n.For, origin: n.Origin | None, *, back: bool) -> n.Stmt:
        """The test in front of a loop, for the iteration in which the index is lowest, or highest."""
        (own,) = targets(loop.target)
        args = loop.iterable.args if isinstance(loop.iterable, n.Call) else ()
        start, stop = (n.Const(0, kind=INT), args[0]) if len(args) == 1 else args[:2]
        last = simplify(n.Binary("+" if back else "-", stop, n.Const(1, kind=INT), kind=INT))
        low, high = (last, start) if back else (start, last)
        factor = self.holds.terms.get(COUNTER, 0)
        index = simplify(substitute(self.place, {own: low if factor > 0 else high}))
        return self.line(origin, index, n.Compare((">",) if back else ("<",), (start, stop), kind=BOOL))


def outside(index: n.Expr, length: n.Expr, *, low: bool) -> n.Expr:
    """Whether an index is below an axis, or beyond it."""
    if low:
        return n.Compare(("<",), (index, n.Unary("-", length, kind=INT)), kind=BOOL)
    return n.Compare((">=",), (index, length), kind=BOOL)


def failing(test: n.Expr, axis: int, origin: n.Origin | None) -> n.Stmt:
    """What raises where a test holds."""
    error = apply(IndexError, n.Const(f"index is out of bounds for axis {axis}", kind=Static("")))
    return n.If(test, [n.Raise(error, None, origin=origin)], [], origin=origin)


def length_of(base: n.Expr, axis: int) -> n.Expr:
    """The length of an axis, as an expression."""
    if isinstance(base, n.Attribute) and base.name == "flat":
        return n.Attribute(base.value, "size", kind=INT)
    if axis == 0:
        return len_of(base)
    return n.Subscript(n.Attribute(base, "shape"), n.Const(axis, kind=INT), kind=INT)


def is_simple(expr: n.Expr) -> bool:
    """Whether to evaluate an expression twice is as good as once."""
    return all(
        not isinstance(e, n.Named | n.Opaque | n.Comprehension | n.Lambda)
        and not (isinstance(e, n.Call) and n.object_of(e.func) is not builtins.len)
        for e in walk(expr)
    )


def is_pure(call: n.Call) -> bool:
    """Whether a call changes no array."""
    called = n.object_of(call.func)
    if isinstance(called, np.ufunc):
        return all(name != "out" for name, _ in call.keywords) and len(call.args) <= called.nin
    return is_called(called, _PURE) or getattr(called, "__module__", None) in ("math", "cmath")


def stores(stmt: n.Stmt) -> bool:
    """Whether a statement may set an item of an array of whole numbers."""
    match stmt:
        case (
            n.Store(target=n.Subscript(value=n.Expr(kind=Array(dtype=str() as dtype))))
            | n.Augment(target=n.Subscript(value=n.Expr(kind=Array(dtype=str() as dtype))))
        ):
            own = dtype[0] not in "fc"
        case n.Store() | n.Augment():
            own = True
        case _:
            own = False
    return own or any(isinstance(e, n.Call) and not is_pure(e) for x in expressions(stmt) for e in walk(x))


def leaves(body: list[n.Stmt]) -> bool:
    """Whether an iteration may end before it is at its end."""
    return any(isinstance(s, n.Break | n.Continue | n.Return) for s in statements(body))


def is_quiet(body: list[n.Stmt], *, divides_quietly: bool) -> bool:
    """Whether nothing in a loop can raise or end it, and nobody would notice that it has begun."""
    return all(
        isinstance(s, _LINES)
        and all(_is_quiet(e, divides_quietly=divides_quietly) for expr in expressions(s) for e in walk(expr))
        for s in statements(body)
    )


def _is_quiet(expr: n.Expr, *, divides_quietly: bool) -> bool:
    match expr:
        case n.Binary(kind=Array()) | n.Opaque() | n.Comprehension() | n.Lambda() | n.Named():
            return False  # arrays may be of lengths that do not fit
        case n.Binary(op="/"):
            return divides_quietly
        case n.Binary(op=op, kind=kind):
            return op in ("+", "-", "*") or (op == "**" and isinstance(kind, Scalar) and not is_whole(kind))
        case n.Call(kind=kind):
            called = n.object_of(expr.func)
            if isinstance(called, np.ufunc):
                return not isinstance(kind, Array)
            return is_called(called, _QUIET) or getattr(called, "__module__", None) == "math"
        case _:
            return True


def kinds_of_arrays(function: n.Function) -> dict[n.Variable, Kind]:
    """The kinds of the variables that hold arrays of one kind throughout."""
    found: dict[n.Variable, set[Kind]] = {}
    for stmt in statements(function.body):
        for expr in expressions(stmt):
            for e in walk(expr):
                if isinstance(e, n.Read) and isinstance(e.kind, Array) and e.kind.dims is not None:
                    found.setdefault(e.variable, set()).add(e.kind)
        if isinstance(stmt, n.Assign) and isinstance(stmt.value.kind, Array) and stmt.value.kind.dims is not None:
            found.setdefault(stmt.target, set()).add(stmt.value.kind)
    return {variable: kinds.pop() for variable, kinds in found.items() if len(kinds) == 1}


def has_items(function: n.Function) -> bool:
    """Whether a function within the function reads parts of arrays."""
    return any(isinstance(e, n.Subscript) for s in statements(function.body) for x in expressions(s) for e in walk(x))
