"""Functions that are made anew, each time with values of their own: their kind stands for the last one made alone.

>>> from adcompile.ir.kinds import FLOAT, Sequence, Struct
>>> function = n.Function("f", [], [], None)
>>> listed = Sequence(Struct("tuple", tuple, (0, 1), (FLOAT, Callable(function))))
>>> number, made = earlier(listed, {function}).item.items
>>> number, made.reason
(Scalar(dtype='float64', python=True, extent=None), 'a function of an earlier iteration, with values bound to it')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcompile.analyses.typing.lattice import map_kind
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Callable, Choice, Kind, Unknown

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

EARLIER = Unknown(
    "a function of an earlier iteration, with values bound to it",
    remedy="Keep the values in a list, and pass them to one function.",
)


def is_made_anew(function: n.Function) -> bool:
    """Whether each function that is made has values of its own."""
    return bool(function.own) or not all(isinstance(p.default, n.Const | n.Ref | None) for p in function.params)


def earlier(kind: Kind, made: AbstractSet[n.Function]) -> Kind:
    """What is known of a value of an earlier iteration, where functions are made in each."""

    def changed(part: Kind) -> Kind:
        match part:
            case Callable(target=target) if target in made:
                return EARLIER
            case Choice(options=options) if any(changed(option) is not option for option in options):
                return EARLIER
            case _:
                return part

    return map_kind(kind, changed) if made else kind
