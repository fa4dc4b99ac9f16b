"""The inputs of a Jacobian as directions, one for each of their numbers, and the Jacobian by each of them again.

Numbers come first, and then the numbers of each array:

    directions = 2 + x.size                            the numbers of a, b and x
    a_dot, b_dot = np.eye(2, directions)
    x_dot = np.eye(x.size, directions, 2)
    ...
    a_jac = jac[:, 0].copy()
    b_jac = jac[:, 1].copy()
    x_jac = jac[:, 2:].copy()

In blocks, each run of a loop makes the columns from one on, so many of them: `blocks.py`.
"""

from __future__ import annotations

import builtins
import copy
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.memory.groups import Memory
from adcompile.differentiate.jacobians.jacobian import Input, jacobian_kind
from adcompile.differentiate.linear.places import Path, at, leaves, rebuilt
from adcompile.ir import nodes as n
from adcompile.ir.algebra import number
from adcompile.ir.kinds import INT, Array, Kind, Scalar, Sequence, Static, Struct
from adcompile.ir.make import NP, apply, dtype_of, method, shape_of, together
from adcompile.ir.walk import bound_in, change_expressions, expressions, reads, rebuild, statements, targets
from adcompile.runtime import helpers as runtime

if TYPE_CHECKING:
    from adcompile.analyses.typing.typed import Typed

PRECISIONS = ("float64", "float32")
_FEWEST = 16  # numbers as inputs; with fewer, and no arrays, calls for one after the other take less time


class UnclearError(Exception):
    """Something that is not certainly right for several directions at once."""


@dataclass(eq=False, slots=True)
class Leaf:
    """A number or array among the inputs, and the variable of its tangent."""

    of: Input
    path: Path
    kind: Scalar | Array
    original: n.Expr
    tangent: n.Variable

    @property
    def axes(self) -> int:
        """How many axes it has."""
        return len(self.kind.dims or ()) if isinstance(self.kind, Array) else 0

    @property
    def size(self) -> n.Expr:
        """How many numbers an array has."""
        return n.Attribute(self.original, "size", kind=INT)


