"""Both sweeps of a function, and the loops in them that are not simply undone from tapes."""

from __future__ import annotations

from collections.abc import Callable as Function
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from adcompile.ir import nodes as n
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from adcompile.analyses.whole_numbers.dependence import Dependence
    from adcompile.differentiate.linear.places import Place
    from adcompile.differentiate.normal.flat import Group
    from adcompile.ir.kinds import Kind

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable as Function

    from adcompile.differentiate.normal.flat import Group

from typing import TYPE_CHECKING


@dataclass(slots=True)
class Sweep:
    """Both sweeps of a function.

    `mirror` maps a forward block (by identity) to the backward lines that undo it; `regenerated` are versions of loop
    targets that can be read off the iterable again.
    """

    forward: list[n.Stmt]
    backward: list[n.Stmt] = field(default_factory=list)
    partials: dict[Place, n.Expr] = field(default_factory=dict)
    mirror: dict[int, list[n.Stmt]] = field(default_factory=dict)
    regenerated: dict[n.Variable, n.Expr] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)
    kinds: dict[n.Variable, Kind] = field(default_factory=dict)
    given: dict[n.Variable, Kind] = field(default_factory=dict)  # of the parameters, as they come
    references: set[n.Variable] = field(default_factory=set)  # that hold a buffer, or a list of buffers
    header: set[n.Variable] = field(default_factory=set)  # versions that a reversed loop's header binds
    steady: set[n.Variable] = field(default_factory=set)  # variables that always hold an array of one shape
    changed_params: list[n.Variable] = field(default_factory=list)  # whose arguments are copied at entry
    by_layout: bool = False  # whether it matters how they lie in memory
    guard: Function[..., n.Expr | None] = lambda *_: None  # under which condition a statement was done
    unset: dict[n.Variable, None] = field(default_factory=dict)  # which may have no value where a zero is like theirs
    last_of: dict[n.Stmt, n.Stmt] = field(default_factory=dict)  # in a `try`: the last statement of a group
    homes: dict[n.Stmt, list[n.Stmt]] = field(default_factory=dict)  # backward lines that alone need what is set there
    cells: dict[n.Variable, n.Stmt] = field(
        default_factory=dict
    )  # versions that are kept on their tapes from the start
    cell_tapes: dict[n.Variable, n.Variable] = field(default_factory=dict)
    finish: Function[[], None] = lambda: None  # what is left to do when it is known how each value is stored
    mixed: set[n.Variable] = field(default_factory=set)  # a number at one time and an array, say, at another
    handed: set[n.Variable] = field(default_factory=set)  # read as they end, and then set by the backward sweep
    dependence: Dependence | None = None  # None: whatever may be overwritten is kept, without a closer look
    replayed: dict[n.Stmt, Replayed] = field(default_factory=dict)  # the checkpointed loops
    united: Stepwise | None = None  # the loop of which each step is undone before the next
    held: set[n.Variable] = field(default_factory=set)  # versions that a step is undone from as it left them
    ended: set[n.Variable] = field(default_factory=set)  # arrays that loops read as they end: they stay so
    lives: frozenset[n.Variable] = frozenset()  # that the forward sweep goes on with behind the backward lines


@dataclass(slots=True)
class Replayed:
    """A checkpointed loop: of the forward sweep, and `undo`, the one of the backward sweep.

    `span` is its range, `past` the same as the backward sweep reads it. `plain` is a step without what its adjoint
    takes, `copies` maps the statements of the step to those of it. `carried` are the variables of its state, with what
    is kept of each; `outer` are the others that a step reads, each with the expression for it in the backward sweep.
    `needed` are the statements that a step which depends on no other does again: then there are no snapshots.
    """

    loop: n.For
    undo: n.For
    span: Span
    past: Span
    plain: list[n.Stmt]
    copies: dict[n.Stmt, n.Stmt]
    carried: dict[n.Variable, n.Expr]
    outer: dict[n.Variable, n.Expr]
    needed: set[n.Stmt] | None = None

    def reads(self) -> list[n.Expr]:
        """What the backward sweep reads to run a step again, in versions."""
        return [*self.outer.values(), self.past.start, self.past.stop, self.past.step]


@value_class()
class Span:
    """The range of a checkpointed loop: its variable, its arguments as plain reads, and the names that go with it."""

    target: n.Variable
    start: n.Expr
    stop: n.Expr
    step: n.Expr
    last: n.Variable
    due: n.Variable
    snapshots: n.Expr
    places: n.Variable  # the tape of the steps at which snapshots were taken

    @property
    def by_one(self) -> bool:
        """Whether the range goes up by one."""
        return self.step == n.Const(1)

    def changed(self, change: Function[[n.Expr], n.Expr]) -> Span:
        """The same with its arguments rewritten."""
        return replace(self, start=change(self.start), stop=change(self.stop), step=change(self.step))


@dataclass(slots=True)
class Stepwise:
    """A loop of the forward sweep, and `undo`, which holds the backward lines of a step and takes its place.

    `lives` are the variables that a step, or what follows the loop, reads as steps before left them: no backward line
    may set them.
    """

    loop: n.For | n.While
    undo: n.For | n.While
    lives: frozenset[n.Variable]
