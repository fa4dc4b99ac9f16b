"""Shapes that a call is given: what `np.reshape`, `np.broadcast_to` and the like return has them, whatever comes in.

A length that is written out or named is known. Nothing that is found by trying may stand in its place.

>>> one, other = Extent("x.0", least=2), Extent("y.0", least=2)
>>> size = n.Opaque((), (), "", kind=Scalar("int64", extent=other))
>>> shape = shape_of((size, n.Const(-1, kind=Scalar("int64"))))
>>> as_given(Array("float64", (one, 1)), shape).dims == (other, 1)
True
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adcompile.analyses.typing.lattice import as_numeric
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Dim, Extent, Kind, Scalar, Struct
from adcompile.runtime import helpers as runtime

# What they return has the shape that is their second argument, and the dtype of the first.
RESHAPING = (np.reshape, np.broadcast_to, runtime.unbroadcast)
MAKING = (np.zeros, np.ones, np.empty, np.full)  # by their first argument
Shape = list[Dim | None]  # with None for a length that is not known


def given_shape(function: object, args: tuple[n.Expr, ...]) -> Shape | None:
    """The shape of what a function returns, where it is one of its arguments."""
    if function in RESHAPING:
        return shape_of(args[1:2])
    if function is np.arange and len(args) == 1:
        shape = shape_of(args)
        counted = [d for d in shape or () if isinstance(d, int) or (isinstance(d, Extent) and d.offset >= 0)]
        return shape if counted else None  # counted up to less than 0 there is nothing
    return shape_of(args[:1]) if function in MAKING else None


def one_item(shape: Shape) -> n.Expr:
    """A shape of the same rank for an array of one item."""
    kind = Struct("tuple", tuple, tuple(range(len(shape))), (INT,) * len(shape))
    return n.Display("tuple", tuple(n.Const(1, kind=INT) for _ in shape), kind=kind)


def shape_of(exprs: tuple[n.Expr, ...]) -> Shape | None:
    """A shape that is written as one tuple or as its lengths; None where its rank is not known."""
    match exprs:
        case (n.Display(items=items),) if not any(isinstance(e, n.Starred) for e in items):
            exprs = items
        case (n.Expr(kind=Struct(form="tuple" | "list", items=kinds)),):
            exprs = tuple(n.Opaque((), (), "", kind=kind) for kind in kinds)
    if not all(isinstance(e.kind, Scalar) for e in exprs):
        return None
    return [_length_of(e) for e in exprs]


def _length_of(e: n.Expr) -> Dim | None:
    match e:
        case n.Const(value=value) if type(value) is int:
            return value if value >= 0 else None
        case n.Expr(kind=Scalar(extent=extent)):
            return extent
        case _:
            return None


def reshaped(kinds: list[Kind], shape: Shape | None, site: str, *, unknown: bool = False) -> Array | None:
    """The kind of a number or an array in a new shape; with `unknown` also where not all lengths are known."""
    dtype, _ = (as_numeric(kinds[0]) if kinds else None) or (None, None)
    if shape is None or (not unknown and (dtype is None or None in shape)):
        return None
    return Array(dtype, tuple(Extent(f"{site}.{k}") if d is None else d for k, d in enumerate(shape)))


def as_given(kind: Kind, shape: Shape | None) -> Kind:
    """A kind that was found by trying, with the lengths that the shape given tells."""
    if shape is None or not isinstance(kind, Array) or kind.dims is None or len(kind.dims) != len(shape):
        return kind
    return replace(kind, dims=tuple(d if given is None else given for given, d in zip(shape, kind.dims, strict=True)))


def rank_of(e: n.Expr) -> int | None:
    """What `np.ndim(x)` or `x.ndim` certainly is; None for any other expression, or where that is not known."""
    match e:
        case n.Call(func=func, args=(array,), keywords=()) if n.object_of(func) is np.ndim:
            kind = array.kind
        case n.Attribute(value=n.Expr(kind=Array() as kind), name="ndim"):
            pass
        case _:
            return None
    if isinstance(kind, Scalar):
        return 0
    return len(kind.dims) if isinstance(kind, Array) and kind.dims is not None else None
