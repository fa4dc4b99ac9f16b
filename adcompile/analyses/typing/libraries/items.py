"""The kinds of what is read from arrays, numbers and builders such as `np.r_`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from adcompile.analyses.typing.libraries.probe import probe
from adcompile.analyses.typing.libraries.samples import CannotProbeError
from adcompile.analyses.typing.libraries.slices import NameOf, basic, bounds_of, sliced
from adcompile.analyses.typing.libraries.trying import trial_key, with_constants
from adcompile.ir import nodes as n
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import Array, Kind, Scalar, Struct, Unknown
from adcompile.rules import registry


def builder(obj: Any, index: n.Expr, site: str) -> Kind:
    """The kind of `np.c_[...]` and the like: a call in the guise of a subscript."""
    if not registry.rows_for_function(obj):
        return Unknown("an item of a value that is not known")
    parts = [*index_parts(index)]
    try:
        return probe(with_constants(lambda *values: obj[values], parts), [e.kind for e in parts], site)
    except CannotProbeError:
        return Array(None, None)


def read_scalar(kind: Scalar, index: n.Expr, site: str) -> Kind:
    """The kind of a NumPy number read at `()` or `...`."""
    key = ... if isinstance(index, n.Const) else ()
    try:
        return probe(lambda x: np.asarray(x)[key], [kind], site)
    except CannotProbeError:
        return Array(kind.dtype, None)


def _first(index: Any) -> Any:
    """An index of the same kind that every axis has: whether it is in range is for the run to say."""
    match index:
        case bool() | np.bool_():
            return index
        case int() | np.integer():
            return 0
        case list() if all(isinstance(i, int) and not isinstance(i, bool) for i in index):
            return [0] * len(index)
        case np.ndarray() if index.dtype.kind in "iu":
            return np.zeros_like(index)
        case tuple():
            return tuple(map(_first, index))
        case _:
            return index


def _has_flags(kind: Kind) -> bool:
    """Whether an index may have masks: how many elements it picks depends on the numbers."""
    match kind:
        case Scalar(dtype=dtype) | Array(dtype=dtype):
            return dtype in ("bool", None)
        case Struct(items=items):
            return any(map(_has_flags, items))
        case _:
            return False


def read_array(kind: Array, index: n.Expr, site: str, name_of: NameOf) -> Kind:
    """The kind of an array read at an index; `name_of` is as in `sliced`."""
    parts = index_parts(index)
    if kind.dims is None:
        return Array(kind.dtype, None)
    is_slice = [bounds_of(part) is not None for part in parts]
    dims = sliced(kind.dims, parts, site, name_of) if any(is_slice) else kind.dims
    if dims is None:
        return Array(kind.dtype, None)
    kind = replace(kind, dims=dims)
    if (found := basic(kind, parts, site)) is not None:
        return found
    leaves = [part for part, sliced_there in zip(parts, is_slice, strict=True) if not sliced_there]
    if any(isinstance(e.kind, Unknown) for e in leaves):
        return Array(kind.dtype, None)

    def attempt(array: Any, *values: Any) -> Any:
        rest = iter(values)
        places = [slice(None) if sliced_there else _first(next(rest)) for sliced_there in is_slice]
        return array[
            places[0] if parts == (index,) else tuple(places)
        ]  # what is a tuple itself has an index for each axis

    exprs = [n.Const(None), *leaves]
    known = [(False, None), *((True, e.value) if isinstance(e, n.Const) else (False, None) for e in leaves)]

    def with_literals(*values: Any) -> Any:
        return attempt(*[c if is_known else v for (is_known, c), v in zip(known, values, strict=True)])

    try:
        return probe(
            with_literals,
            [kind, *(e.kind for e in leaves)],
            site,
            literal=[True] * len(exprs),
            data_dependent=any(_has_flags(e.kind) for e in leaves),
            what=trial_key("read", parts == (index,), tuple(is_slice), exprs=leaves),
        )
    except CannotProbeError:
        return Array(kind.dtype, None)
