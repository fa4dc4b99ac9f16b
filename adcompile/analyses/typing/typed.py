"""A function with kinds: what inference makes, and everything behind it reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adcompile.ir.kinds import NEVER, Given, Kind

if TYPE_CHECKING:
    from adcompile.analyses.typing.identity import Place
    from adcompile.ir import nodes as n


@dataclass(slots=True)
class Typed:
    """A function with kinds: the outcome of inference. `params` include the captured variables, last."""

    function: n.Function
    params: list[n.Variable]
    kinds: tuple[Kind, ...]
    body: list[n.Stmt] = field(default_factory=list)
    result: Kind = NEVER
    tied: set[n.Variable] = field(default_factory=set)  # by changes of one thing under several names
    places: dict[n.Variable, set[Place]] = field(default_factory=dict)  # that hold the same at each use of a variable
    captured: dict[n.Variable, Kind] = field(default_factory=dict)  # what local functions read, where they are called
    exits: tuple[Kind | None, ...] = ()  # of what is given, changed in place: what it is when the function returns
    lengths: dict[str, Given] = field(default_factory=dict)  # that callers pass, by the names of extents
    is_settled: bool = False  # whether all its calls that are to be written out are, for good
    rounds: int = 0  # of inferring it and writing calls out