class Columns:
    """The directions of one Jacobian. `body` is that of the tangent function, and loses what only the inputs need."""

    def __init__(
        self, tangent: n.Function, typed: Typed, inputs: list[Input], body: list[n.Stmt], *, in_blocks: bool
    ) -> None:
        self.inputs = inputs
        self.value = typed.result
        self.arguments = {p: n.Read(p, kind=k) for p, k in zip(typed.params, typed.kinds, strict=True)}
        self.given = [p.variable for p in tangent.params[len(typed.params) :]]
        found: list[Leaf] = []
        for of, whole in zip(inputs, self.given, strict=True):
            for path, kind in leaves(of[3]):
                if not isinstance(kind, Scalar | Array) or kind.dtype not in PRECISIONS:
                    raise UnclearError
                if isinstance(kind, Array) and not kind.dims:
                    raise UnclearError
                variable = _tangent_of(n.Read(whole, kind=of[3]), path, of, body)
                found.append(Leaf(of, path, kind, self.original(of, path), variable))
        self.numbers = [leaf for leaf in found if isinstance(leaf.kind, Scalar)]
        self.arrays = [leaf for leaf in found if isinstance(leaf.kind, Array)]
        self.leaves = [*self.numbers, *self.arrays]
        if not self.arrays and len(self.numbers) < _FEWEST:
            raise UnclearError
        for leaf in self.arrays:
            _check_stays(leaf, body)
            _drop_copy(leaf.tangent, body)
        self.memory = Memory(replace(tangent, body=body))
        changed = {*bound_in(body), *(x.tangent for x in self.arrays if self.memory.is_changed(x.tangent))}
        self.stays = {leaf.tangent for leaf in self.arrays} - changed  # the tangents that are as they begin throughout
        self.many = self.before(None)
        self.counted: list[n.Stmt] = []
        self.block: tuple[n.Read, n.Read] | None = None  # its first direction, and how many it has
        self.parts = n.Variable("parts", n.Role.RESULT)
        self.total = self.many
        if self.arrays and (len(self.leaves) > 1 or reads(self.many) & set(bound_in(body))):
            total = n.Variable("columns" if in_blocks else "directions", n.Role.RESULT)
            self.counted.append(n.Assign(total, self.many))
            self.total = self.many = n.Read(total, kind=INT)
        if in_blocks:
            first, directions = (n.Variable(name, n.Role.RESULT) for name in ("first", "directions"))
            self.block = n.Read(first, kind=INT), n.Read(directions, kind=INT)
            self.many = self.block[1]

    def original(self, of: Input, path: Path) -> n.Expr:
        """The input, or the part of it at a path."""
        return at(self.arguments[of[1]], (*of[2], *path))

    @property
    def exact(self) -> bool:
        """Whether everything has double precision."""
        kinds = [*(leaf.kind for leaf in self.leaves), self.value]
        return all(isinstance(kind, Scalar | Array) and kind.dtype == "float64" for kind in kinds)

    def is_identity(self, dot: n.Expr) -> bool:
        """Whether a tangent for all directions is the identity matrix: that of the only input, a vector that stays."""
        alone = len(self.leaves) == 1 and self.leaves[0].axes == 1
        return alone and isinstance(dot, n.Read) and dot.variable in self.stays

    def of_matrix(self, matrix: n.Expr, axes: int) -> n.Expr:
        """The product of a matrix, or vector, with the identity matrix, or with the columns of it that a block has."""
        if self.block is not None:
            first, many = self.block
            columns = n.Slice(first, n.Binary("+", first, many, kind=INT))
            at = columns if axes == 1 else together(n.Slice(), columns)
            matrix = n.Subscript(matrix, at, kind=matrix.kind)
        return n.Call(method(matrix, "copy"), (), kind=matrix.kind)

    def before(self, leaf: Leaf | None) -> n.Expr:
        """How many directions there are before those of an array, or altogether."""
        arrays = self.arrays if leaf is None else self.arrays[: self.arrays.index(leaf)]
        count: list[n.Expr] = [number(len(self.numbers))] if self.numbers else []
        return _total([*count, *(other.size for other in arrays)])

    # ------------------------------------------------------------------------------------------------------ before all

    def start(self) -> list[n.Stmt]:
        """The lines that make the tangents of the inputs, each number's a direction of its own."""
        lines = list(self.counted) if self.block is None else []
        if self.numbers:
            shape = (number(len(self.numbers)), *([self.many] if self.arrays or self.block is not None else []))
            rows = self.eye(*shape, *self.offset(None))
            if len(self.numbers) > 1:
                names = tuple(n.Read(leaf.tangent, kind=leaf.kind) for leaf in self.numbers)
                lines.append(n.Unpack(together(*names), rows))
            else:
                lines.append(n.Assign(self.numbers[0].tangent, n.Subscript(rows, number(0))))
        for leaf in self.arrays:
            if len(self.leaves) == 1 and self.block is None:
                rows = self.eye(self.many)
            else:
                rows = self.eye(leaf.size, self.many, *self.offset(leaf))
            if leaf.axes > 1:
                rows = n.Call(method(rows, "reshape"), (n.Starred(shape_of(leaf.original)), self.many))
            lines.append(n.Assign(leaf.tangent, rows))
        return lines

    def offset(self, leaf: Leaf | None) -> list[n.Expr]:
        """The number of the column in which the first number of a leaf has its one, where that is not 0."""
        before = [] if leaf is None or leaf is self.leaves[0] else [self.before(leaf)]
        if self.block is None:
            return before
        first = self.block[0]
        back = n.Binary("-", before[0], first, kind=INT) if before else n.Unary("-", first, kind=INT)
        return [back]

    def loop(self, lines: list[n.Stmt], dot: n.Expr, many: int) -> list[n.Stmt]:
        """The loop over blocks of so many columns, each of which these lines make."""
        if self.block is None:
            raise TypeError
        first, own = self.block
        left = apply(builtins.min, number(many), n.Binary("-", self.total, first, kind=INT), kind=INT)
        block = [n.Assign(own.variable, left), *lines, n.Push(self.parts, dot)]
        starts = apply(builtins.range, number(0), apply(builtins.max, self.total, number(1), kind=INT), number(many))
        return [*self.counted, n.NewTape(self.parts), n.For(first, starts, block, [])]

    def joined(self) -> n.Expr:
        """The columns of all blocks."""
        parts = n.Read(self.parts, kind=Sequence(self.value, list))
        together = n.Attribute(NP, "concatenate", kind=Static(np.concatenate))
        return n.Call(together, (parts,), (("axis", n.Unary("-", number(1), kind=INT)),), kind=self.value)

    def eye(self, *shape: n.Expr) -> n.Expr:
        """A matrix with a row for each number, in the precision that all inputs have."""
        single = all(leaf.kind.dtype == "float32" for leaf in self.leaves)
        return n.Call(n.Attribute(NP, "eye", kind=Static(np.eye)), shape, (("dtype", dtype_of("float32")),) * single)

    # ------------------------------------------------------------------------------------------------------- after all

    def results(self, dot: n.Expr, *, exact: bool) -> tuple[list[n.Stmt], n.Expr]:
        """The lines that part the tangent of the value by inputs, and what the function returns."""
        lines: list[n.Stmt] = []
        alone = len(self.leaves) == 1 and bool(self.arrays)
        if not isinstance(dot, n.Read) and not (alone and self.leaves[0].axes == 1):
            whole = n.Variable("jac", n.Role.RESULT)
            lines.append(n.Assign(whole, dot))
            dot = n.Read(whole, kind=dot.kind)
        if alone and not isinstance(self.inputs[0][3], Struct):
            return lines, self.shaped(dot, dot, self.leaves[0], exact=exact)
        by_place = {(leaf.of[0], leaf.path): leaf for leaf in self.leaves}

        def by_leaf(of: Input, path: Path, kind: Kind) -> n.Expr:
            result = n.Variable(of[0].replace(".", "_"), n.Role.JACOBIAN, of=of[1], path=path)
            lines.append(n.Assign(result, self.part(dot, by_place[of[0], path], exact=exact)))
            return n.Read(result, kind=jacobian_kind(self.value, kind))

        found = [
            rebuilt(of[3], (), partial(by_leaf, of), self.original(of, ()))
            if isinstance(of[3], Struct)
            else by_leaf(of, (), of[3])
            for of in self.inputs
        ]
        return lines, found[0] if len(found) == 1 else together(*found)

    def part(self, dot: n.Expr, leaf: Leaf, *, exact: bool) -> n.Expr:
        """The partials by one number or array, in memory of their own."""
        axis: n.Expr
        if isinstance(leaf.kind, Scalar):
            axis = number(self.numbers.index(leaf))
        else:
            first, last = leaf is self.leaves[0], leaf is self.leaves[-1]
            end = leaf.size if first else _total([self.before(leaf), leaf.size])
            axis = n.Slice(None if first else self.before(leaf), None if last else end)
        if isinstance(self.value, Array):
            one = len(self.value.dims or ()) == 1
            axis = together(n.Slice() if one else n.Const(...), axis)
        cut: n.Expr = n.Subscript(dot, axis, kind=dot.kind)
        if isinstance(self.value, Scalar) and isinstance(leaf.kind, Scalar):
            return self.as_number(cut, leaf.kind)
        if exact:
            cut = n.Call(method(cut, "copy"), (), kind=dot.kind)
        return self.shaped(cut, dot, leaf, exact=exact)

    def as_number(self, e: n.Expr, kind: Scalar) -> n.Expr:
        """A partial of a number by a number: Python's if the value is; where that is not known, if the input is."""
        if not isinstance(self.value, Scalar) or (self.value.dtype, kind.dtype) != ("float64", "float64"):
            raise UnclearError
        python = kind.python if self.value.python is None else self.value.python
        return e if python is False else apply(float, e, kind=kind)

    def shaped(self, e: n.Expr, dot: n.Expr, leaf: Leaf, *, exact: bool) -> n.Expr:
        """Partials in the precision of the input, with its axes behind those of the value."""
        made = jacobian_kind(self.value, leaf.kind)
        if not exact and isinstance(made, Array):
            e = n.Call(method(e, "astype"), (dtype_of(made.dtype),), kind=e.kind)
        if leaf.axes <= 1:
            return e
        shape = shape_of(leaf.original)
        if isinstance(self.value, Array):
            of_value = n.Subscript(shape_of(dot), n.Slice(None, n.Const(-1, kind=INT)), kind=shape.kind)
            shape = n.Binary("+", of_value, shape, kind=shape.kind)
        return n.Call(method(e, "reshape"), (shape,), kind=made)


