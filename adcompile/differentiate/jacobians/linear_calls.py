"""What calls of NumPy make of tangents that have an axis of directions behind their own.

Each is linear in one operand. The axes that it works on keep their numbers if they are counted from the front, so most
calls only need that; what stretches a shape gets one length more.

    np.sum(x_dot)              ->    np.sum(x_dot, axis=0)
    A @ x_dot                  ->    A @ x_dot                   of a vector: a column for each direction
    A @ x_dot                  ->    A                           of the only input: directions are a unit matrix
    M_dot @ A                  ->    A.T @ M_dot                 of a matrix: a stack of matrices
    x_dot.reshape(3, 4)        ->    x_dot.reshape(3, 4, x.size)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from adcompile.differentiate.jacobians.columns import UnclearError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Scalar, Sequence, Struct
from adcompile.ir.make import apply, named, together
from adcompile.runtime import helpers as runtime
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from adcompile.differentiate.jacobians.columns import Columns

_METHODS = {
    "sum": np.sum, "mean": np.mean, "dot": np.dot, "reshape": np.reshape, "ravel": np.ravel, "cumsum": np.cumsum,
    "transpose": np.transpose, "swapaxes": np.swapaxes,
}  # fmt: skip


class Work(Protocol):
    """What is known of the tangents in a function."""

    columns: Columns
    tangents: set[n.Variable]

    def rank(self, e: n.Expr) -> int | None:
        """How many axes a tangent has beside that of the directions."""

    def fixed(self, *parts: n.Expr | None) -> None:
        """Insist that expressions do not depend on tangents."""

    def factor(self, e: n.Expr) -> int:
        """How many axes a factor has."""

    def varies(self, e: n.Expr | None) -> bool:
        """Whether an expression reads a tangent."""


Dense = Callable[[n.Expr], n.Expr]


@value_class()
class Found:
    """The rank of what a call makes, and the call for all directions, from its operands for all of them."""

    rank: int
    made: Callable[[Dense], n.Expr]


def linear(work: Work, e: n.Call) -> Found | None:
    """A call that is linear in tangents; None where the rank of one is not known yet."""
    function = n.object_of(e.func)
    args, keywords = e.args, dict(e.keywords)
    if function is None and isinstance(e.func, n.Attribute) and e.func.name in _METHODS:
        function, args = _METHODS[e.func.name], (e.func.value, *args)
        if function in (np.reshape, np.transpose) and len(args) > 2:
            args = (args[0], n.Display("tuple", args[1:], kind=Sequence(INT, tuple)))
    handler = _HANDLERS.get(function) if function is not None else None
    if handler is None or None in keywords or any(isinstance(a, n.Starred) for a in args):
        raise UnclearError
    return handler(_Call(work, e, function, args, {k: v for k, v in keywords.items() if k is not None}))


def product(work: Work, left: n.Expr, right: n.Expr) -> Found | None:
    """A product of matrices or vectors, one of which is a tangent."""
    dot, other = (left, right) if work.varies(left) else (right, left)
    rank, axes = work.rank(dot), work.factor(other)
    if rank is None:
        return None
    if not (1 <= rank <= 2 and 1 <= axes <= 2):
        raise UnclearError
    kind, axes_left = Array("float64", None), axes + rank - 2
    if work.columns.is_identity(dot) and isinstance(other.kind, Array) and other.kind.dtype == "float64":
        whole = n.Attribute(other, "T", kind=kind) if dot is left and axes > 1 else other
        return Found(axes_left, lambda _: work.columns.of_matrix(replace(whole, kind=kind), axes))
    if dot is right and rank > 1:
        return Found(axes_left, lambda dense: apply(np.tensordot, other, dense(dot), n.Const(1, kind=INT), kind=kind))
    turned = n.Attribute(other, "T", kind=other.kind) if dot is left and axes > 1 else other
    return Found(axes_left, lambda dense: n.Binary("@", turned, dense(dot), kind=kind))


@value_class()
class _Call:
    work: Work
    e: n.Call
    function: Callable[..., object]
    args: tuple[n.Expr, ...]
    keywords: dict[str, n.Expr]

    def taken(self, *names: str) -> tuple[n.Expr | None, ...]:
        """The arguments by the names of the parameters; unclear where there are others."""
        given = dict(zip(names, self.args, strict=False))
        if len(self.args) > len(names) or not self.keywords.keys() <= set(names) - given.keys():
            raise UnclearError
        given.update(self.keywords)
        return tuple(given.get(name) for name in names)

    def of(self, dot: n.Expr | None, *others: n.Expr | None) -> int | None:
        """The rank of the operand that is a tangent; the others must not be."""
        self.work.fixed(*others)
        if dot is None:
            raise UnclearError
        return self.work.rank(dot)

    def shape(self, of: n.Expr) -> tuple[n.Expr, int]:
        """A shape with the number of directions behind it, and how many axes it had."""
        many = self.work.columns.many
        if isinstance(of, n.Display):
            if any(isinstance(item, n.Starred) for item in of.items):
                raise UnclearError
            return replace(of, items=(*of.items, many)), len(of.items)
        if isinstance(of.kind, Scalar):
            return n.Display("tuple", (of, many), kind=Sequence(INT, tuple)), 1
        match of:
            case n.Attribute(name="shape", value=n.Expr(kind=Array(dims=tuple() as dims))):
                pass
            case n.Call(args=(n.Expr(kind=Array(dims=tuple() as dims)),)) if n.object_of(of.func) is np.shape:
                pass
            case n.Expr(kind=Struct(form="tuple", items=dims)):
                pass
            case _:
                raise UnclearError
        return n.Display("tuple", (n.Starred(of), many), kind=Sequence(INT, tuple)), len(dims)

    def made(
        self, function: Callable[..., object], dot: n.Expr, *rest: n.Expr, **keywords: n.Expr
    ) -> Callable[[Dense], n.Expr]:
        return lambda dense: n.Call(named(function), (dense(dot), *rest), tuple(keywords.items()), kind=self.e.kind)


def axes_of(e: n.Expr | None, rank: int) -> tuple[int, ...]:
    """The numbers of axes, counted from the front; all of them where none are named."""
    match e:
        case None | n.Const(value=None):
            return tuple(range(rank))
        case n.Display(items=items):
            return tuple(axes_of(item, rank)[0] for item in items)
        case n.Const(value=int() as axis) | n.Unary(op="-", operand=n.Const(value=int() as axis)):
            axis = -axis if isinstance(e, n.Unary) else axis
            if not -rank <= axis < rank:
                raise UnclearError
            return (axis % rank,)
        case _:
            raise UnclearError


def spelled(axes: tuple[int, ...]) -> n.Expr:
    """The numbers of axes as an argument: one of them alone, or a tuple."""
    numbers = tuple(n.Const(axis, kind=INT) for axis in axes)
    return numbers[0] if len(numbers) == 1 else n.Display("tuple", numbers, kind=Sequence(INT, tuple))


def _sum(one: _Call) -> Found | None:
    dot, axis, keepdims = one.taken("a", "axis", "keepdims")
    if (rank := one.of(dot, axis, keepdims)) is None or dot is None:
        return None
    axes = axes_of(axis, rank)
    if not axes or not isinstance(keepdims, n.Const | None):
        raise UnclearError
    stays = {"keepdims": keepdims} if keepdims is not None and keepdims.value else {}
    return Found(rank if stays else rank - len(axes), one.made(one.function, dot, axis=spelled(axes), **stays))


def _dot(one: _Call) -> Found | None:
    left, right = one.taken("a", "b")
    if left is None or right is None:
        raise UnclearError
    return product(one.work, left, right)


def _tensordot(one: _Call) -> Found | None:
    """Of a factor and a tangent, over the last axis of the one and the first of the other."""
    left, dot, axes = one.taken("a", "b", "axes")
    if (rank := one.of(dot, left, axes)) is None or left is None or dot is None or axes is None:
        return None
    many = one.work.factor(left)
    if not isinstance(axes, n.Const) or axes.value != 1 or not rank or not many:
        raise UnclearError
    return Found(many + rank - 2, lambda dense: apply(np.tensordot, left, dense(dot), axes, kind=one.e.kind))


def _outer(one: _Call) -> Found | None:
    left, right = one.taken("a", "b")
    if left is None or right is None:
        raise UnclearError
    dot, other = (left, right) if one.work.varies(left) else (right, left)
    rank, axes = one.work.rank(dot), one.work.factor(other)
    if rank is None:
        return None
    if (rank, axes) != (1, 1):
        raise UnclearError
    whole, new = n.Slice(), n.Const(None)

    def made(dense: Dense) -> n.Expr:
        if dot is left:  # x_dot[:, None] * y[:, None]
            return n.Binary("*", _item(dense(dot), whole, new), _item(other, whole, new), kind=one.e.kind)
        return n.Binary("*", _item(other, whole, new, new), dense(dot), kind=one.e.kind)

    return Found(2, made)


def _item(e: n.Expr, *axes: n.Expr) -> n.Expr:
    return n.Subscript(e, together(*axes), kind=Array("float64", None))


def _reshape(one: _Call) -> Found | None:
    dot, shape = one.taken("a", "shape")
    if one.of(dot, shape) is None or dot is None or shape is None:
        return None
    longer, axes = one.shape(shape)
    return Found(axes, one.made(np.reshape, dot, longer))


def _ravel(one: _Call) -> Found | None:
    (dot,) = one.taken("a")
    if one.of(dot) is None or dot is None:
        return None
    shape = together(n.Unary("-", n.Const(1, kind=INT), kind=INT), one.work.columns.many)
    return Found(1, one.made(np.reshape, dot, shape))


def _broadcast_to(one: _Call) -> Found | None:
    dot, shape = one.taken("array", "shape")
    if one.of(dot, shape) is None or dot is None or shape is None:
        return None
    longer, axes = one.shape(shape)
    return Found(axes, one.made(np.broadcast_to, dot, longer))


def _transpose(one: _Call) -> Found | None:
    dot, axes = one.taken("a", "axes")
    if (rank := one.of(dot, axes)) is None or dot is None:
        return None
    order = tuple(reversed(range(rank))) if axes is None else axes_of(axes, rank)
    return Found(rank, transposed(dot, order))


def transposed(dot: n.Expr, order: tuple[int, ...]) -> Callable[[Dense], n.Expr]:
    """A tangent with its axes in another order."""
    return lambda dense: apply(np.transpose, dense(dot), spelled((*order, len(order))), kind=dot.kind)


def _swapaxes(one: _Call) -> Found | None:
    dot, first, second = one.taken("a", "axis1", "axis2")
    if (rank := one.of(dot, first, second)) is None or dot is None or first is None or second is None:
        return None
    return Found(rank, one.made(np.swapaxes, dot, spelled(axes_of(first, rank)), spelled(axes_of(second, rank))))


def _expand_dims(one: _Call) -> Found | None:
    dot, axis = one.taken("a", "axis")
    if (rank := one.of(dot, axis)) is None or dot is None or axis is None:
        return None
    many = len(axis.items) if isinstance(axis, n.Display) else 1
    return Found(rank + many, one.made(np.expand_dims, dot, spelled(axes_of(axis, rank + many))))


def _cumsum(one: _Call) -> Found | None:
    dot, axis = one.taken("a", "axis")
    if (rank := one.of(dot, axis)) is None or dot is None:
        return None
    axes = axes_of(axis, rank)
    if len(axes) != 1:
        raise UnclearError
    return Found(rank, one.made(np.cumsum, dot, axis=spelled(axes)))


def _diff(one: _Call) -> Found | None:
    dot, times, axis = one.taken("a", "n", "axis")
    if (rank := one.of(dot, times, axis)) is None or dot is None:
        return None
    axes = axes_of(axis, rank) if axis is not None else (rank - 1,)
    given = {"axis": spelled(axes), **({} if times is None else {"n": times})}
    return Found(rank, one.made(np.diff, dot, **given))


def _trace(one: _Call) -> Found | None:
    (dot,) = one.taken("a")
    if (rank := one.of(dot)) is None or dot is None:
        return None
    if rank != 2:
        raise UnclearError
    return Found(0, one.made(np.trace, dot))


def _solve(one: _Call) -> Found | None:
    matrix, dot = one.taken("a", "b")
    if (rank := one.of(dot, matrix)) is None or dot is None or matrix is None:
        return None
    if rank != 1 or one.work.factor(matrix) != 2:
        raise UnclearError
    return Found(1, lambda dense: apply(np.linalg.solve, matrix, dense(dot), kind=one.e.kind))


def _joined(one: _Call) -> Found | None:
    parts, axis = one.taken("arrays", "axis")
    one.work.fixed(axis)
    if not isinstance(parts, n.Display) or any(isinstance(part, n.Starred) for part in parts.items):
        raise UnclearError
    ranks = [one.work.rank(part) for part in parts.items]
    if None in ranks:
        return None
    rank = ranks[0]
    if rank is None or set(ranks) != {rank} or rank < 1:
        raise UnclearError
    axes = (0,) if axis is None else axes_of(axis, rank)
    return Found(
        rank,
        lambda dense: apply(
            np.concatenate, replace(parts, items=tuple(map(dense, parts.items))), axis=spelled(axes), kind=one.e.kind
        ),
    )


def _einsum(one: _Call) -> Found | None:
    text, *operands = one.args
    if one.keywords or not isinstance(text, n.Const) or not isinstance(text.value, str) or "->" not in text.value:
        raise UnclearError
    inputs, _, output = text.value.replace(" ", "").partition("->")
    varying = [k for k, operand in enumerate(operands) if one.work.varies(operand)]
    free = next((c for c in "zyxwvutsrqp" if c not in text.value), None)
    if len(varying) != 1 or free is None or "." in text.value:
        raise UnclearError
    place = varying[0]
    for k, operand in enumerate(operands):
        if k != place:
            one.work.factor(operand)
    if one.work.rank(operands[place]) is None:
        return None
    letters = inputs.split(",")
    letters[place] += free
    longer = n.Const(f"{','.join(letters)}->{output}{free}", kind=text.kind)

    def made(dense: Dense) -> n.Expr:
        parts = [dense(operand) if k == place else operand for k, operand in enumerate(operands)]
        return apply(np.einsum, longer, *parts, kind=one.e.kind)

    return Found(len(output), made)


def _mean_of_ties(one: _Call) -> Found | None:
    dot, x, ans = one.taken("v", "x", "ans")
    if (rank := one.of(dot, x, ans)) is None or dot is None or x is None or ans is None:
        return None
    if not rank or one.work.factor(x) != rank or one.work.factor(ans):
        raise UnclearError
    return Found(
        0,
        lambda dense: apply(
            runtime.mean_of_ties, dense(dot), lifted(x, rank), ans, spelled(tuple(range(rank))), kind=one.e.kind
        ),
    )


_HANDLERS: dict[object, Callable[[_Call], Found | None]] = {
    np.sum: _sum, np.mean: _sum, np.dot: _dot, np.matmul: _dot, np.outer: _outer, np.tensordot: _tensordot,
    np.reshape: _reshape, np.ravel: _ravel, np.broadcast_to: _broadcast_to, np.transpose: _transpose,
    np.swapaxes: _swapaxes, np.expand_dims: _expand_dims, np.cumsum: _cumsum, np.diff: _diff, np.trace: _trace,
    np.linalg.solve: _solve, np.concatenate: _joined, np.einsum: _einsum, runtime.mean_of_ties: _mean_of_ties,
}  # fmt: skip


def lifted(e: n.Expr, axes: int) -> n.Expr:
    """What all directions share, with an axis of length 1 in the place of theirs."""
    if not axes:
        return e
    return n.Subscript(e, together(*(n.Slice() for _ in range(axes)), n.Const(None)), kind=e.kind)

