"""Calls of NumPy in forms that Numba has not: written as those that it has, or as loops.

    np.sum(a, axis=1, keepdims=True)    np.expand_dims(np.sum(a, 1), 1)
    np.mean(a, axis=0)                  np.sum(a, 0) / a.shape[0]
    np.max(a, axis=0)                   largest_of_rows(a.T)              of a matrix
    share_ties(g, a, top, 0, False)     share_of_rows(g, a.T, top).T
    np.add.at(x, i, v)                  add_at(x, i, v)                   a loop, for whole numbers
    np.add.at(x, ij, v)                 add_at(x, np.ravel(ij), np.ravel(v))  likewise, for places in a matrix
    cofactors(a, det)                   cofactors_of_matrix(a, det)       of one matrix
    logdet_slope(a, sign)               logdet_slope_of_matrix(a, sign)   likewise
    np.ndim(a), np.size(a, 1)           2, a.shape[1]
    np.zeros(n, bool)                   np.zeros(n, np.bool_)
    np.sum(x32)                         np.float32(np.sum(x32.astype(np.float64)))
    unbroadcast(g, np.shape(x))         sum_to_length(g, len(x))          of a vector
    copied_list(rows)                   list(rows)                        of numbers
    shaped_like(xs_bar, xs)             xs_bar, list(xs_bar)              of a list, of a vector

>>> import numpy as np
>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import Array
>>> from adcompile.ir.show import show
>>> function = read(lambda a: a)
>>> a = n.Read(function.params[0].variable, kind=Array("float64", (3, 4)))
>>> column = n.Const(1, kind=INT)
>>> function.body = [n.Return(n.Call(named(np.max), (a,), (("axis", column), ("keepdims", n.Const(True))),
...                                  kind=Array("float64", (3, 1))))]
>>> reductions(function)
>>> show(function.body)
'return np@rule.expand_dims(largest_of_rows@rule(a), 1)'
"""

from __future__ import annotations

import builtins
from collections.abc import Callable as Function
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile.analyses.memory.groups import memory_of, memory_read
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, UNKNOWN, Array, Dim, Kind, Scalar, Sequence, Static
from adcompile.ir.make import NP, apply, len_of, named, ref, shape_operand
from adcompile.ir.walk import change_expressions, rebuild, revised, statements
from adcompile.native.numbers.literals import as_dtype
from adcompile.runtime import helpers as runtime

_REDUCED: dict[Any, str] = {
    np.sum: "sum", np.max: "max", np.amax: "max", np.min: "min", np.amin: "min", np.mean: "mean",
}  # fmt: skip
_OTHER_SUMS = (np.nansum, np.nanmean, np.average, np.var, np.std, np.nanvar, np.nanstd)
_METHODS = {"sum", "max", "min", "mean"}
_ROWS: dict[str, Function[..., Any]] = {"max": runtime.largest_of_rows, "min": runtime.smallest_of_rows}
_OF_ONE_MATRIX: dict[Any, Function[..., Any]] = {
    runtime.cofactors: runtime.cofactors_of_matrix, runtime.logdet_slope: runtime.logdet_slope_of_matrix,
}  # fmt: skip
_DTYPES: dict[Any, str] = {bool: "bool_", int: "int64", float: "float64", complex: "complex128"}
_VECTOR, _MATRIX = 1, 2


def reductions(function: n.Function) -> None:
    """Write calls as Numba takes them."""
    memory = memory_of(function)
    for stmt in statements(function.body):
        change_expressions(stmt, _visit)
        match stmt:
            case n.Evaluate(value=n.Call(func=n.Ref(value=added), args=(x, places, values)) as call) if (
                added in (runtime.add_at, runtime.add_rows_at)
                and any(memory.reaches(v, memory_read(x)) for v in memory_read(values))
            ):  # NumPy reads them all before it adds
                own = n.Call(n.Attribute(values, "copy"), (), kind=values.kind)
                stmt.value = revised(call, args=(x, places, own))


