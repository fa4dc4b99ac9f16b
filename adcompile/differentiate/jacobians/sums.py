"""Sums of tangents times factors along axes: the products are not made, which take memory for all directions.

    np.sum(u_dot * a, axis=1)                        ->    np.einsum("ijd,ij->id", u_dot, a)
    np.sum(u_dot[:, None] * a + v_dot, axis=0)       ->    np.einsum("id,ij->jd", u_dot, a) + np.sum(v_dot, axis=0)
    np.sum(u_dot[:, None] * a, axis=1)               ->    u_dot * np.sum(a, axis=1)[:, None]

A product and its sum take `np.einsum` two to five times less time (measured with 4 to 40,000 numbers and 10 to 100
directions). So a tangent that only such sums of one line read is not made either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from adcompile.differentiate.jacobians.columns import UnclearError
from adcompile.differentiate.jacobians.linear_calls import Work, axes_of, lifted, spelled
from adcompile.ir import nodes as n
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import INT, Array, Dim, Scalar
from adcompile.ir.make import apply, together

if TYPE_CHECKING:
    from adcompile.differentiate.jacobians.terms import Term

_NAMES = "ijklmn"  # of axes, in `np.einsum`; that of the directions is d


class Parts(Work, Protocol):
    """What is known of tangents, and what a sum is made of."""

    def dense(self, e: n.Expr) -> n.Expr:
        """A tangent for all directions."""


def summed(e: n.Expr) -> tuple[n.Expr, tuple[int, ...], tuple[Dim, ...]] | None:
    """What a call sums up, along which axes, and its lengths; None where it is no such sum."""
    match e:
        case n.Call(args=(array,), keywords=keywords) if n.object_of(e.func) is np.sum:
            pass
        case n.Call(func=n.Attribute(value=array, name="sum"), args=(), keywords=keywords):
            pass
        case _:
            return None
    dims = array.kind.dims if isinstance(array.kind, Array) and array.kind.dtype == "float64" else None
    named = dict(keywords)
    if not dims or len(dims) > len(_NAMES) or not named.keys() <= {"axis"}:
        return None
    try:
        return array, axes_of(named.get("axis"), len(dims)), dims
    except UnclearError:  # only the run says which axis it is
        return None


def sum_of_products(
    work: Parts, parts: list[Term], axes: tuple[int, ...], dims: tuple[Dim, ...], kind: Scalar | Array
) -> n.Expr | None:
    """The sum along some axes of a sum of tangents times factors; None where one of them is not of this form."""
    whole: n.Expr | None = None
    for part in sorted(parts, key=lambda part: part.negative):
        made = _summed(work, part, axes, dims, kind)
        if made is None:
            return None
        if whole is None:
            whole = n.Unary("-", made, kind=kind) if part.negative else made
        else:
            whole = n.Binary("-" if part.negative else "+", whole, made, kind=kind)
    return whole


def _summed(
    work: Parts, part: Term, axes: tuple[int, ...], dims: tuple[Dim, ...], kind: Scalar | Array
) -> n.Expr | None:
    """The sum of one tangent times its factors."""
    factor = None if part.is_bare else part.coefficient()
    own = _axes_in(part.dot, dims)
    if own is None or work.rank(part.dot) != len(_dims(part.dot) or ()):
        return None
    dot, names = own
    every = _NAMES[: len(dims)]
    if factor is None or isinstance(factor.kind, Scalar):
        if names != every:
            return None
        whole = apply(np.sum, work.dense(dot), kind=kind, axis=spelled(axes))
        return whole if factor is None else n.Binary("*", factor, whole, kind=kind)
    others = _axes_in(factor, dims)
    if others is None or {*names, *others[1]} != {*every}:
        return None
    factor, shared = others
    first = tuple(k for k, name in enumerate(shared) if every.index(name) in axes and name not in names)
    if first:  # no direction has to do with that
        left = "".join(name for k, name in enumerate(shared) if k not in first)
        rest_of = Array("float64", tuple(dims[every.index(name)] for name in left))
        factor = apply(np.sum, factor, kind=rest_of, axis=spelled(first))
        shared = left
    rest = "".join(name for k, name in enumerate(every) if k not in axes)
    if names == rest:
        return n.Binary("*", work.dense(dot), lifted(factor, len(shared)), kind=kind) if rest.endswith(shared) else None
    return apply(np.einsum, n.Const(f"{names}d,{shared}->{rest}d"), work.dense(dot), factor, kind=kind)


def _axes_in(e: n.Expr, dims: tuple[Dim, ...]) -> tuple[n.Expr, str] | None:
    """Which of some axes an operand has, by their names, without those of length 1 that stand for longer ones."""
    own = _dims(e)
    if own is None or len(own) > len(dims):
        return None
    names = _NAMES[len(dims) - len(own) : len(dims)]
    match e:
        case n.Subscript(value=value, index=index) if all(
            axis in (n.Slice(), n.Const(None)) for axis in index_parts(index)
        ):
            at = list(index_parts(index))
            if len(at) != len(own) or len(_dims(value) or ()) != sum(axis == n.Slice() for axis in at):
                return None
            kept = [k for k, axis in enumerate(at) if axis == n.Slice()]
        case _:
            ends = dims[len(dims) - len(own) :]
            kept = [k for k, length in enumerate(own) if length != 1 or ends[k] == 1]
            at = [n.Slice() if k in kept else n.Const(0, kind=INT) for k in range(len(own))]
            value = e if len(kept) == len(own) else n.Subscript(e, together(*at), kind=e.kind)
    if any(own[k] != dims[len(dims) - len(own) + k] for k in kept):
        return None  # it may be stretched
    return value, "".join(names[k] for k in kept)


def _dims(e: n.Expr) -> tuple[Dim, ...] | None:
    return e.kind.dims if isinstance(e.kind, Array) and e.kind.dtype == "float64" else None
