"""The kinds of what the compiler's own helpers make of containers: zeros, sums and copies of them.

>>> from adcompile.ir.kinds import FLOAT, Sequence
>>> of_helper(runtime.zero_like, [Sequence(FLOAT, tuple)])
Sequence(item=Scalar(dtype='float64', python=True, extent=None), cls=<class 'list'>)
"""

from __future__ import annotations

from dataclasses import replace

from adcompile.ir.kinds import Array, Kind, Scalar, Sequence, Static, Struct, Table
from adcompile.runtime import helpers as runtime


def of_helper(function: object, kinds: list[Kind]) -> Kind | None:
    """The kind of what a helper makes of a container; None where it is none of these, or its argument no container."""
    if function is runtime.view_like and len(kinds) == 3 and isinstance(view := kinds[2], Array):
        return view if view.dtype is not None and view.dtype[0] in "fc" else replace(view, dtype="float64")
    if function in (runtime.unblock, runtime.unblock_diag):
        return _listed(_zero(kinds[1], buffers=True))
    if function is runtime.unjoin and isinstance(g := kinds[0], Array) and g.dtype is not None:
        return _pieces(kinds[1], g.dtype)
    if not kinds or not isinstance(kinds[0], Sequence | Struct | Table):
        return None
    match function:
        case runtime.zero_like | runtime.zeros_alike | runtime.buffers_like:
            return _zero(kinds[0], buffers=function is runtime.buffers_like)
        case runtime.add_like:
            return _listed(kinds[0])
        case runtime.copy_like | runtime.with_counts:
            return kinds[0]
        case runtime.copied_list if isinstance(kinds[0], Sequence):
            return replace(kinds[0], cls=list)
        case _:
            return None


def of_spline(weights: Kind, places: Kind, *, along_first: bool) -> Kind | None:
    """The kind of what a spline is at places, from that of its weights; None where that does not tell.

    >>> of_spline(Array("float64", (5, 2)), Array("float64", (3,)), along_first=True)
    Array(dtype='float64', dims=(3, 2))
    """
    dims = () if isinstance(places, Scalar) else places.dims if isinstance(places, Array) else None
    if dims is None or not isinstance(weights, Array) or weights.dtype != "float64" or not weights.dims:
        return None
    return Array("float64", (*dims, *weights.dims[1:])) if along_first or len(weights.dims) == 1 else None


def _pieces(kind: Kind, dtype: str) -> Kind | None:
    """The kind of the pieces that something is taken apart into: like the numbers and arrays that were joined."""
    match kind:
        case Sequence(item=item):
            one = _piece(item, dtype)
            return None if one is None else Sequence(one, list)
        case Struct(form="tuple" | "list", items=items):
            parts = [piece for item in items if (piece := _piece(item, dtype)) is not None]
            return Struct("list", list, tuple(range(len(parts))), tuple(parts)) if len(parts) == len(items) else None
        case _:
            return None


def _piece(kind: Kind, dtype: str) -> Kind | None:
    own = kind.dtype if isinstance(kind, Scalar | Array) else None
    if own is None:
        return None
    if own[0] != "c" and dtype[0] == "c":
        dtype = "float32" if dtype == "complex64" else "float64"
    return Array(dtype, kind.dims) if isinstance(kind, Array) else Scalar(dtype, python=False)


def _zero(kind: Kind, *, buffers: bool) -> Kind:
    """The kind of the zero of a value, or of the buffers for it."""
    match kind:
        case Sequence(item=item, cls=cls):
            return Sequence(_zero(item, buffers=buffers), tuple if buffers and cls is tuple else list)
        case Struct(form=form, items=items):
            parts = tuple(_zero(item, buffers=buffers) for item in items)
            if form == "dict":
                return replace(kind, items=parts)
            if buffers and form == "tuple":
                return Struct("tuple", tuple, tuple(range(len(parts))), parts)
            return Struct("list", list, tuple(range(len(parts))), parts)
        case Table():
            return replace(kind, item=_zero(kind.item, buffers=buffers))
        case Array() if buffers and kind.dtype is not None and kind.dtype[0] not in "fc":
            return replace(kind, dtype="float64")
        case Scalar(dtype=dtype):
            if buffers:
                return Array(dtype if dtype[0] in "fc" else "float64", ())
            return kind if kind.python is False or dtype[0] == "c" else Scalar("float64", kind.python)
        case Static():
            return Static(None)
        case _:
            return kind


def _listed(kind: Kind) -> Kind:
    """The kind with lists in place of tuples."""
    match kind:
        case Sequence(item=item):
            return Sequence(_listed(item), list)
        case Struct(form="tuple" | "list", items=items):
            parts = tuple(map(_listed, items))
            return Struct("list", list, tuple(range(len(parts))), parts)
        case Struct(form="dict", items=items):
            return replace(kind, items=tuple(map(_listed, items)))
        case Table():
            return replace(kind, item=_listed(kind.item))
        case _:
            return kind
