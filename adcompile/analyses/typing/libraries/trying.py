"""How library calls are tried out: what is put in for constants, by what a trial is known, and what it tells."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile.analyses.typing.libraries.probe import probe
from adcompile.analyses.typing.libraries.samples import CannotProbeError
from adcompile.analyses.typing.targets import static_value
from adcompile.ir import nodes as n
from adcompile.ir.kinds import (
    INT,
    Array,
    Extent,
    Kind,
    Scalar,
    Sequence,
    Sparse,
    Static,
    Struct,
    Unknown,
    is_continuous,
)
from adcompile.ir.walk import walk

# Their result's shape depends on the values in their arguments, not on the arguments' shapes alone.
DATA_DEPENDENT = {
    "nonzero", "flatnonzero", "argwhere", "unique", "unique_values", "unique_all", "compress", "extract", "trim_zeros",
    "union1d", "intersect1d", "setdiff1d", "setxor1d", "bincount", "repeat", "arange", "histogram_bin_edges", "delete",
    "histogram", "array_split", "split", "fromiter", "frombuffer", "tri", "resize", "loadtxt",
}  # fmt: skip


def leaves_out_zeros(function: Any) -> bool:
    """Whether a function of series leaves out zeros at the end of what it makes."""
    home, name = getattr(function, "__module__", None) or "", getattr(function, "__name__", "")
    return home.startswith("numpy.polynomial.") and name.endswith(("add", "sub", "mul"))


def literals(exprs: list[n.Expr]) -> list[bool]:
    """Which of some expressions are written out, so that they are the same in each trial."""
    return [isinstance(e, n.Const | n.Ref) or (isinstance(e, n.Display) and _constant(e)[0]) for e in exprs]


def of_unknown_rank(attempt: Any, kinds: list[Kind], site: str, rows: list[Any], what: Hashable = None) -> Kind:
    """The kind of a result where ranks are not known: what calls at some ranks agree on; `what` is as in `probe`.

    >>> unknown = [Array("float64", None)]
    >>> of_unknown_rank(np.fft.fft, unknown, "here", []), of_unknown_rank(np.sort, unknown, "here", [])
    (Array(dtype='complex128', dims=None), Array(dtype='float64', dims=None))
    >>> of_unknown_rank(np.meshgrid, unknown, "here", []).items
    (Array(dtype='float64', dims=None),)
    """
    for dtype in (None, "float64"):  # one more time for arrays of which nothing is known
        found: list[Kind] = []
        for rank in (1, 2, 3):
            known = [_of_rank(kind, rank, f"{site}.{k}", dtype) for k, kind in enumerate(kinds)]
            if known == kinds:
                break
            with contextlib.suppress(CannotProbeError):
                found.append(probe(attempt, known, site, what=what))
        if found:
            guessed = dtype is not None and any(isinstance(k, Array) and k.dtype is None for k in kinds)
            return _agreed(found, guessed=guessed)
    keeps = rows and rows[0].form in ("linear", "bilinear") and not changes_dtype(rows[0])
    return Array(_common_dtype(kinds) if keeps else None, None)


def changes_dtype(row: Any) -> bool:
    """Whether what a linear function makes may be real where it is given complex numbers, or the other way round."""
    name = (row.function or row.method or row.attribute or row.operator).rpartition(".")[2]
    return "fft" in name or name in _MAKING_REAL_OR_COMPLEX


_MAKING_REAL_OR_COMPLEX = frozenset({
    "real", "imag", "real_like", "own_tangent", "as_like", "astype", "complex", "complex128", "float", "hilbert",
})  # fmt: skip


def _agreed(found: list[Kind], *, guessed: bool) -> Kind:
    """What kinds of results have in common but for their ranks; no dtype where that of an operand was guessed."""
    first = found[0]
    if all(isinstance(kind, Array | Scalar) for kind in found):
        dtypes = {kind.dtype for kind in found if isinstance(kind, Array | Scalar)}
        return Array(dtypes.pop() if len(dtypes) == 1 and not guessed else None, None)
    if isinstance(first, Struct) and all(
        isinstance(k, Struct) and (k.form, k.cls, k.keys) == (first.form, first.cls, first.keys) for k in found
    ):
        parts = zip(*(kind.items for kind in found if isinstance(kind, Struct)), strict=True)
        return replace(first, items=tuple(_agreed(list(part), guessed=guessed) for part in parts))
    return Unknown("the result of a call that depends on how many axes there are")


def _of_rank(kind: Kind, rank: int, site: str, dtype: str | None) -> Kind:
    """The kind of an array of this rank, where it is not known, and of a dtype, where that is not known."""
    if not isinstance(kind, Array) or kind.dims is not None:
        return kind
    return Array(kind.dtype or dtype, tuple(Extent(f"{site}.{axis}", least=2) for axis in range(rank)))


def with_any_integers(attempt: Any, exprs: list[n.Expr], kinds: list[Kind], site: str) -> Array | None:
    """Dtype and rank where an integer (an axis, say) is not known: those that 0 and -1 agree on."""
    unknown = [
        k
        for k, (e, kind) in enumerate(zip(exprs, kinds, strict=True))
        if isinstance(kind, Scalar)
        and kind.dtype == "int64"
        and kind.extent is None
        and not isinstance(e, n.Const | n.Ref)
    ]
    if not unknown:
        return None
    found: list[Kind] = []
    for value in (0, -1):
        changed = [n.Const(value, kind=INT) if k in unknown else e for k, e in enumerate(exprs)]
        try:
            found.append(probe(with_constants(attempt, changed), kinds, site))
        except CannotProbeError:
            return None
    match found:
        case [Array(dtype=a, dims=p), Array(dtype=b, dims=q)] if (
            a == b and p is not None and q is not None and len(p) == len(q)
        ):
            return Array(a, tuple(Extent(f"{site}.{k}") for k in range(len(p))))
        case [Array(dtype=a) | Scalar(certain=a), Array(dtype=b) | Scalar(certain=b)] if a == b:
            return Array(a, None)
        case _:
            return None


def _common_dtype(kinds: list[Kind]) -> str | None:
    """The dtype of what is linear in its arguments."""
    dense = [k.dense if isinstance(k, Sparse) else k for k in kinds]
    found = [k.dtype for k in dense if isinstance(k, Array)]
    others = [k for k in dense if not isinstance(k, Array)]
    if any(map(is_continuous, others)):
        if not found and not any(isinstance(k, Static) for k in others):  # one list, and nobody says of which dtype
            found = [dtype for k in others for dtype in _dtypes_within(k)]
        else:
            return None  # numbers that vary, in a list say, beside an array of indices
    return found[0] if found and all(d == found[0] for d in found) else None


def _dtypes_within(kind: Kind) -> list[str | None]:
    """The dtypes of the numbers and arrays in a container."""
    match kind:
        case Scalar(certain=dtype) | Array(dtype=dtype):
            return [dtype]
        case Struct(items=items):
            return [dtype for item in items for dtype in _dtypes_within(item)]
        case Sequence(item=item):
            return _dtypes_within(item)
        case _:
            return [None]


def largest(exprs: list[n.Expr]) -> int:
    """The largest whole number among the constants of a call."""
    numbers = [
        value for expr in exprs for e in walk(expr) if isinstance(e, n.Const | n.Ref) for value in _whole(e.value)
    ]
    return max(numbers, default=0)


def _whole(value: Any) -> list[int]:
    if isinstance(value, tuple | list):
        return [number for item in value for number in _whole(item)]
    return [abs(value)] if type(value) is int else []


def with_constants(attempt: Any, exprs: list[n.Expr]) -> Any:
    """Literals and known objects take part with their own values, not with samples of their kind."""
    known = [_constant(e) for e in exprs]

    def call_with(*values: Any) -> Any:
        return attempt(
            *[constant if is_known else value for (is_known, constant), value in zip(known, values, strict=True)]
        )

    return call_with


def trial_key(*what: Any, exprs: list[n.Expr]) -> Hashable:
    """What is called, with the constants among its arguments; None where one of them might change."""
    known = [_constant(e) for e in exprs]
    if not all(_is_fixed(value) for _, value in known):
        return None
    # 1, 1.0 and True are equal as keys, but different constants
    return what, tuple(
        (found, type(value), None if isinstance(value, list | tuple) else value, repr(value)) for found, value in known
    )


def _is_fixed(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_is_fixed, value))
    return value is None or isinstance(
        value, int | float | complex | str | type | np.dtype | np.ufunc | types.EllipsisType | types.BuiltinFunctionType
    )


def _constant(expr: n.Expr) -> tuple[bool, Any]:
    """The constant that an expression is, or that it is written out of, as (True, value)."""
    if isinstance(expr, n.Display) and expr.form in ("list", "tuple"):
        items = [_constant(e) for e in expr.items]
        values = [value for _, value in items]
        return all(found for found, _ in items), values if expr.form == "list" else tuple(values)
    return static_value(expr) if _is_plain(expr) else (False, None)


def stands_for_itself(expr: n.Expr) -> bool:
    """Whether an expression takes part in trials with its own value."""
    return _constant(expr)[0]


def _is_plain(expr: n.Expr) -> bool:
    match expr:
        case n.Const():
            return True
        case n.Ref(value=value):
            return isinstance(value, int | float | str | type | np.dtype | type(None) | tuple)
        case n.Attribute(kind=Static()):
            return True
        case _:
            return False


def plain_static(value: Any) -> bool:
    """Whether an object may be an argument of a trial: a dtype, a name, a function; nothing that might be iterated."""
    return (
        value is None
        or isinstance(value, str | bytes | type | np.dtype | slice)
        or value is Ellipsis
        or callable(value)
    )
