"""A tangent as a sum of tangents, each times a factor that all directions share, so that factors meet before tangents.

A factor has no axis of directions: two of them are multiplied, or added where they belong to the same tangent, in a
small part of the time that it takes for all directions.

    (u_dot * a + u_dot / b) * c        ->        u_dot * ((a + 1 / b) * c)
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.typing.lattice import broadcast
from adcompile.differentiate.jacobians.linear_calls import lifted
from adcompile.ir import nodes as n
from adcompile.ir.algebra import number, simplify
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import Array, Scalar
from adcompile.ir.make import together
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from adcompile.differentiate.jacobians.linear_calls import Work


@value_class()
class Term:
    """A tangent, or minus that, times a factor, divided by another; neither has an axis of directions."""

    dot: n.Expr
    factor: n.Expr | None = None
    divisor: n.Expr | None = None
    axes: int = 0  # how many the factors have together
    negative: bool = False
    reads: int = 1  # how often the tangent stands in what this was put together from

    @property
    def is_bare(self) -> bool:
        """Whether there is no factor."""
        return self.factor is None and self.divisor is None

    def coefficient(self) -> n.Expr:
        """Both factors as one."""
        if self.divisor is None:
            return self.factor or number(1.0)
        one = self.factor or number(1.0)
        return n.Binary("/", one, self.divisor, kind=product_kind(one, self.divisor))

    def with_factor(self, op: str, e: n.Expr, axes: int) -> Term | None:
        """The same times something more, or divided by it; None where that would not be the same."""
        own = self.factor if op == "*" else self.divisor
        beside = self.divisor if op == "*" else self.factor
        if any(part is not None and not _exact(part, e) for part in (own, beside)):
            return None
        both, axes = e if own is None else _product(own, e), max(self.axes, axes)
        if op == "*":
            return replace(self, factor=both, axes=axes)
        return replace(self, divisor=both, axes=axes)

    def scaled(self, dot: n.Expr) -> n.Expr:
        """The tangent for all directions with its factors."""
        if self.is_bare:
            return dot
        dot = uncopied(dot)
        kind = Array("float64", None)
        if self.factor is None and self.divisor is not None:
            return n.Binary("/", dot, lifted(self.divisor, self.axes), kind=kind)
        whole = lifted(self.coefficient(), self.axes)
        return n.Binary("*", *((whole, dot) if isinstance(whole, n.Const) else (dot, whole)), kind=kind)


def uncopied(e: n.Expr) -> n.Expr:
    """What is computed with at once needs no copy."""
    match e:
        case n.Call(func=n.Attribute(value=value, name="copy"), args=(), keywords=()):
            return value
        case _:
            return e


def terms(work: Work, e: n.Expr) -> list[Term]:
    """What a tangent is the sum of, each part with all of its factors."""
    match e:
        case n.Binary(op="+" | "-" as op, left=left, right=right, kind=Scalar() | Array()):
            others = terms(work, right)
            return joined([*terms(work, left), *(negated(part) if op == "-" else part for part in others)])
        case n.Unary(op="-", operand=operand, kind=Scalar() | Array()):
            return [negated(part) for part in terms(work, operand)]
        case n.Binary(op="*", left=left, right=right) if work.varies(e):
            dot, other = (left, right) if work.varies(left) else (right, left)
            return _scaled(work, dot, other, "*")
        case n.Binary(op="/", left=left, right=right) if work.varies(e):
            return _scaled(work, left, right, "/")
        case n.Call(args=(left, right), keywords=()) if n.object_of(e.func) is np.outer and work.varies(e):
            return [_outer(work, left, right)]
        case n.Subscript(value=value) if work.varies(value) and not isinstance(value, n.Read):
            parts = terms(work, value)
            part = _with_axes(work, e, parts[0]) if len(parts) == 1 else None  # of several, each would be stretched
            return [Term(e) if part is None else part]
        case _:
            return [Term(e)]


def _with_axes(work: Work, e: n.Subscript, part: Term) -> Term | None:
    """A tangent times factors that gets axes of length 1, as such a tangent times such factors; None of other items."""
    at, kind = index_parts(e.index), e.value.kind
    rank = len(kind.dims or ()) if isinstance(kind, Array) else 0
    is_whole = all((isinstance(axis, n.Slice) and axis == n.Slice()) or axis == n.Const(None) for axis in at)
    factors = [f for f in (part.factor, part.divisor) if f is not None]
    arrays = [f for f in factors if not isinstance(f.kind, Scalar)]
    if not is_whole or sum(isinstance(axis, n.Slice) for axis in at) != rank or work.rank(part.dot) != rank:
        return None
    if not factors or any(not isinstance(f.kind, Array) or f.kind.rank != rank for f in arrays):
        return None

    def stretched(of: n.Expr | None) -> n.Expr | None:
        if of is None or not isinstance(of.kind, Array):
            return of
        axes = iter(of.kind.dims or ())
        dims = tuple(1 if axis == n.Const(None) else next(axes) for axis in at)
        return n.Subscript(of, e.index, kind=replace(of.kind, dims=dims))

    dot = replace(e, value=part.dot)
    own, divisor = map(stretched, (part.factor, part.divisor))
    return replace(part, dot=dot, factor=own, divisor=divisor, axes=len(at) if arrays else 0)


def within(work: Work, part: Term, value: n.Expr) -> list[Term] | None:
    """A tangent times factors, with what it was set to in its place.

    None where that has a part without factors: it would need one of its own.
    """
    made: list[Term] = []
    for one in terms(work, value):
        whole: Term | None = None if one.is_bare else one
        for op, more in (("*", part.factor), ("/", part.divisor)):
            if whole is not None and more is not None:
                whole = whole.with_factor(op, more, part.axes)
        if whole is None:
            return None
        made.append(negated(whole) if part.negative else whole)
    return made


def _scaled(work: Work, dot: n.Expr, other: n.Expr, op: str) -> list[Term]:
    """The parts of a tangent, each with one factor more; as one where that takes less time, or rounds otherwise."""
    axes, parts = work.factor(other), terms(work, dot)
    if len(parts) == 1 or not (any(part.is_bare for part in parts) or axes > (work.rank(dot) or 0)):
        made = [part.with_factor(op, other, axes) for part in parts]
        found = [part for part in made if part is not None]
        if len(found) == len(parts):
            return found
    return [Term(dot, other, None, axes) if op == "*" else Term(dot, None, other, axes)]


def _outer(work: Work, left: n.Expr, right: n.Expr) -> Term:
    """The outer product of two vectors, one of which is a tangent."""
    if work.varies(left):
        return Term(raised(left), right, None, work.factor(right))
    return Term(right, raised(left), None, work.factor(left) + 1)


def raised(e: n.Expr) -> n.Expr:
    """An array with an axis of length 1 behind the first one: of a vector a column."""
    dims = e.kind.dims if isinstance(e.kind, Array) else None
    kind = Array(e.kind.dtype if isinstance(e.kind, Array) else None, None if dims is None else (dims[0], 1, *dims[1:]))
    return n.Subscript(e, together(n.Slice(), n.Const(None)), kind=kind)


def joined(parts: list[Term]) -> list[Term]:
    """The sum with one part for each tangent, where that takes less time."""
    found: list[Term] = []
    for part in parts:
        k = next((k for k, other in enumerate(found) if other.dot == part.dot), None)
        if k is None or isinstance(part.dot, n.Const):
            found.append(part)
            continue
        own, more = found[k].coefficient(), part.coefficient()
        if not _exact(own, more):
            found.append(part)
            continue
        op = "+" if found[k].negative == part.negative else "-"
        whole = n.Binary(op, own, more, kind=product_kind(own, more))
        axes, count = max(found[k].axes, part.axes), found[k].reads + part.reads
        found[k] = Term(part.dot, whole, None, axes, found[k].negative, count)
    return found


def negated(part: Term) -> Term:
    """Minus a tangent times factors."""
    return replace(part, negative=not part.negative)


def turned(part: Term) -> Term:
    """The same with the minus in the factor, where that is an array."""
    if not part.negative or part.factor is None or not part.axes or not _exact(part.factor, part.factor):
        return part
    return replace(part, factor=simplify(n.Unary("-", part.factor, kind=part.factor.kind)), negative=False)


def _product(one: n.Expr, other: n.Expr) -> n.Expr:
    if isinstance(other, n.Const) and not isinstance(one, n.Const):
        one, other = other, one
    return n.Binary("*", one, other, kind=product_kind(one, other))


def _exact(one: n.Expr, other: n.Expr) -> bool:
    """Whether what comes of two factors is in double precision: products of whole numbers may be too large."""
    return any(_dtype(e) == "float64" for e in (one, other)) and not any(
        _dtype(e) in ("float32", "float16") for e in (one, other)
    )


def _dtype(e: n.Expr) -> str | None:
    return e.kind.dtype if isinstance(e.kind, Scalar | Array) else None


def product_kind(one: n.Expr, other: n.Expr) -> Scalar | Array:
    """The kind of what comes of two factors."""
    if isinstance(one.kind, Scalar) and isinstance(other.kind, Scalar):
        return Scalar("float64")
    shapes = [e.kind.dims if isinstance(e.kind, Array) else () for e in (one, other)]
    known = [dims for dims in shapes if dims is not None]
    return Array("float64", broadcast(known, "a factor") if len(known) == len(shapes) else None)
