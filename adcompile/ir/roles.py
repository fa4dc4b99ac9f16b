"""What a variable is for, what a section of a generated function is, and how a loop is to be undone."""

from __future__ import annotations

from enum import Enum, auto

from adcompile.value_classes import value_class


class Role(Enum):
    """What a variable is for; its spelling follows from this."""

    USER = auto()  # a name of the user's function: `u`
    TEMPORARY = auto()  # a subexpression that had to get a name: `u_tmp`
    ADJOINT = auto()  # the adjoint of another variable: `u_bar`
    TANGENT = auto()  # the tangent of another variable: `u_dot`
    PATTERN = auto()  # of each number of another variable, which inputs it depends on: `u_pattern`
    TAPE = auto()  # the values another variable took, one per iteration: `u_tape`
    SNAPSHOTS = auto()  # the values another variable had at some steps of a checkpointed loop: `u_snapshots`
    KEPT = auto()  # an earlier value of another variable: `u_kept`
    JACOBIAN = auto()  # the partials of every number of the value: `x_jac`
    PARTIAL = auto()  # the partial of an intermediate, saved when it is complete: `u_partial`
    PARTIALS = auto()  # those of all the values that it had, or those of a called function's: `u_partials`
    COUNT = auto()  # how often a loop ran: `trips`
    ITEM = auto()  # one item of another variable, which is an array: `u_item`
    STEP = auto()  # what the compiler has a word for: `due`, `last`, `snapshots` of a checkpointed loop, `total`, `i`
    FLAG = auto()  # which way out of a loop was taken: `broke`, `returned`
    RESULT = auto()  # what the function returns: `value`
    SEED = auto()  # the incoming derivative of a vector-Jacobian product: `seed`


class Section(Enum):
    """The sweeps of which a generated function consists, by the words that head them."""

    FORWARD = "Forward sweep"
    BACKWARD = "Backward sweep"
    BOTH = "Both sweeps"


@value_class()
class Checkpoint:
    """That a loop is undone from snapshots: at most how many, or as many as go into `memory` bytes.

    With both None, as many as seem good for its trip count. `again`: each step is computed once more, without any.
    """

    snapshots: int | None = None
    memory: int | None = None
    again: bool = False
