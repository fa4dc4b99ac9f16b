"""Arithmetic on matrices in loops over their rows: its sums along an axis, and what is stretched to a matrix.

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
>>> print(show(function.body).replace("@builtin", "").replace("@rule", "").replace("<temporary ", "<"))
if len(v) != a.shape[1]:
    raise ValueError('operands could not be broadcast together')
d = np.empty((a.shape[0], a.shape[1]))
for <i> in range(a.shape[0]):
    for <j> in range(a.shape[1]):
        d[<i>, <j>] = (a[<i>, <j>] - v[<j>])
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import BOOL, INT, Array, Dim, Kind, Scalar, Sequence, Static, may_be_one
from adcompile.ir.walk import blocks, rebuild, walk
from adcompile.native.loops import NUMBER, UFUNCS, counted, is_slice, length, raise_if

_NUMPY = n.Ref("np", np, "rule", kind=Static(np))
_SHAPE = Sequence(INT, tuple)


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
            stmt.value = _without_sums(stmt.value, lines)
        if isinstance(stmt, n.Assign) and _is_matrix(stmt.value.kind) and (loop := _Loop.over(stmt.value)) is not None:
            new += [*lines, *(loop.made(stmt) if loop.stretches else [stmt])]
        else:
            new += [*lines, stmt]
        for line in lines:
            line.origin = stmt.origin
    body[:] = new


def _without_sums(expr: n.Expr, lines: list[n.Stmt]) -> n.Expr:
    """An expression whose sums of matrices are counted up in lines before it."""
    if isinstance(expr, n.Conditional | n.Bool | n.Lambda | n.Comprehension | n.Named):
        return expr  # there it may not be evaluated
    expr = rebuild(expr, lambda e: _without_sums(e, lines))
    match expr:
        case n.Call(
            func=n.Expr(kind=Static(value=np.sum)), args=(summed,), keywords=(("axis", n.Const(value=0 | 1 as axis)),)
        ) if _is_matrix(summed.kind) and (loop := _Loop.over(summed)) is not None:
            return loop.summed(expr, int(axis), lines)
        case _:
            return expr


class _Loop:
    """A loop over the rows and columns of what arithmetic on matrices, stretched vectors and numbers makes."""

    def __init__(self, kind: Array) -> None:
        self.kind = kind
        self.first: n.Read | None = None  # a matrix of the whole shape
        self.stretches = False
        self.before: list[n.Stmt] = []
        self.tests: list[tuple[n.Expr, int]] = []  # lengths, and the axes that they must be as long as
        self.i, self.j = (n.Read(n.Variable(name, n.Role.TEMPORARY), kind=INT) for name in "ij")
        self.item: n.Expr = n.Const(0.0)

    @classmethod
    def over(cls, expr: n.Expr) -> _Loop | None:
        """The loop over an expression; None where it is something else, or where it may be that items are stretched."""
        if not isinstance(expr.kind, Array):
            return None
        loop = cls(expr.kind)
        item = loop.of(expr)
        if item is None or loop.first is None:
            return None
        loop.item = item
        return loop

    def of(self, e: n.Expr) -> n.Expr | None:
        """What an expression comes to in a row and column."""
        if isinstance(e.kind, Scalar):
            return self.number(e)
        match e:
            case n.Binary(op="+" | "-" | "*" | "/", left=left, right=right):
                items = self.each((left, right))
                return replace(e, left=items[0], right=items[1], kind=NUMBER) if items else None
            case n.Binary(op="**", left=left, right=n.Const(value=int() as power)) if 0 <= power <= 4:
                base = self.of(left)
                return base and replace(e, left=base, kind=NUMBER)
            case n.Unary(op="-", operand=operand):
                inner = self.of(operand)
                return inner and replace(e, operand=inner, kind=NUMBER)
            case n.Call(func=n.Expr(kind=Static(value=np.ufunc() as function)), args=args, keywords=()) if (
                function in UFUNCS and len(args) == function.nin
            ):
                items = self.each(args)
                return replace(e, args=items, kind=NUMBER) if items else None
            case n.Subscript(
                value=n.Expr(kind=Array(dtype="float64", dims=(dim,))) as vector,
                index=n.Display(items=(n.Slice(lower=None, upper=None, step=None), n.Const(value=None))),
            ):
                return self.stretched(vector, dim, 0)
            case n.Expr(kind=Array(dtype="float64", dims=(dim,))):
                return self.stretched(e, dim, 1)
            case n.Expr(kind=Array(dtype="float64", dims=(rows, columns))) if isinstance(e, n.Read) or is_slice(e):
                return self.matrix(e, rows, columns)
            case _:
                return None

    def each(self, parts: tuple[n.Expr, ...]) -> tuple[n.Expr, ...] | None:
        """What each of several expressions comes to; None where one of them is something else."""
        items = tuple(item for e in parts if (item := self.of(e)) is not None)
        return items if len(items) == len(parts) else None

    def number(self, e: n.Expr) -> n.Expr | None:
        if not isinstance(e.kind, Scalar) or e.kind.dtype not in ("float64", "int64"):
            return None
        if any(isinstance(x, n.Named) for x in walk(e)):
            return None
        return e if isinstance(e, n.Const | n.Read) else self.named(e, "factor")

    def stretched(self, vector: n.Expr, dim: Dim, axis: int) -> n.Expr | None:
        """The item of a vector that is stretched over the rows, or the columns."""
        if not self.fits(dim, axis):
            return None
        self.stretches = True
        read = vector if isinstance(vector, n.Read) else self.named(vector, "part")
        self.tests.append((length(read), axis))
        return n.Subscript(read, self.j if axis else self.i, kind=NUMBER)

    def matrix(self, e: n.Expr, rows: Dim, columns: Dim) -> n.Expr | None:
        """The item of a matrix, of which each axis is as long as the whole's or has one item for certain."""
        whole = self.kind.dims or ()
        single = [dim == 1 and own != 1 for dim, own in zip((rows, columns), whole, strict=True)]
        if not all(one or self.fits(dim, axis) for one, dim, axis in zip(single, (rows, columns), (0, 1), strict=True)):
            return None
        read = e if isinstance(e, n.Read) else self.named(e, "part")
        if any(single):
            self.stretches = True
        elif self.first is None:
            self.first = read
        self.tests += [(_size(read, axis), axis) for axis in (0, 1) if not single[axis] and read != self.first]
        places = (n.Const(0, kind=INT) if one else place for one, place in zip(single, (self.i, self.j), strict=True))
        return n.Subscript(read, n.Display("tuple", tuple(places)), kind=NUMBER)

    def fits(self, dim: Dim, axis: int) -> bool:
        """Whether an axis is as long as the whole's, or NumPy would raise."""
        whole = (self.kind.dims or ())[axis]
        return dim == whole or not (may_be_one(dim) or may_be_one(whole))

    def named(self, e: n.Expr, name: str) -> n.Read:
        held = n.Variable(name, n.Role.TEMPORARY)
        self.before.append(n.Assign(held, e))
        return n.Read(held, kind=e.kind)

    def size(self, axis: int) -> n.Expr:
        if self.first is None:
            raise TypeError
        return _size(self.first, axis)

    def ready(self) -> list[n.Stmt]:
        """What comes before the loop."""
        tests: list[n.Expr] = [n.Compare(("!=",), (size, self.size(axis)), kind=BOOL) for size, axis in self.tests]
        return [*self.before, *raise_if(list(dict.fromkeys(tests)))]

    def rows(self, body: list[n.Stmt]) -> n.For:
        return n.For(self.i, counted(self.size(0)), body, [])

    def columns(self, line: n.Stmt) -> n.For:
        return n.For(self.j, counted(self.size(1)), [line], [])

    def made(self, stmt: n.Assign) -> list[n.Stmt]:
        """The lines that make a matrix."""
        target = stmt.target
        aside = any(isinstance(e, n.Read) and e.variable is target for e in walk(stmt.value))
        new = n.Variable(target.name, n.Role.TEMPORARY) if aside else target
        whole = n.Read(new, kind=self.kind)
        shape = n.Display("tuple", (self.size(0), self.size(1)), kind=_SHAPE)
        put = n.Store(n.Subscript(whole, n.Display("tuple", (self.i, self.j)), kind=NUMBER), self.item)
        lines: list[n.Stmt] = [
            *self.ready(),
            n.Assign(new, n.Call(_function("empty"), (shape,), kind=self.kind)),
            self.rows([self.columns(put)]),
            *([n.Assign(target, whole)] if aside else []),
        ]
        for line in lines:
            line.origin = stmt.origin
        return lines

    def summed(self, call: n.Call, axis: int, lines: list[n.Stmt]) -> n.Read:
        """The sums along an axis, which lines count up."""
        sums = n.Read(n.Variable("sums", n.Role.TEMPORARY), kind=call.kind)
        lines += self.ready()
        if axis == 1:
            total = n.Read(n.Variable("total", n.Role.TEMPORARY), kind=NUMBER)
            lines.append(n.Assign(sums.variable, n.Call(_function("empty"), (self.size(0),), kind=call.kind)))
            count = self.columns(n.Augment(total, "+", self.item))
            put = n.Store(n.Subscript(sums, self.i, kind=NUMBER), total)
            lines.append(self.rows([n.Assign(total.variable, n.Const(0.0, kind=NUMBER)), count, put]))
        else:
            lines.append(n.Assign(sums.variable, n.Call(_function("zeros"), (self.size(1),), kind=call.kind)))
            lines.append(self.rows([self.columns(n.Augment(n.Subscript(sums, self.j, kind=NUMBER), "+", self.item))]))
        return sums


def _is_matrix(kind: Kind) -> bool:
    return isinstance(kind, Array) and kind.dtype == "float64" and kind.rank == 2


def _size(matrix: n.Read, axis: int) -> n.Expr:
    return n.Subscript(n.Attribute(matrix, "shape", kind=_SHAPE), n.Const(axis, kind=INT), kind=INT)


def _function(name: str) -> n.Expr:
    return n.Attribute(_NUMPY, name, kind=Static(getattr(np, name)))
