"""What elementwise arithmetic on vectors comes to in a loop, and which vectors are known to be equally long.

    y[:] = a * x[1:] + b[:-1]       part = x[1:]
                                    part_1 = b[:-1]
                              ->    for i in range(len(part)):
                                        y[i] = a * part[i] + part_1[i]

Only where kinds say that all vectors are equally long, and of 64-bit floats. The parts are named before the loop: an
index with an offset would have Numba test for negative ones, element by element. `fused.py` says which lines share a
loop.

>>> from adcompile.ir.show import show
>>> x, y = (n.Read(n.Variable(name), kind=Array("float64", (3,))) for name in "xy")
>>> work = Line(n.Assign(y.variable, x), Lengths())
>>> line = n.Store(work.item(y), work.item(n.Binary("*", x, x, kind=x.kind)))
>>> print(show(work.loop([line])))
if len@builtin(y) != len@builtin(x):
    raise ValueError@builtin('operands could not be broadcast together')
for <step i> in range@builtin(len@builtin(y)):
    y[<step i>] = (x[<step i>] * x[<step i>])
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import BOOL, INT, Array, Extent, Kind, Scalar, Static, same_shape
from adcompile.ir.make import len_of, raise_if, range_of
from adcompile.ir.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable

NUMBER = Scalar("float64", python=False)
NOT_ALIKE = "operands could not be broadcast together"  # NumPy's error: memory must not depend on a proof alone
UFUNCS = (
    np.exp, np.expm1, np.log, np.log1p, np.sin, np.cos, np.tan, np.tanh, np.sinh, np.cosh, np.arctan, np.sqrt,
    np.add, np.subtract, np.multiply, np.divide, np.negative,
)  # fmt: skip


class Lengths:
    """Which variables hold vectors that are known to be equally long, at one point of the function.

    `axes` are those of arguments that arithmetic has shown to be equally long: they are so as long as the call lasts.
    """

    def __init__(
        self, groups: list[set[n.Variable]] | None = None, axes: list[set[tuple[str, int]]] | None = None
    ) -> None:
        self.groups = groups or []
        self.axes = axes or []

    def copy(self) -> Lengths:
        """What is known here, for a block inside."""
        return Lengths([set(group) for group in self.groups], [set(axes) for axes in self.axes])

    def kinds_are_same(self, kind: Kind, other: Kind) -> bool:
        """Whether vectors of two kinds are equally long, whenever they were made."""
        one, two = _axis(kind), _axis(other)
        return one is not None and (one == two or any(one in axes and two in axes for axes in self.axes))

    def same_kinds(self, kinds: Iterable[Kind]) -> None:
        """Take note that vectors of some kinds turned out to be equally long."""
        found = {axis for kind in kinds if (axis := _axis(kind)) is not None}
        joined = found.union(*(axes for axes in self.axes if axes & found))
        self.axes = [axes for axes in self.axes if not axes & found] + [joined]

    def are_same(self, a: n.Variable, b: n.Variable) -> bool:
        """Whether two vectors are known to be equally long."""
        return any(a in group and b in group for group in self.groups)

    def same(self, a: n.Variable, b: n.Variable) -> None:
        """Take note that two vectors are equally long."""
        joined = {a, b}.union(*(group for group in self.groups if a in group or b in group))
        self.groups = [group for group in self.groups if not group & joined] + [joined]

    def forget(self, variables: Iterable[n.Variable]) -> None:
        """Take note that variables hold something else now."""
        gone = set(variables)
        self.groups = [group - gone for group in self.groups if len(group - gone) > 1]


def _axis(kind: Kind) -> tuple[str, int] | None:
    """The axis of an argument that vectors of a kind are as long as, and how many items shorter."""
    match kind:
        case Array(dims=(Extent(root=root, offset=offset),)) if not set(root) & set("@[*>"):
            return root, offset
        case _:
            return None


class Line:
    """One statement written out: the lines before its loop, and what it reads in there."""

    def __init__(self, stmt: n.Stmt, lengths: Lengths) -> None:
        self.stmt = stmt
        self.lengths = lengths
        self.before: list[n.Stmt] = []
        self.views: dict[n.Expr, n.Read] = {}
        self.factors: dict[n.Expr, n.Read] = {}
        self.bases: dict[n.Expr, n.Read] = {}  # vectors of which items are picked
        self.index = n.Read(n.Variable("i", n.Role.STEP), kind=INT)

    @property
    def length(self) -> n.Expr:
        """How many items there are."""
        return len_of(next(iter(self.views.values())))

    def item(self, e: n.Expr) -> n.Expr:
        """What an expression comes to at the index."""
        if isinstance(e.kind, Scalar):
            return self.number(e)
        match e:
            case n.Binary(left=left, right=right):
                return replace(e, left=self.item(left), right=self.item(right), kind=NUMBER)
            case n.Unary(operand=operand):
                return replace(e, operand=self.item(operand), kind=NUMBER)
            case n.Call(args=args):
                return replace(e, args=tuple(map(self.item, args)), kind=NUMBER)
            case n.Subscript(value=whole, index=places) if is_picked(e):
                place = replace(self.element(self.view(places)), kind=INT)
                return n.Subscript(self.base(whole), place, kind=NUMBER)
            case _:
                return self.element(self.view(e))

    def base(self, e: n.Expr) -> n.Read:
        """A vector of which items are picked, by a name that it is given before the loop."""
        return e if isinstance(e, n.Read) else self.named(e, "part", self.bases)

    def element(self, view: n.Read) -> n.Expr:
        """The item of a vector at the index."""
        return n.Subscript(view, self.index, kind=NUMBER)

    def number(self, e: n.Expr) -> n.Expr:
        """A number, computed before the loop."""
        if isinstance(e, n.Const | n.Read):
            return e
        return self.named(e, "factor", self.factors)

    def view(self, e: n.Expr) -> n.Read:
        """A vector, by a name that it is given before the loop."""
        if isinstance(e, n.Read):
            return self.views.setdefault(e, e)
        return self.named(e, "part", self.views)

    def named(self, e: n.Expr, name: str, known: dict[n.Expr, n.Read]) -> n.Read:
        """The name of an expression that is computed before the loop."""
        if e not in known:
            held = n.Variable(name, n.Role.STEP)
            self.before.append(n.Assign(held, e, origin=self.stmt.origin))
            known[e] = n.Read(held, kind=e.kind)
        return known[e]

    def loop(self, body: list[n.Stmt]) -> list[n.Stmt]:
        """The loop over some lines, and what comes before it."""
        first, *others = self.views.values()
        tests: list[n.Expr] = []
        for other in others:
            if not self.lengths.are_same(first.variable, other.variable):
                tests.append(n.Compare(("!=",), (self.length, len_of(other)), kind=BOOL))
                self.lengths.same(first.variable, other.variable)
        self.before += raise_if(tests, NOT_ALIKE)
        return [*self.before, n.For(self.index, range_of(self.length), body, [], origin=self.stmt.origin)]


def is_vector(e: n.Expr) -> bool:
    """Whether an expression names a vector, or a part of an array that is one and shares its memory."""
    return _is_floats(e.kind) and (isinstance(e, n.Read) or is_slice(e))


def is_picked(e: n.Expr) -> bool:
    """Whether an expression picks items of a vector by a list of places, `x[i]`, and is an array of its own."""
    return isinstance(e, n.Subscript) and is_vector(e.value) and is_list_of_places(e.index)


def is_list_of_places(e: n.Expr) -> bool:
    """Whether an expression names a vector of whole numbers."""
    return isinstance(e, n.Read) and isinstance(e.kind, Array) and e.kind.dtype == "int64" and e.kind.rank == 1


def first_vector(e: n.Expr) -> n.Expr | None:
    """The first of the vectors that arithmetic reads item by item."""
    match e:
        case n.Expr(kind=Scalar()):
            return None
        case n.Binary(left=left, right=right):
            return first_vector(left) or first_vector(right)
        case n.Unary(operand=operand):
            return first_vector(operand)
        case n.Call(args=args):
            return next((found for a in args if (found := first_vector(a)) is not None), None)
        case _:
            return e if is_vector(e) else None


def is_slice(e: n.Expr) -> bool:
    """Whether an expression is a part of a named array, or a part of such a part, that shares its memory."""
    if not isinstance(e, n.Subscript) or not (isinstance(e.value, n.Read) or is_slice(e.value)):
        return False
    if not isinstance(e.value.kind, Array):
        return False  # an item of a list is exchanged by a store, and not written to
    parts = index_parts(e.index)
    return all(
        isinstance(p, n.Slice) or (isinstance(p.kind, Scalar) and p.kind.dtype == "int64") for p in parts
    ) and not any(isinstance(x, n.Call | n.Named) for p in parts for x in walk(p))


def _is_floats(kind: Kind) -> bool:
    return isinstance(kind, Array) and kind.dtype == "float64" and kind.dims is not None and len(kind.dims) == 1


def is_written_out(e: n.Expr, *, picked: bool = False) -> bool:
    """Whether an expression is arithmetic on vectors of one length, and on numbers.

    `picked` says that items picked by a list of places are such a vector too.
    """
    return isinstance(e, n.Binary | n.Unary | n.Call) and _is_floats(e.kind) and _fits(e, e.kind, picked=picked)


def _fits(e: n.Expr, whole: Kind, *, picked: bool) -> bool:
    if isinstance(e.kind, Scalar):
        return e.kind.dtype in ("float64", "int64") and not any(isinstance(x, n.Named) for x in walk(e))
    if not as_long(e.kind, whole):
        return False
    match e:
        case n.Binary(op="+" | "-" | "*" | "/", left=left, right=right):
            return _fits(left, whole, picked=picked) and _fits(right, whole, picked=picked)
        case n.Binary(op="**", left=left, right=n.Const(value=int() as power)):
            return 0 <= power <= 4 and _fits(left, whole, picked=picked)
        case n.Unary(op="-", operand=operand):
            return _fits(operand, whole, picked=picked)
        case n.Call(func=n.Expr(kind=Static(value=np.ufunc() as function)), args=args, keywords=()):
            return (
                function in UFUNCS and len(args) == function.nin and all(_fits(a, whole, picked=picked) for a in args)
            )
        case _:
            return is_vector(e) or (picked and is_picked(e))


def as_long(kind: Kind, other: Kind) -> bool:
    """Whether two vectors are equally long, or NumPy would raise: neither can be of one item that is stretched."""
    return kind == other or (_is_floats(kind) and _is_floats(other) and same_shape(kind, other))
