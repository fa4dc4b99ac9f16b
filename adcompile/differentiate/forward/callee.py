"""The tangent functions of called functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adcompile.differentiate.linear.places import Path
    from adcompile.differentiate.linear.selection import Reach
    from adcompile.ir import nodes as n


@dataclass(eq=False, slots=True)
class Callee:
    """The tangent function of a called function."""

    function: n.Function
    leaves: list[Path] = field(default_factory=list)
    reaches: tuple[Reach, ...] = ()  # where its tangents vary, as far as known
    steep: bool = True  # whether it matters to it where those that it is given do
