"""Arithmetic on matrices, and on arrays of three axes, in loops: its sums along an axis, and what is stretched.

    s = np.sum(a**2, axis=1)        sums = np.empty(a.shape[0])
                                    for i in range(a.shape[0]):
                                        total = 0.0
                              ->        for j in range(a.shape[1]):
                                            total += a[i, j] ** 2
                                        sums[i] = total
                                    s = sums

Numba would make a matrix of squares first, and add up its columns one after the other; where vectors are stretched, as
in `a - v` and `v[:, None] * a`, it looks at the strides of each for each element.

>>> from adcompile.ir.kinds import Extent
>>> from adcompile.ir.show import show
>>> from adcompile.source import FunctionSource
>>> rows, columns = Extent("a.0", least=2), Extent("a.1", least=2)
>>> a, v = (n.Read(n.Variable(s), kind=Array("float64", d)) for s, d in (("a", (rows, columns)), ("v", (columns,))))
>>> d = n.Variable("d")
>>> function = n.Function("f", [], [n.Assign(d, n.Binary("-", a, v, kind=a.kind))], FunctionSource("f", "f.py", "", 1))
>>> matrices(function)
>>> print(show(function.body).replace("@builtin", "").replace("@rule", "").replace("<step ", "<"))
if len(v) != a.shape[1]:
    raise ValueError('operands could not be broadcast together')
d = np.empty((a.shape[0], a.shape[1]))
for <i> in range(a.shape[0]):
    for <j> in range(a.shape[1]):
        d[<i>, <j>] = (a[<i>, <j>] - v[<j>])
"""

from __future__ import annotations

from collections.abc import Sequence as Sequence_
from dataclasses import replace

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.indices import is_none
from adcompile.ir.kinds import BOOL, INT, UNKNOWN, Array, Dim, Kind, Scalar, Sequence, Static, may_be_one
from adcompile.ir.make import apply, len_of, raise_if, range_of
from adcompile.ir.walk import blocks, rebuild, walk
from adcompile.native.vectors.loops import NOT_ALIKE, NUMBER, UFUNCS, is_slice

_SHAPE = Sequence(INT, tuple)
_KEEP = n.Const(value=True)
_DEEPEST = 3  # axes


def matrices(function: n.Function) -> None:
    """Write out arithmetic on matrices in a function, in place."""
    _block(function.body)


def _block(body: list[n.Stmt]) -> None:
    new: list[n.Stmt] = []
    for stmt in body:
        for inner in blocks(stmt):
            _block(inner)
        lines: list[n.Stmt] = []
        if isinstance(stmt, n.Assign | n.Store | n.Augment):
            stmt.value = _pulled_out(stmt.value, lines)
        if isinstance(stmt, n.Assign) and _is_deep(stmt.value.kind) and (loop := _Loop.over(stmt.value)) is not None:
            new += [*lines, *(loop.made(stmt) if loop.stretches else [stmt])]
        else:
            new += [*lines, stmt]
        for line in lines:
            line.origin = stmt.origin
    body[:] = new


def _pulled_out(expr: n.Expr, lines: list[n.Stmt]) -> n.Expr:
    """An expression whose sums of matrices are counted up, and what it multiplies as matrices made, in lines before."""
    if isinstance(expr, n.Conditional | n.Bool | n.Lambda | n.Comprehension | n.Named):
        return expr  # there it may not be evaluated
    expr = rebuild(expr, lambda e: _pulled_out(e, lines))
    match expr:
        case n.Call(func=n.Expr(kind=Static(value=np.sum)), args=(summed, *rest), keywords=keywords) if (
            _is_deep(summed.kind)
            and isinstance(expr.kind, Array)
            and (axes := _axes(dict(keywords), rest)) is not None
            and (loop := _Loop.over(summed)) is not None
            and all(-loop.rank <= axis < loop.rank for axis in axes)
            and len(axes) == len(along := {axis % loop.rank for axis in axes}) < loop.rank
        ):
            return loop.summed(along, lines, keep="keepdims" in dict(keywords))
        case n.Binary(op="@", left=left, right=right):
            return replace(expr, left=_factor(left, lines), right=_factor(right, lines))
        case _:
            return expr


def _axes(keywords: dict[str | None, n.Expr], rest: list[n.Expr]) -> list[int] | None:
    """The axes that `np.sum` is told to go along; None where that is not known, or it is told something else."""
    given = [*rest, *([keywords["axis"]] if "axis" in keywords else [])]
    keep = keywords.get("keepdims", _KEEP)
    if len(given) != 1 or not keywords.keys() <= {"axis", "keepdims"}:
        return None
    if not (isinstance(keep, n.Const) and keep.value is True):
        return None
    match given[0]:
        case n.Const(value=int() as axis):
            return [axis]
        case n.Const(value=tuple() as axes) if axes and all(type(axis) is int for axis in axes):
            return list(axes)
        case n.Display(items=items) if all(isinstance(e, n.Const) and type(e.value) is int for e in items):
            return [e.value for e in items if isinstance(e, n.Const)]
        case _:
            return None