def _tangent_of(whole: n.Read, path: Path, of: Input, body: list[n.Stmt]) -> n.Variable:
    """The variable that is to hold the tangent of a leaf: the parameter itself, or what is read off it."""
    if not path and not isinstance(of[3], Struct):
        return whole.variable
    place = at(whole, path)
    for stmt in body:
        if isinstance(stmt, n.Assign) and stmt.value == place:
            body.remove(stmt)
            return stmt.target
        if not isinstance(stmt, n.Assign) or whole.variable not in reads(stmt.value):
            break
    variable = n.Variable(of[0].replace(".", "_"), n.Role.TANGENT, of=of[1], path=path)
    new = n.Read(variable, kind=place.kind)

    def change(e: n.Expr) -> n.Expr:
        return new if e == place else rebuild(e, change)

    for stmt in statements(body):
        change_expressions(stmt, change)
    return variable


def _check_stays(leaf: Leaf, body: list[n.Stmt]) -> None:
    """Insist that an array among the inputs keeps its shape under its name: it is asked for at the end."""
    (root,) = reads(leaf.original)
    if not isinstance(leaf.original, n.Read) and root in bound_in(body):
        raise UnclearError
    for stmt in statements(body):
        match stmt:
            case n.Assign(target=target, value=n.Call() as value) if target is root and _is_copy(value, root):
                pass
            case n.Store(target=target) | n.Augment(target=target) if root in reads(target):
                items = isinstance(target, n.Subscript) and isinstance(target.value.kind, Array)
                if not items and not (isinstance(target, n.Read) and isinstance(target.kind, Array)):
                    raise UnclearError
            case _ if root in bound_in([stmt]) and not isinstance(stmt, n.If | n.For | n.While):
                raise UnclearError
            case n.For(target=target) if root in targets(target):
                raise UnclearError


def _drop_copy(variable: n.Variable, body: list[n.Stmt]) -> None:
    """Leave out the copy that a function makes of the tangent that it is given: it makes its own here."""
    for stmt in body:
        match stmt:
            case n.Assign(target=target, value=n.Call() as value) if target is variable and _is_copy(value, variable):
                body.remove(stmt)
                return
            case _ if any(variable in reads(e) for s in statements([stmt]) for e in expressions(s)):
                return


def _is_copy(call: n.Call, of: n.Variable) -> bool:
    """Whether a call makes a copy of what a variable holds."""
    match n.object_of(call.func), call.args:
        case None, () if isinstance(call.func, n.Attribute) and call.func.name == "copy":
            value = call.func.value
        case function, (value, *_) if function in (runtime.own_tangent, runtime.own_copy, copy.deepcopy):
            pass
        case _:
            return False
    return isinstance(value, n.Read) and value.variable is of


# ---------------------------------------------------------------------------------------------------------- small parts


def _total(parts: list[n.Expr]) -> n.Expr:
    return reduce(lambda a, b: n.Binary("+", a, b, kind=INT), parts)