def _visit(expr: n.Expr) -> n.Expr:
    expr = rebuild(expr, _visit)
    if not isinstance(expr, n.Call):
        return expr
    called = n.object_of(expr.func)
    match expr:
        case n.Call(func=n.Attribute(value=value, name=name), args=args) if name in _METHODS and (
            isinstance(value.kind, Array) and value.kind.dims is not None
        ):
            return _reduction(expr, name, value, args)
        case n.Call(args=(n.Expr(kind=Array(dtype="float32")) as value, *args)) if called in _OTHER_SUMS:
            wide = revised(expr, args=(as_dtype(value, "float64"), *args))
            return n.Call(named(np.float32), (wide,), kind=expr.kind) if isinstance(expr.kind, Scalar) else expr
        case n.Call(
            args=(n.Expr(kind=Array(dtype=dtype, rank=1)) as g,),
            keywords=(("axis", n.Const(value=0)), ("keepdims", n.Const(value=True))),
        ) if called is np.sum and (dtype or "c")[0] != "f":
            return _summed_down(runtime.sum_to_length, (g, n.Const(1, kind=INT)), expr.kind)
        case n.Call(args=(g, shape)) if called is runtime.unbroadcast:
            return _unbroadcast(expr, g, shape)
        case n.Call(args=(g, n.Expr(kind=Sequence(item=Scalar(dtype="float64" | "int64", python=True), cls=cls)))) if (
            called is runtime.shaped_like and cls is list
        ):
            match g.kind:
                case Sequence(cls=builtins.list):
                    return g
                case Array(rank=1):
                    return apply(list, g, kind=expr.kind)
            return expr
        case n.Call(args=(n.Expr(kind=Sequence(item=Scalar())),)) if called is runtime.copied_list:
            return revised(expr, func=ref(list))
        case n.Call(args=(value, *args)) if called in _REDUCED and isinstance(value.kind, Array):
            return _reduction(expr, _REDUCED[called], value, tuple(args))
        case n.Call(args=(_, x, _), keywords=()) if called is runtime.share_ties and isinstance(x.kind, Array):
            return revised(expr, func=ref(runtime.share_of_all))
        case n.Call(args=(_, x, _, axis, n.Const() as keep), keywords=()) if called is runtime.share_ties and (
            isinstance(x.kind, Array) and x.kind.dims is not None and len(x.kind.dims) == _MATRIX
        ):
            axes = _axes(axis, _MATRIX)
            return expr if axes is None or len(axes) > 1 else _ties(expr, axes[0], kept=bool(keep.value))
        case n.Call(args=(n.Expr(kind=Array(dims=tuple() as dims)),), keywords=()) if called is np.ndim:
            return n.Const(len(dims), kind=INT)
        case n.Call(args=(n.Expr(kind=Array(dims=(_, _))), _)) if called in _OF_ONE_MATRIX:
            return revised(expr, func=ref(_OF_ONE_MATRIX[called]))
        case n.Call(args=(array, n.Const(value=int()) as axis), keywords=()) if called is np.size and (
            isinstance(array.kind, Array)
        ):
            return n.Subscript(n.Attribute(array, "shape"), axis, kind=INT, span=expr.span)
        case n.Call(args=(n.Expr(kind=Scalar()),), keywords=()) if called is np.ndim:
            return n.Const(0, kind=INT)
        case n.Call(func=n.Attribute(value=ufunc, name="at"), args=(x, index, v), keywords=()) if n.object_of(
            ufunc
        ) is np.add and _is_list_of_places(x.kind, index.kind, v.kind):
            is_matrix = isinstance(x.kind, Array) and x.kind.rank == _MATRIX
            helper = runtime.add_rows_at if is_matrix else runtime.add_at
            return revised(expr, func=ref(helper))
        case n.Call(func=n.Attribute(value=ufunc, name="at"), args=(x, index, v), keywords=()) if n.object_of(
            ufunc
        ) is np.add and _are_alike(x.kind, index.kind, v.kind):
            return revised(expr, func=ref(runtime.add_at), args=(x, apply(np.ravel, index), apply(np.ravel, v)))
        case n.Call(func=n.Attribute(kind=Static())) if called is not None:
            return _with_dtypes(expr)
        case _:
            return expr


