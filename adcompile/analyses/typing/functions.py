"""What typing and the memory model ask of all functions of a compilation; `program.Program` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import types

    from adcompile.analyses.typing.given_whole import GivenWhole
    from adcompile.analyses.typing.targets import Scope, UserCall
    from adcompile.analyses.typing.typed import Typed
    from adcompile.ir import nodes as n
    from adcompile.ir.kinds import Extent, Kind

MemoryEffects = tuple[list[bool], list[bool]]
"""Of each parameter of a function: whether its result may reach its memory, and whether it is changed."""


class Functions(Protocol):
    """The functions that a differentiated function reaches."""

    exposed: dict[int, bool]  # of typed functions: whether the result may reach memory outside them
    entwined: dict[int, bool]  # of typed functions: whether parts of the result may share memory
    rebound: set[n.Variable]  # by local functions that declare them `nonlocal`
    default_kinds: dict[n.Variable, Kind]
    defined: dict[n.Variable, n.Function]
    flagged: dict[n.Variable, n.Variable]  # the flags that say whether names are set
    given: GivenWhole  # what whole numbers that stand for reals were made of
    faults_raise: bool | None  # whether a way ends where something is computed with None; None where that is refused

    def next_inference(self) -> int:
        """A number for each inference."""

    def lower(self, function: types.FunctionType) -> n.Function:
        """The structured IR of a function object."""

    def remember(self, function: n.Function) -> None:
        """Take in a function, and those defined in it."""

    def scope(self, captured: dict[n.Variable, Kind] | None = None) -> Scope:
        """What resolving the calls of a function takes; `captured` is what its local functions read."""

    def note_held(self, variable: n.Variable, kind: Kind) -> None:
        """Take note that a variable is set to what may be, or hold, local functions."""

    def specialise(self, call: UserCall, kinds: list[Kind]) -> tuple[Typed, dict[str, Extent]]:
        """The function typed for these kinds, and the caller's extents by their names in the callee."""

    def memory_effects(self, typed: Typed) -> MemoryEffects:
        """Whether the result of a typed function may reach the memory of each parameter, and whether it is changed."""

    def outcome_of(self, call: UserCall, kinds: list[Kind], site: str) -> tuple[Kind, tuple[Kind | None, ...]]:
        """The kind that a call returns, and what becomes of what it is given."""
