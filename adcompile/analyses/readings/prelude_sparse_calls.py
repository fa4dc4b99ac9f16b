"""Which function of the prelude is read where a program makes a sparse matrix: see `prelude.py`."""

from __future__ import annotations

from collections.abc import Sequence as Many
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.readings.prelude_sparse import (
    SparseMatrix,
    again_as_array,
    again_as_matrix,
    along_the_diagonal,
    bands_as_array,
    bands_as_matrix,
    bands_by_sizes,
    columns_as_array,
    columns_as_matrix,
    diagonals_as_array,
    diagonals_as_matrix,
    items_as_array,
    items_as_matrix,
    items_of_array,
    items_of_matrix,
    lower_part,
    of_blocks,
    one_above_another,
    product_of_blocks,
    rows_as_array,
    rows_as_matrix,
    side_by_side,
    size_of,
    triplets_as_array,
    triplets_as_matrix,
    upper_part,
)
from adcompile.analyses.readings.prelude_sparse_equations import (
    EQUATIONS,
    OF_ARRAYS_TOO,
    are_arrays_or_entries,
    factors_of,
)
from adcompile.analyses.readings.prelude_sparse_filled import empty_array, empty_matrix
from adcompile.ir import nodes as n
from adcompile.ir import walk
from adcompile.ir.kinds import Array, Kind, Scalar, Sequence, Static, Struct

if TYPE_CHECKING:
    from adcompile.analyses.readings.prelude import Keywords

_MADE = [f"{kind}_{what}" for kind in ("coo", "csr", "csc") for what in ("array", "matrix")]
_BY_DIAGONALS: dict[str, Any] = {"diags": diagonals_as_matrix, "diags_array": diagonals_as_array}
_FILLED: dict[str, Any] = {
    **dict.fromkeys(("lil_matrix", "dok_matrix"), (items_of_matrix, empty_matrix)),
    **dict.fromkeys(("lil_array", "dok_array"), (items_of_array, empty_array)),
}
READ_FOR: dict[str, Any] = {
    **{name: triplets_as_array if name.endswith("array") else triplets_as_matrix for name in _MADE}, **_BY_DIAGONALS,
    **EQUATIONS, **OF_ARRAYS_TOO, "kron": product_of_blocks,
    "hstack": side_by_side, "vstack": one_above_another, "block_diag": along_the_diagonal,
    "bmat": of_blocks, "block_array": of_blocks,
    "norm": size_of, "tril": lower_part, "triu": upper_part,
    **{name: empty for name, (_, empty) in _FILLED.items()},
    "dia_matrix": bands_as_matrix, "dia_array": bands_as_array, "spdiags": bands_by_sizes,
}


_COMPRESSED: dict[str, Any] = {
    "csr_array": rows_as_array, "csr_matrix": rows_as_matrix,
    "csc_array": columns_as_array, "csc_matrix": columns_as_matrix,
}


def _entries(dense: Any, name: str) -> Any:
    """How a sparse matrix is read that is made of values and their places, or of an array, by `dense`, and may vary."""

    def read(args: Many[n.Expr], *_: Any) -> Any:
        match args[0].kind:
            case Array(dtype=str() as dtype, dims=(_, _)) if any(isinstance(e, n.Read) for e in walk.walk(args[0])):
                return dtype.startswith("float") and len(args) == 1 and dense
            case Struct(form="tuple", items=(Array(dtype=str() as dtype), Struct(form="tuple", items=(_, _)))):
                return dtype.startswith("float")
            case Struct(form="tuple", items=(Sequence(item=Scalar(dtype=dtype), cls=cls), Struct(items=(_, _)))):
                return cls is list and (dtype or "").startswith("float")  # grown in a loop
            case Struct(form="tuple", items=(Struct(form="list", items=values), Struct(items=(_, _)))):
                return all(isinstance(v, Scalar) for v in values) and any(
                    (v.dtype or "").startswith("float") for v in values if isinstance(v, Scalar)
                )
            case Struct(form="tuple", items=(Array(dtype=str() as dtype), _, _)):
                return dtype.startswith("float") and _COMPRESSED.get(name, False)
            case Struct(form="record", cls=cls) if cls is SparseMatrix:
                return len(args) == 1 and (again_as_array if name.endswith("array") else again_as_matrix)
            case _:
                return False

    return read


def _to_fill(dense: Any, empty: Any) -> Any:
    """How a sparse matrix is read that is made of an array alone, by `dense`, or of its shape, by `empty`."""

    def read(args: Many[n.Expr], keywords: Keywords = ()) -> Any:
        match args[0].kind:
            case Array(dtype=str() as dtype, dims=(_, _)):
                return dtype.startswith("float") and len(args) == 1 and dense
            case Struct(form="tuple", items=(Scalar(), Scalar())):
                real = all(name == "dtype" and n.object_of(e) in (float, np.float64) for name, e in keywords)
                return len(args) == 1 and real and empty
            case _:
                return False

    return read


def _are_bands(args: Many[n.Expr], *_: Any) -> bool:
    """Whether a sparse matrix is made of its bands and which they are; or is given the bands alone."""
    kind = args[0].kind
    match kind.items[0] if isinstance(kind, Struct) and len(kind.items) == 2 else kind:
        case Array(dtype=str() as dtype, dims=(_, _)):
            return dtype.startswith("float")
        case _:
            return False


def _is_real(kind: Kind) -> bool:
    """Whether something consists of real numbers."""
    match kind:
        case Scalar(dtype=str() as dtype) | Array(dtype=str() as dtype):
            return dtype.startswith("float")
        case _:
            return not isinstance(kind, Static | Scalar)


def _are_diagonals(args: Many[n.Expr], *_: Any) -> bool:
    """Whether a sparse matrix is made of variables, and may so vary."""
    return any(isinstance(e, n.Read) and _is_real(e.kind) for e in walk.walk(args[0]))


def _is_read(args: Many[n.Expr], *_: Any) -> bool:
    """Whether one of the first two arguments is a matrix that is read as its entries, or has such items."""
    return any(_is_matrix(e.kind) for e in args[:2])


def _is_matrix(kind: Kind) -> bool:
    match kind:
        case Struct(cls=cls, items=items):
            return cls is SparseMatrix or (cls in (list, tuple) and any(map(_is_matrix, items)))
        case Sequence(item=item):
            return _is_matrix(item)
        case _:
            return False


FITS: dict[str, Any] = {
    **dict.fromkeys(READ_FOR, _is_read),
    **{name: _entries(items_as_array if name.endswith("array") else items_as_matrix, name) for name in _MADE},
    **dict.fromkeys(_BY_DIAGONALS, _are_diagonals),
    **{name: _to_fill(*read) for name, read in _FILLED.items()},
    **dict.fromkeys(("dia_matrix", "dia_array", "spdiags"), _are_bands),
    **dict.fromkeys(OF_ARRAYS_TOO, are_arrays_or_entries),
    "splu": factors_of,
}
METHODS_OF: dict[str, type] = {}