def _unbroadcast(call: n.Call, g: n.Expr, shape: n.Expr) -> n.Expr:
    """An adjoint summed down to a vector or a matrix: Numba has the rank in the type, and does not ask for it."""
    x = shape_operand(shape)
    kind = x.kind if x is not None else call.kind if isinstance(shape, n.Read) else UNKNOWN
    rank = kind.rank if isinstance(kind, Array) else None
    if rank not in (1, _MATRIX) or not isinstance(g.kind, Array) or g.kind.rank != rank:
        return call
    own = shape if x is None else n.Attribute(x, "shape")
    sizes: list[n.Expr] = [n.Subscript(own, n.Const(axis, kind=INT), kind=INT) for axis in range(rank)]
    if rank == 1:
        return _summed_down(runtime.sum_to_length, (g, sizes[0] if x is None else len_of(x)), kind)
    return _summed_down(runtime.sum_to_matrix, (g, *sizes), kind)


def _summed_down(function: Function[..., Any], args: tuple[n.Expr, ...], kind: Kind) -> n.Expr:
    """A sum, which float32 would lose digits of."""
    g = args[0]
    if isinstance(g.kind, Array) and g.kind.dtype == "float32":
        return as_dtype(apply(function, as_dtype(g, "float64"), *args[1:], kind=g.kind), "float32")
    return apply(function, *args, kind=kind)


def _ties(call: n.Call, axis: int, *, kept: bool) -> n.Expr:
    """The adjoint of an extreme along an axis of a matrix."""
    g, x, ans = call.args[:3]
    if kept:
        zero, every = n.Const(0, kind=INT), n.Slice(None, None, None)
        index = n.Display("tuple", (every, zero) if axis else (zero, every))
        g, ans = (n.Subscript(e, index, kind=_less(e.kind, axis)) for e in (g, ans))
    if not axis:
        x = n.Attribute(x, "T", kind=x.kind)
    shared = apply(runtime.share_of_rows, g, x, ans, kind=call.kind, span=call.span)
    return shared if axis else n.Attribute(shared, "T", kind=call.kind)


def _less(kind: Kind, axis: int) -> Kind:
    """The kind of an array without one of its axes."""
    if isinstance(kind, Array) and kind.dims is not None:
        return replace(kind, dims=(*kind.dims[:axis], *kind.dims[axis + 1 :]))
    return kind


def _is_list_of_places(x: Kind, index: Kind, v: Kind) -> bool:
    """Whether these are a vector or a matrix, a list of places along its first axis, and numbers or rows to add."""
    match x, index, v:
        case Array(rank=1 | 2 as rank), Array(dtype=str() as dtype, rank=1), Array(rank=other):
            return dtype[0] in "iu" and rank == other
        case _:
            return False


def _are_alike(x: Kind, index: Kind, v: Kind) -> bool:
    """Whether these are a vector, an array of places in it, and as many numbers in the same order."""
    match x, index, v:
        case Array(rank=1), Array(dtype=str() as dtype, dims=tuple() as dims), Array(dims=tuple() as others):
            return dtype[0] in "iu" and len(dims) > 1 and dims == others
        case _:
            return False


def _with_dtypes(call: n.Call) -> n.Expr:
    """A call of NumPy with NumPy's types for Python's."""

    def dtype(e: n.Expr) -> n.Expr:
        name = _DTYPES.get(n.object_of(e)) if isinstance(e, n.Ref) and e.scope in ("builtin", "rule") else None
        return e if name is None else n.Attribute(NP, name, kind=Static(getattr(np, name)))

    args = tuple(map(dtype, call.args))
    return revised(call, args=args, keywords=tuple((name, dtype(e)) for name, e in call.keywords))


