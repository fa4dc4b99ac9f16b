"""Whole numbers that stand for real ones are taken for reals, by themselves and within containers.

What is a count, and stays a whole number, `counts.py` decides.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adcompile.analyses.counts import Counts
from adcompile.ir.kinds import Kind, Scalar, Sequence, Struct, is_continuous

if TYPE_CHECKING:
    from adcompile.analyses.kinds import Typed
    from adcompile.analyses.program import Program
    from adcompile.ir import nodes as n


def with_reals(program: Program, typed: Typed) -> list[Kind]:
    """The kinds of a function's arguments, where whole numbers that stand for reals are reals."""
    whole = [
        v
        for v, k in zip(typed.params, typed.kinds, strict=True)
        if isinstance(k, Scalar) and k.dtype[0] in "iu" and (k.python is not False)
    ]
    counts = Counts(program)
    reals = {v for v in whole if not counts.is_count(typed, v)}
    real = Scalar("float64", python=None)

    def inside(kind: Kind, variable: n.Variable, path: tuple[Any, ...]) -> Kind:
        match kind:
            case Scalar(dtype=dtype, python=True) if dtype[0] in "iu":
                return kind if counts.is_count(typed, variable, path) else real
            case Sequence(item=Scalar(dtype=dtype, python=True)) if dtype[0] in "iu":
                return kind if counts.is_count(typed, variable, path) else replace(kind, item=real)
            case Struct(form=form, items=items, keys=keys) if is_continuous(kind) or form in ("tuple", "list"):
                return replace(
                    kind,
                    items=tuple(inside(item, variable, (*path, k)) for k, item in zip(keys, items, strict=True)),
                )
            case _:
                return kind

    return [
        real if v in reals else inside(k, v, ()) if isinstance(k, Struct | Sequence) else k
        for v, k in zip(typed.params, typed.kinds, strict=True)
    ]