def _factor(e: n.Expr, lines: list[n.Stmt]) -> n.Expr:
    """A factor of a product of matrices, made in lines before if vectors are stretched to it."""
    if isinstance(e, n.Attribute) and e.name == "T":
        return replace(e, value=_factor(e.value, lines))
    if not isinstance(e, n.Binary) or not _is_deep(e.kind, most=2):
        return e
    loop = _Loop.over(e)
    if loop is None or not loop.stretches:
        return e
    held = n.Read(n.Variable("factor", n.Role.STEP), kind=e.kind)
    lines += loop.made(n.Assign(held.variable, e))
    return held


class _Loop:
    """A loop over the places of what arithmetic on matrices or deeper arrays, stretched ones and numbers makes."""

    def __init__(self, kind: Array) -> None:
        self.kind = kind
        self.rank = kind.rank or 0
        self.sizes: dict[int, n.Expr] = {}  # of the axes: how long what lies along them is
        self.is_whole = False  # whether one array has them all
        self.stretches = False
        self.before: list[n.Stmt] = []
        self.tests: list[tuple[n.Expr, int]] = []  # lengths, and the axes that they must be as long as
        self.places = tuple(n.Read(n.Variable(name, n.Role.STEP), kind=INT) for name in "ijk"[: self.rank])
        self.item: n.Expr = n.Const(0.0)

    @classmethod
    def over(cls, expr: n.Expr) -> _Loop | None:
        """The loop over an expression; None where it is something else, or where it may be that items are stretched."""
        if not isinstance(expr.kind, Array):
            return None
        loop = cls(expr.kind)
        item = loop.of(expr, tuple(range(loop.rank)))
        # of vectors alone an outer product is made, elsewhere
        if item is None or len(loop.sizes) < loop.rank or not (loop.is_whole or loop.rank == _DEEPEST):
            return None
        loop.item = item
        return loop

    def of(self, e: n.Expr, axes: tuple[int, ...]) -> n.Expr | None:
        """What an expression comes to at a place; `axes` are those of the whole that its own lie along."""
        if isinstance(e.kind, Scalar):
            return self.number(e)
        match e:
            case n.Binary(op="+" | "-" | "*" | "/", left=left, right=right):
                items = self.each((left, right), axes)
                return replace(e, left=items[0], right=items[1], kind=NUMBER) if items else None
            case n.Binary(op="**", left=left, right=n.Const(value=int() as power)) if 0 <= power <= 4:
                base = self.of(left, axes)
                return base and replace(e, left=base, kind=NUMBER)
            case n.Unary(op="-", operand=operand):
                inner = self.of(operand, axes)
                return inner and replace(e, operand=inner, kind=NUMBER)
            case n.Call(func=n.Expr(kind=Static(value=np.ufunc() as function)), args=args, keywords=()) if (
                function in UFUNCS and len(args) == function.nin
            ):
                items = self.each(args, axes)
                return replace(e, args=items, kind=NUMBER) if items else None
            case n.Subscript(
                value=n.Expr(kind=Array(dtype="float64") as kind) as inner, index=n.Display(items=parts)
            ) if (
                all(_is_all(part) or is_none(part) for part in parts)
                and any(map(is_none, parts))
                and kind.rank == sum(map(_is_all, parts))
                and len(parts) == len(axes)
            ):
                self.stretches = True
                return self.of(inner, tuple(axis for axis, part in zip(axes, parts, strict=True) if _is_all(part)))
            case n.Expr(kind=Array(dtype="float64", dims=dims)) if dims and len(dims) == len(axes):
                return self.array(e, dims, axes)
            case _:
                return None

    def each(self, parts: tuple[n.Expr, ...], axes: tuple[int, ...]) -> tuple[n.Expr, ...] | None:
        """What each of several expressions comes to; None where one of them is something else."""
        items: list[n.Expr] = []
        for e in parts:
            rank = e.kind.rank if isinstance(e.kind, Array) else 0
            item = None if rank is None or rank > len(axes) else self.of(e, axes[len(axes) - rank :])
            if item is None:
                return None
            items.append(item)
        return tuple(items)

    def number(self, e: n.Expr) -> n.Expr | None:
        if not isinstance(e.kind, Scalar) or e.kind.dtype not in ("float64", "int64"):
            return None
        if any(isinstance(x, n.Named) for x in walk(e)):
            return None
        return e if isinstance(e, n.Const | n.Read) else self.named(e, "factor")

    def array(self, e: n.Expr, dims: tuple[Dim, ...], axes: tuple[int, ...]) -> n.Expr | None:
        """The item of an array, of which each axis is as long as the whole's or has one item for certain."""
        if len(dims) > 1 and not (isinstance(e, n.Read) or is_slice(e)):
            return None
        whole = self.kind.dims or ()
        single = [len(dims) > 1 and dim == 1 and whole[axis] != 1 for dim, axis in zip(dims, axes, strict=True)]
        if not all(one or self.fits(dim, axis) for one, dim, axis in zip(single, dims, axes, strict=True)):
            return None
        read = e if isinstance(e, n.Read) else self.named(e, "part")
        self.stretches |= any(single) or len(dims) < self.rank
        self.is_whole |= len(dims) == self.rank and not any(single)
        for k, (one, axis) in enumerate(zip(single, axes, strict=True)):
            size = len_of(read) if len(dims) == 1 else _size(read, k)
            if not one and self.sizes.setdefault(axis, size) != size:
                self.tests.append((size, axis))
        first = n.Const(0, kind=INT)
        places = [first if one else self.places[axis] for one, axis in zip(single, axes, strict=True)]
        return n.Subscript(read, _all_of(places), kind=NUMBER)

    def fits(self, dim: Dim, axis: int) -> bool:
        """Whether an axis is as long as the whole's, or NumPy would raise."""
        whole = (self.kind.dims or ())[axis]
        return dim == whole or not (may_be_one(dim) or may_be_one(whole))

    def named(self, e: n.Expr, name: str) -> n.Read:
        held = n.Variable(name, n.Role.STEP)
        self.before.append(n.Assign(held, e))
        return n.Read(held, kind=e.kind)

    def ready(self) -> list[n.Stmt]:
        """What comes before the loop."""
        tests: list[n.Expr] = [n.Compare(("!=",), (size, self.sizes[axis]), kind=BOOL) for size, axis in self.tests]
        return [*self.before, *raise_if(list(dict.fromkeys(tests)), NOT_ALIKE)]

    def nest(self, axes: Sequence_[int], body: list[n.Stmt]) -> n.Stmt:
        """Loops over some axes, one in the other."""
        for axis in reversed(axes):
            body = [n.For(self.places[axis], range_of(self.sizes[axis]), body, [])]
        return body[0]

    def made(self, stmt: n.Assign) -> list[n.Stmt]:
        """The lines that make an array."""
        target = stmt.target
        aside = any(isinstance(e, n.Read) and e.variable is target for e in walk(stmt.value))
        new = n.Variable(f"{target.name}_new", n.Role.STEP) if aside else target
        whole = n.Read(new, kind=self.kind)
        every = range(self.rank)
        put = n.Store(n.Subscript(whole, _all_of(list(self.places)), kind=NUMBER), self.item)
        shape = _all_of([self.sizes[axis] for axis in every], _SHAPE)
        lines: list[n.Stmt] = [
            *self.ready(),
            n.Assign(new, apply(np.empty, shape, kind=self.kind)),
            self.nest(every, [put]),
            *([n.Assign(target, whole)] if aside else []),
        ]
        for line in lines:
            line.origin = stmt.origin
        return lines

    def summed(self, axes: set[int], lines: list[n.Stmt], *, keep: bool) -> n.Read:
        """The sums along some axes, which lines count up."""
        kept = [axis for axis in range(self.rank) if axis not in axes]
        dims = [1 if axis in axes else dim for axis, dim in enumerate(self.kind.dims or ()) if keep or axis not in axes]
        sums = n.Read(n.Variable("sums", n.Role.STEP), kind=Array("float64", tuple(dims)))
        one, first = n.Const(1, kind=INT), n.Const(0, kind=INT)
        left = range(self.rank) if keep else kept
        shape = _all_of([one if axis in axes else self.sizes[axis] for axis in left], _SHAPE)
        place = n.Subscript(sums, _all_of([first if axis in axes else self.places[axis] for axis in left]), kind=NUMBER)
        lines += self.ready()
        if max(kept) < min(axes):
            total = n.Read(n.Variable("total", n.Role.STEP), kind=NUMBER)
            lines.append(n.Assign(sums.variable, apply(np.empty, shape, kind=sums.kind)))
            count = self.nest(sorted(axes), [n.Augment(total, "+", self.item)])
            put = n.Store(place, total)
            lines.append(self.nest(kept, [n.Assign(total.variable, n.Const(0.0, kind=NUMBER)), count, put]))
        else:
            lines.append(n.Assign(sums.variable, apply(np.zeros, shape, kind=sums.kind)))
            lines.append(self.nest(range(self.rank), [n.Augment(place, "+", self.item)]))
        return sums


def _all_of(parts: Sequence_[n.Expr], kind: Kind = UNKNOWN) -> n.Expr:
    """One expression as it is, several as a tuple."""
    return parts[0] if len(parts) == 1 else n.Display("tuple", tuple(parts), kind=kind)


def _is_all(part: n.Expr) -> bool:
    return isinstance(part, n.Slice) and part.lower is part.upper is part.step is None


def _is_deep(kind: Kind, *, most: int = _DEEPEST) -> bool:
    return isinstance(kind, Array) and kind.dtype == "float64" and kind.rank is not None and 2 <= kind.rank <= most


def _size(array: n.Read, axis: int) -> n.Expr:
    return n.Subscript(n.Attribute(array, "shape", kind=_SHAPE), n.Const(axis, kind=INT), kind=INT)