def _reduction(call: n.Call, name: str, value: n.Expr, args: tuple[n.Expr, ...]) -> n.Expr:
    """A sum, mean or extreme along axes; the call itself where it is plain, or not of a form that is known here."""
    given = dict(zip(("axis",), args, strict=False)) | {k: e for k, e in call.keywords if k is not None}
    kind = value.kind
    if not isinstance(kind, Array) or kind.dims is None or len(args) > 1 or given.keys() - {"axis", "keepdims"}:
        return call
    axes = _axes(given.get("axis"), len(kind.dims))
    keep = given.get("keepdims")
    if axes is None or not (keep is None or isinstance(keep, n.Const)) or kind.dtype is None or kind.dtype[0] != "f":
        return call
    if kind.dtype == "float32" and name in ("sum", "mean"):
        return _in_double(call, name, value)
    kept = isinstance(keep, n.Const) and bool(keep.value)
    if not axes or (not kept and ("axis" not in given or name == "sum")):
        return call
    if name in _ROWS and "axis" in given and len(kind.dims) > _MATRIX:
        return call
    if len(axes) == len(kind.dims):
        whole: n.Expr = apply(getattr(np, name), value, kind=Scalar(kind.dtype, python=False))
        if not kept:
            return whole
        ones = n.Display("tuple", tuple(n.Const(1, kind=INT) for _ in kind.dims))
        return apply(np.full, ones, whole, kind=call.kind, span=call.span)
    (axis,) = axes
    result = _along(name, value, axis, kind.dims)
    if kept:
        result = apply(np.expand_dims, result, n.Const(axis, kind=INT), kind=call.kind)
    return revised(result, kind=call.kind)


def _in_double(call: n.Call, name: str, value: n.Expr) -> n.Expr:
    """A sum or mean of float32: NumPy adds up in pairs, Numba one by one, which loses digits and then whole terms."""
    wide = as_dtype(value, "float64")
    args = call.args if call.func == n.Attribute(value, name) else call.args[1:]
    kind = replace(call.kind, dtype="float64") if isinstance(call.kind, Array | Scalar) else call.kind
    double = n.Call(named(getattr(np, name)), (wide, *args), call.keywords, kind=kind, span=call.span)
    result = _reduction(double, name, wide, args)
    if isinstance(call.kind, Array):
        return as_dtype(result, "float32")
    return apply(np.float32, result, kind=Scalar("float32", python=False), span=call.span)


def _axes(given: n.Expr | None, many: int) -> tuple[int, ...] | None:
    """The axes that are meant, counted from the front; None where that is not known."""
    match given:
        case None | n.Const(value=None):
            return tuple(range(many))
        case n.Const(value=int() as axis) if -many <= axis < many:
            return (axis % many,)
        case _:
            return None


def _along(name: str, value: n.Expr, axis: int, dims: tuple[Dim, ...]) -> n.Expr:
    """A sum, mean or extreme along one axis of an array with these and others."""
    kind = replace(value.kind, dims=(*dims[:axis], *dims[axis + 1 :])) if isinstance(value.kind, Array) else value.kind
    if name in _ROWS:
        turned = replace(kind, dims=dims[::-1]) if isinstance(kind, Array) else kind
        rows = value if axis == len(dims) - 1 else n.Attribute(value, "T", kind=turned)
        return apply(_ROWS[name], rows, kind=kind)
    total = apply(np.sum, value, n.Const(axis, kind=INT), kind=kind)
    if name == "sum":
        return total
    shape = n.Attribute(value, "shape")
    return n.Binary("/", total, n.Subscript(shape, n.Const(axis, kind=INT), kind=INT), kind=kind)

