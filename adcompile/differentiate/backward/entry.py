"""What is known of each adjoint."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adcompile.differentiate.backward.places import Place
from adcompile.differentiate.backward.selection import WHOLE, Reach

if TYPE_CHECKING:
    from adcompile.ir import nodes as n


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of a place's adjoint that is not zero: the literal it is, or that its array is ours to change.

    `reach` says where the result depends on the place at all.
    """

    literal: n.Const | None = None
    owned: bool = False
    reach: Reach = field(default=WHOLE, compare=False)


State = dict[Place, Entry]
