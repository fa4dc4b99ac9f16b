"""Whole numbers that stand for real ones are taken for reals, by themselves and within containers.

What is a count, and stays a whole number, `counts.py` decides.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adcompile.analyses.whole_numbers.counts import Counts
from adcompile.ir.kinds import Kind, Scalar, Sequence, Struct, is_continuous

if TYPE_CHECKING:
    from adcompile.analyses.typing.program import Program
    from adcompile.analyses.typing.typed import Typed
    from adcompile.ir import nodes as n

_WHOLE = {"int64", "int32", "uint64", "uint32"}  # shorter ones make other dtypes of what they are multiplied with


def with_reals(program: Program, typed: Typed) -> list[Kind]:
    """The kinds of a function's arguments, where whole numbers that stand for reals are reals."""
    whole = [v for v, k in zip(typed.params, typed.kinds, strict=True) if isinstance(k, Scalar) and k.dtype in _WHOLE]
    counts = Counts(program)
    reals = {v for v in whole if not counts.is_count(typed, v)}

    def real(whole: Scalar) -> Scalar:
        # it is a whole number still, and beside others it counts as Python's or as NumPy's
        return Scalar("float64", python=None, among=tuple(("float64", python) for _, python in whole.types))

    def inside(kind: Kind, variable: n.Variable, path: tuple[Any, ...]) -> Kind:
        match kind:
            case Scalar(dtype=dtype) if dtype in _WHOLE:
                return kind if counts.is_count(typed, variable, path) else real(kind)
            case Sequence(item=Scalar(dtype=dtype) as item) if dtype in _WHOLE:
                return kind if counts.is_count(typed, variable, path) else replace(kind, item=real(item))
            case Sequence(item=Struct() as item, cls=cls) if cls in (list, tuple):
                return replace(kind, item=inside(item, variable, (*path, ...)))
            case Struct(form=form, items=items, keys=keys) if is_continuous(kind) or form in ("tuple", "list"):
                return replace(
                    kind, items=tuple(inside(item, variable, (*path, k)) for k, item in zip(keys, items, strict=True))
                )
            case _:
                return kind

    return [
        real(k) if v in reals and isinstance(k, Scalar) else inside(k, v, ()) if isinstance(k, Struct | Sequence) else k
        for v, k in zip(typed.params, typed.kinds, strict=True)
    ]
